/* SPDX-License-Identifier: MIT
 *
 * The interface between test_skel.c and client.c. Arguments are laid out as qaic does.
 */
#define TEST_URI "file:///libtest_skel.so?test_skel_handle_invoke&_modver=1.0"
#define TEST_HANDLE 0x1122334455667788

#define TEST_BY_CALLBACK 0
#define TEST_BY_READ 1
#define TEST_QUIT 0xee /* first byte of a 4-byte message */

enum {
    TEST_SUM = 2, /* in {u32 n}, n values; out i64 */
    TEST_SLEEP,   /* in {u32 ms}; sleeps in the shell */
    TEST_IMPORT,  /* in {u64 id, u32 mode} */
    TEST_CLOSE,
    TEST_SUM_FD,  /* in {i32 fd, u32 size}; out u64 */
    TEST_THREADS, /* out u32 */
    TEST_CALLS,   /* out u32: calls of this process domain */
    TEST_WAIT,    /* never returns */
    TEST_LEAK,    /* in {u32 bytes} */
    TEST_RESULT,  /* in {i32}: the result */
    TEST_COMPUTE, /* in {u32 ms}; does not enter the shell */
    TEST_HOLD,    /* in {i32 fd}: the skel's reference to mapped memory */
    TEST_SUM_HELD /* out u64: of 4096 bytes of the memory that TEST_HOLD named; gives the reference back */
};
