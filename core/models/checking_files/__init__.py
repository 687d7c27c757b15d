"""Readers of weight files that distrust them: what a file holds, from its header, with every claim checked.

`header_of` reads safetensors, `gguf_of` GGUF, `pickled_of` and `state_dict_in` what torch.save writes, `values_beside`
what lies there beside the tensors. They import nothing that a file names, call nothing, allocate nothing that a file
merely claims, and raise only HeadlightError.
"""

from core.models.checking_files.beside import values_beside
from core.models.checking_files.entries import TensorEntry
from core.models.checking_files.gguf_header import GgufHeader, gguf_of
from core.models.checking_files.pickled_header import StateDict, pickled_of, state_dict_in, state_dict_of
from core.models.checking_files.safetensors_header import Header, header_of

__all__ = [
    "GgufHeader",
    "Header",
    "StateDict",
    "TensorEntry",
    "gguf_of",
    "header_of",
    "pickled_of",
    "state_dict_in",
    "state_dict_of",
    "values_beside",
]
