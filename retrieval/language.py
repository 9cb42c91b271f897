"""The language of a page: what its frontmatter or the wiki's settings say, else a guess from its prose.

It decides how the words of the page are stemmed, and depends on nothing but the page and the settings: a page
that is added changes no other one.
"""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

import regex

from retrieval.errors import LanguageGuessFailed

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

UNDETERMINED = "und"
"""The language of a page that says too little: its words are stemmed by their script alone."""

AUTO = "auto"
"""The setting of a wiki whose pages are each in a language of their own."""

_CODES = """
    af am ar az be bg bn ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk
    km kn ko lo lt lv mk ml mn mr ms my ne nl no or pa pl ps pt ro ru si sk sl sq sr st sv sw ta te th tl tr
    uk ur uz vi yi zh
"""

LANGUAGES = frozenset(_CODES.split())
"""The languages that are told apart, by their codes of ISO 639. Of a longer list rare ones would be taken for
the frequent ones beside them."""

_SAME = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi", "fil": "tl", "yue": "zh", "wuu": "zh"}
_TAG = regex.compile(r"(?P<primary>[A-Za-z]{2,3})(?:[-_][A-Za-z0-9]{1,8})*+")
_KEYS = ("lang", "language")

# Of beginnings of 40 characters in 12 languages, all were right above it, and one in ten was below.
_SURE = 0.7
# Characters of a page that are looked at, and of its prose that tell a language as surely as all of it.
_READ, _GUESSED = 10_000, 2_000
# What is in the language of programs, or in none: code, tags, where links lead.
_NO_PROSE = regex.compile(
    r"(?<![^\r\n])(?:```|~~~).*?(?<=[\r\n])(?:```|~~~)"
    r"|`[^`\r\n]{1,500}+`"
    r"|</?\w[^<>\r\n]{0,500}+>"
    r"|\]\([^()\s]{0,500}+\)"
    r"|(?<!\w)\w++://\S++",
    regex.DOTALL,
)


def read_language(tag: object) -> str | None:
    """Returns the language that a tag of BCP 47 names ("de", "pt-BR", "zh-Hans"), None for anything else.

    Where people write tags they write other things too.
    """
    match = _TAG.fullmatch(tag.strip()) if isinstance(tag, str) else None
    if match is None:
        return None
    primary = match["primary"].lower()
    language = _SAME.get(primary, primary)
    return language if language in LANGUAGES else None


def find_language(frontmatter: Mapping[str, object], text: str, *, setting: str) -> str:
    """Returns the language of a page: that of its frontmatter, else the wiki's, else a guess from `text`."""
    for key in _KEYS:
        if declared := read_language(frontmatter.get(key)):
            return declared
    return guess_language(text) if setting == AUTO else setting


def guess_language(text: str) -> str:
    """Returns the language of Markdown `text`, `UNDETERMINED` where its prose is too short to be sure.

    Raises:
        LanguageGuessFailed: There is no room to load the model.
    """
    prose = " ".join(_NO_PROSE.sub(" ", text[:_READ]).split())[:_GUESSED]
    language, probability = _load_identifier().classify(prose)
    return language if probability >= _SURE and language in LANGUAGES else UNDETERMINED


@cache
def _load_identifier() -> "LanguageIdentifier":
    """Loads the model, half a second and 30 MB: a service that only answers never needs it."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    try:
        identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    except OSError as error:
        # The library unpacks the model into a temporary file.
        raise LanguageGuessFailed(
            "the languages of pages cannot be guessed: temporary files need 30 MB of room "
            f"({error.strerror}); make some, or name the language (`--language`)"
        ) from error
    # One label stands for what is in no language.
    identifier.set_languages([label for label in identifier.labels if label in LANGUAGES or label == "zxx"])
    return identifier
