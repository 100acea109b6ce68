/* SPDX-License-Identifier: MIT
 *
 * The SDK's inline HAP_compute_res_* functions call compute_resource_*. They are weak imports, in the SDK and here: a
 * shell that does not export them, such as the shell of host skels, grants no VTCM.
 */
#include "vtcm.h"

#include <stdbool.h>

#include "hap.h"

#define MIN_BYTES (256u << 10) /* a smaller grant is not worth acquiring */

/* Opaque. The SDK's struct has 64 bytes, newer ones are reported to have 160. */
struct compute_attr {
    uint64_t opaque[32];
};

#define WEAK __attribute__((weak))
extern int compute_resource_attr_init(struct compute_attr *attr) WEAK;
extern int compute_resource_attr_set_serialize(struct compute_attr *attr, unsigned char serialize) WEAK;
extern int compute_resource_attr_set_vtcm_param_v2(struct compute_attr *attr, unsigned int n_bytes,
                                                   unsigned int min_page, unsigned int min_bytes) WEAK;
extern int compute_resource_attr_get_vtcm_ptr_v2(struct compute_attr *attr, void **data, unsigned int *n_bytes) WEAK;
extern unsigned int compute_resource_acquire(struct compute_attr *attr, unsigned int timeout_us) WEAK;
extern int compute_resource_release(unsigned int context) WEAK;

static bool is_offered(void) {
    return compute_resource_attr_init && compute_resource_attr_set_serialize &&
           compute_resource_attr_set_vtcm_param_v2 && compute_resource_attr_get_vtcm_ptr_v2 &&
           compute_resource_acquire && compute_resource_release;
}

void phx_vtcm_acquire(struct phx_vtcm *vtcm) {
    struct compute_attr attr = {0};
    unsigned int n_free = 0, page, n_pages;
    void *data = NULL;
    *vtcm = (struct phx_vtcm){0};
    if (!is_offered() || HAP_query_avail_VTCM(&n_free, &page, &n_pages) != 0 || n_free < MIN_BYTES ||
        compute_resource_attr_init(&attr) != 0 || compute_resource_attr_set_serialize(&attr, 0) != 0 ||
        compute_resource_attr_set_vtcm_param_v2(&attr, n_free, 0, MIN_BYTES) != 0) {
        return;
    }
    vtcm->context = compute_resource_acquire(&attr, 0); /* no timeout: another holder keeps it until it stops */
    if (!vtcm->context) {
        return;
    }
    if (compute_resource_attr_get_vtcm_ptr_v2(&attr, &data, &vtcm->n_bytes) != 0 || !data ||
        (uintptr_t)data % PHX_VECTOR) {
        phx_vtcm_release(vtcm);
        return;
    }
    vtcm->data = data;
}

void phx_vtcm_release(struct phx_vtcm *vtcm) {
    if (vtcm->context) {
        compute_resource_release(vtcm->context);
    }
    *vtcm = (struct phx_vtcm){0};
}
