# SPDX-License-Identifier: MIT
"""The context banks of a compute DSP that the device tree declares coherent with the CPU's caches."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pyhexagon._ffi.library import Library

_BRACKET = "requests are bracketed with DMA_BUF_IOCTL_SYNC"
_PROCESSORS = "proc/device-tree/soc*/remoteproc@*"


@dataclass(frozen=True)
class Coherence:
    """The compute-cb nodes of the DSP's FastRPC nodes, as paths below the root.

    The kernel maps a session's buffers through one of these context banks. It treats the DSP's accesses as coherent
    only if the node has the property ``dma-coherent``.

    Attributes:
        coherent: the nodes that have the property.
        incoherent: the nodes that lack it.
    """

    coherent: tuple[str, ...] = ()
    incoherent: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """One phrase for display."""
        total = len(self.coherent) + len(self.incoherent)
        if not total:
            return "unknown (the device tree shows no compute-cb node of a CDSP)"
        return f"{len(self.coherent)} of {total} compute-cb nodes have dma-coherent"


def read_coherence(root: Path = Path("/"), processor: str = "cdsp") -> Coherence:
    """Return the coherence that the device tree below ``root`` declares; without a tree, no node is listed.

    Args:
        processor: the compute DSP, "cdsp" or "cdsp1".

    Raises:
        OSError: the tree exists, and a folder in it cannot be read.
    """
    nodes = [
        node
        for remoteproc in sorted(root.glob(_PROCESSORS))
        for fastrpc in sorted(remoteproc.glob("glink-edge/fastrpc*"))
        if _is_labelled(fastrpc / "label", processor)
        for node in sorted(fastrpc.glob("compute-cb@*"))
        if not _is_disabled(node / "status")
    ]
    names = {str(node.relative_to(root)): (node / "dma-coherent").exists() for node in nodes}
    return Coherence(
        tuple(f"/{name}" for name, has in names.items() if has),
        tuple(f"/{name}" for name, has in names.items() if not has),
    )


def is_coherent(library: Library, processor: str) -> bool:
    """Return whether sessions on a DSP need no maintenance of the CPU's caches.

    They need it if the device tree shows a node without ``dma-coherent``, and on a loopback with the option
    ``incoherent``.
    """
    if library.is_loopback:
        return not library.loopback_is_incoherent()
    return not read_coherence(processor=processor).incoherent


def describe_coherence(library: Library, processor: str) -> str:
    """Return one phrase for display."""
    if library.is_loopback:
        return "coherent (loopback)" if is_coherent(library, processor) else f"incoherent (loopback); {_BRACKET}"
    found = read_coherence(processor=processor)
    return f"{found.text}; {_BRACKET}" if found.incoherent else found.text


def _is_labelled(label: Path, processor: str) -> bool:
    return label.is_file() and label.read_bytes().rstrip(b"\0") == processor.encode()


def _is_disabled(status: Path) -> bool:
    return status.is_file() and status.read_bytes().rstrip(b"\0") == b"disabled"
