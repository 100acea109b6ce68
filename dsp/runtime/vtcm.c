/* SPDX-License-Identifier: MIT
 *
 * compute_resource_* is what the SDK's inline HAP_compute_res_* call. They are weak there, and here: a shell without
 * them, like the one of host skels, grants nothing.
 */
#include "vtcm.h"

#include <stdbool.h>

#include "hap.h"

#define LEAST_BYTES (256u << 10) /* less is not worth asking for */

/* Opaque. The SDK's is 64 bytes, newer ones are said to be 160. */
struct compute_attr {
    uint64_t opaque[32];
};

#define WEAK __attribute__((weak))
extern int compute_resource_attr_init(struct compute_attr *attr) WEAK;
extern int compute_resource_attr_set_serialize(struct compute_attr *attr, unsigned char serialize) WEAK;
extern int compute_resource_attr_set_vtcm_param_v2(struct compute_attr *attr, unsigned int n_bytes,
                                                   unsigned int least_page, unsigned int least_bytes) WEAK;
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
    if (!is_offered() || HAP_query_avail_VTCM(&n_free, &page, &n_pages) != 0 || n_free < LEAST_BYTES ||
        compute_resource_attr_init(&attr) != 0 || compute_resource_attr_set_serialize(&attr, 0) != 0 ||
        compute_resource_attr_set_vtcm_param_v2(&attr, n_free, 0, LEAST_BYTES) != 0) {
        return;
    }
    vtcm->context = compute_resource_acquire(&attr, 0); /* somebody who holds it does not let go soon */
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
