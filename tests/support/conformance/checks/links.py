"""Links and neighbours of a page."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from conformance.case import CaseFailure, Instruction, UnknownInstruction, demand
from conformance.instructions import CHECKS
from conformance.world import World

_KEYS = {"line", "target", "status", "heading_path", "block", "alias", "embed", "candidates", "target_line"}


@CHECKS.add("links")
def check_links(world: World, *, path: str, links: Sequence[Instruction]) -> None:
    """The page has exactly these links, each with the values given."""
    for link in links:
        if unknown := link.keys() - _KEYS:
            raise UnknownInstruction(f"unknown keys of a link: {sorted(unknown)}")
    found = [_translate(link) for link in world.service.links(path)["links"]]
    lines = Counter(link["line"] for link in found)
    expected = Counter(link["line"] for link in links)
    demand(
        lines == expected,
        f"{path}: links on lines {sorted(lines.elements())}, expected {sorted(expected.elements())}",
    )
    for link in links:
        match = next((other for other in found if link.items() <= other.items()), None)
        shown = [other for other in found if other["line"] == link["line"]]
        if match is None:
            raise CaseFailure(f"{path}: no link is {dict(link)}; line {link['line']} has {shown}")
        found.remove(match)


@CHECKS.add("neighbors")
def check_neighbors(world: World, *, path: str, equals: Sequence[str]) -> None:
    """The page leads to exactly these other pages."""
    found = world.service.links(path)["neighbours"]
    demand(sorted(found) == sorted(equals), f"{path}: neighbours are {found}, expected {list(equals)}")


def _translate(link: dict[str, Any]) -> dict[str, Any]:
    return {
        "line": link["line"],
        "target": link["page"],
        "status": link["status"],
        "heading_path": link["heading_path"],
        "block": link["block"],
        "alias": link["alias"],
        "embed": link["kind"] == "embed",
        "candidates": link["candidates"],
        "target_line": link["target_line"],
    }
