import json
from dataclasses import replace
from pathlib import Path

import pytest
import tokenizers
from transformers import AutoModelForMaskedLM, BertModel

from core import load
from core.models.opening.heads import base_class_of, taken_by
from core.models.opening.prepared import assumed_in, notes_in, taken_in
from core.models.reporting.report import LoadReport, ReportLine
from tests.sentences import is_one_sentence
from tests.tiny import save_model, tiny_config


@pytest.fixture(scope="module")
def report(gpt2_folder: Path) -> LoadReport:
    return load(str(gpt2_folder)).report


def said(report: LoadReport, severity: str) -> str:
    return " ".join(line.sentence for line in report.lines() if line.severity == severity)


def test_a_whole_model_has_nothing_to_warn_of(report: LoadReport) -> None:
    assert {line.severity for line in report.lines()} == {"info"}
    assert f"{report.loaded} tensors were loaded, all that the model has." in said(report, "info")
    assert f"{report.parameters:,} parameters take" in said(report, "info")
    assert "in float32" in said(report, "info")
    assert "tokenizer" in said(report, "info")


def test_each_line_is_a_sentence_and_the_gravest_comes_first(report: LoadReport) -> None:
    worst = replace(
        report,
        missing=("a.weight", "head.bias"),
        mismatched=("b.weight",),
        random_body=("a.weight", "b.weight"),
        unexpected=("c", "d", "e", "f"),
        cast=(("bfloat16", "float32", 1), ("float16", "float32", 2)),
        prefix="module.",
        pickled=True,
        tokenizer_size=report.embedding_rows + 1,
        insisted=True,
        probe="the wrapped sdpa function",
        quantised="int8",
        adapted=3,
        notes=("Its config was guessed.",),
    )
    lines = worst.lines()
    assert all(is_one_sentence(line.sentence) for line in lines)
    assert all(is_one_sentence(line.remedy) for line in lines if line.remedy)
    assert all(line.remedy for line in lines if line.severity != "info")
    severities = [line.severity for line in lines]
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    lost = "2 tensors of the layers are not in the files or misshaped there (a.weight, b.weight)"
    assert lost in said(worst, "error")
    for part in ("head.bias", "b.weight", "module.", "some tokens cannot be read"):
        assert part in said(worst, "warning")
    for part in (
        "4 tensors in the files are left out (c, d, e, …)",
        "1 tensor was cast from bfloat16",
        "pickle",
        "wrapped sdpa",
    ):
        assert part in said(worst, "info")


def test_tied_tensors_are_counted_once(report: LoadReport, gpt2_folder: Path) -> None:
    network = load(str(gpt2_folder)).network
    assert len(network.state_dict()) == report.loaded + 1  # the head is the embedding


def test_a_tokenizer_smaller_than_the_embedding_is_no_warning(report: LoadReport) -> None:
    assert "warning" not in {line.severity for line in replace(report, tokenizer_size=5).lines()}


def line(report: LoadReport, word: str) -> ReportLine:
    """The one line whose sentence holds a word."""
    (found,) = (line for line in report.lines() if word in line.sentence)
    return found


def test_layers_that_are_missing_are_those_of_other_files(report: LoadReport) -> None:
    worse = replace(report, missing=("a.weight",), random_body=("a.weight",))
    assert "These files are of another model or were saved in part" in line(worse, "of the layers").remedy


def test_a_random_head_is_fine_for_attention(report: LoadReport) -> None:
    worse = replace(report, missing=("score.weight",))
    assert line(worse, "the maps are not").remedy.startswith("Fine for attention, and the answer means nothing")


@pytest.mark.parametrize(
    ("name", "wanted", "stored", "word"),
    [
        ("word_embeddings.weight", (30_522, 384), (28_996, 384), "Set vocab_size in its config.json to 28,996"),
        ("transformer.wpe.weight", (512, 32), (1_024, 32), "Set the number of positions in its config.json to 1,024"),
        ("classifier.weight", (2, 32), (5, 32), "says 2 labels and the files have 5: set num_labels"),
        ("bert.embeddings.word_embeddings.weight", (96, 32), (96, 64), "The config.json is that of another model"),
        ("encoder.layer.0.dense.weight", (32, 32), (64, 32), "The config.json is that of another model"),
    ],
)  # fmt: skip
def test_other_shapes_are_told_with_the_value_that_is_wrong(
    report: LoadReport, name: str, wanted: tuple[int, ...], stored: tuple[int, ...], word: str
) -> None:
    worse = line(replace(report, mismatched=(name,), shapes=((wanted, stored),)), "of another shape")
    assert f"{name} is {stored} there and {wanted} in the config" in worse.sentence
    assert word in worse.remedy


