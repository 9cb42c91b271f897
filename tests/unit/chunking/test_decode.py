"""Bytes become text, and the encoding used is named."""

import gzip
import struct

import pytest

from chunking import DecodedText, UndecodablePage, decode

PNG = bytes.fromhex("89504e470d0a1a0a0000000d494844520000000100000001080600000 01f15c489".replace(" ", ""))


def test_utf_8_is_the_rule_and_needs_no_mark() -> None:
    assert decode("# Übersicht\r\n".encode()) == DecodedText(text="# Übersicht\r\n", encoding="utf-8")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_honoured_and_removed(encoding: str) -> None:
    assert decode("# Zweit\n".encode(encoding)).text == "# Zweit\n"


def test_nul_in_a_good_page_is_text() -> None:
    assert decode(b"# N\0ul\n\0\0\0") == DecodedText(text="# N\0ul\n\0\0\0", encoding="utf-8")


CHINESE = "本页说明如何部署服务，以及失败时如何回滚。请先阅读配置说明，"
TAIWANESE = "本頁說明如何部署服務，以及失敗時如何復原。請先閱讀設定說明，"
JAPANESE = "このページではサービスの起動方法と、失敗したときの戻し方を説明します。"
KOREAN = "이 문서는 서비스를 배포하는 방법과 실패했을 때 되돌리는 방법을 설명합니다."
RUSSIAN = "На этой странице описано, как запустить службу и как вернуться назад."
LEGACY = [
    ("gb18030", CHINESE),
    ("cp932", JAPANESE),
    ("euc_jp", JAPANESE),
    ("iso2022_jp", JAPANESE),
    ("cp949", KOREAN),
    ("big5", TAIWANESE),
    ("cp1251", RUSSIAN),
    ("koi8_r", RUSSIAN),
    ("cp1252", "À la carte: crème brûlée, déjà vu, naïve façade, größere Übung, ¿mañana?"),
    ("cp1250", "Najpierw należy przeczytać opis ustawień i sprawdzić połączenie."),
]
PAGE = "---\r\ntitle: page\r\n---\r\n\r\n# Page\r\n\r\n{}\r\n\r\n```sh\r\nrun | tail -3\r\n```\r\n"


@pytest.mark.parametrize(("encoding", "text"), LEGACY)
@pytest.mark.parametrize("form", ["{}", "# {}\n", PAGE])
def test_a_legacy_encoding_is_found_and_named(encoding: str, text: str, form: str) -> None:
    page = form.format(text)
    assert decode(page.encode(encoding)) == DecodedText(text=page, encoding=encoding)


@pytest.mark.parametrize("text", [CHINESE, TAIWANESE, JAPANESE, KOREAN, RUSSIAN, "# Notes\n\nplain words\n"])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_text_is_recognised_without_a_mark(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == DecodedText(text=text, encoding=encoding)


# In ISO 2022 what follows a damaged byte is shifted.
@pytest.mark.parametrize(("encoding", "text"), [case for case in LEGACY if case[0] != "iso2022_jp"])
def test_a_damaged_byte_costs_itself_in_any_encoding(encoding: str, text: str) -> None:
    decoded = decode((text * 9).encode(encoding) + b"\xff\n" + (text * 9).encode(encoding))
    assert decoded.text.startswith(text * 9)
    assert decoded.text.count("\n") == 1


def test_zeros_behind_a_text_are_left_by_a_crash() -> None:
    assert decode(b"# Notes\n\nplain words\n" + bytes(4096)).encoding == "utf-8"


def test_a_stray_zero_in_a_legacy_text_is_text() -> None:
    assert decode((CHINESE + "\0" + CHINESE).encode("gb18030")).encoding == "gb18030"


def test_a_few_damaged_bytes_cost_only_themselves() -> None:
    raw = ("Übung für größere Häuser, ähnlich. " * 3).encode() + b"\xe2\x82\n"
    assert decode(raw) == DecodedText(
        text="Übung für größere Häuser, ähnlich. " * 3 + "\ufffd\n", encoding="utf-8-replaced"
    )


NOISE = {
    "PNG": PNG,
    "gzip": gzip.compress(b"words " * 100),
    "SQLite": b"SQLite format 3\0\x10\x00\x01\x01\x00\x40\x20\x20" + bytes(4096),
    "PDF": b"%PDF-1.4\n1 0 obj\n",
    "zeros": bytes(512),
    "numbers": struct.pack("<64d", *(1 / (n + 1) for n in range(64))),
    "half a surrogate": b"\xff\xfe\x00\xd8",
    "numbers behind a mark": b"\xff\xfe" + struct.pack("<64I", *range(64)),
    "every byte": bytes(range(256)),
}


@pytest.mark.parametrize("raw", NOISE.values(), ids=NOISE.keys())
def test_noise_is_no_page(raw: bytes) -> None:
    with pytest.raises(UndecodablePage, match="UTF-8"):
        decode(raw)
