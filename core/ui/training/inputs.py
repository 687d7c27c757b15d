"""The fields of the two expanders on the page: numbers two in a row, the others each in a row of its own."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil
import streamlit as st

from core.ui.training.fields import Choice, Field, Real, Switch, Whole
from core.ui.training.plan import key_of
from core.ui.words import small_print

NO_GPU = "16 bits are for a GPU here, and this server has none: this page then trains in float32."


def draw_fields(fields: Sequence[Field], fixed: Mapping[str, str]) -> None:
    """Draw fields. fixed: those that a comparison sets, with the values that it gives them, to be seen only."""
    waiting: list[Field] = []
    for field in fields:
        if isinstance(field, Whole | Real):
            waiting.append(field)
            continue
        _draw_numbers(waiting, fixed)
        waiting = []
        _draw_one(field, fixed)
    _draw_numbers(waiting, fixed)


def has_gpu() -> bool:
    """Whether 16 bits can be trained here; asks torch only once something else has imported it."""
    if (torch := sys.modules.get("torch")) is not None and hasattr(torch, "cuda"):
        return bool(torch.cuda.is_available())
    return Path("/proc/driver/nvidia/version").exists()


def free_memory() -> int | None:
    """Bytes that a run may take of this machine's memory; None with a GPU, whose own says so when it is full."""
    return None if has_gpu() else int(psutil.virtual_memory().available)


def _draw_numbers(fields: Sequence[Field], fixed: Mapping[str, str]) -> None:
    for start in range(0, len(fields), 2):
        for column, field in zip(st.columns(2, vertical_alignment="bottom"), fields[start : start + 2], strict=False):
            with column:
                _draw_one(field, fixed)


def _draw_one(field: Field, fixed: Mapping[str, str]) -> None:
    if field.name in fixed:
        help_ = f"{field.help} The comparison sets it."
        st.text_input(
            field.label, fixed[field.name], disabled=True, help=help_, key=f"fixed_{field.name}_{fixed[field.name]}"
        )
        return
    key = key_of(field.name)
    if isinstance(field, Switch):
        st.toggle(field.label, key=key, persist_state="session", help=field.help)
    elif isinstance(field, Whole):
        st.number_input(
            field.label, field.low, field.high, step=field.step, key=key, persist_state="session", help=field.help
        )
    elif isinstance(field, Real):
        st.number_input(
            field.label,
            field.low,
            field.high,
            step=field.step,
            format="%g",
            key=key,
            persist_state="session",
            help=field.help,
        )
    elif isinstance(field, Choice):
        _draw_choice(field, key)


def _draw_choice(field: Choice, key: str) -> None:
    cannot = field.name == "precision" and not has_gpu()
    names, words = tuple(field.options), field.options.__getitem__
    if field.short:
        st.segmented_control(
            field.label, names, format_func=words, key=key, persist_state="session", required=True, help=field.help,
            width="stretch",
        )  # fmt: skip
    else:
        st.selectbox(
            field.label, names, format_func=words, key=key, persist_state="session", help=field.help, disabled=cannot
        )
    if cannot:
        small_print(NO_GPU, "no-gpu")