@pytest.mark.parametrize(
    ("names", "word"),
    [
        (("cls.predictions.bias", "bert.pooler.dense.bias"), "BertForMaskedLM"),
        (("cls.predictions.bias", "cls.seq_relationship.bias"), "BertForPreTraining"),
        (("classifier.weight",), "BertForSequenceClassification"),
        (("qa_outputs.weight",), "BertForQuestionAnswering"),
        (("bert.embeddings.position_ids",), "are made anew"),
        (("optimizer.exp_avg", "epoch.loss"), "state of a training run"),
        (("bert.pooler.dense.bias",), "pool the last layer"),
        (("bert.encoder.layer.0.query.lora_A.weight",), "belong to an adapter"),
        (("odd\u202ename",), "Check that BertModel is the class of these files"),
    ],
)
def test_tensors_that_are_left_out_are_explained_by_their_names(
    report: LoadReport, names: tuple[str, ...], word: str
) -> None:
    found = line(replace(report, architecture="BertModel", unexpected=names), "left out")
    assert word in found.remedy
    assert "\u202e" not in found.sentence


@pytest.mark.parametrize(
    ("architecture", "name", "expected"),
    [
        ("GPT2Model", "lm_head.weight", "GPT2LMHeadModel"),
        ("LlamaModel", "lm_head.weight", "LlamaForCausalLM"),
        ("LlamaModel", "score.weight", "LlamaForSequenceClassification"),
        ("RobertaModel", "lm_head.dense.weight", "RobertaForMaskedLM"),
        ("T5EncoderModel", "lm_head.weight", "T5ForConditionalGeneration"),
        ("DistilBertModel", "vocab_projector.bias", "DistilBertForMaskedLM"),
        ("BertForMaskedLM", "classifier.weight", "BertForSequenceClassification"),
        ("BertModel", "nothing.known", ""),
        ("no class", "lm_head.weight", ""),
    ],
)
def test_heads_are_known_by_the_names_of_their_tensors(architecture: str, name: str, expected: str) -> None:
    assert taken_by(architecture, [name]) == expected


def test_the_base_of_a_family_is_its_class_without_a_head() -> None:
    assert base_class_of(tiny_config("bert")) is BertModel


def test_a_head_that_the_class_lacks_is_named_with_the_class_that_has_it(
    tmp_path: Path, byte_level: tokenizers.Tokenizer
) -> None:
    save_model(tmp_path, "bert", AutoModelForMaskedLM, byte_level)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"architectures": ["BertModel"]}))
    report = load(str(tmp_path)).report
    assert "BertForMaskedLM" in line(report, "left out").remedy


def test_only_a_cast_that_loses_something_has_a_remedy(report: LoadReport) -> None:
    both = replace(report, cast=(("float32", "bfloat16", 3), ("bfloat16", "float32", 3)))
    assert "float32" in line(both, "from float32").remedy
    assert line(both, "from bfloat16").remedy == ""


def test_notes_beside_the_config_are_told(gpt2_folder: Path, tmp_path: Path) -> None:
    for file in gpt2_folder.iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "prepared.json").write_text(json.dumps({"way": "pickle", "notes": ["It was a pickle."]}))
    assert line(load(str(tmp_path)).report, "It was a pickle.").severity == "info"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("{", ()),
        ("[]", ()),
        ('{"notes": 3}', ()),
        ('{"notes": [3, "", null, "a\\nb\\u202e"]}', ("a b ",)),
        ("[" * 100_000, ()),
        ('{"notes": ["' + "x" * 100_000 + '"]}', ()),
        (json.dumps({"notes": ["x" * 500]}), ("x" * 399 + "…",)),
        (json.dumps({"notes": ["x"] * 500}), ("x",) * 20),
    ],
)
def test_notes_are_bounded(tmp_path: Path, content: str, expected: tuple[str, ...]) -> None:
    (tmp_path / "prepared.json").write_text(content)
    assert notes_in(tmp_path) == expected


def test_what_was_guessed_of_the_network_stands_in_the_report_and_beside_figures(
    gpt2_folder: Path, tmp_path: Path
) -> None:
    for file in gpt2_folder.iterdir():
        (tmp_path / file.name).symlink_to(file)
    guessed = ["2 heads, guessed", "rope_theta 10000, guessed"]
    (tmp_path / "prepared.json").write_text(json.dumps({"way": "pickle", "assumed": guessed}))
    model = load(str(tmp_path))
    assert model.report.assumed == tuple(guessed)
    assert model.report.remark == "2 heads, guessed, rope_theta 10000, guessed"
    assert model.run("a b").provenance.remark == model.report.remark
    heads = line(model.report, "The number of heads, 2, was guessed: tensors do not tell it, and every map")
    assert (heads.severity, "Open it differently" in heads.remedy) == ("warning", True)
    assert line(model.report, "“rope_theta 10000” was guessed").severity == "warning"
    assert all(is_one_sentence(each) for one in model.report.lines() for each in (one.sentence, one.remedy) if each)


def test_what_was_guessed_is_bounded(tmp_path: Path) -> None:
    (tmp_path / "prepared.json").write_text(json.dumps({"assumed": ["x" * 99, 3, "a\u202eb", *["y"] * 99]}))
    assert assumed_in(tmp_path) == ("x" * 79 + "…", "a b", "y", "y", "y")


