# SPDX-License-Identifier: MIT
# Everything for Hexagon: the skels and the PD program. CMake allows only one compiler per language, which is the
# host's, so custom commands compile these files, with the compiler cache and the paths of CMakeLists.txt.
#
#   PYHEXAGON_DSP_TOOLCHAIN  zig (default), llvm, hexagon-sdk: the file of that name in this directory. Its HEXAGON_CC
#                            and HEXAGON_LD have @arch@ where v68, v73, ... goes
#   PYHEXAGON_ARCHS          versions of the DSP to build a skel for. v68 must be among them: every later DSP runs it,
#                            and the tests run it
set(PYHEXAGON_DSP_TOOLCHAIN zig CACHE STRING "Hexagon toolchain: zig, llvm or hexagon-sdk")
set(PYHEXAGON_ARCHS v68 CACHE STRING "Versions of the DSP to build a skel for: v68 and any of v69 v71 v73 v75 v79 v81")
foreach(arch IN LISTS PYHEXAGON_ARCHS)
    if(NOT arch MATCHES "^v(68|69|71|73|75|79|81)$")
        message(FATAL_ERROR "PYHEXAGON_ARCHS: ${arch} is none of v68 v69 v71 v73 v75 v79 v81")
    endif()
endforeach()
if(NOT v68 IN_LIST PYHEXAGON_ARCHS)
    message(FATAL_ERROR "PYHEXAGON_ARCHS: v68 must be among them")
endif()

# The ELF layout of the SDK's skels: two page-aligned loads (R E and RW), sysv hash, nothing else. -z nodelete only
# reserves the tag that postlink.py writes.
set(HEXAGON_LLD_FLAGS -m hexagonelf -shared -s -Bsymbolic -z nodelete -z max-page-size=4096 --hash-style=sysv -z norelro
    --no-rosegment --no-eh-frame-hdr --build-id=none -z separate-loadable-segments -z nognustack --gc-sections)
include(${CMAKE_CURRENT_LIST_DIR}/${PYHEXAGON_DSP_TOOLCHAIN}.cmake)

set(HEXAGON_CFLAGS -std=gnu11 -O2 -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -fno-strict-aliasing
    -fno-unwind-tables -fno-asynchronous-unwind-tables -fno-stack-protector -Wall -Wextra -Wshadow -Werror)
set(HEXAGON_PATHS -ffile-prefix-map=source/= -ffile-compilation-dir=. -fdiagnostics-absolute-paths)
set(HEXAGON_POSTLINK_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/postlink.py)

# hexagon_objects(<variable> NAME <name> COMPILER <command...> SOURCES <files...> [DEPENDS <file>]): compiles the sources,
# whose paths are relative to the build directory, to object files, once the file is there.
function(hexagon_objects variable)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;DEPENDS" "COMPILER;SOURCES")
    list(GET arg_COMPILER 0 program)
    set(cache)
    if(program STREQUAL ZIG)
        set(cache ${compiler_cache}) # which knows only zig's version
    endif()
    set(objects)
    foreach(source IN LISTS arg_SOURCES)
        string(REGEX REPLACE "^source/" "" name ${source})
        set(object hexagon/${arg_NAME}/${name}.o)
        cmake_path(GET object PARENT_PATH directory)
        file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/${directory})
        add_custom_command(
            OUTPUT ${object}
            COMMAND ${cache} ${arg_COMPILER} ${HEXAGON_PATHS} -MMD -MF ${object}.d -c ${source} -o ${object}
            DEPENDS ${CMAKE_BINARY_DIR}/${source} ${program} ${arg_DEPENDS}
            DEPFILE ${object}.d
            COMMENT "Hexagon ${arg_NAME}: ${name}"
            VERBATIM)
        list(APPEND objects ${object})
    endforeach()
    set(${variable} ${objects} PARENT_SCOPE)
endfunction()

