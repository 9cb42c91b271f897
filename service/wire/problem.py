"""Errors as JSON: problem details (RFC 9457) with a stable `code`."""

from pydantic import BaseModel, ConfigDict, Field

from service.wire.examples import PROBLEM


class FieldProblem(BaseModel):
    """What is wrong with one field of the request."""

    field: str
    message: str


class Problem(BaseModel):
    """Why a request was not answered. `code` is stable, the words are not."""

    model_config = ConfigDict(json_schema_extra={"examples": [PROBLEM]})

    type: str = "about:blank"
    title: str
    status: int
    code: str
    detail: str
    errors: list[FieldProblem] = Field(default=[], description="one entry for each wrong field, if any is")
    request_id: str | None = Field(None, description="names the request in the log of the service")


class ItemProblem(BaseModel):
    """Why one item of a batch was not answered."""

    status: int
    code: str
    detail: str
