# SPDX-License-Identifier: MIT
# Host toolchain: clang and lld from the ziglang wheel, so that a machine without a compiler can build the loopback and
# the host skel. It links against old glibc symbol versions, so the result runs on every distribution that runs Python.
if(NOT ZIG)
    find_package(Python REQUIRED COMPONENTS Interpreter)
    execute_process(
        COMMAND ${Python_EXECUTABLE} -c "import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), 'zig'))"
        OUTPUT_VARIABLE ZIG OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    set(ZIG "${ZIG}" CACHE FILEPATH "The zig binary: host and Hexagon compiler")
endif()
set(PYHEXAGON_HOST "${CMAKE_HOST_SYSTEM_PROCESSOR}" CACHE STRING "Processor to build for: x86_64 or aarch64")
if(NOT PYHEXAGON_HOST STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
    set(CMAKE_SYSTEM_NAME Linux)
    set(CMAKE_SYSTEM_PROCESSOR ${PYHEXAGON_HOST})
endif()
set(CMAKE_C_COMPILER "${ZIG}" cc)
set(CMAKE_C_COMPILER_TARGET "${PYHEXAGON_HOST}-linux-gnu.2.17")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ZIG PYHEXAGON_HOST)
# CMake's trials link nothing: zig would first compile its libraries for programs without optimization.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
