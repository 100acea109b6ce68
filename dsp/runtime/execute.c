/* SPDX-License-Identifier: MIT
 *
 * Executes one request: define, run, drop; then writes the response.
 *
 * The CPU may write to the request's memory at any time. The header and the tables are therefore copied before they are
 * checked, and no field is read twice.
 *
 * Caches: the CPU and the DSP do not share caches on every board, and a mapped buffer stays mapped over many requests.
 * The skel invalidates the lines of tensors that the CPU has written before the first op reads them, and cleans the
 * lines of tensors that the CPU will read after the last op (flags in program.h). Intermediate results need no
 * maintenance. The caller (FastRPC or queue.c) handles the response.
 */
#include "execute.h"

#include "clock.h"
#include "libc.h"
#include "ops/executor.h"

/* The fixed parts of a request, copied, and the addresses of its variable parts. */
struct job {
    struct phx_request header;
    struct phx_definition definition;
    const uint8_t *tables; /* follow the definition's header */
    const uint8_t *patches;
};

/* --- Parsing --- */

static uint32_t check_header(const struct phx_request *header) {
    const uint32_t flags = PHX_REQUEST_RECORDS | PHX_REQUEST_THREAD_RECORDS;
    if (header->magic != PHX_REQUEST_MAGIC) {
        return PHX_E_MAGIC;
    }
    if (header->version != PHX_CONTRACT_VERSION) {
        return PHX_E_VERSION;
    }
    if ((header->first_op && !(header->actions & PHX_RUN)) ||
        header->actions & ~(uint32_t)(PHX_DEFINE | PHX_RUN | PHX_DROP) || header->flags & ~flags ||
        (header->n_patches && !(header->actions & PHX_RUN))) {
        return PHX_E_RESERVED;
    }
    if (header->program >= PHX_MAX_PROGRAMS || header->n_patches > PHX_MAX_PATCHES) {
        return PHX_E_LIMIT;
    }
    return PHX_OK;
}

static uint32_t check_definition(const struct phx_definition *definition) {
    if (definition->n_buffers > PHX_MAX_BUFFERS || definition->n_tensors > PHX_MAX_TENSORS ||
        definition->n_ops > PHX_MAX_OPS) {
        return PHX_E_LIMIT;
    }
    return definition->reserved ? PHX_E_RESERVED : PHX_OK;
}

/* Copies and checks the fixed parts of a request, and checks that it is exactly as long as its tables and patches
 * need. */
static uint32_t read_request(const uint8_t *request, size_t n_request, struct job *job) {
    struct phx_request *header = &job->header;
    size_t size = sizeof(*header);
    if (n_request < size) {
        return PHX_E_SHORT;
    }
    memcpy(header, request, size);
    uint32_t status = check_header(header);
    if (status) {
        return status;
    }
    if (header->actions & PHX_DEFINE) {
        if (n_request < size + sizeof(job->definition)) {
            return PHX_E_SHORT;
        }
        memcpy(&job->definition, request + size, sizeof(job->definition));
        status = check_definition(&job->definition);
        if (status) {
            return status;
        }
        job->tables = request + size + sizeof(job->definition);
        size += phx_definition_bytes(&job->definition);
    }
    job->patches = request + size;
    size += header->n_patches * sizeof(struct phx_patch);
    if (header->size < size || n_request < size) {
        return PHX_E_SHORT;
    }
    return header->size > size ? PHX_E_RESERVED : PHX_OK;
}

/* --- Running --- */

static bool is_timed(const struct phx_request *header) {
    return header->flags & PHX_REQUEST_THREAD_RECORDS;
}

/* Returns the bytes of one op's records, thread records included. */
static size_t record_bytes(const struct phx_engine *engine, const struct phx_request *header) {
    if (!(header->flags & (PHX_REQUEST_RECORDS | PHX_REQUEST_THREAD_RECORDS))) {
        return 0;
    }
    size_t n_threads = is_timed(header) ? engine->pool.n_threads : 0;
    return sizeof(struct phx_op_record) + n_threads * sizeof(struct phx_thread_record);
}

static void write_thread_records(const struct phx_pool *pool, uint8_t *to) {
    for (uint32_t thread = 0; thread < pool->n_threads; thread++) {
        struct phx_thread_record record = phx_pool_thread_record(pool, thread);
        memcpy(to + thread * sizeof(record), &record, sizeof(record));
    }
}

