# SPDX-License-Identifier: MIT
"""idl/contract.h and idl/ops.h for Python: constants, struct packers, and the table of ops."""

from __future__ import annotations

from enum import IntEnum
from struct import Struct
from typing import Final, NamedTuple

from pyhexagon._ffi._generated import ffi
from pyhexagon._ffi._ops import ROWS

_CODES: Final = {"uint8_t": "B", "int32_t": "i", "uint16_t": "H", "uint32_t": "I", "uint64_t": "Q", "float": "f"}


def _number(name: str) -> int:
    return int(ffi.integer_const(name))


def _enum(name: str, prefix: str) -> dict[str, int]:
    return {key.removeprefix(prefix): value for key, value in ffi.typeof(f"enum {name}").relements.items()}


def _struct(name: str) -> Struct:
    """Return a packer for the fields of a C struct in order; an array of n elements takes n arguments."""
    ctype = ffi.typeof(f"struct {name}")
    layout = "<"
    for _, field in ctype.fields:
        item = field.type
        count = item.length if item.kind == "array" else 1
        item = item.item if item.kind == "array" else item
        layout += f"{count}{_CODES[item.cname]}"
    packer = Struct(layout)
    if packer.size != ffi.sizeof(ctype):
        raise AssertionError(f"struct {name} has padding: {packer.size} bytes packed, {ffi.sizeof(ctype)} in C")
    return packer


def _fields(name: str) -> tuple[str, ...]:
    return tuple(field for field, _ in ffi.typeof(f"struct {name}").fields)


VERSION: Final = _number("PHX_CONTRACT_VERSION")
REQUEST_MAGIC: Final = _number("PHX_REQUEST_MAGIC")
RESPONSE_MAGIC: Final = _number("PHX_RESPONSE_MAGIC")
NONE: Final = _number("PHX_NONE")
MAX_DIMS: Final = _number("PHX_MAX_DIMS")
MAX_BUFFERS: Final = _number("PHX_MAX_BUFFERS")
MAX_TENSORS: Final = _number("PHX_MAX_TENSORS")
MAX_OPS: Final = _number("PHX_MAX_OPS")
MAX_PROGRAMS: Final = _number("PHX_MAX_PROGRAMS")
MAX_PATCHES: Final = _number("PHX_MAX_PATCHES")
MAX_THREADS: Final = _number("PHX_MAX_THREADS")
MAX_EXPERTS: Final = _number("PHX_MAX_EXPERTS")
MAX_ELEMENTS: Final = _number("PHX_MAX_ELEMENTS")
MAX_ROWS: Final = _number("PHX_MAX_ROWS")
MAX_PRODUCTS: Final = _number("PHX_MAX_PRODUCTS")
MAX_K: Final = _number("PHX_MAX_K")
ROW_NAN: Final = _number("PHX_ROW_NAN")
MEETING_MOST_ROWS: Final = _number("PHX_MEETING_MOST_ROWS")
MEETING_HEAD_BYTES: Final = _number("PHX_MEETING_HEAD_BYTES")
MEETING_ROW_BYTES: Final = _number("PHX_MEETING_ROW_BYTES")
MAX_PARAMS: Final = _number("PHX_MAX_PARAMS")
MAX_SRC: Final = _number("PHX_MAX_SRC")
MAX_DST: Final = _number("PHX_MAX_DST")
ROPE_MAX_POSITIONS: Final = _number("PHX_ROPE_MAX_POSITIONS")
ROPE_NORMAL: Final = _number("PHX_ROPE_NORMAL")
ROPE_NEOX: Final = _number("PHX_ROPE_NEOX")

DTYPES: Final = _enum("phx_dtype", "PHX_")
OF_HEADS: Final = _enum("phx_of_heads", "PHX_")
LAYOUT_ROWS: Final = _number("PHX_LAYOUT_ROWS")
LAYOUT_TILES: Final = _number("PHX_LAYOUT_TILES")
LAYOUT_CACHE: Final = _number("PHX_LAYOUT_CACHE")
KERNEL_NAMES: Final = {number: name.lower() for name, number in _enum("phx_kernels", "PHX_KERNELS_").items()}
KERNELS: Final = {name: number for number, name in KERNEL_NAMES.items() if name != "cpu"}  # a caller may request these
DEFINE: Final = _number("PHX_DEFINE")
RUN: Final = _number("PHX_RUN")
DROP: Final = _number("PHX_DROP")
RECORDS: Final = _number("PHX_REQUEST_RECORDS")
THREAD_RECORDS: Final = _number("PHX_REQUEST_THREAD_RECORDS")
PATCH_FD: Final = _number("PHX_PATCH_FD")
PATCH_HOST_WROTE: Final = _number("PHX_PATCH_HOST_WROTE")
OK: Final = _number("PHX_OK")
E_NO_MEMORY: Final = _number("PHX_E_NO_MEMORY")
E_PROGRAM: Final = _number("PHX_E_PROGRAM")
E_KERNEL: Final = _number("PHX_E_KERNEL")
FUSED: Final = _number("PHX_OP_FUSED")
DCFETCH: Final = _number("PHX_OP_DCFETCH")
NO_QUANTISE: Final = _number("PHX_OP_NO_QUANTISE")
NO_COMPUTE: Final = _number("PHX_OP_NO_COMPUTE")
HOST_WROTE: Final = _number("PHX_TENSOR_HOST_WROTE")
HOST_WRITES: Final = _number("PHX_TENSOR_HOST_WRITES")
HOST_READS: Final = _number("PHX_TENSOR_HOST_READS")

