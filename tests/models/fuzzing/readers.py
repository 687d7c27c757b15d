"""Every reader of what a stranger may send, with good inputs and a way to change them; `keeping` has the promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.models.fuzzing import seeds
from tests.models.fuzzing import texts_and_models as texts
from tests.models.fuzzing import weights_and_archives as files
from tests.models.fuzzing.mutating import mutated, mutated_after_kind, mutated_folder, mutated_safetensors


@dataclass(frozen=True)
class Reader:
    """How a reader is fuzzed.

    seeds   good inputs
    read    reads any bytes in an empty folder, and raises unless all is as it must be
    change  makes others of good inputs
    """

    seeds: Callable[[], tuple[bytes, ...]]
    read: Callable[[bytes, Path], None]
    change: Callable[[bytes, Random], bytes] = mutated


READERS = {
    "safetensors": Reader(seeds.safetensors, files.read_safetensors, mutated_safetensors),
    "headers of safetensors": Reader(seeds.safetensors_headers, files.read_safetensors_header),
    "gguf": Reader(seeds.ggufs, files.read_gguf),
    "torch": Reader(seeds.torch_files, files.read_torch),
    "pickles": Reader(seeds.pickles, files.read_pickle),
    "archives": Reader(seeds.archives, files.read_archive),
    "tars": Reader(lambda: seeds.archives()[2:3], files.read_tar),
    "names in zips": Reader(lambda: tuple(b"\0\0\xa4\x81\3" + path for path in seeds.paths()), files.read_named_zip),
    "paths": Reader(seeds.paths, files.read_path),
    "configs": Reader(seeds.configs, texts.read_config),
    "adapters": Reader(seeds.adapters, texts.read_adapter),
    "tokenizers": Reader(seeds.tokenizers, texts.read_tokenizer, mutated_folder),
    "vocabularies": Reader(seeds.vocabularies, texts.read_vocabulary, mutated_after_kind),
    "sentencepieces": Reader(seeds.sentencepiece_models, texts.read_sentencepieces),
    "expressions": Reader(seeds.expressions, texts.read_expression),
    "shapes": Reader(seeds.shapes, texts.read_shapes),
    "folders": Reader(seeds.folders, texts.read_folder, mutated_folder),
}
