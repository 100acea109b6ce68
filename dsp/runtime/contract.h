/* SPDX-License-Identifier: MIT
 *
 * idl/contract.h for C: its integer types, and assertions that the compiler uses the layout both sides expect.
 */
#ifndef PHX_CONTRACT_H
#define PHX_CONTRACT_H

#include <stddef.h>
#include <stdint.h>

#include "../../idl/contract.h"

#define PHX_TILE_ROWS 64 /* rows of a weight tile */
#define PHX_VECTOR 128   /* bytes of an HVX vector, and the alignment of tiles */
#define PHX_BLOCK 32     /* activations that share a scale */

_Static_assert(sizeof(struct phx_buffer) == 8, "phx_buffer");
_Static_assert(sizeof(struct phx_tensor) == 56, "phx_tensor");
_Static_assert(offsetof(struct phx_tensor, ne) == 16, "phx_tensor.ne");
_Static_assert(offsetof(struct phx_tensor, nb) == 32, "phx_tensor.nb");
_Static_assert(offsetof(struct phx_tensor, flags) == 48, "phx_tensor.flags");
_Static_assert(sizeof(struct phx_op) == 120, "phx_op");
_Static_assert(offsetof(struct phx_op, src) == 8, "phx_op.src");
_Static_assert(offsetof(struct phx_op, dst) == 40, "phx_op.dst");
_Static_assert(offsetof(struct phx_op, params) == 56, "phx_op.params");
_Static_assert(sizeof(struct phx_definition) == 16, "phx_definition");
_Static_assert(sizeof(struct phx_patch) == 16, "phx_patch");
_Static_assert(sizeof(struct phx_request) == 40, "phx_request");
_Static_assert(offsetof(struct phx_request, sequence) == 32, "phx_request.sequence");
_Static_assert(sizeof(struct phx_op_record) == 88, "phx_op_record");
_Static_assert(offsetof(struct phx_op_record, start_ns) == 16, "phx_op_record.start_ns");
_Static_assert(offsetof(struct phx_op_record, dma_bytes) == 56, "phx_op_record.dma_bytes");
_Static_assert(sizeof(struct phx_thread_record) == 48, "phx_thread_record");
_Static_assert(sizeof(struct phx_response) == 88, "phx_response");
_Static_assert(offsetof(struct phx_response, sequence) == 32, "phx_response.sequence");
_Static_assert(offsetof(struct phx_response, packets) == 56, "phx_response.packets");
_Static_assert(sizeof(struct phx_probe_record) == 32, "phx_probe_record");
_Static_assert(sizeof(struct phx_log_header) == 8, "phx_log_header");
_Static_assert(sizeof(struct phx_log_entry) == 32, "phx_log_entry");
_Static_assert(sizeof(struct phx_log_note) == 128, "phx_log_note");
_Static_assert(sizeof(struct phx_call_params) == 64, "phx_call_params");
_Static_assert(sizeof(struct phx_meeting_host) == PHX_MEETING_HEAD_BYTES, "phx_meeting_host");
_Static_assert(sizeof(struct phx_meeting_dsp) == PHX_MEETING_HEAD_BYTES, "phx_meeting_dsp");
_Static_assert(sizeof(struct phx_meeting_tile) == PHX_MEETING_HEAD_BYTES, "phx_meeting_tile");
_Static_assert(sizeof(struct phx_message) == 16, "phx_message");
_Static_assert(offsetof(struct phx_message, sequence) == 8, "phx_message.sequence");

#endif