# hexagon_skel(<name> SOURCES <files...> [OPTIONS <compiler options...>] [ARCHS <versions...>]): target <name>, files
# <version>/lib<name>.so for each version (v68 alone by default); they are the target's property SKELS.
function(hexagon_skel name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;OPTIONS;ARCHS")
    if(NOT arg_ARCHS)
        set(arg_ARCHS v68)
    endif()
    set(soname -soname lib${name}.so)
    if(NOT HEXAGON_POSTLINK)
        set(soname -Wl,-soname,lib${name}.so)
    endif()
    set(outputs)
    foreach(arch IN LISTS arg_ARCHS)
        string(CONFIGURE "${HEXAGON_CC}" compiler @ONLY)
        string(CONFIGURE "${HEXAGON_LD}" linker @ONLY)
        hexagon_objects(objects NAME ${name}/${arch} COMPILER ${compiler} ${HEXAGON_CFLAGS} ${arg_OPTIONS}
            SOURCES ${arg_SOURCES})
        set(output ${CMAKE_BINARY_DIR}/${arch}/lib${name}.so)
        set(postlink)
        set(map)
        if(HEXAGON_POSTLINK)
            set(map -Map=${output}.map) # addresses of functions, for `pyhexagon bench matmul --cycles`
            set(postlink COMMAND ${Python_EXECUTABLE} ${HEXAGON_POSTLINK_SCRIPT} ${output})
        endif()
        file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/${arch})
        add_custom_command(
            OUTPUT ${output}
            COMMAND ${linker} ${HEXAGON_LDFLAGS} ${soname} ${map} -o ${output} ${objects}
            ${postlink}
            DEPENDS ${objects} ${HEXAGON_POSTLINK_SCRIPT}
            COMMENT "Hexagon skel: ${output}"
            VERBATIM)
        list(APPEND outputs ${output})
    endforeach()
    add_custom_target(${name} ALL DEPENDS ${outputs})
    set_target_properties(${name} PROPERTIES SKELS "${outputs}")
endfunction()

