"""Reading pages, sections and links."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.convertors import Convertor, register_url_convertor

from retrieval.errors import PageMissing, SectionMissing
from retrieval.pages import OpenPage, open_page, read_links, read_page
from retrieval.store import Snapshot
from service.http.access import Parts
from service.http.documentation import POSTING, READING
from service.http.problems import describe_error
from service.wire.pages import (
    MAX_BATCH_CHARS,
    BatchAnswer,
    BatchBody,
    BatchItemAnswer,
    LinksAnswer,
    LinksParameters,
    PageAnswer,
    PageItem,
    PageParameters,
)
from service.wire.problem import ItemProblem


class PagePathConvertor(Convertor[str]):
    """A page's path: any text. The framework's own convertor has no line feeds, which file names may hold.

    `/v1/pages/read` is a route of its own.
    """

    regex = r"(?!read\Z)[\s\S]*"

    def convert(self, value: str) -> str:
        """Returns the path."""
        return value

    def to_string(self, value: str) -> str:
        """Returns the path."""
        return value


register_url_convertor("page", PagePathConvertor())
router = APIRouter(tags=["pages"])

PagePath = Annotated[str, Path(description="path of the page in the wiki", examples=["ops/deploy.md"])]

_TOO_LARGE = ItemProblem(
    status=413,
    code="batch-too-large",
    detail=f"The pages before have, with this one, over {MAX_BATCH_CHARS} characters; read it alone.",
)


# It comes before the page's own route, which takes any path. Page files end in .md or .markdown, so no page
# is hidden by it.
@router.get("/pages/{path:page}/links", responses=READING)
async def list_links(
    path: PagePath, application: Parts, parameters: Annotated[LinksParameters, Query()]
) -> LinksAnswer:
    """Lists the links of a page and those that lead to it; `total` tells how many there are."""
    reader = application.wiki(parameters.wiki).reader
    return LinksAnswer.of(await reader.read(lambda snapshot: read_links(snapshot, path)), parameters)


@router.get("/pages/{path:page}", responses=READING)
async def get_page(
    path: PagePath, application: Parts, parameters: Annotated[PageParameters, Query()]
) -> PageAnswer:
    """Reads a page, one of its sections, or a range of its lines, as the index holds it."""
    query = parameters.to_query(path)
    reader = application.wiki(parameters.wiki).reader
    return PageAnswer.of(await reader.read(lambda snapshot: read_page(snapshot, query)))


@router.post("/pages/read", responses=POSTING)
async def read_pages(body: BatchBody, application: Parts) -> BatchAnswer:
    """Reads several pages from one state of the index; one that is missing does not fail the rest."""

    async def read(snapshot: Snapshot) -> list[BatchItemAnswer]:
        answers: dict[int, BatchItemAnswer] = {}
        room = MAX_BATCH_CHARS
        # Each page is opened once, however many parts of it are asked for.
        for path in dict.fromkeys(item.path for item in body.pages):
            page = await _open_page(snapshot, path)
            for place, item in enumerate(body.pages):
                if item.path == path:
                    answers[place] = answer = _read_item(page, item, room)
                    room -= len(answer.page.text) if answer.page else 0
        return [answers[place] for place in range(len(body.pages))]

    return BatchAnswer(pages=await application.wiki(body.wiki).reader.read(read))


async def _open_page(snapshot: Snapshot, path: str) -> OpenPage | PageMissing:
    try:
        return await open_page(snapshot, path)
    except PageMissing as error:
        return error


def _read_item(page: OpenPage | PageMissing, item: PageItem, room: int) -> BatchItemAnswer:
    """Reads a part of a page, or says why not; its text may have `room` characters."""
    if isinstance(page, PageMissing):
        return BatchItemAnswer(page=None, error=describe_error(page))
    try:
        part = page.read(item.to_query(item.path))
    except SectionMissing as error:
        return BatchItemAnswer(page=None, error=describe_error(error))
    if len(part.text) > room:
        return BatchItemAnswer(page=None, error=_TOO_LARGE)
    return BatchItemAnswer(page=PageAnswer.of(part), error=None)
