"""How likely characters are in the languages that legacy encodings were made for."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

Likelihoods = dict[str, float]
"""Natural logarithms of a character's share; a character that is missing has `UNKNOWN`."""

UNKNOWN: Final = math.log(1e-7)
_CONTROL: Final = math.log(1e-4)
_ASCII: Final = math.log(1 / 60)

_CHINESE: Final = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多"
    "经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明"
    "性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加月话合回特代内信表化老给位次度"
    "门任常先海通教提立及比员解水名真论处走义各入几口认条平系气题活数据库本页请本"
)
_TAIWANESE: Final = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作里裡用道行所然家種事成方多"
    "經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明"
    "性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加月話合回特代內信表化老給位次度"
    "門任常先海通教提立及比員解水名真論處走義各入幾口認條平系氣題活數據庫頁請"
)
_KOREAN: Final = (
    "이다는에의가을고지하은로기사를도한서해어리인아자시그나대수있정스라일들으게부과전제장일원여성보구것만주상면공적비니러마유무드"
    "안트내조우동중선오화생문방모경회계국실용때신연당산요없세관개소물말위치간명분음발입역크된까했습합십할행않되와년영미진우려"
    "심야출거단던데두떤또력르란못번본불식않알업였왔울월저절점족직차체초추통편표품필학향현형호환후"
)
_EAST_ASIAN_SIGNS: Final = "，。、；：？！“”‘’（）《》「」『』【】—…·・ー　～０１２３４５６７８９"
# Small letters in the order of their shares, which fall by a constant factor.
_CYRILLIC: Final = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфёіїє"
_WESTERN: Final = {
    "French": "éàèê’çôîùâû«»ëïœ",
    "German": "üäöß„“",
    "Italian": "èàòùìé’",
    "Nordic": "äåöøæéü",
    "Portuguese": "ãçéáíóêõúàâô",
    "Spanish": "óñ¿áíéú¡ü",
}
_CENTRAL: Final = {
    "Czech": "íáéěřčžýšůúťňďľôä",
    "Hungarian": "áéöóőüíúű",
    "Polish": "łęąóżśćńź",
    "Romanian": "îâţşă",
}
_OTHER_LETTERS: Final = "".join(chr(code) for code in range(0xC0, 0x100)) + "œšž"
_SIGNS: Final = "’–“”—…„€°§«»·•‘©®£ºª²½×±™µ№\u00a0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What the texts of a language look like."""

    likelihoods: Likelihoods
    kind: Literal["latin", "cyrillic", "east-asian"]


@cache
def western_scripts() -> tuple[Script, ...]:
    """The languages of Western Europe."""
    return tuple(_alphabet(letters, "latin") for letters in _WESTERN.values())


@cache
def central_scripts() -> tuple[Script, ...]:
    """The languages of Central Europe."""
    return tuple(_alphabet(letters, "latin", 0.7) for letters in _CENTRAL.values())


@cache
def cyrillic_scripts() -> tuple[Script, ...]:
    """Russian, with the letters of its neighbours."""
    return (_alphabet(_CYRILLIC, "cyrillic"),)


@cache
def chinese_scripts() -> tuple[Script, ...]:
    """Simplified Chinese; the first rows of GB 2312 hold the 3,755 common characters."""
    common, rare = _rows("gb2312", 0xB0, 0xD7), _rows("gb2312", 0xD8, 0xF7)
    return (_characters((_CHINESE, 0.45), (_EAST_ASIAN_SIGNS, 0.12), (common, 0.38), (rare, 0.02)),)


@cache
def taiwanese_scripts() -> tuple[Script, ...]:
    """Traditional Chinese; the first rows of Big5 hold the 5,401 common characters."""
    common, rare = _rows("big5", 0xA4, 0xC6), _rows("big5", 0xC9, 0xF9)
    return (_characters((_TAIWANESE, 0.45), (_EAST_ASIAN_SIGNS, 0.12), (common, 0.38), (rare, 0.02)),)


@cache
def japanese_scripts() -> tuple[Script, ...]:
    """Kana, and the characters of JIS X 0208, whose first rows hold the 2,965 common ones."""
    hiragana = {chr(code) for code in range(0x3041, 0x3094)}
    katakana = {chr(code) for code in range(0x30A1, 0x30F7)}
    common, rare = _rows("euc_jp", 0xB0, 0xCF), _rows("euc_jp", 0xD0, 0xF4)
    return (
        _characters(
            (hiragana, 0.5), (katakana, 0.1), (_EAST_ASIAN_SIGNS, 0.1), (common, 0.28), (rare, 0.005)
        ),
    )


@cache
def korean_scripts() -> tuple[Script, ...]:
    """The 2,350 syllables of KS X 1001; Chinese characters are rare in Korean."""
    common, rare = _rows("euc_kr", 0xB0, 0xC8), _rows("euc_kr", 0xCA, 0xFD)
    return (_characters((_KOREAN, 0.6), (common, 0.36), (_EAST_ASIAN_SIGNS, 0.01), (rare, 0.003)),)


def _characters(*tiers: tuple[Iterable[str], float]) -> Script:
    return Script(likelihoods=_share(*tiers), kind="east-asian")


def _share(*tiers: tuple[Iterable[str], float]) -> Likelihoods:
    """Gives the characters of each tier an equal part of its share; the first tier of a character counts."""
    likelihoods = _ascii()
    for characters, share in tiers:
        new = set(characters) - likelihoods.keys()
        likelihoods |= dict.fromkeys(new, math.log(share / max(len(new), 1)))
    return likelihoods


def _alphabet(letters: str, kind: Literal["latin", "cyrillic"], weight: float = 1.0) -> Script:
    """Lets shares fall by a constant factor, to a twentieth, and gives capitals a fifteenth of theirs."""
    likelihoods = _share((_SIGNS, 0.05))
    falling = [20 ** (-rank / len(letters)) for rank in range(len(letters))]
    for letter, part in zip(letters, falling, strict=True):
        share = weight * part / sum(falling)
        likelihoods[letter] = math.log(share)
        if len(letter.upper()) == 1 and letter.upper() != letter:
            likelihoods[letter.upper()] = math.log(share / 15)
    if kind == "latin":
        likelihoods = dict.fromkeys(_OTHER_LETTERS, math.log(0.03 / len(_OTHER_LETTERS))) | likelihoods
    return Script(likelihoods=likelihoods, kind=kind)


def _ascii() -> Likelihoods:
    return dict.fromkeys(("\t", "\n", "\r", *map(chr, range(0x20, 0x7F))), _ASCII) | {
        chr(code): _CONTROL for code in (*range(9), 11, 12, *range(14, 32), *range(0x7F, 0xA0))
    }


def _rows(encoding: str, first: int, last: int) -> set[str]:
    """Returns the characters whose first byte is in a range."""
    return {
        character
        for lead in range(first, last + 1)
        for trail in range(0x40, 0xFF)
        if len(character := bytes((lead, trail)).decode(encoding, "ignore")) == 1 and character > "\x7f"
    }