/* Runs an op and the ops fused to it. */
static uint32_t run_op(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record) {
    uint32_t status = call->run(executor, call, record);
    const struct phx_call *last = call + call->n_fused - 1;
    executor->previous = last->dst[0]->n_bytes ? last->type : NULL; /* an op without elements leaves no scratch data */
    return status;
}

/* Runs an op as run_op() does and writes its records to `to`, which may be unaligned. */
static uint32_t run_op_recorded(struct phx_executor *executor, const struct phx_call *call, bool timed, uint8_t *to) {
    struct phx_pool *pool = executor->pool;
    struct phx_op_record record = {.start_ns = phx_now_ns()};
    phx_pool_count_start(pool, timed);
    record.status = run_op(executor, call, &record);
    phx_pool_count_end(pool, &record);
    record.dma_bytes = phx_streams_bytes(executor);
    record.end_ns = phx_now_ns();
    memcpy(to, &record, sizeof(record));
    if (timed) {
        write_thread_records(pool, to + sizeof(record));
    }
    return record.status;
}

/* Writes the records of the ops fused to the first one, whose record holds the cost: zero work at its end time. */
static void write_fused_records(uint8_t *records, size_t step, uint32_t n) {
    struct phx_op_record first, record = {0};
    memcpy(&first, records, sizeof(first));
    record.kernels = first.kernels;
    record.start_ns = record.end_ns = first.end_ns;
    for (uint32_t i = 1; i < n; i++) {
        memset(records + i * step, 0, step);
        memcpy(records + i * step, &record, sizeof(record));
    }
}

/* Returns the number of ops fused from `index` on, at least 1. */
static uint32_t fused_from(struct phx_program *program, uint32_t index) {
    struct phx_call *call = &program->calls[index];
    if (!call->n_fused) {
        uint32_t n = 1;
        while (index + n < program->n_ops && program->calls[index + n].may_fuse) {
            n++;
        }
        phx_fuse_calls(call, n);
    }
    return call->n_fused;
}

/* Forgets which ops are fused, because a run that begins within a group makes other groups. */
static void forget_groups(struct phx_program *program) {
    for (uint32_t i = 0; i < program->n_ops; i++) {
        program->calls[i].n_fused = 0;
    }
}

/* Runs the ops from first_op on until one fails. Returns the number of ops that ran. */
static uint32_t run_ops(struct phx_engine *engine, struct phx_executor *executor, struct phx_program *program,
                        const struct phx_request *header, uint8_t *records, struct phx_fault *fault) {
    size_t step = record_bytes(engine, header);
    struct phx_op_record ignored = {0};
    uint32_t n_fused;
    executor->end = program->calls + program->n_ops;
    executor->n_lengths = program->n_lengths;
    if (step) {
        phx_streams_bytes(executor); /* discards the bytes of earlier runs without records */
    }
    uint32_t first = header->first_op;
    for (uint32_t i = first; i < program->n_ops; i += n_fused) {
        n_fused = fused_from(program, i);
        const struct phx_call *call = &program->calls[i];
        uint32_t status = step ? run_op_recorded(executor, call, is_timed(header), records + (i - first) * step)
                               : run_op(executor, call, &ignored);
        uint32_t n_run = status ? executor->failed + 1 : n_fused;
        if (step && n_run > 1) {
            write_fused_records(records + (i - first) * step, step, n_run);
        }
        if (status) {
            phx_streams_close(executor);
            *fault = (struct phx_fault){status, i + executor->failed, PHX_NONE};
            return i + n_run - first;
        }
    }
    return program->n_ops - first;
}

static void clean_results(const struct phx_program *program) {
    for (uint32_t i = 0; i < program->n_host_reads; i++) {
        const struct phx_operand *operand = &program->operands[program->host_reads[i]];
        if (operand->n_bytes) {
            qurt_mem_cache_clean((uintptr_t)operand->data, operand->n_bytes, QURT_MEM_CACHE_FLUSH, QURT_MEM_DCACHE);
        }
    }
}

static void drop(struct phx_engine *engine, uint32_t number) {
    phx_program_free(engine->programs[number]);
    engine->programs[number] = NULL;
}

void phx_execute_drop_all(struct phx_engine *engine) {
    for (uint32_t i = 0; i < PHX_MAX_PROGRAMS; i++) {
        drop(engine, i);
    }
}

