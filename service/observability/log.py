"""Where the log of a process goes, and in which form."""

import logging
import sys

from service.observability.records import JsonFormatter, TextFormatter
from service.settings import Settings

# At their lower levels the HTTP client repeats addresses, its transport what servers say in headers, which
# may be the key, and the client of language models whole requests.
_TALKATIVE = ("httpx2", "httpcore2", "openai")


def set_up_log(settings: Settings) -> None:
    """Sends the log of this process to standard error, unless it goes somewhere already."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if settings.log_format == "json" else TextFormatter())
    logging.basicConfig(level=settings.log_level.upper(), handlers=[handler])
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
