# SPDX-License-Identifier: MIT
# Hexagon toolchain: clang and lld from the ziglang wheel. Uses the freestanding target, never -linux-musl: QuRT passes
# unnamed variadic arguments on the stack and its va_list is a char *; musl does neither.
if(NOT ZIG)
    find_package(Python REQUIRED COMPONENTS Interpreter)
    execute_process(
        COMMAND ${Python_EXECUTABLE} -c "import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), 'zig'))"
        OUTPUT_VARIABLE ZIG OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    set(ZIG "${ZIG}" CACHE FILEPATH "The zig binary: host and Hexagon compiler")
endif()
set(HEXAGON_CC "${ZIG}" cc -target hexagon-freestanding-none -mcpu=hexagon@arch@+hvx@arch@+hvx_length128b
    -D__HVX__=1 -D__HVX_LENGTH__=128 -ffreestanding -nostdlibinc)
set(HEXAGON_LD "${ZIG}" ld.lld)
set(HEXAGON_LDFLAGS ${HEXAGON_LLD_FLAGS})
set(HEXAGON_POSTLINK ON)
