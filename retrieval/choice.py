"""The step to the language model: it chooses pages by what they are called and are about."""

import asyncio
import logging
from collections.abc import Iterable

from retrieval.candidate import Candidate
from retrieval.deadline import Deadline
from retrieval.ladder import Rung, stay_without_choice, step_to_choice
from retrieval.llm.catalogue import MAX_PAGES, make_catalogue
from retrieval.llm.port import ChooserError
from retrieval.models import Models
from retrieval.request import EvidenceRequest
from retrieval.store import Snapshot

_log = logging.getLogger(__name__)


async def choose_pages(
    snapshot: Snapshot,
    request: EvidenceRequest,
    models: Models,
    rung: Rung,
    *,
    shortlist: Iterable[Candidate],
    where: str | None,
    deadline: Deadline,
) -> Rung:
    """Returns the rung of the pages chosen for a request, or `rung` with the step that led nowhere.

    The catalogue has the pages of the shortlist, which comes from the lexical lane, and where those are few,
    other pages in scope.
    """
    if models.chooser is None:
        return stay_without_choice(rung, failed=True)
    try:
        async with asyncio.timeout(deadline.left(models.choice_seconds)):
            catalogue = await make_catalogue(snapshot, await _list_pages(snapshot, shortlist, where))
            chosen = await models.chooser.choose(request.query, catalogue, request.k)
    except ChooserError as error:
        _log.warning("%s", error)
        return stay_without_choice(rung, failed=True)
    except TimeoutError:
        _log.warning("the language model did not choose pages in time")
        return stay_without_choice(rung, failed=True)
    return step_to_choice(rung, chosen) if chosen else stay_without_choice(rung, failed=False)


async def _list_pages(snapshot: Snapshot, shortlist: Iterable[Candidate], where: str | None) -> list[str]:
    pages = list(dict.fromkeys(candidate.page_id for candidate in shortlist))
    if len(pages) < MAX_PAGES:
        rows = await snapshot.rows("pages", columns=["page_id", "path"], where=where, limit=2 * MAX_PAGES)
        others = sorted(rows.to_pylist(), key=lambda row: str(row["path"]))
        pages = list(dict.fromkeys((*pages, *(row["page_id"] for row in others))))
    return pages[:MAX_PAGES]
