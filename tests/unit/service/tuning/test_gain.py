"""Whether fitted weights gain anything on the labels held back."""

import hashlib

from rankings import make_candidate

from service.tuning.labels import Label, Place
from service.tuning.trials import Trial
from service.tuning.tuner import tell_gain

LABELS = [Label(kind="link", query=f"q{number}", places=(Place(path="right.md"),)) for number in range(100)]


def rank(label: Label, place: int) -> Trial:
    """Returns a trial with the right page at a place from 0."""
    paths = [f"wrong{number}.md" for number in range(place)] + ["right.md"]
    candidates = tuple(make_candidate(path, number) for number, path in enumerate(paths))
    return Trial(label=label, foreign=False, candidates=candidates, best=0.5)


def test_a_gain_on_most_labels_is_taken() -> None:
    before = [rank(label, 2) for label in LABELS]
    after = [rank(label, 0 if number % 3 else 3) for number, label in enumerate(LABELS)]
    gain = tell_gain(before, after)
    assert gain.taken
    assert (gain.labels, gain.before) == (100, 0.5)
    assert 0 < gain.low < gain.after - gain.before < gain.high


def test_noise_is_not_taken_for_a_gain() -> None:
    taken = 0
    for seed in range(20):
        noise = [hashlib.sha256(f"{seed} {label.query}".encode()).digest() for label in LABELS]
        before = [rank(label, byte[0] % 4) for label, byte in zip(LABELS, noise, strict=True)]
        after = [rank(label, byte[1] % 4) for label, byte in zip(LABELS, noise, strict=True)]
        taken += tell_gain(before, after).taken
    assert taken <= 2


def test_equal_rankings_are_no_gain() -> None:
    before = [rank(label, 1) for label in LABELS]
    gain = tell_gain(before, before)
    assert (gain.taken, gain.is_none) == (False, True)
