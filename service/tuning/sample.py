"""Choosing the labels that are tried: few enough to wait for, evenly over kinds and pages, in two halves.

The choice depends on the seed and on nothing else that changes from run to run.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from retrieval.tuning import LabelKind
from service.tuning.labels import Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Labels to fit to, and labels held back; no page is relevant in both."""

    fitted: tuple[Label, ...]
    held_back: tuple[Label, ...]

    def keep(self, usable: Callable[[Label], bool]) -> "Sample":
        """Returns the sample without the labels that cannot be used."""
        return Sample(
            fitted=tuple(filter(usable, self.fitted)), held_back=tuple(filter(usable, self.held_back))
        )

    def count(self) -> dict[LabelKind, int]:
        """Returns the number of labels of each kind."""
        kinds = Counter(label.kind for label in (*self.fitted, *self.held_back))
        return dict(sorted(kinds.items()))


def draw_sample(labels: Iterable[Label], *, limit: int, seed: int) -> Sample:
    """Returns at most `limit` labels; those whose pages are of both halves are left out."""
    halves: dict[bool, list[Label]] = {False: [], True: []}
    for label in labels:
        sides = {_draw(page, seed=seed) % 2 == 1 for page in label.pages}
        if len(sides) == 1:
            halves[sides.pop()].append(label)
    fitted, held_back = (_balance(half, seed=seed)[: limit // 2] for half in halves.values())
    return Sample(fitted=tuple(fitted), held_back=tuple(held_back))


def _balance(labels: Sequence[Label], *, seed: int) -> list[Label]:
    """Returns the labels, kinds by turns, of each kind one from every page before a second from any."""
    by_kind: dict[LabelKind, list[Label]] = defaultdict(list)
    for label in _alternate_pages(labels, seed=seed):
        by_kind[label.kind].append(label)
    turns = zip_longest(*(by_kind[kind] for kind in sorted(by_kind)))
    return [label for turn in turns for label in turn if label is not None]


def _alternate_pages(labels: Sequence[Label], *, seed: int) -> Iterator[Label]:
    drawn = sorted(labels, key=lambda label: _draw(label.key, seed=seed))
    counts: Counter[tuple[str, str]] = Counter()
    turns = []
    for label in drawn:
        page = label.kind, label.pages[0]
        turns.append((counts[page], label))
        counts[page] += 1
    return (label for _, label in sorted(turns, key=lambda turn: turn[0]))


def _draw(name: str, *, seed: int) -> int:
    """Returns a number for a name, as good as random."""
    digest = hashlib.sha256(f"{seed}\0{name}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8])
