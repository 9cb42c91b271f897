"""Pages in other encodings than UTF-8 are found, cited by their lines, and named."""

from pathlib import Path

import pytest
from workbench import Workbench

from retrieval.pages import PageQuery, read_page
from retrieval.reader import IndexReader

pytestmark = pytest.mark.anyio

TEXTS = {
    "gb18030": "# 部署指南\r\n\r\n本页说明如何部署服务，以及失败时如何回滚。\r\n\r\nzorb1\r\n",
    "cp932": "# 手順\r\rこのページではサービスの起動方法を説明します。\r\rzorb1\r",
    "cp1252": "# Café\n\nÀ la carte: crème brûlée, déjà vu.\n\nzorb1\n",
    "utf-16-le": "# Notes\n\nplain words\n\nzorb1\n",
}


@pytest.mark.parametrize(("encoding", "text"), TEXTS.items(), ids=TEXTS.keys())
async def test_the_encoding_of_a_page_is_noted(tmp_path: Path, encoding: str, text: str) -> None:
    bench = Workbench(tmp_path, {"other.md": "# Other\n"})
    (bench.root / "page.md").write_bytes(text.encode(encoding))
    report = await bench.run()
    assert [(issue.path, issue.code) for issue in report.issues] == [("page.md", "encoding-fallback")]
    evidence = (await bench.search("zorb1", mode="lexical")).evidence
    assert [(e.citation.path, e.citation.line_start, e.citation.line_end) for e in evidence] == [
        ("page.md", 1, 5)
    ]
    reader = IndexReader(bench.uri)
    try:
        page = await reader.read(lambda snapshot: read_page(snapshot, PageQuery(path="page.md")))
    finally:
        reader.close()
    assert (page.encoding, page.text) == (encoding, text)


async def test_a_picture_called_a_page_is_an_issue_and_no_page(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, {"good.md": "# Good\n\nzorb1\n"})
    (bench.root / "picture.md").write_bytes(
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\x06\0\0\0\x1f\x15\xc4\x89"
    )
    report = await bench.run()
    assert [(issue.path, issue.code) for issue in report.issues] == [("picture.md", "page-undecodable")]
    assert await bench.found("zorb1") == {"good.md"}
    assert len((await bench.rows())["pages"]) == 1
