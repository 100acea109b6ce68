# SPDX-License-Identifier: MIT
"""The keys of an architecture in a GGUF file's metadata: reads and checks them, and refuses unread keys."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Final, TypeVar

import numpy as np

from pyhexagon.gguf.file import GGUFFile

# Keys without effect in every supported architecture, whatever their values: llama.cpp reads them only for others,
# "finetuned" for Granite's, extrapolation and magnitude of YaRN for Grok's.
_HARMLESS: Final = frozenset({
    "classifier.output_labels", "expert_group_used_count", "rope.scaling.finetuned", "rope.scaling.yarn_attn_factor",
    "rope.scaling.yarn_ext_factor", "tensor_data_layout", "use_parallel_residual", "vocab_size",
})  # fmt: skip
_NEUTRAL: Final[dict[str, tuple[object, ...]]] = {  # without effect at these values only
    "attention.clamp_kqv": (0.0,),
    "attention.max_alibi_bias": (0.0,),
    "attention.shared_kv_layers": (0,),
    "attention.temperature_scale": (0.0,),
    "attn_logit_softcapping": (0.0,),
    "classifier.pooling_type": (0, 2),  # of rankers: the first token, as in llama.cpp
    "deepstack_mapping": (-1,),
    "embedding_length_per_layer_input": (0,),
    "embedding_scale": (0.0, 1.0),
    "expert_count": (0,),
    "expert_gating_func": (0, 1),
    "expert_group_count": (0, 1),
    "expert_shared_count": (0,),
    "expert_used_count": (0,),
    "expert_weights_norm": (True,),
    "expert_weights_scale": (0.0, 1.0),
    "final_logit_softcapping": (0.0,),
    "interleave_moe_layer_step": (1,),
    "leading_dense_block_count": (0,),
    "logit_scale": (0.0, 1.0),
    "moe_every_n_layers": (0,),
    "nextn_predict_layers": (0,),
    "residual_scale": (0.0, 1.0),
    "rope.dimension_sections": (0,),
    "rope.scaling.alpha": (0.0,),
    "rope.scaling.yarn_log_multiplier": (0.0,),
}
_MOST: Final = 1 << 24  # limit of every count

T = TypeVar("T", bool, int, float, str)


class HeaderKeys:
    """The keys of an architecture. Problems are collected in ``problems``."""

    def __init__(self, file: GGUFFile, architecture: str) -> None:
        self._metadata = file.metadata
        self.architecture, self._prefix = architecture, f"{architecture}."
        self.names = {key[len(self._prefix) :] for key in self._metadata if key.startswith(self._prefix)}
        self.problems: list[str] = []
        self._read: set[str] = set()
        self._other: dict[str, object] = {}  # values that replace the file's

    def _get(self, name: str) -> object:
        return None if name not in self.names else self._other.get(name, self._metadata.get(self._prefix + name))

    def ignore(self, *names: str) -> None:
        """Drop keys without effect in this architecture; a name ending with a dot drops all keys with that prefix."""
        begin = tuple(name for name in names if name.endswith("."))
        self.names -= {name for name in self.names if name in names or name.startswith(begin)}

    def supply(self, name: str, value: object) -> None:
        """Set a key that the file does not have."""
        if name not in self.names:
            self.names.add(name)
            self._other[name] = value

    def rename(self, old: str, new: str) -> None:
        """Rename a key, unless the file has the new name, too."""
        if old in self.names:
            self.supply(new, self._get(old))
            self.names.remove(old)

    def value(self, name: str, default: T) -> T:
        """Return a value of the default's type."""
        self._read.add(name)
        if name not in self.names:
            return default
        value = self._get(name)
        wanted = (int, float) if isinstance(default, float) else type(default)
        if isinstance(value, bool) is not isinstance(default, bool) or not isinstance(value, wanted):
            self.problems.append(f"{self._prefix}{name} is {short(value)}, not {_kind(default)}")
            return default
        if isinstance(default, float) and not isfinite(value):
            self.problems.append(f"{self._prefix}{name} is {value}")
        return type(default)(value)

    def count(self, name: str, default: int | None = None, least: int = 1) -> int:
        """Return an integer; without a default, the key must exist."""
        if name not in self.names and default is None:
            self.problems.append(f"{self._prefix}{name} is missing")
        return self._counted(name, self.value(name, least if default is None else default), least)

    def counts(self, name: str, n: int, default: Sequence[int] | None = None, least: int = 1) -> tuple[int, ...]:
        """Return one integer per layer; the file may have one for all layers, which is at least 1."""
        value = self._get(name)
        if value is None and default is not None:
            self._read.add(name)
            return tuple(default)
        if not isinstance(value, np.ndarray):
            return (self.count(name),) * n
        return tuple(self._counted(name, item, least) for item in self._each(name, value, n, "iu")) or (1,) * n

    def flags(self, name: str, n: int) -> tuple[bool, ...] | None:
        """Return one flag per layer; None if the key is missing, or not an array."""
        value = self._get(name)
        if not isinstance(value, np.ndarray):
            return None
        return tuple(map(bool, self._each(name, value, n, "biu"))) or (False,) * n

    def numbers(self, name: str, n: int) -> tuple[float, ...]:
        """Return one number per layer, which may be infinite; the key must exist."""
        value = self._get(name)
        if not isinstance(value, np.ndarray):
            self.problems.append(f"{self._prefix}{name} is {short(value)}, not {n} numbers")
            self._read.add(name)
            return (0.0,) * n
        return tuple(map(float, self._each(name, value, n, "f"))) or (0.0,) * n

    def without_prefix(self, name: str, n: int) -> tuple[float, ...]:
        """Return one number per layer of a key without the architecture's name; the file may have one for all."""
        value = self._metadata.get(name)
        values = value.tolist() if isinstance(value, np.ndarray) else [value] * n
        if len(values) != n or not all(isinstance(item, float) and isfinite(item) for item in values):
            self.problems.append(f"{name} is {'missing' if value is None else short(value)}, not {n} numbers")
            return (0.0,) * n
        return tuple(values)

    def _each(self, name: str, value: np.ndarray, n: int, kinds: str) -> list[int]:
        self._read.add(name)
        if value.dtype.kind not in kinds:
            wanted = "numbers" if "f" in kinds else "integers"
            self.problems.append(f"{self._prefix}{name} is {short(value)}, not {wanted}")
            return []
        if value.shape != (n,):
            self.problems.append(f"{self._prefix}{name} has {len(value)} numbers for {n} layers")
            return []
        return list(value.tolist())

    def array(self, name: str) -> list[int] | None:
        """Return an array of integers, or None."""
        self._read.add(name)
        value = self._get(name)
        return value.tolist() if isinstance(value, np.ndarray) and value.dtype.kind in "iu" else None

    def _counted(self, name: str, value: int, least: int) -> int:
        if not least <= value <= _MOST:
            self.problems.append(f"{self._prefix}{name} is {value}: expected {least} to {_MOST}")
            return least
        return value

    def finish(self) -> None:
        """Report every key that was not read, unless it is known to have no effect."""
        for name in sorted(self.names - self._read - _HARMLESS):
            value = self._get(name)
            if name not in _NEUTRAL:
                self.problems.append(f"the key {self._prefix}{name} = {short(value)} is not known")
            elif not _is_any_of(value, _NEUTRAL[name]):
                expected = " or ".join(map(str, _NEUTRAL[name]))
                self.problems.append(f"{self._prefix}{name} is {short(value)}, only {expected} is supported")


def _is_any_of(value: object, neutral: tuple[object, ...]) -> bool:
    """Return whether a value, or every element of an array, is in ``neutral``."""
    values = value.tolist() if isinstance(value, np.ndarray) else value if isinstance(value, list) else [value]
    return all(item in neutral and isinstance(item, bool) is isinstance(neutral[0], bool) for item in values)


def _kind(value: object) -> str:
    return {bool: "true or false", int: "an integer", float: "a number", str: "a string"}[type(value)]


def short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
