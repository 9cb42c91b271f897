"""Where one text stands in another, in time linear in both."""


def find_last(text: str, wanted: str, end: int) -> int:
    """Returns where `wanted`, which is not empty, last begins within `text[:end]`; -1 if nowhere.

    `str.rfind` says the same, but where both texts repeat themselves it takes the product of their lengths,
    and all other threads wait for it. `str.find` is linear.
    """
    first = text.find(wanted, 0, end)
    if first < 0:
        return -1
    part = text[first:end]
    return first + len(part) - part[::-1].find(wanted[::-1]) - len(wanted)


def find_nearest(text: str, wanted: str, near: int) -> int | None:
    """Returns where `wanted` begins in `text`, nearest to `near`; None if nowhere."""
    if not wanted:
        return None
    places = text.find(wanted, near), find_last(text, wanted, near + len(wanted) - 1)
    return min((place for place in places if place >= 0), key=lambda place: abs(place - near), default=None)
