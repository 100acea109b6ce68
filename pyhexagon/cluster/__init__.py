# SPDX-License-Identifier: MIT
"""Several boards, on Ray: it needs ``pyhexagon[cluster]`` on each of them.

A board is an actor that holds the custom resource "hexagon" of its node. ``Pipeline`` is one model over several boards,
each with some of its layers; ``Router`` stands before boards that each have all of it, and is what computes for
``pyhexagon serve``. Ray starts and restarts actors, carries what passes between them, and tells when one is gone.

connecting.py joins a cluster and refuses boards that are not alike; board.py is what runs on a board; cutting.py gives
layers to boards; nodes.py starts and ends Ray on machines.
"""

from pyhexagon.cluster.pipeline import Pipeline
from pyhexagon.cluster.router import Router

__all__ = ["Pipeline", "Router"]
