"""Letting the embedder fail."""

from typing import Any

from conformance.case import UnknownInstruction
from conformance.embedder import make_embedder
from conformance.instructions import STEPS
from conformance.world import World

# What each mode sets, and the key of the step that has the value (None: simply on).
_MODES: dict[str, tuple[str, str | None]] = {
    "fail_after": ("refuse_after", "n"),
    "fail_on_text": ("fail_on", "text"),
    "zero_on_text": ("zero_on", "text"),
    "nan_on_text": ("nan_on", "text"),
    "raise": ("raising", None),
    "hang": ("hang_seconds", "s"),
    "slow": ("seconds_a_text", "ms"),
    "wrong_dim": ("wrong_dimension", None),
}


@STEPS.add("embedder")
def change_embedder(
    world: World,
    *,
    mode: str,
    n: int | None = None,
    text: str | None = None,
    s: float | None = None,
    ms: float | None = None,
) -> None:
    """Puts the embedder into one mode; one that is another model takes a new process."""
    values: dict[str, Any] = {"n": n, "text": text, "s": s, "ms": None if ms is None else ms / 1000}
    given = {key for key, value in values.items() if value is not None}
    if mode not in (*_MODES, "ok"):
        world.restart(make_embedder(mode))
        return
    attribute, key = _MODES.get(mode, (None, None))
    if given != ({key} if key else set()):
        raise UnknownInstruction(f"mode {mode!r} does not go with {sorted(given)}")
    world.embedder.recover()
    if attribute is not None:
        setattr(world.embedder, attribute, values[key] if key else True)
