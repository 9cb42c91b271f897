"""Link definitions `[name]: target`, and footnotes `[^1]: text`, which are text and define no link."""

from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, reference


class _Targets(dict[str, dict[str, Any]]):
    """Keeps of each definition its target alone: the parser's record of it is ten times as large."""

    def __setitem__(self, name: str, definition: dict[str, Any]) -> None:
        super().__setitem__(name, definition["href"])

    def get(self, name: str, default: Any = None) -> Any:
        href = super().get(name)
        return default if href is None else {"href": href, "title": ""}


class _Nothing(list[Any]):
    """Where the parser lists what was defined before, which nobody reads."""

    def append(self, _: Any) -> None:
        pass


def collect() -> dict[str, Any]:
    """Returns an empty environment of the parser, to be filled by the blocks of a page."""
    return {"references": _Targets(), "duplicate_refs": _Nothing()}


def extend(parser: MarkdownIt) -> None:
    """Keeps the rule for link definitions off footnotes, whose text may hold links itself."""
    parser.block.ruler.at("reference", _read_definition)


def _read_definition(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if state.src.startswith("[^", state.bMarks[start_line] + state.tShift[start_line]):
        return False
    return reference(state, start_line, end_line, silent)
