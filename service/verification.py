"""Verifying what a request asks for; the command line and HTTP do it in the same way."""

from service.wire.verify import VerdictAnswer, VerifyAnswer, VerifyBody
from service.wiring import Wiki


async def verify(wiki: Wiki, body: VerifyBody) -> VerifyAnswer:
    """Returns the verdicts on the citations, or on the quotations of the text.

    Raises:
        StoreError: There is an index, and it cannot be read.
    """
    if body.text is not None:
        found = await wiki.verifier.verify_text(body.text)
        results = [VerdictAnswer.of_quote(quote) for quote in found.quotes]
        return VerifyAnswer.of(wiki.name, results, left_out=found.left_out)
    claims = [citation.to_claim() for citation in body.citations or ()]
    verdicts = await wiki.verifier.verify_citations(claims)
    return VerifyAnswer.of(wiki.name, [VerdictAnswer.of(verdict) for verdict in verdicts])
