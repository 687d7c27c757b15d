"""A loaded model: text in, `Trace` out."""

from __future__ import annotations

import copy
import inspect
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel

from core.capture import Call, Provenance, Recording, Trace, has_attention, path_of, record
from core.errors import HeadlightError
from core.jobs import Job
from core.models.answers import CHOICE, MASKED_WORD, TOLD, answer_kind, following_of, output_of, predicted_by
from core.models.card import ModelCard, card_of
from core.models.checking import checked, require_sides
from core.models.cost import Cost, cost_of, require_room
from core.models.devices import describe_device
from core.models.first_text import first_ids, first_text
from core.models.generation import GREEDY, Decoding, continue_with, end_ids
from core.models.known_ids import read_again, require_embeddings, require_marks, start_id, vocabulary_of
from core.models.out_of_memory import memory_worded
from core.models.pooling import Pooling
from core.models.prefixes import checked_prefix
from core.models.reading import Reading
from core.models.reporting.report import LoadReport
from core.text import TextEncoder, Tokens

# What an encoder-decoder may write when nothing else is said.
ANSWER_TOKENS = 128
# What a network may choose among.
MOST_CHOICES = 20
# Long enough that the fixed cost of a pass does not hide the cost of its tokens.
PACE_TOKENS = 64
JOINED = "encoder-decoder"
# Logits of all rows are kept up to a quarter of a gigabyte.
MOST_LOGITS = 1 << 26


