/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_DESCRIBE_H
#define FUZZ_DESCRIBE_H

#include <stdio.h>

#include "requests.h"

/* Prints the ops of an unmutated request, and their tensors. */
void describe_request(FILE *to, const struct fuzz_request *request);

#endif
