/* SPDX-License-Identifier: MIT
 *
 * Sessions, handles, invokes and mappings of FastRPC: what a client needs of upstream's remote.h, in its order and with
 * its names.
 *
 * Plain enough that cffi parses it and a C compiler accepts it after <stddef.h> and <stdint.h>; no guard, no includes.
 * The loopback is compiled against the same file. tests/abi holds it against the recorded ABI.
 */

#define ADSP_DOMAIN_ID 0
#define MDSP_DOMAIN_ID 1
#define SDSP_DOMAIN_ID 2
#define CDSP_DOMAIN_ID 3
#define CDSP1_DOMAIN_ID 4
#define GDSP0_DOMAIN_ID 5
#define GDSP1_DOMAIN_ID 6

#define MAX_DOMAIN_URI_SIZE 12
#define FASTRPC_WAKELOCK_CONTROL_SUPPORTED 1

typedef struct domain {
    int id;
    char uri[MAX_DOMAIN_URI_SIZE];
} domain_t;

/* Attributes of a registered buffer. */
#define FASTRPC_ATTR_NONE 0
#define FASTRPC_ATTR_NON_COHERENT 2
#define FASTRPC_ATTR_COHERENT 4
#define FASTRPC_ATTR_KEEP_MAP 8
#define FASTRPC_ATTR_NOMAP 16
#define FASTRPC_ATTR_FORCE_NOFLUSH 32
#define FASTRPC_ATTR_FORCE_NOINVALIDATE 64
#define FASTRPC_ATTR_TRY_MAP_STATIC 128

#define REMOTE_MODE_PARALLEL 0
#define REMOTE_MODE_SERIAL 1

typedef uint32_t remote_handle;
typedef uint64_t remote_handle64;

typedef struct {
    void *pv;
    size_t nLen;
} remote_buf;

typedef struct {
    uint64_t pv;
    int64_t nLen;
} remote_buf64;

typedef struct {
    int32_t fd;
    uint32_t offset;
} remote_dma_handle;

typedef struct {
    int32_t fd;
    uint32_t offset;
    uint32_t len;
} remote_dma_handle64;

/* An array of these goes with a scalars word; order: in buffers, out buffers, in handles, out handles. */
typedef union {
    remote_buf buf;
    remote_handle h;
    remote_handle64 h64;
    remote_dma_handle dma;
} remote_arg;

typedef union {
    remote_buf64 buf;
    remote_handle h;
    remote_handle64 h64;
    remote_dma_handle64 dma;
} remote_arg64;

enum fastrpc_async_notify_type {
    FASTRPC_ASYNC_NO_SYNC = 0,
    FASTRPC_ASYNC_CALLBACK = 1,
    FASTRPC_ASYNC_POLL = 2
};

typedef uint64_t fastrpc_async_jobid;

typedef struct fastrpc_async_callback {
    void (*fn)(fastrpc_async_jobid jobid, void *context, int result);
    void *context;
} fastrpc_async_callback_t;

typedef struct fastrpc_async_descriptor {
    enum fastrpc_async_notify_type type;
    fastrpc_async_jobid jobid;
    fastrpc_async_callback_t cb;
} fastrpc_async_descriptor_t;

/* --- Requests of remote_handle_control and remote_handle64_control --- */

enum remote_rpc_latency_flags {
    RPC_DISABLE_QOS = 0,
    RPC_PM_QOS = 1,
    RPC_ADAPTIVE_QOS = 2,
    RPC_POLL_QOS = 3
};

struct remote_rpc_control_latency {
    uint32_t enable;  /* enum remote_rpc_latency_flags */
    uint32_t latency; /* microseconds */
};

enum remote_dsp_attributes {
    DOMAIN_SUPPORT = 0,
    UNSIGNED_PD_SUPPORT = 1,
    HVX_SUPPORT_64B = 2,
    HVX_SUPPORT_128B = 3,
    VTCM_PAGE = 4,
    VTCM_COUNT = 5,
    ARCH_VER = 6,
    HMX_SUPPORT_DEPTH = 7,
    HMX_SUPPORT_SPATIAL = 8,
    ASYNC_FASTRPC_SUPPORT = 9,
    STATUS_NOTIFICATION_SUPPORT = 10,
    MCID_MULTICAST = 11
};

typedef struct remote_dsp_capability {
    uint32_t domain;
    uint32_t attribute_ID; /* enum remote_dsp_attributes */
    uint32_t capability;   /* the answer */
} fastrpc_capability;

struct remote_rpc_control_wakelock {
    uint32_t enable;
};

