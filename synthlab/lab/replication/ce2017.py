"""Common parts of the studies on ce2017: simulated units in the shape of those of Hu, Savitsky and Williams."""

from __future__ import annotations

from synthlab.intruder import Intruder

KNOWN = ("gender", "age", "region")
SOMEONE = Intruder(known=KNOWN, synthesized=["income"], radius={"income": 0.2})
BOUNDS = (-10_000.0, 2_000_000.0)  # the range the papers print, rounded outwards