if(skel_sources)
    set(loops_checked ${CMAKE_BINARY_DIR}/hvx_loops.checked)
    file(GLOB loops CONFIGURE_DEPENDS dsp/hvx/matmul/asm/*.py dsp/hvx/matmul/asm/orders/*.txt dsp/hvx/matmul/generated/*.S)
    add_custom_command(
        OUTPUT ${loops_checked}
        COMMAND ${Python_EXECUTABLE} dsp/hvx/matmul/asm/kernels.py --check
        COMMAND ${CMAKE_COMMAND} -E touch ${loops_checked}
        WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
        DEPENDS ${loops} idl/read_types.py idl/types.h
        VERBATIM)
    add_custom_target(hvx_loops ALL DEPENDS ${loops_checked})
    hexagon_skel(pyhexagon_skel SOURCES ${skel_sources} ${hvx_sources}
        OPTIONS -DPHX_HVX=1 -Isource/dsp ARCHS ${PYHEXAGON_ARCHS})
    add_dependencies(pyhexagon_skel hvx_loops)
    get_target_property(skels pyhexagon_skel SKELS)
    foreach(skel IN LISTS skels)
        cmake_path(GET skel PARENT_PATH directory)
        cmake_path(GET directory FILENAME arch)
        install(FILES ${skel} DESTINATION pyhexagon/lib/${arch})
    endforeach()
endif()

# The PD program is a Linux executable for qemu-hexagon. Only zig includes a C library for that target; compiling it
# takes more than a minute on one core, once per installation of zig, because zig compares the C library's files as it
# does ours (CMakeLists.txt).
option(PYHEXAGON_PD "Build the PD program, for Device(\"loopback:qemu\")" ON)
if(PYHEXAGON_PD AND ZIG)
    find_sources(GLOB pd_sources dsp/loopback/pd/*.c dsp/loopback/pd/*.S dsp/loopback/shell/*.c)
    # pd/variadic.c replaces debug.c with functions in QuRT's calling convention.
    list(FILTER pd_sources EXCLUDE REGEX "/shell/debug\\.c$")
    set(pd_compiler ${ZIG} cc -target hexagon-linux-musl -mcpu=hexagonv68)
    # The first link compiles the C library. Ninja starts what most steps wait for: the program's objects wait for this
    # link of nothing, so that it begins with the build and not when one core has nothing else left to do.
    set(libc ${CMAKE_BINARY_DIR}/hexagon/libc)
    file(CONFIGURE OUTPUT ${libc}.c CONTENT "int main(void) {\n    return 0;\n}\n")
    add_custom_command(
        OUTPUT ${libc}
        COMMAND ${pd_compiler} -static -s -o ${libc} ${libc}.c -lm
        DEPENDS ${libc}.c ${ZIG}
        COMMENT "Hexagon C library of the PD program"
        VERBATIM)
    hexagon_objects(objects NAME pyhexagon-pd SOURCES ${pd_sources} DEPENDS ${libc}
        COMPILER ${pd_compiler} -std=gnu11 -O2 -fno-strict-aliasing -Wall -Wextra -Wshadow -Werror)
    set(pd ${CMAKE_BINARY_DIR}/pyhexagon-pd)
    add_custom_command(
        OUTPUT ${pd}
        COMMAND ${pd_compiler} -static -s -o ${pd} ${objects} -lm
        DEPENDS ${objects}
        COMMENT "Hexagon PD program: ${pd}"
        VERBATIM)
    add_custom_target(pyhexagon_pd ALL DEPENDS ${pd})
    install(PROGRAMS ${pd} DESTINATION pyhexagon/lib)

    # tests/kernels: programs for qemu-hexagon that run kernels without the runtime, built on demand: by the tests, and
    # with debug symbols by scripts/test kernel. The tests' programs are linked like the PD program, with its C library;
    # with debug symbols another C library is compiled.
    if(EXISTS ${CMAKE_SOURCE_DIR}/tests/kernels)
        set(kernel_compiler ${ZIG} cc -target hexagon-linux-musl -mcpu=hexagonv68+hvxv68+hvx_length128b -mhvx)
        set(kernel_options -std=gnu11 -O2 -g -fno-strict-aliasing -Wall -Wextra -Wshadow -Werror
            -Isource/dsp -Isource/tests)
        find_sources(GLOB_RECURSE kernel_sources dsp/hvx/*.[cS] dsp/ref/*.c)
        find_sources(GLOB kernel_common dsp/ops/attention/attention.c dsp/formats/tiles.c dsp/ops/picks.c tests/kernels/harness.c
            tests/kernels/random.c tests/kernels/memcpy.c)
        find_sources(GLOB kernel_ops tests/kernels/ops/*.c)
        find_sources(GLOB kernel_matmul tests/kernels/main.c)
        hexagon_objects(common NAME kernels COMPILER ${kernel_compiler} ${kernel_options}
            SOURCES ${kernel_sources} ${kernel_common})
        file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/kernels/stripped)
        foreach(name matmul ops)
            hexagon_objects(objects NAME kernels COMPILER ${kernel_compiler} ${kernel_options} SOURCES ${kernel_${name}})
            foreach(program ${name} stripped/${name})
                set(option $<IF:$<STREQUAL:${program},${name}>,-g,-s>)
                add_custom_command(
                    OUTPUT ${CMAKE_BINARY_DIR}/kernels/${program}
                    COMMAND ${pd_compiler} -static ${option} -o ${CMAKE_BINARY_DIR}/kernels/${program} ${objects} ${common}
                    DEPENDS ${objects} ${common}
                    COMMENT "Kernels in a program: ${program}"
                    VERBATIM)
            endforeach()
        endforeach()
        set(kernels ${CMAKE_BINARY_DIR}/kernels)
        add_custom_target(kernel_programs DEPENDS ${kernels}/matmul ${kernels}/ops)
        add_custom_target(kernel_programs_stripped DEPENDS ${kernels}/stripped/matmul ${kernels}/stripped/ops)
    endif()
else()
    message(STATUS "the PD program for qemu-hexagon is not built")
endif()
