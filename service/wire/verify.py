"""Citations and texts to verify, and the verdicts."""

from typing import Annotated, Self, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, model_validator

from retrieval.filters import check_text
from retrieval.verification import Claim, QuoteVerdict, Reference, Status, Verdict
from retrieval.verification.model import MAX_CLAIMS
from service.wire.body import HeadingPath, RequestBody
from service.wire.examples import CITATION, VERDICTS
from service.wire.text import PathText, WikiName

MAX_TEXT_LENGTH = 200_000
"""Characters of a text, or of one citation's."""

_MAX_PLACE = 2**31 - 1


def _check_text(text: str) -> str:
    return check_text(text, longest=MAX_TEXT_LENGTH)


Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT_LENGTH), AfterValidator(_check_text)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Character = Annotated[int, Field(ge=0, le=_MAX_PLACE)]
Line = Annotated[int, Field(ge=1, le=_MAX_PLACE)]


class CitationBody(RequestBody):
    """A citation as an evidence pack has it, or less of one: all but `path` may be left out.

    Something to compare is needed: `text`, `text_sha256` or `page_sha256`. Without characters the place is
    the lines, and without these the page.
    """

    path: PathText
    text: Text | None = Field(
        None, description="what is quoted, if it is at hand; it makes moves easier to find"
    )
    text_sha256: Sha256 | None = None
    page_sha256: Sha256 | None = None
    line_start: Line | None = None
    line_end: Line | None = None
    char_start: Character | None = None
    char_end: Character | None = None
    # A pack's citation has these too; none of them is looked at.
    title: str | None = None
    heading_path: HeadingPath | None = None
    anchor: str | None = None
    url: str | None = None
    modified: str | None = None
    commit: str | None = None
    freshness: str | None = None

    @model_validator(mode="after")
    def _check_place(self) -> Self:
        if (self.char_start is None) != (self.char_end is None):
            raise ValueError("give both char_start and char_end, or neither")
        if self.char_start is not None and self.char_end is not None and self.char_end <= self.char_start:
            raise ValueError("char_end must be behind char_start")
        if self.line_end is not None and self.line_end < (self.line_start or _MAX_PLACE):
            raise ValueError("line_end must not be before line_start, which goes with it")
        return self

    def to_claim(self) -> Claim:
        """Returns the citation to verify."""
        return Claim(
            path=self.path,
            text=self.text,
            text_sha256=self.text_sha256,
            page_sha256=self.page_sha256,
            char_start=self.char_start,
            char_end=self.char_end,
            line_start=self.line_start,
            line_end=self.line_end,
        )


_EXAMPLES: list[JsonValue] = [
    {"citations": [CITATION]},
    {
        "citations": [
            {"path": "ops/deploy.md", "line_start": 40, "line_end": 42, "text": "Run `deploy --rollback`"}
        ]
    },
    {"text": "Roll back with “Run `deploy --rollback` on the host that deployed.” (ops/deploy.md:40-42)"},
]


class VerifyBody(RequestBody):
    """Citations, or a finished text with quotations in it."""

    model_config = ConfigDict(json_schema_extra={"examples": _EXAMPLES})

    wiki: WikiName = None
    citations: list[CitationBody] | None = Field(None, max_length=MAX_CLAIMS)
    text: Text | None = Field(
        None,
        description="its quotations are what stands between quotation marks and in block quotes, and code "
        "that has a reference beside it; they are held against the pages that the text names near them: by "
        "`path.md`, `path.md:40-58`, `path.md#heading`, `[[name]]`, a Markdown link or an address of a page",
    )

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        if (self.citations is None) == (self.text is None):
            raise ValueError("give either citations or a text")
        return self


class QuoteAnswer(BaseModel):
    """A quotation in the text, on which line of it, and the reference to a page beside it, if any."""

    text: str
    line: int
    cited: str | None


class VerdictAnswer(BaseModel):
    """What came of one citation or quotation.

    `ok`: it stands where it is cited; `moved`: it stands elsewhere; `changed`: its page does not say it (any
    more); `deleted`: its page is gone, and no other was found that says it; `unknown`: that cannot be told.
    Path, lines and characters are those of the live file; of what has changed, those of something like it.
    """

    status: Status
    detail: str = Field(description="the same in words, for people")
    path: str | None
    line_start: int | None
    line_end: int | None
    char_start: int | None
    char_end: int | None
    quote: QuoteAnswer | None = Field(description="null where a citation was verified")

    @classmethod
    def of(cls, verdict: Verdict, quote: QuoteAnswer | None = None) -> Self:
        """Returns the answer that tells a verdict."""
        place = verdict.place
        return cls(
            status=verdict.status,
            detail=verdict.detail,
            path=place.path if place else None,
            line_start=place.span.line_start if place else None,
            line_end=place.span.line_end if place else None,
            char_start=place.span.char_start if place else None,
            char_end=place.span.char_end if place else None,
            quote=quote,
        )

    @classmethod
    def of_quote(cls, found: QuoteVerdict) -> Self:
        """Returns the answer that tells what came of a quotation."""
        quotation, cited = found.quotation, found.cited
        quote = QuoteAnswer(
            text=quotation.text, line=quotation.line, cited=_describe_reference(cited) if cited else None
        )
        return cls.of(found.verdict, quote)


class VerifyAnswer(BaseModel):
    """One result for each citation, or each quotation of the text, in the order asked.

    `counts` is by status; `left_out` counts quotations beyond the most that one request verifies.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [VERDICTS]})

    wiki: str
    results: list[VerdictAnswer]
    counts: dict[Status, int]
    left_out: int

    @classmethod
    def of(cls, wiki: str, results: list[VerdictAnswer], *, left_out: int = 0) -> Self:
        """Returns the answer with these results."""
        counts: dict[Status, int] = dict.fromkeys(get_args(Status), 0)
        for result in results:
            counts[result.status] += 1
        return cls(wiki=wiki, results=results, counts=counts, left_out=left_out)


def _describe_reference(reference: Reference) -> str:
    lines = f":{reference.line_start}-{reference.line_end}" if reference.line_start else ""
    heading = f"#{reference.heading}" if reference.heading else ""
    return f"{reference.target}{lines}{heading}"
