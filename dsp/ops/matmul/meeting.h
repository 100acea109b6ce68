/* SPDX-License-Identifier: MIT
 *
 * The DSP's side of products whose rows it shares with the CPU (contract.h: phx_meeting_*; docs/cpu.md).
 *
 * The plan of such a product covers the DSP's own tiles only. Before the threads begin, phx_meeting_open() cleans the
 * activations and publishes the run's number; the CPU then computes the last tiles into the meeting. When a thread has
 * multiplied its own tiles, it takes back, from the last one on, tiles that no CPU thread has begun. Then it collects
 * some of the others: it waits for a tile until the patience ends, and copies its results, or computes the tile itself.
 * Both give the same bits, and the CPU never writes to a result, so a CPU thread that comes late does no harm.
 *
 * Of a MUL_MAT_ID the CPU has the last tiles of every expert: a tile of the meeting stands for that tile of all experts
 * which the ids name, and its results have the order of dst. All rows are one chunk, so the fused ops run behind it on
 * all rows.
 *
 * Each flag has one writer, since an atomic exchange would not work between CPU and DSP. So both sides may compute one
 * tile if the CPU begins it while the DSP takes it back. The DSP invalidates
 * its cache lines of a flag before each look, and of results after it has seen their flag.
 */
#ifndef PHX_MEETING_H
#define PHX_MEETING_H

#include "product.h"

/* Checks the meeting of a MUL_MAT or MUL_MAT_ID and takes its tiles out of the plan. */
struct phx_mismatch phx_meeting_check(const struct phx_call *call);

/* Returns whether the CPU computes tiles of one of these fused calls. */
bool phx_meeting_is_of(const struct phx_call *calls, uint32_t n_calls);

/* Makes the activations and the run's number visible to the CPU. */
void phx_meeting_open(struct phx_product *product);

/* Takes back tiles, then collects the tiles number thread, thread + n_threads and so on, of all factors. */
void phx_meeting_collect(struct phx_product *product, uint32_t thread, uint32_t n_threads, void *work);

/* Publishes to the CPU that the product is complete, and how many of the CPU's columns the DSP has computed. */
void phx_meeting_close(struct phx_product *product);

#endif
