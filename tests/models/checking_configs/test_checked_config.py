from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transformers import CONFIG_MAPPING

from core.errors import HeadlightError
from core.models.checking_configs import checked_config, remarks_on
from tests.architectures import ARCHITECTURES
from tests.examples import examples
from tests.tiny import ONE_STACK, TWO_STACKS, tiny_config

EXAMPLES = examples(60)
WEIGHTS = Path(__file__).parents[3] / "core" / "zoo" / "weights"
BERT = json.loads(tiny_config("bert").to_json_string())


def checked(folder: Path, config: Any) -> dict[str, Any]:
    (folder / "config.json").write_text(config if isinstance(config, str) else json.dumps(config))
    return checked_config("model", folder)


def test_the_configs_of_all_architectures_pass(tmp_path: Path) -> None:
    configs = [architecture.config() for architecture in ARCHITECTURES]
    configs += [tiny_config(kind) for kind in (*ONE_STACK, *TWO_STACKS)]
    for config in configs:
        said = config.to_json_string(use_diff=False)
        assert checked(tmp_path, said) == json.loads(said)


def test_the_shipped_configs_pass() -> None:
    folders = [path.parent for path in WEIGHTS.glob("*/config.json")]
    assert len(folders) > 20
    for folder in folders:
        assert checked_config(folder.name, folder)["model_type"]


