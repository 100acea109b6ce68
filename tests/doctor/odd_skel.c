/* SPDX-License-Identifier: MIT
 *
 * A skel with another contract version, or one that ends or stalls its process in the call that returns the version.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct argument {
    void *pointer;
    size_t length;
};

__attribute__((visibility("default"))) int pyhexagon_skel_handle_invoke(uint64_t handle, uint32_t scalars,
                                                                        struct argument *arguments) {
    uint32_t method = scalars >> 24 & 31;
    (void)handle;
    if (method == 0) {
        uint64_t one = 1;
        memcpy(&arguments[2], &one, sizeof one); /* a handle is stored in the argument itself */
    } else if (method == 2) {
#if defined HANGS
        for (;;) {
            sleep(1);
        }
#elif defined DIES
        _exit(3);
#else
        uint32_t version = 99;
        memset(arguments[0].pointer, 0, arguments[0].length);
        memcpy(arguments[0].pointer, &version, sizeof version);
#endif
    }
    return 0;
}
