import lzma
import math
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mistral_common.tokens.tokenizers.tekken import Tekkenizer

from retrieval.tokens import EMBEDDING_TOKEN_MARGIN, RANKS_FILE, TekkenCounter, embedding_tokens
from scripts.make_tekken_ranks import SOURCE_FILE, ranks_file

TEXTS = {
    "english": "The pump delivers twelve litres a minute, and it's quiet — really.",
    "german": "Wärmerückgewinnung und Geschwindigkeitsbegrenzung: größer als 3,5 t?",
    "spanish": "¿Cuántos litros entrega la bomba por minuto? ¡Doce!",
    "french": "L'aiguille s'arrête à l'entrée du réservoir d'eau.",
    "chinese": "水泵每分钟输送十二升水并保持恒定压力。",
    "japanese": "ポンプは毎分十二リットルの水を送り出します。",
    "korean": "이 펌프는 분당 십이 리터의 물을 공급합니다.",
    "arabic": "تقوم المضخة بضخ اثني عشر لترا من الماء.",
    "hindi": "पंप प्रति मिनट बारह लीटर पानी देता है।",
    "thai": "ปั๊มส่งน้ำสิบสองลิตรต่อนาที",
    "russian": "Насос подаёт двенадцать литров воды в минуту.",
    "emoji": "🚀🎉👩‍👩‍👧 🇳🇴",
    "hex": "9f86d081884c7d659a2feaa0c55ad015",
    "code": "def f(x: int) -> int:\n\treturn {a[i] ^ b[i] for i in range(x)}  # ok\r\n",
    "special": "<s>[INST] <|endoftext|> </s> [/INST] <unk> [TOOL_CALLS]",
    "spaces": "a" + " " * 200 + "b \n\n\n\t\t c",
    "digits": "3.14159 2024-05-01 1,000,000",
    "controls": "\x00\x01\x7f\ufeff\u200b",
    "empty": "",
}


@pytest.fixture(scope="module")
def counter() -> TekkenCounter:
    return TekkenCounter.load()


@pytest.fixture(scope="module")
def mistral() -> Tekkenizer:
    path = files("mistral_common").joinpath("data", SOURCE_FILE)
    return Tekkenizer.from_file(str(path))


@pytest.mark.parametrize("name", TEXTS)
def test_count_equals_mistrals_own_tokenizer(
    name: str, counter: TekkenCounter, mistral: Tekkenizer
) -> None:
    for text in (TEXTS[name], TEXTS[name] * 7, f"x{TEXTS[name]} {TEXTS['english']}"):
        assert counter.count(text) == len(mistral.encode(text, bos=False, eos=False))


@given(text=st.text(max_size=80))
def test_count_of_any_text_equals_mistrals_own_tokenizer(
    text: str, counter: TekkenCounter, mistral: Tekkenizer
) -> None:
    assert counter.count(text) == len(mistral.encode(text, bos=False, eos=False))


def test_special_token_strings_are_ordinary_text(counter: TekkenCounter) -> None:
    assert counter.count("</s>") > 1
    assert counter.count("<|endoftext|>") > 1


def test_lone_surrogate_counts_as_the_replacement_character(counter: TekkenCounter) -> None:
    assert counter.count("a\ud800b") == counter.count("a\ufffdb")
    assert counter.embedding_tokens("a\ud800b") > 0


def test_long_runs_are_counted(counter: TekkenCounter) -> None:
    for run in ("a", " ", "^", "\n", "水"):
        assert 0 < counter.count(run * 50_000) <= 150_000


def test_count_all_counts_each_text(counter: TekkenCounter) -> None:
    texts = list(TEXTS.values())
    assert counter.count_all(texts) == [counter.count(text) for text in texts]


def test_the_data_file_is_what_the_script_makes() -> None:
    tekken = files("mistral_common").joinpath("data", SOURCE_FILE).read_bytes()
    packaged = lzma.decompress(files("retrieval").joinpath(RANKS_FILE).read_bytes())
    made = lzma.decompress(ranks_file(tekken, "another version"))
    assert packaged.partition(b"\n")[2] == made.partition(b"\n")[2]
    assert len(files("retrieval").joinpath(RANKS_FILE).read_bytes()) < 1_100_000


# Counts of mistral-common's tokenizer v1, whose vocabulary is that of the older models.
OLDER_COUNTS = [
    ("The quick brown fox jumps over the lazy dog. ", 100, 1201),
    ("Geschwindigkeitsbegrenzung und Wärmerückgewinnung sind wichtig. ", 100, 2201),
    ("水泵每分钟输送十二升水并保持恒定压力。", 100, 2301),
    ("ポンプは毎分十二リットルの水を送り出します。", 100, 2401),
    ("9f86d081884c7d659a2feaa0c55ad015", 100, 2901),
    ("for(let i=0;i<n;i++){a[i]=b[i]^c[i];}", 100, 2700),
    ("تقوم المضخة بضخ اثني عشر لترا من الماء في الدقيقة وتحافظ على ضغط ثابت. ", 30, 1921),
    ("Η αντλία παρέχει δώδεκα λίτρα νερού το λεπτό και διατηρεί σταθερή πίεση. ", 30, 2191),
    ("Máy bơm cung cấp mười hai lít nước mỗi phút và duy trì áp suất ổn định. ", 30, 1411),
    ("La bomba suministra doce litros de agua por minuto y mantiene una presión constante. ",
     30, 781),
    ("\t", 3000, 3001),
]  # fmt: skip


@pytest.mark.parametrize(("text", "repeat", "older"), OLDER_COUNTS)
def test_embedding_estimate_is_not_below_the_older_vocabulary(
    text: str, repeat: int, older: int, counter: TekkenCounter
) -> None:
    assert older <= counter.embedding_tokens(text * repeat) <= 4 * older


def test_embedding_estimate_holds_the_margin(counter: TekkenCounter) -> None:
    text = TEXTS["english"]
    tekken = counter.count(text)
    assert embedding_tokens(text, tekken) >= math.ceil(EMBEDDING_TOKEN_MARGIN * tekken)
