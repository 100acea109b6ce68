/* SPDX-License-Identifier: MIT
 *
 * What the loopback exports besides the FastRPC ABI: to make things fail, and to see what was called. A real
 * libcdsprpc has none of these names. Plain enough that cffi parses it; needs <stdint.h> and nothing else.
 *
 * The same can be said in the environment, read when the library is loaded:
 *     PYHEXAGON_LOOPBACK="memory_limit=8388608;fail=rpcmem_alloc:3:0;log=1"
 *
 * Files that a skel opens under QEMU lie in the folder that PYHEXAGON_DSP_FILES names when the session is made.
 */

/* The nth next call of that exported function does nothing and returns code (NULL if it returns a pointer); 1 is the
 * next one, 0 takes it back. 0, or 0xe for an unknown name. */
int loopback_fail(const char *call, uint32_t nth, int code);

/* The DSP process of that session dies now. 0, or 0x6b without a session. */
int loopback_kill(int effective_domain);

/* It stops answering (on: 1) or goes on (0): invokes and queue packets wait. */
int loopback_stall(int effective_domain, int on);

/* How often that exported function was called since loading or loopback_reset. */
uint32_t loopback_count(const char *call);

/* The last calls, or the last lines of the log (the loader's and the DSP's), oldest first, one a line, ended by NUL;
 * what does not fit is left off at the front. Returns the size that holds all of it, NUL included. */
uint32_t loopback_calls(char *text, uint32_t size);
uint32_t loopback_log(char *text, uint32_t size);

/* Options, with their values after loading:
 *   memory_limit   bytes of rpcmem in all; 0: no limit (0)
 *   map_limit      bytes of shared memory that a DSP process can map (3758096384); for sessions made later
 *   device         0: as on a machine without device nodes (1)
 *   dspqueue       0: dspqueue_create answers 0x14 (1)
 *   dspqueue_import  what dspqueue_import answers on the DSP (0: imports); for sessions made later
 *   dspqueue_echo  0: packets are accepted but never reach the DSP (1)
 *   unsigned       the capability of that name (1)
 *   arch           version of the DSP, 0x68 for v68 (0x68): the capability, and for sessions made later what the loader
 *                  takes and which CPU QEMU is; QEMU's newest is v73, which then stands for the later ones
 *   threads        hardware threads, and HVX units, of the DSP (4); for sessions made later
 *   vtcm           bytes, a multiple of 262144, at most 16777216 (4194304); for sessions made later
 *   heap           bytes of the largest block that the DSP's heap gives (0: as there is memory); for sessions made later
 *   map_sizes      1: a skel can ask how large a mapping is (phx_pd_mapping_bytes); 0: as on a board, where nothing tells it;
 *                  for sessions made later
 *   dma            when user DMA copies: 1 in the wait, as late as it can; 2 in the start, as early; 0: every wait
 *                  tells of an error; 3: never, but every wait finds the engine idle, like that of a hardware thread to
 *                  which the thread was moved (1); for QEMU sessions made later
 *   power          what HAP_power_set answers (0: granted); for sessions made later
 *   log            1: the log goes to stderr too (0)
 * 0, or 0xe for an unknown option. */
int loopback_set(const char *option, int64_t value);

/* Options, failures and records as after loading; no PD stalled. Sessions, buffers and queues stay. */
void loopback_reset(void);
