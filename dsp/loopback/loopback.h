/* SPDX-License-Identifier: MIT
 *
 * The loopback's exports beyond the FastRPC ABI: to inject failures and to inspect calls. A real libcdsprpc has none of
 * these names. The declarations are simple enough for cffi and need only <stdint.h>.
 *
 * The environment, read when the library is loaded, offers the same:
 *     PYHEXAGON_LOOPBACK="memory_limit=8388608;fail=rpcmem_alloc:3:0;log=1"
 * A name without a value stands for 1: PYHEXAGON_LOOPBACK=incoherent.
 *
 * Files that a skel opens under QEMU are in the folder that PYHEXAGON_DSP_FILES names when the session is created.
 */

/* Makes the nth next call of an exported function do nothing and return code (NULL if it returns a pointer); 1 is the
 * next call, 0 cancels. Returns 0, or 0xe for an unknown name. */
int loopback_fail(const char *call, uint32_t nth, int code);

/* Kills the session's DSP process. Returns 0, or 0x6b without a session. */
int loopback_kill(int effective_domain);

/* Makes it stop answering (on: 1) or resume (0): invokes and queue packets wait. Returns as loopback_kill(). */
int loopback_stall(int effective_domain, int on);

/* Makes it stop answering at its nth moment from now on; 0: at none, unless it has stopped. Moments are its communication
 * with the CPU, its readings of the clock (of a recorded run: at the start and the end of each op) and, under QEMU, its
 * instructions of user DMA. loopback_stall() resumes it. Returns as loopback_kill(). */
int loopback_stall_at(int effective_domain, uint32_t nth);

/* Returns whether it has stopped answering, for one of the two reasons above; 0 without a session. */
int loopback_is_stalled(int effective_domain);

/* Returns the number of calls of an exported function since loading or loopback_reset(). */
uint32_t loopback_count(const char *call);

/* Copy the last calls, or the last lines of the log (of the loader and the DSP), oldest first, one per line,
 * NUL-terminated; older text that does not fit is dropped. Return the size needed for all of it, NUL included. */
uint32_t loopback_calls(char *text, uint32_t size);
uint32_t loopback_log(char *text, uint32_t size);

/* Returns whether the option `incoherent` is 1: the CPU's copies of buffers need maintenance. */
int loopback_is_incoherent(void);

/* Returns whether a file of rates is loaded. PYHEXAGON_LOOPBACK may contain rates=FILE, which makes the host engine a
 * scripted board: a clock of each thread advances by the work of probes (dsp/probes) alone, and calls take the time that
 * the file says. Its lines:
 *   clock HZ                          of the cycle counter; without it there is no such counter
 *   read NS                           of each read of the cycle counter
 *   invoke NS, poll NS                of each invoke, and of each invoke in poll mode (RPC_POLL_QOS)
 *   queue NS, map NS                  of each packet written, and of each MiB mapped
 *   corner N FACTOR                   work takes so many times as long, and as many cycles as before, if N is the lowest
 *                                     corner voted for the bus
 *   work KIND THREADS SIZE NS         of a unit of work of a probe of that kind, number of threads and size */
int loopback_has_rates(void);

/* Stands for ioctl(fd, DMA_BUF_IOCTL_SYNC, &flags) of linux/dma-buf.h on a buffer of rpcmem_alloc: memory of this process
 * is no dma-buf, so the kernel refuses the ioctl. Returns 0 or an errno. It is counted and recorded as the calls of the
 * FastRPC ABI are, and loopback_fail() knows it. */
int loopback_sync(int fd, uint64_t flags);

/* Sets an option. Options, with their values after loading:
 *   memory_limit   bytes of rpcmem in total; 0: no limit (0)
 *   map_limit      bytes of shared memory that a DSP process can map (3758096384); for sessions created later
 *   device         0: as on a machine without device nodes (1)
 *   dspqueue       0: dspqueue_create returns 0x14 (1)
 *   dspqueue_import  result of dspqueue_import on the DSP (0: imports); for sessions created later
 *   dspqueue_echo  0: packets are accepted but never reach the DSP (1)
 *   unsigned       the capability of that name (1)
 *   arch           version of the DSP, 0x68 for v68 (0x68): the capability and, for sessions created later, the version
 *                  that the loader accepts and QEMU's CPU; QEMU's newest is v73, which represents later ones, too
 *   threads        hardware threads, and HVX units, of the DSP (4); for sessions created later
 *   vtcm           bytes, a multiple of 262144, at most 16777216 (4194304); for sessions created later
 *   heap           bytes of the DSP's heap, all blocks together (0: all memory); for sessions created later
 *   incoherent     1: CPU and DSP have a copy each of a buffer. The CPU's copy changes only by loopback_sync(), the DSP's
 *                  by its own cache maintenance (0); for buffers allocated and sessions created later. 2: the CPU's
 *                  caches are coherent, as on a board whose device tree says dma-coherent; only the DSP has copies
 *   skip_maintenance  n: the cache maintenance of the skel does nothing at the nth place that calls it, in the order of
 *                  first use; 0: all of it works (0); for sessions created later
 *   stall_at       n: the DSP process stops answering at its nth moment, as by loopback_stall_at(); 0: at none (0); for
 *                  sessions created later
 *   map_sizes      1: a skel can query the size of a mapping (phx_pd_mapping_bytes); 0: it cannot, as on a board; for
 *                  sessions created later
 *   dma            when user DMA copies: 1 in the wait, as late as possible; 2 in the start, as early as possible;
 *                  0: every wait reports an error; 3: never, and every wait finds the engine idle, like that of a
 *                  hardware thread to which the thread migrated; 4: after some polls that find the engine running;
 *                  5: as 1, but each third chain of a thread stops with an error (1); for QEMU sessions created later
 *   power          result of HAP_power_set (0: granted); for sessions created later
 *   poll           0: RPC_POLL_QOS is refused, as by libraries and kernels before July 2026 (1)
 *   log            1: also write the log to stderr (0)
 * Returns 0, or 0xe for an unknown option. */
int loopback_set(const char *option, int64_t value);

/* Resets options, failures and records to their state after loading, and resumes stalled PDs. Sessions, buffers and
 * queues stay. */
void loopback_reset(void);
