"""Sweep over every config type of the library: a tiny random model of each is saved, opened and run.

Its maps are those of the library's eager path, or it is refused by one sentence that names the cause; `Swept.fault`
holds anything else. Run as a program, it writes the table of `.github/sweep.md`.
"""

from __future__ import annotations

import copy
import signal
import string
import sys
from collections.abc import Iterable, Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
import transformers
from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from transformers import CONFIG_MAPPING, PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerFast

from core import load
from core.capture import path_of, record
from core.errors import HeadlightError
from core.models.estimate import sketch
from core.models.model import Model
from core.models.opening.heads import base_class_of
from tests.architectures import ARCHITECTURES, EAGER, PRODUCT, Architecture, sizes_of
from tests.parity import eager_maps, largest_difference
from tests.tiny import sharpen

KINDS = tuple(CONFIG_MAPPING.keys())
TABLE = Path(__file__).parents[1] / ".github" / "sweep.md"
TEXT, TARGET = "The cat sat on the mat.", "the dog chased the cat"
MOST_PARAMETERS, SECONDS = 30_000_000, 60
TOLERANCE = 1e-5
_VOCABULARY = {piece: at for at, piece in enumerate(("<pad>", "<s>", "</s>", "<unk>", " ", ".", *string.ascii_letters))}
_HEADING = """# Every type of config that transformers has

`python -m tests.sweep` builds a tiny random model of each, with the class that `AutoModel` takes, saves it with a
tokenizer, opens it with `core.load` and runs a text: every map is drawn and compared with the library's eager path (or
with A·V = O of the run where the library gives no maps), or the model is refused by a sentence that names the cause."""
_HEADER = ("| type | class | drawn: path, compared with, largest difference | refused |", "| --- | --- | --- | --- |")
_FULL = {"num_key_value_heads": 4}
_HYBRID = _FULL | {"layer_types": ["linear_attention", "full_attention"] * 2}
_ROTARY = {"rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [1, 1, 1, 1]}}
# Sizes that must fit each other where those of `SIZES` do not, and what a default config leaves out.
_FITTING: dict[str, dict[str, Any]] = {
    "axk1": _FULL, "axk2": _FULL, "glm_moe_dsa": _FULL, "longcat_flash": _FULL, "mistral_large4_text": _FULL,
    "sarvam_mla": _FULL, "youtu": _FULL, "kimi_k25": {"text_config": _FULL}, "mistral_large4": {"text_config": _FULL},
    "unlimited_ocr": {"text_config": _FULL}, "bailing_hybrid": _HYBRID, "kimi_linear": _HYBRID,
    "dory": {"n_input_layers": 1, "n_output_layers": 1}, "hunyuan_vl": {"text_config": _ROTARY},
    "hunyuan_vl_text": _ROTARY, "layoutlmv3": {"coordinate_size": 6, "shape_size": 4}, "lilt": {"hidden_size": 48},
    "mistral4": _FULL | {"head_dim": 16}, "qwen2_5_omni_thinker": {"vision_start_token_id": 3},
    "qwen3_omni_moe_thinker": {"vision_start_token_id": 3},
}  # fmt: skip
_SECTIONED = (
    "glm4v",
    "glm46v",
    "glm_image",
    "glm_ocr",
    "glmga",
    "paddleocr_vl",
    "qwen2_5_omni",
    "qwen2_5_vl",
    "qwen2_vl",
)
_OWN = {architecture.kind: architecture for architecture in ARCHITECTURES}
# LiLT's maps are those of its text alone; of a text without an image PaliGemma's eager path is causal, and sdpa not.
_OWN |= {kind: Architecture(kind, truth=PRODUCT) for kind in ("lilt", "paligemma")}


@dataclass(frozen=True)
class Swept:
    """What became of one type as one class: one of these is not empty.

    drawn    path, what it was compared with and the largest difference
    refused  the sentence
    unbuilt  why there is no tiny model of it
    fault    an error that nobody foresaw, or a difference that is too large
    """

    kind: str
    named: str
    drawn: str = ""
    refused: str = ""
    unbuilt: str = ""
    fault: str = ""


def swept(kind: str, model_class: type[PreTrainedModel] | None = None) -> Swept:
    """Build, save, open and run one type; as its class without a head where none is given."""
    named = model_class.__name__ if model_class else ""
    try:
        with _bounded():
            network = built(kind, model_class)
            named = type(network).__name__
    except Exception as error:  # whatever a default config or the library lacks, the table says it
        return Swept(kind, named, unbuilt=_told(error))
    try:
        with _bounded(), TemporaryDirectory() as folder, chdir(folder):
            save(network, Path(kind))
            model = load(f"./{kind}", device="cpu")
            return Swept(kind, named, drawn=_compared(kind, model))
    except HeadlightError as error:
        # What only words an error of a library is a fault: the sentence cannot know the cause.
        if error.__cause__ is None or type(error.__cause__) is HeadlightError:
            return Swept(kind, named, refused=str(error).removeprefix("./"))
        return Swept(kind, named, fault=f"{error} [{_told(error.__cause__)}]")
    except Exception as error:  # a fault of any kind is a row of the table, and fails the test
        return Swept(kind, named, fault=_told(error))


def built(kind: str, model_class: type[PreTrainedModel] | None = None) -> PreTrainedModel:
    """A tiny random network of a type. Raises whatever the library raises where there is none."""
    config = _tiny_config(kind)
    model_class = model_class or base_class_of(config)
    if model_class is None:
        raise LookupError("transformers has no AutoModel class for it")
    count = sum(weight.numel() for weight in sketch(model_class, config).parameters())
    if count > MOST_PARAMETERS:
        raise LookupError(f"its smallest has {count:,} weights")
    torch.manual_seed(0)  # of what is no matrix, which stays as it was drawn
    network = model_class(config)
    sharpen(network)
    return network.eval().requires_grad_(False)


def _tiny_config(kind: str) -> Any:
    """The smallest of three that is one: small in all parts, small at the top, as the library has it."""
    config_class: Any = CONFIG_MAPPING[kind]
    own = _OWN.get(kind, Architecture(kind)).changes | _FITTING.get(kind, {})
    given: dict[str, Any] = {}
    for parts in (True, False):
        sizes = _merged(sizes_of(config_class(), parts), own)
        given = {name: size for name, size in sizes.items() if size is not ...}
        try:
            config = config_class(**given)
            _fit_sections(config)
            base = base_class_of(config)
            if base is not None:
                sketch(base, config)
            return config
        except Exception:  # sizes that contradict one another end in errors of all kinds
            continue
    return config_class()


def _merged(sizes: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Sizes with those of a type's own in their place, in the configs inside it too."""
    both = {name for name in own if isinstance(own[name], dict) and isinstance(sizes.get(name), dict)}
    return sizes | own | {name: _merged(sizes[name], own[name]) for name in both}


def _fit_sections(config: Any) -> None:
    """Let the sections of rotary angles in several dimensions sum to half of what is turned of a head.

    A config that says none has a default of its model's, which fits large heads alone.
    """
    for part in (config, *(value for value in vars(config).values() if isinstance(value, PreTrainedConfig))):
        rotary = getattr(part, "rope_parameters", None)
        said = isinstance(rotary, dict) and len(rotary.get("mrope_section") or ()) == 3
        if said or (rotary is not None and part.model_type.startswith(_SECTIONED)):
            width = getattr(part, "head_dim", None) or part.hidden_size // part.num_attention_heads
            half = int(width * rotary.get("partial_rotary_factor", 1)) // 2
            rotary["mrope_section"] = [half - 2 * (half // 3), half // 3, half // 3]


def save(network: PreTrainedModel, folder: Path) -> None:
    """Write a network with a tokenizer of characters as a folder."""
    if network.config.is_encoder_decoder and getattr(network.config, "decoder_start_token_id", None) is None:
        network.config.decoder_start_token_id = 1
    network.save_pretrained(folder)
    characters = Tokenizer(models.WordLevel(_VOCABULARY, unk_token="<unk>"))
    characters.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    PreTrainedTokenizerFast(tokenizer_object=characters).save_pretrained(folder)


@torch.no_grad()
def _compared(kind: str, model: Model) -> str:
    """Draw every map of a run, and compare each with the library's own."""
    answers = model.card.answers
    reading = model.read(TEXT, target=TARGET if answers else None)
    trace = model.run_reading(reading)
    if not trace.streams:
        return "no attention"
    for stream in trace.streams:
        for layer in range(trace.layers(stream)):
            trace.attention(layer, stream=stream)
    architecture = _OWN.get(kind, Architecture(kind))
    given = model.inputs(reading)
    config = copy.deepcopy(model.network.config)
    eager = type(model.network)._from_config(config, attn_implementation="eager").eval()
    eager.load_state_dict(model.network.state_dict())
    maps = {} if architecture.truth == PRODUCT else eager_maps(eager, given, architecture.truth)
    with record(model.network) as recording:
        model.network(**given)
    path = path_of(model.network)
    if not all(maps.get(call.stream) for call in recording.calls):
        return f"{path}: A·V = O, {max(check.error for check in trace.provenance.checks):.0e}"
    rows = {"attention_mask": torch.ones_like(given["input_ids"])} | given
    difference = max(largest_difference(kind, call, maps[call.stream], rows) for call in recording.calls)
    if difference > TOLERANCE:
        raise AssertionError(f"the largest difference from eager is {difference:.0e}")
    return f"{path}: {'eager' if architecture.truth == EAGER else architecture.truth}, {difference:.0e}"


@contextmanager
def _bounded() -> Iterator[None]:
    """An end to a block that takes too long."""

    def end(*_: Any) -> None:
        raise TimeoutError(f"more than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _told(error: BaseException | None) -> str:
    first = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {first}"[:200]


def table(rows: Iterable[Swept]) -> str:
    """The rows as Markdown, below a count of each outcome."""
    rows = list(rows)
    outcomes = {
        "drawn": [row for row in rows if row.drawn],
        "refused": [row for row in rows if row.refused],
        "not built": [row for row in rows if row.unbuilt],
        "faults": [row for row in rows if row.fault],
    }
    counts = ", ".join(f"{len(found)} {outcome}" for outcome, found in outcomes.items())
    lines = (
        f"| {row.kind} | {row.named} | {row.drawn} | {_cell(row)} |" for found in outcomes.values() for row in found
    )
    return "\n".join((f"{_HEADING}\n\n{counts}.\n", *_HEADER, *lines, ""))


def _cell(row: Swept) -> str:
    unlike = (("not built: ", row.unbuilt), ("fault: ", row.fault), ("", row.refused))
    return next((f"{word}{told}".replace("|", "\\|") for word, told in unlike if told), "")


def main(kinds: list[str]) -> None:
    """Sweep the types that are named and print what became of them; of all, write the table."""
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    rows = []
    for kind in kinds or KINDS:
        rows.append(swept(kind))
        print(rows[-1], flush=True)
    if not kinds:
        TABLE.write_text(table(rows), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
