"""Releases: m synthetic datasets and what is published with them."""

from __future__ import annotations

from synthlab.release.release import Release, as_release

__all__ = ["Release", "as_release"]
