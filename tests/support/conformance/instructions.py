"""The names of checks and steps. A key is a parameter: one that a function does not take fails the case."""

import inspect
from collections.abc import Callable
from typing import Any

from conformance.case import Instruction, UnknownInstruction

Run = Callable[..., None]

# Keys that Python keeps for itself.
_RENAMED = {"from": "source"}


class Instructions:
    """Functions by name; `key` is the field of an instruction that holds its name."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._functions: dict[str, Run] = {}

    def add(self, name: str) -> Callable[[Run], Run]:
        """Gives the decorated function a name."""

        def register(function: Run) -> Run:
            self._functions[name] = function
            return function

        return register

    def run(self, world: Any, instruction: Instruction) -> None:
        """Runs one instruction in a world.

        Raises:
            UnknownInstruction: There is no such name, or it has a key too many or too few.
        """
        values = {_RENAMED.get(key, key): value for key, value in instruction.items()}
        name = values.pop(self._key)
        if name not in self._functions:
            raise UnknownInstruction(f"unknown {self._key}: {name!r}")
        function = self._functions[name]
        try:
            inspect.signature(function).bind(world, **values)
        except TypeError as error:
            raise UnknownInstruction(f"{self._key} {name!r}: {error}") from error
        function(world, **values)


CHECKS = Instructions("check")
STEPS = Instructions("do")