def test_a_pooler_that_is_missing_alone_is_no_random_answer(report: LoadReport) -> None:
    lost = replace(report, missing=("pooler.dense.bias", "pooler.dense.weight"))
    alone = line(replace(lost, architecture="BertModel"), "of the pooler are not in the files")
    assert (alone.severity, is_one_sentence(alone.sentence)) == ("info", True)
    assert line(replace(lost, architecture="BertForSequenceClassification"), "answer is random").severity == "warning"
    both = replace(lost, missing=("classifier.weight", *lost.missing), architecture="BertModel")
    assert line(both, "answer is random").severity == "warning"


def test_remedies_for_heads_hold_on_the_page_and_in_a_notebook(report: LoadReport) -> None:
    for architecture, left in (("BertModel", ("classifier.weight",)), ("BertForMaskedLM", ())):
        worse = replace(report, missing=("head.weight",), unexpected=left, architecture=architecture)
        remedy = line(worse, "the maps are not").remedy
        assert "menu Head of “Open it differently” on the Models page" in remedy
        assert "config.json" in remedy


@pytest.mark.parametrize(
    ("words", "sentence", "severity"),
    [
        ("1 head, guessed", "The number of heads, 1, was guessed:", "warning"),
        ("8 heads, chosen", "The number of heads, 8, was chosen:", "info"),
        ("2 key-value heads, as the file says", "The number of key-value heads, 2, is as the file says:", "info"),
        ("1,024 heads, written by hand", "The number of heads, 1,024, was written by hand:", "info"),
        ("scaled", "“scaled” was assumed:", "warning"),
        ("2 heads, somehow", "“2 heads, somehow” was assumed:", "warning"),
    ],
)  # fmt: skip
def test_where_an_assumption_comes_from_is_told(report: LoadReport, words: str, sentence: str, severity: str) -> None:
    told = line(replace(report, assumed=(words,)), "every map depends on it")
    assert told.sentence.startswith(sentence)
    assert is_one_sentence(told.sentence)
    assert (told.severity, bool(told.remedy)) == (severity, severity == "warning")


TAKEN = {"rms_norm_eps": 1e-5, "hidden_act": "silu", "rope_theta": 10_000.0, "max_position_embeddings": 4_096}


def test_what_is_no_more_than_usual_in_a_family_is_told_with_what_depends_on_it(
    gpt2_folder: Path, tmp_path: Path
) -> None:
    for file in gpt2_folder.iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "prepared.json").write_text(json.dumps({"way": "pickle", "taken": TAKEN}))
    report = load(str(tmp_path)).report
    assert report.taken == tuple(TAKEN.items())
    assert report.takes_longest
    assert not report.remark
    values, length = line(report, "(rms_norm_eps 1e-05)"), line(report, "4,096 tokens are usual in its family")
    assert "(hidden_act silu) and the base of rotary positions (rope_theta 10,000) are no more than" in values.sentence
    assert "a little with another epsilon of norms, and more with another activation or base of" in values.remedy
    assert (values.severity, length.severity) == ("info", "info")
    assert all("Open it differently" in each.remedy for each in (values, length))
    assert all(is_one_sentence(each) for one in (values, length) for each in (one.sentence, one.remedy))


@pytest.mark.parametrize(
    ("taken", "sentence", "remedy"),
    [
        ({"layer_norm_eps": 1e-12}, "(layer_norm_eps 1e-12) is no more", "a little with another epsilon of norms."),
        ({"tie_word_embeddings": True}, "tie_word_embeddings yes is", "the answer may differ, and maps do not."),
        ({"sliding_window": None, "tie_x": 1}, "sliding_window none and tie_x 1", "differ with another sliding_window"),
        ({"num_hidden_layers": 12}, "num_hidden_layers 12 is", "differ with another num_hidden_layers."),
    ],
)
def test_how_much_maps_depend_on_a_usual_value_is_told(
    report: LoadReport, taken: dict[str, object], sentence: str, remedy: str
) -> None:
    told = line(replace(report, taken=tuple(taken.items())), sentence)
    assert remedy in told.remedy
    assert not replace(report, taken=tuple(taken.items())).takes_longest


@pytest.mark.parametrize(
    ("taken", "read"),
    [
        ([1], {}), ("x", {}), ({"": 1, "a\u202e": 1, "b" * 41: 1}, {}), ({"a": [1], "b": {}, "c": 1 << 60}, {}),
        ({"a": "x" * 41, "b": "\n"}, {}), ({f"k{n}": n for n in range(99)}, {f"k{n}": n for n in range(12)}),
        ({"a": 1.5, "b": False, "c": None, "d": "gelu"}, {"a": 1.5, "b": False, "c": None, "d": "gelu"}),
    ],
)  # fmt: skip
def test_usual_values_are_bounded(tmp_path: Path, taken: object, read: dict[str, object]) -> None:
    (tmp_path / "prepared.json").write_text(json.dumps({"taken": taken}))
    assert taken_in(tmp_path) == read
