"""Own code: files in the folder of HEADLIGHT_PLUGINS, and the networks that they bring."""

import re
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core import load
from core.errors import HeadlightError
from core.models import catalogue
from core.models.model import Model
from core.models.opening.quantising import Rounded
from core.models.plugging.plugged import opened
from core.models.plugins import Plugin, plugin_called, plugins
from core.saliency import explain
from core.saliency.methods import METHODS
from core.text import word_encoder
from tests.models.own_networks import WORDS, Bag, OneHot, Pooling, Transformer, Translator

README = Path(__file__).parents[2] / "README.md"
HEAD = "from core.models.plugins import Plugin\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of plugins."""
    monkeypatch.setenv("HEADLIGHT_PLUGINS", str(tmp_path))
    return tmp_path


def of(network: Callable[[], nn.Module], **more: object) -> Model:
    """The model of a plugin with this network."""

    def made() -> tuple[nn.Module, object]:
        torch.manual_seed(0)
        return network(), word_encoder(WORDS, unknown="<unk>")

    return opened(Plugin("own", "A network", "MIT", made, file="own.py", **more), "cpu")  # type: ignore[arg-type]


def refused(network: Callable[[], nn.Module], **more: object) -> str:
    with pytest.raises(HeadlightError) as refusal:
        of(network, **more)
    return str(refusal.value)


def example() -> str:
    """The file in the README."""
    section = README.read_text(encoding="utf-8").split("\n## Your own code\n")[1].split("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", section, re.DOTALL)[0]


def test_the_example_of_the_readme_opens_and_its_weights_are_those_of_its_own_softmax(folder: Path) -> None:
    (folder / "mine.py").write_text(example(), encoding="utf-8")
    model = load("my-additive-lstm", device="cpu")
    trace = model.run("the film is warm, funny and not dull")
    assert trace.streams == ("pooling",)
    assert trace.queries().labels == ("[pooled]",)
    network = model.network.module
    with torch.no_grad():
        states, _ = network.lstm(network.embedding(torch.tensor([trace.tokens.ids])))
        expected = network.weights(states, torch.ones(1, len(trace.tokens)))
    assert torch.equal(trace.attention(0)[0], expected)
    assert trace.provenance.checks[0].passed
    assert dict(trace.output.likeliest).keys() == {"negative", "positive"}
    assert model.card.positions == "recurrence"


def test_the_example_is_explained_by_gradients_and_occlusion(folder: Path) -> None:
    (folder / "mine.py").write_text(example(), encoding="utf-8")
    model = load("my-additive-lstm", device="cpu")
    for method in ("attention", "input_x_gradient", "integrated_gradients", "gradient_x_attention", "deletion"):
        assert abs(explain(model, "the warm film is not dull", method).values).max() > 0, method


def test_a_plugin_stands_in_the_catalogue_and_none_without_the_variable(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "mine.py").write_text(example(), encoding="utf-8")
    listing = next(each for each in catalogue() if each.entry.name == "my-additive-lstm")
    assert listing.unavailable is None
    monkeypatch.delenv("HEADLIGHT_PLUGINS")
    assert plugins() == ()
    assert "my-additive-lstm" not in [each.entry.name for each in catalogue()]


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("x = 1", "defines no PLUGIN"),
        ("def (", "SyntaxError in line 1 of bad.py"),
        ("\nopen('/secret/folder/weights.pt')", "FileNotFoundError in line 2 of bad.py"),
        ("raise SystemExit(3)", "SystemExit in line 1"),
        (f"{HEAD}PLUGIN = Plugin('', 's', 'MIT', list)", "the name of its plugin is no text"),
        (f"{HEAD}PLUGIN = Plugin('a/b', 's', 'MIT', list)", "choose another name"),
        (f"{HEAD}PLUGIN = Plugin('a\\u202eb', 's', 'MIT', list)", "choose another name"),
        (f"{HEAD}PLUGIN = Plugin('good', 's', 'MIT', list)", "as one of a_good.py is"),
        (f"{HEAD}PLUGIN = Plugin('all-MiniLM-L6-v2', 's', 'MIT', list)", "as one of the catalogue is"),
        (f"{HEAD}PLUGIN = Plugin('new', 's', 'MIT', 3)", "is no function"),
    ],
)
def test_a_file_that_cannot_be_used_says_why_and_the_others_still_work(folder: Path, code: str, sentence: str) -> None:
    (folder / "a_good.py").write_text(f"{HEAD}PLUGIN = Plugin('good', 's', 'MIT', list)", encoding="utf-8")
    (folder / "bad.py").write_text(code, encoding="utf-8")
    (folder / "_helper.py").write_text("raise ValueError", encoding="utf-8")
    good, bad = plugins()
    assert (good.name, good.unavailable) == ("good", None)
    assert bad.unavailable is not None
    assert sentence in bad.unavailable
    assert "/secret" not in bad.unavailable
    assert str(folder) not in bad.unavailable
    with pytest.raises(HeadlightError, match=re.escape(bad.unavailable)):
        load(bad.name)


