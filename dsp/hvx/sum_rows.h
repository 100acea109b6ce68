/* SPDX-License-Identifier: MIT
 *
 * The function that MEAN shares with SUM_ROWS.
 */
#ifndef PHX_HVX_SUM_ROWS_H
#define PHX_HVX_SUM_ROWS_H

#include "ref/sum_rows.h"

void hvx_sum_rows(const struct phx_call *call, const struct phx_slice *slice, const struct ref_scale *reciprocal);

#endif
