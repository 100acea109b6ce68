# SPDX-License-Identifier: MIT
"""The arguments of llama-cpp-python that have no effect on a DSP, and the arguments that must have neutral values."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pyhexagon.errors import ArgumentError

_log = logging.getLogger("pyhexagon.compat")
_ANY: Final = object()


class Refused(NamedTuple):
    """An argument that must have a neutral value.

    Attributes:
        neutral: values that do not change the model or its completions.
        remedy: what to do instead of passing another value.
    """

    neutral: tuple[Any, ...]
    remedy: str


_FILE: Final = "the model's file says so; leave it out"

# Arguments without effect and their defaults; the log names an argument only if its value is another one.
CONSTRUCTOR: Final[Mapping[str, Any]] = MappingProxyType({
    "n_gpu_layers": _ANY, "verbose": _ANY, "embedding": _ANY, "split_mode": 1, "main_gpu": 0, "tensor_split": None,
    "use_mmap": True, "use_mlock": False, "n_ubatch": 512, "n_threads": None, "n_threads_batch": None,
    "logits_all": False, "offload_kqv": True, "flash_attn": False, "op_offload": None, "swa_full": None,
    "no_perf": False, "numa": False, "f16_kv": _ANY, "n_parts": -1,
})  # fmt: skip
CONSTRUCTOR_REFUSED: Final[Mapping[str, Refused]] = MappingProxyType(
    {
        "vocab_only": Refused((False,), "load the whole model"),
        "kv_overrides": Refused((None, {}), "change the file's keys, for example with gguf-new-metadata"),
        "rope_scaling_type": Refused((None, -1), _FILE),
        "pooling_type": Refused((-1,), _FILE),
        "attention_type": Refused((-1,), _FILE),
        "rope_freq_base": Refused((0.0,), _FILE),
        "rope_freq_scale": Refused((0.0,), _FILE),
        "yarn_ext_factor": Refused((-1.0,), _FILE),
        "yarn_attn_factor": Refused((1.0,), _FILE),
        "yarn_beta_fast": Refused((32.0,), _FILE),
        "yarn_beta_slow": Refused((1.0,), _FILE),
        "yarn_orig_ctx": Refused((0,), _FILE),
        "lora_base": Refused((None,), "merge the adapter into the model's file"),
        "chat_format": Refused(
            (None, "chat_template.default"), "the chat template of the model's file is used; leave it out"
        ),
        "chat_handler": Refused((None,), "the chat template of the model's file is used; leave it out"),
        "tokenizer": Refused((None,), "the tokenizer of the model's file is used; leave it out"),
        "spm_infill": Refused((False,), "put the model's own tokens for filling in into the prompt"),
    }
)

# llama-cpp-python ignores tfs_z and penalize_nl, too.
CALL: Final[Mapping[str, Any]] = MappingProxyType({
    "tfs_z": 1.0, "mirostat_tau": 5.0, "mirostat_eta": 0.1, "penalize_nl": True,
})  # fmt: skip
CALL_REFUSED: Final[Mapping[str, Refused]] = MappingProxyType(
    {
        "suffix": Refused((None,), "put the model's own tokens for filling in into the prompt"),
        "mirostat_mode": Refused((0,), "choose by temperature, top_p or min_p"),
        "functions": Refused((None,), "name them in tools"),
        "function_call": Refused((None,), "name functions in tools"),
        "tool_choice": Refused(
            (None, "auto", "none"), "it is 'auto' or 'none'; a grammar makes the model follow a form"
        ),
    }
)


class Arguments:
    """Checks the arguments of a ``Llama`` and of its calls, and logs each argument without effect once."""

    def __init__(self) -> None:
        self._logged: set[str] = set()

    def check(self, given: Mapping[str, Any], ineffective: Mapping[str, Any], refused: Mapping[str, Refused]) -> None:
        """Accept arguments without effect and neutral values; log them, and unknown arguments, at their first use.

        Args:
            given: values by name.
            ineffective: defaults of the arguments without effect.
            refused: arguments that must have a neutral value.

        Raises:
            ArgumentError: a value would change results and is not supported.
        """
        for name, value in given.items():
            if name in refused and value not in refused[name].neutral:
                raise ArgumentError(f"{name}={value!r} is not supported: {refused[name].remedy}")
        changed = [
            name for name in given
            if name in ineffective and ineffective[name] is not _ANY and given[name] != ineffective[name]
        ]  # fmt: skip
        self._log(logging.INFO, "no effect on the DSP", changed)
        unknown = given.keys() - ineffective.keys() - refused.keys()
        self._log(logging.WARNING, "unknown and ignored, as in llama-cpp-python", unknown)

    def _log(self, level: int, what: str, names: Iterable[str]) -> None:
        new = sorted(set(names) - self._logged)
        if new:
            self._logged.update(new)
            _log.log(level, "%s: %s", what, ", ".join(new))