/* Prepares and runs a program. Returns the number of ops that ran. */
static uint32_t run(struct phx_engine *engine, struct phx_executor *executor, const struct job *job, uint8_t *records,
                    struct phx_fault *fault) {
    const struct phx_request *header = &job->header;
    struct phx_program *program = engine->programs[header->program];
    *fault = phx_program_prepare(executor, &engine->maps, program, job->patches, header->n_patches);
    if (fault->status) {
        if (header->n_patches) {
            drop(engine, header->program);
        }
        return 0;
    }
    if (header->first_op) {
        forget_groups(program);
    }
    phx_pool_begin(&engine->pool);
    uint32_t n_run = run_ops(engine, executor, program, header, records, fault);
    phx_pool_end(&engine->pool);
    if (header->first_op) {
        forget_groups(program);
    }
    clean_results(program);
    return n_run;
}

/* --- Logging of faults --- */

/* Without memory, the host enlarges the workspace and sends the rest again; if it cannot, it raises an error. */
static void log_fault(struct phx_log *log, const struct phx_request *header, const struct phx_fault *fault) {
    phx_log_write(log, fault->status == PHX_E_NO_MEMORY ? PHX_LOG_DEBUG : PHX_LOG_WARNING,
                  "request %u: status %u, op %d, tensor %d; magic %x, version %u, %u bytes, actions %x, program %u, "
                  "flags %x, %u patches",
                  (unsigned)header->sequence, (unsigned)fault->status, (int)fault->op, (int)fault->tensor,
                  (unsigned)header->magic, (unsigned)header->version, (unsigned)header->size, (unsigned)header->actions,
                  (unsigned)header->program, (unsigned)header->flags, (unsigned)header->n_patches);
}

static void log_op(struct phx_log *log, const struct phx_op *op) {
    phx_log_write(log, PHX_LOG_WARNING, "op: code %u, kernels %u, src %d %d %d %d %d %d %d %d, dst %d %d %d %d",
                  (unsigned)op->code, (unsigned)op->kernels, (int)op->src[0], (int)op->src[1], (int)op->src[2],
                  (int)op->src[3], (int)op->src[4], (int)op->src[5], (int)op->src[6], (int)op->src[7], (int)op->dst[0],
                  (int)op->dst[1], (int)op->dst[2], (int)op->dst[3]);
}

static void log_tensor(struct phx_log *log, const struct phx_tensor *view) {
    phx_log_write(log, PHX_LOG_WARNING,
                  "tensor: dtype %u, layout %u, buffer %u, offset %u, ne %u %u %u %u, nb %u %u %u %u, flags %u",
                  (unsigned)view->dtype, (unsigned)view->layout, (unsigned)view->buffer, (unsigned)view->offset,
                  (unsigned)view->ne[0], (unsigned)view->ne[1], (unsigned)view->ne[2], (unsigned)view->ne[3],
                  (unsigned)view->nb[0], (unsigned)view->nb[1], (unsigned)view->nb[2], (unsigned)view->nb[3],
                  (unsigned)view->flags);
}

/* Logs the op and the tensor at fault in a refused definition. */
static void log_definition(struct phx_log *log, const struct job *job, const struct phx_fault *fault) {
    const struct phx_definition *definition = &job->definition;
    const uint8_t *tensors = job->tables + definition->n_buffers * sizeof(struct phx_buffer);
    if (fault->op < definition->n_ops) {
        struct phx_op op;
        memcpy(&op, tensors + definition->n_tensors * sizeof(struct phx_tensor) + fault->op * sizeof(op), sizeof(op));
        log_op(log, &op);
    }
    if (fault->tensor < definition->n_tensors) {
        struct phx_tensor view;
        memcpy(&view, tensors + fault->tensor * sizeof(view), sizeof(view));
        log_tensor(log, &view);
    }
}

/* Reports the run's failures of user DMA in the response, and logs the first ones of the session. */
static void report_dma(struct phx_engine *engine, const struct phx_executor *executor, struct phx_response *answer) {
    struct phx_dma_faults faults = phx_streams_faults(executor);
    answer->n_dma_failures = faults.n_failures;
    answer->n_dma_fallbacks = faults.n_fallbacks;
    if (faults.n_failures && !engine->is_dma_logged) {
        engine->is_dma_logged = true;
        phx_log_write(&engine->log, PHX_LOG_WARNING,
                      "user DMA failed %u times; %u pieces of weights were read from memory, which is slower",
                      (unsigned)faults.n_failures, (unsigned)faults.n_fallbacks);
    }
}

