# SPDX-License-Identifier: MIT
"""Quantized matmuls and language models on Qualcomm's Hexagon DSP.

    import numpy as np
    import pyhexagon

    with pyhexagon.Device("cpu") as device:                   # Device() is the DSP
        w = device.load("model.gguf", "blk.0.ffn_up.weight")  # (N, K)
        x = np.random.default_rng(0).standard_normal((4, w.shape[1]), dtype=np.float32)
        y = x @ w.T                                           # there
        print(y.numpy())
"""

from typing import TYPE_CHECKING

from pyhexagon import lazy
from pyhexagon.errors import (
    ArgumentError,
    AudioError,
    BusyError,
    ClosedError,
    ClusterError,
    ContractError,
    DeployError,
    DeviceLostError,
    DeviceNotFoundError,
    DspMemoryError,
    DspTimeoutError,
    GGUFError,
    HexagonError,
    KernelError,
    LibraryError,
    OperandError,
    ProgramError,
    SkelLoadError,
    UnsupportedError,
)
from pyhexagon.version import VERSION

if TYPE_CHECKING:
    from pyhexagon.device import Device
    from pyhexagon.gguf.file import GGUFFile, Metadata, UnknownTensorError
    from pyhexagon.gguf.headers import TensorInfo
    from pyhexagon.info import DeviceInfo
    from pyhexagon.kernels.kernel import Kernel
    from pyhexagon.llm.llm import LLM
    from pyhexagon.memory.capacity import Room
    from pyhexagon.ops.builder import Builder
    from pyhexagon.program.graph import Value
    from pyhexagon.program.program import Program
    from pyhexagon.program.report import OpReport, Report, ThreadReport
    from pyhexagon.program.switches import Stages, Switches
    from pyhexagon.speech.whisper import Whisper
    from pyhexagon.tensor import Tensor
    from pyhexagon.trace import Trace

__version__ = VERSION

__all__ = [
    "LLM",
    "ArgumentError",
    "AudioError",
    "Builder",
    "BusyError",
    "ClosedError",
    "ClusterError",
    "ContractError",
    "DeployError",
    "Device",
    "DeviceInfo",
    "DeviceLostError",
    "DeviceNotFoundError",
    "DspMemoryError",
    "DspTimeoutError",
    "GGUFError",
    "GGUFFile",
    "HexagonError",
    "Kernel",
    "KernelError",
    "LibraryError",
    "Metadata",
    "OpReport",
    "OperandError",
    "Program",
    "ProgramError",
    "Report",
    "Room",
    "SkelLoadError",
    "Stages",
    "Switches",
    "Tensor",
    "TensorInfo",
    "ThreadReport",
    "Trace",
    "UnknownTensorError",
    "UnsupportedError",
    "Value",
    "Whisper",
]

__getattr__ = lazy.attributes(__name__, {  # imported when first used: NumPy, gguf and cffi take 0.3 s
    "device": ("Device",),
    "gguf.file": ("GGUFFile", "Metadata", "UnknownTensorError"),
    "gguf.headers": ("TensorInfo",),
    "info": ("DeviceInfo",),
    "kernels.kernel": ("Kernel",),
    "llm.llm": ("LLM",),
    "memory.capacity": ("Room",),
    "ops.builder": ("Builder",),
    "program.graph": ("Value",),
    "program.program": ("Program",),
    "program.report": ("OpReport", "Report", "ThreadReport"),
    "program.switches": ("Stages", "Switches"),
    "speech.whisper": ("Whisper",),
    "tensor": ("Tensor",),
    "trace": ("Trace",),
})  # fmt: skip


def __dir__() -> list[str]:
    return [*__all__, "__version__"]  # and not the modules
