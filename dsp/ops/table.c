/* SPDX-License-Identifier: MIT
 *
 * The skel's dispatch table, generated from idl/ops.h.
 */
#include "all.h"
#include "codes.h"
#include "executor.h"

#ifdef PHX_HVX
#define HVX(name) phx_##name##_hvx
#define SHARED(name) &phx_##name##_shared
#else
#define HVX(name) NULL
#define SHARED(name) NULL
#endif

#define PHX_PARAMS(name) sizeof(struct phx_##name##_params) / sizeof(uint32_t)

#define KIND_UNARY(name) true, phx_##name##_ref, HVX(name), phx_unary_check, phx_elements_run, NULL, NULL
#define KIND_BINARY(name) true, phx_##name##_ref, HVX(name), phx_binary_check, phx_elements_run, NULL, NULL
#define KIND_ROWS(name) false, phx_##name##_ref, HVX(name), phx_##name##_check, phx_rows_run, NULL, NULL
#define KIND_SHARED(name) false, phx_##name##_ref, HVX(name), phx_##name##_check, phx_rows_run, NULL, SHARED(name)
#define KIND_SCATTER(name) true, phx_##name##_ref, HVX(name), phx_##name##_check, phx_scatter_run, NULL, NULL
#define KIND_PICK(name) true, phx_##name##_ref, HVX(name), phx_##name##_check, phx_pick_run, phx_pick_merge, NULL
#define KIND_OWN(name) false, NULL, NULL, phx_##name##_check, phx_##name##_run, NULL, NULL

static const struct phx_op_type types[] = {
#define IS_UNARY false
#define IS_BINARY false
#define IS_ROWS false
#define IS_SHARED false
#define IS_PICK false
#define IS_OWN false
#define IS_SCATTER true
#define OP(code, NAME, name, KIND, least, most, results, in_place, n_params, formula)                                  \
    [code] = {code, least, most, results, in_place, n_params, IS_##KIND, KIND_##KIND(name), (code) == PHX_OP_CALL},
#include "../../idl/ops.h"
#undef OP
};

const struct phx_op_type *phx_op_type(uint32_t code) {
    return code < sizeof(types) / sizeof(types[0]) && types[code].run ? &types[code] : NULL;
}