/* --- Entry --- */

static int execute(struct phx_engine *engine, const void *request, size_t n_request, void *response,
                   size_t n_response) {
    uint64_t packets = phx_packets();
    engine->pool.wait_packets = 0;
    engine->workspace.needed = 0;
    struct phx_response answer = {
        .magic = PHX_RESPONSE_MAGIC,
        .version = PHX_CONTRACT_VERSION,
        .n_threads = engine->pool.n_threads,
        .start_ns = phx_now_ns(),
    };
    struct job job = {0};
    struct phx_fault fault = PHX_NO_FAULT;
    if (n_response < sizeof(answer)) {
        return DSP_EBADPARM;
    }
    fault.status = read_request(request, n_request, &job);
    uint32_t actions = fault.status ? 0 : job.header.actions, number = job.header.program, n_ops = 0;
    if (actions & PHX_DEFINE) {
        n_ops = job.definition.n_ops;
    } else if (actions && !engine->programs[number]) {
        fault.status = PHX_E_PROGRAM;
    } else if (actions) {
        n_ops = engine->programs[number]->n_ops;
    }
    size_t step = record_bytes(engine, &job.header);
    if (!fault.status && job.header.first_op > n_ops) {
        fault.status = PHX_E_INDEX;
    }
    if (!fault.status && actions & PHX_RUN && n_response < sizeof(answer) + n_ops * step) {
        return DSP_EBADPARM;
    }
    if (!fault.status && engine->pool.n_threads == 0) {
        fault.status = PHX_E_NOT_STARTED;
    }
    struct phx_executor executor = {.pool = &engine->pool,
                                    .scratch = &engine->scratch,
                                    .vtcm = &engine->vtcm,
                                    .streams = &engine->streams,
                                    .user_kernels = &engine->user_kernels,
                                    .log = &engine->log};
    if (!fault.status && actions & PHX_DEFINE) {
        drop(engine, number);
        fault = phx_program_define(&executor, &engine->workspace, &engine->maps, &job.definition, job.tables,
                                   &engine->programs[number]);
        if (fault.status) {
            log_definition(&engine->log, &job, &fault);
        }
    }
    if (!fault.status && actions & PHX_RUN) {
        uint32_t n_run = run(engine, &executor, &job, (uint8_t *)response + sizeof(answer), &fault);
        answer.n_records = step ? n_run : 0;
        answer.n_dispatches = engine->pool.n_dispatches;
        answer.n_signals = engine->pool.n_signals;
        report_dma(engine, &executor, &answer);
    }
    if (actions & PHX_DROP) {
        drop(engine, number);
    }
    answer.sequence = job.header.sequence;
    answer.size = (uint32_t)(sizeof(answer) + answer.n_records * step);
    answer.status = fault.status;
    answer.workspace_needed = fault.status == PHX_E_NO_MEMORY ? engine->workspace.needed : 0;
    answer.failed_op = fault.op;
    answer.failed_tensor = fault.tensor;
    answer.end_ns = phx_now_ns();
    if (fault.status) {
        log_fault(&engine->log, &job.header, &fault);
    } else {
        phx_log_write(&engine->log, PHX_LOG_DEBUG, "request %u: program %u, %u ops, %u us", (unsigned)answer.sequence,
                      (unsigned)number, (unsigned)n_ops, (unsigned)((answer.end_ns - answer.start_ns) / 1000));
    }
    answer.packets = phx_packets() - packets - engine->pool.wait_packets;
    memcpy(response, &answer, sizeof(answer));
    return AEE_SUCCESS;
}

struct handed_over {
    struct phx_engine *engine;
    const void *request;
    size_t n_request;
    void *response;
    size_t n_response;
    int error;
};

static void execute_handed_over(void *argument) {
    struct handed_over *call = argument;
    call->error = execute(call->engine, call->request, call->n_request, call->response, call->n_response);
}

int phx_execute(struct phx_engine *engine, const void *request, size_t n_request, void *response, size_t n_response) {
    struct handed_over call = {engine, request, n_request, response, n_response, AEE_SUCCESS};
    if (engine->pool.n_threads) {
        phx_job_thread_call(&engine->job_thread, execute_handed_over, &call);
    } else {
        execute_handed_over(&call);
    }
    return call.error;
}
