"""The form of a missing config: guesses with reasons, dimensions that can be changed, and how well they fit."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.errors import HeadlightError
from core.models.guessing import Question
from core.ui.models.architecture.config_by_hand import typed_config, typed_guess
from core.ui.models.architecture.fields import parsed_value
from core.ui.models.architecture.fit import share_words
from core.ui.models.architecture.fit_box import fit
from core.ui.models.architecture.form import ONLY_LIKE, ONLY_LIKE_WORDS, UNLIKE
from core.ui.models.architecture.guess_json import guess_of
from core.ui.models.architecture.heads import BY_HAND, IS_GUESSED, assumed_as
from tests.models.preparing.linear_gpt2 import nanogpt, save_as_nanogpt_does
from tests.ui.models.forms import Forms, bert, candidate, draw

FITS = "Every tensor of the file has a place in it; nothing is left and nothing is missing."
ARCHITECTURE = "Architecture, the best guess first"


def test_the_best_guess_is_taken_with_its_dimensions_and_its_reason():
    forms = Forms(candidate("config"))
    config = forms.chosen.config
    assert (config["model_type"], config["architectures"]) == ("bert", ["BertForMaskedLM"])
    assert (config["hidden_size"], config["num_hidden_layers"], config["vocab_size"]) == (64, 2, 100)
    assert FITS in forms.sentences
    radio = forms.field("radio", ARCHITECTURE)
    assert radio.options[0] == r"BertForMaskedLM · every tensor fits"
    assert "embeddings\\.word\\_embeddings\\.weight \\(100\\, 64\\)" in radio.proto.captions[0]
    assert forms.chosen.name == "mine"


def test_a_changed_dimension_tells_at_once_what_is_missing_and_is_kept():
    forms = Forms(candidate("config")).set("number_input", "Layers", 3)
    assert any("16 tensors of the network would be random" in sentence for sentence in forms.sentences)
    assert forms.chosen.config["num_hidden_layers"] == 3
    assert "encoder.layer.2.attention.self.query.weight" in forms.html
    assert forms.run().chosen.config["num_hidden_layers"] == 3


def test_values_that_make_no_network_leave_it_open():
    forms = Forms(candidate("config")).set("number_input", "Width", 63)
    assert forms.chosen is None
    assert any(sentence.startswith("No network can be built") for sentence in forms.sentences)
    assert "Before it can be opened, choose the architecture above." in forms.sentences


def test_more_layers_than_tensors_are_refused_before_anything_is_built():
    forms = Forms(candidate("config")).set("number_input", "Layers", 900_000)
    assert forms.chosen is None
    assert "900,000 layers are more than 44 tensors can fill: write fewer." in forms.sentences


@pytest.mark.parametrize(
    ("typed", "value"),
    [("12", 12), ("1,024", 1_024), ("none", None), ("<b>many", ...), ("0", ...), ("-3", ...), ("1.5", ...), ("", ...)],
)
def test_a_typed_value_is_an_option_or_a_number_above_zero(typed: str, value: object):
    question = Question("sliding_window", 4_096, (None, 4_096), "")
    found, is_value = parsed_value(typed, question, 4_096)
    assert is_value == (value is not ...)
    assert not is_value or found == value


def test_a_question_is_answered_with_one_of_its_usual_values():
    forms = Forms(candidate("config")).set("selectbox", "Heads", "4")
    assert forms.chosen.config["num_attention_heads"] == 4


def test_a_number_of_heads_that_was_guessed_or_chosen_is_told_to_everybody_who_sees_a_map():
    forms = Forms(candidate("config"))
    assert forms.chosen.assumed == ("1 head, guessed",)
    assert IS_GUESSED in forms.sentences
    forms.set("selectbox", "Heads", "4")
    assert forms.chosen.assumed == ("4 heads, chosen",)
    assert IS_GUESSED not in forms.sentences


def test_heads_that_somebody_wrote_are_said_to_be_so_and_those_of_the_files_own_config_are_no_assumption():
    config = {"encoder_attention_heads": 8, "decoder_attention_heads": 1, "d_model": 64}
    written = assumed_as(BY_HAND, config, {"encoder_attention_heads": 8})
    assert written == ("1 decoder head, written by hand",)


def test_what_training_left_beside_the_tensors_answers_and_is_quoted(tmp_path: Path):
    held = {"state_dict": {"a": torch.zeros(1)}, "hyper_parameters": {"num_attention_heads": 4, "lr": 0.1}}
    torch.save(held, tmp_path / "last.ckpt")
    forms = Forms(candidate("config", weights=(tmp_path / "last.ckpt",)))
    assert forms.chosen.config["num_attention_heads"] == 4
    assert forms.chosen.assumed == ("4 heads, as the file says",)
    assert "The file says num_attention_heads 4 under hyper_parameters." in forms.html


def test_another_head_leaves_its_tensors_out_and_a_classifier_gets_labels():
    forms = Forms(candidate("config")).set("selectbox", "Head", "BertForSequenceClassification")
    assert forms.chosen.config["architectures"] == ["BertForSequenceClassification"]
    assert forms.chosen.config["num_labels"] == 2
    assert any("in the file would be left out" in sentence for sentence in forms.sentences)


def test_a_config_without_model_type_answers_what_tensors_do_not_tell(tmp_path: Path):
    said = {"num_attention_heads": 8, "hidden_act": "relu", "id2label": {"0": "no"}, "auto_map": {"AutoModel": "x.X"}}
    (tmp_path / "config.json").write_text(json.dumps(said))
    forms = Forms(candidate("model_type", config=tmp_path / "config.json"))
    config = forms.chosen.config
    assert forms.chosen.assumed == ()
    assert (config["num_attention_heads"], config["hidden_act"], config["id2label"]) == (8, "relu", {"0": "no"})
    assert config["model_type"] == "bert"
    assert "auto_map" not in config


def test_a_head_that_the_files_lack_may_be_left_away(tmp_path: Path):
    said = {"model_type": "bert", "architectures": ["BertForSequenceClassification"], "hidden_size": 64}
    (tmp_path / "config.json").write_text(json.dumps(said))
    forms = Forms(candidate("head", config=tmp_path / "config.json"))
    assert forms.chosen.config is None
    assert forms.sentences == ["No tensor belongs to its head."]
    forms.set("selectbox", "Head", "BertModel")
    assert forms.chosen.config == said | {"architectures": ["BertModel"]}


def test_tensors_of_no_known_architecture_ask_for_the_menu_or_the_config():
    forms = Forms(candidate("config", tensors={"one.weight": (3, 4)}))
    assert forms.chosen is None
    assert forms.sentences[0].startswith("No architecture that can be told by names and shapes")
    assert "HEADLIGHT_PLUGINS" in forms.sentences[0]
    forms.set("selectbox", "Architecture", "gpt2")
    assert forms.field("number_input", "Width").value == 768
    assert forms.chosen is None


def test_what_only_its_own_code_can_run_says_so_and_the_menu_refers_to_it():
    attention = {"in_proj_weight": (192, 64), "in_proj_bias": (192,), "out_proj.weight": (64, 64)}
    tensors = {f"encoder.layers.0.self_attn.{name}": shape for name, shape in attention.items()}
    forms = Forms(candidate("config", tensors=tensors))
    assert "nn.MultiheadAttention" in forms.sentences[0]
    forms.set("radio", ARCHITECTURE, "menu").set("selectbox", "Architecture", "gpt2")
    assert UNLIKE in forms.sentences
    assert forms.chosen is None


def test_a_checkpoint_of_nanogpt_is_gpt2_with_the_heads_that_it_says_and_not_what_only_has_its_shapes(tmp_path: Path):
    network = nanogpt(bias=False)
    save_as_nanogpt_does(network, tmp_path / "ckpt.pt", bias=False)
    tensors = {f"_orig_mod.{name}": tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    forms = Forms(candidate("config", tensors=tensors, weights=(tmp_path / "ckpt.pt",)))
    radio = forms.field("radio", ARCHITECTURE)
    assert radio.options[0] == r"GPT2LMHeadModel · every tensor fits"
    assert "nanoGPT's" in radio.proto.captions[0].replace("\\", "")
    assert forms.sentences == [FITS]
    assert (forms.chosen.config["n_head"], forms.chosen.config["activation_function"]) == (4, "gelu")
    assert forms.chosen.assumed == ("4 heads, as the file says",)
    assert "The file says n_head 4 under model_args." in forms.html
    forms.set("radio", ARCHITECTURE, "menu").set("selectbox", "Architecture", ONLY_LIKE)
    assert ONLY_LIKE_WORDS in forms.sentences
    assert all(words in ONLY_LIKE_WORDS for words in ("nanoGPT choose gpt2", f"{ONLY_LIKE} bring its own config.json"))
    assert forms.chosen is None


def test_values_that_nobody_knows_are_kept_for_the_report_until_somebody_sets_them(tmp_path: Path):
    forms = Forms(candidate("config"))
    assert forms.chosen.taken == {"layer_norm_eps": 1e-12, "hidden_act": "gelu"}
    assert not set(forms.chosen.taken) - set(forms.chosen.config)
    forms.set("selectbox", "Activation", "relu")
    assert forms.chosen.taken == {"layer_norm_eps": 1e-12}
    forms.set("radio", ARCHITECTURE, "hand")
    assert forms.chosen.taken == {"layer_norm_eps": 1e-12, "hidden_act": "gelu"}
    forms.set("text_area", "config.json", json.dumps(forms.chosen.config | {"layer_norm_eps": 1e-6}))
    assert forms.chosen.taken == {}
    forms.set("radio", ARCHITECTURE, "menu").set("selectbox", "Architecture", "bert")
    assert forms.chosen is None or forms.chosen.taken == {}
    (tmp_path / "config.json").write_text(json.dumps({"hidden_act": "gelu"}))
    forms = Forms(candidate("model_type", config=tmp_path / "config.json"))
    assert forms.chosen.taken == {"layer_norm_eps": 1e-12}


def test_a_known_architecture_from_the_menu_opens_once_its_sizes_are_those_of_the_file():
    forms = Forms(candidate("config")).set("radio", ARCHITECTURE, "menu").set("selectbox", "Architecture", "bert")
    sizes = {"Vocabulary": 100, "Width": 64, "Layers": 2, "Heads": 2, "Feed-forward": 128, "Positions": 64}
    for label, size in sizes.items():
        forms.field("number_input", label).set_value(size)
    forms.run()
    assert forms.chosen.config["intermediate_size"] == 128
    assert forms.chosen.assumed == ("2 heads, chosen",)
    assert any("would be left out" in sentence for sentence in forms.sentences)


def test_answers_are_forgotten_with_another_upload_and_only_then():
    app = AppTest.from_function(draw, args=(candidate("config"), "form"), default_timeout=120).run()
    next(field for field in app.number_input if field.label == "Layers").set_value(3).run()
    other = {name: shape for name, shape in bert().items() if "layer.1." not in name}
    app.args = (candidate("config", tensors=other), "form")
    app.run()
    app.args = (candidate("config"), "form")
    app.run()
    assert app.session_state.chosen.config["num_hidden_layers"] == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "This is not JSON (line 1, column 2)"),
        ("[]", "is an object, in braces"),
        ('{"a": ' * 40 + "1" + "}" * 40, "nested too deep"),
        ("[" * 900 + "]" * 900, "nested too deep"),
        ("[" * 60_000, "nested too deep"),
        ('{"model_type": "bert", "model_type": "gpt2"}', "a name stands twice"),
        ('{"model_type": NaN}', "NaN is no number"),
        ('{"model_type": "b<\u202e>"}', "“b<\\u202e>” for model_type"),
        ('{"model_type": "bert", "architectures": ["os.system"]}', "must be a list of one of BertModel"),
        ('{"model_type": "bert", "hidden_size": "64"}', "no whole number"),
        ('{"model_type": "bert", "hidden_size": -1}', "at least 1"),
        ('{"model_type": "bert", "num_hidden_layers": 1000000}', "at most 10,000"),
        ('{"a": "' + "x" * 64_000 + '"}', "at most 64,000 characters"),
    ],
)
def test_a_typed_config_is_refused_with_what_is_wrong(text: str, said: str):
    with pytest.raises(HeadlightError) as refused:
        typed_config(text)
    assert said in str(refused.value)


def test_a_share_of_less_than_all_is_never_a_hundred_percent():
    assert share_words(0.9999) == "99 % of the tensors"
    assert share_words(1) == "Every tensor"


def test_what_runs_in_the_box_measures_a_typed_config_and_answers_in_json():
    config = typed_config(json.dumps(Forms(candidate("config")).chosen.config))
    argument = {"tensors": bert(), "guess": asdict(typed_guess(config)), "answers": {}}
    found = json.loads(json.dumps(fit(json.loads(json.dumps(argument)))))
    assert guess_of(found).share == 1
    assert fit(argument | {"answers": {"hidden_size": 63}}) is None
