"""Which labels are tried."""

from collections import Counter

from service.tuning.labels import Label, Place
from service.tuning.sample import draw_sample

LABELS = [
    *(
        Label(kind="heading", query=f"heading {page} {number}", places=(Place(path=f"{page}.md"),))
        for page in range(40)
        for number in range(10)
    ),
    *(Label(kind="link", query=f"link {page}", places=(Place(path=f"{page}.md"),)) for page in range(40)),
]


def test_no_page_is_in_both_halves_and_both_are_large() -> None:
    sample = draw_sample(LABELS, limit=1_000, seed=0)
    fitted, held_back = (
        {page for label in half for page in label.pages} for half in (sample.fitted, sample.held_back)
    )
    assert not fitted & held_back
    assert len(fitted | held_back) == 40
    assert min(len(fitted), len(held_back)) > 10


def test_kinds_take_turns_and_every_page_gives_one_before_any_gives_a_second() -> None:
    sample = draw_sample(LABELS, limit=60, seed=0)
    for half in (sample.fitted, sample.held_back):
        assert len(half) == 30
        kinds = Counter(label.kind for label in half)
        assert kinds["link"] == kinds["heading"] == 15
        assert max(Counter((label.kind, label.pages[0]) for label in half).values()) == 1
    assert sample.count() == {"heading": 30, "link": 30}


def test_a_seed_always_draws_the_same_labels_and_another_one_others() -> None:
    first = draw_sample(LABELS, limit=60, seed=0)
    assert draw_sample(list(reversed(LABELS)), limit=60, seed=0) == first
    assert draw_sample(LABELS, limit=60, seed=1) != first


def test_a_label_with_pages_of_both_halves_is_left_out() -> None:
    everywhere = Label(kind="link", query="all", places=tuple(Place(path=f"{page}.md") for page in range(40)))
    sample = draw_sample([*LABELS, everywhere], limit=1_000, seed=0)
    assert everywhere not in (*sample.fitted, *sample.held_back)
