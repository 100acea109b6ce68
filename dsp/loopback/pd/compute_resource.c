/* SPDX-License-Identifier: MIT */
#include "compute_resource.h"

#include <string.h>

#include "../shell/shell.h"

int compute_resource_attr_init(struct compute_attr *attr) {
    memset(attr, 0, sizeof *attr);
    return 0;
}

int compute_resource_attr_set_serialize(struct compute_attr *attr, unsigned char serialize) {
    (void)attr;
    (void)serialize;
    return 0;
}

int compute_resource_attr_set_vtcm_param_v2(struct compute_attr *attr, unsigned int size, unsigned int page,
                                            unsigned int least) {
    (void)page; /* VTCM here has no page sizes */
    attr->vtcm_size = size;
    attr->vtcm_least = least < size ? least : size;
    return 0;
}

int compute_resource_attr_set_vtcm_param(struct compute_attr *attr, unsigned int size, unsigned char single_page) {
    (void)single_page;
    return compute_resource_attr_set_vtcm_param_v2(attr, size, 0, size);
}

void *compute_resource_attr_get_vtcm_ptr(struct compute_attr *attr) {
    return (void *)(uintptr_t)attr->vtcm_address;
}

int compute_resource_attr_get_vtcm_ptr_v2(struct compute_attr *attr, void **address, unsigned int *size) {
    *address = (void *)(uintptr_t)attr->vtcm_address;
    *size = attr->vtcm_address ? attr->vtcm_size : 0;
    return attr->vtcm_address ? 0 : AEE_DSP(AEE_EFAILED);
}

static void describe(struct compute_vtcm_layout *layout, unsigned int size, unsigned int page, unsigned int n_pages) {
    if (layout != NULL) {
        memset(layout, 0, sizeof *layout);
        layout->block_size = size;
        layout->n_kinds = n_pages != 0;
        layout->pages[0].size = page;
        layout->pages[0].count = n_pages;
    }
}

int compute_resource_query_VTCM(unsigned int application, unsigned int *total_size, struct compute_vtcm_layout *total,
                                unsigned int *avail_size, struct compute_vtcm_layout *avail) {
    unsigned int page, n_pages, largest, largest_page, n_free;
    (void)application; /* one partition */
    if (HAP_query_total_VTCM(&page, &n_pages) != 0 || HAP_query_avail_VTCM(&largest, &largest_page, &n_free) != 0) {
        return AEE_DSP(AEE_EFAILED);
    }
    describe(total, page * n_pages, page, n_pages);
    describe(avail, largest, page, n_free);
    if (total_size != NULL) {
        *total_size = page * n_pages;
    }
    if (avail_size != NULL) {
        *avail_size = largest;
    }
    return 0;
}

/* Returns the context: the address of the VTCM, or 1 for a request without VTCM; 0 means refused. */
unsigned int compute_resource_acquire(struct compute_attr *attr, unsigned int timeout_us) {
    unsigned int largest, page, n_pages;
    (void)timeout_us; /* holders keep VTCM, so waiting would not help */
    if (attr->vtcm_size == 0) {
        return 1;
    }
    HAP_query_avail_VTCM(&largest, &page, &n_pages);
    if (attr->vtcm_size > largest && attr->vtcm_least <= largest) {
        attr->vtcm_size = largest;
    }
    attr->vtcm_address = (uint32_t)(uintptr_t)HAP_request_VTCM(attr->vtcm_size, 0);
    return attr->vtcm_address;
}

int compute_resource_release(unsigned int context) {
    return context <= 1 ? 0 : HAP_release_VTCM((void *)(uintptr_t)context);
}
