"""Which parts the settings give."""

import pytest
from fakes import FakeChooser

from retrieval.llm.openai_chooser import OpenAIChooser
from service.settings import LlmSettings, Settings
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
