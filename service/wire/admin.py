"""Index jobs and generations as JSON."""

from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from indexer.bounds import parse_path
from indexer.errors import InvalidPath
from indexer.progress import Phase
from indexer.report import IndexReport, RunPreview
from retrieval.citation import format_time
from retrieval.store import Generation
from service.jobs.job import Job, JobMode, JobState
from service.wire.body import RequestBody
from service.wire.status import CountsAnswer
from service.wire.text import PathText, WikiName

MAX_PATHS = 1_000
"""Pages and folders that a run may be bounded to."""

_EXAMPLES: list[JsonValue] = [{"mode": "incremental"}, {"mode": "dry-run", "paths": ["ops/", "index.md"]}]


def _check_path(path: str) -> str:
    try:
        return parse_path(path)
    except InvalidPath as error:
        raise ValueError(str(error)) from None


class ReindexBody(RequestBody):
    """A request for an index run; all of it may be left out, the body too."""

    model_config = ConfigDict(json_schema_extra={"examples": _EXAMPLES})

    mode: JobMode = Field(
        "incremental",
        description="`incremental` reads what may have changed, `full` every page, and builds all tables "
        "anew; `dry-run` tells what an incremental run would do, and writes nothing",
    )
    paths: list[Annotated[PathText, AfterValidator(_check_path)]] = Field(
        [],
        max_length=MAX_PATHS,
        description="only these pages and folders are compared, the rest stays as it is in the index; "
        "empty: the whole wiki",
    )
    wiki: WikiName = None


class WikiParameters(BaseModel):
    """The query parameters of routes about one wiki."""

    model_config = ConfigDict(extra="forbid")

    wiki: WikiName = None


class ProgressAnswer(BaseModel):
    """How far a run is in its present phase, in pages (read, link) or texts (embed)."""

    phase: Phase
    done: int
    total: int


class JobErrorAnswer(BaseModel):
    """Why a job failed. `code` is stable, the words are not."""

    code: str
    message: str


class JobAnswer(BaseModel):
    """An index run that was asked for. `finished` is null until the job is over."""

    id: str
    wiki: str
    mode: JobMode
    paths: list[str]
    state: JobState
    created: str
    started: str | None
    finished: str | None
    progress: ProgressAnswer | None
    report: IndexReport | RunPreview | None = Field(
        description="what the run did, or a dry run would; it lists the first 100 issues and changes"
    )
    error: JobErrorAnswer | None

    @classmethod
    def of(cls, job: Job) -> Self:
        """Returns the answer that shows `job`."""
        return cls.model_validate(
            {
                **{name: getattr(job, name) for name in ("id", "wiki", "mode", "paths", "state", "report")},
                "created": format_time(job.created),
                "started": _format(job.started),
                "finished": _format(job.finished),
                "progress": job.progress,
                "error": job.error,
            },
            from_attributes=True,
        )


class JobsAnswer(BaseModel):
    """The jobs since the service began, the newest first; those long over are left out."""

    jobs: list[JobAnswer]


class GenerationAnswer(BaseModel):
    """A state of the index. Queries read the active one; equal digests mean equal chunks and vector space."""

    number: int
    created: str
    active: bool
    counts: CountsAnswer
    model: str | None
    config_digest: str

    @classmethod
    def of(cls, generation: Generation, *, active: bool) -> Self:
        """Returns the answer that shows `generation`."""
        return cls(
            number=generation.number,
            created=format_time(generation.created),
            active=active,
            counts=CountsAnswer.of(generation),
            model=generation.build.model,
            config_digest=generation.config_digest,
        )


class GenerationsAnswer(BaseModel):
    """The generations of a wiki's index that are kept, the newest first."""

    wiki: str
    generations: list[GenerationAnswer]


def _format(seconds: float | None) -> str | None:
    return None if seconds is None else format_time(seconds)
