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
    struct phx_executor executor = {&engine->pool, &engine->scratch, &engine->vtcm, program->header.kernels};
    bool timed = is_timed(&program->header);
    size_t step = record_bytes(engine, &program->header);
    for (uint32_t i = 0; i < program->header.n_ops; i++) {
        const struct phx_op *op = &program->ops[i];
        struct phx_op_record record = {.start_ns = phx_now_ns()};
        phx_pool_count_start(&engine->pool, timed);
        record.status = phx_op_type(op->code)->run(&executor, program, op, &record);
        phx_pool_count_end(&engine->pool, &record);
        record.end_ns = phx_now_ns();
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
    memcpy(response, &answer, sizeof(answer));
    return AEE_SUCCESS;
}
