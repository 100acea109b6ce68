# SPDX-License-Identifier: MIT
"""Check a kernel: its bits on CPU and DSP, its accesses to memory, and what it costs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon.errors import ArgumentError, KernelError
from pyhexagon.kernels import cycles, guarded, lines, toolchain
from pyhexagon.kernels.kernel import Kernel

Array = npt.NDArray[Any]
_FRAME: Final = re.compile(r"allocframe\((?:r29,)?#(\d+)\)|r29 = add\(r29,#-(\d+)\)")


class Checked(NamedTuple):
    """What ``Kernel.check`` found; as a string, a report of it.

    Packets and stalls are those of one thread in the last call; QEMU counts packets exactly.

    Attributes:
        n_calls: how many calls gave the same bits on CPU and DSP, at both edges of their memory, and with any threads.
        against: whether they were compared with a function.
        packets: of the op.
        packets_per_row: of the first result.
        bytes_per_packet: of sources and results.
        macs_per_packet: multiplications of vector and scalar elements, that of ``Q6_Vw_vrmpy_VbVb`` being 128; 0 of a
            kernel that multiplies nothing.
        stalls: of the kernel's vector instructions, by the model of ``pyhexagon bench matmul --cycles``.
        stack_bytes: of its largest function; 0 if it is not known.
        hot_loop: the code that took most packets, a line for each instruction, with its packet, its line in the source,
            and ``stall`` where it waits for the packet before.
    """

    name: str
    n_calls: int
    against: bool
    packets: int
    packets_per_row: float
    bytes_per_packet: float
    macs_per_packet: float
    stalls: int
    stack_bytes: int
    hot_loop: str

    def __str__(self) -> str:
        macs = f"{self.macs_per_packet:.1f} MACs a packet, " if self.macs_per_packet >= 0.05 else ""
        compared = " and as the function" if self.against else ""
        lines_of_text = [
            f"{self.name}: {self.n_calls} call{'s' * (self.n_calls > 1)}, the same bits on CPU and DSP{compared}, "
            "no access outside of tensors",
            f"{self.packets:,} packets, {self.packets_per_row:,.1f} a row, {self.bytes_per_packet:.1f} bytes a packet, "
            f"{macs}{self.stalls:,} modelled stalls, {self.stack_bytes:,} bytes of stack",
            f"hot loop:\n{self.hot_loop}",
        ]
        return "\n".join(lines_of_text)


def check(
    open_device: Callable[..., Any],
    kernel: Kernel,
    examples: Sequence[Any],
    against: Callable[..., Any] | None,
    *,
    timeout: float,
    params: Mapping[str, Any],
) -> Checked:
    """Check a kernel; ``Kernel.check`` describes the arguments.

    Args:
        open_device: ``Device``.
    """
    calls = _calls(kernel, examples)
    with open_device("loopback", profile=False) as cpu:
        own = cpu._copy_kernel(kernel)
        own.isolated = True
        expected = [_arrays(own(*sources, timeout=timeout, **params)) for sources in calls]
    with open_device("loopback:qemu", profile=False) as dsp:
        own = dsp._copy_kernel(kernel)
        for sources, results in zip(calls, expected, strict=True):
            runs = guarded.run(dsp, own, sources, timeout=timeout, params=params)
            guarded.require_pure(kernel, runs)
            if against is not None:
                wanted = against(*sources, **params)
                listed = list(wanted) if isinstance(wanted, (tuple, list)) else [wanted]
                _compare(kernel, "the CPU", results, "the function", [np.asarray(one) for one in listed])
            _compare(kernel, "the CPU", results, "the DSP", _arrays(own(*sources, timeout=timeout, **params)))
            for run in runs:
                _compare(kernel, "the CPU", results, f"the DSP, {run.what},", run.results)
    return _measured(
        open_device, kernel, calls[-1], expected[-1], against=against is not None, n_calls=len(calls), timeout=timeout,
        params=params,
    )  # fmt: skip


def _calls(kernel: Kernel, examples: Sequence[Any]) -> list[list[Array]]:
    if not examples:
        raise ArgumentError(f"{kernel!r} is checked with examples: pass arrays as for a call")
    many = all(isinstance(one, (list, tuple)) for one in examples)
    return [[np.array(one) for one in sources] for sources in (examples if many else [examples])]


def _arrays(made: Any) -> list[Array]:
    return [np.array(one) for one in (made if isinstance(made, tuple) else (made,))]


def _compare(kernel: Kernel, one: str, a: Sequence[Array], other: str, b: Sequence[Array]) -> None:
    if len(a) != len(b):
        raise KernelError(f"{kernel!r} has {len(a)} results on {one}, {other} {len(b)}")
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        if x.shape != y.shape or x.dtype != y.dtype:
            raise KernelError(f"result {i} of {kernel!r}: {one} gives {x.dtype} {x.shape}, {other} {y.dtype} {y.shape}")
        if (wrong := guarded.differ(x, y)).any():
            at = tuple(int(n) for n in np.argwhere(wrong)[0])
            raise KernelError(
                f"result {i} of {kernel!r} differs in {int(wrong.sum())} of {x.size} elements, first at {at}: "
                f"{one} gives {x[at]}, {other} {y[at]}"
            )


# --- Cost ---


def _measured(
    open_device: Callable[..., Any], kernel: Kernel, sources: Sequence[Array], expected: Sequence[Array],
    *, against: bool, n_calls: int, timeout: float, params: Mapping[str, Any],
) -> Checked:  # fmt: skip
    """Return the cost of a call on one thread."""
    with cycles.QemuLogs() as logs, open_device("loopback:qemu", threads=1, profile=False) as dsp:
        own = dsp._copy_kernel(kernel)
        own(*sources, timeout=timeout, **params)
        logs.hottest(own.code.images[own.target])
        made, report = own.run_with_report(*sources, timeout=timeout, **params)
        cost, macs, loop, begin = logs.hottest(own.code.images[own.target])
        _compare(kernel, "the CPU", expected, "the DSP with one thread", _arrays(made))
        packets, stack, code = sum(op.packets or 0 for op in report.ops), _stack(own), _listed(own, loop, begin)
    first = expected[0]
    n_rows = max(first.size // (first.shape[-1] if first.ndim and first.shape[-1] else 1), 1)
    n_bytes = sum(one.nbytes for one in (*sources, *expected))
    return Checked(
        kernel.name, n_calls, against, packets, packets / n_rows, n_bytes / packets if packets else 0.0,
        macs / packets if packets else 0.0, cost.stalls, stack, code,
    )  # fmt: skip


def _stack(kernel: Kernel) -> int:
    """Return the bytes of the largest frame of its functions; 0 without source."""
    if not kernel.code.source:
        return 0
    text = toolchain.assembly(kernel.code.source, kernel.code.name, toolchain.HEXAGON, kernel.code.options)
    return max((int(a or b) for a, b in _FRAME.findall(text)), default=0)


def _listed(kernel: Kernel, loop: cycles.Loop | None, begin: int) -> str:
    """Return a loop's instructions with their packets and lines."""
    if loop is None:
        return "    (none ran)"
    out = [f"    {loop.packets:,} packets in these {sum('}' in text for _, text, _ in loop.lines)}:"]
    for address, text, waits in loop.lines:
        line = lines.line_of(kernel.code.lines, address - begin)
        out.append(
            f"    +{address - begin:#06x} {f'line {line}' if line else '':>9} {'stall' if waits else '':5} {text}"
        )
    return "\n".join(out)
