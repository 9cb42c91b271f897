"""Changing the wiki's files."""

import os
import re
import shutil

from conformance.case import UnknownInstruction
from conformance.instructions import STEPS
from conformance.world import World

_TOP_HEADING = re.compile(r"^# ", re.MULTILINE)


@STEPS.add("write")
def write(world: World, *, path: str, content: str, mtime: float | None = None) -> None:
    """Writes a page, with this modification time if one is given."""
    file = world.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode())
    if mtime is not None:
        os.utime(file, (mtime, mtime))


@STEPS.add("delete")
def delete(world: World, *, path: str) -> None:
    """Deletes a page."""
    (world.root / path).unlink()


@STEPS.add("rename")
def rename(world: World, *, source: str, to: str) -> None:
    """Moves a page."""
    target = world.root / to
    target.parent.mkdir(parents=True, exist_ok=True)
    (world.root / source).rename(target)


@STEPS.add("rmtree")
def remove_folder(world: World, *, path: str) -> None:
    """Deletes a folder with all that is in it."""
    shutil.rmtree(world.root / path)


@STEPS.add("touch_all")
def touch_all(world: World) -> None:
    """Gives every file the present time."""
    for file in world.root.rglob("*"):
        if file.is_file() and world.product.index_folder not in file.parents:
            os.utime(file)


@STEPS.add("chmod")
def change_mode(world: World, *, path: str, mode: str) -> None:
    """Changes the permissions of a file or folder until the case ends."""
    place = world.root / path
    world.undo.callback(place.chmod, place.stat().st_mode)
    place.chmod(int(mode, 8))


@STEPS.add("replace")
def replace(world: World, *, path: str, old: str, new: str) -> None:
    """Replaces a text that stands in the page once."""
    text = (world.root / path).read_bytes().decode()
    if text.count(old) != 1:
        raise UnknownInstruction(f"{old!r} stands {text.count(old)} times in {path!r}")
    write(world, path=path, content=text.replace(old, new))


@STEPS.add("prepend")
def prepend(world: World, *, path: str, text: str) -> None:
    """Puts a text at the beginning of a page."""
    file = world.root / path
    write(world, path=path, content=text + file.read_bytes().decode())


@STEPS.add("swap_sections")
def swap_sections(world: World, *, path: str, a: str, b: str) -> None:
    """Lets two top sections, named by their heading lines, change places."""
    text = (world.root / path).read_bytes().decode()
    borders = [match.start() for match in _TOP_HEADING.finditer(text)]
    sections = [text[start:end] for start, end in zip(borders, [*borders[1:], len(text)], strict=True)]
    titles = [section.partition("\n")[0] for section in sections]
    first, second = titles.index(a), titles.index(b)
    sections[first], sections[second] = sections[second], sections[first]
    write(world, path=path, content=text[: borders[0]] + "".join(sections))