HOSTILE: dict[str, tuple[dict[str, Any], str]] = {
    "wide": ({"hidden_size": 10**9}, "“hidden_size” is 1,000,000,000, and at most 131,072 is allowed"),
    "wider": ({"hidden_size": 10**300}, "at most 131,072 is allowed"),
    "deep": ({"num_hidden_layers": 10**6}, "“num_hidden_layers” is 1,000,000, and at most 10,000 is allowed"),
    "negative": ({"intermediate_size": -1}, "“intermediate_size” is -1, and at least 0 is allowed"),
    "zero": ({"num_attention_heads": 0}, "“num_attention_heads” is 0, and at least 1 is allowed"),
    "text": ({"vocab_size": "96"}, "“vocab_size” is “'96'”, and no whole number"),
    "fraction": ({"hidden_size": 32.0}, "“hidden_size” is “32.0”, and no whole number"),
    "true": ({"num_hidden_layers": True}, "“num_hidden_layers” is “True”, and no whole number"),
    "list": ({"num_key_value_heads": [2, "2"]}, "“num_key_value_heads” is “'2'”, and no whole number"),
    "long list": ({"intermediate_size": [1] * 20_000}, "has 20,000 entries and 10,000 are allowed"),
    "labels": ({"num_labels": 10**7}, "“num_labels” is 10,000,000"),
    "labels as a list": ({"id2label": ["a"]}, "“id2label” is “['a']”, and no object"),
    "positions": ({"max_position_embeddings": 10**9}, "at most 100,000,000 is allowed"),
    "experts": ({"num_local_experts": 10**6}, "at most 65,536 is allowed"),
    "architectures": ({"architectures": "BertModel"}, "“architectures” is “'BertModel'”, and no list of names"),
    "dtype": ({"dtype": "evil"}, "“dtype” is “'evil'”, and no format of numbers"),
    "rope": ({"rope_scaling": "linear"}, "“rope_scaling” is “'linear'”, and no object"),
    "rope factor": ({"rope_scaling": {"factor": "x"}}, "“factor” of “rope_scaling” is “'x'”"),
    "kernel": ({"_attn_implementation": "evil/kernel"}, "which would be code from elsewhere"),
    "long name": ({"n_" * 1_000_000: 1}, "has 2,000,000 characters and 200 are allowed"),
    "groups": ({"num_hidden_groups": 10**6}, "“num_hidden_groups” is 1,000,000, and at most 10,000 is allowed"),
    "depths": ({"depths": [10**6]}, "“depths” is 1,000,000, and at most 10,000 is allowed"),
    "endless expression": (
        {"quantization_config": {"quant_method": "bitnet", "modules_to_not_convert": ["(.+.+)+(.+)+$"]}},
        "“(.+.+)+(.+)+$” in “quantization_config” is no plain name of a module",
    ),
    "slow expression": (
        {"quantization_config": {"llm_int8_skip_modules": [".*.*.*x"]}},
        "is no plain name of a module",
    ),
    "expression as a key": ({"quantization_config": {"modules": {"(a+)+$": 1}}}, "is no plain name of a module"),
    "nested": ({"text_config": {"text_config": {}}}, "“text_config” lies within “text_config”"),
    "encoder in encoder": ({"encoder": {"decoder": {"encoder": {}}}}, "“encoder” lies within “encoder”"),
    "too nested": (
        {"a_config": {"b_config": {"c_config": {"d_config": {"e_config": {}}}}}},
        "it nests configs of parts more than 4 deep",
    ),
    "wide within": ({"text_config": {"hidden_size": 10**9}}, "“hidden_size” is 1,000,000,000"),
    "unknown": ({"model_type": "reptile"}, "its model_type “reptile” is none that the installed transformers knows"),
    "unknown as a list": ({"model_type": ["bert"]}, "its model_type is “['bert']”, and no text"),
    "no type": ({"model_type": None}, "it does not say its model_type: choose its architecture on the Models page"),
    "own code": (
        {"model_type": "reptile", "auto_map": {"AutoModel": "evil.Model"}},
        "its model_type “reptile” comes with code of its own (auto_map), which is never run",
    ),
    "hostile name": ({"model_type": "a\n\u202e<b>" + "c" * 4_096}, r"“a\n\u202e<b>ccc"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_config_is_refused_with_a_sentence(tmp_path: Path, what: str) -> None:
    changes, sentence = HOSTILE[what]
    with pytest.raises(HeadlightError) as caught:
        checked(tmp_path, BERT | changes)
    assert sentence in str(caught.value)
    assert str(caught.value).startswith("model: its config.json is not used, because ")
    assert len(str(caught.value)) < 400
    assert "\n" not in str(caught.value)


def test_own_code_of_a_known_architecture_is_remarked_on_and_left_alone(tmp_path: Path) -> None:
    (remark,) = remarks_on(checked(tmp_path, BERT | {"auto_map": {"AutoModel": "own.Model"}}))
    assert "never run" in remark
    assert remarks_on(checked(tmp_path, BERT)) == ()


def test_a_part_may_have_a_part_of_another_kind_by_its_name(tmp_path: Path) -> None:
    inner = {"model_type": "whisper", "audio_config": {"model_type": "clap"}}
    assert checked(tmp_path, BERT | {"audio_config": inner})["audio_config"] == inner


def test_a_large_or_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HeadlightError, match="cannot be read from the disk"):
        checked_config("model", tmp_path)
    with pytest.raises(HeadlightError, match=r"it has 5\.0 MB and 4 MB are allowed"):
        checked(tmp_path, " " * 5_000_000)


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(BERT)), inner, max_size=3),
    max_leaves=6,
)
_KEYS = st.sampled_from([*sorted(BERT), "rope_scaling", "text_config", "encoder", "auto_map", "id2label", "dtype"])


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.dictionaries(_KEYS, _ANYTHING, max_size=3), kind=st.sampled_from(["", *sorted(CONFIG_MAPPING)[:9]]))
def test_a_spoiled_config_passes_or_is_refused(tmp_path: Path, changes: dict[str, Any], kind: str) -> None:
    config = BERT | ({"model_type": kind} if kind else {}) | changes
    try:
        passed = checked(tmp_path, config)
    except HeadlightError:
        return
    assert passed == config


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 700), cut=st.integers(0, 60), put=st.binary(max_size=6))
def test_a_spoiled_file_passes_or_is_refused(tmp_path: Path, place: int, cut: int, put: bytes) -> None:
    text = json.dumps(BERT).encode()
    (tmp_path / "config.json").write_bytes(text[:place] + put + text[place + cut :])
    try:
        config = checked_config("model", tmp_path)
    except HeadlightError:
        return
    assert config["model_type"] in CONFIG_MAPPING
