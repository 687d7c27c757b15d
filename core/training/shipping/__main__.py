"""python -m core.training.shipping NAME --from FOLDER --data PATH, or --spread STEM: ship a trained model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from core.errors import HeadlightError
from core.training.progress import without_bars
from core.training.shipping.names import SHIPMENTS
from core.training.shipping.sentiment import spread
from core.training.shipping.ship import Inputs, ship

WEIGHTS = Path("core/zoo/weights")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 when the model or its card is written, 1 after a sentence about why not."""
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        if given.spread:
            print(spread(given.spread, given.out))
            return 0
        if not (given.name and given.trained and given.data):
            parser.error("give NAME, --from and --data, or --spread STEM")
        inputs = Inputs(given.trained, given.data, given.gold, given.alibi)
        with without_bars():
            card = ship(given.name, inputs, given.out, lambda line: print(line, flush=True))
        print(card.line)
    except HeadlightError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m core.training.shipping",
        description="Write a trained model in 16 bits, with its scores and its card, into the shipped ones.",
        epilog=f"NAME is one of {', '.join(SHIPMENTS)}.",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="what it ships as")
    parser.add_argument("--from", dest="trained", type=Path, help="the folder that the training wrote")
    parser.add_argument("--data", type=Path, help="the data that it was trained on")
    parser.add_argument("--gold", type=Path, help="pairs with word links: source, tab, target, tab, links")
    parser.add_argument("--alibi", type=Path, help="folder of the ALIBI alignments, English and French")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help=f"where the models go, {WEIGHTS} when left out")
    parser.add_argument("--spread", metavar="STEM", help="write the spread over the seeds STEM-0 … into their cards")
    return parser


if __name__ == "__main__":
    sys.exit(main())
