/* SPDX-License-Identifier: MIT
 *
 * Reports of crashes in user kernels, for the child processes that run them (pyhexagon/kernels/child.py).
 */

/* From then on, SIGSEGV, SIGBUS, SIGILL and SIGFPE write a line to the file descriptor and end the process by the signal:
 *     at address ADDRESS, pc KERNEL+0xOFFSET
 * if the code at fault lies in a file that the loopback's dlopenbuf loaded. Returns 0, or -1 if a handler cannot be set. */
int phx_report_faults(int fd);
