"""What runs in the box that builds a network without memory for its weights, from a config that is not trusted.

Only `core.jobs.boxed` calls this. What transformers needs is imported here at the top, before the limits hold.
"""

from __future__ import annotations

from pathlib import Path

from transformers import PreTrainedModel, PreTrainedTokenizerFast

from core.models.estimate import sketch
from core.models.opening.configs import model_class_of, read_config

# Importing these by name makes the lazy module fetch what most models need.
IMPORTED = (PreTrainedModel, PreTrainedTokenizerFast)


def sketched(argument: dict[str, str]) -> dict[str, int]:
    """How many parameters the network of a folder's config has, shared ones once, in how many tensors, and its tables.

    argument: "name", what sentences call the model, and "folder".
    """
    name, folder = argument["name"], Path(argument["folder"])
    config = read_config(name, folder)
    network = sketch(model_class_of(name, folder, config), config)
    parameters, tables = list(network.parameters()), list(network.buffers())
    return {
        "parameters": sum(parameter.numel() for parameter in parameters),
        "tensors": len(parameters),
        "tables_nbytes": sum(table.numel() * table.element_size() for table in tables),
    }