def test_a_folder_that_is_not_there_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADLIGHT_PLUGINS", str(folder / "none"))
    (only,) = plugins()
    assert "names no folder" in str(only.unavailable)
    assert str(folder) not in str(only.unavailable)


def test_a_file_that_asks_for_models_while_it_is_run_is_run_once(folder: Path) -> None:
    code = f"{HEAD}from core.models import catalogue\nNAMES = catalogue()\nPLUGIN = Plugin('asks', 's', 'MIT', list)"
    (folder / "asks.py").write_text(code, encoding="utf-8")
    assert plugin_called("asks") is not None


def test_a_transformer_of_ones_own_is_seen_with_its_queries_and_keys() -> None:
    model = of(Transformer)
    trace = model.run("a b c d warm film")
    assert trace.streams == ("self",)
    assert trace.layers() == 2
    for layer in range(2):
        assert torch.equal(trace.attention(layer), model.network.module.layers[layer].seen[0])
    assert trace.masked(0).equal(torch.ones(6, 6, dtype=torch.bool).triu(1))
    detail = trace.query_key(layer=1, head=1, query=4)
    torch.testing.assert_close(detail.weights, trace.attention(1, [1])[0, 4])
    assert model.card.max_tokens == 40
    assert trace.output.kind == "token labels"
    assert trace.output.names == WORDS


def test_a_decoder_that_looks_back_in_a_loop_has_rows_of_its_own_tokens() -> None:
    model = of(Translator)
    for source, target in (("a b c d", "c d"), ("a b c", "c d"), ("a", "c d"), ("a b", "c")):
        trace = model.run(source, target=target)
        assert trace.streams == ("cross",)
        assert torch.equal(trace.attention(0), model.network.module.seen)
        assert trace.keys().labels == tuple(source.split())
        assert len(trace.queries()) == len(target.split()) + 1
    with pytest.raises(HeadlightError, match="give it a target"):
        model.run("a b")


SPELLINGS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "small number": lambda s, m: s.exp() / (s.exp().sum(-1, keepdim=True) + 1e-9),
    "same exponents": lambda s, m: (lambda e: e / (e.sum(-1, keepdim=True) + 1e-9))(s.exp()),
    "unsqueezed": lambda s, m: (lambda e: e / e.sum(dim=1).unsqueeze(1))(torch.exp(s)),
    "indexed": lambda s, m: (lambda e: e / torch.sum(e, -1)[:, None])(torch.exp(s)),
    "masked": lambda s, m: (lambda e: e / e.sum(-1, keepdim=True))(s.exp() * m),
    "chosen": lambda s, m: (lambda e: e / e.sum(-1, keepdim=True))(torch.where(m > 0, s.exp(), torch.zeros_like(s))),
    "reciprocal": lambda s, m: (lambda e: e * (1 / e.sum(-1, keepdim=True)))(s.exp()),
    "in place": lambda s, m: (lambda e: e.div_(e.sum(-1, keepdim=True)))(s.exp()),
    "normalised": lambda s, m: F.normalize(s.exp(), p=1, dim=-1),
    "logarithms": lambda s, m: F.log_softmax(s, -1).exp(),
    "log-sum-exp": lambda s, m: torch.exp(s - torch.logsumexp(s, -1, keepdim=True)),
    "sigmoid": lambda s, m: (lambda e: e / e.sum(-1, keepdim=True))(torch.sigmoid(s)),
}
SUMS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "turned": lambda w, h: torch.sum(h * w.unsqueeze(-1), dim=1),
    "bmm": lambda w, h: torch.bmm(w[:, None], h)[:, 0],
    "einsum": lambda w, h: torch.einsum("bs,bsd->bd", w, h),
    "transposed": lambda w, h: (h.transpose(1, 2) @ w[..., None])[..., 0],
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_softmax_is_seen_in_any_spelling(spelling: str) -> None:
    spelled = type("Spelled", (Pooling,), {"normalise": lambda self, s, m: SPELLINGS[spelling](s, m)})
    assert_seen(spelled)


@pytest.mark.parametrize("way", SUMS)
def test_weights_are_seen_however_they_sum_the_states(way: str) -> None:
    summing = {"normalise": lambda self, s, m: SPELLINGS["masked"](s, m), "total": lambda self, w, h: SUMS[way](w, h)}
    assert_seen(type("Summing", (Pooling,), summing))


def assert_seen(network: type[Pooling]) -> None:
    model = of(network)
    trace = model.run("warm film a b")
    assert trace.streams == ("pooling",)
    assert torch.equal(trace.attention(0)[0], model.network.module.seen)
    assert trace.scores(0) is not None


def test_recording_leaves_the_answer_as_it_is_to_the_bit() -> None:
    model = of(Transformer)
    ids = torch.tensor([model.encode("a b warm c").ids])
    with torch.no_grad():
        plain = model.network.module(ids)[0][0]
    assert torch.equal(model.run("a b warm c").output.values, plain)


