"""Which parts the settings give."""

from pathlib import Path

import pytest
from fakes import FakeChooser, FakeEmbedder, FakeScorer

from retrieval.embedding.passage_scorer import ScorerError
from retrieval.llm.openai_chooser import OpenAIChooser
from service.errors import InvalidSettings
from service.sections import LlmSettings
from service.settings import Settings
from service.wiring import Application

ENDPOINT = {"base_url": "http://127.0.0.1:8080/v1", "model": "m"}


@pytest.mark.parametrize(
    ("llm", "kind"),
    [
        ({}, type(None)),
        ({"on": "weak"}, type(None)),
        (ENDPOINT, OpenAIChooser),
        ({**ENDPOINT, "api_key": "sk-x", "on": "weak"}, OpenAIChooser),
        ({**ENDPOINT, "on": "never"}, type(None)),
    ],
)
def test_the_chooser_of_the_settings(llm: dict[str, str], kind: type[object]) -> None:
    settings = Settings(llm=LlmSettings.model_validate(llm))
    assert isinstance(Application(settings).chooser, kind)


def test_a_given_chooser_goes_before_the_settings() -> None:
    fake = FakeChooser()
    assert Application(Settings(llm=LlmSettings.model_validate(ENDPOINT)), chooser=fake).chooser is fake


class VectorEmbedder:
    """An embedder that gives one vector a text and shows no tokens, as endpoints do."""

    def __init__(self) -> None:
        fake = FakeEmbedder()
        self.space, self.counter, self.calibration, self.embed = (
            fake.space,
            fake.counter,
            fake.calibration,
            fake.embed,
        )


def test_the_second_stages_of_the_settings() -> None:
    assert not Application(Settings(), embedder=FakeEmbedder()).refiners
    late = Application(Settings(rerank="maxsim"), embedder=FakeEmbedder(), scorer=FakeScorer())
    assert (set(late.refiners), late.models.rerank) == ({"maxsim", "cross-encoder"}, "maxsim")


def test_late_interaction_wants_an_embedder_that_shows_tokens() -> None:
    application = Application(Settings(rerank="maxsim"), embedder=VectorEmbedder())
    with pytest.raises(InvalidSettings, match="this embedder does not give"):
        _ = application.models


def test_a_folder_that_is_no_cross_encoder_is_named_before_anything_is_asked(tmp_path: Path) -> None:
    settings = Settings(wikis={"default": {"root": tmp_path}}, cross_encoder=str(tmp_path / "gone"))
    with pytest.raises(ScorerError, match="gone is not the folder of a cross-encoder"):
        _ = Application(settings, embedder=FakeEmbedder()).wikis
