"""A scheme's formula with its symbols explained, and two sentences: what to look at, and what surprises."""

from __future__ import annotations

import streamlit as st

from core.positions import SCHEMES
from core.positions.objects import Formula
from core.ui.positions.deberta_versions import CLIPPED, formula_of
from core.ui.words import small_print

# So many symbols are explained at once; more wait for a click, so that the figures are seen first.
MOST_AT_ONCE = 6


def formula_card(
    scheme: str, scaling: str = "none", version: str = CLIPPED, causal: bool = True, is_first: bool = True
) -> None:
    """The formula in its frame.

    scaling: that of a rotation, whose own formula then follows; version: DeBERTa's; causal: whether ALiBi is the
    paper's; is_first: whether nothing of the scheme stands above, so that there is room for its symbols.
    """
    known = SCHEMES[scheme]
    shown = [_formula(scheme, version, causal)]
    if scheme == "rotary" and scaling != "none":
        from core.positions.scaling import SCALINGS

        shown += [SCALINGS[scaling].formula] if scaling in SCALINGS else []
    # What both formulas have is explained once, as the first does.
    symbols = {symbol: words for formula in shown for symbol, words in formula.symbols}
    symbols |= dict(shown[0].symbols)
    opened = is_first and len(symbols) <= MOST_AT_ONCE
    with st.container(border=True, key="positions_formula"):
        for formula in shown:
            st.latex(formula.latex)
        for column, sentence in zip(st.columns(2, gap="medium"), known.notes, strict=True):
            with column:
                small_print(sentence, "of-scheme")
        with st.container(key="positions_symbols"), st.expander("What the symbols mean", opened):
            # All of it was written by us, so none is taken letter for letter.
            st.markdown("\n".join(f"- ${latex}$ {words}" for latex, words in symbols.items()))
            small_print(" · ".join(dict.fromkeys(formula.source for formula in shown)), "of-source")


def _formula(scheme: str, version: str, causal: bool) -> Formula:
    if scheme == "alibi" and not causal:
        from core.positions.alibi import FORMULA_BOTH_SIDES

        return FORMULA_BOTH_SIDES
    return formula_of(version) if scheme == "deberta" else SCHEMES[scheme].formula
