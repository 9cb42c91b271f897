"""Which encoding bytes are in that say nothing about it: the one in which they are the likeliest text."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

from chunking import scripts
from chunking.scripts import UNKNOWN, Script

_Scripts = Callable[[], Iterable[Script]]
_EVERY: Final[tuple[_Scripts, ...]] = (
    scripts.western_scripts,
    scripts.cyrillic_scripts,
    scripts.central_scripts,
    scripts.chinese_scripts,
    scripts.taiwanese_scripts,
    scripts.japanese_scripts,
    scripts.korean_scripts,
)
# In the order of preference where there is no difference, as on a single letter.
_BYTEWISE: Final[dict[str, tuple[_Scripts, ...]]] = {
    "cp1252": (scripts.western_scripts,),
    "gb18030": (scripts.chinese_scripts, scripts.taiwanese_scripts),
    "cp932": (scripts.japanese_scripts,),
    "cp949": (scripts.korean_scripts,),
    "big5": (scripts.taiwanese_scripts,),
    "euc_jp": (scripts.japanese_scripts,),
    "cp1251": (scripts.cyrillic_scripts,),
    "koi8_r": (scripts.cyrillic_scripts,),
    "cp1250": (scripts.central_scripts,),
}
_WIDE: Final = {"utf-16-le": 2, "utf-16-be": 2, "utf-32-le": 4, "utf-32-be": 4}

_SAMPLE: Final = 16_384
_LEAST_MEANS: Final = {"latin": math.log(2.5e-4), "cyrillic": math.log(2.5e-4), "east-asian": math.log(1e-5)}
"""Bytes at random that happen to be decodable give less for each character beyond ASCII."""

_LETTER: Final = r"[^\W\d_A-Za-z]"
_BESIDE_LATIN: Final = re.compile(f"[A-Za-z](?={_LETTER})|{_LETTER}(?=[A-Za-z])")
_BESIDE_ANOTHER: Final = re.compile(f"{_LETTER}(?={_LETTER})")
# Words are of one alphabet, and few letters of a Latin word have an accent.
_MIXED_WORD: Final = math.log(0.02)
_ACCENTS_TOGETHER: Final = math.log(0.15)


def recognise_encodings(raw: bytes) -> list[str]:
    """Returns the encodings in which bytes may be text, the likeliest first.

    The bytes are taken to be written character by character, each with the share it has in a language; of
    long ones a sample is looked at.
    """
    scored = [
        (score, -order, encoding)
        for order, (encoding, sample, languages) in enumerate(_candidates(raw))
        if (score := _score(sample.decode(encoding, "replace"), languages)) is not None
    ]
    return [encoding for _, _, encoding in sorted(scored, reverse=True)]


def _candidates(raw: bytes) -> Iterator[tuple[str, bytes, tuple[_Scripts, ...]]]:
    # Whatever is compared has to be the same bytes; those of a wide encoding cannot be picked by line.
    start = _without_padding(raw[:_SAMPLE])
    yield from ((name, start, _EVERY) for name, width in _WIDE.items() if len(raw) % width == 0)
    if raw.isascii():
        yield "utf-8", start, _EVERY
        yield "iso2022_jp", start, (scripts.japanese_scripts,)
        return
    try:
        raw.decode("utf-8")
        yield "utf-8", start, _EVERY
    except UnicodeDecodeError:
        yield from ((name, start, languages) for name, languages in _BYTEWISE.items())


def _without_padding(raw: bytes) -> bytes:
    """Drops zeros from the end, as a crash leaves them, but keeps characters of four bytes whole."""
    length = len(raw.rstrip(b"\0"))
    return raw[: length + -length % 4]


def _score(text: str, languages: tuple[_Scripts, ...]) -> float | None:
    counts = Counter(text)
    beyond_ascii = {character: count for character, count in counts.items() if character > "\x7f"}
    total = sum(beyond_ascii.values())
    return max(
        (
            _weigh(counts, script) + _weigh_words(text, script)
            for script in chain.from_iterable(language() for language in languages)
            if _weigh(beyond_ascii, script) >= total * _LEAST_MEANS[script.kind]
        ),
        default=None,
    )


def _weigh(counts: Mapping[str, int], script: Script) -> float:
    likelihoods = script.likelihoods
    return sum(count * likelihoods.get(character, UNKNOWN) for character, count in counts.items())


def _weigh_words(text: str, script: Script) -> float:
    if script.kind == "cyrillic":
        return _MIXED_WORD * sum(1 for _ in _BESIDE_LATIN.finditer(text))
    if script.kind == "latin":
        return _ACCENTS_TOGETHER * sum(1 for _ in _BESIDE_ANOTHER.finditer(text))
    return 0.0
