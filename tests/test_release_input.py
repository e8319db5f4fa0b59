"""What is no sequence of frames is named as that."""

from __future__ import annotations

import pandas as pd
import pytest

import synthlab as sl
from synthlab.exceptions import InputError

FRAME = pd.DataFrame({"x": [1, 2]})


@pytest.mark.parametrize("frames", ["ab", 3, None, {"first": FRAME}, iter([FRAME])], ids=lambda v: type(v).__name__)
def test_frames_are_a_sequence(frames):
    with pytest.raises(InputError, match=f"frames: must be a sequence of DataFrames, got {type(frames).__name__}"):
        sl.Release(frames)


def test_one_frame_is_a_release_of_one():
    assert sl.Release(FRAME).m == 1
