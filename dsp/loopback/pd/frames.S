// SPDX-License-Identifier: MIT
//
// The shared prologues and epilogues that clang calls in size-optimised code; the board's shell exports them. Pairs of
// saved registers lie below the frame pointer: r17:16 at -8, r19:18 at -16, and so on. The restore functions undo the
// frame too; in the one "before a tail call", LR is read as the way back in the packet that loads the caller's LR.

    .text
    .macro begin name
    .globl \name
    .type \name, @function
    .p2align 4
\name:
    .endm

    .macro saves pairs, last
    begin __save_r16_through_r\last
    .if \pairs > 5
    memd(r30+#-48) = r27:26
    .endif
    .if \pairs > 4
    memd(r30+#-40) = r25:24
    .endif
    .if \pairs > 3
    memd(r30+#-32) = r23:22
    .endif
    .if \pairs > 2
    memd(r30+#-24) = r21:20
    .endif
    .if \pairs > 1
    memd(r30+#-16) = r19:18
    .endif
    { memd(r30+#-8) = r17:16 ; jumpr r31 }
    .endm

    .macro loads pairs
    .if \pairs > 5
    r27:26 = memd(r30+#-48)
    .endif
    .if \pairs > 4
    r25:24 = memd(r30+#-40)
    .endif
    .if \pairs > 3
    r23:22 = memd(r30+#-32)
    .endif
    .if \pairs > 2
    r21:20 = memd(r30+#-24)
    .endif
    .if \pairs > 1
    r19:18 = memd(r30+#-16)
    .endif
    .endm

    .macro restores pairs, last
    begin __restore_r16_through_r\last\()_and_deallocframe
    loads \pairs
    { r17:16 = memd(r30+#-8) ; dealloc_return }
    begin __restore_r16_through_r\last\()_and_deallocframe_before_tailcall
    loads \pairs
    { r17:16 = memd(r30+#-8) ; deallocframe ; jumpr r31 }
    .endm

    saves 1, 17
    saves 2, 19
    saves 3, 21
    saves 4, 23
    saves 5, 25
    saves 6, 27
    restores 1, 17
    restores 2, 19
    restores 3, 21
    restores 4, 23
    restores 5, 25
    restores 6, 27
