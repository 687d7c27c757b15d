"""Reading the weights of what was planned into a network, and what the report says of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from transformers import PreTrainedModel

from core.models.adapters.adding import added
from core.models.devices import Spread
from core.models.opening.planning import Plan
from core.models.opening.shards import tensors_of
from core.models.opening.weights import without
from core.models.quoting import shown
from core.models.refusals import RandomWeights
from core.models.reporting.report import LoadReport, report_of


def read_weights(
    name: str, plan: Plan, dtype: torch.dtype, spread: Spread | None
) -> tuple[PreTrainedModel, LoadReport]:
    """The network of a plan with its weights, and its load report."""
    files = plan.files
    whole = files.paths[:-1] if plan.adapter else files.paths
    # Nothing but a state dict takes files that no index names.
    source: dict[str, Any] = {"state_dict": tensors_of(whole)} if files.loose else {}
    # The stubs do not know that loading info turns the result into a pair.
    loaded: Any = plan.model_class.from_pretrained(
        None if files.loose else plan.folder,
        config=plan.config,
        dtype=dtype,
        attn_implementation="sdpa" if plan.model_class._supports_sdpa else "eager",
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=not files.pickled,
        weights_only=True,
        key_mapping=without(plan.prefix) or None,
        # The report names them with both shapes, and refuses those on which maps depend.
        ignore_mismatched_sizes=True,
        output_loading_info=True,
        **source,
        **(spread.options if spread else {}),
    )
    network, info = loaded
    if spread:
        spread.belongs_to(network)
    network = network.eval().requires_grad_(False)
    report = report_of(network, info, files, plan.prefix)
    report = replace(report, notes=plan.notes, assumed=plan.assumed, taken=tuple(plan.taken.items()))
    return network, added(name, network, report, plan.adapter) if plan.adapter else report


def accepted(name: str, report: LoadReport, insist: bool) -> LoadReport:
    """The report of a model that may be opened. Raises RandomWeights where its maps would mean nothing."""
    if not report.random_body:
        return report
    if insist:
        return replace(report, insisted=True)
    first = report.random_body[0]
    if first in report.mismatched:
        wanted, stored = report.shapes[report.mismatched.index(first)]
        raise RandomWeights(
            f"{name}: its weights do not belong to its config.json, which says {wanted} for {shown(first)} where its "
            f"files have {stored}, as for {len(report.mismatched):,} tensors in all, so its maps would come from "
            "random weights; get the config.json that was saved with them, or insist."
        )
    raise RandomWeights(
        f"{name}: {len(report.random_body)} of its layers' tensors are not in its files ({report.loaded} tensors are), "
        f"the first of them {shown(first)}, so its maps would come from random weights; check the files, or insist."
    )
