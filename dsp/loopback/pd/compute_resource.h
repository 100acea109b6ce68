/* SPDX-License-Identifier: MIT
 *
 * compute_resource_*, which the skels' inline HAP_compute_res_* wrappers call. Here they manage VTCM only.
 */
#ifndef PD_COMPUTE_RESOURCE_H
#define PD_COMPUTE_RESOURCE_H

#include <stdint.h>

/* The caller's attribute block is larger; only these words at its start are used. */
struct compute_attr {
    uint32_t vtcm_size;
    uint32_t vtcm_least;
    uint32_t vtcm_address;
};

/* compute_res_vtcm_page_t */
struct compute_vtcm_layout {
    uint32_t block_size;
    uint32_t n_kinds; /* of pages */
    struct {
        uint32_t size;
        uint32_t count;
    } pages[8];
};
_Static_assert(sizeof(struct compute_vtcm_layout) == 72, "as the skel's");

int compute_resource_attr_init(struct compute_attr *attr);
int compute_resource_attr_set_serialize(struct compute_attr *attr, unsigned char serialize);
int compute_resource_attr_set_vtcm_param(struct compute_attr *attr, unsigned int size, unsigned char single_page);
int compute_resource_attr_set_vtcm_param_v2(struct compute_attr *attr, unsigned int size, unsigned int page,
                                            unsigned int least);
void *compute_resource_attr_get_vtcm_ptr(struct compute_attr *attr);
int compute_resource_attr_get_vtcm_ptr_v2(struct compute_attr *attr, void **address, unsigned int *size);
unsigned int compute_resource_acquire(struct compute_attr *attr, unsigned int timeout_us);
int compute_resource_query_VTCM(unsigned int application, unsigned int *total_size, struct compute_vtcm_layout *total,
                                unsigned int *avail_size, struct compute_vtcm_layout *avail);
int compute_resource_release(unsigned int context);

#endif
