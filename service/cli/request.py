"""From the options of a search to a request."""

import json
from typing import Any

import click
from pydantic import ValidationError

from service.wire.evidence import EvidenceBody


def read_request(query: str, asked: dict[str, Any]) -> EvidenceBody:
    """Returns the request for `query`; what is None in `asked` keeps its default.

    Raises:
        UsageError: A value is out of its bounds; names it.
    """
    given = {name: value for name, value in asked.items() if value is not None}
    if (hops := given.pop("hops", None)) is not None:
        given["expand"] = {"hops": hops}
    try:
        if "filters" in given:
            given["filters"] = json.loads(given["filters"])
        return EvidenceBody(query=query, **given)
    except ValidationError as error:
        problem = error.errors()[0]
        name = ".".join(map(str, problem["loc"]))
        raise click.UsageError(f"{name}: {problem['msg'].removeprefix('Value error, ')}") from None
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"filters: not JSON: {error}") from None