typedef struct remote_rpc_get_domain {
    int domain; /* the answer */
} remote_rpc_get_domain_t;

struct remote_control_custom_path {
    int32_t value_size;
    const char *path;
    char *value;
};

enum handle_control_req_id {
    DSPRPC_RESERVED = 0,
    DSPRPC_CONTROL_LATENCY = 1,
    DSPRPC_GET_DSP_INFO = 2,
    DSPRPC_CONTROL_WAKELOCK = 3,
    DSPRPC_GET_DOMAIN = 4,
    DSPRPC_SET_PATH = 5,
    DSPRPC_GET_PATH = 6,
    DSPRPC_SMMU_SUPPORT = 7,
    DSPRPC_KALLOC_SUPPORT = 8,
    DSPRPC_PM = 9,
    DSPRPC_RPC_POLL = 10,
    DSPRPC_ASYNC_WAKE = 11,
    DSPRPC_NOTIF_WAKE = 12,
    DSPRPC_REMOTE_PROCESS_KILL = 13,
    DSPRPC_SET_MODE = 14
};

/* --- Requests of remote_session_control; domain is an effective id, -1 means all --- */

struct remote_rpc_thread_params {
    int domain;
    int prio;       /* 1..255, -1 keeps */
    int stack_size; /* 16384..8388608, -1 keeps */
};

struct remote_rpc_control_unsigned_module {
    int domain;
    int enable;
};

struct remote_rpc_relative_thread_priority {
    int domain;
    int relative_thread_priority;
};

struct remote_rpc_process_clean_params {
    int domain;
};

struct remote_rpc_session_close {
    int domain;
};

struct remote_rpc_control_pd_dump {
    int domain;
    int enable;
};

enum fastrpc_process_type {
    PROCESS_TYPE_SIGNED = 0,
    PROCESS_TYPE_UNSIGNED = 1
};

struct remote_process_type {
    int domain;
    int process_type; /* the answer: enum fastrpc_process_type, or -1 */
};

typedef struct remote_rpc_process_clean_params remote_rpc_process_exception;

typedef enum remote_rpc_status_flags {
    FASTRPC_USER_PD_UP = 0,
    FASTRPC_USER_PD_EXIT = 1,
    FASTRPC_USER_PD_FORCE_KILL = 2,
    FASTRPC_USER_PD_EXCEPTION = 3,
    FASTRPC_DSP_SSR = 4
} remote_rpc_status_flags_t;

typedef int (*fastrpc_notif_fn_t)(void *context, int domain, int session, remote_rpc_status_flags_t status);

typedef struct remote_rpc_notif_register {
    void *context;
    int domain;
    fastrpc_notif_fn_t notifier_fn;
} remote_rpc_notif_register_t;

struct remote_rpc_pd_initmem_size {
    int domain;
    uint32_t pd_initmem_size;
};

typedef struct remote_rpc_reserve_new_session {
    char *domain_name;
    uint32_t domain_name_len;
    char *session_name;
    uint32_t session_name_len;
    uint32_t effective_domain_id; /* an answer */
    uint32_t session_id;          /* an answer */
} remote_rpc_reserve_new_session_t;

typedef struct remote_rpc_effective_domain_id {
    char *domain_name;
    uint32_t domain_name_len;
    uint32_t session_id;
    uint32_t effective_domain_id; /* the answer */
} remote_rpc_effective_domain_id_t;

typedef struct remote_rpc_get_uri {
    char *domain_name;
    uint32_t domain_name_len;
    uint32_t session_id;
    char *module_uri;
    uint32_t module_uri_len;
    char *uri; /* room for the answer */
    uint32_t uri_len;
} remote_rpc_get_uri_t;

typedef struct fastrpc_context_create {
    uint32_t *effec_domain_ids;
    uint32_t num_domain_ids;
    uint64_t flags;
    uint64_t ctx; /* the answer */
} fastrpc_context_create;

typedef struct fastrpc_context_destroy {
    uint64_t ctx;
    uint64_t flags;
} fastrpc_context_destroy;

