"""The ways in which one text may be written, where what is stored is compared with what is asked for."""

import unicodedata


def spellings(text: str) -> tuple[str, ...]:
    """Returns `text` as it is, composed and decomposed (NFC, NFD), each once.

    A file system may hand out names decomposed, while a person types them composed.
    """
    if text.isascii():
        return (text,)
    forms = (unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text))
    return tuple(dict.fromkeys((text, *forms)))
