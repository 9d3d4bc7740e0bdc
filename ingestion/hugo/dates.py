"""When is a page dated, published and expired?"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo

from ingestion.errors import DocumentUnreadable
from ingestion.hugo.casts import Values
from ingestion.hugo.date_fields import DateFields

_ZERO = datetime(1, 1, 1, tzinfo=UTC)
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?"
    r"(?: ?(Z|[+-]\d\d:?\d\d))?(?: [A-Z]{3,4}(?:[+-]\d+)?)?)?"
)
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)")
_FORMATS = (
    "%a, %d %b %Y %H:%M:%S %z",
    "%a, %d %b %Y %H:%M:%S %Z",
    "%A, %d-%b-%y %H:%M:%S %Z",
    "%d %b %y %H:%M %z",
    "%d %b %y %H:%M %Z",
    "%a %b %d %H:%M:%S %Y",
    "%a %b %d %H:%M:%S %Z %Y",
    "%a %b %d %H:%M:%S %z %Y",
    "%d %b %Y",
)
_NAMED_DATE = re.compile(r"(\d{4}-\d\d-\d\d)(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PageDates:
    """A page's dates; None where it has none.

    Attributes:
        date: In its own time zone: addresses are made of it.
        publish: From when it is published.
        expiry: Until when.
        slug: What the file's name holds behind its date, where that date was used.
    """

    date: datetime | None
    publish: datetime | None
    expiry: datetime | None
    slug: str = ""


def parse_date(value: object, zone: tzinfo) -> datetime | None:
    """A date as Hugo reads it, aware; None for no value. Texts without a zone are in `zone`.

    Raises:
        ValueError: Hugo does not read this as a date.
    """
    if value is None or value == "":
        return None
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=zone)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=zone)
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return datetime.fromtimestamp(value, UTC)
        except (OverflowError, OSError) as error:
            raise ValueError(f"{value} seconds are out of range") from error
    if not isinstance(value, str):
        raise ValueError("not a date")  # noqa: TRY004
    match = _ISO.fullmatch(value)
    return _iso(match, zone) if match else _named(value, zone)


def _iso(match: re.Match[str], zone: tzinfo) -> datetime:
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    micro = int((match[7] or "0")[:6].ljust(6, "0"))
    where = _offset(match[8]) if match[8] else zone
    return datetime(year, month, day, hour, minute, second, micro, tzinfo=where)


def _offset(text: str) -> tzinfo:
    match = _OFFSET.fullmatch(text)
    if not match:
        return UTC
    offset = timedelta(hours=int(match[2]), minutes=int(match[3]))
    return timezone(-offset if match[1] == "-" else offset)


def _named(text: str, zone: tzinfo) -> datetime:
    for form in _FORMATS:
        try:
            parsed = datetime.strptime(text, form)
        except ValueError:
            continue
        if parsed.tzinfo:
            return parsed
        return parsed.replace(tzinfo=UTC if form.endswith("%Z") else zone)
    raise ValueError(f"{text[:40]!r} is no date that Hugo reads")


class _Fields:
    """One page's front matter, asked for dates field by field."""

    def __init__(self, values: Values, zone: tzinfo, base_name: str) -> None:
        self._values = values
        self._zone = zone
        self._base_name = base_name
        self.slug = ""

    def first(self, names: tuple[str, ...], known: datetime | None = None) -> datetime | None:
        """The first field with a date; `known` stands in for an absent `date`."""
        for name in names:
            found = self._filename() if name == ":filename" else self._field(name)
            if found is None and name == "date":
                found = known
            if found is not None:
                return found
        return None

    def _field(self, name: str) -> datetime | None:
        value = self._values.get(name)
        if name == "published" and isinstance(value, bool):
            return None
        try:
            return parse_date(value, self._zone)
        except (ValueError, OverflowError) as error:
            raise DocumentUnreadable(f"front-matter-error: {name}: {error}") from error

    def _filename(self) -> datetime | None:
        match = _NAMED_DATE.match(self._base_name)
        if not match:
            return None
        try:
            found = parse_date(match[1], self._zone)
        except ValueError:
            return None
        self.slug = match[2].strip(" -_")
        return found


def page_dates(values: Values, fields: DateFields, zone: tzinfo, base_name: str) -> PageDates:
    """The dates of one page.

    Args:
        values: Its front matter, cascaded values included.
        fields: Which fields to ask.
        zone: Of dates that name none.
        base_name: Name of its file or bundle, without language and extension.

    Raises:
        DocumentUnreadable: A field holds no date that Hugo reads; its build fails there as well.
    """
    page = _Fields(values, zone, base_name)
    day = page.first(fields.date)
    publish = page.first(fields.publish, known=day)
    expiry = page.first(fields.expiry)
    return PageDates(day, _unless_zero(publish), _unless_zero(expiry), page.slug)


def _unless_zero(value: datetime | None) -> datetime | None:
    return None if value == _ZERO else value