enum session_control_req_id {
    FASTRPC_RESERVED_1 = 0,
    FASTRPC_THREAD_PARAMS = 1,
    DSPRPC_CONTROL_UNSIGNED_MODULE = 2,
    FASTRPC_RESERVED_2 = 3,
    FASTRPC_RELATIVE_THREAD_PRIORITY = 4,
    FASTRPC_RESERVED_3 = 5,
    FASTRPC_REMOTE_PROCESS_KILL = 6,
    FASTRPC_SESSION_CLOSE = 7,
    FASTRPC_CONTROL_PD_DUMP = 8,
    FASTRPC_REMOTE_PROCESS_EXCEPTION = 9,
    FASTRPC_REMOTE_PROCESS_TYPE = 10,
    FASTRPC_REGISTER_STATUS_NOTIFICATIONS = 11,
    FASTRPC_PD_INITMEM_SIZE = 12,
    FASTRPC_RESERVE_NEW_SESSION = 13,
    FASTRPC_GET_EFFECTIVE_DOMAIN_ID = 14,
    FASTRPC_GET_URI = 15,
    FASTRPC_MAX_THREAD_PARAM = 16,
    FASTRPC_CONTEXT_CREATE = 17,
    FASTRPC_CONTEXT_DESTROY = 18
};

/* --- Mapping --- */

enum remote_mem_map_flags {
    REMOTE_MAP_MEM_STATIC = 0
};

enum fastrpc_map_flags {
    FASTRPC_MAP_STATIC = 0,
    FASTRPC_MAP_RESERVED = 1,
    FASTRPC_MAP_FD = 2,
    FASTRPC_MAP_FD_DELAYED = 3,
    FASTRPC_MAP_RESERVED_4 = 4,
    FASTRPC_MAP_RESERVED_5 = 5,
    FASTRPC_MAP_RESERVED_6 = 6,
    FASTRPC_MAP_RESERVED_7 = 7,
    FASTRPC_MAP_RESERVED_8 = 8,
    FASTRPC_MAP_RESERVED_9 = 9,
    FASTRPC_MAP_RESERVED_10 = 10,
    FASTRPC_MAP_RESERVED_11 = 11,
    FASTRPC_MAP_RESERVED_12 = 12,
    FASTRPC_MAP_RESERVED_13 = 13,
    FASTRPC_MAP_RESERVED_14 = 14,
    FASTRPC_MAP_RESERVED_15 = 15,
    FASTRPC_MAP_FD_NOMAP = 16
};

/* --- Functions --- */

int remote_handle_open(const char *name, remote_handle *ph);
int remote_handle64_open(const char *name, remote_handle64 *ph);
int remote_handle_invoke(remote_handle h, uint32_t dwScalars, remote_arg *pra);
/* Careful: 0 and no call at all when h is unknown or closed. */
int remote_handle64_invoke(remote_handle64 h, uint32_t dwScalars, remote_arg *pra);
int remote_handle_close(remote_handle h);
/* Careful: exactly once per handle; a second close destroys the session. */
int remote_handle64_close(remote_handle64 h);
int remote_handle_control(uint32_t req, void *data, uint32_t datalen);
int remote_handle64_control(remote_handle64 h, uint32_t req, void *data, uint32_t datalen);
int remote_session_control(uint32_t req, void *data, uint32_t datalen);
/* The two async invokes: older libraries only, and of no use there (AEE_EUNSUPPORTED). */
int remote_handle_invoke_async(remote_handle h, fastrpc_async_descriptor_t *desc, uint32_t dwScalars, remote_arg *pra);
int remote_handle64_invoke_async(remote_handle64 h, fastrpc_async_descriptor_t *desc, uint32_t dwScalars,
                                 remote_arg *pra);
int fastrpc_async_get_status(fastrpc_async_jobid jobid, int timeout_us, int *result);
int fastrpc_release_async_job(fastrpc_async_jobid jobid);
int remote_mmap(int fd, uint32_t flags, uint32_t vaddrin, int size, uint32_t *vaddrout);
int remote_munmap(uint32_t vaddrout, int size);
int remote_mem_map(int domain, int fd, int flags, uint64_t virtAddr, size_t size, uint64_t *remoteVirtAddr);
int remote_mem_unmap(int domain, uint64_t remoteVirtAddr, size_t size);
int remote_mmap64(int fd, uint32_t flags, uint64_t vaddrin, int64_t size, uint64_t *vaddrout);
int remote_munmap64(uint64_t vaddrout, int64_t size);
int fastrpc_mmap(int domain, int fd, void *addr, int offset, size_t length, enum fastrpc_map_flags flags);
int fastrpc_munmap(int domain, int fd, void *addr, size_t length);
/* fd -1 takes the registration back and needs the same size: another size aborts the process. */
void remote_register_buf(void *buf, int size, int fd);
void remote_register_buf_attr(void *buf, int size, int fd, int attr);
void remote_register_buf_attr2(void *buf, size_t size, int fd, int attr);
int remote_register_dma_handle(int fd, uint32_t len);
int remote_register_dma_handle_attr(int fd, uint32_t len, uint32_t attr);
void *remote_register_fd(int fd, int size);
void *remote_register_fd2(int fd, size_t size);
