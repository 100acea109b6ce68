# SPDX-License-Identifier: MIT
# Hexagon toolchain: Qualcomm's, from a Hexagon SDK (HEXAGON_SDK_ROOT) or the tools alone (HEXAGON_TOOLS_ROOT).
# Its linker produces the ELF layout that the board requires, so postlink.py is not run. CI configures it against a fake
# SDK and checks the command lines, because it does not have the real one.
set(sdk "${HEXAGON_SDK_ROOT}")
if(NOT sdk)
    set(sdk "$ENV{HEXAGON_SDK_ROOT}")
endif()
if(NOT HEXAGON_TOOLS_ROOT)
    set(HEXAGON_TOOLS_ROOT "$ENV{HEXAGON_TOOLS_ROOT}")
endif()
if(NOT HEXAGON_TOOLS_ROOT)
    file(GLOB tools "${sdk}/tools/HEXAGON_Tools/*/Tools")
    list(SORT tools COMPARE NATURAL)
    if(tools)
        list(GET tools -1 HEXAGON_TOOLS_ROOT)
    endif()
endif()
find_program(HEXAGON_CLANG NAMES hexagon-clang PATHS "${HEXAGON_TOOLS_ROOT}/bin" NO_DEFAULT_PATH REQUIRED)
set(HEXAGON_CC "${HEXAGON_CLANG}" -m@arch@ -mhvx -mhvx-length=128B)
set(HEXAGON_LD "${HEXAGON_CLANG}" -m@arch@ -G0)
set(HEXAGON_LDFLAGS -shared -s -Wl,-Bsymbolic -nostartfiles -nostdlib)
set(HEXAGON_POSTLINK OFF)

# The skel unmarshals its calls itself (dsp/runtime/skel.c). The SDK's IDL compiler, if present, checks the IDL.
if(sdk)
    file(GLOB qaic "${sdk}/ipc/fastrpc/qaic/*/qaic")
    if(qaic)
        list(GET qaic 0 qaic)
        set(idl ${CMAKE_SOURCE_DIR}/idl/pyhexagon.idl)
        file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/idl)
        add_custom_command(
            OUTPUT ${CMAKE_BINARY_DIR}/idl/pyhexagon.h
            COMMAND ${qaic} -mdll -o ${CMAKE_BINARY_DIR}/idl -I${sdk}/incs -I${sdk}/incs/stddef ${idl}
            DEPENDS ${idl}
            COMMENT "qaic: idl/pyhexagon.idl"
            VERBATIM)
        add_custom_target(pyhexagon_idl ALL DEPENDS ${CMAKE_BINARY_DIR}/idl/pyhexagon.h)
    endif()
endif()
