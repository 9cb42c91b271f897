"""Steps of the ladder that need no index: to a language model's choice, or past one that gave none."""

import numpy as np
import pytest

from retrieval.ladder import Rung, stay_without_choice, step_to_choice
from retrieval.pack import Step

LOST = tuple(
    Step(level=level, outcome="unavailable", reason="embedder-timeout") for level in ("chunk", "page")
)
WORDS = Step(level="lexical", outcome="used", reason=None)
CHOICE = Step(level="llm", outcome="used", reason=None)
VECTOR = np.array([1.0])

LEXICAL = Rung(level="lexical", steps=(*LOST, WORDS), coverage=0.25, reason="embedder-timeout")
ASKED_FOR = Rung(level="lexical", steps=(WORDS,), coverage=1.0)
WHOLE = Rung(
    level="chunk", steps=(Step(level="chunk", outcome="used", reason=None),), coverage=1.0, vector=VECTOR
)
PARTIAL = Step(level="chunk", outcome="partial", reason="chunk-vectors-partial")
PAGE = Rung(
    level="page",
    steps=(PARTIAL, Step(level="page", outcome="used", reason=None)),
    coverage=0.25,
    vector=VECTOR,
    reason="chunk-vectors-partial",
)


@pytest.mark.parametrize(
    ("rung", "steps"),
    [
        (LEXICAL, (*LOST, CHOICE)),
        (ASKED_FOR, (CHOICE,)),
        (WHOLE, (Step(level="chunk", outcome="weak", reason=None), CHOICE)),
        (PAGE, (PARTIAL, Step(level="page", outcome="weak", reason=None), CHOICE)),
    ],
    ids=["no vectors", "asked for", "weak chunks", "weak pages"],
)
def test_a_choice_takes_the_place_of_what_was_there(rung: Rung, steps: tuple[Step, ...]) -> None:
    stepped = step_to_choice(rung, ("p2", "p1"))
    assert (stepped.level, stepped.steps) == ("llm", steps)
    assert (stepped.vector, stepped.chosen) == (None, ("p2", "p1"))
    assert (stepped.reason, stepped.coverage) == (rung.reason, rung.coverage)
    assert not stepped.choice_failed


@pytest.mark.parametrize(("failed", "outcome"), [(True, "unavailable"), (False, "weak")])
def test_without_a_choice_the_words_are_left(failed: bool, outcome: str) -> None:
    asked = Step(level="llm", outcome=outcome, reason=None)
    stayed = stay_without_choice(LEXICAL, failed=failed)
    assert stayed.steps == (*LOST, asked, WORDS)
    assert (stayed.level, stayed.reason, stayed.choice_failed) == ("lexical", "embedder-timeout", failed)
    assert stay_without_choice(ASKED_FOR, failed=failed).steps == (asked, WORDS)


def test_without_a_choice_weak_hits_keep_their_level() -> None:
    stayed = stay_without_choice(PAGE, failed=True)
    assert (stayed.level, stayed.vector) == ("page", VECTOR)
    assert [(step.level, step.outcome) for step in stayed.steps] == [
        ("chunk", "partial"),
        ("page", "weak"),
        ("llm", "unavailable"),
    ]
