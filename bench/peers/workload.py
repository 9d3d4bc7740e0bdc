"""What every library is given: files that need NumPy alone to be read."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_ABOUT, _TEXTS, _VECTORS, _QUESTIONS = "about.json", "texts.json", "vectors.npy", "questions.npy"
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is asked for.

    Attributes:
        candidates: Taken from each list before fusion.
        k: Passages wanted in the end.
        repeats: How often each question is asked.
    """

    candidates: int
    k: int
    repeats: int


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """Texts with their vectors, questions with theirs; the position of a text is its row."""

    texts: Sequence[str]
    vectors: Floats
    questions: Sequence[str]
    question_vectors: Floats
    limits: Limits


def write_workload(workload: Workload, folder: Path) -> None:
    """Write it into a folder that exists."""
    about = {"questions": list(workload.questions), "limits": asdict(workload.limits)}
    (folder / _ABOUT).write_text(json.dumps(about), encoding="utf-8")
    (folder / _TEXTS).write_text(json.dumps(list(workload.texts)), encoding="utf-8")
    np.save(folder / _VECTORS, workload.vectors)
    np.save(folder / _QUESTIONS, workload.question_vectors)


def read_workload(folder: Path) -> Workload:
    """Read what `write_workload` wrote."""
    about = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
    return Workload(
        texts=json.loads((folder / _TEXTS).read_text(encoding="utf-8")),
        vectors=np.load(folder / _VECTORS),
        questions=about["questions"],
        question_vectors=np.load(folder / _QUESTIONS),
        limits=Limits(**about["limits"]),
    )
