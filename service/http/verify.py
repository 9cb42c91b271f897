"""`POST /v1/verify`."""

from fastapi import APIRouter

from service.http.access import Parts
from service.http.documentation import POSTING
from service.verification import verify
from service.wire.verify import VerifyAnswer, VerifyBody

router = APIRouter(tags=["evidence"])


@router.post("/verify", responses=POSTING)
async def verify_quotations(body: VerifyBody, application: Parts) -> VerifyAnswer:
    """Tells for each citation, or each quotation of a text, whether the files still say it, and where.

    Only pages are looked at: any other path is answered as a page that is not there.
    """
    return await verify(application.wiki(body.wiki), body)
