"""Whether citations, and quotations inside a finished text, hold against the files as they are now."""

from retrieval.verification.model import (
    Claim,
    Place,
    Quotation,
    QuoteVerdict,
    Reference,
    Status,
    TextVerdict,
    Verdict,
)
from retrieval.verification.verifier import Verifier

__all__ = [
    "Claim",
    "Place",
    "Quotation",
    "QuoteVerdict",
    "Reference",
    "Status",
    "TextVerdict",
    "Verdict",
    "Verifier",
]
