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

# Without -g0, which would make the compiler a third faster: clang 22 then schedules other packets, up to 3 % more.
set(HEXAGON_CFLAGS -std=gnu11 -O2 -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -fno-strict-aliasing
    -fno-unwind-tables -fno-asynchronous-unwind-tables -fno-stack-protector -Wall -Wextra -Wshadow -Werror)
set(HEXAGON_PATHS -ffile-prefix-map=source/= -ffile-compilation-dir=. -fdiagnostics-absolute-paths)
set(HEXAGON_POSTLINK_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/../../pyhexagon/kernels/postlink.py)

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
# <version>/lib<name>.so for each version (v68 alone by default); they are the target's property SKELS, and the variables
# <name>_objects_<version> their objects.
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
        set(${name}_objects_${arch} ${objects} PARENT_SCOPE)
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
    set(skel_options -DPHX_HVX=1 -Isource/dsp)
    hexagon_skel(pyhexagon_skel SOURCES ${skel_sources} ${hvx_sources} OPTIONS ${skel_options} ARCHS ${PYHEXAGON_ARCHS})
    add_dependencies(pyhexagon_skel hvx_loops)
    get_target_property(skels pyhexagon_skel SKELS)
    foreach(skel IN LISTS skels)
        cmake_path(GET skel PARENT_PATH directory)
        cmake_path(GET directory FILENAME arch)
        install(FILES ${skel} DESTINATION pyhexagon/lib/${arch})
    endforeach()
    hexagon_skel(pyhexagon_kernel SOURCES source/dsp/kernels/probe.c)
    install(FILES ${CMAKE_BINARY_DIR}/v68/libpyhexagon_kernel.so DESTINATION pyhexagon/lib/v68)
endif()

