/* SPDX-License-Identifier: MIT
 *
 * Runs a batch: check, ops in order, response.
 *
 * Caches. The CPU and the DSP do not share caches on every board, and a mapped buffer stays mapped over many batches.
 * So lines of tensors that the CPU has written since are dropped before the first op reads them, and results are
 * written back after the last. The response is the caller's: FastRPC or queue.c takes care of it.
 */
#include "execute.h"

#include "clock.h"
#include "ops.h"

static void clean(const struct phx_span *span, unsigned int operation) {
    if (span->n_bytes) {
        qurt_mem_cache_clean((uintptr_t)span->data, span->n_bytes, operation, QURT_MEM_DCACHE);
    }
}

static void drop_stale_lines(const struct phx_program *program) {
    for (uint32_t i = 0; i < program->header.n_tensors; i++) {
        if (program->tensors[i].flags & PHX_TENSOR_HOST_WROTE) {
            clean(&program->spans[i], QURT_MEM_CACHE_FLUSH_INVALIDATE);
        }
    }
}

static bool is_timed(const struct phx_batch *header) {
    return header->flags & PHX_BATCH_THREAD_RECORDS;
}

/* Bytes of an op's records. */
static size_t record_bytes(const struct phx_engine *engine, const struct phx_batch *header) {
    size_t n_threads = is_timed(header) ? engine->pool.n_threads : 0;
    return sizeof(struct phx_op_record) + n_threads * sizeof(struct phx_thread_record);
}

static void write_thread_records(const struct phx_pool *pool, uint8_t *to) {
    for (uint32_t thread = 0; thread < pool->n_threads; thread++) {
        struct phx_thread_record record = phx_pool_thread_record(pool, thread);
        memcpy(to + thread * sizeof(record), &record, sizeof(record));
    }
}

/* Writes the records of each op to `records`, which may be unaligned; returns the number of ops. */
static uint32_t run_ops(struct phx_engine *engine, const struct phx_program *program, uint8_t *records,
                        struct phx_fault *fault) {
    struct phx_kept kept = {0};
    struct phx_executor executor = {&engine->pool, &engine->scratch, &kept, engine->streams, program->header.kernels};
    bool timed = is_timed(&program->header);
    size_t step = record_bytes(engine, &program->header);
    for (uint32_t i = 0; i < program->header.n_ops; i++) {
        const struct phx_op *op = &program->ops[i];
        const struct phx_op_type *type = phx_op_type(op->code);
        struct phx_op_record record = {.start_ns = phx_now_ns()};
        phx_pool_count_start(&engine->pool, timed);
        record.status = type->run(&executor, program, op, &record);
        phx_pool_count_end(&engine->pool, &record);
        record.dma_bytes = phx_streams_moved(engine->streams, engine->pool.n_threads);
        record.end_ns = phx_now_ns();
        phx_kept_written(&kept, &program->spans[op->dst]);
        memcpy(records + i * step, &record, sizeof(record));
        if (timed) {
            write_thread_records(&engine->pool, records + i * step + sizeof(record));
        }
        clean(&program->spans[op->dst], QURT_MEM_CACHE_FLUSH);
        if (record.status) {
            *fault = (struct phx_fault){record.status, i, PHX_NONE};
            return i + 1;
        }
    }
    return program->header.n_ops;
}

static void log_tensor(struct phx_log *log, uint32_t index, const struct phx_tensor *tensor) {
    phx_log_write(log, PHX_LOG_WARNING,
                  "tensor %u: dtype %u, layout %u, buffer %u, offset %u, ne %u %u %u %u, nb %u %u %u %u, flags %u",
                  (unsigned)index, (unsigned)tensor->dtype, (unsigned)tensor->layout, (unsigned)tensor->buffer,
                  (unsigned)tensor->offset, (unsigned)tensor->ne[0], (unsigned)tensor->ne[1], (unsigned)tensor->ne[2],
                  (unsigned)tensor->ne[3], (unsigned)tensor->nb[0], (unsigned)tensor->nb[1], (unsigned)tensor->nb[2],
                  (unsigned)tensor->nb[3], (unsigned)tensor->flags);
}

/* What was wrong with a batch: its numbers, then the op and the tensor at fault, as far as they are known. */
static void log_fault(struct phx_log *log, const struct phx_program *program, const struct phx_fault *fault) {
    const struct phx_batch *header = &program->header;
    phx_log_write(log, PHX_LOG_WARNING,
                  "batch %u: status %u; magic %x, version %u, %u bytes, %u buffers, %u tensors, %u ops, kernels %u",
                  (unsigned)header->sequence, (unsigned)fault->status, (unsigned)header->magic,
                  (unsigned)header->version, (unsigned)header->size, (unsigned)header->n_buffers,
                  (unsigned)header->n_tensors, (unsigned)header->n_ops, (unsigned)header->kernels);
    if (program->ops && fault->op < header->n_ops) {
        const struct phx_op *op = &program->ops[fault->op];
        phx_log_write(log, PHX_LOG_WARNING, "op %u: code %u, src %d %d %d %d, dst %d", (unsigned)fault->op,
                      (unsigned)op->code, (int)op->src[0], (int)op->src[1], (int)op->src[2], (int)op->src[3],
                      (int)op->dst);
    }
    if (program->tensors && fault->tensor < header->n_tensors) {
        log_tensor(log, fault->tensor, &program->tensors[fault->tensor]);
    }
}

int phx_execute(struct phx_engine *engine, const void *batch, size_t n_batch, void *response, size_t n_response) {
    struct phx_program program = {0};
    struct phx_response answer = {
        .magic = PHX_RESPONSE_MAGIC,
        .version = PHX_CONTRACT_VERSION,
        .n_threads = engine->pool.n_threads,
        .start_ns = phx_now_ns(),
    };
    if (n_response < sizeof(answer)) {
        return DSP_EBADPARM;
    }
    struct phx_fault fault = phx_check_header(batch, n_batch, &program);
    answer.sequence = program.header.sequence;
    if (!fault.status) {
        if (n_response < sizeof(answer) + program.header.n_ops * record_bytes(engine, &program.header)) {
            return DSP_EBADPARM;
        }
        if (engine->pool.n_threads == 0) {
            fault.status = PHX_E_NOT_STARTED;
        }
    }
    if (!fault.status) {
        fault = phx_check_tables(batch, &engine->maps, &engine->tables, &program);
    }
    if (!fault.status) {
        drop_stale_lines(&program);
        answer.n_records = run_ops(engine, &program, (uint8_t *)response + sizeof(answer), &fault);
    }
    answer.size = (uint32_t)(sizeof(answer) + answer.n_records * record_bytes(engine, &program.header));
    answer.status = fault.status;
    answer.failed_op = fault.op;
    answer.failed_tensor = fault.tensor;
    answer.end_ns = phx_now_ns();
    if (fault.status) {
        log_fault(&engine->log, &program, &fault);
    } else {
        phx_log_write(&engine->log, PHX_LOG_DEBUG, "batch %u: %u ops, %u us", (unsigned)answer.sequence,
                      (unsigned)answer.n_records, (unsigned)((answer.end_ns - answer.start_ns) / 1000));
    }
    memcpy(response, &answer, sizeof(answer));
    return AEE_SUCCESS;
}
