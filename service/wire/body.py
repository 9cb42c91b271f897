"""What all bodies of requests have in common."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

MAX_FIELDS = 50
"""Fields of an object, known or not: each unknown one is a problem of its own, which takes time to tell."""

HeadingPath = Annotated[list[str], Field(max_length=50, fail_fast=True)]
"""Headings from the outermost to a section's own; of wrong ones the first is told."""


class RequestBody(BaseModel):
    """A JSON object of known fields, each of the very type that it is to have."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _count_fields(cls, content: Any) -> Any:
        if isinstance(content, dict) and len(content) > MAX_FIELDS:
            raise ValueError(f"must have at most {MAX_FIELDS} fields")
        return content