# The PD program is a Linux executable for qemu-hexagon. Only zig includes a C library for that target.
option(PYHEXAGON_PD "Build the PD program, for Device(\"loopback:qemu\")" ON)
if(PYHEXAGON_PD AND ZIG)
    set(libc hexagon/musl)
    set(libc_script ${CMAKE_CURRENT_LIST_DIR}/libc.py)
    add_custom_command(
        OUTPUT ${libc}/link
        COMMAND ${Python_EXECUTABLE} ${libc_script} ${ZIG} ${libc}
        DEPENDS ${libc_script} ${ZIG}
        COMMENT "Hexagon C library: a minute on one core, once"
        VERBATIM)
    set(linux_compiler ${ZIG} cc -target hexagon-linux-musl -mcpu=hexagonv68 -std=gnu11 -O2 -fno-strict-aliasing
        -Wall -Wextra -Wshadow -Werror)
    set(linux_linker ${ZIG} ld.lld -m hexagonelf -static -no-pie -z now -z stack-size=16777216 --image-base=65536
        --eh-frame-hdr --build-id=none @${libc}/link)

    find_sources(GLOB pd_sources dsp/loopback/pd/*.c dsp/loopback/pd/*.S dsp/loopback/shell/*.c)
    # pd/variadic.c replaces debug.c with functions in QuRT's calling convention.
    list(FILTER pd_sources EXCLUDE REGEX "/shell/debug\\.c$")
    # Ninja starts what most steps wait for: the objects wait for the C library, so that it begins with the build and not
    # when one core has nothing else left to do.
    hexagon_objects(objects NAME pyhexagon-pd SOURCES ${pd_sources} DEPENDS ${libc}/link COMPILER ${linux_compiler} -g0)
    set(pd ${CMAKE_BINARY_DIR}/pyhexagon-pd)
    add_custom_command(
        OUTPUT ${pd}
        COMMAND ${linux_linker} -s -o ${pd} ${objects}
        DEPENDS ${objects} ${libc}/link
        COMMENT "Hexagon PD program: ${pd}"
        VERBATIM)
    add_custom_target(pyhexagon_pd ALL DEPENDS ${pd})
    install(PROGRAMS ${pd} DESTINATION pyhexagon/lib)

    # tests/kernels: programs for qemu-hexagon that run the v68 skel's kernels without the runtime, built on demand. Only
    # their harness is compiled for Linux. Target kernel_<op>, for scripts/test kernel, has the op's sources with line
    # numbers: the linker takes what these define from them and not from the archive.
    if(EXISTS ${CMAKE_SOURCE_DIR}/tests/kernels)
        set(objects ${pyhexagon_skel_objects_v68})
        list(FILTER objects INCLUDE REGEX "/dsp/(hvx/|ref/|formats/|ops/attention/attention\\.c|ops/picks\\.c)")
        set(archive hexagon/kernels/kernels.a)
        add_custom_command(
            OUTPUT ${archive}
            COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
            COMMAND ${ZIG} ar rcs ${archive} ${objects}
            DEPENDS ${objects}
            COMMENT "Kernels of the v68 skel"
            VERBATIM)
        set(harness ${linux_compiler} -g -Isource/dsp -Isource/tests)
        find_sources(GLOB common tests/kernels/harness.c tests/kernels/random.c tests/kernels/memcpy.c)
        find_sources(GLOB ops tests/kernels/ops/*.c)
        hexagon_objects(objects_matmul NAME kernels COMPILER ${harness} SOURCES source/tests/kernels/main.c)
        hexagon_objects(objects_ops NAME kernels COMPILER ${harness} SOURCES ${ops})
        hexagon_objects(common NAME kernels COMPILER ${harness} SOURCES ${common})

        # kernel_program(<program> <matmul|ops> <linker options and objects...>)
        file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/kernels/stripped)
        function(kernel_program program kind)
            set(inputs ${ARGN} ${objects_${kind}} ${common} ${archive})
            set(files ${inputs})
            list(REMOVE_ITEM files -s)
            add_custom_command(
                OUTPUT kernels/${program}
                COMMAND ${linux_linker} -o kernels/${program} ${inputs}
                DEPENDS ${files} ${libc}/link
                COMMENT "Kernels in a program: ${program}"
                VERBATIM)
        endfunction()

        kernel_program(stripped/matmul matmul -s)
        kernel_program(stripped/ops ops -s)
        add_custom_target(kernel_programs DEPENDS kernels/stripped/matmul kernels/stripped/ops)

        # tests/math: each function of dsp/math in every lane, beside its reference.
        find_sources(GLOB sources tests/math/*.c tests/kernels/random.c)
        hexagon_objects(objects NAME math SOURCES ${sources}
            COMPILER ${harness} -mcpu=hexagonv68+hvxv68+hvx_length128b -mhvx)
        add_custom_command(
            OUTPUT kernels/math
            COMMAND ${linux_linker} -s -o kernels/math ${objects}
            DEPENDS ${objects} ${libc}/link
            COMMENT "Lanes of dsp/math in a program"
            VERBATIM)
        add_custom_target(math_lanes DEPENDS kernels/math)

        set(arch v68)
        string(CONFIGURE "${HEXAGON_CC}" compiler @ONLY)
        file(GLOB kernels CONFIGURE_DEPENDS LIST_DIRECTORIES ON RELATIVE ${CMAKE_SOURCE_DIR}/dsp/hvx dsp/hvx/*)
        list(FILTER kernels INCLUDE REGEX "^matmul$|\\.c$")
        list(TRANSFORM kernels REPLACE "\\.c$" "")
        foreach(kernel IN LISTS kernels)
            find_sources(GLOB sources dsp/hvx/${kernel}.c dsp/ref/${kernel}.c dsp/hvx/${kernel}/*.c dsp/ref/${kernel}/*.c)
            hexagon_objects(objects NAME kernels/debug SOURCES ${sources}
                COMPILER ${compiler} ${HEXAGON_CFLAGS} ${skel_options} -g)
            set(kind ops)
            if(kernel STREQUAL matmul)
                set(kind matmul)
            endif()
            kernel_program(${kernel} ${kind} ${objects})
            add_custom_target(kernel_${kernel} DEPENDS kernels/${kernel})
        endforeach()
    endif()
else()
    message(STATUS "the PD program for qemu-hexagon is not built")
endif()
