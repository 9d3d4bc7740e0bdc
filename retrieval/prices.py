"""What the provider charges: the one price table, with its date."""

from dataclasses import dataclass

CURRENCY = "USD"
PRICED_ON = "2026-08-21"
CACHED_INPUT_SHARE = 0.1
REGION_FACTOR = {"global": 1.0, "eu": 1.1, "us": 1.1}


@dataclass(frozen=True, slots=True)
class Price:
    """Price of one model in `CURRENCY` per million tokens, on the global server."""

    input_per_million: float
    output_per_million: float


PRICES = {
    "mistral-embed": Price(0.10, 0.0),
    "mistral-embed-2312": Price(0.10, 0.0),
    "codestral-embed": Price(0.15, 0.0),
    "codestral-embed-2505": Price(0.15, 0.0),
    "ministral-3b-2512": Price(0.10, 0.10),
    "ministral-3b-latest": Price(0.10, 0.10),
    "ministral-8b-2512": Price(0.15, 0.15),
    "ministral-8b-latest": Price(0.15, 0.15),
    "ministral-14b-2512": Price(0.20, 0.20),
    "ministral-14b-latest": Price(0.20, 0.20),
    "mistral-small-2603": Price(0.15, 0.60),
    "mistral-small-latest": Price(0.15, 0.60),
}


def cost(
    model: str,
    input_tokens: int,
    output_tokens: int = 0,
    cached_tokens: int = 0,
    server: str = "eu",
) -> float:
    """Amount in `CURRENCY` of one or many calls to `model`; 0 for a model without a price.

    Args:
        model: Model id as configured.
        input_tokens: All prompt or embedding tokens, the cached ones included.
        output_tokens: Generated tokens.
        cached_tokens: Prompt tokens served from the provider's cache, at a tenth of the price.
        server: eu, global or us; the regional servers charge 1.1 times.
    """
    price = PRICES.get(model)
    if price is None:
        return 0.0
    full_tokens = input_tokens - cached_tokens * (1 - CACHED_INPUT_SHARE)
    amount = full_tokens * price.input_per_million + output_tokens * price.output_per_million
    return amount / 1e6 * REGION_FACTOR.get(server, 1.0)
