/* SPDX-License-Identifier: MIT
 *
 * The system calls. A device is a file of that name that the tests create (below QEMU's -L); its descriptor is a real
 * one, and `devices` maps it to its state.
 */
#define _GNU_SOURCE
#include "bridge.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NODE "/dev/fastrpc-cdsp"
#define HEAP "/dev/dma_heap/system"
#define MAX_FD 4096
#define ATTRIBUTE_UNSIGNED FASTRPC_MODE_UNSIGNED_MODULE

enum kind {
    NO_DEVICE,
    FASTRPC,
    DMA_HEAP
};

static struct {
    enum kind kind;
    struct process *process; /* of a FastRPC device, once created */
} devices[MAX_FD];

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* --- Failures on demand --- */

#define REQUEST_NAME(name) #name,
static const char *const names[] = {REQUESTS(REQUEST_NAME)};
static _Atomic int failures[N_REQUESTS];
static _Atomic uint32_t counts[N_REQUESTS];

static int number_of(const char *name) {
    for (int i = 0; i < N_REQUESTS; i++) {
        if (strcmp(name, names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

/* Makes requests of that name fail with this code from now on; 0 ends it. */
PUBLIC int bridge_fail(const char *name, int code) {
    int i = number_of(name);
    if (i < 0) {
        return -1;
    }
    atomic_store(&failures[i], code);
    return 0;
}

/* Returns the number of requests of that name. */
PUBLIC uint32_t bridge_count(const char *name) {
    int i = number_of(name);
    return i < 0 ? UINT32_MAX : atomic_load(&counts[i]);
}

/* BRIDGE_FAIL="name=code;...": applies from the start, because the library opens the heap when it is loaded. */
__attribute__((constructor)) static void init(void) {
    const char *environment = getenv("BRIDGE_FAIL");
    char *copy = environment != NULL ? strdup(environment) : NULL;
    char *rest = NULL;
    for (char *one = copy ? strtok_r(copy, ";", &rest) : NULL; one != NULL; one = strtok_r(NULL, ";", &rest)) {
        char *code = strchr(one, '=');
        if (code == NULL) {
            abort();
        }
        *code++ = '\0';
        if (bridge_fail(one, (int)strtoul(code, NULL, 0)) != 0) {
            abort();
        }
    }
    free(copy);
}

int request(enum request request) {
    atomic_fetch_add(&counts[request], 1);
    return atomic_load(&failures[request]);
}

int failed(int number) {
    errno = number;
    return -1;
}

/* Kills every DSP process, as a restart of the DSP does. */
PUBLIC void bridge_kill(void) {
    for (int fd = 0; fd < MAX_FD; fd++) {
        if (devices[fd].process != NULL) {
            process_die(devices[fd].process);
        }
    }
}

/* Makes them stop answering (1) or resume (0). */
PUBLIC void bridge_stall(int on) {
    for (int fd = 0; fd < MAX_FD; fd++) {
        if (devices[fd].process != NULL) {
            dsp()->stall(devices[fd].process->effective, on);
        }
    }
}

/* --- Files --- */

static enum kind kind_of(const char *path) {
    return strcmp(path, NODE) == 0 ? FASTRPC : strcmp(path, HEAP) == 0 ? DMA_HEAP : NO_DEVICE;
}

/* QEMU's access does not search below -L. */
PUBLIC int access(const char *path, int mode) {
    enum kind kind = kind_of(path);
    if (kind == NO_DEVICE) {
        return (int)syscall(SYS_faccessat, AT_FDCWD, path, mode, 0);
    }
    int refused = atomic_load(&failures[kind == FASTRPC ? REQUEST_open : REQUEST_heap]);
    if (refused != 0) {
        return failed(refused);
    }
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    return fd < 0 ? -1 : (int)syscall(SYS_close, fd);
}

PUBLIC int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    enum kind kind = kind_of(path);
    int refused = kind != NO_DEVICE ? request(kind == FASTRPC ? REQUEST_open : REQUEST_heap) : 0;
    if (refused != 0) {
        return failed(refused);
    }
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (fd >= MAX_FD) {
        abort();
    }
    if (fd >= 0) {
        devices[fd].kind = kind;
    }
    return fd;
}

PUBLIC int close(int fd) {
    if (fd >= 0 && fd < MAX_FD && devices[fd].kind != NO_DEVICE) {
        struct process *process = devices[fd].process;
        devices[fd].kind = NO_DEVICE;
        devices[fd].process = NULL;
        if (process != NULL) {
            process_destroy(process);
        }
    }
    return (int)syscall(SYS_close, fd);
}

static int allocate(uint64_t size) {
    int refused = request(REQUEST_alloc);
    if (refused != 0) {
        return failed(refused);
    }
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    int fd = memfd_create("dma-buf", MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, (off_t)((size + page - 1) / page * page)) != 0) {
        syscall(SYS_close, fd);
        return -1;
    }
    return fd;
}

static int heap_ioctl(unsigned long what, void *argument) {
    struct dma_heap_allocation_data *data = argument;
    if (what != DMA_HEAP_IOCTL_ALLOC) {
        return failed(ENOTTY);
    }
    int fd = allocate(data->len);
    data->fd = (uint32_t)fd;
    return fd < 0 ? -1 : 0;
}

static int create(int fd, const struct fastrpc_init_create *init) {
    struct process *process = calloc(1, sizeof *process); /* never freed: threads of the library may still access it */
    if (process == NULL) {
        return failed(ENOMEM);
    }
    int result = process_create(process, (init->attrs & ATTRIBUTE_UNSIGNED) != 0);
    if (result == 0) {
        devices[fd].process = process;
    }
    return result;
}

static int fastrpc_ioctl(int fd, unsigned long what, void *argument) {
    struct fastrpc_alloc_dma_buf *buffer = argument;
    struct fastrpc_ioctl_capability *capability = argument;
    struct process *process = devices[fd].process;
    switch (what) {
    case FASTRPC_IOCTL_ALLOC_DMA_BUFF:
        buffer->fd = allocate(buffer->size);
        return buffer->fd < 0 ? -1 : 0;
    case FASTRPC_IOCTL_GET_DSP_INFO:
        return process_capability(capability->attribute_id, &capability->capability);
    case FASTRPC_IOCTL_INIT_CREATE:
        return create(fd, argument);
    default:
        break;
    }
    if (process == NULL) {
        return failed(EINVAL);
    }
    switch (what) {
    case FASTRPC_IOCTL_INVOKE:
        return process_invoke(process, argument);
    case FASTRPC_IOCTL_MEM_MAP:
        return process_map(process, argument);
    case FASTRPC_IOCTL_MEM_UNMAP:
        return process_unmap(process, argument);
    default:
        return failed(ENOTTY);
    }
}

PUBLIC int ioctl(int fd, unsigned long what, ...) {
    va_list more;
    va_start(more, what);
    void *argument = va_arg(more, void *);
    va_end(more);
    enum kind kind = fd >= 0 && fd < MAX_FD ? devices[fd].kind : NO_DEVICE;
    if (kind == FASTRPC) {
        return fastrpc_ioctl(fd, what, argument);
    }
    return kind == DMA_HEAP ? heap_ioctl(what, argument) : (int)syscall(SYS_ioctl, fd, what, argument);
}
