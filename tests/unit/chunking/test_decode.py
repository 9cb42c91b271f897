"""Bytes become text, and the encoding used is named."""

import pytest

from chunking import DecodedText, UndecodablePage, decode

PNG = bytes.fromhex("89504e470d0a1a0a0000000d494844520000000100000001080600000 01f15c489".replace(" ", ""))


def test_utf_8_is_the_rule_and_needs_no_mark() -> None:
    assert decode("# Übersicht\r\n".encode()) == DecodedText(text="# Übersicht\r\n", encoding="utf-8")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_honoured_and_removed(encoding: str) -> None:
    assert decode("# Zweit\n".encode(encoding)).text == "# Zweit\n"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_recognised_without_a_mark(encoding: str) -> None:
    raw = "# Notes\n\nplain words\n".encode(encoding)
    assert decode(raw) == DecodedText(text="# Notes\n\nplain words\n", encoding=encoding)


def test_nul_in_a_good_page_is_text() -> None:
    assert decode(b"# N\0ul\n\0\0\0") == DecodedText(text="# N\0ul\n\0\0\0", encoding="utf-8")


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("gb18030", "# 部署指南\n\n本页说明如何部署服务，以及失败时如何回滚。请先阅读配置说明。\n"),
        ("cp932", "# 手順\n\nこのページではサービスの起動方法と、失敗したときの戻し方を説明します。\n"),
        ("cp1252", "# Café\n\nÀ la carte: crème brûlée, déjà vu, naïve façade, größere Übung.\n"),
    ],
)
def test_a_legacy_encoding_is_found_and_named(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == DecodedText(text=text, encoding=encoding)


def test_a_few_damaged_bytes_cost_only_themselves() -> None:
    raw = ("Übung für größere Häuser, ähnlich. " * 3).encode() + b"\xe2\x82\n"
    assert decode(raw) == DecodedText(
        text="Übung für größere Häuser, ähnlich. " * 3 + "\ufffd\n", encoding="utf-8-replaced"
    )


@pytest.mark.parametrize("raw", [PNG, b"\xff\xfe\x00\xd8", b"\x80\x00\x01\x02\x03"])
def test_noise_is_no_page(raw: bytes) -> None:
    with pytest.raises(UndecodablePage, match="save the page as UTF-8"):
        decode(raw)
