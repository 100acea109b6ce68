/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_DESCRIBE_H
#define FUZZ_DESCRIBE_H

#include <stdio.h>

#include "requests.h"

/* The ops of a request that nothing has broken, and their tensors, for a reader. */
void describe_request(FILE *to, const struct fuzz_request *request);

#endif
