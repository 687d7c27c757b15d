"""python -m core.training RECIPE [--data PATH] --out FOLDER [--set key=value ...] [--resume]: train a model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch

from core.errors import HeadlightError
from core.models.devices import best_device
from core.training.driver import drive
from core.training.progress import without_bars
from core.training.recipes import RECIPES, CommandRecipe
from core.training.values import with_values


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 when the model is written, 1 after a sentence about why not, 130 when interrupted."""
    given = _parser().parse_args(arguments)
    recipe = RECIPES[given.recipe]
    try:
        parts = with_values(recipe.parts, given.set)
        if recipe.needs_data and given.data is None:
            raise HeadlightError(f"{recipe.name} needs --data: {recipe.summary}")
        data = given.data if recipe.needs_data else None
        device = _device(given.device)
        with without_bars():
            drive(recipe, parts, data, given.out, given.resume, device, lambda line: print(line, flush=True))
    except HeadlightError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:  # data files and bases have sentences of their own
        where, why = error.filename or given.out, error.strerror or error
        print(f"{where} cannot be written to ({why}): choose another --out.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"Stopped; go on with --resume --out {given.out}.", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m core.training",
        description="Train a model that opens with core.load and in the app.",
        epilog="\n\n".join(_described(recipe) for recipe in RECIPES.values()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("recipe", choices=list(RECIPES), metavar="RECIPE", help=", ".join(RECIPES))
    parser.add_argument("--data", type=Path, help="file or folder with the examples, plain or gzipped")
    parser.add_argument("--out", type=Path, required=True, help="folder for the model, its logs and checkpoints")
    parser.add_argument("--set", nargs="+", action="extend", default=[], metavar="KEY=VALUE", help="change a value")
    parser.add_argument("--device", help="cpu, cuda:0, mps ...; the best one here when left out")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --out")
    return parser


def _device(asked: str | None) -> str:
    """The device that was asked for, if it is here, or else the best one."""
    if asked is None:
        return best_device()
    try:
        torch.empty(0, device=asked)
    except (RuntimeError, AssertionError) as error:  # the latter where torch was built without that device
        raise HeadlightError(f"The device {asked} is not here: choose another, or leave --device out.") from error
    return asked


def _described(recipe: CommandRecipe) -> str:
    values = " ".join(f"{name}={value}" for part in recipe.parts for name, value in asdict(part).items())
    return f"{recipe.name}: {recipe.summary}\n  {values}"


if __name__ == "__main__":
    sys.exit(main())
