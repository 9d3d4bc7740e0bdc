"""The answer's language is checked when it is finished; what it costs is a count for the owner."""

from pathlib import Path

import pytest

from service.language import is_in_other_language
from tests.fake_mistral import ChatAnswer, FakeMistral
from tests.service.running import Service, configure, running

ENGLISH = (
    "The station measures rain with a tipping bucket, and a small program reads the bucket "
    "every minute of the day and of the night."
)
SPANISH = (
    "La estación mide la lluvia con un cubo basculante, y un pequeño programa lee el cubo cada "
    "minuto del día y de la noche."
)
JAPANESE = (
    "観測所は転倒ます型雨量計で雨を測り、小さなプログラムが昼も夜も毎分その値を読み取っています。"
)
NORWEGIAN = (
    "Stasjonen måler regn med en vippebøtte, og et lite program leser bøtta hvert minutt, både "
    "om dagen og om natten."
)


@pytest.mark.parametrize(
    ("prose", "wanted", "is_other"),
    [
        (ENGLISH, "en", False),
        (ENGLISH, "en-GB", False),
        (ENGLISH, "es", True),
        (SPANISH, "es", False),
        (SPANISH, "en", True),
        (JAPANESE, "ja", False),
        (JAPANESE, "pt-br", True),
        (NORWEGIAN, "nb", False),
        (NORWEGIAN, "nn", False),
        (SPANISH, "tlh", False),  # the detector does not know what that would look like
        ("Con un cubo.", "en", False),  # too short to tell
        ("", "en", False),
        (
            "relay/main.go ring.go MQTT LoRaWAN Grafana PostgreSQL Docker Kubernetes " * 3,
            "es",
            False,
        ),
    ],
)
def test_only_a_clear_case_is_another_language(prose: str, wanted: str, is_other: bool) -> None:
    assert is_in_other_language(prose, wanted) is is_other


def counted(service: Service) -> int:
    name = "askfolio_answers_in_other_language_total "
    lines = service.send("GET", "/metrics").body.decode().splitlines()
    return next(int(line.removeprefix(name)) for line in lines if line.startswith(name))


def test_an_answer_in_the_wrong_language_is_counted_and_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "k")
    question = "How does the station measure rain?"
    code = f"```go\n// {SPANISH}\n```\n"
    with FakeMistral() as model:
        configuration = configure(tmp_path, f'[answer]\nserver_url = "{model.url}"\n')
        with running(configuration) as service:
            waiting = [f"{ENGLISH} [1]", "Con un cubo. [1]", f"{ENGLISH} [1]\n\n{code}"]
            model.answer = lambda body: ChatAnswer([waiting.pop()])
            while waiting:
                assert service.ask(question)["outcome"] == "answered"
            assert counted(service) == 0
            model.answer = lambda body: ChatAnswer([SPANISH, " [1]"])
            answer = service.ask(question)
            assert answer["answer"] == f"{SPANISH} [1]"
            assert answer["degraded"] is None
            assert counted(service) == 1
            assert service.ask(question, language="es")["language"] == "es"
            assert counted(service) == 1
            assert service.stream(question).events[-1][0] == "done"
            assert counted(service) == 2
