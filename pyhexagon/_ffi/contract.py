# SPDX-License-Identifier: MIT
"""idl/contract.h for Python: its numbers, and packers for its structs, all derived from that one file."""

from __future__ import annotations

from enum import IntEnum
from struct import Struct
from typing import Final

from pyhexagon._ffi._generated import ffi

_CODES: Final = {"int32_t": "i", "uint32_t": "I", "uint64_t": "Q"}


def _number(name: str) -> int:
    return int(ffi.integer_const(name))


def _enum(name: str, prefix: str) -> dict[str, int]:
    return {key.removeprefix(prefix): value for key, value in ffi.typeof(f"enum {name}").relements.items()}


def _struct(name: str) -> Struct:
    """A packer that takes the fields of a C struct in order, arrays as that many numbers."""
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
BATCH_MAGIC: Final = _number("PHX_BATCH_MAGIC")
RESPONSE_MAGIC: Final = _number("PHX_RESPONSE_MAGIC")
NONE: Final = _number("PHX_NONE")
MAX_DIMS: Final = _number("PHX_MAX_DIMS")
MAX_BUFFERS: Final = _number("PHX_MAX_BUFFERS")
MAX_TENSORS: Final = _number("PHX_MAX_TENSORS")
MAX_OPS: Final = _number("PHX_MAX_OPS")
MAX_THREADS: Final = _number("PHX_MAX_THREADS")
MAX_EXPERTS: Final = _number("PHX_MAX_EXPERTS")
MAX_K: Final = _number("PHX_MAX_K")
ROW_NAN: Final = _number("PHX_ROW_NAN")
MAX_PARAMS: Final = _number("PHX_MAX_PARAMS")
MAX_SRC: Final = _number("PHX_MAX_SRC")

DTYPES: Final = _enum("phx_dtype", "PHX_")
LAYOUT_ROWS: Final = _number("PHX_LAYOUT_ROWS")
LAYOUT_TILES: Final = _number("PHX_LAYOUT_TILES")
KERNELS: Final = {name.lower(): number for name, number in _enum("phx_kernels", "PHX_KERNELS_").items()}
KERNEL_NAMES: Final = {number: name for name, number in KERNELS.items()}
THREAD_RECORDS: Final = _number("PHX_BATCH_THREAD_RECORDS")
OK: Final = _number("PHX_OK")
HOST_WROTE: Final = _number("PHX_TENSOR_HOST_WROTE")

BUFFER: Final = _struct("phx_buffer")
TENSOR: Final = _struct("phx_tensor")
OP: Final = _struct("phx_op")
BATCH: Final = _struct("phx_batch")
RECORD: Final = _struct("phx_op_record")
RECORD_FIELDS: Final = _fields("phx_op_record")
THREAD_RECORD: Final = _struct("phx_thread_record")
RESPONSE: Final = _struct("phx_response")
POWER: Final = {name.lower(): number for name, number in _enum("phx_power", "PHX_POWER_").items()}
LOG_LEVELS: Final = {name.lower(): number for name, number in _enum("phx_log_level", "PHX_LOG_").items()}
LOG_SLOT_BYTES: Final = _number("PHX_LOG_SLOT_BYTES")
LOG_TEXT_BYTES: Final = _number("PHX_LOG_TEXT_BYTES")
LOG_HEADER: Final = _struct("phx_log_header")
LOG_ENTRY: Final = _struct("phx_log_entry")
RESPONSE_START: Final = Struct("<4I")  # magic, version, size, status
MESSAGE: Final = _struct("phx_message")
SEQUENCE: Final = Struct("<Q")
SEQUENCE_OFFSET: Final[int] = ffi.offsetof("struct phx_batch", "sequence")


class OpCode(IntEnum):
    MUL_MAT = _number("PHX_OP_MUL_MAT")
    MUL_MAT_ID = _number("PHX_OP_MUL_MAT_ID")


class MessageKind(IntEnum):
    RUN = _number("PHX_MESSAGE_RUN")
    ECHO = _number("PHX_MESSAGE_ECHO")
