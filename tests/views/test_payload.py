"""The message format: what is packed comes out again, aligned, whatever the header holds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.views.payload import pack, unpack

ARRAYS = st.dictionaries(
    st.sampled_from(["tiles", "weights", "row_max"]),
    st.tuples(
        st.sampled_from(["uint8", "uint16", "float16", "float32"]),
        st.lists(st.integers(0, 5), min_size=1, max_size=4),
    ),
)


@given(
    header=st.dictionaries(st.text(), st.one_of(st.text(), st.integers(-1000, 1000), st.lists(st.text()))), kinds=ARRAYS
)
def test_header_and_arrays_come_out_as_they_went_in(header, kinds):
    header.pop("arrays", None)
    arrays = {
        name: np.arange(int(np.prod(shape)), dtype=np.int64).astype(dtype).reshape(shape)
        for name, (dtype, shape) in kinds.items()
    }
    message = pack(header, arrays)
    assert len(message) % 4 == 0
    found_header, found = unpack(message)
    del found_header["arrays"]
    assert found_header == header
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


def test_every_array_starts_at_a_multiple_of_four():
    message = pack({"x": "字"}, {"a": np.array([7], np.uint8), "b": np.array([1.5], np.float32)})
    assert message[-4:] == np.float32(1.5).tobytes()
    assert message[-8:-4] == bytes([7, 0, 0, 0])


def test_a_dtype_that_the_browser_does_not_read_is_refused():
    with pytest.raises(ValueError, match="float64"):
        pack({}, {"weights": np.zeros(2)})
