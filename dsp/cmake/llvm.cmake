# SPDX-License-Identifier: MIT
# Hexagon toolchain: the distribution's clang and lld, 19 or newer.
find_program(HEXAGON_CLANG NAMES clang-22 clang-21 clang-20 clang-19 clang REQUIRED)
find_program(HEXAGON_LLD NAMES ld.lld-22 ld.lld-21 ld.lld-20 ld.lld-19 ld.lld REQUIRED)
set(HEXAGON_CC "${HEXAGON_CLANG}" --target=hexagon-unknown-none-elf -mcpu=hexagon@arch@ -mhvx=@arch@ -mhvx-length=128b
    -ffreestanding -nostdlibinc)
set(HEXAGON_LD "${HEXAGON_LLD}")
set(HEXAGON_LDFLAGS ${HEXAGON_LLD_FLAGS})
set(HEXAGON_POSTLINK ON)
