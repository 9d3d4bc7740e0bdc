"""Is this body the JSON that a route wants? The refusal never repeats it."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from service.errors import Invalid, Malformed, RequestRejected

_Model = TypeVar("_Model", bound=BaseModel)
_MAX_PROBLEMS = 3


def read_body(model: type[_Model], body: bytes) -> _Model:
    """Read and validate.

    Raises:
        Malformed: No JSON in UTF-8.
        Invalid: A field is missing, unknown or wrong.
    """
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        refusal = _refusal(model, error)
    raise refusal  # outside the block: the other error holds what the visitor sent


def read_fields(model: type[_Model], fields: dict[str, object]) -> _Model:
    """Validate fields that were read from JSON elsewhere.

    Raises:
        Invalid: A field is missing, unknown or wrong.
    """
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        refusal = _refusal(model, error)
    raise refusal


def _refusal(model: type[BaseModel], error: ValidationError) -> RequestRejected:
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    if problems[0]["type"] == "json_invalid":
        return Malformed("the body is no valid JSON in UTF-8")
    known = _field_names(model)
    return Invalid("; ".join(_sentence(problem, known) for problem in problems[:_MAX_PROBLEMS]))


def _sentence(problem: ErrorDetails, known: frozenset[str]) -> str:
    # An unknown name is the visitor's text.
    parts = [str(part) for part in problem["loc"] if isinstance(part, int) or part in known]
    if problem["type"] == "extra_forbidden":
        return f"unknown field{' in ' + '.'.join(parts) if parts else ''}"
    message = problem["msg"].removeprefix("Value error, ")
    return f"{'.'.join(parts)}: {message}" if parts else "the body must be a JSON object"


def _field_names(model: type[BaseModel]) -> frozenset[str]:
    names = set(model.model_fields)
    for field in model.model_fields.values():
        for argument in getattr(field.annotation, "__args__", ()):
            if isinstance(argument, type) and issubclass(argument, BaseModel):
                names |= set(argument.model_fields)
    return frozenset(names)
