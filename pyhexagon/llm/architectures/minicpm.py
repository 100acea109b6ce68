# SPDX-License-Identifier: MIT
"""MiniCPM: Granite's graph, with factors that follow from the sizes in files without their keys."""

from __future__ import annotations

from pyhexagon.llm.architectures.granite import GRANITE
from pyhexagon.llm.files.config import Factors, Traits
from pyhexagon.llm.files.header_keys import HeaderKeys


def _factors(keys: HeaderKeys) -> Factors:
    n_layers, width = keys.count("block_count", 1), keys.count("embedding_length", 1)
    embeddings, residuals, logits = (
        keys.value(name, default) or 1.0
        for name, default in (
            ("embedding_scale", 12.0), ("residual_scale", 1.4 * n_layers**-0.5), ("logit_scale", width / 256),
        )
    )  # fmt: skip
    return Factors(embeddings, residuals, 1 / logits)


MINICPM = GRANITE._replace(traits=Traits(factors=_factors), model_optional={})
