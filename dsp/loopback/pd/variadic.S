// SPDX-License-Identifier: MIT
//
// A skel is compiled for QuRT, where unnamed variadic arguments always lie on the stack and va_list is a char *. The PD
// program is compiled for Linux, where they go in registers and va_list is a struct. So each variadic export is a thunk
// that hands the place of the unnamed arguments (r29 at entry) to a plain function (variadic.c) as one more argument.

    .text
    .macro thunk name, implementation, register
    .globl \name
    .type \name, @function
    .p2align 4
\name:
    { \register = r29 ; jump \implementation }
    .size \name, . - \name
    .endm

    thunk quirk_HAP_debug_v2, plain_HAP_debug, r4      // level, file, line, format
    thunk quirk_HAP_debug_runtime, plain_HAP_debug, r4
    thunk quirk_snprintf, plain_vsnprintf, r3          // text, size, format
    thunk quirk_sprintf, plain_vsprintf, r2            // text, format
    thunk quirk_printf, plain_vprintf, r1              // format
    thunk quirk_sscanf, plain_vsscanf, r2              // text, format
