"""Fetching pages and sections."""

from collections.abc import Sequence

from conformance.answers import Answer
from conformance.case import demand
from conformance.instructions import CHECKS
from conformance.service import DOCUMENT
from conformance.world import World

_ROOT = "<root>"
_READ = "/v1/pages/read"


@CHECKS.add("document")
def check_document(
    world: World,
    *,
    path: str,
    status: int | None = None,
    status_in: Sequence[int] = (),
    body_lacks: Sequence[str] = (),
) -> None:
    """Fetches a page and looks at the status and body of the answer."""
    allowed = status_in or [200 if status is None else status]
    _check_answer(world, path, world.service.document(path), allowed, body_lacks)


@CHECKS.add("document_variants")
def check_document_variants(world: World, *, status_in: Sequence[int], body_lacks: Sequence[str]) -> None:
    """Fetches every path of the request, as the address itself, encoded, and in a body."""
    remote = world.second_process().service
    for path in world.case.request["variants"]:
        target = DOCUMENT + path.replace(" ", "%20")
        _check_answer(world, path, remote.get_verbatim(target), status_in, body_lacks)
        _check_answer(world, path, world.service.document(path), status_in, body_lacks)
        batch = world.service.request("POST", _READ, json={"pages": [{"path": path}]})
        (item,) = batch.json["pages"] if batch.status == 200 else [{"page": None}]
        demand(item["page"] is None, f"{path!r} is read in a batch")
        for text in body_lacks:
            demand(text not in batch.text, f"{path!r}: the answer to a batch holds {text!r}")


@CHECKS.add("paths_open")
def check_paths_open(world: World) -> None:
    """Every path of the index is a file of the wiki, and its page can be fetched."""
    for row in world.product.rows("pages"):
        path = row["path"]
        demand((world.root / path).is_file(), f"no file has the path {path!r}")
        answer = world.service.document(path)
        demand(answer.status == 200 and answer.json["path"] == path, f"{path!r} answers {answer.text[:300]}")


@CHECKS.add("section_read")
def check_section_read(
    world: World, *, path: str, heading_path: Sequence[str], has: Sequence[str], children: bool = False
) -> None:
    """A section is read whole, with those below it if asked."""
    item = {"path": path, "heading_path": list(heading_path), "children": children}
    answer = world.service.request("POST", _READ, json={"pages": [item]})
    demand(answer.status == 200, f"{path!r} {heading_path} answers {answer.status}: {answer.text[:500]}")
    (entry,) = answer.json["pages"]
    demand(entry["page"] is not None, f"{path!r} {heading_path}: {entry['error']}")
    for text in has:
        demand(text in entry["page"]["text"], f"{path!r} {heading_path}: {text!r} is not in what was read")


def _check_answer(
    world: World, path: str, answer: Answer, allowed: Sequence[int], body_lacks: Sequence[str]
) -> None:
    demand(answer.status in allowed, f"{path!r} answers {answer.status}: {answer.text[:300]}")
    for text in body_lacks:
        hidden = text.replace(_ROOT, str(world.root))
        demand(hidden not in answer.text, f"{path!r}: the answer holds {text!r}")
