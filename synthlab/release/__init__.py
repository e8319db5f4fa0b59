"""Releases: m synthetic datasets and what is published with them."""

from __future__ import annotations

from synthlab.release.release import Release, as_aligned_release, as_release, read_frames

__all__ = ["Release", "as_aligned_release", "as_release", "read_frames"]
