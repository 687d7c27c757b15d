"""Dates: a date as people write it becomes year-month-day; the gold alignment is by field.

The digits of the year are copied one to one, so their links are sure. Both digits of the month come from the whole
month and both digits of the day from the whole day: possible links. The hyphens come from nowhere.
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from datetime import date
from random import Random

from core.training.tasks.task import Links, Pair, Task

FIRST, LAST = date(1600, 1, 1), date(2099, 12, 31)
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

# How people write a date; the letters in braces are the fields of `_fields`.
FORMATS = (
    "{day} {month} {year}",
    "{day} {short} {year}",
    "{month} {day}, {year}",
    "{short} {day}, {year}",
    "{nth} {month} {year}",
    "{month} {nth}, {year}",
    "the {nth} of {month} {year}",
    "{weekday}, {day} {month} {year}",
    "{weekday}, {month} {day}, {year}",
    "{abbreviated} {day} {short} {year}",
    "{day}.{number}.{year}",
    "{two_digits}.{two_digit_number}.{year}",
    "{year}/{number}/{day}",
)
_YEAR = {"year"}
_MONTH = {"month", "short", "number", "two_digit_number"}
_DAY = {"day", "nth", "two_digits"}
# Where the fields stand in 1979-05-03.
_YEAR_PLACES, _MONTH_PLACES, _DAY_PLACES = range(0, 4), range(5, 7), range(8, 10)


@dataclass(frozen=True)
class _Piece:
    text: str
    field: str  # empty for what stands between the fields


def dated(day: date, form: str) -> Pair:
    """A date written in one of `FORMATS`, its ISO form, and the links by field."""
    pieces = _pieces(day, form)
    sure: Links = ()
    possible: Links = ()
    start = 0
    for piece in pieces:
        places = range(start, start + len(piece.text))
        if piece.field in _YEAR:
            sure += tuple(zip(_YEAR_PLACES, places, strict=True))
        elif piece.field in _MONTH:
            possible += tuple((row, col) for row in _MONTH_PLACES for col in places)
        elif piece.field in _DAY:
            possible += tuple((row, col) for row in _DAY_PLACES for col in places)
        start += len(piece.text)
    return Pair("".join(piece.text for piece in pieces), day.isoformat(), sure, tuple(sorted(sure + possible)))


def _pieces(day: date, form: str) -> list[_Piece]:
    fields = _fields(day)
    pieces = []
    for between, field, _, _ in string.Formatter().parse(form):
        pieces.append(_Piece(between, ""))
        if field:
            pieces.append(_Piece(fields[field], field))
    return pieces


def _fields(day: date) -> dict[str, str]:
    month, weekday = MONTHS[day.month - 1], WEEKDAYS[day.weekday()]
    return {
        "year": f"{day.year:04d}",
        "month": month,
        "short": month[:3],
        "number": str(day.month),
        "two_digit_number": f"{day.month:02d}",
        "day": str(day.day),
        "two_digits": f"{day.day:02d}",
        "nth": f"{day.day}{_ending(day.day)}",
        "weekday": weekday,
        "abbreviated": weekday[:3],
    }


def _ending(number: int) -> str:
    """The ending of an English ordinal: 1st, 2nd, 3rd, 4th, but 11th, 12th, 13th."""
    if number in {11, 12, 13}:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _make(random: Random, length: int) -> Pair:
    day = date.fromordinal(random.randint(FIRST.toordinal(), LAST.toordinal()))
    return dated(day, random.choice(FORMATS))


def _alphabet() -> str:
    written = "".join((*MONTHS, *WEEKDAYS, *FORMATS, "stndrdth", string.digits, "-"))
    fixed = "".join(between for form in FORMATS for between, *_ in string.Formatter().parse(form))
    letters = {character for character in written if character.isalnum()}
    return "".join(sorted(letters | set(fixed) | {"-"}))


TASK = Task(
    name="dates",
    title="Dates",
    summary="Write a date as year-month-day. The digits of the year have one gold link each; month and day are right "
    "anywhere in their field.",
    alphabet=_alphabet(),
    shown=dated(date(1979, 5, 3), "{weekday}, {day} {month} {year}"),
    make=_make,
    longest=max(len(f"{weekday}, {month} 30, 2000") for weekday in WEEKDAYS for month in MONTHS),
    lengths=None,
    unseen=None,
)
