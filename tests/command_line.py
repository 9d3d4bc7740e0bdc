"""Runs the command line in this process, as a person would in a folder."""

import json
from dataclasses import dataclass
from typing import Any

from typer.testing import CliRunner

from askfolio import app


@dataclass(frozen=True)
class Ran:
    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:  # noqa: ANN401
        return json.loads(self.stdout)


def askfolio(*arguments: str) -> Ran:
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)