class Model:
    """A network with its tokenizer, its card and its load report. Threads may share it: a run changes nothing in it.

    Opening runs one short probe text, so a model whose attention cannot be read is refused before anybody sees it.
    """

    def __init__(
        self,
        name: str,
        network: PreTrainedModel,
        encoder: TextEncoder,
        report: LoadReport,
        revision: str,
        device: str,
        pooling: Pooling | None = None,
    ) -> None:
        self.name = name
        self.network = network
        self.encoder = encoder
        self.report = report
        self.revision = revision
        self.device = device
        self.pooling = pooling or Pooling()
        self._altered = ""
        self.accepted = set(inspect.signature(network.forward).parameters)
        if network.config.model_type == JOINED and hasattr(_read_by(network), "type_vocab_size"):
            self.accepted.add("token_type_ids")  # what it does not know it hands on to its encoder
        self.card = self._probe()
        self._pace = self._timed()

    @property
    def dtype(self) -> torch.dtype:
        return self.network.dtype

    @property
    def _dtype_name(self) -> str:
        return self.report.quantised or str(self.dtype).removeprefix("torch.")

    @property
    def nbytes(self) -> int:
        """Memory of the weights."""
        return self.report.nbytes

    def run(
        self,
        text: str,
        text_pair: str | None = None,
        target: str | None = None,
        generate: int = 0,
        *,
        prefix: Sequence[int] = (),
        decoding: Decoding = GREEDY,
        job: Job | None = None,
    ) -> Trace:
        """Run a text, or a pair of texts, through the model once and keep what its attention layers saw.

        target: what an encoder-decoder is made to say, word by word (teacher forcing).
        generate: number of tokens that a decoder or an encoder-decoder may write itself; its text is then read again in
            one pass, which is what is kept. An encoder-decoder without a target writes even when this is 0.
        prefix: ids that an encoder-decoder's text begins with, after its start token; it writes on from there, so no
            target is given then. `Trace.said_ids` holds such ids.
        decoding: how it chooses each token it writes.
        job: told after each token and each layer how far the run is; its `Cancelled` ends the run.
        Raises HeadlightError, one sentence, for a text that cannot be run or a result that cannot be trusted.
        """
        return self.run_reading(self.read(text, text_pair, target, generate, prefix, decoding, job), job)

    def with_network(self, network: PreTrainedModel, remark: str) -> Model:
        """The same model around an altered copy of its network, which `core.capture.prepare` has seen.

        remark: what was altered; the provenance of its runs says it.
        """
        other = copy.copy(self)
        other.network, other._altered = network, remark
        return other

    def run_reading(self, reading: Reading, job: Job | None = None) -> Trace:
        """Run what `read` gave through the model once; see `run`."""
        total = sum(self.card.layers.values())

        def on_call(done: int) -> None:
            if job is not None:
                job.advance(min(done, total), total, f"{done} of {total} layers")

        lengths = len(reading.tokens), len(reading.decoder or ())
        require_room(self.card, self.dtype.itemsize, self.device, *lengths)
        if job is not None:
            about = self.estimate(*lengths).seconds
            job.advance(0, total, f"running {lengths[0]:,} tokens" + (f", about {about:.0f} s" if about >= 1 else ""))
        return self._traced(reading, on_call)[0]

    def _traced(self, reading: Reading, on_call: Callable[[int], None] | None = None) -> tuple[Trace, tuple[Call, ...]]:
        """One pass and all that is known of it, with its attention calls."""
        with record(self.network, on_call) as recording, memory_worded(self.name, self.device):
            answer = self._forward(reading)
        provenance = self._provenance(recording)
        require_sides(recording.calls, reading.sides(), self.name)
        output = output_of(self.network, answer, self._label_of, reading, self.encoder.mask_id)
        trace = Trace(
            reading.tokens,
            recording.calls,
            provenance,
            output,
            reading.sides(),
            predicted=self._predictions(answer),
            after=None if reading.after is None else self._label_of(reading.after),
            produced=reading.produced,
            following=following_of(self.network, answer, reading, self._label_of),
        )
        return trace, recording.calls

    def _provenance(self, recording: Recording) -> Provenance:
        calls = recording.calls
        return Provenance(
            model=self.name,
            revision=self.revision,
            dtype=self._dtype_name,
            device=describe_device(self.device),
            backend=f"{path_of(self.network)}, recorded" if calls else "",
            mask=calls[0].mask_name if calls else "",
            remark=", ".join(filter(None, (self.report.remark, self._altered))),
            checks=(checked(recording, self.name, self.dtype),) if calls else (),
        )

    def estimate(self, tokens: int, decoder_tokens: int = 0) -> Cost:
        """What one pass over so many tokens will cost, told before it is paid."""
        return cost_of(self.card, self.report.parameters, self.dtype.itemsize, self._pace, tokens, decoder_tokens)

    def encode(self, text: str, text_pair: str | None = None) -> Tokens:
        """The tokens of a text or of a pair. Raises HeadlightError for what the network cannot read."""
        tokens = self.encoder.encode(text, text_pair)
        require_embeddings(tokens, self.network, self.name)
        require_marks(tokens.ids, self.network, self.name)
        return tokens

    def encode_pooled(self, text: str) -> Tokens:
        """The tokens of a text that is compared with another: as many, and in such letters, as its pooling reads."""
        most, encoder = self.pooling.most_tokens, self.encoder
        if most is not None and most < encoder.max_length:
            encoder = replace(encoder, max_length=most)
        tokens = encoder.encode(text)
        if self.pooling.lower_case and (small := encoder.encode(text.lower())).ids != tokens.ids:
            tokens = small
        require_embeddings(tokens, self.network, self.name)
        return tokens

    def read(
        self,
        text: str,
        text_pair: str | None = None,
        target: str | None = None,
        generate: int = 0,
        prefix: Sequence[int] = (),
        decoding: Decoding = GREEDY,
        job: Job | None = None,
    ) -> Reading:
        """What `run` reads for the same arguments: the tokens, and what an encoder-decoder says to them."""
        kind = answer_kind(self.network).name
        if kind == CHOICE and text_pair is not None:
            return self._read_choices(text, text_pair)
        tokens = self.encode(text, text_pair)
        if kind == MASKED_WORD:
            tokens = self.encoder.with_masks(tokens)
        return self.read_tokens(tokens, target, generate, prefix, decoding, job)

    def read_tokens(
        self,
        tokens: Tokens,
        target: str | None = None,
        generate: int = 0,
        prefix: Sequence[int] = (),
        decoding: Decoding = GREEDY,
        job: Job | None = None,
    ) -> Reading:
        """The same for tokens of the model's own encoder, such as those of a text whose words were moved."""
        if self.network.config.is_encoder_decoder:
            return self._read_and_answer(tokens, target, generate, prefix, decoding, job)
        for what, given in (("a target", target is not None), ("a beginning", bool(prefix))):
            if given:
                raise HeadlightError(f"{self.name} is no encoder-decoder, so it cannot be given {what}: leave it out.")
        if not generate:
            return Reading(tokens)
        if not self.network.can_generate():
            raise HeadlightError(f"{self.name} reads text but writes none: set generate to 0.")
        room = self.encoder.max_length - len(tokens)
        if room < 1:
            raise HeadlightError(f"The text fills all {len(tokens):,} tokens that {self.name} reads: shorten it.")
        written = continue_with(self.network, self.inputs(Reading(tokens)), min(generate, room), decoding, job)
        continued = self.encoder.continued(tokens, written)
        return Reading(continued, written=self.encoder.tokens_of_ids(written, continuing=True).text)

    def _read_choices(self, text: str, choices: str) -> Reading:
        """A text with the likeliest of some choices, one a line; each is read by itself, and they share nothing."""
        named = tuple(line.strip() for line in choices.splitlines() if line.strip())
        if not 0 < len(named) <= MOST_CHOICES:
            raise HeadlightError(f"{self.name} chooses among 1 to {MOST_CHOICES} texts: give one a line.")
        read = [Reading(self.encode(text, choice)) for choice in named]
        scores = tuple(float(self._forward(each).logits[0, 0]) for each in read)
        best = scores.index(max(scores))
        return replace(read[best], choices=named, scores=scores, chosen=best)

    def _read_and_answer(
        self,
        tokens: Tokens,
        target: str | None,
        generate: int,
        prefix: Sequence[int],
        decoding: Decoding,
        job: Job | None,
    ) -> Reading:
        """An encoder-decoder's reading: its decoder reads a start token and what is said, without the end token.

        Of one that writes nothing the decoder reads the text again.
        """
        if target is not None and prefix:
            raise HeadlightError("A text is given whole or by its beginning: leave out the target or the prefix.")
        if self._reads_again():
            if target is not None or prefix:
                raise HeadlightError(f"The decoder of {self.name} reads the text itself: leave the target out.")
            return self._read_again(tokens)
        if target is None and not self.network.can_generate():
            raise HeadlightError(f"{self.name} has no head to write with: give it a target to read.")
        dropped = 0
        if target is not None:
            encoded = self.encoder.encode_target(target)
            said, dropped = list(encoded.ids), encoded.dropped
        else:
            said = self._written(tokens, generate, prefix, decoding, job)
        written = self.encoder.tokens_of_ids(said).text if target is None else None
        read = [self._start_id(), *(said[:-1] if said[-1] in self._end_ids() else said)]
        dropped += max(0, len(read) - self.encoder.max_length)
        decoder = self.encoder.tokens_of_ids(read[: self.encoder.max_length])
        produced = self.encoder.tokens_of_ids(said[: len(decoder)])
        return Reading(tokens, replace(decoder, dropped=dropped), written, produced)

    def _reads_again(self) -> bool:
        """Whether it is an encoder-decoder that answers something else than a text, so that nobody tells it what."""
        return bool(self.network.config.is_encoder_decoder) and answer_kind(self.network).name not in TOLD

    def _read_again(self, tokens: Tokens) -> Reading:
        decoder = self.encoder.tokens_of_ids(read_again(self.network, tokens.ids, self.name))
        return Reading(tokens, decoder, produced=tokens)

    def _written(
        self, tokens: Tokens, generate: int, prefix: Sequence[int], decoding: Decoding, job: Job | None
    ) -> list[int]:
        """Ids of what an encoder-decoder says: the prefix, and what it writes after it unless that ends the text."""
        longest = self.encoder.max_length
        said = list(checked_prefix(prefix, self.network, self._end_ids(), longest, self.name))
        if said and said[-1] in self._end_ids():
            return said
        count = min(generate or ANSWER_TOKENS, longest - len(said))
        begun = [self._start_id(), *said] if said else []
        return said + continue_with(self.network, self.inputs(Reading(tokens)), count, decoding, job, begun)

    def _end_ids(self) -> set[int]:
        return end_ids(self.network, self.encoder.end_id)

    def _start_id(self) -> int:
        return start_id(self.network, self.name)

    def _label_of(self, token: int) -> str:
        labels = self.encoder.tokens_of_ids([token], continuing=True).labels
        return labels[0] if labels else ""

    def _predictions(self, answer: Any) -> dict[str, tuple[str, ...]]:
        """Next tokens of each row, where the logits of all rows were kept."""
        logits = getattr(answer, "logits", None)
        if not self.network.can_generate() or logits is None:
            return {}
        labels = predicted_by(answer, self._label_of)
        return dict.fromkeys(("self", "decoder", "cross"), labels) if len(labels) > 1 else {}

    def inputs(self, reading: Reading) -> dict[str, Tensor]:
        """What the network's forward is given for one text: tensors (1, T), those only that it takes."""
        inputs = reading.inputs(self.device)
        # GPT-2 and its kin accept segment numbers as well, but look them up among their words; XLNet compares them.
        config = _read_by(self.network)
        if getattr(config, "type_vocab_size", 0) <= 1 and config.model_type != "xlnet":
            del inputs["token_type_ids"]
        return {name: tensor for name, tensor in inputs.items() if name in self.accepted}

    @torch.no_grad()
    def _forward(self, reading: Reading) -> Any:
        rows = len(reading.decoder or reading.tokens)
        # No cache is needed for one pass; of long texts only the last token's logits are kept.
        long = rows * vocabulary_of(self.network.config) > MOST_LOGITS
        options = {"use_cache": False, "logits_to_keep": 1 if long else 0}
        taken = {name: value for name, value in options.items() if name in self.accepted}
        return self.network(**self.inputs(reading), **taken)

    def _timed(self) -> tuple[int, float]:
        """Tokens and seconds of one warm pass over a short text: what later passes are estimated from."""
        count = min(PACE_TOKENS, self.encoder.max_length)
        ids = first_ids(self.encoder, count, answer_kind(self.network).of_two_texts)
        reading = self._tried(self.encoder.tokens_of_ids(ids), count)
        start = time.perf_counter()
        self._forward(reading)
        return count, time.perf_counter() - start

    def _tried(self, tokens: Tokens, count: int) -> Reading:
        """A text to try the network on; its decoder, if it has one, reads so many start tokens, or the text again."""
        if not self.network.config.is_encoder_decoder:
            return Reading(tokens)
        if self._reads_again():
            return self._read_again(tokens)
        decoder = self.encoder.tokens_of_ids([self._start_id()] * count)
        return Reading(tokens, decoder, produced=decoder)

    def _probe(self) -> ModelCard:
        """The card, by a whole run of which one map of each stream is read: what opens also draws."""
        text = first_text(self.encoder)
        tokens = self.encode(text, text if answer_kind(self.network).of_two_texts else None)
        # Another length than the text's, so that rows and columns cannot be taken for each other.
        trace, calls = self._traced(self._tried(tokens, len(tokens) + 1))
        if not calls and has_attention(self.network.config):
            raise HeadlightError(
                f"{self.name} ran without calling the attention interface, so there is nothing to show; "
                "choose another model."
            )
        for stream in trace.streams:
            trace.attention(0, stream=stream)
            trace.masked(0, stream)
        card = card_of(self.name, self.network, calls, self.encoder.max_length)
        return replace(card, answers=card.answers and not self._reads_again())


def _read_by(network: PreTrainedModel) -> Any:
    """The config of what reads the text: of two models that were joined to one, the first's."""
    config: Any = network.config
    return config.encoder if config.model_type == JOINED else config