def test_a_network_without_attention_opens_and_says_so() -> None:
    model = of(Bag)
    assert model.card.streams == ()
    assert any("No attention was seen" in line.sentence for line in model.report.lines())
    assert model.run("warm film").output.kind == "labels"
    assert abs(explain(model, "warm film", "integrated_gradients").values).max() > 0
    with pytest.raises(HeadlightError, match="has no attention"):
        explain(model, "warm film", "attention")


@pytest.mark.parametrize("network", [Pooling, Bag, OneHot, Transformer, Translator])
def test_every_method_explains_or_refuses(network: type[nn.Module]) -> None:
    model = of(network)
    for method in METHODS:
        with suppress(HeadlightError):
            explain(model, "warm film a", method)


def test_without_a_table_of_embeddings_there_is_no_gradient() -> None:
    with pytest.raises(HeadlightError, match="takes words only, no embeddings"):
        explain(of(OneHot), "warm film", "gradient_norm")


def changed(base: type[nn.Module], **methods: Callable[..., object]) -> type[nn.Module]:
    return type("Changed", (base,), methods)


@pytest.mark.parametrize(
    ("network", "sentence"),
    [
        (changed(Bag, forward=lambda self, input_ids: "warm"), "returns no tensor of fractions"),
        (changed(Bag, forward=lambda self, input_ids: self.words(input_ids).mT), "(2, 16, 11) for 2 texts of 11"),
        (changed(Bag, forward=lambda self, input_ids: self.words(input_ids)[..., 0]), "depends on the text's length"),
        (changed(Bag, forward=lambda self, input_ids: 1 / 0), "with ZeroDivisionError (“division by zero”)"),
        (
            changed(Pooling, total=lambda self, w, h: sum(w[:, i, None] * h[:, i] for i in range(w.shape[1]))),
            "multiplies nothing in a way that can be followed",
        ),
        (
            changed(
                Pooling, total=lambda self, w, h: Pooling.total(self, torch.softmax(w, -1), h) + (w[:, None] @ h)[:, 0]
            ),
            "a module of its own",
        ),
        (
            changed(
                Pooling,
                forward=lambda self, input_ids: Pooling.forward(self, F.pad(input_ids, (1, 0)), torch.ones(1)),
            ),
            "over 12 states of a text of 11 tokens",
        ),
        (changed(Transformer, forward=lambda self, ids: self.head(self.places(ids.cumsum(1)))), "IndexError"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_what_to_change(network: type[nn.Module], sentence: str) -> None:
    assert sentence in refused(network)


def test_labels_and_answer_must_agree() -> None:
    assert "names 3 labels and answers with 2" in refused(Pooling, labels=("x", "y", "z"))


@pytest.mark.parametrize(
    ("loaded", "sentence"),
    [
        (None, "does not return a network and its tokenizer"),
        ((Bag(), "words"), "does not return a network and its tokenizer"),
        ((nn.Identity(), word_encoder(WORDS, unknown="<unk>")), "has no weights"),
        ((Bag(), word_encoder(("x y",))), "give it an unknown token"),
    ],
)
def test_a_load_that_gives_something_else_is_refused(loaded: object, sentence: str) -> None:
    with pytest.raises(HeadlightError, match=re.escape(sentence)):
        opened(Plugin("own", "s", "MIT", lambda: loaded, file="own.py"), "cpu")  # type: ignore[arg-type, return-value]


def test_an_error_of_load_and_one_of_a_run_each_become_a_sentence() -> None:
    def fails() -> tuple[nn.Module, object]:
        raise KeyError("weights")

    with pytest.raises(HeadlightError, match="its load raised KeyError"):
        opened(Plugin("own", "s", "MIT", fails, file="own.py"), "cpu")  # type: ignore[arg-type]

    def forward(self: Bag, input_ids: Tensor) -> Tensor:
        if bool((input_ids == WORDS.index("film")).any()):
            raise ValueError("no films")
        return Bag.forward(self, input_ids)

    with pytest.raises(HeadlightError, match="failed on this text, with ValueError"):
        of(changed(Bag, forward=forward)).run("a film")


@pytest.mark.skipif(find_spec("torchao") is None, reason="torchao is not installed here")
def test_own_code_can_be_rounded_and_the_file_keeps_its_network() -> None:
    network = Pooling()
    plugin = Plugin("own", "s", "MIT", lambda: (network, word_encoder(WORDS, unknown="<unk>")), file="own.py")
    model = opened(plugin, "cpu", "int8")
    assert model.report.quantised == "int8"
    assert isinstance(model.network.module.query, Rounded)
    assert isinstance(network.query, nn.Linear)
    assert model.run("warm film a").provenance.checks[0].passed


def test_the_same_network_in_another_format_is_a_copy() -> None:
    network = Pooling()
    plugin = Plugin("own", "s", "MIT", lambda: (network, word_encoder(WORDS, unknown="<unk>")), file="own.py")
    model = opened(plugin, "cpu")
    before = model.run("warm film a").attention(0)
    assert opened(plugin, "cpu", "bfloat16").dtype == torch.bfloat16
    assert model.dtype == torch.float32
    assert torch.equal(model.run("warm film a").attention(0), before)
