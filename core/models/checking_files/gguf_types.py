"""GGUF's number formats by the numbers that files name them with. Source: ggml.h and the gguf package's constants."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BlockFormat:
    """A format that keeps `numbers` numbers together in `nbytes` bytes."""

    name: str
    numbers: int
    nbytes: int


# 4, 5, 31-33 and 36-38 were taken out of the format.
BLOCK_FORMATS = {
    number: BlockFormat(name, numbers, nbytes)
    for number, name, numbers, nbytes in (
        (0, "float32", 1, 4), (1, "float16", 1, 2), (2, "Q4_0", 32, 18), (3, "Q4_1", 32, 20), (6, "Q5_0", 32, 22),
        (7, "Q5_1", 32, 24), (8, "Q8_0", 32, 34), (9, "Q8_1", 32, 40), (10, "Q2_K", 256, 84), (11, "Q3_K", 256, 110),
        (12, "Q4_K", 256, 144), (13, "Q5_K", 256, 176), (14, "Q6_K", 256, 210), (15, "Q8_K", 256, 292),
        (16, "IQ2_XXS", 256, 66), (17, "IQ2_XS", 256, 74), (18, "IQ3_XXS", 256, 98), (19, "IQ1_S", 256, 50),
        (20, "IQ4_NL", 32, 18), (21, "IQ3_S", 256, 110), (22, "IQ2_S", 256, 82), (23, "IQ4_XS", 256, 136),
        (24, "int8", 1, 1), (25, "int16", 1, 2), (26, "int32", 1, 4), (27, "int64", 1, 8), (28, "float64", 1, 8),
        (29, "IQ1_M", 256, 56), (30, "bfloat16", 1, 2), (34, "TQ1_0", 256, 54), (35, "TQ2_0", 256, 66),
        (39, "MXFP4", 32, 17), (40, "NVFP4", 64, 36), (41, "Q1_0", 128, 18),
    )
}  # fmt: skip

# Of values beside the tensors: bytes by type number. Texts and arrays have their own lengths.
VALUE_BYTES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
UINT32, TEXT, ARRAY = 4, 8, 9