BUFFER: Final = _struct("phx_buffer")
TENSOR: Final = _struct("phx_tensor")
OP: Final = _struct("phx_op")
REQUEST: Final = _struct("phx_request")
DEFINITION: Final = _struct("phx_definition")
PATCH: Final = _struct("phx_patch")
RECORD: Final = _struct("phx_op_record")
RECORD_FIELDS: Final = _fields("phx_op_record")
THREAD_RECORD: Final = _struct("phx_thread_record")
PROBE_RECORD: Final = _struct("phx_probe_record")
PROBES: Final = _enum("phx_probe", "PHX_PROBE_")
PROBE_MAX_BYTES: Final = _number("PHX_PROBE_MAX_BYTES")
RESPONSE: Final = _struct("phx_response")
RESPONSE_FIELDS: Final = _fields("phx_response")
POWER: Final = {name.lower(): number for name, number in _enum("phx_power", "PHX_POWER_").items()}
LOG_LEVELS: Final = {name.lower(): number for name, number in _enum("phx_log_level", "PHX_LOG_").items()}
LOG_SLOT_BYTES: Final = _number("PHX_LOG_SLOT_BYTES")
LOG_TEXT_BYTES: Final = _number("PHX_LOG_TEXT_BYTES")
LOG_HEADER: Final = _struct("phx_log_header")
LOG_ENTRY: Final = _struct("phx_log_entry")
LOG_NOTE_OFFSET: Final = _number("PHX_LOG_NOTE_OFFSET")
LOG_NOTE: Final = Struct("<Ii120s")  # phx_log_note: running, result, message
MAX_USER_KERNELS: Final = _number("PHX_MAX_USER_KERNELS")
RESPONSE_START: Final = Struct("<4I")  # magic, version, size, status
MESSAGE: Final = _struct("phx_message")
SEQUENCE: Final = Struct("<Q")
SEQUENCE_OFFSET: Final[int] = ffi.offsetof("struct phx_request", "sequence")
RESPONSE_SEQUENCE_OFFSET: Final[int] = ffi.offsetof("struct phx_response", "sequence")
DMA_FAULTS: Final = Struct("<2I")  # n_dma_failures, n_dma_fallbacks
RESPONSE_DMA_FAULTS_OFFSET: Final[int] = ffi.offsetof("struct phx_response", "n_dma_failures")
FIRST_OP: Final = Struct("<I")
FIRST_OP_OFFSET: Final[int] = ffi.offsetof("struct phx_request", "first_op")
RESPONSE_FAILED_OP_OFFSET: Final[int] = ffi.offsetof("struct phx_response", "failed_op")


class OpRow(NamedTuple):
    """A row of idl/ops.h; the header documents the columns.

    Attributes:
        params: packs the parameter struct, fields in order; None for an op without parameters.
        fields: the names of the parameter struct's fields.
    """

    code: int
    name: str
    kind: str
    least: int
    most: int
    results: int
    in_place: int
    params: Struct | None
    fields: tuple[str, ...]
    formula: str


def _row(row: tuple[int, str, str, int, int, int, int, str, str]) -> OpRow:
    code, name, kind, least, most, results, in_place, params, formula = row
    packer = _struct(f"phx_{params}_params") if params else None
    fields = _fields(f"phx_{params}_params") if params else ()
    return OpRow(code, name, kind, least, most, results, in_place, packer, fields, formula)


OPS: Final = {row[1]: _row(row) for row in ROWS}
CALL: Final = OPS.pop("call")  # runs user kernels; all others are built in
CALL_PARAMS: Final = _struct("phx_call_params")


class MessageKind(IntEnum):
    RUN = _number("PHX_MESSAGE_RUN")
    ECHO = _number("PHX_MESSAGE_ECHO")
