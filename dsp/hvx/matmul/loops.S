// SPDX-License-Identifier: MIT
// Made by asm/kernels.py of sources d75833464082e740c0fec9885f6c4ee6e12db22a65cc37f2bf2a8e1af3b0151f
.text

// 170 packets (167 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q4_0_tiles
.hidden hvx_sum_q4_0_tiles
.type hvx_sum_q4_0_tiles,@function
hvx_sum_q4_0_tiles:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); r0 = ##4 }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##252645135 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_q4_0_tiles,r30); v8 = vmem(r31+#0); memw(r29+#48) = r31 }
{ v9 = vmem(r31+#1); r2 = memw(r28+#0) }
{ v10 = vmem(r31+#2); r3 = memw(r28+#4) }
{ v11 = vmem(r31+#3); r4 = memw(r28+#8) }
{ v12 = vmem(r31+#4); r5 = memw(r28+#12) }
{ v13 = vmem(r31+#5); r6 = memw(r28+#16) }
{ v14 = vmem(r31+#6); r7 = memw(r28+#32) }
{ v15 = vmem(r31+#7); r1 = memw(r28+#52) }
{ r9:8 = memd(r6++#8); v17 = vmem(r2++#1) }
{ v18 = vmem(r2++#1) }
{ v19 = vand(v17,v16); v17.w = vrmpy(v17.ub,r8.b); v20 = vand(v18,v16); v21 = vmem(r2++#1) }
{ r11:10 = memd(r6++#8); v22 = vand(v21,v16); v23 = vmem(r2++#1) }
{ v17.w += vrmpy(v18.ub,r9.b); v18.w = vrmpy(v19.ub,r8.b); v19 = vand(v23,v16); v24 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r10.b); v18.w += vrmpy(v20.ub,r9.b); r13:12 = memd(r6++#8); v20 = vmem(r2++#1) }
{ v17.w += vrmpy(v23.ub,r11.b); v18.w += vrmpy(v22.ub,r10.b); v21 = vmem(r2++#1); r15:14 = memd(r7++#8) }
{ v19 = vand(v24,v16); v17.w += vrmpy(v24.ub,r12.b); v18.w += vrmpy(v19.ub,r11.b); v22 = vand(v20,v16) }
{ r17:16 = memd(r6++#8); v23 = vand(v21,v16); v24 = vmem(r2++#1) }
{ v17.w += vrmpy(v20.ub,r13.b); v18.w += vrmpy(v19.ub,r12.b); v19 = vand(v24,v16); v20 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r16.b); v18.w += vrmpy(v22.ub,r13.b); v21 = vmem(r3++#1) }
{ v17.w += vrmpy(v24.ub,r17.b); v18.w += vrmpy(v23.ub,r16.b); v22 = vand(v21,v16); v23 = vmem(r3++#1) }
{ v19.w = vrmpy(v21.ub,r8.b); v18.w += vrmpy(v19.ub,r17.b); v21 = vand(v23,v16); v24 = vmem(r3++#1) }
{ v19.w += vrmpy(v23.ub,r9.b); v22.w = vrmpy(v22.ub,r8.b); v23 = vand(v24,v16); v25 = vmem(r3++#1) }
{ v19.w += vrmpy(v24.ub,r10.b); v22.w += vrmpy(v21.ub,r9.b); v21 = vand(v25,v16); v24 = vmem(r3++#1) }
{ v19.w += vrmpy(v25.ub,r11.b); v22.w += vrmpy(v23.ub,r10.b); v23 = vand(v24,v16); v25 = vmem(r3++#1) }
{ v19.w += vrmpy(v24.ub,r12.b); v22.w += vrmpy(v21.ub,r11.b); v21 = vand(v25,v16); v17.w = vsub(v17.w,v18.w) }
{ v19.w += vrmpy(v25.ub,r13.b); v22.w += vrmpy(v23.ub,r12.b); v23 = vmem(r3++#1) }
{ v24 = vand(v23,v16); v17.w = vasr(v17.w,r0); v20.h = vmpy(v20.h,r14.h):<<1:rnd:sat }
{ v19.w += vrmpy(v23.ub,r16.b); v22.w += vrmpy(v21.ub,r13.b); v21 = vmem(r3++#1) }
{ v23 = vand(v21,v16); v25 = vmem(r3++#1); v26 = vsplat(r15) }
{ v19.w += vrmpy(v21.ub,r17.b); v22.w += vrmpy(v24.ub,r16.b); v17.h = vshuffe(v17.h,v18.h); v18 = vmem(r4++#1) }
{ v17.h = vsub(v17.h,v26.h); v24 = vmem(r4++#1); v21.h = vmpy(v25.h,r14.h):<<1:rnd:sat }
{ v23.w = vrmpy(v18.ub,r8.b); v22.w += vrmpy(v23.ub,r17.b); v25 = vmem(r4++#1) }
{ v1:0.w = vmpy(v17.h,v20.h); v17 = vand(v18,v16); v18 = vand(v24,v16) }
{ v20 = vmem(r4++#1); v19.w = vsub(v19.w,v22.w) }
{ v23.w += vrmpy(v24.ub,r9.b); v17.w = vrmpy(v17.ub,r8.b); v24 = vand(v25,v16); v27 = vmem(r4++#1) }
{ v23.w += vrmpy(v25.ub,r10.b); v17.w += vrmpy(v18.ub,r9.b); v18 = vand(v20,v16); v25 = vmem(r4++#1) }
{ v23.w += vrmpy(v20.ub,r11.b); v17.w += vrmpy(v24.ub,r10.b); v20 = vand(v27,v16); v24 = vmem(r4++#1) }
{ v23.w += vrmpy(v27.ub,r12.b); v17.w += vrmpy(v18.ub,r11.b); v18 = vand(v25,v16); v27 = vand(v24,v16) }
{ v23.w += vrmpy(v25.ub,r13.b); v17.w += vrmpy(v20.ub,r12.b); v20 = vmem(r4++#1); v19.w = vasr(v19.w,r0) }
{ v23.w += vrmpy(v24.ub,r16.b); v17.w += vrmpy(v18.ub,r13.b); v18 = vand(v20,v16); v24 = vmem(r5++#1) }
{ v23.w += vrmpy(v20.ub,r17.b); v17.w += vrmpy(v27.ub,r16.b); v20 = vmem(r4++#1); v19.h = vshuffe(v19.h,v22.h) }
{ v18.h = vsub(v19.h,v26.h); v19.w = vrmpy(v24.ub,r8.b); v17.w += vrmpy(v18.ub,r17.b); v22 = vmem(r5++#1) }
{ v24 = vand(v24,v16); v25 = vmem(r5++#1); v20.h = vmpy(v20.h,r14.h):<<1:rnd:sat }
{ v3:2.w = vmpy(v18.h,v21.h); v18 = vand(v22,v16); v21 = vmem(r5++#1); r19:18 = memd(r6++#8) }
{ v19.w += vrmpy(v22.ub,r9.b); v22.w = vrmpy(v24.ub,r8.b); v24 = vand(v25,v16); v27 = vmem(r5++#1) }
{ v19.w += vrmpy(v25.ub,r10.b); v22.w += vrmpy(v18.ub,r9.b); v18 = vand(v21,v16); v25 = vmem(r5++#1) }
{ v19.w += vrmpy(v21.ub,r11.b); v22.w += vrmpy(v24.ub,r10.b); v23 = vand(v27,v16); v21.w = vsub(v23.w,v17.w) }
{ v19.w += vrmpy(v27.ub,r12.b); v22.w += vrmpy(v18.ub,r11.b); v18 = vmem(r5++#1); r9:8 = memd(r6++#8) }
{ v23 = vand(v25,v16); v19.w += vrmpy(v25.ub,r13.b); v22.w += vrmpy(v23.ub,r12.b); v24 = vmem(r5++#1) }
{ v25 = vand(v18,v16); v27 = vand(v24,v16); v21.w = vasr(v21.w,r0); r11:10 = memd(r6++#8) }
{ v19.w += vrmpy(v18.ub,r16.b); v22.w += vrmpy(v23.ub,r13.b); v18 = vmem(r2++#1) }
{ v19.w += vrmpy(v24.ub,r17.b); v22.w += vrmpy(v25.ub,r16.b); v21 = vmem(r5++#1); v17.h = vshuffe(v21.h,v17.h) }
{ v17.h = vsub(v17.h,v26.h); v23.w = vrmpy(v18.ub,r18.b); v22.w += vrmpy(v27.ub,r17.b); v24 = vmem(r2++#1) }
{ v21 = vand(v18,v16); v25 = vmem(r2++#1); r13:12 = memd(r6++#8); v18.h = vmpy(v21.h,r14.h):<<1:rnd:sat }
{ v5:4.w = vmpy(v17.h,v20.h); v17 = vand(v24,v16); v20 = vmem(r2++#1); r15:14 = memd(r7++#8) }
{ v23.w += vrmpy(v24.ub,r19.b); v21.w = vrmpy(v21.ub,r18.b); v24 = vand(v25,v16); v27 = vmem(r2++#1) }
{ v23.w += vrmpy(v25.ub,r8.b); v21.w += vrmpy(v17.ub,r19.b); v17 = vand(v20,v16); v25 = vmem(r2++#1) }
{ v23.w += vrmpy(v20.ub,r9.b); v21.w += vrmpy(v24.ub,r8.b); v20 = vand(v27,v16); v24 = vmem(r2++#1) }
{ v23.w += vrmpy(v27.ub,r10.b); v21.w += vrmpy(v17.ub,r9.b); v17 = vand(v25,v16); v27 = vand(v24,v16) }
{ v23.w += vrmpy(v25.ub,r11.b); v21.w += vrmpy(v20.ub,r10.b); v20 = vmem(r2++#1); v19.w = vsub(v19.w,v22.w) }
{ v23.w += vrmpy(v24.ub,r12.b); v21.w += vrmpy(v17.ub,r11.b); v17 = vand(v20,v16); v24 = vmem(r3++#1) }
{ v23.w += vrmpy(v20.ub,r13.b); v21.w += vrmpy(v27.ub,r12.b); v20 = vmem(r2++#1); v19.w = vasr(v19.w,r0) }
{ v17.w = vrmpy(v24.ub,r18.b); v21.w += vrmpy(v17.ub,r13.b); v25 = vmem(r3++#1) }
{ v22.h = vshuffe(v19.h,v22.h); v23 = vmem(r3++#1); v19.w = vsub(v23.w,v21.w); v27 = vsplat(r15) }
{ v22.h = vsub(v22.h,v26.h); v24 = vand(v24,v16); v26 = vmem(r3++#1) }
{ v28 = vand(v25,v16); v20.h = vmpy(v20.h,r14.h):<<1:rnd:sat; v29 = vmem(r4++#1) }
{ v7:6.w = vmpy(v22.h,v18.h); v18 = vand(v23,v16); v22 = vmem(r3++#1) }
{ v17.w += vrmpy(v25.ub,r19.b); v24.w = vrmpy(v24.ub,r18.b); v25 = vand(v26,v16); v30 = vmem(r3++#1) }
{ v17.w += vrmpy(v23.ub,r8.b); v24.w += vrmpy(v28.ub,r19.b); v23 = vand(v30,v16); v28 = vmem(r3++#1) }
{ v17.w += vrmpy(v26.ub,r9.b); v24.w += vrmpy(v18.ub,r8.b); v18 = vand(v22,v16); v26 = vmem(r3++#1) }
{ v17.w += vrmpy(v22.ub,r10.b); v24.w += vrmpy(v25.ub,r9.b); v22 = vand(v28,v16); v19.w = vasr(v19.w,r0) }
{ v17.w += vrmpy(v30.ub,r11.b); v24.w += vrmpy(v18.ub,r10.b); v18 = vand(v26,v16); v25 = vmem(r3++#1) }
{ v17.w += vrmpy(v28.ub,r12.b); v24.w += vrmpy(v23.ub,r11.b); v19.h = vshuffe(v19.h,v21.h); v21 = vand(v29,v16) }
{ v17.w += vrmpy(v26.ub,r13.b); v24.w += vrmpy(v22.ub,r12.b); v19.h = vsub(v19.h,v27.h); v22 = vmem(r4++#1) }
{ v18.w = vrmpy(v29.ub,r18.b); v24.w += vrmpy(v18.ub,r13.b); v23 = vand(v22,v16); v26 = vmem(r4++#1) }
{ v1:0.w += vmpy(v19.h,v20.h); v19 = vand(v26,v16); v20 = vmem(r4++#1); r17:16 = memd(r6++#8) }
{ v18.w += vrmpy(v22.ub,r19.b); v21.w = vrmpy(v21.ub,r18.b); v22 = vand(v20,v16); v28 = vmem(r4++#1) }
{ v18.w += vrmpy(v26.ub,r8.b); v21.w += vrmpy(v23.ub,r19.b); v23 = vand(v28,v16); v26 = vmem(r4++#1) }
{ v18.w += vrmpy(v20.ub,r9.b); v21.w += vrmpy(v19.ub,r8.b); v19 = vand(v26,v16); v20 = vmem(r4++#1) }
{ v18.w += vrmpy(v28.ub,r10.b); v21.w += vrmpy(v22.ub,r9.b); v22 = vmem(r4++#1); v17.w = vsub(v17.w,v24.w) }
{ v18.w += vrmpy(v26.ub,r11.b); v21.w += vrmpy(v23.ub,r10.b); v23 = vand(v20,v16); v26 = vmem(r4++#1) }
{ v18.w += vrmpy(v20.ub,r12.b); v21.w += vrmpy(v19.ub,r11.b); v17.w = vasr(v17.w,r0); v19 = vmem(r5++#1) }
{ v20 = vand(v22,v16); v18.w += vrmpy(v22.ub,r13.b); v21.w += vrmpy(v23.ub,r12.b); v22 = vmem(r5++#1) }
{ v17.h = vshuffe(v17.h,v24.h); v23.h = vmpy(v25.h,r14.h):<<1:rnd:sat; v24 = vand(v19,v16); r21:20 = memd(r6++#8) }
{ v17.h = vsub(v17.h,v27.h); v19.w = vrmpy(v19.ub,r18.b); v21.w += vrmpy(v20.ub,r13.b); v20 = vmem(r5++#1) }
{ v24 = vand(v22,v16); v19.w += vrmpy(v22.ub,r19.b); v22.w = vrmpy(v24.ub,r18.b); v25 = vmem(r5++#1) }
{ v3:2.w += vmpy(v17.h,v23.h); v17 = vand(v20,v16); v23 = vmem(r5++#1); r23:22 = memd(r6++#8) }
{ v19.w += vrmpy(v20.ub,r8.b); v22.w += vrmpy(v24.ub,r19.b); v20 = vand(v25,v16); v24 = vmem(r5++#1) }
{ v19.w += vrmpy(v25.ub,r9.b); v22.w += vrmpy(v17.ub,r8.b); v17 = vand(v23,v16); v25 = vand(v24,v16) }
{ v19.w += vrmpy(v23.ub,r10.b); v22.w += vrmpy(v20.ub,r9.b); v20 = vmem(r5++#1); v18.w = vsub(v18.w,v21.w) }
{ v19.w += vrmpy(v24.ub,r11.b); v22.w += vrmpy(v17.ub,r10.b); v17 = vand(v20,v16); v23 = vmem(r5++#1) }
{ v19.w += vrmpy(v20.ub,r12.b); v22.w += vrmpy(v25.ub,r11.b); v20 = vand(v23,v16); v24 = vmem(r5++#1) }
{ v19.w += vrmpy(v23.ub,r13.b); v22.w += vrmpy(v17.ub,r12.b); v17.w = vasr(v18.w,r0); v18 = vmem(r2++#1) }
{ v23.h = vmpy(v26.h,r14.h):<<1:rnd:sat; v25 = vand(v18,v16); v26 = vmem(r2++#1); r9:8 = memd(r7++#8) }
{ v17.h = vshuffe(v17.h,v21.h); v18.w = vrmpy(v18.ub,r16.b); v22.w += vrmpy(v20.ub,r13.b); v20 = vand(v26,v16) }
{ v21.h = vsub(v17.h,v27.h); v18.w += vrmpy(v26.ub,r17.b); v17.w = vrmpy(v25.ub,r16.b); v25 = vmem(r2++#1) }
{ v26 = vand(v25,v16); v28 = vmem(r2++#1); v19.w = vsub(v19.w,v22.w); v29 = vsplat(r9) }
{ v5:4.w += vmpy(v21.h,v23.h); v21 = vand(v28,v16); v23 = vmem(r2++#1); r11:10 = memd(r6++#8) }
{ v18.w += vrmpy(v25.ub,r20.b); v17.w += vrmpy(v20.ub,r17.b); v20 = vand(v23,v16); v25 = vmem(r2++#1) }
{ v18.w += vrmpy(v28.ub,r21.b); v17.w += vrmpy(v26.ub,r20.b); v26 = vand(v25,v16); v28 = vmem(r2++#1) }
{ v18.w += vrmpy(v23.ub,r22.b); v17.w += vrmpy(v21.ub,r21.b); v21 = vand(v28,v16); v23 = vmem(r2++#1) }
{ v18.w += vrmpy(v25.ub,r23.b); v17.w += vrmpy(v20.ub,r22.b); v20 = vand(v23,v16); v25 = vmem(r2++#1) }
{ v18.w += vrmpy(v28.ub,r10.b); v17.w += vrmpy(v26.ub,r23.b); v19.w = vasr(v19.w,r0); v26 = vmem(r3++#1) }
{ v18.w += vrmpy(v23.ub,r11.b); v17.w += vrmpy(v21.ub,r10.b); v21 = vand(v26,v16); v23 = vmem(r3++#1) }
{ v19.h = vshuffe(v19.h,v22.h); v22.h = vmpy(v24.h,r14.h):<<1:rnd:sat; v24 = vmem(r3++#1) }
{ v19.h = vsub(v19.h,v27.h); v20.w = vrmpy(v26.ub,r16.b); v17.w += vrmpy(v20.ub,r11.b); v26 = vand(v24,v16) }
{ v23 = vand(v23,v16); v20.w += vrmpy(v23.ub,r17.b); v21.w = vrmpy(v21.ub,r16.b); v27 = vmem(r3++#1) }
{ v7:6.w += vmpy(v19.h,v22.h); v19 = vand(v27,v16); v22 = vmem(r3++#1) }
{ v20.w += vrmpy(v24.ub,r20.b); v21.w += vrmpy(v23.ub,r17.b); v23 = vand(v22,v16); v24 = vmem(r3++#1) }
{ v20.w += vrmpy(v27.ub,r21.b); v21.w += vrmpy(v26.ub,r20.b); v26 = vand(v24,v16); v27 = vmem(r3++#1) }
{ v20.w += vrmpy(v22.ub,r22.b); v21.w += vrmpy(v19.ub,r21.b); v19 = vand(v27,v16); v22 = vmem(r3++#1) }
{ v20.w += vrmpy(v24.ub,r23.b); v21.w += vrmpy(v23.ub,r22.b); v23 = vand(v22,v16); v24 = vmem(r3++#1) }
{ v20.w += vrmpy(v27.ub,r10.b); v21.w += vrmpy(v26.ub,r23.b); v18.w = vsub(v18.w,v17.w); v26 = vmem(r4++#1) }
{ v25.h = vmpy(v25.h,r8.h):<<1:rnd:sat; v27 = vand(v26,v16); v28 = vmem(r4++#1) }
{ v20.w += vrmpy(v22.ub,r11.b); v21.w += vrmpy(v19.ub,r10.b); v18.w = vasr(v18.w,r0); v19 = vmem(r4++#1) }
{ v22.w = vrmpy(v26.ub,r16.b); v21.w += vrmpy(v23.ub,r11.b); v23 = vand(v28,v16); v26 = vand(v19,v16) }
{ v18.h = vshuffe(v18.h,v17.h); v22.w += vrmpy(v28.ub,r17.b); v17.w = vrmpy(v27.ub,r16.b); v27 = vmem(r4++#1) }
{ v18.h = vsub(v18.h,v29.h); v22.w += vrmpy(v19.ub,r20.b); v17.w += vrmpy(v23.ub,r17.b); v19 = vand(v27,v16) }
{ v22.w += vrmpy(v27.ub,r21.b); v17.w += vrmpy(v26.ub,r20.b); v23 = vmem(r4++#1); v20.w = vsub(v20.w,v21.w) }
{ v1:0.w += vmpy(v18.h,v25.h); v18 = vand(v23,v16); v25 = vmem(r4++#1) }
{ v22.w += vrmpy(v23.ub,r22.b); v17.w += vrmpy(v19.ub,r21.b); v19 = vand(v25,v16); v23 = vmem(r4++#1) }
{ v22.w += vrmpy(v25.ub,r23.b); v17.w += vrmpy(v18.ub,r22.b); v18 = vand(v23,v16); v25 = vmem(r4++#1) }
{ v22.w += vrmpy(v23.ub,r10.b); v17.w += vrmpy(v19.ub,r23.b); v19 = vand(v25,v16); v23 = vmem(r4++#1) }
{ v20.w = vasr(v20.w,r0); v24.h = vmpy(v24.h,r8.h):<<1:rnd:sat; v26 = vmem(r5++#1) }
{ v22.w += vrmpy(v25.ub,r11.b); v17.w += vrmpy(v18.ub,r10.b); v18 = vand(v26,v16); v25 = vmem(r5++#1) }
{ v19.h = vshuffe(v20.h,v21.h); v20.w = vrmpy(v26.ub,r16.b); v17.w += vrmpy(v19.ub,r11.b); v21 = vmem(r5++#1) }
{ v19.h = vsub(v19.h,v29.h); v25 = vand(v25,v16); v20.w += vrmpy(v25.ub,r17.b); v18.w = vrmpy(v18.ub,r16.b) }
{ v26 = vand(v21,v16); v27 = vmem(r5++#1); v23.h = vmpy(v23.h,r8.h):<<1:rnd:sat; r13:12 = memd(r6++#8) }
{ v3:2.w += vmpy(v19.h,v24.h); v19 = vand(v27,v16); v24 = vmem(r5++#1); r15:14 = memd(r6++#8) }
{ v20.w += vrmpy(v21.ub,r20.b); v18.w += vrmpy(v25.ub,r17.b); v21 = vand(v24,v16); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v27.ub,r21.b); v18.w += vrmpy(v26.ub,r20.b); v26 = vand(v25,v16); v27 = vmem(r5++#1) }
{ v20.w += vrmpy(v24.ub,r22.b); v18.w += vrmpy(v19.ub,r21.b); v19 = vand(v27,v16); v24 = vmem(r5++#1) }
{ v20.w += vrmpy(v25.ub,r23.b); v18.w += vrmpy(v21.ub,r22.b); v21 = vand(v24,v16); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v27.ub,r10.b); v18.w += vrmpy(v26.ub,r23.b); v22.w = vsub(v22.w,v17.w); v26 = vmem(r2++#1) }
{ v20.w += vrmpy(v24.ub,r11.b); v18.w += vrmpy(v19.ub,r10.b); v19 = vand(v26,v16); v24 = vmem(r2++#1) }
{ v21.w = vasr(v22.w,r0); v22.w = vrmpy(v26.ub,r12.b); v18.w += vrmpy(v21.ub,r11.b); v26 = vand(v24,v16) }
{ v22.w += vrmpy(v24.ub,r13.b); v20.w = vrmpy(v19.ub,r12.b); v24 = vmem(r2++#1); v19.w = vsub(v20.w,v18.w) }
{ v17.h = vshuffe(v21.h,v17.h); v21 = vand(v24,v16); r11:10 = memd(r6++#8); v27 = vmem(r3++#1) }
{ v17.h = vsub(v17.h,v29.h); v22.w += vrmpy(v24.ub,r14.b); v20.w += vrmpy(v26.ub,r13.b); v24 = vmem(r2++#1) }
{ v26 = vand(v24,v16); v28 = vmem(r2++#1); r9:8 = memd(r6++#8); v25.h = vmpy(v25.h,r8.h):<<1:rnd:sat }
{ v5:4.w += vmpy(v17.h,v23.h); v17 = vand(v28,v16); v23 = vmem(r2++#1); r17:16 = memd(r7++#8) }
{ v22.w += vrmpy(v24.ub,r15.b); v20.w += vrmpy(v21.ub,r14.b); v21 = vand(v23,v16); v24 = vmem(r2++#1) }
{ v22.w += vrmpy(v28.ub,r10.b); v20.w += vrmpy(v26.ub,r15.b); v26 = vand(v24,v16); v28 = vmem(r2++#1) }
{ v22.w += vrmpy(v23.ub,r11.b); v20.w += vrmpy(v17.ub,r10.b); v19 = vmem(r2++#1); v17.w = vasr(v19.w,r0) }
{ v22.w += vrmpy(v24.ub,r8.b); v20.w += vrmpy(v21.ub,r11.b); v21 = vand(v28,v16); v23 = vmem(r3++#1) }
{ v22.w += vrmpy(v28.ub,r9.b); v20.w += vrmpy(v26.ub,r8.b); v24 = vmem(r3++#1) }
{ v17.h = vshuffe(v17.h,v18.h); v21 = vand(v27,v16); v18.w = vrmpy(v27.ub,r12.b); v20.w += vrmpy(v21.ub,r9.b) }
{ v17.h = vsub(v17.h,v29.h); v26 = vand(v23,v16); v28 = vsplat(r17); v27 = vmem(r4++#1) }
{ v18.w += vrmpy(v23.ub,r13.b); v22.w = vrmpy(v21.ub,r12.b); v23 = vmem(r3++#1); v21.w = vsub(v22.w,v20.w) }
{ v7:6.w += vmpy(v17.h,v25.h); v17 = vand(v24,v16); v25 = vmem(r3++#1) }
{ v18.w += vrmpy(v24.ub,r14.b); v22.w += vrmpy(v26.ub,r13.b); v24 = vand(v23,v16); v26 = vmem(r3++#1) }
{ v18.w += vrmpy(v23.ub,r15.b); v22.w += vrmpy(v17.ub,r14.b); v17 = vand(v25,v16); v23 = vmem(r3++#1) }
{ v18.w += vrmpy(v25.ub,r10.b); v22.w += vrmpy(v24.ub,r15.b); v24 = vand(v26,v16); v25 = vmem(r3++#1) }
{ v18.w += vrmpy(v26.ub,r11.b); v22.w += vrmpy(v17.ub,r10.b); v17 = vand(v23,v16); v26 = vand(v25,v16) }
{ v18.w += vrmpy(v23.ub,r8.b); v22.w += vrmpy(v24.ub,r11.b); v23 = vmem(r3++#1); v21.w = vasr(v21.w,r0) }
{ v18.w += vrmpy(v25.ub,r9.b); v22.w += vrmpy(v17.ub,r8.b); v17 = vand(v27,v16); v24 = vmem(r4++#1) }
{ v20.h = vshuffe(v21.h,v20.h); v21.w = vrmpy(v27.ub,r12.b); v22.w += vrmpy(v26.ub,r9.b); v25 = vand(v24,v16) }
{ v19.h = vsub(v20.h,v28.h); v20.h = vmpy(v19.h,r16.h):<<1:rnd:sat; v26 = vmem(r4++#1) }
{ v21.w += vrmpy(v24.ub,r13.b); v17.w = vrmpy(v17.ub,r12.b); v24 = vand(v26,v16); v27 = vmem(r4++#1) }
{ v1:0.w += vmpy(v19.h,v20.h); v19 = vand(v27,v16); v20 = vmem(r4++#1) }
{ v21.w += vrmpy(v26.ub,r14.b); v17.w += vrmpy(v25.ub,r13.b); v25 = vand(v20,v16); v26 = vmem(r4++#1) }
{ v8.w += vasr(v0.w,r1); v21.w += vrmpy(v27.ub,r15.b); v17.w += vrmpy(v24.ub,r14.b); v24 = vand(v26,v16) }
{ v9.w += vasr(v1.w,r1); v21.w += vrmpy(v20.ub,r10.b); v17.w += vrmpy(v19.ub,r15.b); v19 = vmem(r4++#1) }
{ v21.w += vrmpy(v26.ub,r11.b); v17.w += vrmpy(v25.ub,r10.b); v20 = vand(v19,v16); v25 = vmem(r4++#1) }
{ v21.w += vrmpy(v19.ub,r8.b); v17.w += vrmpy(v24.ub,r11.b); v19 = vand(v25,v16); v24 = vmem(r4++#1) }
{ v21.w += vrmpy(v25.ub,r9.b); v17.w += vrmpy(v20.ub,r8.b); v18.w = vsub(v18.w,v22.w); v20 = vmem(r5++#1) }
{ v23.h = vmpy(v23.h,r16.h):<<1:rnd:sat; v25 = vand(v20,v16); v26 = vmem(r5++#1) }
{ v18.w = vasr(v18.w,r0); v19.w = vrmpy(v20.ub,r12.b); v17.w += vrmpy(v19.ub,r9.b); v20 = vand(v26,v16) }
{ v19.w += vrmpy(v26.ub,r13.b); v26.w = vrmpy(v25.ub,r12.b); v25 = vmem(r5++#1); v21.w = vsub(v21.w,v17.w) }
{ v18.h = vshuffe(v18.h,v22.h); v22.h = vmpy(v24.h,r16.h):<<1:rnd:sat }
{ v18.h = vsub(v18.h,v28.h); v19.w += vrmpy(v25.ub,r14.b); v26.w += vrmpy(v20.ub,r13.b); v20 = vmem(r5++#1) }
{ v24 = vand(v25,v16); v25 = vand(v20,v16); v27 = vmem(r5++#1); v21.w = vasr(v21.w,r0) }
{ v3:2.w += vmpy(v18.h,v23.h); v18 = vand(v27,v16); v23 = vmem(r5++#1) }
{ v19.w += vrmpy(v20.ub,r15.b); v26.w += vrmpy(v24.ub,r14.b); v20 = vand(v23,v16); v24 = vmem(r5++#1) }
{ v11.w += vasr(v3.w,r1); v19.w += vrmpy(v27.ub,r10.b); v26.w += vrmpy(v25.ub,r15.b); v25 = vand(v24,v16) }
{ v10.w += vasr(v2.w,r1); v19.w += vrmpy(v23.ub,r11.b); v26.w += vrmpy(v18.ub,r10.b); v18 = vmem(r5++#1) }
{ v19.w += vrmpy(v24.ub,r8.b); v26.w += vrmpy(v20.ub,r11.b); v20 = vand(v18,v16) }
{ v19.w += vrmpy(v18.ub,r9.b); v26.w += vrmpy(v25.ub,r8.b); v18 = vmem(r5++#1); v17.h = vshuffe(v21.h,v17.h) }
.Lhvx_sum_q4_0_tiles:
{ r9:8 = memd(r6++#8); v17 = vmem(r2++#1); v23.h = vsub(v17.h,v28.h); v26.w += vrmpy(v20.ub,r9.b) }
{ v18 = vmem(r2++#1); v27.w = vsub(v19.w,v26.w); v29.h = vmpy(v18.h,r16.h):<<1:rnd:sat }
{ v19 = vand(v17,v16); v17.w = vrmpy(v17.ub,r8.b); v20 = vand(v18,v16); v21 = vmem(r2++#1) }
{ r11:10 = memd(r6++#8); v22 = vand(v21,v16); v23 = vmem(r2++#1); v5:4.w += vmpy(v23.h,v22.h) }
{ v17.w += vrmpy(v18.ub,r9.b); v18.w = vrmpy(v19.ub,r8.b); v19 = vand(v23,v16); v24 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r10.b); v18.w += vrmpy(v20.ub,r9.b); r13:12 = memd(r6++#8); v20 = vmem(r2++#1) }
{ v17.w += vrmpy(v23.ub,r11.b); v18.w += vrmpy(v22.ub,r10.b); v21 = vmem(r2++#1); r15:14 = memd(r7++#8) }
{ v19 = vand(v24,v16); v17.w += vrmpy(v24.ub,r12.b); v18.w += vrmpy(v19.ub,r11.b); v22 = vand(v20,v16) }
{ r17:16 = memd(r6++#8); v23 = vand(v21,v16); v24 = vmem(r2++#1); v13.w += vasr(v5.w,r1) }
{ v17.w += vrmpy(v20.ub,r13.b); v18.w += vrmpy(v19.ub,r12.b); v19 = vand(v24,v16); v20 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r16.b); v18.w += vrmpy(v22.ub,r13.b); v21 = vmem(r3++#1); v12.w += vasr(v4.w,r1) }
{ v17.w += vrmpy(v24.ub,r17.b); v18.w += vrmpy(v23.ub,r16.b); v22 = vand(v21,v16); v23 = vmem(r3++#1) }
{ v19.w = vrmpy(v21.ub,r8.b); v18.w += vrmpy(v19.ub,r17.b); v21 = vand(v23,v16); v24 = vmem(r3++#1) }
{ v19.w += vrmpy(v23.ub,r9.b); v22.w = vrmpy(v22.ub,r8.b); v23 = vand(v24,v16); v25 = vmem(r3++#1) }
{ v19.w += vrmpy(v24.ub,r10.b); v22.w += vrmpy(v21.ub,r9.b); v21 = vand(v25,v16); v24 = vmem(r3++#1) }
{ v19.w += vrmpy(v25.ub,r11.b); v22.w += vrmpy(v23.ub,r10.b); v23 = vand(v24,v16); v25 = vmem(r3++#1) }
{ v19.w += vrmpy(v24.ub,r12.b); v22.w += vrmpy(v21.ub,r11.b); v21 = vand(v25,v16); v17.w = vsub(v17.w,v18.w) }
{ v19.w += vrmpy(v25.ub,r13.b); v22.w += vrmpy(v23.ub,r12.b); v23 = vmem(r3++#1); v25.w = vasr(v27.w,r0) }
{ v24 = vand(v23,v16); v17.w = vasr(v17.w,r0); v20.h = vmpy(v20.h,r14.h):<<1:rnd:sat }
{ v19.w += vrmpy(v23.ub,r16.b); v22.w += vrmpy(v21.ub,r13.b); v21 = vmem(r3++#1); v23.h = vshuffe(v25.h,v26.h) }
{ v23 = vand(v21,v16); v25 = vmem(r3++#1); v26 = vsplat(r15); v27.h = vsub(v23.h,v28.h) }
{ v19.w += vrmpy(v21.ub,r17.b); v22.w += vrmpy(v24.ub,r16.b); v17.h = vshuffe(v17.h,v18.h); v18 = vmem(r4++#1) }
{ v17.h = vsub(v17.h,v26.h); v24 = vmem(r4++#1); v21.h = vmpy(v25.h,r14.h):<<1:rnd:sat }
{ v23.w = vrmpy(v18.ub,r8.b); v22.w += vrmpy(v23.ub,r17.b); v25 = vmem(r4++#1) }
{ v1:0.w = vmpy(v17.h,v20.h); v17 = vand(v18,v16); v18 = vand(v24,v16) }
{ v20 = vmem(r4++#1); v19.w = vsub(v19.w,v22.w); v7:6.w += vmpy(v27.h,v29.h) }
{ v23.w += vrmpy(v24.ub,r9.b); v17.w = vrmpy(v17.ub,r8.b); v24 = vand(v25,v16); v27 = vmem(r4++#1) }
{ v23.w += vrmpy(v25.ub,r10.b); v17.w += vrmpy(v18.ub,r9.b); v18 = vand(v20,v16); v25 = vmem(r4++#1) }
{ v23.w += vrmpy(v20.ub,r11.b); v17.w += vrmpy(v24.ub,r10.b); v20 = vand(v27,v16); v24 = vmem(r4++#1) }
{ v23.w += vrmpy(v27.ub,r12.b); v17.w += vrmpy(v18.ub,r11.b); v18 = vand(v25,v16); v27 = vand(v24,v16) }
{ v23.w += vrmpy(v25.ub,r13.b); v17.w += vrmpy(v20.ub,r12.b); v20 = vmem(r4++#1); v19.w = vasr(v19.w,r0) }
{ v23.w += vrmpy(v24.ub,r16.b); v17.w += vrmpy(v18.ub,r13.b); v18 = vand(v20,v16); v24 = vmem(r5++#1) }
{ v23.w += vrmpy(v20.ub,r17.b); v17.w += vrmpy(v27.ub,r16.b); v20 = vmem(r4++#1); v19.h = vshuffe(v19.h,v22.h) }
{ v18.h = vsub(v19.h,v26.h); v19.w = vrmpy(v24.ub,r8.b); v17.w += vrmpy(v18.ub,r17.b); v22 = vmem(r5++#1) }
{ v24 = vand(v24,v16); v25 = vmem(r5++#1); v20.h = vmpy(v20.h,r14.h):<<1:rnd:sat }
{ v3:2.w = vmpy(v18.h,v21.h); v18 = vand(v22,v16); v21 = vmem(r5++#1); r19:18 = memd(r6++#8) }
{ v19.w += vrmpy(v22.ub,r9.b); v22.w = vrmpy(v24.ub,r8.b); v24 = vand(v25,v16); v27 = vmem(r5++#1) }
{ v19.w += vrmpy(v25.ub,r10.b); v22.w += vrmpy(v18.ub,r9.b); v18 = vand(v21,v16); v25 = vmem(r5++#1) }
{ v19.w += vrmpy(v21.ub,r11.b); v22.w += vrmpy(v24.ub,r10.b); v23 = vand(v27,v16); v21.w = vsub(v23.w,v17.w) }
{ v19.w += vrmpy(v27.ub,r12.b); v22.w += vrmpy(v18.ub,r11.b); v18 = vmem(r5++#1); r9:8 = memd(r6++#8) }
{ v23 = vand(v25,v16); v19.w += vrmpy(v25.ub,r13.b); v22.w += vrmpy(v23.ub,r12.b); v24 = vmem(r5++#1) }
{ v25 = vand(v18,v16); v27 = vand(v24,v16); v21.w = vasr(v21.w,r0); r11:10 = memd(r6++#8) }
{ v19.w += vrmpy(v18.ub,r16.b); v22.w += vrmpy(v23.ub,r13.b); v18 = vmem(r2++#1); v14.w += vasr(v6.w,r1) }
{ v19.w += vrmpy(v24.ub,r17.b); v22.w += vrmpy(v25.ub,r16.b); v21 = vmem(r5++#1); v17.h = vshuffe(v21.h,v17.h) }
{ v17.h = vsub(v17.h,v26.h); v23.w = vrmpy(v18.ub,r18.b); v22.w += vrmpy(v27.ub,r17.b); v24 = vmem(r2++#1) }
{ v21 = vand(v18,v16); v25 = vmem(r2++#1); r13:12 = memd(r6++#8); v18.h = vmpy(v21.h,r14.h):<<1:rnd:sat }
{ v5:4.w = vmpy(v17.h,v20.h); v17 = vand(v24,v16); v20 = vmem(r2++#1); r15:14 = memd(r7++#8) }
{ v23.w += vrmpy(v24.ub,r19.b); v21.w = vrmpy(v21.ub,r18.b); v24 = vand(v25,v16); v27 = vmem(r2++#1) }
{ v23.w += vrmpy(v25.ub,r8.b); v21.w += vrmpy(v17.ub,r19.b); v17 = vand(v20,v16); v25 = vmem(r2++#1) }
{ v23.w += vrmpy(v20.ub,r9.b); v21.w += vrmpy(v24.ub,r8.b); v20 = vand(v27,v16); v24 = vmem(r2++#1) }
{ v23.w += vrmpy(v27.ub,r10.b); v21.w += vrmpy(v17.ub,r9.b); v17 = vand(v25,v16); v27 = vand(v24,v16) }
{ v23.w += vrmpy(v25.ub,r11.b); v21.w += vrmpy(v20.ub,r10.b); v20 = vmem(r2++#1); v19.w = vsub(v19.w,v22.w) }
{ v23.w += vrmpy(v24.ub,r12.b); v21.w += vrmpy(v17.ub,r11.b); v17 = vand(v20,v16); v24 = vmem(r3++#1) }
{ v23.w += vrmpy(v20.ub,r13.b); v21.w += vrmpy(v27.ub,r12.b); v20 = vmem(r2++#1); v19.w = vasr(v19.w,r0) }
{ v17.w = vrmpy(v24.ub,r18.b); v21.w += vrmpy(v17.ub,r13.b); v25 = vmem(r3++#1) }
{ v22.h = vshuffe(v19.h,v22.h); v23 = vmem(r3++#1); v19.w = vsub(v23.w,v21.w); v27 = vsplat(r15) }
{ v22.h = vsub(v22.h,v26.h); v24 = vand(v24,v16); v26 = vmem(r3++#1); v15.w += vasr(v7.w,r1) }
{ v28 = vand(v25,v16); v20.h = vmpy(v20.h,r14.h):<<1:rnd:sat; v29 = vmem(r4++#1) }
{ v7:6.w = vmpy(v22.h,v18.h); v18 = vand(v23,v16); v22 = vmem(r3++#1) }
{ v17.w += vrmpy(v25.ub,r19.b); v24.w = vrmpy(v24.ub,r18.b); v25 = vand(v26,v16); v30 = vmem(r3++#1) }
{ v17.w += vrmpy(v23.ub,r8.b); v24.w += vrmpy(v28.ub,r19.b); v23 = vand(v30,v16); v28 = vmem(r3++#1) }
{ v17.w += vrmpy(v26.ub,r9.b); v24.w += vrmpy(v18.ub,r8.b); v18 = vand(v22,v16); v26 = vmem(r3++#1) }
{ v17.w += vrmpy(v22.ub,r10.b); v24.w += vrmpy(v25.ub,r9.b); v22 = vand(v28,v16); v19.w = vasr(v19.w,r0) }
{ v17.w += vrmpy(v30.ub,r11.b); v24.w += vrmpy(v18.ub,r10.b); v18 = vand(v26,v16); v25 = vmem(r3++#1) }
{ v17.w += vrmpy(v28.ub,r12.b); v24.w += vrmpy(v23.ub,r11.b); v19.h = vshuffe(v19.h,v21.h); v21 = vand(v29,v16) }
{ v17.w += vrmpy(v26.ub,r13.b); v24.w += vrmpy(v22.ub,r12.b); v19.h = vsub(v19.h,v27.h); v22 = vmem(r4++#1) }
{ v18.w = vrmpy(v29.ub,r18.b); v24.w += vrmpy(v18.ub,r13.b); v23 = vand(v22,v16); v26 = vmem(r4++#1) }
{ v1:0.w += vmpy(v19.h,v20.h); v19 = vand(v26,v16); v20 = vmem(r4++#1); r17:16 = memd(r6++#8) }
{ v18.w += vrmpy(v22.ub,r19.b); v21.w = vrmpy(v21.ub,r18.b); v22 = vand(v20,v16); v28 = vmem(r4++#1) }
{ v18.w += vrmpy(v26.ub,r8.b); v21.w += vrmpy(v23.ub,r19.b); v23 = vand(v28,v16); v26 = vmem(r4++#1) }
{ v18.w += vrmpy(v20.ub,r9.b); v21.w += vrmpy(v19.ub,r8.b); v19 = vand(v26,v16); v20 = vmem(r4++#1) }
{ v18.w += vrmpy(v28.ub,r10.b); v21.w += vrmpy(v22.ub,r9.b); v22 = vmem(r4++#1); v17.w = vsub(v17.w,v24.w) }
{ v18.w += vrmpy(v26.ub,r11.b); v21.w += vrmpy(v23.ub,r10.b); v23 = vand(v20,v16); v26 = vmem(r4++#1) }
{ v18.w += vrmpy(v20.ub,r12.b); v21.w += vrmpy(v19.ub,r11.b); v17.w = vasr(v17.w,r0); v19 = vmem(r5++#1) }
{ v20 = vand(v22,v16); v18.w += vrmpy(v22.ub,r13.b); v21.w += vrmpy(v23.ub,r12.b); v22 = vmem(r5++#1) }
{ v17.h = vshuffe(v17.h,v24.h); v23.h = vmpy(v25.h,r14.h):<<1:rnd:sat; v24 = vand(v19,v16); r21:20 = memd(r6++#8) }
{ v17.h = vsub(v17.h,v27.h); v19.w = vrmpy(v19.ub,r18.b); v21.w += vrmpy(v20.ub,r13.b); v20 = vmem(r5++#1) }
{ v24 = vand(v22,v16); v19.w += vrmpy(v22.ub,r19.b); v22.w = vrmpy(v24.ub,r18.b); v25 = vmem(r5++#1) }
{ v3:2.w += vmpy(v17.h,v23.h); v17 = vand(v20,v16); v23 = vmem(r5++#1); r23:22 = memd(r6++#8) }
{ v19.w += vrmpy(v20.ub,r8.b); v22.w += vrmpy(v24.ub,r19.b); v20 = vand(v25,v16); v24 = vmem(r5++#1) }
{ v19.w += vrmpy(v25.ub,r9.b); v22.w += vrmpy(v17.ub,r8.b); v17 = vand(v23,v16); v25 = vand(v24,v16) }
{ v19.w += vrmpy(v23.ub,r10.b); v22.w += vrmpy(v20.ub,r9.b); v20 = vmem(r5++#1); v18.w = vsub(v18.w,v21.w) }
{ v19.w += vrmpy(v24.ub,r11.b); v22.w += vrmpy(v17.ub,r10.b); v17 = vand(v20,v16); v23 = vmem(r5++#1) }
{ v19.w += vrmpy(v20.ub,r12.b); v22.w += vrmpy(v25.ub,r11.b); v20 = vand(v23,v16); v24 = vmem(r5++#1) }
{ v19.w += vrmpy(v23.ub,r13.b); v22.w += vrmpy(v17.ub,r12.b); v17.w = vasr(v18.w,r0); v18 = vmem(r2++#1) }
{ v23.h = vmpy(v26.h,r14.h):<<1:rnd:sat; v25 = vand(v18,v16); v26 = vmem(r2++#1); r9:8 = memd(r7++#8) }
{ v17.h = vshuffe(v17.h,v21.h); v18.w = vrmpy(v18.ub,r16.b); v22.w += vrmpy(v20.ub,r13.b); v20 = vand(v26,v16) }
{ v21.h = vsub(v17.h,v27.h); v18.w += vrmpy(v26.ub,r17.b); v17.w = vrmpy(v25.ub,r16.b); v25 = vmem(r2++#1) }
{ v26 = vand(v25,v16); v28 = vmem(r2++#1); v19.w = vsub(v19.w,v22.w); v29 = vsplat(r9) }
{ v5:4.w += vmpy(v21.h,v23.h); v21 = vand(v28,v16); v23 = vmem(r2++#1); r11:10 = memd(r6++#8) }
{ v18.w += vrmpy(v25.ub,r20.b); v17.w += vrmpy(v20.ub,r17.b); v20 = vand(v23,v16); v25 = vmem(r2++#1) }
{ v18.w += vrmpy(v28.ub,r21.b); v17.w += vrmpy(v26.ub,r20.b); v26 = vand(v25,v16); v28 = vmem(r2++#1) }
{ v18.w += vrmpy(v23.ub,r22.b); v17.w += vrmpy(v21.ub,r21.b); v21 = vand(v28,v16); v23 = vmem(r2++#1) }
{ v18.w += vrmpy(v25.ub,r23.b); v17.w += vrmpy(v20.ub,r22.b); v20 = vand(v23,v16); v25 = vmem(r2++#1) }
{ v18.w += vrmpy(v28.ub,r10.b); v17.w += vrmpy(v26.ub,r23.b); v19.w = vasr(v19.w,r0); v26 = vmem(r3++#1) }
{ v18.w += vrmpy(v23.ub,r11.b); v17.w += vrmpy(v21.ub,r10.b); v21 = vand(v26,v16); v23 = vmem(r3++#1) }
{ v19.h = vshuffe(v19.h,v22.h); v22.h = vmpy(v24.h,r14.h):<<1:rnd:sat; v24 = vmem(r3++#1) }
{ v19.h = vsub(v19.h,v27.h); v20.w = vrmpy(v26.ub,r16.b); v17.w += vrmpy(v20.ub,r11.b); v26 = vand(v24,v16) }
{ v23 = vand(v23,v16); v20.w += vrmpy(v23.ub,r17.b); v21.w = vrmpy(v21.ub,r16.b); v27 = vmem(r3++#1) }
{ v7:6.w += vmpy(v19.h,v22.h); v19 = vand(v27,v16); v22 = vmem(r3++#1) }
{ v20.w += vrmpy(v24.ub,r20.b); v21.w += vrmpy(v23.ub,r17.b); v23 = vand(v22,v16); v24 = vmem(r3++#1) }
{ v20.w += vrmpy(v27.ub,r21.b); v21.w += vrmpy(v26.ub,r20.b); v26 = vand(v24,v16); v27 = vmem(r3++#1) }
{ v20.w += vrmpy(v22.ub,r22.b); v21.w += vrmpy(v19.ub,r21.b); v19 = vand(v27,v16); v22 = vmem(r3++#1) }
{ v20.w += vrmpy(v24.ub,r23.b); v21.w += vrmpy(v23.ub,r22.b); v23 = vand(v22,v16); v24 = vmem(r3++#1) }
{ v20.w += vrmpy(v27.ub,r10.b); v21.w += vrmpy(v26.ub,r23.b); v18.w = vsub(v18.w,v17.w); v26 = vmem(r4++#1) }
{ v25.h = vmpy(v25.h,r8.h):<<1:rnd:sat; v27 = vand(v26,v16); v28 = vmem(r4++#1) }
{ v20.w += vrmpy(v22.ub,r11.b); v21.w += vrmpy(v19.ub,r10.b); v18.w = vasr(v18.w,r0); v19 = vmem(r4++#1) }
{ v22.w = vrmpy(v26.ub,r16.b); v21.w += vrmpy(v23.ub,r11.b); v23 = vand(v28,v16); v26 = vand(v19,v16) }
{ v18.h = vshuffe(v18.h,v17.h); v22.w += vrmpy(v28.ub,r17.b); v17.w = vrmpy(v27.ub,r16.b); v27 = vmem(r4++#1) }
{ v18.h = vsub(v18.h,v29.h); v22.w += vrmpy(v19.ub,r20.b); v17.w += vrmpy(v23.ub,r17.b); v19 = vand(v27,v16) }
{ v22.w += vrmpy(v27.ub,r21.b); v17.w += vrmpy(v26.ub,r20.b); v23 = vmem(r4++#1); v20.w = vsub(v20.w,v21.w) }
{ v1:0.w += vmpy(v18.h,v25.h); v18 = vand(v23,v16); v25 = vmem(r4++#1) }
{ v22.w += vrmpy(v23.ub,r22.b); v17.w += vrmpy(v19.ub,r21.b); v19 = vand(v25,v16); v23 = vmem(r4++#1) }
{ v22.w += vrmpy(v25.ub,r23.b); v17.w += vrmpy(v18.ub,r22.b); v18 = vand(v23,v16); v25 = vmem(r4++#1) }
{ v22.w += vrmpy(v23.ub,r10.b); v17.w += vrmpy(v19.ub,r23.b); v19 = vand(v25,v16); v23 = vmem(r4++#1) }
{ v20.w = vasr(v20.w,r0); v24.h = vmpy(v24.h,r8.h):<<1:rnd:sat; v26 = vmem(r5++#1) }
{ v22.w += vrmpy(v25.ub,r11.b); v17.w += vrmpy(v18.ub,r10.b); v18 = vand(v26,v16); v25 = vmem(r5++#1) }
{ v19.h = vshuffe(v20.h,v21.h); v20.w = vrmpy(v26.ub,r16.b); v17.w += vrmpy(v19.ub,r11.b); v21 = vmem(r5++#1) }
{ v19.h = vsub(v19.h,v29.h); v25 = vand(v25,v16); v20.w += vrmpy(v25.ub,r17.b); v18.w = vrmpy(v18.ub,r16.b) }
{ v26 = vand(v21,v16); v27 = vmem(r5++#1); v23.h = vmpy(v23.h,r8.h):<<1:rnd:sat; r13:12 = memd(r6++#8) }
{ v3:2.w += vmpy(v19.h,v24.h); v19 = vand(v27,v16); v24 = vmem(r5++#1); r15:14 = memd(r6++#8) }
{ v20.w += vrmpy(v21.ub,r20.b); v18.w += vrmpy(v25.ub,r17.b); v21 = vand(v24,v16); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v27.ub,r21.b); v18.w += vrmpy(v26.ub,r20.b); v26 = vand(v25,v16); v27 = vmem(r5++#1) }
{ v20.w += vrmpy(v24.ub,r22.b); v18.w += vrmpy(v19.ub,r21.b); v19 = vand(v27,v16); v24 = vmem(r5++#1) }
{ v20.w += vrmpy(v25.ub,r23.b); v18.w += vrmpy(v21.ub,r22.b); v21 = vand(v24,v16); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v27.ub,r10.b); v18.w += vrmpy(v26.ub,r23.b); v22.w = vsub(v22.w,v17.w); v26 = vmem(r2++#1) }
{ v20.w += vrmpy(v24.ub,r11.b); v18.w += vrmpy(v19.ub,r10.b); v19 = vand(v26,v16); v24 = vmem(r2++#1) }
{ v21.w = vasr(v22.w,r0); v22.w = vrmpy(v26.ub,r12.b); v18.w += vrmpy(v21.ub,r11.b); v26 = vand(v24,v16) }
{ v22.w += vrmpy(v24.ub,r13.b); v20.w = vrmpy(v19.ub,r12.b); v24 = vmem(r2++#1); v19.w = vsub(v20.w,v18.w) }
{ v17.h = vshuffe(v21.h,v17.h); v21 = vand(v24,v16); r11:10 = memd(r6++#8); v27 = vmem(r3++#1) }
{ v17.h = vsub(v17.h,v29.h); v22.w += vrmpy(v24.ub,r14.b); v20.w += vrmpy(v26.ub,r13.b); v24 = vmem(r2++#1) }
{ v26 = vand(v24,v16); v28 = vmem(r2++#1); r9:8 = memd(r6++#8); v25.h = vmpy(v25.h,r8.h):<<1:rnd:sat }
{ v5:4.w += vmpy(v17.h,v23.h); v17 = vand(v28,v16); v23 = vmem(r2++#1); r17:16 = memd(r7++#8) }
{ v22.w += vrmpy(v24.ub,r15.b); v20.w += vrmpy(v21.ub,r14.b); v21 = vand(v23,v16); v24 = vmem(r2++#1) }
{ v22.w += vrmpy(v28.ub,r10.b); v20.w += vrmpy(v26.ub,r15.b); v26 = vand(v24,v16); v28 = vmem(r2++#1) }
{ v22.w += vrmpy(v23.ub,r11.b); v20.w += vrmpy(v17.ub,r10.b); v19 = vmem(r2++#1); v17.w = vasr(v19.w,r0) }
{ v22.w += vrmpy(v24.ub,r8.b); v20.w += vrmpy(v21.ub,r11.b); v21 = vand(v28,v16); v23 = vmem(r3++#1) }
{ v22.w += vrmpy(v28.ub,r9.b); v20.w += vrmpy(v26.ub,r8.b); v24 = vmem(r3++#1) }
{ v17.h = vshuffe(v17.h,v18.h); v21 = vand(v27,v16); v18.w = vrmpy(v27.ub,r12.b); v20.w += vrmpy(v21.ub,r9.b) }
{ v17.h = vsub(v17.h,v29.h); v26 = vand(v23,v16); v28 = vsplat(r17); v27 = vmem(r4++#1) }
{ v18.w += vrmpy(v23.ub,r13.b); v22.w = vrmpy(v21.ub,r12.b); v23 = vmem(r3++#1); v21.w = vsub(v22.w,v20.w) }
{ v7:6.w += vmpy(v17.h,v25.h); v17 = vand(v24,v16); v25 = vmem(r3++#1) }
{ v18.w += vrmpy(v24.ub,r14.b); v22.w += vrmpy(v26.ub,r13.b); v24 = vand(v23,v16); v26 = vmem(r3++#1) }
{ v18.w += vrmpy(v23.ub,r15.b); v22.w += vrmpy(v17.ub,r14.b); v17 = vand(v25,v16); v23 = vmem(r3++#1) }
{ v18.w += vrmpy(v25.ub,r10.b); v22.w += vrmpy(v24.ub,r15.b); v24 = vand(v26,v16); v25 = vmem(r3++#1) }
{ v18.w += vrmpy(v26.ub,r11.b); v22.w += vrmpy(v17.ub,r10.b); v17 = vand(v23,v16); v26 = vand(v25,v16) }
{ v18.w += vrmpy(v23.ub,r8.b); v22.w += vrmpy(v24.ub,r11.b); v23 = vmem(r3++#1); v21.w = vasr(v21.w,r0) }
{ v18.w += vrmpy(v25.ub,r9.b); v22.w += vrmpy(v17.ub,r8.b); v17 = vand(v27,v16); v24 = vmem(r4++#1) }
{ v20.h = vshuffe(v21.h,v20.h); v21.w = vrmpy(v27.ub,r12.b); v22.w += vrmpy(v26.ub,r9.b); v25 = vand(v24,v16) }
{ v19.h = vsub(v20.h,v28.h); v20.h = vmpy(v19.h,r16.h):<<1:rnd:sat; v26 = vmem(r4++#1) }
{ v21.w += vrmpy(v24.ub,r13.b); v17.w = vrmpy(v17.ub,r12.b); v24 = vand(v26,v16); v27 = vmem(r4++#1) }
{ v1:0.w += vmpy(v19.h,v20.h); v19 = vand(v27,v16); v20 = vmem(r4++#1) }
{ v21.w += vrmpy(v26.ub,r14.b); v17.w += vrmpy(v25.ub,r13.b); v25 = vand(v20,v16); v26 = vmem(r4++#1) }
{ v8.w += vasr(v0.w,r1); v21.w += vrmpy(v27.ub,r15.b); v17.w += vrmpy(v24.ub,r14.b); v24 = vand(v26,v16) }
{ v9.w += vasr(v1.w,r1); v21.w += vrmpy(v20.ub,r10.b); v17.w += vrmpy(v19.ub,r15.b); v19 = vmem(r4++#1) }
{ v21.w += vrmpy(v26.ub,r11.b); v17.w += vrmpy(v25.ub,r10.b); v20 = vand(v19,v16); v25 = vmem(r4++#1) }
{ v21.w += vrmpy(v19.ub,r8.b); v17.w += vrmpy(v24.ub,r11.b); v19 = vand(v25,v16); v24 = vmem(r4++#1) }
{ v21.w += vrmpy(v25.ub,r9.b); v17.w += vrmpy(v20.ub,r8.b); v18.w = vsub(v18.w,v22.w); v20 = vmem(r5++#1) }
{ v23.h = vmpy(v23.h,r16.h):<<1:rnd:sat; v25 = vand(v20,v16); v26 = vmem(r5++#1) }
{ v18.w = vasr(v18.w,r0); v19.w = vrmpy(v20.ub,r12.b); v17.w += vrmpy(v19.ub,r9.b); v20 = vand(v26,v16) }
{ v19.w += vrmpy(v26.ub,r13.b); v26.w = vrmpy(v25.ub,r12.b); v25 = vmem(r5++#1); v21.w = vsub(v21.w,v17.w) }
{ v18.h = vshuffe(v18.h,v22.h); v22.h = vmpy(v24.h,r16.h):<<1:rnd:sat }
{ v18.h = vsub(v18.h,v28.h); v19.w += vrmpy(v25.ub,r14.b); v26.w += vrmpy(v20.ub,r13.b); v20 = vmem(r5++#1) }
{ v24 = vand(v25,v16); v25 = vand(v20,v16); v27 = vmem(r5++#1); v21.w = vasr(v21.w,r0) }
{ v3:2.w += vmpy(v18.h,v23.h); v18 = vand(v27,v16); v23 = vmem(r5++#1) }
{ v19.w += vrmpy(v20.ub,r15.b); v26.w += vrmpy(v24.ub,r14.b); v20 = vand(v23,v16); v24 = vmem(r5++#1) }
{ v11.w += vasr(v3.w,r1); v19.w += vrmpy(v27.ub,r10.b); v26.w += vrmpy(v25.ub,r15.b); v25 = vand(v24,v16) }
{ v10.w += vasr(v2.w,r1); v19.w += vrmpy(v23.ub,r11.b); v26.w += vrmpy(v18.ub,r10.b); v18 = vmem(r5++#1) }
{ v19.w += vrmpy(v24.ub,r8.b); v26.w += vrmpy(v20.ub,r11.b); v20 = vand(v18,v16) }
{ v19.w += vrmpy(v18.ub,r9.b); v26.w += vrmpy(v25.ub,r8.b); v18 = vmem(r5++#1); v17.h = vshuffe(v21.h,v17.h) }:endloop0
{ v23.h = vsub(v17.h,v28.h); v26.w += vrmpy(v20.ub,r9.b) }
{ v27.w = vsub(v19.w,v26.w); v29.h = vmpy(v18.h,r16.h):<<1:rnd:sat }
{ v5:4.w += vmpy(v23.h,v22.h) }
{ v13.w += vasr(v5.w,r1) }
{ v12.w += vasr(v4.w,r1) }
{ v25.w = vasr(v27.w,r0) }
{ v23.h = vshuffe(v25.h,v26.h) }
{ v27.h = vsub(v23.h,v28.h) }
{ v7:6.w += vmpy(v27.h,v29.h) }
{ v14.w += vasr(v6.w,r1) }
{ v15.w += vasr(v7.w,r1) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ vmem(r28+#2) = v10; r21:20 = memd(r29+#16) }
{ vmem(r28+#3) = v11; r23:22 = memd(r29+#24) }
{ vmem(r28+#4) = v12; r25:24 = memd(r29+#32) }
{ vmem(r28+#5) = v13; r27:26 = memd(r29+#40) }
{ vmem(r28+#6) = v14 }
{ vmem(r28+#7) = v15 }
{ dealloc_return }
.size hvx_sum_q4_0_tiles, .-hvx_sum_q4_0_tiles

// 46 packets (46 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q4_0_tile
.hidden hvx_sum_q4_0_tile
.type hvx_sum_q4_0_tile,@function
hvx_sum_q4_0_tile:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); r0 = ##4 }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##252645135 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_q4_0_tile,r30); v8 = vmem(r31+#0); memw(r29+#48) = r31 }
{ v9 = vmem(r31+#1); r2 = memw(r28+#0) }
{ r3 = memw(r28+#16); r4 = memw(r28+#32) }
{ r1 = memw(r28+#52) }
{ r7:6 = memd(r3++#8); v17 = vmem(r2++#1) }
{ v18 = vand(v17,v16); v19 = vmem(r2++#1); r9:8 = memd(r4++#8) }
{ v17.w = vrmpy(v17.ub,r6.b); v20 = vand(v19,v16); r11:10 = memd(r3++#8); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v19.ub,r7.b); v18.w = vrmpy(v18.ub,r6.b); v19 = vand(v21,v16); v22 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r10.b); v18.w += vrmpy(v20.ub,r7.b); v20 = vand(v22,v16); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v19.ub,r10.b); r7:6 = memd(r3++#8); v19 = vand(v21,v16) }
{ v22 = vmem(r2++#1); r13:12 = memd(r3++#8); v23 = vsplat(r9) }
{ v17.w += vrmpy(v21.ub,r6.b); v18.w += vrmpy(v20.ub,r11.b); v20 = vand(v22,v16); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v22.ub,r7.b); v18.w += vrmpy(v19.ub,r6.b); v19 = vand(v21,v16); v22 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r12.b); v18.w += vrmpy(v20.ub,r7.b); v20 = vand(v22,v16); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v22.ub,r13.b); v18.w += vrmpy(v19.ub,r12.b); r7:6 = memd(r3++#8); v19 = vmem(r2++#1) }
{ v22 = vmem(r2++#1); r9:8 = memd(r3++#8); v21.h = vmpy(v21.h,r8.h):<<1:rnd:sat }
{ v20 = vand(v19,v16); v19.w = vrmpy(v19.ub,r6.b); v18.w += vrmpy(v20.ub,r13.b); v24 = vand(v22,v16) }
{ v25 = vmem(r2++#1); r11:10 = memd(r3++#8) }
{ v19.w += vrmpy(v22.ub,r7.b); v20.w = vrmpy(v20.ub,r6.b); v22 = vand(v25,v16); v26 = vmem(r2++#1) }
{ v19.w += vrmpy(v25.ub,r8.b); v20.w += vrmpy(v24.ub,r7.b); v24 = vand(v26,v16); v25 = vmem(r2++#1) }
{ v19.w += vrmpy(v26.ub,r9.b); v20.w += vrmpy(v22.ub,r8.b); v22 = vand(v25,v16); v26 = vmem(r2++#1) }
{ v19.w += vrmpy(v25.ub,r10.b); v20.w += vrmpy(v24.ub,r9.b); v24 = vand(v26,v16); r7:6 = memd(r3++#8) }
{ v19.w += vrmpy(v26.ub,r11.b); v20.w += vrmpy(v22.ub,r10.b); v22 = vmem(r2++#1); v17.w = vsub(v17.w,v18.w) }
{ v25 = vand(v22,v16); v26 = vmem(r2++#1); r9:8 = memd(r4++#8) }
{ v19.w += vrmpy(v22.ub,r6.b); v20.w += vrmpy(v24.ub,r11.b); v22 = vand(v26,v16); v24 = vmem(r2++#1) }
{ v19.w += vrmpy(v26.ub,r7.b); v20.w += vrmpy(v25.ub,r6.b); v17.w = vasr(v17.w,r0); v25 = vmem(r2++#1) }
{ r11:10 = memd(r3++#8); v26 = vand(v25,v16); v24.h = vmpy(v24.h,r8.h):<<1:rnd:sat }
{ v17.h = vshuffe(v17.h,v18.h); r9:8 = memd(r3++#8); v18 = vsplat(r9) }
{ v17.h = vsub(v17.h,v23.h); v22.w = vrmpy(v25.ub,r10.b); v20.w += vrmpy(v22.ub,r7.b); v23 = vmem(r2++#1) }
{ v25 = vand(v23,v16); v27 = vmem(r2++#1); v19.w = vsub(v19.w,v20.w); r7:6 = memd(r4++#8) }
{ v1:0.w = vmpy(v17.h,v21.h); v17 = vand(v27,v16); v21 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v22.w += vrmpy(v23.ub,r11.b); v23.w = vrmpy(v26.ub,r10.b); v26 = vand(v21,v16); v28 = vmem(r2++#1) }
{ v22.w += vrmpy(v27.ub,r8.b); v23.w += vrmpy(v25.ub,r11.b); v25 = vand(v28,v16); r11:10 = memd(r3++#8) }
{ v22.w += vrmpy(v21.ub,r9.b); v23.w += vrmpy(v17.ub,r8.b); v17 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v22.w += vrmpy(v28.ub,r12.b); v23.w += vrmpy(v26.ub,r9.b); v21 = vand(v17,v16); v26 = vmem(r2++#1) }
{ v22.w += vrmpy(v17.ub,r13.b); v23.w += vrmpy(v25.ub,r12.b); v17 = vand(v26,v16); v25 = vmem(r2++#1) }
{ v22.w += vrmpy(v26.ub,r10.b); v23.w += vrmpy(v21.ub,r13.b); v21 = vand(v25,v16); v26 = vmem(r2++#1) }
{ v22.w += vrmpy(v25.ub,r11.b); v23.w += vrmpy(v17.ub,r10.b); v17.w = vasr(v19.w,r0); v19 = vmem(r2++#1) }
{ v25 = vand(v19,v16); v27 = vmem(r2++#1); r9:8 = memd(r3++#8); v28 = vsplat(r7) }
{ v17.h = vshuffe(v17.h,v20.h); v19.w = vrmpy(v19.ub,r14.b); v23.w += vrmpy(v21.ub,r11.b); v20 = vand(v27,v16) }
{ v17.h = vsub(v17.h,v18.h); v19.w += vrmpy(v27.ub,r15.b); v25.w = vrmpy(v25.ub,r14.b); v18 = vmem(r2++#1) }
{ v22 = vand(v18,v16); v27 = vmem(r2++#1); v21.w = vsub(v22.w,v23.w); r11:10 = memd(r4++#8) }
{ v1:0.w += vmpy(v17.h,v24.h); v17 = vand(v27,v16); r13:12 = memd(r3++#8); v24 = vmem(r2++#1) }
{ v19.w += vrmpy(v18.ub,r8.b); v25.w += vrmpy(v20.ub,r15.b); v18 = vand(v24,v16); v20 = vmem(r2++#1) }
{ v19.w += vrmpy(v27.ub,r9.b); v25.w += vrmpy(v22.ub,r8.b); v22 = vand(v20,v16); v27 = vmem(r2++#1) }
{ v19.w += vrmpy(v24.ub,r12.b); v25.w += vrmpy(v17.ub,r9.b); r9:8 = memd(r3++#8); v17 = vand(v27,v16) }
{ v19.w += vrmpy(v20.ub,r13.b); v25.w += vrmpy(v18.ub,r12.b); v20 = vmem(r2++#1); v18.w = vasr(v21.w,r0) }
{ v19.w += vrmpy(v27.ub,r8.b); v25.w += vrmpy(v22.ub,r13.b); v21 = vand(v20,v16) }
{ v19.w += vrmpy(v20.ub,r9.b); v25.w += vrmpy(v17.ub,r8.b); v17.h = vshuffe(v18.h,v23.h) }
{ v18 = vmem(r2++#1); v27.h = vsub(v17.h,v28.h); v25.w += vrmpy(v21.ub,r9.b); v28 = vsplat(r11) }
.Lhvx_sum_q4_0_tile:
{ r7:6 = memd(r3++#8); v17 = vmem(r2++#1); v26.h = vmpy(v26.h,r6.h):<<1:rnd:sat; v23.w = vsub(v19.w,v25.w) }
{ v18 = vand(v17,v16); v19 = vmem(r2++#1); r9:8 = memd(r4++#8); v29.h = vmpy(v18.h,r10.h):<<1:rnd:sat }
{ v17.w = vrmpy(v17.ub,r6.b); v20 = vand(v19,v16); r11:10 = memd(r3++#8); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v19.ub,r7.b); v18.w = vrmpy(v18.ub,r6.b); v19 = vand(v21,v16); v22 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r10.b); v18.w += vrmpy(v20.ub,r7.b); v20 = vand(v22,v16); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v19.ub,r10.b); r7:6 = memd(r3++#8); v19 = vand(v21,v16) }
{ v22 = vmem(r2++#1); r13:12 = memd(r3++#8); v23 = vsplat(r9); v24.w = vasr(v23.w,r0) }
{ v17.w += vrmpy(v21.ub,r6.b); v18.w += vrmpy(v20.ub,r11.b); v20 = vand(v22,v16); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v22.ub,r7.b); v18.w += vrmpy(v19.ub,r6.b); v19 = vand(v21,v16); v22 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r12.b); v18.w += vrmpy(v20.ub,r7.b); v20 = vand(v22,v16); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v22.ub,r13.b); v18.w += vrmpy(v19.ub,r12.b); r7:6 = memd(r3++#8); v19 = vmem(r2++#1) }
{ v22 = vmem(r2++#1); r9:8 = memd(r3++#8); v21.h = vmpy(v21.h,r8.h):<<1:rnd:sat; v25.h = vshuffe(v24.h,v25.h) }
{ v20 = vand(v19,v16); v19.w = vrmpy(v19.ub,r6.b); v18.w += vrmpy(v20.ub,r13.b); v24 = vand(v22,v16) }
{ v25 = vmem(r2++#1); r11:10 = memd(r3++#8); v1:0.w += vmpy(v27.h,v26.h); v27.h = vsub(v25.h,v28.h) }
{ v19.w += vrmpy(v22.ub,r7.b); v20.w = vrmpy(v20.ub,r6.b); v22 = vand(v25,v16); v26 = vmem(r2++#1) }
{ v19.w += vrmpy(v25.ub,r8.b); v20.w += vrmpy(v24.ub,r7.b); v24 = vand(v26,v16); v25 = vmem(r2++#1) }
{ v19.w += vrmpy(v26.ub,r9.b); v20.w += vrmpy(v22.ub,r8.b); v22 = vand(v25,v16); v26 = vmem(r2++#1) }
{ v19.w += vrmpy(v25.ub,r10.b); v20.w += vrmpy(v24.ub,r9.b); v24 = vand(v26,v16); r7:6 = memd(r3++#8) }
{ v19.w += vrmpy(v26.ub,r11.b); v20.w += vrmpy(v22.ub,r10.b); v22 = vmem(r2++#1); v17.w = vsub(v17.w,v18.w) }
{ v25 = vand(v22,v16); v26 = vmem(r2++#1); r9:8 = memd(r4++#8); v1:0.w += vmpy(v27.h,v29.h) }
{ v19.w += vrmpy(v22.ub,r6.b); v20.w += vrmpy(v24.ub,r11.b); v22 = vand(v26,v16); v24 = vmem(r2++#1) }
{ v19.w += vrmpy(v26.ub,r7.b); v20.w += vrmpy(v25.ub,r6.b); v17.w = vasr(v17.w,r0); v25 = vmem(r2++#1) }
{ r11:10 = memd(r3++#8); v26 = vand(v25,v16); v24.h = vmpy(v24.h,r8.h):<<1:rnd:sat; v9.w += vasr(v1.w,r1) }
{ v17.h = vshuffe(v17.h,v18.h); r9:8 = memd(r3++#8); v18 = vsplat(r9); v8.w += vasr(v0.w,r1) }
{ v17.h = vsub(v17.h,v23.h); v22.w = vrmpy(v25.ub,r10.b); v20.w += vrmpy(v22.ub,r7.b); v23 = vmem(r2++#1) }
{ v25 = vand(v23,v16); v27 = vmem(r2++#1); v19.w = vsub(v19.w,v20.w); r7:6 = memd(r4++#8) }
{ v1:0.w = vmpy(v17.h,v21.h); v17 = vand(v27,v16); v21 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v22.w += vrmpy(v23.ub,r11.b); v23.w = vrmpy(v26.ub,r10.b); v26 = vand(v21,v16); v28 = vmem(r2++#1) }
{ v22.w += vrmpy(v27.ub,r8.b); v23.w += vrmpy(v25.ub,r11.b); v25 = vand(v28,v16); r11:10 = memd(r3++#8) }
{ v22.w += vrmpy(v21.ub,r9.b); v23.w += vrmpy(v17.ub,r8.b); v17 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v22.w += vrmpy(v28.ub,r12.b); v23.w += vrmpy(v26.ub,r9.b); v21 = vand(v17,v16); v26 = vmem(r2++#1) }
{ v22.w += vrmpy(v17.ub,r13.b); v23.w += vrmpy(v25.ub,r12.b); v17 = vand(v26,v16); v25 = vmem(r2++#1) }
{ v22.w += vrmpy(v26.ub,r10.b); v23.w += vrmpy(v21.ub,r13.b); v21 = vand(v25,v16); v26 = vmem(r2++#1) }
{ v22.w += vrmpy(v25.ub,r11.b); v23.w += vrmpy(v17.ub,r10.b); v17.w = vasr(v19.w,r0); v19 = vmem(r2++#1) }
{ v25 = vand(v19,v16); v27 = vmem(r2++#1); r9:8 = memd(r3++#8); v28 = vsplat(r7) }
{ v17.h = vshuffe(v17.h,v20.h); v19.w = vrmpy(v19.ub,r14.b); v23.w += vrmpy(v21.ub,r11.b); v20 = vand(v27,v16) }
{ v17.h = vsub(v17.h,v18.h); v19.w += vrmpy(v27.ub,r15.b); v25.w = vrmpy(v25.ub,r14.b); v18 = vmem(r2++#1) }
{ v22 = vand(v18,v16); v27 = vmem(r2++#1); v21.w = vsub(v22.w,v23.w); r11:10 = memd(r4++#8) }
{ v1:0.w += vmpy(v17.h,v24.h); v17 = vand(v27,v16); r13:12 = memd(r3++#8); v24 = vmem(r2++#1) }
{ v19.w += vrmpy(v18.ub,r8.b); v25.w += vrmpy(v20.ub,r15.b); v18 = vand(v24,v16); v20 = vmem(r2++#1) }
{ v19.w += vrmpy(v27.ub,r9.b); v25.w += vrmpy(v22.ub,r8.b); v22 = vand(v20,v16); v27 = vmem(r2++#1) }
{ v19.w += vrmpy(v24.ub,r12.b); v25.w += vrmpy(v17.ub,r9.b); r9:8 = memd(r3++#8); v17 = vand(v27,v16) }
{ v19.w += vrmpy(v20.ub,r13.b); v25.w += vrmpy(v18.ub,r12.b); v20 = vmem(r2++#1); v18.w = vasr(v21.w,r0) }
{ v19.w += vrmpy(v27.ub,r8.b); v25.w += vrmpy(v22.ub,r13.b); v21 = vand(v20,v16) }
{ v19.w += vrmpy(v20.ub,r9.b); v25.w += vrmpy(v17.ub,r8.b); v17.h = vshuffe(v18.h,v23.h) }
{ v18 = vmem(r2++#1); v27.h = vsub(v17.h,v28.h); v25.w += vrmpy(v21.ub,r9.b); v28 = vsplat(r11) }:endloop0
{ v26.h = vmpy(v26.h,r6.h):<<1:rnd:sat; v23.w = vsub(v19.w,v25.w) }
{ v29.h = vmpy(v18.h,r10.h):<<1:rnd:sat }
{ v24.w = vasr(v23.w,r0) }
{ v25.h = vshuffe(v24.h,v25.h) }
{ v1:0.w += vmpy(v27.h,v26.h); v27.h = vsub(v25.h,v28.h) }
{ v1:0.w += vmpy(v27.h,v29.h) }
{ v9.w += vasr(v1.w,r1) }
{ v8.w += vasr(v0.w,r1) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16) }
{ r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32) }
{ r27:26 = memd(r29+#40) }
{ dealloc_return }
.size hvx_sum_q4_0_tile, .-hvx_sum_q4_0_tile

// 166 packets (164 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q4_0_rows
.hidden hvx_sum_q4_0_rows
.type hvx_sum_q4_0_rows,@function
hvx_sum_q4_0_rows:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); r0 = ##4 }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##252645135 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_q4_0_rows,r30); v8 = vmem(r31+#0); memw(r29+#48) = r31 }
{ v9 = vmem(r31+#1); r2 = memw(r28+#0) }
{ v10 = vmem(r31+#2); r3 = memw(r28+#16) }
{ v11 = vmem(r31+#3); r4 = memw(r28+#20) }
{ v12 = vmem(r31+#4); r5 = memw(r28+#24) }
{ v13 = vmem(r31+#5); r6 = memw(r28+#28) }
{ v14 = vmem(r31+#6); r7 = memw(r28+#32) }
{ v15 = vmem(r31+#7); r8 = memw(r28+#36) }
{ r9 = memw(r28+#40); r10 = memw(r28+#44) }
{ r1 = memw(r28+#52) }
{ v17 = vmem(r2++#1) }
{ v18 = vmem(r2++#1) }
{ r13:12 = memd(r4++#8); r15:14 = memd(r5++#8); v19 = vand(v17,v16); v17.ub = vlsr(v17.ub,r0) }
{ r17:16 = memd(r3++#8); r19:18 = memd(r6++#8); v20.ub = vlsr(v18.ub,r0) }
{ v22.w = vrmpy(v19.ub,r14.b); v21.w = vrmpy(v17.ub,r14.b); v23 = vmem(r2++#1) }
{ v24.w = vrmpy(v19.ub,r16.b); v18.w = vrmpy(v17.ub,r16.b); v25 = vand(v18,v16) }
{ v27.w = vrmpy(v19.ub,r12.b); v26.w = vrmpy(v17.ub,r12.b); v28.ub = vlsr(v23.ub,r0); v29 = vmem(r2++#1) }
{ v19.w = vrmpy(v19.ub,r18.b); v17.w = vrmpy(v17.ub,r18.b) }
{ v24.w += vrmpy(v25.ub,r17.b); v18.w += vrmpy(v20.ub,r17.b); v30.ub = vlsr(v29.ub,r0) }
{ v22.w += vrmpy(v25.ub,r15.b); v21.w += vrmpy(v20.ub,r15.b) }
{ v27.w += vrmpy(v25.ub,r13.b); v26.w += vrmpy(v20.ub,r13.b); r13:12 = memd(r3++#8); v23 = vand(v23,v16) }
{ v19.w += vrmpy(v25.ub,r19.b); v17.w += vrmpy(v20.ub,r19.b); r15:14 = memd(r6++#8); v20 = vmem(r2++#1) }
{ r17:16 = memd(r4++#8); r19:18 = memd(r5++#8); v24.w += vrmpy(v23.ub,r12.b); v18.w += vrmpy(v28.ub,r12.b) }
{ v19.w += vrmpy(v23.ub,r14.b); v17.w += vrmpy(v28.ub,r14.b); v25.ub = vlsr(v20.ub,r0); v31 = vmem(r2++#1) }
{ v27.w += vrmpy(v23.ub,r16.b); v26.w += vrmpy(v28.ub,r16.b); v29 = vand(v29,v16) }
{ v22.w += vrmpy(v23.ub,r18.b); v21.w += vrmpy(v28.ub,r18.b); v23.ub = vlsr(v31.ub,r0) }
{ v24.w += vrmpy(v29.ub,r13.b); v18.w += vrmpy(v30.ub,r13.b) }
{ v27.w += vrmpy(v29.ub,r17.b); v26.w += vrmpy(v30.ub,r17.b) }
{ v22.w += vrmpy(v29.ub,r19.b); v21.w += vrmpy(v30.ub,r19.b); r13:12 = memd(r3++#8); v20 = vand(v20,v16) }
{ v19.w += vrmpy(v29.ub,r15.b); v17.w += vrmpy(v30.ub,r15.b); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r5++#8); v24.w += vrmpy(v20.ub,r12.b); v18.w += vrmpy(v25.ub,r12.b); v28 = vmem(r2++#1) }
{ r19:18 = memd(r6++#8); v27.w += vrmpy(v20.ub,r14.b); v26.w += vrmpy(v25.ub,r14.b); v29 = vmem(r2++#1) }
{ v22.w += vrmpy(v20.ub,r16.b); v21.w += vrmpy(v25.ub,r16.b); v31 = vand(v31,v16); v30.ub = vlsr(v28.ub,r0) }
{ v19.w += vrmpy(v20.ub,r18.b); v17.w += vrmpy(v25.ub,r18.b); v20.ub = vlsr(v29.ub,r0) }
{ v22.w += vrmpy(v31.ub,r17.b); v21.w += vrmpy(v23.ub,r17.b) }
{ v27.w += vrmpy(v31.ub,r15.b); v26.w += vrmpy(v23.ub,r15.b) }
{ v24.w += vrmpy(v31.ub,r13.b); v18.w += vrmpy(v23.ub,r13.b); r13:12 = memd(r3++#8); v25 = vand(v28,v16) }
{ v19.w += vrmpy(v31.ub,r19.b); v17.w += vrmpy(v23.ub,r19.b); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r5++#8); v24.w += vrmpy(v25.ub,r12.b); v18.w += vrmpy(v30.ub,r12.b) }
{ r19:18 = memd(r6++#8); v27.w += vrmpy(v25.ub,r14.b); v26.w += vrmpy(v30.ub,r14.b) }
{ v22.w += vrmpy(v25.ub,r16.b); v21.w += vrmpy(v30.ub,r16.b); v23 = vand(v29,v16) }
{ v19.w += vrmpy(v25.ub,r18.b); v17.w += vrmpy(v30.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v27.w += vrmpy(v23.ub,r15.b); v26.w += vrmpy(v20.ub,r15.b); r15:14 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v24.w += vrmpy(v23.ub,r13.b); v18.w += vrmpy(v20.ub,r13.b); v25 = vmem(r2++#1) }
{ v22.w += vrmpy(v23.ub,r17.b); v21.w += vrmpy(v20.ub,r17.b); r11 = combine(r23.l,r21.l); v26.h = vshuffe(v26.h,v27.h) }
{ v19.w += vrmpy(v23.ub,r19.b); v17.w += vrmpy(v20.ub,r19.b); r12 = combine(r25.l,r15.l); v18.h = vshuffe(v18.h,v24.h) }
{ v21 = vsplat(r11); v22 = vsplat(r12); v20.h = vshuffe(v21.h,v22.h) }
{ v17.h = vshuffe(v17.h,v19.h); v19.h = vmpy(v25.h,r20.h):<<1:rnd:sat }
{ v27.h = vshuffe(v21.h,v21.h); v23.h = vmpy(v25.h,r22.h):<<1:rnd:sat; v24 = vmem(r2++#1) }
{ v27.h = vshuffo(v21.h,v21.h); v18.h = vsub(v18.h,v27.h); v21.h = vmpy(v25.h,r24.h):<<1:rnd:sat }
{ v27.h = vshuffe(v22.h,v22.h); v25.h = vsub(v26.h,v27.h); v26.h = vmpy(v25.h,r14.h):<<1:rnd:sat }
{ v19.h = vshuffo(v22.h,v22.h); v18.h = vsub(v20.h,v27.h); v1:0.w = vmpy(v18.h,v19.h) }
{ v17.h = vsub(v17.h,v19.h); v3:2.w = vmpy(v25.h,v23.h); v19.ub = vlsr(v24.ub,r0) }
{ v5:4.w = vmpy(v18.h,v26.h); r13:12 = memd(r4++#8); v18 = vand(v24,v16); v20 = vmem(r2++#1) }
{ v7:6.w = vmpy(v17.h,v21.h); r15:14 = memd(r3++#8); r17:16 = memd(r5++#8) }
{ v21.w = vrmpy(v18.ub,r12.b); v17.w = vrmpy(v19.ub,r12.b); v22.ub = vlsr(v20.ub,r0); v23 = vmem(r2++#1) }
{ r19:18 = memd(r6++#8); v25.w = vrmpy(v18.ub,r14.b); v24.w = vrmpy(v19.ub,r14.b); v26 = vmem(r2++#1) }
{ v27.w = vrmpy(v18.ub,r16.b); v20.w = vrmpy(v19.ub,r16.b); v29 = vand(v20,v16); v28.ub = vlsr(v23.ub,r0) }
{ v19.w = vrmpy(v18.ub,r18.b); v18.w = vrmpy(v19.ub,r18.b); v30.ub = vlsr(v26.ub,r0) }
{ v27.w += vrmpy(v29.ub,r17.b); v20.w += vrmpy(v22.ub,r17.b) }
{ v25.w += vrmpy(v29.ub,r15.b); v24.w += vrmpy(v22.ub,r15.b) }
{ v21.w += vrmpy(v29.ub,r13.b); v17.w += vrmpy(v22.ub,r13.b); r13:12 = memd(r3++#8); v23 = vand(v23,v16) }
{ v19.w += vrmpy(v29.ub,r19.b); v18.w += vrmpy(v22.ub,r19.b); r15:14 = memd(r4++#8); v22 = vmem(r2++#1) }
{ r17:16 = memd(r5++#8); v25.w += vrmpy(v23.ub,r12.b); v24.w += vrmpy(v28.ub,r12.b) }
{ r19:18 = memd(r6++#8); v21.w += vrmpy(v23.ub,r14.b); v17.w += vrmpy(v28.ub,r14.b); v29.ub = vlsr(v22.ub,r0) }
{ v27.w += vrmpy(v23.ub,r16.b); v20.w += vrmpy(v28.ub,r16.b); v26 = vand(v26,v16); v31 = vmem(r2++#1) }
{ v19.w += vrmpy(v23.ub,r18.b); v18.w += vrmpy(v28.ub,r18.b) }
{ v25.w += vrmpy(v26.ub,r13.b); v24.w += vrmpy(v30.ub,r13.b); v23.ub = vlsr(v31.ub,r0) }
{ v21.w += vrmpy(v26.ub,r15.b); v17.w += vrmpy(v30.ub,r15.b) }
{ v27.w += vrmpy(v26.ub,r17.b); v20.w += vrmpy(v30.ub,r17.b); r13:12 = memd(r3++#8); v22 = vand(v22,v16) }
{ v19.w += vrmpy(v26.ub,r19.b); v18.w += vrmpy(v30.ub,r19.b); r15:14 = memd(r4++#8); v26 = vmem(r2++#1) }
{ r17:16 = memd(r5++#8); r19:18 = memd(r6++#8); v25.w += vrmpy(v22.ub,r12.b); v24.w += vrmpy(v29.ub,r12.b) }
{ v21.w += vrmpy(v22.ub,r14.b); v17.w += vrmpy(v29.ub,r14.b); v28.ub = vlsr(v26.ub,r0); v30 = vmem(r2++#1) }
{ v19.w += vrmpy(v22.ub,r18.b); v18.w += vrmpy(v29.ub,r18.b); v31 = vand(v31,v16) }
{ v27.w += vrmpy(v22.ub,r16.b); v20.w += vrmpy(v29.ub,r16.b); v22.ub = vlsr(v30.ub,r0) }
{ v25.w += vrmpy(v31.ub,r13.b); v24.w += vrmpy(v23.ub,r13.b) }
{ v27.w += vrmpy(v31.ub,r17.b); v20.w += vrmpy(v23.ub,r17.b) }
{ v21.w += vrmpy(v31.ub,r15.b); v17.w += vrmpy(v23.ub,r15.b); r13:12 = memd(r3++#8); v26 = vand(v26,v16) }
{ v19.w += vrmpy(v31.ub,r19.b); v18.w += vrmpy(v23.ub,r19.b); r15:14 = memd(r5++#8) }
{ r17:16 = memd(r4++#8); v25.w += vrmpy(v26.ub,r12.b); v24.w += vrmpy(v28.ub,r12.b) }
{ r19:18 = memd(r6++#8); v27.w += vrmpy(v26.ub,r14.b); v20.w += vrmpy(v28.ub,r14.b) }
{ v21.w += vrmpy(v26.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b); v23 = vand(v30,v16) }
{ v19.w += vrmpy(v26.ub,r18.b); v18.w += vrmpy(v28.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v21.w += vrmpy(v23.ub,r17.b); v17.w += vrmpy(v22.ub,r17.b); r17:16 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v27.w += vrmpy(v23.ub,r15.b); v20.w += vrmpy(v22.ub,r15.b); v26 = vmem(r2++#1) }
{ v25.w += vrmpy(v23.ub,r13.b); v24.w += vrmpy(v22.ub,r13.b); r11 = combine(r23.l,r21.l); v17.h = vshuffe(v17.h,v21.h) }
{ v19.w += vrmpy(v23.ub,r19.b); v18.w += vrmpy(v22.ub,r19.b); r12 = combine(r25.l,r17.l); v20.h = vshuffe(v20.h,v27.h) }
{ v22 = vsplat(r11); v23 = vsplat(r12); v21.h = vshuffe(v24.h,v25.h) }
{ v18.h = vshuffe(v18.h,v19.h); v19.h = vmpy(v26.h,r22.h):<<1:rnd:sat }
{ v27.h = vshuffe(v22.h,v22.h); v24.h = vmpy(v26.h,r20.h):<<1:rnd:sat; v25 = vmem(r2++#1) }
{ v27.h = vshuffo(v22.h,v22.h); v21.h = vsub(v21.h,v27.h); v22.h = vmpy(v26.h,r16.h):<<1:rnd:sat }
{ v27.h = vshuffe(v23.h,v23.h); v17.h = vsub(v17.h,v27.h); v26.h = vmpy(v26.h,r24.h):<<1:rnd:sat }
{ v21.h = vshuffo(v23.h,v23.h); v20.h = vsub(v20.h,v27.h); v1:0.w += vmpy(v21.h,v24.h) }
{ v17.h = vsub(v18.h,v21.h); v3:2.w += vmpy(v17.h,v19.h); v18 = vand(v25,v16) }
{ v5:4.w += vmpy(v20.h,v22.h); r13:12 = memd(r3++#8); v19.ub = vlsr(v25.ub,r0); v20 = vmem(r2++#1) }
{ v7:6.w += vmpy(v17.h,v26.h); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r5++#8); v21.w = vrmpy(v18.ub,r12.b); v17.w = vrmpy(v19.ub,r12.b); v22.ub = vlsr(v20.ub,r0) }
{ r19:18 = memd(r6++#8); v24.w = vrmpy(v18.ub,r14.b); v23.w = vrmpy(v19.ub,r14.b); v25 = vmem(r2++#1) }
{ v26.w = vrmpy(v18.ub,r16.b); v20.w = vrmpy(v19.ub,r16.b); v27 = vand(v20,v16); v28 = vmem(r2++#1) }
{ v19.w = vrmpy(v18.ub,r18.b); v18.w = vrmpy(v19.ub,r18.b); v29.ub = vlsr(v25.ub,r0) }
{ v24.w += vrmpy(v27.ub,r15.b); v23.w += vrmpy(v22.ub,r15.b); v30.ub = vlsr(v28.ub,r0) }
{ v21.w += vrmpy(v27.ub,r13.b); v17.w += vrmpy(v22.ub,r13.b) }
{ v26.w += vrmpy(v27.ub,r17.b); v20.w += vrmpy(v22.ub,r17.b); r13:12 = memd(r3++#8); v25 = vand(v25,v16) }
{ v19.w += vrmpy(v27.ub,r19.b); v18.w += vrmpy(v22.ub,r19.b); r15:14 = memd(r5++#8) }
{ r17:16 = memd(r4++#8); v21.w += vrmpy(v25.ub,r12.b); v17.w += vrmpy(v29.ub,r12.b); v22 = vmem(r2++#1) }
{ r19:18 = memd(r6++#8); v26.w += vrmpy(v25.ub,r14.b); v20.w += vrmpy(v29.ub,r14.b); v27 = vmem(r2++#1) }
{ v24.w += vrmpy(v25.ub,r16.b); v23.w += vrmpy(v29.ub,r16.b); v31 = vand(v28,v16); v28.ub = vlsr(v22.ub,r0) }
{ v19.w += vrmpy(v25.ub,r18.b); v18.w += vrmpy(v29.ub,r18.b); v25.ub = vlsr(v27.ub,r0) }
{ v19.w += vrmpy(v31.ub,r19.b); v18.w += vrmpy(v30.ub,r19.b) }
{ v21.w += vrmpy(v31.ub,r13.b); v17.w += vrmpy(v30.ub,r13.b) }
{ v24.w += vrmpy(v31.ub,r17.b); v23.w += vrmpy(v30.ub,r17.b); r13:12 = memd(r3++#8); v22 = vand(v22,v16) }
{ v26.w += vrmpy(v31.ub,r15.b); v20.w += vrmpy(v30.ub,r15.b); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r5++#8); v21.w += vrmpy(v22.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b); v29 = vmem(r2++#1) }
{ r19:18 = memd(r6++#8); v24.w += vrmpy(v22.ub,r14.b); v23.w += vrmpy(v28.ub,r14.b); v30 = vmem(r2++#1) }
{ v26.w += vrmpy(v22.ub,r16.b); v20.w += vrmpy(v28.ub,r16.b); v31 = vand(v27,v16); v27.ub = vlsr(v29.ub,r0) }
{ v19.w += vrmpy(v22.ub,r18.b); v18.w += vrmpy(v28.ub,r18.b); v22.ub = vlsr(v30.ub,r0) }
{ v26.w += vrmpy(v31.ub,r17.b); v20.w += vrmpy(v25.ub,r17.b) }
{ v21.w += vrmpy(v31.ub,r13.b); v17.w += vrmpy(v25.ub,r13.b) }
{ v24.w += vrmpy(v31.ub,r15.b); v23.w += vrmpy(v25.ub,r15.b); r13:12 = memd(r3++#8); v28 = vand(v29,v16) }
{ v19.w += vrmpy(v31.ub,r19.b); v18.w += vrmpy(v25.ub,r19.b); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r5++#8); v21.w += vrmpy(v28.ub,r12.b); v17.w += vrmpy(v27.ub,r12.b) }
{ r19:18 = memd(r6++#8); v24.w += vrmpy(v28.ub,r14.b); v23.w += vrmpy(v27.ub,r14.b) }
{ v26.w += vrmpy(v28.ub,r16.b); v20.w += vrmpy(v27.ub,r16.b); v25 = vand(v30,v16) }
{ v19.w += vrmpy(v28.ub,r18.b); v18.w += vrmpy(v27.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v21.w += vrmpy(v25.ub,r13.b); v17.w += vrmpy(v22.ub,r13.b); r13:12 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v24.w += vrmpy(v25.ub,r15.b); v23.w += vrmpy(v22.ub,r15.b); v27 = vmem(r2++#1) }
{ v19.w += vrmpy(v25.ub,r19.b); v18.w += vrmpy(v22.ub,r19.b); r11 = combine(r23.l,r21.l); v17.h = vshuffe(v17.h,v21.h) }
{ v26.w += vrmpy(v25.ub,r17.b); v20.w += vrmpy(v22.ub,r17.b); r14 = combine(r25.l,r13.l); v21.h = vshuffe(v23.h,v24.h) }
{ v19 = vsplat(r11); v22 = vsplat(r14); v18.h = vshuffe(v18.h,v19.h) }
{ v20.h = vshuffe(v20.h,v26.h); v23.h = vmpy(v27.h,r20.h):<<1:rnd:sat }
{ v26.h = vshuffo(v19.h,v19.h); v24.h = vmpy(v27.h,r12.h):<<1:rnd:sat; v25 = vmem(r2++#1) }
{ v26.h = vshuffe(v19.h,v19.h); v19.h = vsub(v21.h,v26.h); v21.h = vmpy(v27.h,r22.h):<<1:rnd:sat }
{ v27.h = vshuffo(v22.h,v22.h); v17.h = vsub(v17.h,v26.h); v26.h = vmpy(v27.h,r24.h):<<1:rnd:sat }
{ v19.h = vshuffe(v22.h,v22.h); v18.h = vsub(v18.h,v27.h); v3:2.w += vmpy(v19.h,v21.h) }
{ v17.h = vsub(v20.h,v19.h); v1:0.w += vmpy(v17.h,v23.h); r13:12 = memd(r3++#8); v19.ub = vlsr(v25.ub,r0) }
{ v7:6.w += vmpy(v18.h,v26.h); r15:14 = memd(r4++#8); v18 = vand(v25,v16); v20 = vmem(r2++#1) }
{ v5:4.w += vmpy(v17.h,v24.h); r17:16 = memd(r5++#8); v17 = vmem(r2++#1) }
{ r19:18 = memd(r6++#8); v22.w = vrmpy(v18.ub,r14.b); v21.w = vrmpy(v19.ub,r14.b); v23.ub = vlsr(v20.ub,r0) }
{ v24.w = vrmpy(v18.ub,r12.b); v17.w = vrmpy(v19.ub,r12.b); v26 = vand(v17,v16); v25.ub = vlsr(v17.ub,r0) }
{ v27.w = vrmpy(v18.ub,r18.b); v20.w = vrmpy(v19.ub,r18.b); v28 = vand(v20,v16); v29 = vmem(r2++#1) }
{ v19.w = vrmpy(v18.ub,r16.b); v18.w = vrmpy(v19.ub,r16.b) }
{ v24.w += vrmpy(v28.ub,r13.b); v17.w += vrmpy(v23.ub,r13.b); v30.ub = vlsr(v29.ub,r0) }
{ v19.w += vrmpy(v28.ub,r17.b); v18.w += vrmpy(v23.ub,r17.b) }
{ v22.w += vrmpy(v28.ub,r15.b); v21.w += vrmpy(v23.ub,r15.b); r13:12 = memd(r3++#8) }
{ v27.w += vrmpy(v28.ub,r19.b); v20.w += vrmpy(v23.ub,r19.b); r15:14 = memd(r5++#8) }
{ r17:16 = memd(r4++#8); v24.w += vrmpy(v26.ub,r12.b); v17.w += vrmpy(v25.ub,r12.b); v23 = vmem(r2++#1) }
{ r19:18 = memd(r6++#8); v19.w += vrmpy(v26.ub,r14.b); v18.w += vrmpy(v25.ub,r14.b); v28 = vmem(r2++#1) }
{ v22.w += vrmpy(v26.ub,r16.b); v21.w += vrmpy(v25.ub,r16.b); v31 = vand(v29,v16); v29.ub = vlsr(v23.ub,r0) }
{ v27.w += vrmpy(v26.ub,r18.b); v20.w += vrmpy(v25.ub,r18.b); v25.ub = vlsr(v28.ub,r0) }
{ v27.w += vrmpy(v31.ub,r19.b); v20.w += vrmpy(v30.ub,r19.b) }
{ v24.w += vrmpy(v31.ub,r13.b); v17.w += vrmpy(v30.ub,r13.b) }
{ v22.w += vrmpy(v31.ub,r17.b); v21.w += vrmpy(v30.ub,r17.b); r13:12 = memd(r3++#8); v23 = vand(v23,v16) }
{ v19.w += vrmpy(v31.ub,r15.b); v18.w += vrmpy(v30.ub,r15.b); r15:14 = memd(r4++#8); v26 = vmem(r2++#1) }
{ r17:16 = memd(r5++#8); v24.w += vrmpy(v23.ub,r12.b); v17.w += vrmpy(v29.ub,r12.b) }
{ r19:18 = memd(r6++#8); v22.w += vrmpy(v23.ub,r14.b); v21.w += vrmpy(v29.ub,r14.b); v30.ub = vlsr(v26.ub,r0) }
{ v19.w += vrmpy(v23.ub,r16.b); v18.w += vrmpy(v29.ub,r16.b); v28 = vand(v28,v16); v31 = vmem(r2++#1) }
{ v27.w += vrmpy(v23.ub,r18.b); v20.w += vrmpy(v29.ub,r18.b) }
{ v24.w += vrmpy(v28.ub,r13.b); v17.w += vrmpy(v25.ub,r13.b); v23.ub = vlsr(v31.ub,r0) }
{ v22.w += vrmpy(v28.ub,r15.b); v21.w += vrmpy(v25.ub,r15.b) }
{ v19.w += vrmpy(v28.ub,r17.b); v18.w += vrmpy(v25.ub,r17.b); r13:12 = memd(r3++#8); v26 = vand(v26,v16) }
{ v27.w += vrmpy(v28.ub,r19.b); v20.w += vrmpy(v25.ub,r19.b); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r6++#8); v24.w += vrmpy(v26.ub,r12.b); v17.w += vrmpy(v30.ub,r12.b) }
{ r19:18 = memd(r5++#8); v22.w += vrmpy(v26.ub,r14.b); v21.w += vrmpy(v30.ub,r14.b) }
{ v27.w += vrmpy(v26.ub,r16.b); v20.w += vrmpy(v30.ub,r16.b); v25 = vand(v31,v16) }
{ v19.w += vrmpy(v26.ub,r18.b); v18.w += vrmpy(v30.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v24.w += vrmpy(v25.ub,r13.b); v17.w += vrmpy(v23.ub,r13.b); r13:12 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v19.w += vrmpy(v25.ub,r19.b); v18.w += vrmpy(v23.ub,r19.b); v26 = vmem(r2++#1) }
{ v22.w += vrmpy(v25.ub,r15.b); v21.w += vrmpy(v23.ub,r15.b); r11 = combine(r23.l,r21.l); v17.h = vshuffe(v17.h,v24.h) }
{ v27.w += vrmpy(v25.ub,r17.b); v20.w += vrmpy(v23.ub,r17.b); r14 = combine(r25.l,r13.l); v18.h = vshuffe(v18.h,v19.h) }
{ v21 = vsplat(r11); v22 = vsplat(r14); v19.h = vshuffe(v21.h,v22.h) }
{ v20.h = vshuffe(v20.h,v27.h); v23.h = vmpy(v26.h,r20.h):<<1:rnd:sat }
{ v25.h = vshuffo(v21.h,v21.h); v24.h = vmpy(v26.h,r22.h):<<1:rnd:sat }
{ v25.h = vshuffe(v21.h,v21.h); v19.h = vsub(v19.h,v25.h); v21.h = vmpy(v26.h,r12.h):<<1:rnd:sat }
{ v26.h = vshuffe(v22.h,v22.h); v17.h = vsub(v17.h,v25.h); v25.h = vmpy(v26.h,r24.h):<<1:rnd:sat }
{ v19.h = vshuffo(v22.h,v22.h); v18.h = vsub(v18.h,v26.h); v3:2.w += vmpy(v19.h,v24.h) }
.Lhvx_sum_q4_0_rows:
{ v20.h = vsub(v20.h,v19.h); v1:0.w += vmpy(v17.h,v23.h) }
{ v17 = vmem(r2++#1); v10.w += vasr(v2.w,r1); v5:4.w += vmpy(v18.h,v21.h) }
{ v18 = vmem(r2++#1); v9.w += vasr(v1.w,r1) }
{ r13:12 = memd(r4++#8); r15:14 = memd(r5++#8); v19 = vand(v17,v16); v17.ub = vlsr(v17.ub,r0) }
{ r17:16 = memd(r3++#8); r19:18 = memd(r6++#8); v20.ub = vlsr(v18.ub,r0); v7:6.w += vmpy(v20.h,v25.h) }
{ v22.w = vrmpy(v19.ub,r14.b); v21.w = vrmpy(v17.ub,r14.b); v23 = vmem(r2++#1); v8.w += vasr(v0.w,r1) }
{ v24.w = vrmpy(v19.ub,r16.b); v18.w = vrmpy(v17.ub,r16.b); v25 = vand(v18,v16); v11.w += vasr(v3.w,r1) }
{ v27.w = vrmpy(v19.ub,r12.b); v26.w = vrmpy(v17.ub,r12.b); v28.ub = vlsr(v23.ub,r0); v29 = vmem(r2++#1) }
{ v19.w = vrmpy(v19.ub,r18.b); v17.w = vrmpy(v17.ub,r18.b); v13.w += vasr(v5.w,r1) }
{ v24.w += vrmpy(v25.ub,r17.b); v18.w += vrmpy(v20.ub,r17.b); v30.ub = vlsr(v29.ub,r0) }
{ v22.w += vrmpy(v25.ub,r15.b); v21.w += vrmpy(v20.ub,r15.b); v12.w += vasr(v4.w,r1) }
{ v27.w += vrmpy(v25.ub,r13.b); v26.w += vrmpy(v20.ub,r13.b); r13:12 = memd(r3++#8); v23 = vand(v23,v16) }
{ v19.w += vrmpy(v25.ub,r19.b); v17.w += vrmpy(v20.ub,r19.b); r15:14 = memd(r6++#8); v20 = vmem(r2++#1) }
{ r17:16 = memd(r4++#8); r19:18 = memd(r5++#8); v24.w += vrmpy(v23.ub,r12.b); v18.w += vrmpy(v28.ub,r12.b) }
{ v19.w += vrmpy(v23.ub,r14.b); v17.w += vrmpy(v28.ub,r14.b); v25.ub = vlsr(v20.ub,r0); v31 = vmem(r2++#1) }
{ v27.w += vrmpy(v23.ub,r16.b); v26.w += vrmpy(v28.ub,r16.b); v29 = vand(v29,v16); v14.w += vasr(v6.w,r1) }
{ v22.w += vrmpy(v23.ub,r18.b); v21.w += vrmpy(v28.ub,r18.b); v23.ub = vlsr(v31.ub,r0) }
{ v24.w += vrmpy(v29.ub,r13.b); v18.w += vrmpy(v30.ub,r13.b); v15.w += vasr(v7.w,r1) }
{ v27.w += vrmpy(v29.ub,r17.b); v26.w += vrmpy(v30.ub,r17.b) }
{ v22.w += vrmpy(v29.ub,r19.b); v21.w += vrmpy(v30.ub,r19.b); r13:12 = memd(r3++#8); v20 = vand(v20,v16) }
{ v19.w += vrmpy(v29.ub,r15.b); v17.w += vrmpy(v30.ub,r15.b); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r5++#8); v24.w += vrmpy(v20.ub,r12.b); v18.w += vrmpy(v25.ub,r12.b); v28 = vmem(r2++#1) }
{ r19:18 = memd(r6++#8); v27.w += vrmpy(v20.ub,r14.b); v26.w += vrmpy(v25.ub,r14.b); v29 = vmem(r2++#1) }
{ v22.w += vrmpy(v20.ub,r16.b); v21.w += vrmpy(v25.ub,r16.b); v31 = vand(v31,v16); v30.ub = vlsr(v28.ub,r0) }
{ v19.w += vrmpy(v20.ub,r18.b); v17.w += vrmpy(v25.ub,r18.b); v20.ub = vlsr(v29.ub,r0) }
{ v22.w += vrmpy(v31.ub,r17.b); v21.w += vrmpy(v23.ub,r17.b) }
{ v27.w += vrmpy(v31.ub,r15.b); v26.w += vrmpy(v23.ub,r15.b) }
{ v24.w += vrmpy(v31.ub,r13.b); v18.w += vrmpy(v23.ub,r13.b); r13:12 = memd(r3++#8); v25 = vand(v28,v16) }
{ v19.w += vrmpy(v31.ub,r19.b); v17.w += vrmpy(v23.ub,r19.b); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r5++#8); v24.w += vrmpy(v25.ub,r12.b); v18.w += vrmpy(v30.ub,r12.b) }
{ r19:18 = memd(r6++#8); v27.w += vrmpy(v25.ub,r14.b); v26.w += vrmpy(v30.ub,r14.b) }
{ v22.w += vrmpy(v25.ub,r16.b); v21.w += vrmpy(v30.ub,r16.b); v23 = vand(v29,v16) }
{ v19.w += vrmpy(v25.ub,r18.b); v17.w += vrmpy(v30.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v27.w += vrmpy(v23.ub,r15.b); v26.w += vrmpy(v20.ub,r15.b); r15:14 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v24.w += vrmpy(v23.ub,r13.b); v18.w += vrmpy(v20.ub,r13.b); v25 = vmem(r2++#1) }
{ v22.w += vrmpy(v23.ub,r17.b); v21.w += vrmpy(v20.ub,r17.b); r11 = combine(r23.l,r21.l); v26.h = vshuffe(v26.h,v27.h) }
{ v19.w += vrmpy(v23.ub,r19.b); v17.w += vrmpy(v20.ub,r19.b); r12 = combine(r25.l,r15.l); v18.h = vshuffe(v18.h,v24.h) }
{ v21 = vsplat(r11); v22 = vsplat(r12); v20.h = vshuffe(v21.h,v22.h) }
{ v17.h = vshuffe(v17.h,v19.h); v19.h = vmpy(v25.h,r20.h):<<1:rnd:sat }
{ v27.h = vshuffe(v21.h,v21.h); v23.h = vmpy(v25.h,r22.h):<<1:rnd:sat; v24 = vmem(r2++#1) }
{ v27.h = vshuffo(v21.h,v21.h); v18.h = vsub(v18.h,v27.h); v21.h = vmpy(v25.h,r24.h):<<1:rnd:sat }
{ v27.h = vshuffe(v22.h,v22.h); v25.h = vsub(v26.h,v27.h); v26.h = vmpy(v25.h,r14.h):<<1:rnd:sat }
{ v19.h = vshuffo(v22.h,v22.h); v18.h = vsub(v20.h,v27.h); v1:0.w = vmpy(v18.h,v19.h) }
{ v17.h = vsub(v17.h,v19.h); v3:2.w = vmpy(v25.h,v23.h); v19.ub = vlsr(v24.ub,r0) }
{ v5:4.w = vmpy(v18.h,v26.h); r13:12 = memd(r4++#8); v18 = vand(v24,v16); v20 = vmem(r2++#1) }
{ v7:6.w = vmpy(v17.h,v21.h); r15:14 = memd(r3++#8); r17:16 = memd(r5++#8) }
{ v21.w = vrmpy(v18.ub,r12.b); v17.w = vrmpy(v19.ub,r12.b); v22.ub = vlsr(v20.ub,r0); v23 = vmem(r2++#1) }
{ r19:18 = memd(r6++#8); v25.w = vrmpy(v18.ub,r14.b); v24.w = vrmpy(v19.ub,r14.b); v26 = vmem(r2++#1) }
{ v27.w = vrmpy(v18.ub,r16.b); v20.w = vrmpy(v19.ub,r16.b); v29 = vand(v20,v16); v28.ub = vlsr(v23.ub,r0) }
{ v19.w = vrmpy(v18.ub,r18.b); v18.w = vrmpy(v19.ub,r18.b); v30.ub = vlsr(v26.ub,r0) }
{ v27.w += vrmpy(v29.ub,r17.b); v20.w += vrmpy(v22.ub,r17.b) }
{ v25.w += vrmpy(v29.ub,r15.b); v24.w += vrmpy(v22.ub,r15.b) }
{ v21.w += vrmpy(v29.ub,r13.b); v17.w += vrmpy(v22.ub,r13.b); r13:12 = memd(r3++#8); v23 = vand(v23,v16) }
{ v19.w += vrmpy(v29.ub,r19.b); v18.w += vrmpy(v22.ub,r19.b); r15:14 = memd(r4++#8); v22 = vmem(r2++#1) }
{ r17:16 = memd(r5++#8); v25.w += vrmpy(v23.ub,r12.b); v24.w += vrmpy(v28.ub,r12.b) }
{ r19:18 = memd(r6++#8); v21.w += vrmpy(v23.ub,r14.b); v17.w += vrmpy(v28.ub,r14.b); v29.ub = vlsr(v22.ub,r0) }
{ v27.w += vrmpy(v23.ub,r16.b); v20.w += vrmpy(v28.ub,r16.b); v26 = vand(v26,v16); v31 = vmem(r2++#1) }
{ v19.w += vrmpy(v23.ub,r18.b); v18.w += vrmpy(v28.ub,r18.b) }
{ v25.w += vrmpy(v26.ub,r13.b); v24.w += vrmpy(v30.ub,r13.b); v23.ub = vlsr(v31.ub,r0) }
{ v21.w += vrmpy(v26.ub,r15.b); v17.w += vrmpy(v30.ub,r15.b) }
{ v27.w += vrmpy(v26.ub,r17.b); v20.w += vrmpy(v30.ub,r17.b); r13:12 = memd(r3++#8); v22 = vand(v22,v16) }
{ v19.w += vrmpy(v26.ub,r19.b); v18.w += vrmpy(v30.ub,r19.b); r15:14 = memd(r4++#8); v26 = vmem(r2++#1) }
{ r17:16 = memd(r5++#8); r19:18 = memd(r6++#8); v25.w += vrmpy(v22.ub,r12.b); v24.w += vrmpy(v29.ub,r12.b) }
{ v21.w += vrmpy(v22.ub,r14.b); v17.w += vrmpy(v29.ub,r14.b); v28.ub = vlsr(v26.ub,r0); v30 = vmem(r2++#1) }
{ v19.w += vrmpy(v22.ub,r18.b); v18.w += vrmpy(v29.ub,r18.b); v31 = vand(v31,v16) }
{ v27.w += vrmpy(v22.ub,r16.b); v20.w += vrmpy(v29.ub,r16.b); v22.ub = vlsr(v30.ub,r0) }
{ v25.w += vrmpy(v31.ub,r13.b); v24.w += vrmpy(v23.ub,r13.b) }
{ v27.w += vrmpy(v31.ub,r17.b); v20.w += vrmpy(v23.ub,r17.b) }
{ v21.w += vrmpy(v31.ub,r15.b); v17.w += vrmpy(v23.ub,r15.b); r13:12 = memd(r3++#8); v26 = vand(v26,v16) }
{ v19.w += vrmpy(v31.ub,r19.b); v18.w += vrmpy(v23.ub,r19.b); r15:14 = memd(r5++#8) }
{ r17:16 = memd(r4++#8); v25.w += vrmpy(v26.ub,r12.b); v24.w += vrmpy(v28.ub,r12.b) }
{ r19:18 = memd(r6++#8); v27.w += vrmpy(v26.ub,r14.b); v20.w += vrmpy(v28.ub,r14.b) }
{ v21.w += vrmpy(v26.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b); v23 = vand(v30,v16) }
{ v19.w += vrmpy(v26.ub,r18.b); v18.w += vrmpy(v28.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v21.w += vrmpy(v23.ub,r17.b); v17.w += vrmpy(v22.ub,r17.b); r17:16 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v27.w += vrmpy(v23.ub,r15.b); v20.w += vrmpy(v22.ub,r15.b); v26 = vmem(r2++#1) }
{ v25.w += vrmpy(v23.ub,r13.b); v24.w += vrmpy(v22.ub,r13.b); r11 = combine(r23.l,r21.l); v17.h = vshuffe(v17.h,v21.h) }
{ v19.w += vrmpy(v23.ub,r19.b); v18.w += vrmpy(v22.ub,r19.b); r12 = combine(r25.l,r17.l); v20.h = vshuffe(v20.h,v27.h) }
{ v22 = vsplat(r11); v23 = vsplat(r12); v21.h = vshuffe(v24.h,v25.h) }
{ v18.h = vshuffe(v18.h,v19.h); v19.h = vmpy(v26.h,r22.h):<<1:rnd:sat }
{ v27.h = vshuffe(v22.h,v22.h); v24.h = vmpy(v26.h,r20.h):<<1:rnd:sat; v25 = vmem(r2++#1) }
{ v27.h = vshuffo(v22.h,v22.h); v21.h = vsub(v21.h,v27.h); v22.h = vmpy(v26.h,r16.h):<<1:rnd:sat }
{ v27.h = vshuffe(v23.h,v23.h); v17.h = vsub(v17.h,v27.h); v26.h = vmpy(v26.h,r24.h):<<1:rnd:sat }
{ v21.h = vshuffo(v23.h,v23.h); v20.h = vsub(v20.h,v27.h); v1:0.w += vmpy(v21.h,v24.h) }
{ v17.h = vsub(v18.h,v21.h); v3:2.w += vmpy(v17.h,v19.h); v18 = vand(v25,v16) }
{ v5:4.w += vmpy(v20.h,v22.h); r13:12 = memd(r3++#8); v19.ub = vlsr(v25.ub,r0); v20 = vmem(r2++#1) }
{ v7:6.w += vmpy(v17.h,v26.h); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r5++#8); v21.w = vrmpy(v18.ub,r12.b); v17.w = vrmpy(v19.ub,r12.b); v22.ub = vlsr(v20.ub,r0) }
{ r19:18 = memd(r6++#8); v24.w = vrmpy(v18.ub,r14.b); v23.w = vrmpy(v19.ub,r14.b); v25 = vmem(r2++#1) }
{ v26.w = vrmpy(v18.ub,r16.b); v20.w = vrmpy(v19.ub,r16.b); v27 = vand(v20,v16); v28 = vmem(r2++#1) }
{ v19.w = vrmpy(v18.ub,r18.b); v18.w = vrmpy(v19.ub,r18.b); v29.ub = vlsr(v25.ub,r0) }
{ v24.w += vrmpy(v27.ub,r15.b); v23.w += vrmpy(v22.ub,r15.b); v30.ub = vlsr(v28.ub,r0) }
{ v21.w += vrmpy(v27.ub,r13.b); v17.w += vrmpy(v22.ub,r13.b) }
{ v26.w += vrmpy(v27.ub,r17.b); v20.w += vrmpy(v22.ub,r17.b); r13:12 = memd(r3++#8); v25 = vand(v25,v16) }
{ v19.w += vrmpy(v27.ub,r19.b); v18.w += vrmpy(v22.ub,r19.b); r15:14 = memd(r5++#8) }
{ r17:16 = memd(r4++#8); v21.w += vrmpy(v25.ub,r12.b); v17.w += vrmpy(v29.ub,r12.b); v22 = vmem(r2++#1) }
{ r19:18 = memd(r6++#8); v26.w += vrmpy(v25.ub,r14.b); v20.w += vrmpy(v29.ub,r14.b); v27 = vmem(r2++#1) }
{ v24.w += vrmpy(v25.ub,r16.b); v23.w += vrmpy(v29.ub,r16.b); v31 = vand(v28,v16); v28.ub = vlsr(v22.ub,r0) }
{ v19.w += vrmpy(v25.ub,r18.b); v18.w += vrmpy(v29.ub,r18.b); v25.ub = vlsr(v27.ub,r0) }
{ v19.w += vrmpy(v31.ub,r19.b); v18.w += vrmpy(v30.ub,r19.b) }
{ v21.w += vrmpy(v31.ub,r13.b); v17.w += vrmpy(v30.ub,r13.b) }
{ v24.w += vrmpy(v31.ub,r17.b); v23.w += vrmpy(v30.ub,r17.b); r13:12 = memd(r3++#8); v22 = vand(v22,v16) }
{ v26.w += vrmpy(v31.ub,r15.b); v20.w += vrmpy(v30.ub,r15.b); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r5++#8); v21.w += vrmpy(v22.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b); v29 = vmem(r2++#1) }
{ r19:18 = memd(r6++#8); v24.w += vrmpy(v22.ub,r14.b); v23.w += vrmpy(v28.ub,r14.b); v30 = vmem(r2++#1) }
{ v26.w += vrmpy(v22.ub,r16.b); v20.w += vrmpy(v28.ub,r16.b); v31 = vand(v27,v16); v27.ub = vlsr(v29.ub,r0) }
{ v19.w += vrmpy(v22.ub,r18.b); v18.w += vrmpy(v28.ub,r18.b); v22.ub = vlsr(v30.ub,r0) }
{ v26.w += vrmpy(v31.ub,r17.b); v20.w += vrmpy(v25.ub,r17.b) }
{ v21.w += vrmpy(v31.ub,r13.b); v17.w += vrmpy(v25.ub,r13.b) }
{ v24.w += vrmpy(v31.ub,r15.b); v23.w += vrmpy(v25.ub,r15.b); r13:12 = memd(r3++#8); v28 = vand(v29,v16) }
{ v19.w += vrmpy(v31.ub,r19.b); v18.w += vrmpy(v25.ub,r19.b); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r5++#8); v21.w += vrmpy(v28.ub,r12.b); v17.w += vrmpy(v27.ub,r12.b) }
{ r19:18 = memd(r6++#8); v24.w += vrmpy(v28.ub,r14.b); v23.w += vrmpy(v27.ub,r14.b) }
{ v26.w += vrmpy(v28.ub,r16.b); v20.w += vrmpy(v27.ub,r16.b); v25 = vand(v30,v16) }
{ v19.w += vrmpy(v28.ub,r18.b); v18.w += vrmpy(v27.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v21.w += vrmpy(v25.ub,r13.b); v17.w += vrmpy(v22.ub,r13.b); r13:12 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v24.w += vrmpy(v25.ub,r15.b); v23.w += vrmpy(v22.ub,r15.b); v27 = vmem(r2++#1) }
{ v19.w += vrmpy(v25.ub,r19.b); v18.w += vrmpy(v22.ub,r19.b); r11 = combine(r23.l,r21.l); v17.h = vshuffe(v17.h,v21.h) }
{ v26.w += vrmpy(v25.ub,r17.b); v20.w += vrmpy(v22.ub,r17.b); r14 = combine(r25.l,r13.l); v21.h = vshuffe(v23.h,v24.h) }
{ v19 = vsplat(r11); v22 = vsplat(r14); v18.h = vshuffe(v18.h,v19.h) }
{ v20.h = vshuffe(v20.h,v26.h); v23.h = vmpy(v27.h,r20.h):<<1:rnd:sat }
{ v26.h = vshuffo(v19.h,v19.h); v24.h = vmpy(v27.h,r12.h):<<1:rnd:sat; v25 = vmem(r2++#1) }
{ v26.h = vshuffe(v19.h,v19.h); v19.h = vsub(v21.h,v26.h); v21.h = vmpy(v27.h,r22.h):<<1:rnd:sat }
{ v27.h = vshuffo(v22.h,v22.h); v17.h = vsub(v17.h,v26.h); v26.h = vmpy(v27.h,r24.h):<<1:rnd:sat }
{ v19.h = vshuffe(v22.h,v22.h); v18.h = vsub(v18.h,v27.h); v3:2.w += vmpy(v19.h,v21.h) }
{ v17.h = vsub(v20.h,v19.h); v1:0.w += vmpy(v17.h,v23.h); r13:12 = memd(r3++#8); v19.ub = vlsr(v25.ub,r0) }
{ v7:6.w += vmpy(v18.h,v26.h); r15:14 = memd(r4++#8); v18 = vand(v25,v16); v20 = vmem(r2++#1) }
{ v5:4.w += vmpy(v17.h,v24.h); r17:16 = memd(r5++#8); v17 = vmem(r2++#1) }
{ r19:18 = memd(r6++#8); v22.w = vrmpy(v18.ub,r14.b); v21.w = vrmpy(v19.ub,r14.b); v23.ub = vlsr(v20.ub,r0) }
{ v24.w = vrmpy(v18.ub,r12.b); v17.w = vrmpy(v19.ub,r12.b); v26 = vand(v17,v16); v25.ub = vlsr(v17.ub,r0) }
{ v27.w = vrmpy(v18.ub,r18.b); v20.w = vrmpy(v19.ub,r18.b); v28 = vand(v20,v16); v29 = vmem(r2++#1) }
{ v19.w = vrmpy(v18.ub,r16.b); v18.w = vrmpy(v19.ub,r16.b) }
{ v24.w += vrmpy(v28.ub,r13.b); v17.w += vrmpy(v23.ub,r13.b); v30.ub = vlsr(v29.ub,r0) }
{ v19.w += vrmpy(v28.ub,r17.b); v18.w += vrmpy(v23.ub,r17.b) }
{ v22.w += vrmpy(v28.ub,r15.b); v21.w += vrmpy(v23.ub,r15.b); r13:12 = memd(r3++#8) }
{ v27.w += vrmpy(v28.ub,r19.b); v20.w += vrmpy(v23.ub,r19.b); r15:14 = memd(r5++#8) }
{ r17:16 = memd(r4++#8); v24.w += vrmpy(v26.ub,r12.b); v17.w += vrmpy(v25.ub,r12.b); v23 = vmem(r2++#1) }
{ r19:18 = memd(r6++#8); v19.w += vrmpy(v26.ub,r14.b); v18.w += vrmpy(v25.ub,r14.b); v28 = vmem(r2++#1) }
{ v22.w += vrmpy(v26.ub,r16.b); v21.w += vrmpy(v25.ub,r16.b); v31 = vand(v29,v16); v29.ub = vlsr(v23.ub,r0) }
{ v27.w += vrmpy(v26.ub,r18.b); v20.w += vrmpy(v25.ub,r18.b); v25.ub = vlsr(v28.ub,r0) }
{ v27.w += vrmpy(v31.ub,r19.b); v20.w += vrmpy(v30.ub,r19.b) }
{ v24.w += vrmpy(v31.ub,r13.b); v17.w += vrmpy(v30.ub,r13.b) }
{ v22.w += vrmpy(v31.ub,r17.b); v21.w += vrmpy(v30.ub,r17.b); r13:12 = memd(r3++#8); v23 = vand(v23,v16) }
{ v19.w += vrmpy(v31.ub,r15.b); v18.w += vrmpy(v30.ub,r15.b); r15:14 = memd(r4++#8); v26 = vmem(r2++#1) }
{ r17:16 = memd(r5++#8); v24.w += vrmpy(v23.ub,r12.b); v17.w += vrmpy(v29.ub,r12.b) }
{ r19:18 = memd(r6++#8); v22.w += vrmpy(v23.ub,r14.b); v21.w += vrmpy(v29.ub,r14.b); v30.ub = vlsr(v26.ub,r0) }
{ v19.w += vrmpy(v23.ub,r16.b); v18.w += vrmpy(v29.ub,r16.b); v28 = vand(v28,v16); v31 = vmem(r2++#1) }
{ v27.w += vrmpy(v23.ub,r18.b); v20.w += vrmpy(v29.ub,r18.b) }
{ v24.w += vrmpy(v28.ub,r13.b); v17.w += vrmpy(v25.ub,r13.b); v23.ub = vlsr(v31.ub,r0) }
{ v22.w += vrmpy(v28.ub,r15.b); v21.w += vrmpy(v25.ub,r15.b) }
{ v19.w += vrmpy(v28.ub,r17.b); v18.w += vrmpy(v25.ub,r17.b); r13:12 = memd(r3++#8); v26 = vand(v26,v16) }
{ v27.w += vrmpy(v28.ub,r19.b); v20.w += vrmpy(v25.ub,r19.b); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r6++#8); v24.w += vrmpy(v26.ub,r12.b); v17.w += vrmpy(v30.ub,r12.b) }
{ r19:18 = memd(r5++#8); v22.w += vrmpy(v26.ub,r14.b); v21.w += vrmpy(v30.ub,r14.b) }
{ v27.w += vrmpy(v26.ub,r16.b); v20.w += vrmpy(v30.ub,r16.b); v25 = vand(v31,v16) }
{ v19.w += vrmpy(v26.ub,r18.b); v18.w += vrmpy(v30.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v24.w += vrmpy(v25.ub,r13.b); v17.w += vrmpy(v23.ub,r13.b); r13:12 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v19.w += vrmpy(v25.ub,r19.b); v18.w += vrmpy(v23.ub,r19.b); v26 = vmem(r2++#1) }
{ v22.w += vrmpy(v25.ub,r15.b); v21.w += vrmpy(v23.ub,r15.b); r11 = combine(r23.l,r21.l); v17.h = vshuffe(v17.h,v24.h) }
{ v27.w += vrmpy(v25.ub,r17.b); v20.w += vrmpy(v23.ub,r17.b); r14 = combine(r25.l,r13.l); v18.h = vshuffe(v18.h,v19.h) }
{ v21 = vsplat(r11); v22 = vsplat(r14); v19.h = vshuffe(v21.h,v22.h) }
{ v20.h = vshuffe(v20.h,v27.h); v23.h = vmpy(v26.h,r20.h):<<1:rnd:sat }
{ v25.h = vshuffo(v21.h,v21.h); v24.h = vmpy(v26.h,r22.h):<<1:rnd:sat }
{ v25.h = vshuffe(v21.h,v21.h); v19.h = vsub(v19.h,v25.h); v21.h = vmpy(v26.h,r12.h):<<1:rnd:sat }
{ v26.h = vshuffe(v22.h,v22.h); v17.h = vsub(v17.h,v25.h); v25.h = vmpy(v26.h,r24.h):<<1:rnd:sat }
{ v19.h = vshuffo(v22.h,v22.h); v18.h = vsub(v18.h,v26.h); v3:2.w += vmpy(v19.h,v24.h) }:endloop0
{ v20.h = vsub(v20.h,v19.h); v1:0.w += vmpy(v17.h,v23.h) }
{ v10.w += vasr(v2.w,r1); v5:4.w += vmpy(v18.h,v21.h) }
{ v9.w += vasr(v1.w,r1) }
{ v7:6.w += vmpy(v20.h,v25.h) }
{ v8.w += vasr(v0.w,r1) }
{ v11.w += vasr(v3.w,r1) }
{ v13.w += vasr(v5.w,r1) }
{ v12.w += vasr(v4.w,r1) }
{ v14.w += vasr(v6.w,r1) }
{ v15.w += vasr(v7.w,r1) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ vmem(r28+#2) = v10; r21:20 = memd(r29+#16) }
{ vmem(r28+#3) = v11; r23:22 = memd(r29+#24) }
{ vmem(r28+#4) = v12; r25:24 = memd(r29+#32) }
{ vmem(r28+#5) = v13; r27:26 = memd(r29+#40) }
{ vmem(r28+#6) = v14 }
{ vmem(r28+#7) = v15 }
{ dealloc_return }
.size hvx_sum_q4_0_rows, .-hvx_sum_q4_0_rows

// 166 packets (162 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q4_k_tiles
.hidden hvx_sum_q4_k_tiles
.type hvx_sum_q4_k_tiles,@function
hvx_sum_q4_k_tiles:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); p0 = cmp.gt(r28,r28); p1 = cmp.gt(r28,r28) }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##252645135 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16); p2 = cmp.gt(r28,r28) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1); p3 = cmp.gt(r28,r28) }
{ loop0(.Lhvx_sum_q4_k_tiles,r30); v8 = vmem(r31+#0); memw(r29+#48) = r31 }
{ v9 = vmem(r31+#1); r0 = ##1; r4 = memw(r28+#0) }
{ v10 = vmem(r31+#2); r1 = ##4; r5 = memw(r28+#4) }
{ v11 = vmem(r31+#3); r2 = ##640; r6 = memw(r28+#8) }
{ v12 = vmem(r31+#4); r7 = memw(r28+#12) }
{ v13 = vmem(r31+#5); r8 = memw(r28+#16) }
{ v14 = vmem(r31+#6); r9 = memw(r28+#32) }
{ v15 = vmem(r31+#7); r3 = memw(r28+#52) }
{ r11:10 = memd(r8++#8); v17 = vmem(r4++#1) }
{ v18 = vmem(r4++#1); r13:12 = memd(r8++#8) }
{ v19 = vand(v17,v16); v17.w = vrmpy(v17.ub,r10.b); v20 = vand(v18,v16); r15:14 = memd(r8++#8) }
{ v21 = vmem(r4++#1); r17:16 = memd(r8++#8) }
{ v17.w += vrmpy(v18.ub,r11.b); v18.w = vrmpy(v19.ub,r10.b); v19 = vand(v21,v16); v22 = vmem(r4++#1) }
{ v17.w += vrmpy(v21.ub,r12.b); v18.w += vrmpy(v20.ub,r11.b); v20 = vand(v22,v16); v21 = vmem(r4++#1) }
{ v17.w += vrmpy(v22.ub,r13.b); v18.w += vrmpy(v19.ub,r12.b); v19 = vand(v21,v16); v22 = vmem(r4++#1) }
{ v17.w += vrmpy(v21.ub,r14.b); v18.w += vrmpy(v20.ub,r13.b); v20 = vand(v22,v16); v21 = vmem(r5++#1) }
{ v17.w += vrmpy(v22.ub,r15.b); v18.w += vrmpy(v19.ub,r14.b); v22 = vmem(r4++#1); v19 = vand(v21,v16) }
{ v23 = vand(v22,v16); v24 = vmem(r4++#1); r19:18 = memd(r9++#8) }
{ v17.w += vrmpy(v22.ub,r16.b); v18.w += vrmpy(v20.ub,r15.b); v20 = vand(v24,v16); v22 = vmem(r4++#1) }
{ v17.w += vrmpy(v24.ub,r17.b); v18.w += vrmpy(v23.ub,r16.b); v23 = vmem(r5++#1) }
{ v20.w = vrmpy(v21.ub,r10.b); v18.w += vrmpy(v20.ub,r17.b); v21 = vand(v23,v16); v24 = vmem(r5++#1) }
{ v20.w += vrmpy(v23.ub,r11.b); v19.w = vrmpy(v19.ub,r10.b); v23 = vand(v24,v16); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v24.ub,r12.b); v19.w += vrmpy(v21.ub,r11.b); v21 = vand(v25,v16); v24 = vmem(r5++#1) }
{ v20.w += vrmpy(v25.ub,r13.b); v19.w += vrmpy(v23.ub,r12.b); v23 = vand(v24,v16); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v24.ub,r14.b); v19.w += vrmpy(v21.ub,r13.b); v21 = vand(v25,v16); v17.w = vsub(v17.w,v18.w) }
{ v20.w += vrmpy(v25.ub,r15.b); v19.w += vrmpy(v23.ub,r14.b); v23 = vmem(r5++#1) }
{ v24 = vmem(r5++#1); v17.w = vasr(v17.w,r1); v22.h = vmpy(v22.h,r18.h):<<1:rnd:sat }
{ v21 = vand(v23,v16); v20.w += vrmpy(v23.ub,r16.b); v19.w += vrmpy(v21.ub,r15.b); v23 = vmem(r5++#1) }
{ v17.h = vasr(v17.w,v18.w,r0):rnd:sat; v18 = vmem(r6++#1) }
{ v21 = vand(v24,v16); v20.w += vrmpy(v24.ub,r17.b); v19.w += vrmpy(v21.ub,r16.b); v24 = vmem(r6++#1) }
{ v1:0.w = vmpy(v17.h,v22.h); v17 = vand(v18,v16); v22 = vand(v24,v16) }
{ v18.w = vrmpy(v18.ub,r10.b); v19.w += vrmpy(v21.ub,r17.b); v21 = vmem(r6++#1) }
{ v18.w += vrmpy(v24.ub,r11.b); v17.w = vrmpy(v17.ub,r10.b); v24 = vand(v21,v16); v25 = vmem(r6++#1) }
{ v18.w += vrmpy(v21.ub,r12.b); v17.w += vrmpy(v22.ub,r11.b); v21 = vand(v25,v16); v22 = vmem(r6++#1) }
{ v18.w += vrmpy(v25.ub,r13.b); v17.w += vrmpy(v24.ub,r12.b); v24 = vand(v22,v16); v25 = vmem(r6++#1) }
{ v18.w += vrmpy(v22.ub,r14.b); v17.w += vrmpy(v21.ub,r13.b); v21 = vand(v25,v16); v22 = vmem(r6++#1) }
{ v18.w += vrmpy(v25.ub,r15.b); v17.w += vrmpy(v24.ub,r14.b); v24 = vmem(r6++#1); v20.w = vsub(v20.w,v19.w) }
{ v18.w += vrmpy(v22.ub,r16.b); v17.w += vrmpy(v21.ub,r15.b); v21 = vmem(r6++#1) }
{ v20.w = vasr(v20.w,r1); v23.h = vmpy(v23.h,r18.h):<<1:rnd:sat; v25 = vmem(r7++#1) }
{ v22 = vand(v22,v16); v26 = vand(v24,v16); v27 = vmem(r4++#1) }
{ v19.h = vasr(v20.w,v19.w,r0):rnd:sat; v21 = vmem(r7++#1); v20.h = vmpy(v21.h,r18.h):<<1:rnd:sat }
{ v18.w += vrmpy(v24.ub,r17.b); v17.w += vrmpy(v22.ub,r16.b); v22 = vand(v25,v16); v24 = vmem(r7++#1) }
{ v3:2.w = vmpy(v19.h,v23.h); v19 = vand(v21,v16); v23 = vmem(r7++#1); r21:20 = memd(r8++#8) }
{ v25.w = vrmpy(v25.ub,r10.b); v17.w += vrmpy(v26.ub,r17.b); v26 = vand(v24,v16); v28 = vmem(r7++#1) }
{ v25.w += vrmpy(v21.ub,r11.b); v21.w = vrmpy(v22.ub,r10.b); v22 = vand(v23,v16); v29 = vmem(r7++#1) }
{ v25.w += vrmpy(v24.ub,r12.b); v21.w += vrmpy(v19.ub,r11.b); v19 = vand(v28,v16); v18.w = vsub(v18.w,v17.w) }
{ v25.w += vrmpy(v23.ub,r13.b); v21.w += vrmpy(v26.ub,r12.b); v23 = vand(v29,v16); v24 = vmem(r7++#1) }
{ v25.w += vrmpy(v28.ub,r14.b); v21.w += vrmpy(v22.ub,r13.b); v22 = vmem(r7++#1); v18.w = vasr(v18.w,r1) }
{ v25.w += vrmpy(v29.ub,r15.b); v21.w += vrmpy(v19.ub,r14.b); v19 = vmem(r7++#1); r11:10 = memd(r8++#8) }
{ v18 = vand(v24,v16); v25.w += vrmpy(v24.ub,r16.b); v21.w += vrmpy(v23.ub,r15.b); v17.h = vasr(v18.w,v17.w,r0):rnd:sat }
{ v23 = vand(v27,v16); v24 = vmem(r4++#1); r13:12 = memd(r8++#8); v19.h = vmpy(v19.h,r18.h):<<1:rnd:sat }
{ v18 = vand(v22,v16); v25.w += vrmpy(v22.ub,r17.b); v21.w += vrmpy(v18.ub,r16.b); v22 = vmem(r4++#1) }
{ v5:4.w = vmpy(v17.h,v20.h); v17 = vand(v24,v16); v20 = vmem(r4++#1); r15:14 = memd(r8++#8) }
{ v18.w = vrmpy(v27.ub,r20.b); v21.w += vrmpy(v18.ub,r17.b); v26 = vand(v22,v16); v27 = vmem(r4++#1) }
{ v18.w += vrmpy(v24.ub,r21.b); v23.w = vrmpy(v23.ub,r20.b); v24 = vand(v20,v16); v28 = vmem(r4++#1) }
{ v18.w += vrmpy(v22.ub,r10.b); v23.w += vrmpy(v17.ub,r21.b); v17 = vand(v27,v16); v22 = vmem(r4++#1) }
{ v18.w += vrmpy(v20.ub,r11.b); v23.w += vrmpy(v26.ub,r10.b); v20 = vand(v28,v16); v26 = vmem(r4++#1) }
{ v18.w += vrmpy(v27.ub,r12.b); v23.w += vrmpy(v24.ub,r11.b); v24 = vand(v22,v16); v27 = vand(v26,v16) }
{ v18.w += vrmpy(v28.ub,r13.b); v23.w += vrmpy(v17.ub,r12.b); v17.w = vsub(v25.w,v21.w); v25 = vmem(r5++#1) }
{ v18.w += vrmpy(v22.ub,r14.b); v23.w += vrmpy(v20.ub,r13.b); v22 = vmem(r4++#1); v20 = vand(v25,v16) }
{ v18.w += vrmpy(v26.ub,r15.b); v23.w += vrmpy(v24.ub,r14.b); v17.w = vasr(v17.w,r1); v24 = vmem(r5++#1) }
{ v25.w = vrmpy(v25.ub,r20.b); v23.w += vrmpy(v27.ub,r15.b); v26 = vand(v24,v16); v27 = vmem(r5++#1) }
{ v20.h = vasr(v17.w,v21.w,r0):rnd:sat; v25.w += vrmpy(v24.ub,r21.b); v17.w = vrmpy(v20.ub,r20.b); v21 = vmem(r5++#1) }
{ v24 = vand(v27,v16); v25.w += vrmpy(v27.ub,r10.b); v17.w += vrmpy(v26.ub,r21.b); v26 = vmem(r5++#1) }
{ v7:6.w = vmpy(v20.h,v19.h); v19 = vand(v21,v16); v20 = vmem(r5++#1); r17:16 = memd(r9++#8) }
{ v25.w += vrmpy(v21.ub,r11.b); v17.w += vrmpy(v24.ub,r10.b); v21 = vand(v26,v16); v24 = vmem(r5++#1) }
{ v25.w += vrmpy(v26.ub,r12.b); v17.w += vrmpy(v19.ub,r11.b); v19 = vand(v20,v16); v26 = vmem(r5++#1) }
{ v25.w += vrmpy(v20.ub,r13.b); v17.w += vrmpy(v21.ub,r12.b); v20 = vand(v24,v16); v21 = vmem(r5++#1) }
{ v25.w += vrmpy(v24.ub,r14.b); v17.w += vrmpy(v19.ub,r13.b); v18.w = vsub(v18.w,v23.w); v19 = vmem(r6++#1) }
{ v20 = vand(v26,v16); v25.w += vrmpy(v26.ub,r15.b); v17.w += vrmpy(v20.ub,r14.b); v24 = vand(v19,v16) }
{ v18.w = vasr(v18.w,r1); v22.h = vmpy(v22.h,r16.h):<<1:rnd:sat; v26 = vmem(r6++#1) }
{ v19.w = vrmpy(v19.ub,r20.b); v17.w += vrmpy(v20.ub,r15.b); v20 = vand(v26,v16); v27 = vmem(r6++#1) }
{ v23.h = vasr(v18.w,v23.w,r0); v19.w += vrmpy(v26.ub,r21.b); v18.w = vrmpy(v24.ub,r20.b); v24 = vand(v27,v16) }
{ v19.w += vrmpy(v27.ub,r10.b); v18.w += vrmpy(v20.ub,r21.b); v25 = vmem(r6++#1); v20.w = vsub(v25.w,v17.w) }
{ v1:0.w += vmpy(v23.h,v22.h); v22 = vand(v25,v16); v23 = vmem(r6++#1) }
{ v19.w += vrmpy(v25.ub,r11.b); v18.w += vrmpy(v24.ub,r10.b); v24 = vand(v23,v16); v25 = vmem(r6++#1) }
{ v19.w += vrmpy(v23.ub,r12.b); v18.w += vrmpy(v22.ub,r11.b); v22 = vand(v25,v16); v23 = vmem(r6++#1) }
{ v19.w += vrmpy(v25.ub,r13.b); v18.w += vrmpy(v24.ub,r12.b); v24 = vand(v23,v16); v25 = vmem(r6++#1) }
{ v19.w += vrmpy(v23.ub,r14.b); v18.w += vrmpy(v22.ub,r13.b); v22 = vand(v25,v16); v23 = vmem(r6++#1) }
{ v19.w += vrmpy(v25.ub,r15.b); v18.w += vrmpy(v24.ub,r14.b); v20.w = vasr(v20.w,r1); v24 = vmem(r7++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v25 = vand(v24,v16); v26 = vmem(r7++#1); r19:18 = memd(r8++#8) }
{ v17.h = vasr(v20.w,v17.w,r0); v20.w = vrmpy(v24.ub,r20.b); v18.w += vrmpy(v22.ub,r15.b); v22 = vmem(r7++#1) }
{ v25 = vand(v26,v16); v20.w += vrmpy(v26.ub,r21.b); v24.w = vrmpy(v25.ub,r20.b); v26 = vmem(r7++#1) }
{ v3:2.w += vmpy(v17.h,v21.h); v17 = vand(v22,v16); v21 = vmem(r7++#1); r23:22 = memd(r8++#8) }
{ v20.w += vrmpy(v22.ub,r10.b); v24.w += vrmpy(v25.ub,r21.b); v22 = vand(v26,v16); v25 = vand(v21,v16) }
{ v20.w += vrmpy(v26.ub,r11.b); v24.w += vrmpy(v17.ub,r10.b); v19 = vmem(r7++#1); v17.w = vsub(v19.w,v18.w) }
{ v20.w += vrmpy(v21.ub,r12.b); v24.w += vrmpy(v22.ub,r11.b); v21 = vand(v19,v16); v22 = vmem(r7++#1) }
{ v20.w += vrmpy(v19.ub,r13.b); v24.w += vrmpy(v25.ub,r12.b); v19 = vand(v22,v16); v25 = vmem(r7++#1) }
{ v20.w += vrmpy(v22.ub,r14.b); v24.w += vrmpy(v21.ub,r13.b); v21 = vand(v25,v16); v22 = vmem(r4++#1) }
{ v20.w += vrmpy(v25.ub,r15.b); v24.w += vrmpy(v19.ub,r14.b); v17.w = vasr(v17.w,r1); v19 = vmem(r4++#1) }
{ v26 = vmem(r7++#1); v23.h = vmpy(v23.h,r16.h):<<1:rnd:sat; v25 = vand(v22,v16); r11:10 = memd(r8++#8) }
{ v17.h = vasr(v17.w,v18.w,r0); v18.w = vrmpy(v22.ub,r18.b); v24.w += vrmpy(v21.ub,r15.b); v21 = vmem(r4++#1) }
{ v22 = vand(v19,v16); v18.w += vrmpy(v19.ub,r19.b); v19.w = vrmpy(v25.ub,r18.b); v25 = vand(v21,v16) }
{ v5:4.w += vmpy(v17.h,v23.h); v20 = vmem(r4++#1); r13:12 = memd(r8++#8); v17.w = vsub(v20.w,v24.w) }
{ v18.w += vrmpy(v21.ub,r22.b); v19.w += vrmpy(v22.ub,r19.b); v21 = vand(v20,v16); v22 = vmem(r4++#1) }
{ v18.w += vrmpy(v20.ub,r23.b); v19.w += vrmpy(v25.ub,r22.b); v20 = vand(v22,v16); v23 = vmem(r4++#1) }
{ v18.w += vrmpy(v22.ub,r10.b); v19.w += vrmpy(v21.ub,r23.b); v21 = vand(v23,v16); v22 = vmem(r4++#1) }
{ v18.w += vrmpy(v23.ub,r11.b); v19.w += vrmpy(v20.ub,r10.b); v20 = vand(v22,v16); v23 = vmem(r4++#1) }
{ v18.w += vrmpy(v22.ub,r12.b); v19.w += vrmpy(v21.ub,r11.b); v21 = vand(v23,v16); v22 = vmem(r4++#1) }
{ v18.w += vrmpy(v23.ub,r13.b); v19.w += vrmpy(v20.ub,r12.b); v17.w = vasr(v17.w,r1); v20 = vmem(r5++#1) }
{ v23.h = vmpy(v26.h,r16.h):<<1:rnd:sat; v25 = vand(v20,v16); v26 = vmem(r5++#1) }
{ v17.h = vasr(v17.w,v24.w,r0); v20.w = vrmpy(v20.ub,r18.b); v19.w += vrmpy(v21.ub,r13.b); v21 = vmem(r5++#1) }
{ v25 = vand(v26,v16); v20.w += vrmpy(v26.ub,r19.b); v24.w = vrmpy(v25.ub,r18.b); v26 = vand(v21,v16) }
{ v7:6.w += vmpy(v17.h,v23.h); v18 = vmem(r5++#1); r15:14 = memd(r9++#8); v17.w = vsub(v18.w,v19.w) }
{ v20.w += vrmpy(v21.ub,r22.b); v24.w += vrmpy(v25.ub,r19.b); v21 = vand(v18,v16); v23 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r23.b); v24.w += vrmpy(v26.ub,r22.b); v18 = vand(v23,v16); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v23.ub,r10.b); v24.w += vrmpy(v21.ub,r23.b); v21 = vand(v25,v16); v23 = vmem(r5++#1) }
{ v20.w += vrmpy(v25.ub,r11.b); v24.w += vrmpy(v18.ub,r10.b); v18 = vand(v23,v16); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v23.ub,r12.b); v24.w += vrmpy(v21.ub,r11.b); v21 = vand(v25,v16); v23 = vmem(r5++#1) }
{ v20.w += vrmpy(v25.ub,r13.b); v24.w += vrmpy(v18.ub,r12.b); v17.w = vasr(v17.w,r1); v18 = vmem(r6++#1) }
{ v22.h = vmpy(v22.h,r14.h):<<1:rnd:sat; v25 = vand(v18,v16); v26 = vmem(r6++#1) }
{ v17.h = vasr(v17.w,v19.w,r0):rnd:sat; v18.w = vrmpy(v18.ub,r18.b); v24.w += vrmpy(v21.ub,r13.b); v19 = vmem(r6++#1) }
{ v18.w += vrmpy(v26.ub,r19.b); v21.w = vrmpy(v25.ub,r18.b); v25 = vand(v19,v16); v27 = vmem(r6++#1) }
{ v1:0.w += vmpy(v17.h,v22.h); v17 = vand(v26,v16); v22 = vand(v27,v16) }
{ v26 = vmem(r6++#1); v20.w = vsub(v20.w,v24.w); v23.h = vmpy(v23.h,r14.h):<<1:rnd:sat; r17:16 = memd(r8++#8) }
{ v18.w += vrmpy(v19.ub,r22.b); v21.w += vrmpy(v17.ub,r19.b); v17 = vand(v26,v16); v19 = vmem(r6++#1) }
{ v18.w += vrmpy(v27.ub,r23.b); v21.w += vrmpy(v25.ub,r22.b); v25 = vand(v19,v16); v27 = vmem(r6++#1) }
{ v18.w += vrmpy(v26.ub,r10.b); v21.w += vrmpy(v22.ub,r23.b); v22 = vand(v27,v16); v26 = vmem(r6++#1) }
{ v18.w += vrmpy(v19.ub,r11.b); v21.w += vrmpy(v17.ub,r10.b); v17 = vand(v26,v16); v19 = vmem(r6++#1) }
{ v18.w += vrmpy(v27.ub,r12.b); v21.w += vrmpy(v25.ub,r11.b); v20.w = vasr(v20.w,r1); v25 = vmem(r7++#1) }
{ v18.w += vrmpy(v26.ub,r13.b); v21.w += vrmpy(v22.ub,r12.b); v22 = vand(v25,v16); v26 = vmem(r7++#1) }
{ v17.h = vasr(v20.w,v24.w,r0):rnd:sat; v20.w = vrmpy(v25.ub,r18.b); v21.w += vrmpy(v17.ub,r13.b); v24 = vand(v26,v16) }
{ v20.w += vrmpy(v26.ub,r19.b); v22.w = vrmpy(v22.ub,r18.b); v25 = vmem(r7++#1); v18.w = vsub(v18.w,v21.w) }
{ v3:2.w += vmpy(v17.h,v23.h); v17 = vand(v25,v16); v23 = vmem(r7++#1); r21:20 = memd(r8++#8) }
{ v20.w += vrmpy(v25.ub,r22.b); v22.w += vrmpy(v24.ub,r19.b); v24 = vand(v23,v16); v25 = vmem(r7++#1) }
{ v20.w += vrmpy(v23.ub,r23.b); v22.w += vrmpy(v17.ub,r22.b); v17 = vand(v25,v16); v23 = vmem(r7++#1) }
{ v20.w += vrmpy(v25.ub,r10.b); v22.w += vrmpy(v24.ub,r23.b); v24 = vand(v23,v16); v25 = vmem(r7++#1) }
{ v20.w += vrmpy(v23.ub,r11.b); v22.w += vrmpy(v17.ub,r10.b); v17 = vand(v25,v16); v23 = vmem(r7++#1) }
{ v20.w += vrmpy(v25.ub,r12.b); v22.w += vrmpy(v24.ub,r11.b); v24 = vand(v23,v16); v25 = vmem(r7++#1) }
{ v20.w += vrmpy(v23.ub,r13.b); v22.w += vrmpy(v17.ub,r12.b); v17.w = vasr(v18.w,r1); v18 = vmem(r4++#1) }
{ v19.h = vmpy(v19.h,r14.h):<<1:rnd:sat; v23 = vand(v18,v16); v26 = vmem(r4++#1); r11:10 = memd(r8++#8) }
{ v17.h = vasr(v17.w,v21.w,r0):rnd:sat; v18.w = vrmpy(v18.ub,r16.b); v22.w += vrmpy(v24.ub,r13.b); v21 = vand(v26,v16) }
{ v18.w += vrmpy(v26.ub,r17.b); v23.w = vrmpy(v23.ub,r16.b); v24 = vmem(r4++#1); v20.w = vsub(v20.w,v22.w) }
{ v5:4.w += vmpy(v17.h,v19.h); v17 = vand(v24,v16); v19 = vmem(r4++#1); r13:12 = memd(r8++#8) }
{ v18.w += vrmpy(v24.ub,r20.b); v23.w += vrmpy(v21.ub,r17.b); v21 = vand(v19,v16); v24 = vmem(r4++#1) }
{ v18.w += vrmpy(v19.ub,r21.b); v23.w += vrmpy(v17.ub,r20.b); v17 = vand(v24,v16); v19 = vmem(r4++#1) }
{ v18.w += vrmpy(v24.ub,r10.b); v23.w += vrmpy(v21.ub,r21.b); v21 = vand(v19,v16); v24 = vmem(r4++#1) }
{ v18.w += vrmpy(v19.ub,r11.b); v23.w += vrmpy(v17.ub,r10.b); v17 = vand(v24,v16); v19 = vmem(r4++#1) }
{ v18.w += vrmpy(v24.ub,r12.b); v23.w += vrmpy(v21.ub,r11.b); v21 = vand(v19,v16); v24 = vmem(r4++#1) }
{ v18.w += vrmpy(v19.ub,r13.b); v23.w += vrmpy(v17.ub,r12.b); v17.w = vasr(v20.w,r1); v19 = vmem(r5++#1) }
{ if (p0) r4 = add(r4,r2); p0 = not(p0); v20.h = vmpy(v25.h,r14.h):<<1:rnd:sat }
{ v17.h = vasr(v17.w,v22.w,r0):rnd:sat; v21.w = vrmpy(v19.ub,r16.b); v23.w += vrmpy(v21.ub,r13.b); v22 = vmem(r5++#1) }
{ v19 = vand(v19,v16); v25 = vmem(r5++#1); v18.w = vsub(v18.w,v23.w) }
{ v7:6.w += vmpy(v17.h,v20.h); v17 = vand(v22,v16); v20 = vmem(r5++#1); r15:14 = memd(r9++#8) }
{ v21.w += vrmpy(v22.ub,r17.b); v19.w = vrmpy(v19.ub,r16.b); v22 = vand(v25,v16); v26 = vmem(r5++#1) }
{ v21.w += vrmpy(v25.ub,r20.b); v19.w += vrmpy(v17.ub,r17.b); v17 = vand(v20,v16); v25 = vmem(r5++#1) }
{ v21.w += vrmpy(v20.ub,r21.b); v19.w += vrmpy(v22.ub,r20.b); v20 = vand(v26,v16); v22 = vmem(r5++#1) }
{ v21.w += vrmpy(v26.ub,r10.b); v19.w += vrmpy(v17.ub,r21.b); v17 = vand(v25,v16); v26 = vmem(r5++#1) }
{ v21.w += vrmpy(v25.ub,r11.b); v19.w += vrmpy(v20.ub,r10.b); v20 = vand(v22,v16); v18.w = vasr(v18.w,r1) }
{ v21.w += vrmpy(v22.ub,r12.b); v19.w += vrmpy(v17.ub,r11.b); v17 = vand(v26,v16); v22 = vmem(r5++#1) }
{ v21.w += vrmpy(v26.ub,r13.b); v19.w += vrmpy(v20.ub,r12.b); v18.h = vasr(v18.w,v23.w,r0); v20 = vmem(r6++#1) }
{ if (p1) r5 = add(r5,r2); p1 = not(p1); v23.h = vmpy(v24.h,r14.h):<<1:rnd:sat; v24 = vmem(r6++#1) }
{ v20 = vand(v20,v16); v17.w = vrmpy(v20.ub,r16.b); v19.w += vrmpy(v17.ub,r13.b); v25 = vand(v24,v16) }
{ v1:0.w += vmpy(v18.h,v23.h); v21 = vmem(r6++#1); v18.w = vsub(v21.w,v19.w) }
{ v17.w += vrmpy(v24.ub,r17.b); v20.w = vrmpy(v20.ub,r16.b); v23 = vand(v21,v16); v24 = vmem(r6++#1) }
{ v9.w += vasr(v1.w,r3); v17.w += vrmpy(v21.ub,r20.b); v20.w += vrmpy(v25.ub,r17.b) }
{ v8.w += vasr(v0.w,r3); v17.w += vrmpy(v24.ub,r21.b); v20.w += vrmpy(v23.ub,r20.b); v21 = vmem(r6++#1) }
{ v23 = vand(v24,v16); v24 = vand(v21,v16); v25 = vmem(r6++#1); v18.w = vasr(v18.w,r1) }
{ v26 = vand(v25,v16); v27 = vmem(r6++#1); v22.h = vmpy(v22.h,r14.h):<<1:rnd:sat }
{ v17.w += vrmpy(v21.ub,r10.b); v20.w += vrmpy(v23.ub,r21.b); v21 = vand(v27,v16); v23 = vmem(r6++#1) }
{ v17.w += vrmpy(v25.ub,r11.b); v20.w += vrmpy(v24.ub,r10.b); v19 = vmem(r6++#1); v18.h = vasr(v18.w,v19.w,r0) }
{ v17.w += vrmpy(v27.ub,r12.b); v20.w += vrmpy(v26.ub,r11.b); v24 = vmem(r7++#1) }
{ v21 = vand(v23,v16); v17.w += vrmpy(v23.ub,r13.b); v20.w += vrmpy(v21.ub,r12.b); v23 = vand(v24,v16) }
{ if (p2) r6 = add(r6,r2); p2 = not(p2); v3:2.w += vmpy(v18.h,v22.h); v18 = vmem(r7++#1) }
{ v21.w = vrmpy(v24.ub,r16.b); v20.w += vrmpy(v21.ub,r13.b); v22 = vand(v18,v16); v24 = vmem(r7++#1) }
{ v10.w += vasr(v2.w,r3); v21.w += vrmpy(v18.ub,r17.b); v26.w = vrmpy(v23.ub,r16.b); v18 = vand(v24,v16) }
{ v11.w += vasr(v3.w,r3); v21.w += vrmpy(v24.ub,r20.b); v26.w += vrmpy(v22.ub,r17.b); v22 = vmem(r7++#1) }
{ v23 = vand(v22,v16); v24 = vmem(r7++#1); v17.w = vsub(v17.w,v20.w) }
{ v21.w += vrmpy(v22.ub,r21.b); v26.w += vrmpy(v18.ub,r20.b); v18 = vand(v24,v16); v22 = vmem(r7++#1) }
{ v21.w += vrmpy(v24.ub,r10.b); v26.w += vrmpy(v23.ub,r21.b); v23 = vand(v22,v16); v24 = vmem(r7++#1) }
{ v21.w += vrmpy(v22.ub,r11.b); v26.w += vrmpy(v18.ub,r10.b); v18 = vand(v24,v16); v22 = vmem(r7++#1) }
{ v21.w += vrmpy(v24.ub,r12.b); v26.w += vrmpy(v23.ub,r11.b); v23 = vand(v22,v16) }
{ v21.w += vrmpy(v22.ub,r13.b); v26.w += vrmpy(v18.ub,r12.b); v18 = vmem(r7++#1); v17.w = vasr(v17.w,r1) }
{ if (p3) r7 = add(r7,r2); p3 = not(p3); v26.w += vrmpy(v23.ub,r13.b) }
.Lhvx_sum_q4_k_tiles:
{ r11:10 = memd(r8++#8); v17 = vmem(r4++#1); v22.h = vasr(v17.w,v20.w,r0); v27.h = vmpy(v18.h,r14.h):<<1:rnd:sat }
{ v18 = vmem(r4++#1); r13:12 = memd(r8++#8); v23.h = vmpy(v19.h,r14.h):<<1:rnd:sat; v21.w = vsub(v21.w,v26.w) }
{ v19 = vand(v17,v16); v17.w = vrmpy(v17.ub,r10.b); v20 = vand(v18,v16); r15:14 = memd(r8++#8) }
{ v21 = vmem(r4++#1); r17:16 = memd(r8++#8); v5:4.w += vmpy(v22.h,v23.h); v28.w = vasr(v21.w,r1) }
{ v17.w += vrmpy(v18.ub,r11.b); v18.w = vrmpy(v19.ub,r10.b); v19 = vand(v21,v16); v22 = vmem(r4++#1) }
{ v17.w += vrmpy(v21.ub,r12.b); v18.w += vrmpy(v20.ub,r11.b); v20 = vand(v22,v16); v21 = vmem(r4++#1) }
{ v17.w += vrmpy(v22.ub,r13.b); v18.w += vrmpy(v19.ub,r12.b); v19 = vand(v21,v16); v22 = vmem(r4++#1) }
{ v17.w += vrmpy(v21.ub,r14.b); v18.w += vrmpy(v20.ub,r13.b); v20 = vand(v22,v16); v21 = vmem(r5++#1) }
{ v17.w += vrmpy(v22.ub,r15.b); v18.w += vrmpy(v19.ub,r14.b); v22 = vmem(r4++#1); v19 = vand(v21,v16) }
{ v23 = vand(v22,v16); v24 = vmem(r4++#1); r19:18 = memd(r9++#8); v12.w += vasr(v4.w,r3) }
{ v17.w += vrmpy(v22.ub,r16.b); v18.w += vrmpy(v20.ub,r15.b); v20 = vand(v24,v16); v22 = vmem(r4++#1) }
{ v17.w += vrmpy(v24.ub,r17.b); v18.w += vrmpy(v23.ub,r16.b); v23 = vmem(r5++#1); v13.w += vasr(v5.w,r3) }
{ v20.w = vrmpy(v21.ub,r10.b); v18.w += vrmpy(v20.ub,r17.b); v21 = vand(v23,v16); v24 = vmem(r5++#1) }
{ v20.w += vrmpy(v23.ub,r11.b); v19.w = vrmpy(v19.ub,r10.b); v23 = vand(v24,v16); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v24.ub,r12.b); v19.w += vrmpy(v21.ub,r11.b); v21 = vand(v25,v16); v24 = vmem(r5++#1) }
{ v20.w += vrmpy(v25.ub,r13.b); v19.w += vrmpy(v23.ub,r12.b); v23 = vand(v24,v16); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v24.ub,r14.b); v19.w += vrmpy(v21.ub,r13.b); v21 = vand(v25,v16); v17.w = vsub(v17.w,v18.w) }
{ v20.w += vrmpy(v25.ub,r15.b); v19.w += vrmpy(v23.ub,r14.b); v23 = vmem(r5++#1); v25.h = vasr(v28.w,v26.w,r0) }
{ v24 = vmem(r5++#1); v17.w = vasr(v17.w,r1); v22.h = vmpy(v22.h,r18.h):<<1:rnd:sat }
{ v21 = vand(v23,v16); v20.w += vrmpy(v23.ub,r16.b); v19.w += vrmpy(v21.ub,r15.b); v23 = vmem(r5++#1) }
{ v17.h = vasr(v17.w,v18.w,r0):rnd:sat; v18 = vmem(r6++#1); v7:6.w += vmpy(v25.h,v27.h) }
{ v21 = vand(v24,v16); v20.w += vrmpy(v24.ub,r17.b); v19.w += vrmpy(v21.ub,r16.b); v24 = vmem(r6++#1) }
{ v1:0.w = vmpy(v17.h,v22.h); v17 = vand(v18,v16); v22 = vand(v24,v16) }
{ v18.w = vrmpy(v18.ub,r10.b); v19.w += vrmpy(v21.ub,r17.b); v21 = vmem(r6++#1); v15.w += vasr(v7.w,r3) }
{ v18.w += vrmpy(v24.ub,r11.b); v17.w = vrmpy(v17.ub,r10.b); v24 = vand(v21,v16); v25 = vmem(r6++#1) }
{ v18.w += vrmpy(v21.ub,r12.b); v17.w += vrmpy(v22.ub,r11.b); v21 = vand(v25,v16); v22 = vmem(r6++#1) }
{ v18.w += vrmpy(v25.ub,r13.b); v17.w += vrmpy(v24.ub,r12.b); v24 = vand(v22,v16); v25 = vmem(r6++#1) }
{ v18.w += vrmpy(v22.ub,r14.b); v17.w += vrmpy(v21.ub,r13.b); v21 = vand(v25,v16); v22 = vmem(r6++#1) }
{ v18.w += vrmpy(v25.ub,r15.b); v17.w += vrmpy(v24.ub,r14.b); v24 = vmem(r6++#1); v20.w = vsub(v20.w,v19.w) }
{ v18.w += vrmpy(v22.ub,r16.b); v17.w += vrmpy(v21.ub,r15.b); v21 = vmem(r6++#1) }
{ v20.w = vasr(v20.w,r1); v23.h = vmpy(v23.h,r18.h):<<1:rnd:sat; v25 = vmem(r7++#1) }
{ v22 = vand(v22,v16); v26 = vand(v24,v16); v27 = vmem(r4++#1); v14.w += vasr(v6.w,r3) }
{ v19.h = vasr(v20.w,v19.w,r0):rnd:sat; v21 = vmem(r7++#1); v20.h = vmpy(v21.h,r18.h):<<1:rnd:sat }
{ v18.w += vrmpy(v24.ub,r17.b); v17.w += vrmpy(v22.ub,r16.b); v22 = vand(v25,v16); v24 = vmem(r7++#1) }
{ v3:2.w = vmpy(v19.h,v23.h); v19 = vand(v21,v16); v23 = vmem(r7++#1); r21:20 = memd(r8++#8) }
{ v25.w = vrmpy(v25.ub,r10.b); v17.w += vrmpy(v26.ub,r17.b); v26 = vand(v24,v16); v28 = vmem(r7++#1) }
{ v25.w += vrmpy(v21.ub,r11.b); v21.w = vrmpy(v22.ub,r10.b); v22 = vand(v23,v16); v29 = vmem(r7++#1) }
{ v25.w += vrmpy(v24.ub,r12.b); v21.w += vrmpy(v19.ub,r11.b); v19 = vand(v28,v16); v18.w = vsub(v18.w,v17.w) }
{ v25.w += vrmpy(v23.ub,r13.b); v21.w += vrmpy(v26.ub,r12.b); v23 = vand(v29,v16); v24 = vmem(r7++#1) }
{ v25.w += vrmpy(v28.ub,r14.b); v21.w += vrmpy(v22.ub,r13.b); v22 = vmem(r7++#1); v18.w = vasr(v18.w,r1) }
{ v25.w += vrmpy(v29.ub,r15.b); v21.w += vrmpy(v19.ub,r14.b); v19 = vmem(r7++#1); r11:10 = memd(r8++#8) }
{ v18 = vand(v24,v16); v25.w += vrmpy(v24.ub,r16.b); v21.w += vrmpy(v23.ub,r15.b); v17.h = vasr(v18.w,v17.w,r0):rnd:sat }
{ v23 = vand(v27,v16); v24 = vmem(r4++#1); r13:12 = memd(r8++#8); v19.h = vmpy(v19.h,r18.h):<<1:rnd:sat }
{ v18 = vand(v22,v16); v25.w += vrmpy(v22.ub,r17.b); v21.w += vrmpy(v18.ub,r16.b); v22 = vmem(r4++#1) }
{ v5:4.w = vmpy(v17.h,v20.h); v17 = vand(v24,v16); v20 = vmem(r4++#1); r15:14 = memd(r8++#8) }
{ v18.w = vrmpy(v27.ub,r20.b); v21.w += vrmpy(v18.ub,r17.b); v26 = vand(v22,v16); v27 = vmem(r4++#1) }
{ v18.w += vrmpy(v24.ub,r21.b); v23.w = vrmpy(v23.ub,r20.b); v24 = vand(v20,v16); v28 = vmem(r4++#1) }
{ v18.w += vrmpy(v22.ub,r10.b); v23.w += vrmpy(v17.ub,r21.b); v17 = vand(v27,v16); v22 = vmem(r4++#1) }
{ v18.w += vrmpy(v20.ub,r11.b); v23.w += vrmpy(v26.ub,r10.b); v20 = vand(v28,v16); v26 = vmem(r4++#1) }
{ v18.w += vrmpy(v27.ub,r12.b); v23.w += vrmpy(v24.ub,r11.b); v24 = vand(v22,v16); v27 = vand(v26,v16) }
{ v18.w += vrmpy(v28.ub,r13.b); v23.w += vrmpy(v17.ub,r12.b); v17.w = vsub(v25.w,v21.w); v25 = vmem(r5++#1) }
{ v18.w += vrmpy(v22.ub,r14.b); v23.w += vrmpy(v20.ub,r13.b); v22 = vmem(r4++#1); v20 = vand(v25,v16) }
{ v18.w += vrmpy(v26.ub,r15.b); v23.w += vrmpy(v24.ub,r14.b); v17.w = vasr(v17.w,r1); v24 = vmem(r5++#1) }
{ v25.w = vrmpy(v25.ub,r20.b); v23.w += vrmpy(v27.ub,r15.b); v26 = vand(v24,v16); v27 = vmem(r5++#1) }
{ v20.h = vasr(v17.w,v21.w,r0):rnd:sat; v25.w += vrmpy(v24.ub,r21.b); v17.w = vrmpy(v20.ub,r20.b); v21 = vmem(r5++#1) }
{ v24 = vand(v27,v16); v25.w += vrmpy(v27.ub,r10.b); v17.w += vrmpy(v26.ub,r21.b); v26 = vmem(r5++#1) }
{ v7:6.w = vmpy(v20.h,v19.h); v19 = vand(v21,v16); v20 = vmem(r5++#1); r17:16 = memd(r9++#8) }
{ v25.w += vrmpy(v21.ub,r11.b); v17.w += vrmpy(v24.ub,r10.b); v21 = vand(v26,v16); v24 = vmem(r5++#1) }
{ v25.w += vrmpy(v26.ub,r12.b); v17.w += vrmpy(v19.ub,r11.b); v19 = vand(v20,v16); v26 = vmem(r5++#1) }
{ v25.w += vrmpy(v20.ub,r13.b); v17.w += vrmpy(v21.ub,r12.b); v20 = vand(v24,v16); v21 = vmem(r5++#1) }
{ v25.w += vrmpy(v24.ub,r14.b); v17.w += vrmpy(v19.ub,r13.b); v18.w = vsub(v18.w,v23.w); v19 = vmem(r6++#1) }
{ v20 = vand(v26,v16); v25.w += vrmpy(v26.ub,r15.b); v17.w += vrmpy(v20.ub,r14.b); v24 = vand(v19,v16) }
{ v18.w = vasr(v18.w,r1); v22.h = vmpy(v22.h,r16.h):<<1:rnd:sat; v26 = vmem(r6++#1) }
{ v19.w = vrmpy(v19.ub,r20.b); v17.w += vrmpy(v20.ub,r15.b); v20 = vand(v26,v16); v27 = vmem(r6++#1) }
{ v23.h = vasr(v18.w,v23.w,r0); v19.w += vrmpy(v26.ub,r21.b); v18.w = vrmpy(v24.ub,r20.b); v24 = vand(v27,v16) }
{ v19.w += vrmpy(v27.ub,r10.b); v18.w += vrmpy(v20.ub,r21.b); v25 = vmem(r6++#1); v20.w = vsub(v25.w,v17.w) }
{ v1:0.w += vmpy(v23.h,v22.h); v22 = vand(v25,v16); v23 = vmem(r6++#1) }
{ v19.w += vrmpy(v25.ub,r11.b); v18.w += vrmpy(v24.ub,r10.b); v24 = vand(v23,v16); v25 = vmem(r6++#1) }
{ v19.w += vrmpy(v23.ub,r12.b); v18.w += vrmpy(v22.ub,r11.b); v22 = vand(v25,v16); v23 = vmem(r6++#1) }
{ v19.w += vrmpy(v25.ub,r13.b); v18.w += vrmpy(v24.ub,r12.b); v24 = vand(v23,v16); v25 = vmem(r6++#1) }
{ v19.w += vrmpy(v23.ub,r14.b); v18.w += vrmpy(v22.ub,r13.b); v22 = vand(v25,v16); v23 = vmem(r6++#1) }
{ v19.w += vrmpy(v25.ub,r15.b); v18.w += vrmpy(v24.ub,r14.b); v20.w = vasr(v20.w,r1); v24 = vmem(r7++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v25 = vand(v24,v16); v26 = vmem(r7++#1); r19:18 = memd(r8++#8) }
{ v17.h = vasr(v20.w,v17.w,r0); v20.w = vrmpy(v24.ub,r20.b); v18.w += vrmpy(v22.ub,r15.b); v22 = vmem(r7++#1) }
{ v25 = vand(v26,v16); v20.w += vrmpy(v26.ub,r21.b); v24.w = vrmpy(v25.ub,r20.b); v26 = vmem(r7++#1) }
{ v3:2.w += vmpy(v17.h,v21.h); v17 = vand(v22,v16); v21 = vmem(r7++#1); r23:22 = memd(r8++#8) }
{ v20.w += vrmpy(v22.ub,r10.b); v24.w += vrmpy(v25.ub,r21.b); v22 = vand(v26,v16); v25 = vand(v21,v16) }
{ v20.w += vrmpy(v26.ub,r11.b); v24.w += vrmpy(v17.ub,r10.b); v19 = vmem(r7++#1); v17.w = vsub(v19.w,v18.w) }
{ v20.w += vrmpy(v21.ub,r12.b); v24.w += vrmpy(v22.ub,r11.b); v21 = vand(v19,v16); v22 = vmem(r7++#1) }
{ v20.w += vrmpy(v19.ub,r13.b); v24.w += vrmpy(v25.ub,r12.b); v19 = vand(v22,v16); v25 = vmem(r7++#1) }
{ v20.w += vrmpy(v22.ub,r14.b); v24.w += vrmpy(v21.ub,r13.b); v21 = vand(v25,v16); v22 = vmem(r4++#1) }
{ v20.w += vrmpy(v25.ub,r15.b); v24.w += vrmpy(v19.ub,r14.b); v17.w = vasr(v17.w,r1); v19 = vmem(r4++#1) }
{ v26 = vmem(r7++#1); v23.h = vmpy(v23.h,r16.h):<<1:rnd:sat; v25 = vand(v22,v16); r11:10 = memd(r8++#8) }
{ v17.h = vasr(v17.w,v18.w,r0); v18.w = vrmpy(v22.ub,r18.b); v24.w += vrmpy(v21.ub,r15.b); v21 = vmem(r4++#1) }
{ v22 = vand(v19,v16); v18.w += vrmpy(v19.ub,r19.b); v19.w = vrmpy(v25.ub,r18.b); v25 = vand(v21,v16) }
{ v5:4.w += vmpy(v17.h,v23.h); v20 = vmem(r4++#1); r13:12 = memd(r8++#8); v17.w = vsub(v20.w,v24.w) }
{ v18.w += vrmpy(v21.ub,r22.b); v19.w += vrmpy(v22.ub,r19.b); v21 = vand(v20,v16); v22 = vmem(r4++#1) }
{ v18.w += vrmpy(v20.ub,r23.b); v19.w += vrmpy(v25.ub,r22.b); v20 = vand(v22,v16); v23 = vmem(r4++#1) }
{ v18.w += vrmpy(v22.ub,r10.b); v19.w += vrmpy(v21.ub,r23.b); v21 = vand(v23,v16); v22 = vmem(r4++#1) }
{ v18.w += vrmpy(v23.ub,r11.b); v19.w += vrmpy(v20.ub,r10.b); v20 = vand(v22,v16); v23 = vmem(r4++#1) }
{ v18.w += vrmpy(v22.ub,r12.b); v19.w += vrmpy(v21.ub,r11.b); v21 = vand(v23,v16); v22 = vmem(r4++#1) }
{ v18.w += vrmpy(v23.ub,r13.b); v19.w += vrmpy(v20.ub,r12.b); v17.w = vasr(v17.w,r1); v20 = vmem(r5++#1) }
{ v23.h = vmpy(v26.h,r16.h):<<1:rnd:sat; v25 = vand(v20,v16); v26 = vmem(r5++#1) }
{ v17.h = vasr(v17.w,v24.w,r0); v20.w = vrmpy(v20.ub,r18.b); v19.w += vrmpy(v21.ub,r13.b); v21 = vmem(r5++#1) }
{ v25 = vand(v26,v16); v20.w += vrmpy(v26.ub,r19.b); v24.w = vrmpy(v25.ub,r18.b); v26 = vand(v21,v16) }
{ v7:6.w += vmpy(v17.h,v23.h); v18 = vmem(r5++#1); r15:14 = memd(r9++#8); v17.w = vsub(v18.w,v19.w) }
{ v20.w += vrmpy(v21.ub,r22.b); v24.w += vrmpy(v25.ub,r19.b); v21 = vand(v18,v16); v23 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r23.b); v24.w += vrmpy(v26.ub,r22.b); v18 = vand(v23,v16); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v23.ub,r10.b); v24.w += vrmpy(v21.ub,r23.b); v21 = vand(v25,v16); v23 = vmem(r5++#1) }
{ v20.w += vrmpy(v25.ub,r11.b); v24.w += vrmpy(v18.ub,r10.b); v18 = vand(v23,v16); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v23.ub,r12.b); v24.w += vrmpy(v21.ub,r11.b); v21 = vand(v25,v16); v23 = vmem(r5++#1) }
{ v20.w += vrmpy(v25.ub,r13.b); v24.w += vrmpy(v18.ub,r12.b); v17.w = vasr(v17.w,r1); v18 = vmem(r6++#1) }
{ v22.h = vmpy(v22.h,r14.h):<<1:rnd:sat; v25 = vand(v18,v16); v26 = vmem(r6++#1) }
{ v17.h = vasr(v17.w,v19.w,r0):rnd:sat; v18.w = vrmpy(v18.ub,r18.b); v24.w += vrmpy(v21.ub,r13.b); v19 = vmem(r6++#1) }
{ v18.w += vrmpy(v26.ub,r19.b); v21.w = vrmpy(v25.ub,r18.b); v25 = vand(v19,v16); v27 = vmem(r6++#1) }
{ v1:0.w += vmpy(v17.h,v22.h); v17 = vand(v26,v16); v22 = vand(v27,v16) }
{ v26 = vmem(r6++#1); v20.w = vsub(v20.w,v24.w); v23.h = vmpy(v23.h,r14.h):<<1:rnd:sat; r17:16 = memd(r8++#8) }
{ v18.w += vrmpy(v19.ub,r22.b); v21.w += vrmpy(v17.ub,r19.b); v17 = vand(v26,v16); v19 = vmem(r6++#1) }
{ v18.w += vrmpy(v27.ub,r23.b); v21.w += vrmpy(v25.ub,r22.b); v25 = vand(v19,v16); v27 = vmem(r6++#1) }
{ v18.w += vrmpy(v26.ub,r10.b); v21.w += vrmpy(v22.ub,r23.b); v22 = vand(v27,v16); v26 = vmem(r6++#1) }
{ v18.w += vrmpy(v19.ub,r11.b); v21.w += vrmpy(v17.ub,r10.b); v17 = vand(v26,v16); v19 = vmem(r6++#1) }
{ v18.w += vrmpy(v27.ub,r12.b); v21.w += vrmpy(v25.ub,r11.b); v20.w = vasr(v20.w,r1); v25 = vmem(r7++#1) }
{ v18.w += vrmpy(v26.ub,r13.b); v21.w += vrmpy(v22.ub,r12.b); v22 = vand(v25,v16); v26 = vmem(r7++#1) }
{ v17.h = vasr(v20.w,v24.w,r0):rnd:sat; v20.w = vrmpy(v25.ub,r18.b); v21.w += vrmpy(v17.ub,r13.b); v24 = vand(v26,v16) }
{ v20.w += vrmpy(v26.ub,r19.b); v22.w = vrmpy(v22.ub,r18.b); v25 = vmem(r7++#1); v18.w = vsub(v18.w,v21.w) }
{ v3:2.w += vmpy(v17.h,v23.h); v17 = vand(v25,v16); v23 = vmem(r7++#1); r21:20 = memd(r8++#8) }
{ v20.w += vrmpy(v25.ub,r22.b); v22.w += vrmpy(v24.ub,r19.b); v24 = vand(v23,v16); v25 = vmem(r7++#1) }
{ v20.w += vrmpy(v23.ub,r23.b); v22.w += vrmpy(v17.ub,r22.b); v17 = vand(v25,v16); v23 = vmem(r7++#1) }
{ v20.w += vrmpy(v25.ub,r10.b); v22.w += vrmpy(v24.ub,r23.b); v24 = vand(v23,v16); v25 = vmem(r7++#1) }
{ v20.w += vrmpy(v23.ub,r11.b); v22.w += vrmpy(v17.ub,r10.b); v17 = vand(v25,v16); v23 = vmem(r7++#1) }
{ v20.w += vrmpy(v25.ub,r12.b); v22.w += vrmpy(v24.ub,r11.b); v24 = vand(v23,v16); v25 = vmem(r7++#1) }
{ v20.w += vrmpy(v23.ub,r13.b); v22.w += vrmpy(v17.ub,r12.b); v17.w = vasr(v18.w,r1); v18 = vmem(r4++#1) }
{ v19.h = vmpy(v19.h,r14.h):<<1:rnd:sat; v23 = vand(v18,v16); v26 = vmem(r4++#1); r11:10 = memd(r8++#8) }
{ v17.h = vasr(v17.w,v21.w,r0):rnd:sat; v18.w = vrmpy(v18.ub,r16.b); v22.w += vrmpy(v24.ub,r13.b); v21 = vand(v26,v16) }
{ v18.w += vrmpy(v26.ub,r17.b); v23.w = vrmpy(v23.ub,r16.b); v24 = vmem(r4++#1); v20.w = vsub(v20.w,v22.w) }
{ v5:4.w += vmpy(v17.h,v19.h); v17 = vand(v24,v16); v19 = vmem(r4++#1); r13:12 = memd(r8++#8) }
{ v18.w += vrmpy(v24.ub,r20.b); v23.w += vrmpy(v21.ub,r17.b); v21 = vand(v19,v16); v24 = vmem(r4++#1) }
{ v18.w += vrmpy(v19.ub,r21.b); v23.w += vrmpy(v17.ub,r20.b); v17 = vand(v24,v16); v19 = vmem(r4++#1) }
{ v18.w += vrmpy(v24.ub,r10.b); v23.w += vrmpy(v21.ub,r21.b); v21 = vand(v19,v16); v24 = vmem(r4++#1) }
{ v18.w += vrmpy(v19.ub,r11.b); v23.w += vrmpy(v17.ub,r10.b); v17 = vand(v24,v16); v19 = vmem(r4++#1) }
{ v18.w += vrmpy(v24.ub,r12.b); v23.w += vrmpy(v21.ub,r11.b); v21 = vand(v19,v16); v24 = vmem(r4++#1) }
{ v18.w += vrmpy(v19.ub,r13.b); v23.w += vrmpy(v17.ub,r12.b); v17.w = vasr(v20.w,r1); v19 = vmem(r5++#1) }
{ if (p0) r4 = add(r4,r2); p0 = not(p0); v20.h = vmpy(v25.h,r14.h):<<1:rnd:sat }
{ v17.h = vasr(v17.w,v22.w,r0):rnd:sat; v21.w = vrmpy(v19.ub,r16.b); v23.w += vrmpy(v21.ub,r13.b); v22 = vmem(r5++#1) }
{ v19 = vand(v19,v16); v25 = vmem(r5++#1); v18.w = vsub(v18.w,v23.w) }
{ v7:6.w += vmpy(v17.h,v20.h); v17 = vand(v22,v16); v20 = vmem(r5++#1); r15:14 = memd(r9++#8) }
{ v21.w += vrmpy(v22.ub,r17.b); v19.w = vrmpy(v19.ub,r16.b); v22 = vand(v25,v16); v26 = vmem(r5++#1) }
{ v21.w += vrmpy(v25.ub,r20.b); v19.w += vrmpy(v17.ub,r17.b); v17 = vand(v20,v16); v25 = vmem(r5++#1) }
{ v21.w += vrmpy(v20.ub,r21.b); v19.w += vrmpy(v22.ub,r20.b); v20 = vand(v26,v16); v22 = vmem(r5++#1) }
{ v21.w += vrmpy(v26.ub,r10.b); v19.w += vrmpy(v17.ub,r21.b); v17 = vand(v25,v16); v26 = vmem(r5++#1) }
{ v21.w += vrmpy(v25.ub,r11.b); v19.w += vrmpy(v20.ub,r10.b); v20 = vand(v22,v16); v18.w = vasr(v18.w,r1) }
{ v21.w += vrmpy(v22.ub,r12.b); v19.w += vrmpy(v17.ub,r11.b); v17 = vand(v26,v16); v22 = vmem(r5++#1) }
{ v21.w += vrmpy(v26.ub,r13.b); v19.w += vrmpy(v20.ub,r12.b); v18.h = vasr(v18.w,v23.w,r0); v20 = vmem(r6++#1) }
{ if (p1) r5 = add(r5,r2); p1 = not(p1); v23.h = vmpy(v24.h,r14.h):<<1:rnd:sat; v24 = vmem(r6++#1) }
{ v20 = vand(v20,v16); v17.w = vrmpy(v20.ub,r16.b); v19.w += vrmpy(v17.ub,r13.b); v25 = vand(v24,v16) }
{ v1:0.w += vmpy(v18.h,v23.h); v21 = vmem(r6++#1); v18.w = vsub(v21.w,v19.w) }
{ v17.w += vrmpy(v24.ub,r17.b); v20.w = vrmpy(v20.ub,r16.b); v23 = vand(v21,v16); v24 = vmem(r6++#1) }
{ v9.w += vasr(v1.w,r3); v17.w += vrmpy(v21.ub,r20.b); v20.w += vrmpy(v25.ub,r17.b) }
{ v8.w += vasr(v0.w,r3); v17.w += vrmpy(v24.ub,r21.b); v20.w += vrmpy(v23.ub,r20.b); v21 = vmem(r6++#1) }
{ v23 = vand(v24,v16); v24 = vand(v21,v16); v25 = vmem(r6++#1); v18.w = vasr(v18.w,r1) }
{ v26 = vand(v25,v16); v27 = vmem(r6++#1); v22.h = vmpy(v22.h,r14.h):<<1:rnd:sat }
{ v17.w += vrmpy(v21.ub,r10.b); v20.w += vrmpy(v23.ub,r21.b); v21 = vand(v27,v16); v23 = vmem(r6++#1) }
{ v17.w += vrmpy(v25.ub,r11.b); v20.w += vrmpy(v24.ub,r10.b); v19 = vmem(r6++#1); v18.h = vasr(v18.w,v19.w,r0) }
{ v17.w += vrmpy(v27.ub,r12.b); v20.w += vrmpy(v26.ub,r11.b); v24 = vmem(r7++#1) }
{ v21 = vand(v23,v16); v17.w += vrmpy(v23.ub,r13.b); v20.w += vrmpy(v21.ub,r12.b); v23 = vand(v24,v16) }
{ if (p2) r6 = add(r6,r2); p2 = not(p2); v3:2.w += vmpy(v18.h,v22.h); v18 = vmem(r7++#1) }
{ v21.w = vrmpy(v24.ub,r16.b); v20.w += vrmpy(v21.ub,r13.b); v22 = vand(v18,v16); v24 = vmem(r7++#1) }
{ v10.w += vasr(v2.w,r3); v21.w += vrmpy(v18.ub,r17.b); v26.w = vrmpy(v23.ub,r16.b); v18 = vand(v24,v16) }
{ v11.w += vasr(v3.w,r3); v21.w += vrmpy(v24.ub,r20.b); v26.w += vrmpy(v22.ub,r17.b); v22 = vmem(r7++#1) }
{ v23 = vand(v22,v16); v24 = vmem(r7++#1); v17.w = vsub(v17.w,v20.w) }
{ v21.w += vrmpy(v22.ub,r21.b); v26.w += vrmpy(v18.ub,r20.b); v18 = vand(v24,v16); v22 = vmem(r7++#1) }
{ v21.w += vrmpy(v24.ub,r10.b); v26.w += vrmpy(v23.ub,r21.b); v23 = vand(v22,v16); v24 = vmem(r7++#1) }
{ v21.w += vrmpy(v22.ub,r11.b); v26.w += vrmpy(v18.ub,r10.b); v18 = vand(v24,v16); v22 = vmem(r7++#1) }
{ v21.w += vrmpy(v24.ub,r12.b); v26.w += vrmpy(v23.ub,r11.b); v23 = vand(v22,v16) }
{ v21.w += vrmpy(v22.ub,r13.b); v26.w += vrmpy(v18.ub,r12.b); v18 = vmem(r7++#1); v17.w = vasr(v17.w,r1) }
{ if (p3) r7 = add(r7,r2); p3 = not(p3); v26.w += vrmpy(v23.ub,r13.b) }:endloop0
{ v22.h = vasr(v17.w,v20.w,r0); v27.h = vmpy(v18.h,r14.h):<<1:rnd:sat }
{ v23.h = vmpy(v19.h,r14.h):<<1:rnd:sat; v21.w = vsub(v21.w,v26.w) }
{ v5:4.w += vmpy(v22.h,v23.h); v28.w = vasr(v21.w,r1) }
{ v12.w += vasr(v4.w,r3) }
{ v13.w += vasr(v5.w,r3) }
{ v25.h = vasr(v28.w,v26.w,r0) }
{ v7:6.w += vmpy(v25.h,v27.h) }
{ v15.w += vasr(v7.w,r3) }
{ v14.w += vasr(v6.w,r3) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ vmem(r28+#2) = v10; r21:20 = memd(r29+#16) }
{ vmem(r28+#3) = v11; r23:22 = memd(r29+#24) }
{ vmem(r28+#4) = v12; r25:24 = memd(r29+#32) }
{ vmem(r28+#5) = v13; r27:26 = memd(r29+#40) }
{ vmem(r28+#6) = v14 }
{ vmem(r28+#7) = v15 }
{ dealloc_return }
.size hvx_sum_q4_k_tiles, .-hvx_sum_q4_k_tiles

// 44 packets (44 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q4_k_tile
.hidden hvx_sum_q4_k_tile
.type hvx_sum_q4_k_tile,@function
hvx_sum_q4_k_tile:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); p0 = cmp.gt(r28,r28) }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##252645135 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_q4_k_tile,r30); v8 = vmem(r31+#0); memw(r29+#48) = r31 }
{ v9 = vmem(r31+#1); r0 = ##1; r4 = memw(r28+#0) }
{ r1 = ##4; r2 = ##640 }
{ r5 = memw(r28+#16); r6 = memw(r28+#32) }
{ r3 = memw(r28+#52) }
{ r9:8 = memd(r5++#8); v17 = vmem(r4++#1) }
{ v18 = vand(v17,v16); r11:10 = memd(r5++#8) }
{ v17.w = vrmpy(v17.ub,r8.b); v19 = vmem(r4++#1); r13:12 = memd(r5++#8) }
{ v20 = vand(v19,v16); v21 = vmem(r4++#1); r15:14 = memd(r5++#8) }
{ v17.w += vrmpy(v19.ub,r9.b); v18.w = vrmpy(v18.ub,r8.b); v19 = vand(v21,v16); v22 = vmem(r4++#1) }
{ v17.w += vrmpy(v21.ub,r10.b); v18.w += vrmpy(v20.ub,r9.b); v20 = vand(v22,v16); v21 = vmem(r4++#1) }
{ v17.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v19.ub,r10.b); v19 = vand(v21,v16); v22 = vmem(r4++#1) }
{ v17.w += vrmpy(v21.ub,r12.b); v18.w += vrmpy(v20.ub,r11.b); v20 = vand(v22,v16); v21 = vmem(r4++#1) }
{ v17.w += vrmpy(v22.ub,r13.b); v18.w += vrmpy(v19.ub,r12.b); v19 = vmem(r4++#1); r9:8 = memd(r5++#8) }
{ v20 = vand(v21,v16); v17.w += vrmpy(v21.ub,r14.b); v18.w += vrmpy(v20.ub,r13.b); v21 = vand(v19,v16) }
{ v22 = vmem(r4++#1); r11:10 = memd(r5++#8) }
{ v17.w += vrmpy(v19.ub,r15.b); v18.w += vrmpy(v20.ub,r14.b); v19 = vmem(r4++#1); r13:12 = memd(r5++#8) }
{ v20 = vand(v19,v16); v23 = vmem(r4++#1); r17:16 = memd(r5++#8) }
{ v19.w = vrmpy(v19.ub,r8.b); v18.w += vrmpy(v21.ub,r15.b); v21 = vand(v23,v16); v24 = vmem(r4++#1) }
{ v19.w += vrmpy(v23.ub,r9.b); v20.w = vrmpy(v20.ub,r8.b); v23 = vand(v24,v16); v25 = vmem(r4++#1) }
{ v19.w += vrmpy(v24.ub,r10.b); v20.w += vrmpy(v21.ub,r9.b); v21 = vand(v25,v16); v24 = vmem(r4++#1) }
{ v19.w += vrmpy(v25.ub,r11.b); v20.w += vrmpy(v23.ub,r10.b); v23 = vand(v24,v16); v25 = vmem(r4++#1) }
{ v19.w += vrmpy(v24.ub,r12.b); v20.w += vrmpy(v21.ub,r11.b); v21 = vand(v25,v16); v17.w = vsub(v17.w,v18.w) }
{ v19.w += vrmpy(v25.ub,r13.b); v20.w += vrmpy(v23.ub,r12.b); v23 = vmem(r4++#1); r9:8 = memd(r6++#8) }
{ v24 = vand(v23,v16); v25 = vmem(r4++#1); r11:10 = memd(r5++#8) }
{ v19.w += vrmpy(v23.ub,r16.b); v20.w += vrmpy(v21.ub,r13.b); v21 = vand(v25,v16); v17.w = vasr(v17.w,r1) }
{ v19.w += vrmpy(v25.ub,r17.b); v20.w += vrmpy(v24.ub,r16.b); v23 = vmem(r4++#1); r13:12 = memd(r5++#8) }
{ v17.h = vasr(v17.w,v18.w,r0):rnd:sat; v18.h = vmpy(v22.h,r8.h):<<1:rnd:sat; v22 = vmem(r4++#1); r9:8 = memd(r5++#8) }
{ v24 = vand(v22,v16); v25 = vmem(r4++#1); r15:14 = memd(r6++#8) }
{ v1:0.w = vmpy(v17.h,v18.h); v17 = vand(v25,v16); v18 = vmem(r4++#1); r19:18 = memd(r5++#8) }
{ v21.w = vrmpy(v22.ub,r10.b); v20.w += vrmpy(v21.ub,r17.b); v22 = vand(v18,v16); v26 = vmem(r4++#1) }
{ v21.w += vrmpy(v25.ub,r11.b); v24.w = vrmpy(v24.ub,r10.b); v25 = vand(v26,v16); v27 = vmem(r4++#1) }
{ v21.w += vrmpy(v18.ub,r12.b); v24.w += vrmpy(v17.ub,r11.b); v17 = vand(v27,v16); v18 = vmem(r4++#1) }
{ v21.w += vrmpy(v26.ub,r13.b); v24.w += vrmpy(v22.ub,r12.b); v22 = vand(v18,v16); v19.w = vsub(v19.w,v20.w) }
{ v21.w += vrmpy(v27.ub,r8.b); v24.w += vrmpy(v25.ub,r13.b); v25 = vmem(r4++#1); r11:10 = memd(r5++#8) }
{ v21.w += vrmpy(v18.ub,r9.b); v24.w += vrmpy(v17.ub,r8.b); v17 = vand(v25,v16); v18 = vmem(r4++#1) }
{ v21.w += vrmpy(v25.ub,r18.b); v24.w += vrmpy(v22.ub,r9.b); v22 = vand(v18,v16); v25 = vmem(r4++#1) }
{ v21.w += vrmpy(v18.ub,r19.b); v24.w += vrmpy(v17.ub,r18.b); v17.w = vasr(v19.w,r1); v18 = vmem(r4++#1) }
{ v19.h = vmpy(v23.h,r14.h):<<1:rnd:sat; v23 = vand(v18,v16); v26 = vmem(r4++#1); r9:8 = memd(r5++#8) }
{ v17.h = vasr(v17.w,v20.w,r0); v18.w = vrmpy(v18.ub,r10.b); v24.w += vrmpy(v22.ub,r19.b); v20 = vand(v26,v16) }
{ v18.w += vrmpy(v26.ub,r11.b); v23.w = vrmpy(v23.ub,r10.b); v22 = vmem(r4++#1); r13:12 = memd(r5++#8) }
{ v1:0.w += vmpy(v17.h,v19.h); v17 = vand(v22,v16); v19 = vmem(r4++#1); r15:14 = memd(r5++#8) }
{ v18.w += vrmpy(v22.ub,r8.b); v23.w += vrmpy(v20.ub,r11.b); v20 = vand(v19,v16); v22 = vmem(r4++#1) }
{ v18.w += vrmpy(v19.ub,r9.b); v23.w += vrmpy(v17.ub,r8.b); v17 = vand(v22,v16); v19 = vmem(r4++#1) }
{ v18.w += vrmpy(v22.ub,r12.b); v23.w += vrmpy(v20.ub,r9.b); v20 = vand(v19,v16); v22 = vmem(r4++#1) }
{ v18.w += vrmpy(v19.ub,r13.b); v23.w += vrmpy(v17.ub,r12.b); v17 = vand(v22,v16); v19 = vmem(r4++#1) }
{ v18.w += vrmpy(v22.ub,r14.b); v23.w += vrmpy(v20.ub,r13.b); v20 = vand(v19,v16); v22 = vmem(r4++#1) }
{ v18.w += vrmpy(v19.ub,r15.b); v23.w += vrmpy(v17.ub,r14.b); r9:8 = memd(r6++#8); v17.w = vsub(v21.w,v24.w) }
{ if (p0) r4 = add(r4,r2); p0 = not(p0); v23.w += vrmpy(v20.ub,r15.b); r11:10 = memd(r6++#8) }
.Lhvx_sum_q4_k_tile:
{ r9:8 = memd(r5++#8); v17 = vmem(r4++#1); v19.w = vasr(v17.w,r1); v25.h = vmpy(v25.h,r8.h):<<1:rnd:sat }
{ v18 = vand(v17,v16); r11:10 = memd(r5++#8); v20.w = vsub(v18.w,v23.w); v26.h = vmpy(v22.h,r10.h):<<1:rnd:sat }
{ v17.w = vrmpy(v17.ub,r8.b); v19 = vmem(r4++#1); r13:12 = memd(r5++#8); v24.h = vasr(v19.w,v24.w,r0):rnd:sat }
{ v20 = vand(v19,v16); v21 = vmem(r4++#1); r15:14 = memd(r5++#8); v27.w = vasr(v20.w,r1) }
{ v17.w += vrmpy(v19.ub,r9.b); v18.w = vrmpy(v18.ub,r8.b); v19 = vand(v21,v16); v22 = vmem(r4++#1) }
{ v17.w += vrmpy(v21.ub,r10.b); v18.w += vrmpy(v20.ub,r9.b); v20 = vand(v22,v16); v21 = vmem(r4++#1) }
{ v17.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v19.ub,r10.b); v19 = vand(v21,v16); v22 = vmem(r4++#1) }
{ v17.w += vrmpy(v21.ub,r12.b); v18.w += vrmpy(v20.ub,r11.b); v20 = vand(v22,v16); v21 = vmem(r4++#1) }
{ v17.w += vrmpy(v22.ub,r13.b); v18.w += vrmpy(v19.ub,r12.b); v19 = vmem(r4++#1); r9:8 = memd(r5++#8) }
{ v20 = vand(v21,v16); v17.w += vrmpy(v21.ub,r14.b); v18.w += vrmpy(v20.ub,r13.b); v21 = vand(v19,v16) }
{ v22 = vmem(r4++#1); r11:10 = memd(r5++#8); v1:0.w += vmpy(v24.h,v25.h); v23.h = vasr(v27.w,v23.w,r0) }
{ v17.w += vrmpy(v19.ub,r15.b); v18.w += vrmpy(v20.ub,r14.b); v19 = vmem(r4++#1); r13:12 = memd(r5++#8) }
{ v20 = vand(v19,v16); v23 = vmem(r4++#1); r17:16 = memd(r5++#8); v1:0.w += vmpy(v23.h,v26.h) }
{ v19.w = vrmpy(v19.ub,r8.b); v18.w += vrmpy(v21.ub,r15.b); v21 = vand(v23,v16); v24 = vmem(r4++#1) }
{ v19.w += vrmpy(v23.ub,r9.b); v20.w = vrmpy(v20.ub,r8.b); v23 = vand(v24,v16); v25 = vmem(r4++#1) }
{ v19.w += vrmpy(v24.ub,r10.b); v20.w += vrmpy(v21.ub,r9.b); v21 = vand(v25,v16); v24 = vmem(r4++#1) }
{ v19.w += vrmpy(v25.ub,r11.b); v20.w += vrmpy(v23.ub,r10.b); v23 = vand(v24,v16); v25 = vmem(r4++#1) }
{ v19.w += vrmpy(v24.ub,r12.b); v20.w += vrmpy(v21.ub,r11.b); v21 = vand(v25,v16); v17.w = vsub(v17.w,v18.w) }
{ v19.w += vrmpy(v25.ub,r13.b); v20.w += vrmpy(v23.ub,r12.b); v23 = vmem(r4++#1); r9:8 = memd(r6++#8) }
{ v24 = vand(v23,v16); v25 = vmem(r4++#1); r11:10 = memd(r5++#8); v8.w += vasr(v0.w,r3) }
{ v19.w += vrmpy(v23.ub,r16.b); v20.w += vrmpy(v21.ub,r13.b); v21 = vand(v25,v16); v17.w = vasr(v17.w,r1) }
{ v19.w += vrmpy(v25.ub,r17.b); v20.w += vrmpy(v24.ub,r16.b); v23 = vmem(r4++#1); r13:12 = memd(r5++#8) }
{ v17.h = vasr(v17.w,v18.w,r0):rnd:sat; v18.h = vmpy(v22.h,r8.h):<<1:rnd:sat; v22 = vmem(r4++#1); r9:8 = memd(r5++#8) }
{ v24 = vand(v22,v16); v25 = vmem(r4++#1); r15:14 = memd(r6++#8); v9.w += vasr(v1.w,r3) }
{ v1:0.w = vmpy(v17.h,v18.h); v17 = vand(v25,v16); v18 = vmem(r4++#1); r19:18 = memd(r5++#8) }
{ v21.w = vrmpy(v22.ub,r10.b); v20.w += vrmpy(v21.ub,r17.b); v22 = vand(v18,v16); v26 = vmem(r4++#1) }
{ v21.w += vrmpy(v25.ub,r11.b); v24.w = vrmpy(v24.ub,r10.b); v25 = vand(v26,v16); v27 = vmem(r4++#1) }
{ v21.w += vrmpy(v18.ub,r12.b); v24.w += vrmpy(v17.ub,r11.b); v17 = vand(v27,v16); v18 = vmem(r4++#1) }
{ v21.w += vrmpy(v26.ub,r13.b); v24.w += vrmpy(v22.ub,r12.b); v22 = vand(v18,v16); v19.w = vsub(v19.w,v20.w) }
{ v21.w += vrmpy(v27.ub,r8.b); v24.w += vrmpy(v25.ub,r13.b); v25 = vmem(r4++#1); r11:10 = memd(r5++#8) }
{ v21.w += vrmpy(v18.ub,r9.b); v24.w += vrmpy(v17.ub,r8.b); v17 = vand(v25,v16); v18 = vmem(r4++#1) }
{ v21.w += vrmpy(v25.ub,r18.b); v24.w += vrmpy(v22.ub,r9.b); v22 = vand(v18,v16); v25 = vmem(r4++#1) }
{ v21.w += vrmpy(v18.ub,r19.b); v24.w += vrmpy(v17.ub,r18.b); v17.w = vasr(v19.w,r1); v18 = vmem(r4++#1) }
{ v19.h = vmpy(v23.h,r14.h):<<1:rnd:sat; v23 = vand(v18,v16); v26 = vmem(r4++#1); r9:8 = memd(r5++#8) }
{ v17.h = vasr(v17.w,v20.w,r0); v18.w = vrmpy(v18.ub,r10.b); v24.w += vrmpy(v22.ub,r19.b); v20 = vand(v26,v16) }
{ v18.w += vrmpy(v26.ub,r11.b); v23.w = vrmpy(v23.ub,r10.b); v22 = vmem(r4++#1); r13:12 = memd(r5++#8) }
{ v1:0.w += vmpy(v17.h,v19.h); v17 = vand(v22,v16); v19 = vmem(r4++#1); r15:14 = memd(r5++#8) }
{ v18.w += vrmpy(v22.ub,r8.b); v23.w += vrmpy(v20.ub,r11.b); v20 = vand(v19,v16); v22 = vmem(r4++#1) }
{ v18.w += vrmpy(v19.ub,r9.b); v23.w += vrmpy(v17.ub,r8.b); v17 = vand(v22,v16); v19 = vmem(r4++#1) }
{ v18.w += vrmpy(v22.ub,r12.b); v23.w += vrmpy(v20.ub,r9.b); v20 = vand(v19,v16); v22 = vmem(r4++#1) }
{ v18.w += vrmpy(v19.ub,r13.b); v23.w += vrmpy(v17.ub,r12.b); v17 = vand(v22,v16); v19 = vmem(r4++#1) }
{ v18.w += vrmpy(v22.ub,r14.b); v23.w += vrmpy(v20.ub,r13.b); v20 = vand(v19,v16); v22 = vmem(r4++#1) }
{ v18.w += vrmpy(v19.ub,r15.b); v23.w += vrmpy(v17.ub,r14.b); r9:8 = memd(r6++#8); v17.w = vsub(v21.w,v24.w) }
{ if (p0) r4 = add(r4,r2); p0 = not(p0); v23.w += vrmpy(v20.ub,r15.b); r11:10 = memd(r6++#8) }:endloop0
{ v19.w = vasr(v17.w,r1); v25.h = vmpy(v25.h,r8.h):<<1:rnd:sat }
{ v20.w = vsub(v18.w,v23.w); v26.h = vmpy(v22.h,r10.h):<<1:rnd:sat }
{ v24.h = vasr(v19.w,v24.w,r0):rnd:sat }
{ v27.w = vasr(v20.w,r1) }
{ v1:0.w += vmpy(v24.h,v25.h); v23.h = vasr(v27.w,v23.w,r0) }
{ v1:0.w += vmpy(v23.h,v26.h) }
{ v8.w += vasr(v0.w,r3) }
{ v9.w += vasr(v1.w,r3) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16) }
{ r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32) }
{ r27:26 = memd(r29+#40) }
{ dealloc_return }
.size hvx_sum_q4_k_tile, .-hvx_sum_q4_k_tile

// 160 packets (160 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q4_k_rows
.hidden hvx_sum_q4_k_rows
.type hvx_sum_q4_k_rows,@function
hvx_sum_q4_k_rows:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); p0 = cmp.gt(r28,r28) }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##252645135 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_q4_k_rows,r30); v8 = vmem(r31+#0); memw(r29+#48) = r31 }
{ v9 = vmem(r31+#1); r0 = ##1; r4 = memw(r28+#0) }
{ v10 = vmem(r31+#2); r1 = ##4; r5 = memw(r28+#16) }
{ v11 = vmem(r31+#3); r2 = ##640; r6 = memw(r28+#20) }
{ v12 = vmem(r31+#4); r7 = memw(r28+#24) }
{ v13 = vmem(r31+#5); r8 = memw(r28+#28) }
{ v14 = vmem(r31+#6); r9 = memw(r28+#32) }
{ v15 = vmem(r31+#7); r10 = memw(r28+#36) }
{ r11 = memw(r28+#40); r12 = memw(r28+#44) }
{ r3 = memw(r28+#52) }
{ v17 = vmem(r4++#1) }
{ v18 = vand(v17,v16) }
{ r15:14 = memd(r5++#8); v17.ub = vlsr(v17.ub,r1); v19 = vmem(r4++#1) }
{ r17:16 = memd(r6++#8) }
{ r19:18 = memd(r8++#8); v21.w = vrmpy(v18.ub,r14.b); v20.w = vrmpy(v17.ub,r14.b); v22.ub = vlsr(v19.ub,r1) }
{ r21:20 = memd(r7++#8); v24.w = vrmpy(v18.ub,r16.b); v23.w = vrmpy(v17.ub,r16.b); v25 = vmem(r4++#1) }
{ v26.w = vrmpy(v18.ub,r18.b); v19.w = vrmpy(v17.ub,r18.b); v27 = vand(v19,v16) }
{ v18.w = vrmpy(v18.ub,r20.b); v17.w = vrmpy(v17.ub,r20.b); v28.ub = vlsr(v25.ub,r1); v29 = vmem(r4++#1) }
{ v21.w += vrmpy(v27.ub,r15.b); v20.w += vrmpy(v22.ub,r15.b) }
{ v24.w += vrmpy(v27.ub,r17.b); v23.w += vrmpy(v22.ub,r17.b); r15:14 = memd(r6++#8); v30.ub = vlsr(v29.ub,r1) }
{ v18.w += vrmpy(v27.ub,r21.b); v17.w += vrmpy(v22.ub,r21.b); r17:16 = memd(r5++#8); v25 = vand(v25,v16) }
{ v26.w += vrmpy(v27.ub,r19.b); v19.w += vrmpy(v22.ub,r19.b); r19:18 = memd(r7++#8); r21:20 = memd(r8++#8) }
{ v21.w += vrmpy(v25.ub,r16.b); v20.w += vrmpy(v28.ub,r16.b); v22 = vmem(r4++#1) }
{ v24.w += vrmpy(v25.ub,r14.b); v23.w += vrmpy(v28.ub,r14.b); v27 = vand(v29,v16) }
{ v26.w += vrmpy(v25.ub,r20.b); v19.w += vrmpy(v28.ub,r20.b); v29.ub = vlsr(v22.ub,r1); v31 = vmem(r4++#1) }
{ v18.w += vrmpy(v25.ub,r18.b); v17.w += vrmpy(v28.ub,r18.b) }
{ v24.w += vrmpy(v27.ub,r15.b); v23.w += vrmpy(v30.ub,r15.b); v25.ub = vlsr(v31.ub,r1) }
{ v21.w += vrmpy(v27.ub,r17.b); v20.w += vrmpy(v30.ub,r17.b) }
{ v26.w += vrmpy(v27.ub,r21.b); v19.w += vrmpy(v30.ub,r21.b); r15:14 = memd(r5++#8); v22 = vand(v22,v16) }
{ v18.w += vrmpy(v27.ub,r19.b); v17.w += vrmpy(v30.ub,r19.b); r17:16 = memd(r7++#8); v27 = vmem(r4++#1) }
{ r19:18 = memd(r8++#8); v21.w += vrmpy(v22.ub,r14.b); v20.w += vrmpy(v29.ub,r14.b) }
{ r21:20 = memd(r6++#8); v18.w += vrmpy(v22.ub,r16.b); v17.w += vrmpy(v29.ub,r16.b); v28.ub = vlsr(v27.ub,r1) }
{ v26.w += vrmpy(v22.ub,r18.b); v19.w += vrmpy(v29.ub,r18.b); v30 = vand(v31,v16); v31 = vmem(r4++#1) }
{ v24.w += vrmpy(v22.ub,r20.b); v23.w += vrmpy(v29.ub,r20.b) }
{ v21.w += vrmpy(v30.ub,r15.b); v20.w += vrmpy(v25.ub,r15.b); v22.ub = vlsr(v31.ub,r1) }
{ v18.w += vrmpy(v30.ub,r17.b); v17.w += vrmpy(v25.ub,r17.b) }
{ v24.w += vrmpy(v30.ub,r21.b); v23.w += vrmpy(v25.ub,r21.b); r15:14 = memd(r5++#8); v27 = vand(v27,v16) }
{ v26.w += vrmpy(v30.ub,r19.b); v19.w += vrmpy(v25.ub,r19.b); r17:16 = memd(r7++#8) }
{ r19:18 = memd(r6++#8); v21.w += vrmpy(v27.ub,r14.b); v20.w += vrmpy(v28.ub,r14.b) }
{ r21:20 = memd(r8++#8); v18.w += vrmpy(v27.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b) }
{ v24.w += vrmpy(v27.ub,r18.b); v23.w += vrmpy(v28.ub,r18.b); v25 = vand(v31,v16) }
{ v26.w += vrmpy(v27.ub,r20.b); v19.w += vrmpy(v28.ub,r20.b) }
{ v21.w += vrmpy(v25.ub,r15.b); v20.w += vrmpy(v22.ub,r15.b) }
{ v18.w += vrmpy(v25.ub,r17.b); v17.w += vrmpy(v22.ub,r17.b); r15:14 = memd(r9++#8) }
{ v24.w += vrmpy(v25.ub,r19.b); v23.w += vrmpy(v22.ub,r19.b); v21 = vmem(r4++#1); v20.h = vasr(v20.w,v21.w,r0):rnd:sat }
{ v26.w += vrmpy(v25.ub,r21.b); v19.w += vrmpy(v22.ub,r21.b); r17:16 = memd(r11++#8); v17.h = vasr(v17.w,v18.w,r0):rnd:sat }
{ v18.h = vasr(v23.w,v24.w,r0):rnd:sat; v22.h = vmpy(v21.h,r14.h):<<1:rnd:sat }
{ r15:14 = memd(r10++#8); v19.h = vasr(v19.w,v26.w,r0):rnd:sat; v23.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v24 = vmem(r4++#1) }
{ v1:0.w = vmpy(v20.h,v22.h); v20 = vmem(r4++#1) }
{ v22.h = vmpy(v21.h,r14.h):<<1:rnd:sat; v25.ub = vlsr(v24.ub,r1) }
{ r15:14 = memd(r12++#8); v5:4.w = vmpy(v17.h,v23.h); v17.ub = vlsr(v20.ub,r1) }
{ v3:2.w = vmpy(v18.h,v22.h); r17:16 = memd(r5++#8); v18 = vand(v24,v16) }
{ v21.h = vmpy(v21.h,r14.h):<<1:rnd:sat }
{ r15:14 = memd(r6++#8); v23.w = vrmpy(v18.ub,r16.b); v22.w = vrmpy(v25.ub,r16.b); v24 = vmem(r4++#1) }
{ v7:6.w = vmpy(v19.h,v21.h); r19:18 = memd(r7++#8); r21:20 = memd(r8++#8) }
{ v21.w = vrmpy(v18.ub,r14.b); v19.w = vrmpy(v25.ub,r14.b); v26.ub = vlsr(v24.ub,r1); v27 = vmem(r4++#1) }
{ v28.w = vrmpy(v18.ub,r20.b); v20.w = vrmpy(v25.ub,r20.b); v29 = vand(v20,v16) }
{ v25.w = vrmpy(v18.ub,r18.b); v18.w = vrmpy(v25.ub,r18.b); v30.ub = vlsr(v27.ub,r1) }
{ v23.w += vrmpy(v29.ub,r17.b); v22.w += vrmpy(v17.ub,r17.b) }
{ v21.w += vrmpy(v29.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b) }
{ v28.w += vrmpy(v29.ub,r21.b); v20.w += vrmpy(v17.ub,r21.b); r15:14 = memd(r5++#8); v24 = vand(v24,v16) }
{ v25.w += vrmpy(v29.ub,r19.b); v18.w += vrmpy(v17.ub,r19.b); r17:16 = memd(r6++#8) }
{ r19:18 = memd(r7++#8); v23.w += vrmpy(v24.ub,r14.b); v22.w += vrmpy(v26.ub,r14.b); v17 = vmem(r4++#1) }
{ r21:20 = memd(r8++#8); v21.w += vrmpy(v24.ub,r16.b); v19.w += vrmpy(v26.ub,r16.b); v27 = vand(v27,v16) }
{ v25.w += vrmpy(v24.ub,r18.b); v18.w += vrmpy(v26.ub,r18.b); v29.ub = vlsr(v17.ub,r1); v31 = vmem(r4++#1) }
{ v28.w += vrmpy(v24.ub,r20.b); v20.w += vrmpy(v26.ub,r20.b) }
{ v28.w += vrmpy(v27.ub,r21.b); v20.w += vrmpy(v30.ub,r21.b); v24.ub = vlsr(v31.ub,r1) }
{ v23.w += vrmpy(v27.ub,r15.b); v22.w += vrmpy(v30.ub,r15.b) }
{ v21.w += vrmpy(v27.ub,r17.b); v19.w += vrmpy(v30.ub,r17.b); r15:14 = memd(r6++#8); v17 = vand(v17,v16) }
{ v25.w += vrmpy(v27.ub,r19.b); v18.w += vrmpy(v30.ub,r19.b); r17:16 = memd(r5++#8) }
{ r19:18 = memd(r7++#8); v21.w += vrmpy(v17.ub,r14.b); v19.w += vrmpy(v29.ub,r14.b); v26 = vmem(r4++#1) }
{ r21:20 = memd(r8++#8); v23.w += vrmpy(v17.ub,r16.b); v22.w += vrmpy(v29.ub,r16.b); v27 = vmem(r4++#1) }
{ v25.w += vrmpy(v17.ub,r18.b); v18.w += vrmpy(v29.ub,r18.b); v31 = vand(v31,v16); v30.ub = vlsr(v26.ub,r1) }
{ v28.w += vrmpy(v17.ub,r20.b); v20.w += vrmpy(v29.ub,r20.b); v17.ub = vlsr(v27.ub,r1) }
{ v23.w += vrmpy(v31.ub,r17.b); v22.w += vrmpy(v24.ub,r17.b) }
{ v21.w += vrmpy(v31.ub,r15.b); v19.w += vrmpy(v24.ub,r15.b) }
{ v28.w += vrmpy(v31.ub,r21.b); v20.w += vrmpy(v24.ub,r21.b); r15:14 = memd(r5++#8); v26 = vand(v26,v16) }
{ v25.w += vrmpy(v31.ub,r19.b); v18.w += vrmpy(v24.ub,r19.b); r17:16 = memd(r8++#8) }
{ r19:18 = memd(r6++#8); v23.w += vrmpy(v26.ub,r14.b); v22.w += vrmpy(v30.ub,r14.b) }
{ r21:20 = memd(r7++#8); v28.w += vrmpy(v26.ub,r16.b); v20.w += vrmpy(v30.ub,r16.b) }
{ v21.w += vrmpy(v26.ub,r18.b); v19.w += vrmpy(v30.ub,r18.b); v24 = vand(v27,v16) }
{ v25.w += vrmpy(v26.ub,r20.b); v18.w += vrmpy(v30.ub,r20.b) }
{ v23.w += vrmpy(v24.ub,r15.b); v22.w += vrmpy(v17.ub,r15.b) }
{ v21.w += vrmpy(v24.ub,r19.b); v19.w += vrmpy(v17.ub,r19.b); v26 = vmem(r4++#1) }
{ v25.w += vrmpy(v24.ub,r21.b); v18.w += vrmpy(v17.ub,r21.b); r15:14 = memd(r9++#8); v22.h = vasr(v22.w,v23.w,r0) }
{ v28.w += vrmpy(v24.ub,r17.b); v20.w += vrmpy(v17.ub,r17.b); r17:16 = memd(r10++#8); v17.h = vasr(v19.w,v21.w,r0) }
{ v18.h = vasr(v18.w,v25.w,r0); v19.h = vmpy(v26.h,r14.h):<<1:rnd:sat; v21 = vmem(r4++#1) }
{ v20.h = vasr(v20.w,v28.w,r0); v23.h = vmpy(v26.h,r16.h):<<1:rnd:sat }
{ r15:14 = memd(r11++#8); v1:0.w += vmpy(v22.h,v19.h); v19.ub = vlsr(v21.ub,r1); v22 = vmem(r4++#1) }
{ r17:16 = memd(r12++#8); v3:2.w += vmpy(v17.h,v23.h) }
{ v17.h = vmpy(v26.h,r14.h):<<1:rnd:sat; v23.ub = vlsr(v22.ub,r1) }
{ v24.h = vmpy(v26.h,r16.h):<<1:rnd:sat }
{ v5:4.w += vmpy(v18.h,v17.h); r15:14 = memd(r5++#8); v17 = vand(v21,v16) }
{ v7:6.w += vmpy(v20.h,v24.h); r17:16 = memd(r6++#8); v18 = vmem(r4++#1) }
{ r19:18 = memd(r7++#8); v21.w = vrmpy(v17.ub,r14.b); v20.w = vrmpy(v19.ub,r14.b) }
{ r21:20 = memd(r8++#8); v25.w = vrmpy(v17.ub,r16.b); v24.w = vrmpy(v19.ub,r16.b); v26.ub = vlsr(v18.ub,r1) }
{ v27.w = vrmpy(v17.ub,r18.b); v22.w = vrmpy(v19.ub,r18.b); v28 = vand(v22,v16); v29 = vmem(r4++#1) }
{ v19.w = vrmpy(v17.ub,r20.b); v17.w = vrmpy(v19.ub,r20.b) }
{ v21.w += vrmpy(v28.ub,r15.b); v20.w += vrmpy(v23.ub,r15.b); v30.ub = vlsr(v29.ub,r1) }
{ v27.w += vrmpy(v28.ub,r19.b); v22.w += vrmpy(v23.ub,r19.b); r15:14 = memd(r6++#8) }
{ v25.w += vrmpy(v28.ub,r17.b); v24.w += vrmpy(v23.ub,r17.b); v18 = vand(v18,v16); v31 = vmem(r4++#1) }
{ v19.w += vrmpy(v28.ub,r21.b); v17.w += vrmpy(v23.ub,r21.b); r17:16 = memd(r5++#8); r19:18 = memd(r8++#8) }
{ v25.w += vrmpy(v18.ub,r14.b); v24.w += vrmpy(v26.ub,r14.b); v28 = vand(v31,v16); v23.ub = vlsr(v31.ub,r1) }
{ r21:20 = memd(r7++#8); v21.w += vrmpy(v18.ub,r16.b); v20.w += vrmpy(v26.ub,r16.b) }
{ v19.w += vrmpy(v18.ub,r18.b); v17.w += vrmpy(v26.ub,r18.b); v29 = vand(v29,v16); v31 = vmem(r4++#1) }
{ v27.w += vrmpy(v18.ub,r20.b); v22.w += vrmpy(v26.ub,r20.b) }
{ v21.w += vrmpy(v29.ub,r17.b); v20.w += vrmpy(v30.ub,r17.b); v18.ub = vlsr(v31.ub,r1) }
{ v27.w += vrmpy(v29.ub,r21.b); v22.w += vrmpy(v30.ub,r21.b) }
{ v25.w += vrmpy(v29.ub,r15.b); v24.w += vrmpy(v30.ub,r15.b); r15:14 = memd(r5++#8) }
{ v19.w += vrmpy(v29.ub,r19.b); v17.w += vrmpy(v30.ub,r19.b); r17:16 = memd(r6++#8) }
{ r19:18 = memd(r8++#8); v21.w += vrmpy(v28.ub,r14.b); v20.w += vrmpy(v23.ub,r14.b); v26 = vmem(r4++#1) }
{ r21:20 = memd(r7++#8); v25.w += vrmpy(v28.ub,r16.b); v24.w += vrmpy(v23.ub,r16.b); v29 = vand(v31,v16) }
{ v19.w += vrmpy(v28.ub,r18.b); v17.w += vrmpy(v23.ub,r18.b); v30.ub = vlsr(v26.ub,r1); v31 = vmem(r4++#1) }
{ v27.w += vrmpy(v28.ub,r20.b); v22.w += vrmpy(v23.ub,r20.b) }
{ v25.w += vrmpy(v29.ub,r17.b); v24.w += vrmpy(v18.ub,r17.b); v23.ub = vlsr(v31.ub,r1) }
{ v21.w += vrmpy(v29.ub,r15.b); v20.w += vrmpy(v18.ub,r15.b) }
{ v27.w += vrmpy(v29.ub,r21.b); v22.w += vrmpy(v18.ub,r21.b); r15:14 = memd(r5++#8); v26 = vand(v26,v16) }
{ v19.w += vrmpy(v29.ub,r19.b); v17.w += vrmpy(v18.ub,r19.b); r17:16 = memd(r7++#8) }
{ r19:18 = memd(r8++#8); v21.w += vrmpy(v26.ub,r14.b); v20.w += vrmpy(v30.ub,r14.b) }
{ r21:20 = memd(r6++#8); v27.w += vrmpy(v26.ub,r16.b); v22.w += vrmpy(v30.ub,r16.b) }
{ v19.w += vrmpy(v26.ub,r18.b); v17.w += vrmpy(v30.ub,r18.b); v18 = vand(v31,v16) }
{ v25.w += vrmpy(v26.ub,r20.b); v24.w += vrmpy(v30.ub,r20.b) }
{ v27.w += vrmpy(v18.ub,r17.b); v22.w += vrmpy(v23.ub,r17.b) }
{ v25.w += vrmpy(v18.ub,r21.b); v24.w += vrmpy(v23.ub,r21.b); r17:16 = memd(r9++#8) }
{ v21.w += vrmpy(v18.ub,r15.b); v20.w += vrmpy(v23.ub,r15.b); v26 = vmem(r4++#1); v22.h = vasr(v22.w,v27.w,r0):rnd:sat }
{ v19.w += vrmpy(v18.ub,r19.b); v17.w += vrmpy(v23.ub,r19.b); r15:14 = memd(r10++#8); v18.h = vasr(v24.w,v25.w,r0):rnd:sat }
{ r17:16 = memd(r11++#8); v20.h = vasr(v20.w,v21.w,r0):rnd:sat; v21.h = vmpy(v26.h,r16.h):<<1:rnd:sat }
{ v17.h = vasr(v17.w,v19.w,r0):rnd:sat; v19.h = vmpy(v26.h,r14.h):<<1:rnd:sat; v23 = vmem(r4++#1) }
{ v24.h = vmpy(v26.h,r16.h):<<1:rnd:sat; v25 = vmem(r4++#1) }
{ v3:2.w += vmpy(v18.h,v19.h); v18.ub = vlsr(v23.ub,r1) }
{ r15:14 = memd(r12++#8); v1:0.w += vmpy(v20.h,v21.h); v19.ub = vlsr(v25.ub,r1) }
{ v5:4.w += vmpy(v22.h,v24.h); r17:16 = memd(r5++#8); v20 = vand(v23,v16) }
{ v21.h = vmpy(v26.h,r14.h):<<1:rnd:sat }
{ r15:14 = memd(r6++#8); v23.w = vrmpy(v20.ub,r16.b); v22.w = vrmpy(v18.ub,r16.b); v24 = vmem(r4++#1) }
{ v7:6.w += vmpy(v17.h,v21.h); r19:18 = memd(r8++#8); v17 = vmem(r4++#1) }
{ r21:20 = memd(r7++#8); v26.w = vrmpy(v20.ub,r14.b); v21.w = vrmpy(v18.ub,r14.b); v27.ub = vlsr(v24.ub,r1) }
{ v28.w = vrmpy(v20.ub,r18.b); v25.w = vrmpy(v18.ub,r18.b); v30 = vand(v25,v16); v29.ub = vlsr(v17.ub,r1) }
{ v20.w = vrmpy(v20.ub,r20.b); v18.w = vrmpy(v18.ub,r20.b) }
{ v23.w += vrmpy(v30.ub,r17.b); v22.w += vrmpy(v19.ub,r17.b) }
{ v20.w += vrmpy(v30.ub,r21.b); v18.w += vrmpy(v19.ub,r21.b) }
{ v26.w += vrmpy(v30.ub,r15.b); v21.w += vrmpy(v19.ub,r15.b); r15:14 = memd(r5++#8); v24 = vand(v24,v16) }
{ v28.w += vrmpy(v30.ub,r19.b); v25.w += vrmpy(v19.ub,r19.b); r17:16 = memd(r6++#8); v19 = vmem(r4++#1) }
{ r19:18 = memd(r8++#8); v23.w += vrmpy(v24.ub,r14.b); v22.w += vrmpy(v27.ub,r14.b) }
{ r21:20 = memd(r7++#8); v26.w += vrmpy(v24.ub,r16.b); v21.w += vrmpy(v27.ub,r16.b); v30.ub = vlsr(v19.ub,r1) }
{ v28.w += vrmpy(v24.ub,r18.b); v25.w += vrmpy(v27.ub,r18.b); v17 = vand(v17,v16); v31 = vmem(r4++#1) }
{ v20.w += vrmpy(v24.ub,r20.b); v18.w += vrmpy(v27.ub,r20.b) }
{ v23.w += vrmpy(v17.ub,r15.b); v22.w += vrmpy(v29.ub,r15.b); v24.ub = vlsr(v31.ub,r1) }
{ v26.w += vrmpy(v17.ub,r17.b); v21.w += vrmpy(v29.ub,r17.b) }
{ v20.w += vrmpy(v17.ub,r21.b); v18.w += vrmpy(v29.ub,r21.b); r15:14 = memd(r6++#8); v19 = vand(v19,v16) }
{ v28.w += vrmpy(v17.ub,r19.b); v25.w += vrmpy(v29.ub,r19.b); r17:16 = memd(r5++#8) }
{ r19:18 = memd(r8++#8); v26.w += vrmpy(v19.ub,r14.b); v21.w += vrmpy(v30.ub,r14.b); v17 = vmem(r4++#1) }
{ r21:20 = memd(r7++#8); v23.w += vrmpy(v19.ub,r16.b); v22.w += vrmpy(v30.ub,r16.b); v27 = vand(v31,v16) }
{ v28.w += vrmpy(v19.ub,r18.b); v25.w += vrmpy(v30.ub,r18.b); v29.ub = vlsr(v17.ub,r1); v31 = vmem(r4++#1) }
{ v20.w += vrmpy(v19.ub,r20.b); v18.w += vrmpy(v30.ub,r20.b) }
{ v23.w += vrmpy(v27.ub,r17.b); v22.w += vrmpy(v24.ub,r17.b); v19.ub = vlsr(v31.ub,r1) }
{ v20.w += vrmpy(v27.ub,r21.b); v18.w += vrmpy(v24.ub,r21.b) }
{ v26.w += vrmpy(v27.ub,r15.b); v21.w += vrmpy(v24.ub,r15.b); r15:14 = memd(r5++#8); v17 = vand(v17,v16) }
{ v28.w += vrmpy(v27.ub,r19.b); v25.w += vrmpy(v24.ub,r19.b); r17:16 = memd(r6++#8) }
{ r19:18 = memd(r8++#8); v23.w += vrmpy(v17.ub,r14.b); v22.w += vrmpy(v29.ub,r14.b) }
{ r21:20 = memd(r7++#8); v26.w += vrmpy(v17.ub,r16.b); v21.w += vrmpy(v29.ub,r16.b) }
{ v28.w += vrmpy(v17.ub,r18.b); v25.w += vrmpy(v29.ub,r18.b); v24 = vand(v31,v16) }
{ v20.w += vrmpy(v17.ub,r20.b); v18.w += vrmpy(v29.ub,r20.b) }
{ v23.w += vrmpy(v24.ub,r15.b); v22.w += vrmpy(v19.ub,r15.b) }
{ v20.w += vrmpy(v24.ub,r21.b); v18.w += vrmpy(v19.ub,r21.b); v27 = vmem(r4++#1) }
{ v26.w += vrmpy(v24.ub,r17.b); v21.w += vrmpy(v19.ub,r17.b); r15:14 = memd(r9++#8); v17.h = vasr(v22.w,v23.w,r0) }
{ v28.w += vrmpy(v24.ub,r19.b); v25.w += vrmpy(v19.ub,r19.b); r17:16 = memd(r10++#8); v19.h = vasr(v18.w,v20.w,r0) }
{ if (p0) r4 = add(r4,r2); p0 = not(p0); v18.h = vmpy(v27.h,r14.h):<<1:rnd:sat }
{ v20.h = vasr(v21.w,v26.w,r0); v21.h = vmpy(v27.h,r16.h):<<1:rnd:sat }
{ r15:14 = memd(r11++#8); r17:16 = memd(r12++#8); v22.h = vasr(v25.w,v28.w,r0); v1:0.w += vmpy(v17.h,v18.h) }
.Lhvx_sum_q4_k_rows:
{ v3:2.w += vmpy(v20.h,v21.h) }
{ v17 = vmem(r4++#1); v8.w += vasr(v0.w,r3); v20.h = vmpy(v27.h,r14.h):<<1:rnd:sat }
{ v18 = vand(v17,v16); v9.w += vasr(v1.w,r3); v21.h = vmpy(v27.h,r16.h):<<1:rnd:sat }
{ r15:14 = memd(r5++#8); v17.ub = vlsr(v17.ub,r1); v19 = vmem(r4++#1); v5:4.w += vmpy(v19.h,v20.h) }
{ r17:16 = memd(r6++#8); v10.w += vasr(v2.w,r3); v7:6.w += vmpy(v22.h,v21.h) }
{ r19:18 = memd(r8++#8); v21.w = vrmpy(v18.ub,r14.b); v20.w = vrmpy(v17.ub,r14.b); v22.ub = vlsr(v19.ub,r1) }
{ r21:20 = memd(r7++#8); v24.w = vrmpy(v18.ub,r16.b); v23.w = vrmpy(v17.ub,r16.b); v25 = vmem(r4++#1) }
{ v26.w = vrmpy(v18.ub,r18.b); v19.w = vrmpy(v17.ub,r18.b); v27 = vand(v19,v16) }
{ v18.w = vrmpy(v18.ub,r20.b); v17.w = vrmpy(v17.ub,r20.b); v28.ub = vlsr(v25.ub,r1); v29 = vmem(r4++#1) }
{ v21.w += vrmpy(v27.ub,r15.b); v20.w += vrmpy(v22.ub,r15.b); v11.w += vasr(v3.w,r3) }
{ v24.w += vrmpy(v27.ub,r17.b); v23.w += vrmpy(v22.ub,r17.b); r15:14 = memd(r6++#8); v30.ub = vlsr(v29.ub,r1) }
{ v18.w += vrmpy(v27.ub,r21.b); v17.w += vrmpy(v22.ub,r21.b); r17:16 = memd(r5++#8); v25 = vand(v25,v16) }
{ v26.w += vrmpy(v27.ub,r19.b); v19.w += vrmpy(v22.ub,r19.b); r19:18 = memd(r7++#8); r21:20 = memd(r8++#8) }
{ v21.w += vrmpy(v25.ub,r16.b); v20.w += vrmpy(v28.ub,r16.b); v22 = vmem(r4++#1); v13.w += vasr(v5.w,r3) }
{ v24.w += vrmpy(v25.ub,r14.b); v23.w += vrmpy(v28.ub,r14.b); v27 = vand(v29,v16); v12.w += vasr(v4.w,r3) }
{ v26.w += vrmpy(v25.ub,r20.b); v19.w += vrmpy(v28.ub,r20.b); v29.ub = vlsr(v22.ub,r1); v31 = vmem(r4++#1) }
{ v18.w += vrmpy(v25.ub,r18.b); v17.w += vrmpy(v28.ub,r18.b); v14.w += vasr(v6.w,r3) }
{ v24.w += vrmpy(v27.ub,r15.b); v23.w += vrmpy(v30.ub,r15.b); v25.ub = vlsr(v31.ub,r1) }
{ v21.w += vrmpy(v27.ub,r17.b); v20.w += vrmpy(v30.ub,r17.b); v15.w += vasr(v7.w,r3) }
{ v26.w += vrmpy(v27.ub,r21.b); v19.w += vrmpy(v30.ub,r21.b); r15:14 = memd(r5++#8); v22 = vand(v22,v16) }
{ v18.w += vrmpy(v27.ub,r19.b); v17.w += vrmpy(v30.ub,r19.b); r17:16 = memd(r7++#8); v27 = vmem(r4++#1) }
{ r19:18 = memd(r8++#8); v21.w += vrmpy(v22.ub,r14.b); v20.w += vrmpy(v29.ub,r14.b) }
{ r21:20 = memd(r6++#8); v18.w += vrmpy(v22.ub,r16.b); v17.w += vrmpy(v29.ub,r16.b); v28.ub = vlsr(v27.ub,r1) }
{ v26.w += vrmpy(v22.ub,r18.b); v19.w += vrmpy(v29.ub,r18.b); v30 = vand(v31,v16); v31 = vmem(r4++#1) }
{ v24.w += vrmpy(v22.ub,r20.b); v23.w += vrmpy(v29.ub,r20.b) }
{ v21.w += vrmpy(v30.ub,r15.b); v20.w += vrmpy(v25.ub,r15.b); v22.ub = vlsr(v31.ub,r1) }
{ v18.w += vrmpy(v30.ub,r17.b); v17.w += vrmpy(v25.ub,r17.b) }
{ v24.w += vrmpy(v30.ub,r21.b); v23.w += vrmpy(v25.ub,r21.b); r15:14 = memd(r5++#8); v27 = vand(v27,v16) }
{ v26.w += vrmpy(v30.ub,r19.b); v19.w += vrmpy(v25.ub,r19.b); r17:16 = memd(r7++#8) }
{ r19:18 = memd(r6++#8); v21.w += vrmpy(v27.ub,r14.b); v20.w += vrmpy(v28.ub,r14.b) }
{ r21:20 = memd(r8++#8); v18.w += vrmpy(v27.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b) }
{ v24.w += vrmpy(v27.ub,r18.b); v23.w += vrmpy(v28.ub,r18.b); v25 = vand(v31,v16) }
{ v26.w += vrmpy(v27.ub,r20.b); v19.w += vrmpy(v28.ub,r20.b) }
{ v21.w += vrmpy(v25.ub,r15.b); v20.w += vrmpy(v22.ub,r15.b) }
{ v18.w += vrmpy(v25.ub,r17.b); v17.w += vrmpy(v22.ub,r17.b); r15:14 = memd(r9++#8) }
{ v24.w += vrmpy(v25.ub,r19.b); v23.w += vrmpy(v22.ub,r19.b); v21 = vmem(r4++#1); v20.h = vasr(v20.w,v21.w,r0):rnd:sat }
{ v26.w += vrmpy(v25.ub,r21.b); v19.w += vrmpy(v22.ub,r21.b); r17:16 = memd(r11++#8); v17.h = vasr(v17.w,v18.w,r0):rnd:sat }
{ v18.h = vasr(v23.w,v24.w,r0):rnd:sat; v22.h = vmpy(v21.h,r14.h):<<1:rnd:sat }
{ r15:14 = memd(r10++#8); v19.h = vasr(v19.w,v26.w,r0):rnd:sat; v23.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v24 = vmem(r4++#1) }
{ v1:0.w = vmpy(v20.h,v22.h); v20 = vmem(r4++#1) }
{ v22.h = vmpy(v21.h,r14.h):<<1:rnd:sat; v25.ub = vlsr(v24.ub,r1) }
{ r15:14 = memd(r12++#8); v5:4.w = vmpy(v17.h,v23.h); v17.ub = vlsr(v20.ub,r1) }
{ v3:2.w = vmpy(v18.h,v22.h); r17:16 = memd(r5++#8); v18 = vand(v24,v16) }
{ v21.h = vmpy(v21.h,r14.h):<<1:rnd:sat }
{ r15:14 = memd(r6++#8); v23.w = vrmpy(v18.ub,r16.b); v22.w = vrmpy(v25.ub,r16.b); v24 = vmem(r4++#1) }
{ v7:6.w = vmpy(v19.h,v21.h); r19:18 = memd(r7++#8); r21:20 = memd(r8++#8) }
{ v21.w = vrmpy(v18.ub,r14.b); v19.w = vrmpy(v25.ub,r14.b); v26.ub = vlsr(v24.ub,r1); v27 = vmem(r4++#1) }
{ v28.w = vrmpy(v18.ub,r20.b); v20.w = vrmpy(v25.ub,r20.b); v29 = vand(v20,v16) }
{ v25.w = vrmpy(v18.ub,r18.b); v18.w = vrmpy(v25.ub,r18.b); v30.ub = vlsr(v27.ub,r1) }
{ v23.w += vrmpy(v29.ub,r17.b); v22.w += vrmpy(v17.ub,r17.b) }
{ v21.w += vrmpy(v29.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b) }
{ v28.w += vrmpy(v29.ub,r21.b); v20.w += vrmpy(v17.ub,r21.b); r15:14 = memd(r5++#8); v24 = vand(v24,v16) }
{ v25.w += vrmpy(v29.ub,r19.b); v18.w += vrmpy(v17.ub,r19.b); r17:16 = memd(r6++#8) }
{ r19:18 = memd(r7++#8); v23.w += vrmpy(v24.ub,r14.b); v22.w += vrmpy(v26.ub,r14.b); v17 = vmem(r4++#1) }
{ r21:20 = memd(r8++#8); v21.w += vrmpy(v24.ub,r16.b); v19.w += vrmpy(v26.ub,r16.b); v27 = vand(v27,v16) }
{ v25.w += vrmpy(v24.ub,r18.b); v18.w += vrmpy(v26.ub,r18.b); v29.ub = vlsr(v17.ub,r1); v31 = vmem(r4++#1) }
{ v28.w += vrmpy(v24.ub,r20.b); v20.w += vrmpy(v26.ub,r20.b) }
{ v28.w += vrmpy(v27.ub,r21.b); v20.w += vrmpy(v30.ub,r21.b); v24.ub = vlsr(v31.ub,r1) }
{ v23.w += vrmpy(v27.ub,r15.b); v22.w += vrmpy(v30.ub,r15.b) }
{ v21.w += vrmpy(v27.ub,r17.b); v19.w += vrmpy(v30.ub,r17.b); r15:14 = memd(r6++#8); v17 = vand(v17,v16) }
{ v25.w += vrmpy(v27.ub,r19.b); v18.w += vrmpy(v30.ub,r19.b); r17:16 = memd(r5++#8) }
{ r19:18 = memd(r7++#8); v21.w += vrmpy(v17.ub,r14.b); v19.w += vrmpy(v29.ub,r14.b); v26 = vmem(r4++#1) }
{ r21:20 = memd(r8++#8); v23.w += vrmpy(v17.ub,r16.b); v22.w += vrmpy(v29.ub,r16.b); v27 = vmem(r4++#1) }
{ v25.w += vrmpy(v17.ub,r18.b); v18.w += vrmpy(v29.ub,r18.b); v31 = vand(v31,v16); v30.ub = vlsr(v26.ub,r1) }
{ v28.w += vrmpy(v17.ub,r20.b); v20.w += vrmpy(v29.ub,r20.b); v17.ub = vlsr(v27.ub,r1) }
{ v23.w += vrmpy(v31.ub,r17.b); v22.w += vrmpy(v24.ub,r17.b) }
{ v21.w += vrmpy(v31.ub,r15.b); v19.w += vrmpy(v24.ub,r15.b) }
{ v28.w += vrmpy(v31.ub,r21.b); v20.w += vrmpy(v24.ub,r21.b); r15:14 = memd(r5++#8); v26 = vand(v26,v16) }
{ v25.w += vrmpy(v31.ub,r19.b); v18.w += vrmpy(v24.ub,r19.b); r17:16 = memd(r8++#8) }
{ r19:18 = memd(r6++#8); v23.w += vrmpy(v26.ub,r14.b); v22.w += vrmpy(v30.ub,r14.b) }
{ r21:20 = memd(r7++#8); v28.w += vrmpy(v26.ub,r16.b); v20.w += vrmpy(v30.ub,r16.b) }
{ v21.w += vrmpy(v26.ub,r18.b); v19.w += vrmpy(v30.ub,r18.b); v24 = vand(v27,v16) }
{ v25.w += vrmpy(v26.ub,r20.b); v18.w += vrmpy(v30.ub,r20.b) }
{ v23.w += vrmpy(v24.ub,r15.b); v22.w += vrmpy(v17.ub,r15.b) }
{ v21.w += vrmpy(v24.ub,r19.b); v19.w += vrmpy(v17.ub,r19.b); v26 = vmem(r4++#1) }
{ v25.w += vrmpy(v24.ub,r21.b); v18.w += vrmpy(v17.ub,r21.b); r15:14 = memd(r9++#8); v22.h = vasr(v22.w,v23.w,r0) }
{ v28.w += vrmpy(v24.ub,r17.b); v20.w += vrmpy(v17.ub,r17.b); r17:16 = memd(r10++#8); v17.h = vasr(v19.w,v21.w,r0) }
{ v18.h = vasr(v18.w,v25.w,r0); v19.h = vmpy(v26.h,r14.h):<<1:rnd:sat; v21 = vmem(r4++#1) }
{ v20.h = vasr(v20.w,v28.w,r0); v23.h = vmpy(v26.h,r16.h):<<1:rnd:sat }
{ r15:14 = memd(r11++#8); v1:0.w += vmpy(v22.h,v19.h); v19.ub = vlsr(v21.ub,r1); v22 = vmem(r4++#1) }
{ r17:16 = memd(r12++#8); v3:2.w += vmpy(v17.h,v23.h) }
{ v17.h = vmpy(v26.h,r14.h):<<1:rnd:sat; v23.ub = vlsr(v22.ub,r1) }
{ v24.h = vmpy(v26.h,r16.h):<<1:rnd:sat }
{ v5:4.w += vmpy(v18.h,v17.h); r15:14 = memd(r5++#8); v17 = vand(v21,v16) }
{ v7:6.w += vmpy(v20.h,v24.h); r17:16 = memd(r6++#8); v18 = vmem(r4++#1) }
{ r19:18 = memd(r7++#8); v21.w = vrmpy(v17.ub,r14.b); v20.w = vrmpy(v19.ub,r14.b) }
{ r21:20 = memd(r8++#8); v25.w = vrmpy(v17.ub,r16.b); v24.w = vrmpy(v19.ub,r16.b); v26.ub = vlsr(v18.ub,r1) }
{ v27.w = vrmpy(v17.ub,r18.b); v22.w = vrmpy(v19.ub,r18.b); v28 = vand(v22,v16); v29 = vmem(r4++#1) }
{ v19.w = vrmpy(v17.ub,r20.b); v17.w = vrmpy(v19.ub,r20.b) }
{ v21.w += vrmpy(v28.ub,r15.b); v20.w += vrmpy(v23.ub,r15.b); v30.ub = vlsr(v29.ub,r1) }
{ v27.w += vrmpy(v28.ub,r19.b); v22.w += vrmpy(v23.ub,r19.b); r15:14 = memd(r6++#8) }
{ v25.w += vrmpy(v28.ub,r17.b); v24.w += vrmpy(v23.ub,r17.b); v18 = vand(v18,v16); v31 = vmem(r4++#1) }
{ v19.w += vrmpy(v28.ub,r21.b); v17.w += vrmpy(v23.ub,r21.b); r17:16 = memd(r5++#8); r19:18 = memd(r8++#8) }
{ v25.w += vrmpy(v18.ub,r14.b); v24.w += vrmpy(v26.ub,r14.b); v28 = vand(v31,v16); v23.ub = vlsr(v31.ub,r1) }
{ r21:20 = memd(r7++#8); v21.w += vrmpy(v18.ub,r16.b); v20.w += vrmpy(v26.ub,r16.b) }
{ v19.w += vrmpy(v18.ub,r18.b); v17.w += vrmpy(v26.ub,r18.b); v29 = vand(v29,v16); v31 = vmem(r4++#1) }
{ v27.w += vrmpy(v18.ub,r20.b); v22.w += vrmpy(v26.ub,r20.b) }
{ v21.w += vrmpy(v29.ub,r17.b); v20.w += vrmpy(v30.ub,r17.b); v18.ub = vlsr(v31.ub,r1) }
{ v27.w += vrmpy(v29.ub,r21.b); v22.w += vrmpy(v30.ub,r21.b) }
{ v25.w += vrmpy(v29.ub,r15.b); v24.w += vrmpy(v30.ub,r15.b); r15:14 = memd(r5++#8) }
{ v19.w += vrmpy(v29.ub,r19.b); v17.w += vrmpy(v30.ub,r19.b); r17:16 = memd(r6++#8) }
{ r19:18 = memd(r8++#8); v21.w += vrmpy(v28.ub,r14.b); v20.w += vrmpy(v23.ub,r14.b); v26 = vmem(r4++#1) }
{ r21:20 = memd(r7++#8); v25.w += vrmpy(v28.ub,r16.b); v24.w += vrmpy(v23.ub,r16.b); v29 = vand(v31,v16) }
{ v19.w += vrmpy(v28.ub,r18.b); v17.w += vrmpy(v23.ub,r18.b); v30.ub = vlsr(v26.ub,r1); v31 = vmem(r4++#1) }
{ v27.w += vrmpy(v28.ub,r20.b); v22.w += vrmpy(v23.ub,r20.b) }
{ v25.w += vrmpy(v29.ub,r17.b); v24.w += vrmpy(v18.ub,r17.b); v23.ub = vlsr(v31.ub,r1) }
{ v21.w += vrmpy(v29.ub,r15.b); v20.w += vrmpy(v18.ub,r15.b) }
{ v27.w += vrmpy(v29.ub,r21.b); v22.w += vrmpy(v18.ub,r21.b); r15:14 = memd(r5++#8); v26 = vand(v26,v16) }
{ v19.w += vrmpy(v29.ub,r19.b); v17.w += vrmpy(v18.ub,r19.b); r17:16 = memd(r7++#8) }
{ r19:18 = memd(r8++#8); v21.w += vrmpy(v26.ub,r14.b); v20.w += vrmpy(v30.ub,r14.b) }
{ r21:20 = memd(r6++#8); v27.w += vrmpy(v26.ub,r16.b); v22.w += vrmpy(v30.ub,r16.b) }
{ v19.w += vrmpy(v26.ub,r18.b); v17.w += vrmpy(v30.ub,r18.b); v18 = vand(v31,v16) }
{ v25.w += vrmpy(v26.ub,r20.b); v24.w += vrmpy(v30.ub,r20.b) }
{ v27.w += vrmpy(v18.ub,r17.b); v22.w += vrmpy(v23.ub,r17.b) }
{ v25.w += vrmpy(v18.ub,r21.b); v24.w += vrmpy(v23.ub,r21.b); r17:16 = memd(r9++#8) }
{ v21.w += vrmpy(v18.ub,r15.b); v20.w += vrmpy(v23.ub,r15.b); v26 = vmem(r4++#1); v22.h = vasr(v22.w,v27.w,r0):rnd:sat }
{ v19.w += vrmpy(v18.ub,r19.b); v17.w += vrmpy(v23.ub,r19.b); r15:14 = memd(r10++#8); v18.h = vasr(v24.w,v25.w,r0):rnd:sat }
{ r17:16 = memd(r11++#8); v20.h = vasr(v20.w,v21.w,r0):rnd:sat; v21.h = vmpy(v26.h,r16.h):<<1:rnd:sat }
{ v17.h = vasr(v17.w,v19.w,r0):rnd:sat; v19.h = vmpy(v26.h,r14.h):<<1:rnd:sat; v23 = vmem(r4++#1) }
{ v24.h = vmpy(v26.h,r16.h):<<1:rnd:sat; v25 = vmem(r4++#1) }
{ v3:2.w += vmpy(v18.h,v19.h); v18.ub = vlsr(v23.ub,r1) }
{ r15:14 = memd(r12++#8); v1:0.w += vmpy(v20.h,v21.h); v19.ub = vlsr(v25.ub,r1) }
{ v5:4.w += vmpy(v22.h,v24.h); r17:16 = memd(r5++#8); v20 = vand(v23,v16) }
{ v21.h = vmpy(v26.h,r14.h):<<1:rnd:sat }
{ r15:14 = memd(r6++#8); v23.w = vrmpy(v20.ub,r16.b); v22.w = vrmpy(v18.ub,r16.b); v24 = vmem(r4++#1) }
{ v7:6.w += vmpy(v17.h,v21.h); r19:18 = memd(r8++#8); v17 = vmem(r4++#1) }
{ r21:20 = memd(r7++#8); v26.w = vrmpy(v20.ub,r14.b); v21.w = vrmpy(v18.ub,r14.b); v27.ub = vlsr(v24.ub,r1) }
{ v28.w = vrmpy(v20.ub,r18.b); v25.w = vrmpy(v18.ub,r18.b); v30 = vand(v25,v16); v29.ub = vlsr(v17.ub,r1) }
{ v20.w = vrmpy(v20.ub,r20.b); v18.w = vrmpy(v18.ub,r20.b) }
{ v23.w += vrmpy(v30.ub,r17.b); v22.w += vrmpy(v19.ub,r17.b) }
{ v20.w += vrmpy(v30.ub,r21.b); v18.w += vrmpy(v19.ub,r21.b) }
{ v26.w += vrmpy(v30.ub,r15.b); v21.w += vrmpy(v19.ub,r15.b); r15:14 = memd(r5++#8); v24 = vand(v24,v16) }
{ v28.w += vrmpy(v30.ub,r19.b); v25.w += vrmpy(v19.ub,r19.b); r17:16 = memd(r6++#8); v19 = vmem(r4++#1) }
{ r19:18 = memd(r8++#8); v23.w += vrmpy(v24.ub,r14.b); v22.w += vrmpy(v27.ub,r14.b) }
{ r21:20 = memd(r7++#8); v26.w += vrmpy(v24.ub,r16.b); v21.w += vrmpy(v27.ub,r16.b); v30.ub = vlsr(v19.ub,r1) }
{ v28.w += vrmpy(v24.ub,r18.b); v25.w += vrmpy(v27.ub,r18.b); v17 = vand(v17,v16); v31 = vmem(r4++#1) }
{ v20.w += vrmpy(v24.ub,r20.b); v18.w += vrmpy(v27.ub,r20.b) }
{ v23.w += vrmpy(v17.ub,r15.b); v22.w += vrmpy(v29.ub,r15.b); v24.ub = vlsr(v31.ub,r1) }
{ v26.w += vrmpy(v17.ub,r17.b); v21.w += vrmpy(v29.ub,r17.b) }
{ v20.w += vrmpy(v17.ub,r21.b); v18.w += vrmpy(v29.ub,r21.b); r15:14 = memd(r6++#8); v19 = vand(v19,v16) }
{ v28.w += vrmpy(v17.ub,r19.b); v25.w += vrmpy(v29.ub,r19.b); r17:16 = memd(r5++#8) }
{ r19:18 = memd(r8++#8); v26.w += vrmpy(v19.ub,r14.b); v21.w += vrmpy(v30.ub,r14.b); v17 = vmem(r4++#1) }
{ r21:20 = memd(r7++#8); v23.w += vrmpy(v19.ub,r16.b); v22.w += vrmpy(v30.ub,r16.b); v27 = vand(v31,v16) }
{ v28.w += vrmpy(v19.ub,r18.b); v25.w += vrmpy(v30.ub,r18.b); v29.ub = vlsr(v17.ub,r1); v31 = vmem(r4++#1) }
{ v20.w += vrmpy(v19.ub,r20.b); v18.w += vrmpy(v30.ub,r20.b) }
{ v23.w += vrmpy(v27.ub,r17.b); v22.w += vrmpy(v24.ub,r17.b); v19.ub = vlsr(v31.ub,r1) }
{ v20.w += vrmpy(v27.ub,r21.b); v18.w += vrmpy(v24.ub,r21.b) }
{ v26.w += vrmpy(v27.ub,r15.b); v21.w += vrmpy(v24.ub,r15.b); r15:14 = memd(r5++#8); v17 = vand(v17,v16) }
{ v28.w += vrmpy(v27.ub,r19.b); v25.w += vrmpy(v24.ub,r19.b); r17:16 = memd(r6++#8) }
{ r19:18 = memd(r8++#8); v23.w += vrmpy(v17.ub,r14.b); v22.w += vrmpy(v29.ub,r14.b) }
{ r21:20 = memd(r7++#8); v26.w += vrmpy(v17.ub,r16.b); v21.w += vrmpy(v29.ub,r16.b) }
{ v28.w += vrmpy(v17.ub,r18.b); v25.w += vrmpy(v29.ub,r18.b); v24 = vand(v31,v16) }
{ v20.w += vrmpy(v17.ub,r20.b); v18.w += vrmpy(v29.ub,r20.b) }
{ v23.w += vrmpy(v24.ub,r15.b); v22.w += vrmpy(v19.ub,r15.b) }
{ v20.w += vrmpy(v24.ub,r21.b); v18.w += vrmpy(v19.ub,r21.b); v27 = vmem(r4++#1) }
{ v26.w += vrmpy(v24.ub,r17.b); v21.w += vrmpy(v19.ub,r17.b); r15:14 = memd(r9++#8); v17.h = vasr(v22.w,v23.w,r0) }
{ v28.w += vrmpy(v24.ub,r19.b); v25.w += vrmpy(v19.ub,r19.b); r17:16 = memd(r10++#8); v19.h = vasr(v18.w,v20.w,r0) }
{ if (p0) r4 = add(r4,r2); p0 = not(p0); v18.h = vmpy(v27.h,r14.h):<<1:rnd:sat }
{ v20.h = vasr(v21.w,v26.w,r0); v21.h = vmpy(v27.h,r16.h):<<1:rnd:sat }
{ r15:14 = memd(r11++#8); r17:16 = memd(r12++#8); v22.h = vasr(v25.w,v28.w,r0); v1:0.w += vmpy(v17.h,v18.h) }:endloop0
{ v3:2.w += vmpy(v20.h,v21.h) }
{ v8.w += vasr(v0.w,r3); v20.h = vmpy(v27.h,r14.h):<<1:rnd:sat }
{ v9.w += vasr(v1.w,r3); v21.h = vmpy(v27.h,r16.h):<<1:rnd:sat }
{ v5:4.w += vmpy(v19.h,v20.h) }
{ v10.w += vasr(v2.w,r3); v7:6.w += vmpy(v22.h,v21.h) }
{ v11.w += vasr(v3.w,r3) }
{ v13.w += vasr(v5.w,r3) }
{ v12.w += vasr(v4.w,r3) }
{ v14.w += vasr(v6.w,r3) }
{ v15.w += vasr(v7.w,r3) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ vmem(r28+#2) = v10; r21:20 = memd(r29+#16) }
{ vmem(r28+#3) = v11; r23:22 = memd(r29+#24) }
{ vmem(r28+#4) = v12; r25:24 = memd(r29+#32) }
{ vmem(r28+#5) = v13; r27:26 = memd(r29+#40) }
{ vmem(r28+#6) = v14 }
{ vmem(r28+#7) = v15 }
{ dealloc_return }
.size hvx_sum_q4_k_rows, .-hvx_sum_q4_k_rows

// 272 packets (272 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q8_0_tiles
.hidden hvx_sum_q8_0_tiles
.type hvx_sum_q8_0_tiles,@function
hvx_sum_q8_0_tiles:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); r0 = ##4 }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##8 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_q8_0_tiles,r30); v8 = vmem(r31+#0); memw(r29+#48) = r31 }
{ v9 = vmem(r31+#1); r2 = memw(r28+#0) }
{ v10 = vmem(r31+#2); r3 = memw(r28+#4) }
{ v11 = vmem(r31+#3); r4 = memw(r28+#8) }
{ v12 = vmem(r31+#4); r5 = memw(r28+#12) }
{ v13 = vmem(r31+#5); r6 = memw(r28+#16) }
{ v14 = vmem(r31+#6); r7 = memw(r28+#32) }
{ v15 = vmem(r31+#7); r1 = memw(r28+#52) }
{ v17 = vmem(r2++#1) }
{ v18 = vmem(r2++#1); r9:8 = memd(r6++#8) }
{ v20 = v16; v19 = v16; v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r2++#1) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r2++#1); r11:10 = memd(r6++#8) }
{ v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v18.ub,r10.b); v19.w += vrmpy(v17.ub,r10.b); v17 = vmem(r2++#1) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r11.b); v19.w += vrmpy(v17.ub,r11.b); v17 = vmem(r2++#1); r13:12 = memd(r6++#8) }
{ v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v18.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r2++#1); r15:14 = memd(r6++#8) }
{ v18 = vmem(r2++#1); r17:16 = memd(r7++#8) }
{ v20.w += vrmpy(v21.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v18.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r2++#1) }
{ v18 = vmem(r2++#1); v22 = vsplat(r17) }
{ v20.w += vrmpy(v21.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r3++#1) }
{ v21.h = vmpy(v18.h,r16.h):<<1:rnd:sat; v18 = vmem(r3++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r3++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r3++#1) }
{ v24 = vmem(r3++#1) }
{ v1:0.w = vmpy(v18.h,v21.h); v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r3++#1) }
{ v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r3++#1) }
{ v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r3++#1) }
{ v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r4++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r4++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r4++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r4++#1) }
{ v24 = vmem(r4++#1) }
{ v3:2.w = vmpy(v18.h,v21.h); v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r4++#1) }
{ v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r4++#1) }
{ v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r4++#1) }
{ v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r5++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r5++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r5++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r5++#1) }
{ v24 = vmem(r5++#1) }
{ v5:4.w = vmpy(v18.h,v21.h); v18 = vmem(r5++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r5++#1) }
{ v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r5++#1) }
{ v21 = vmem(r5++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r5++#1) }
{ v18 = vmem(r5++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r5++#1) }
{ v21 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r5++#1) }
{ v18 = vmem(r5++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r5++#1) }
{ v21 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r2++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r2++#1); r9:8 = memd(r6++#8) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r2++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r2++#1) }
{ v22 = vmem(r2++#1) }
{ v7:6.w = vmpy(v18.h,v21.h); v18 = vmem(r2++#1); r11:10 = memd(r6++#8) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r2++#1) }
{ v20.w += vrmpy(v22.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r2++#1) }
{ v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r2++#1); r13:12 = memd(r6++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); r15:14 = memd(r6++#8) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r2++#1); r17:16 = memd(r7++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); v22 = vsplat(r17) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r3++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r3++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r3++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r3++#1) }
{ v24 = vmem(r3++#1) }
{ v1:0.w += vmpy(v18.h,v21.h); v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r3++#1) }
{ v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r3++#1) }
{ v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r3++#1) }
{ v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r4++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r4++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r4++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r4++#1) }
{ v24 = vmem(r4++#1) }
{ v3:2.w += vmpy(v18.h,v21.h); v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r4++#1) }
{ v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r4++#1) }
{ v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r4++#1) }
{ v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r5++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r5++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r5++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r5++#1) }
{ v24 = vmem(r5++#1) }
{ v5:4.w += vmpy(v18.h,v21.h); v18 = vmem(r5++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r5++#1) }
{ v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r5++#1) }
{ v21 = vmem(r5++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r5++#1) }
{ v18 = vmem(r5++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r5++#1) }
{ v21 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r5++#1) }
{ v18 = vmem(r5++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r5++#1) }
{ v21 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r2++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r2++#1); r9:8 = memd(r6++#8) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r2++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r2++#1) }
{ v22 = vmem(r2++#1) }
{ v7:6.w += vmpy(v18.h,v21.h); v18 = vmem(r2++#1); r11:10 = memd(r6++#8) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r2++#1) }
{ v20.w += vrmpy(v22.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r2++#1) }
{ v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r2++#1); r13:12 = memd(r6++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); r15:14 = memd(r6++#8) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r2++#1); r17:16 = memd(r7++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); v22 = vsplat(r17) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r3++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r3++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r3++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r3++#1) }
{ v24 = vmem(r3++#1) }
{ v1:0.w += vmpy(v18.h,v21.h); v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r3++#1) }
{ v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r3++#1) }
{ v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r3++#1) }
{ v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r4++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r4++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r4++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r4++#1) }
{ v24 = vmem(r4++#1) }
{ v3:2.w += vmpy(v18.h,v21.h); v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r4++#1) }
{ v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r4++#1) }
{ v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r4++#1) }
{ v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r5++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r5++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r5++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r5++#1) }
{ v24 = vmem(r5++#1) }
{ v5:4.w += vmpy(v18.h,v21.h); v18 = vmem(r5++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r5++#1) }
{ v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r5++#1) }
{ v21 = vmem(r5++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r5++#1) }
{ v18 = vmem(r5++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r5++#1) }
{ v21 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r5++#1) }
{ v18 = vmem(r5++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r5++#1) }
{ v21 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r2++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r2++#1); r9:8 = memd(r6++#8) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r2++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r2++#1) }
{ v22 = vmem(r2++#1) }
{ v7:6.w += vmpy(v18.h,v21.h); v18 = vmem(r2++#1); r11:10 = memd(r6++#8) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r2++#1) }
{ v20.w += vrmpy(v22.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r2++#1) }
{ v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r2++#1); r13:12 = memd(r6++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); r15:14 = memd(r6++#8) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r2++#1); r17:16 = memd(r7++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); v22 = vsplat(r17) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r3++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r3++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r3++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r3++#1) }
{ v24 = vmem(r3++#1) }
{ v1:0.w += vmpy(v18.h,v21.h); v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r3++#1) }
{ v8.w += vasr(v0.w,r1); v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r3++#1) }
{ v9.w += vasr(v1.w,r1); v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r3++#1) }
{ v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r3++#1) }
{ v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r4++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r4++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r4++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r4++#1) }
{ v24 = vmem(r4++#1) }
{ v3:2.w += vmpy(v18.h,v21.h); v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r4++#1) }
{ v10.w += vasr(v2.w,r1); v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r4++#1) }
{ v11.w += vasr(v3.w,r1); v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r4++#1) }
{ v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r4++#1) }
{ v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r5++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r5++#1) }
{ v20.h = vasr(v19.w,v20.w,r0); v24 = v16; v23 = v16; v19 = vmem(r5++#1) }
{ v18.h = vsub(v20.h,v22.h); v24.w += vrmpy(v17.ub,r8.b); v23.w += vrmpy(v18.ub,r8.b); v17 = vmem(r5++#1) }
{ v20 = vmem(r5++#1) }
{ v5:4.w += vmpy(v18.h,v21.h); v18 = vmem(r5++#1) }
{ v24.w += vrmpy(v19.ub,r9.b); v23.w += vrmpy(v17.ub,r9.b); v17 = vmem(r5++#1) }
{ v12.w += vasr(v4.w,r1); v24.w += vrmpy(v20.ub,r10.b); v23.w += vrmpy(v18.ub,r10.b); v18 = vmem(r5++#1) }
{ v13.w += vasr(v5.w,r1); v19 = vmem(r5++#1) }
{ v24.w += vrmpy(v17.ub,r11.b); v23.w += vrmpy(v18.ub,r11.b); v17 = vmem(r5++#1) }
{ v18 = vmem(r5++#1) }
{ v24.w += vrmpy(v19.ub,r12.b); v23.w += vrmpy(v17.ub,r12.b); v17 = vmem(r5++#1) }
{ v19 = vmem(r5++#1) }
{ v24.w += vrmpy(v18.ub,r13.b); v23.w += vrmpy(v17.ub,r13.b); v17 = vmem(r5++#1) }
{ v18 = vmem(r5++#1) }
{ v24.w += vrmpy(v19.ub,r14.b); v23.w += vrmpy(v17.ub,r14.b); v17 = vmem(r5++#1) }
{ v19 = vmem(r5++#1) }
.Lhvx_sum_q8_0_tiles:
{ v17 = vmem(r2++#1); v24.w += vrmpy(v18.ub,r15.b); v23.w += vrmpy(v17.ub,r15.b) }
{ v18 = vmem(r2++#1); r9:8 = memd(r6++#8); v25.h = vmpy(v19.h,r16.h):<<1:rnd:sat }
{ v20 = v16; v19 = v16; v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r2++#1) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r2++#1); r11:10 = memd(r6++#8) }
{ v21 = vmem(r2++#1); v23.h = vasr(v23.w,v24.w,r0) }
{ v20.w += vrmpy(v18.ub,r10.b); v19.w += vrmpy(v17.ub,r10.b); v17 = vmem(r2++#1); v22.h = vsub(v23.h,v22.h) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r11.b); v19.w += vrmpy(v17.ub,r11.b); v17 = vmem(r2++#1); r13:12 = memd(r6++#8) }
{ v21 = vmem(r2++#1); v7:6.w += vmpy(v22.h,v25.h) }
{ v20.w += vrmpy(v18.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r2++#1); r15:14 = memd(r6++#8) }
{ v18 = vmem(r2++#1); r17:16 = memd(r7++#8); v14.w += vasr(v6.w,r1) }
{ v20.w += vrmpy(v21.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r2++#1); v15.w += vasr(v7.w,r1) }
{ v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v18.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r2++#1) }
{ v18 = vmem(r2++#1); v22 = vsplat(r17) }
{ v20.w += vrmpy(v21.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r3++#1) }
{ v21.h = vmpy(v18.h,r16.h):<<1:rnd:sat; v18 = vmem(r3++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r3++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r3++#1) }
{ v24 = vmem(r3++#1) }
{ v1:0.w = vmpy(v18.h,v21.h); v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r3++#1) }
{ v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r3++#1) }
{ v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r3++#1) }
{ v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r4++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r4++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r4++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r4++#1) }
{ v24 = vmem(r4++#1) }
{ v3:2.w = vmpy(v18.h,v21.h); v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r4++#1) }
{ v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r4++#1) }
{ v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r4++#1) }
{ v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r5++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r5++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r5++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r5++#1) }
{ v24 = vmem(r5++#1) }
{ v5:4.w = vmpy(v18.h,v21.h); v18 = vmem(r5++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r5++#1) }
{ v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r5++#1) }
{ v21 = vmem(r5++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r5++#1) }
{ v18 = vmem(r5++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r5++#1) }
{ v21 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r5++#1) }
{ v18 = vmem(r5++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r5++#1) }
{ v21 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r2++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r2++#1); r9:8 = memd(r6++#8) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r2++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r2++#1) }
{ v22 = vmem(r2++#1) }
{ v7:6.w = vmpy(v18.h,v21.h); v18 = vmem(r2++#1); r11:10 = memd(r6++#8) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r2++#1) }
{ v20.w += vrmpy(v22.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r2++#1) }
{ v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r2++#1); r13:12 = memd(r6++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); r15:14 = memd(r6++#8) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r2++#1); r17:16 = memd(r7++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); v22 = vsplat(r17) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r3++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r3++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r3++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r3++#1) }
{ v24 = vmem(r3++#1) }
{ v1:0.w += vmpy(v18.h,v21.h); v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r3++#1) }
{ v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r3++#1) }
{ v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r3++#1) }
{ v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r4++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r4++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r4++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r4++#1) }
{ v24 = vmem(r4++#1) }
{ v3:2.w += vmpy(v18.h,v21.h); v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r4++#1) }
{ v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r4++#1) }
{ v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r4++#1) }
{ v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r5++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r5++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r5++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r5++#1) }
{ v24 = vmem(r5++#1) }
{ v5:4.w += vmpy(v18.h,v21.h); v18 = vmem(r5++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r5++#1) }
{ v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r5++#1) }
{ v21 = vmem(r5++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r5++#1) }
{ v18 = vmem(r5++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r5++#1) }
{ v21 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r5++#1) }
{ v18 = vmem(r5++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r5++#1) }
{ v21 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r2++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r2++#1); r9:8 = memd(r6++#8) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r2++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r2++#1) }
{ v22 = vmem(r2++#1) }
{ v7:6.w += vmpy(v18.h,v21.h); v18 = vmem(r2++#1); r11:10 = memd(r6++#8) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r2++#1) }
{ v20.w += vrmpy(v22.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r2++#1) }
{ v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r2++#1); r13:12 = memd(r6++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); r15:14 = memd(r6++#8) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r2++#1); r17:16 = memd(r7++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); v22 = vsplat(r17) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r3++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r3++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r3++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r3++#1) }
{ v24 = vmem(r3++#1) }
{ v1:0.w += vmpy(v18.h,v21.h); v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r3++#1) }
{ v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r3++#1) }
{ v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r3++#1) }
{ v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r4++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r4++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r4++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r4++#1) }
{ v24 = vmem(r4++#1) }
{ v3:2.w += vmpy(v18.h,v21.h); v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r4++#1) }
{ v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r4++#1) }
{ v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r4++#1) }
{ v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r5++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r5++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r5++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r5++#1) }
{ v24 = vmem(r5++#1) }
{ v5:4.w += vmpy(v18.h,v21.h); v18 = vmem(r5++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r5++#1) }
{ v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r5++#1) }
{ v21 = vmem(r5++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r5++#1) }
{ v18 = vmem(r5++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r5++#1) }
{ v21 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r5++#1) }
{ v18 = vmem(r5++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r5++#1) }
{ v21 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r2++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r2++#1); r9:8 = memd(r6++#8) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r2++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r2++#1) }
{ v22 = vmem(r2++#1) }
{ v7:6.w += vmpy(v18.h,v21.h); v18 = vmem(r2++#1); r11:10 = memd(r6++#8) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r2++#1) }
{ v20.w += vrmpy(v22.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r2++#1) }
{ v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r2++#1); r13:12 = memd(r6++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); r15:14 = memd(r6++#8) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r2++#1); r17:16 = memd(r7++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); v22 = vsplat(r17) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r3++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r3++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r3++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r3++#1) }
{ v24 = vmem(r3++#1) }
{ v1:0.w += vmpy(v18.h,v21.h); v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r3++#1) }
{ v8.w += vasr(v0.w,r1); v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r3++#1) }
{ v9.w += vasr(v1.w,r1); v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r3++#1) }
{ v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r3++#1) }
{ v18 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r3++#1) }
{ v21 = vmem(r3++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r4++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r4++#1) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r4++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v17 = vmem(r4++#1) }
{ v24 = vmem(r4++#1) }
{ v3:2.w += vmpy(v18.h,v21.h); v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v23.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r4++#1) }
{ v10.w += vasr(v2.w,r1); v20.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18 = vmem(r4++#1) }
{ v11.w += vasr(v3.w,r1); v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r4++#1) }
{ v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v19.w += vrmpy(v17.ub,r12.b); v17 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r4++#1) }
{ v18 = vmem(r4++#1) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); v17 = vmem(r4++#1) }
{ v21 = vmem(r4++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v17.ub,r15.b); v17 = vmem(r5++#1) }
{ v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v18 = vmem(r5++#1) }
{ v20.h = vasr(v19.w,v20.w,r0); v24 = v16; v23 = v16; v19 = vmem(r5++#1) }
{ v18.h = vsub(v20.h,v22.h); v24.w += vrmpy(v17.ub,r8.b); v23.w += vrmpy(v18.ub,r8.b); v17 = vmem(r5++#1) }
{ v20 = vmem(r5++#1) }
{ v5:4.w += vmpy(v18.h,v21.h); v18 = vmem(r5++#1) }
{ v24.w += vrmpy(v19.ub,r9.b); v23.w += vrmpy(v17.ub,r9.b); v17 = vmem(r5++#1) }
{ v12.w += vasr(v4.w,r1); v24.w += vrmpy(v20.ub,r10.b); v23.w += vrmpy(v18.ub,r10.b); v18 = vmem(r5++#1) }
{ v13.w += vasr(v5.w,r1); v19 = vmem(r5++#1) }
{ v24.w += vrmpy(v17.ub,r11.b); v23.w += vrmpy(v18.ub,r11.b); v17 = vmem(r5++#1) }
{ v18 = vmem(r5++#1) }
{ v24.w += vrmpy(v19.ub,r12.b); v23.w += vrmpy(v17.ub,r12.b); v17 = vmem(r5++#1) }
{ v19 = vmem(r5++#1) }
{ v24.w += vrmpy(v18.ub,r13.b); v23.w += vrmpy(v17.ub,r13.b); v17 = vmem(r5++#1) }
{ v18 = vmem(r5++#1) }
{ v24.w += vrmpy(v19.ub,r14.b); v23.w += vrmpy(v17.ub,r14.b); v17 = vmem(r5++#1) }
{ v19 = vmem(r5++#1) }:endloop0
{ v24.w += vrmpy(v18.ub,r15.b); v23.w += vrmpy(v17.ub,r15.b) }
{ v25.h = vmpy(v19.h,r16.h):<<1:rnd:sat }
{ v23.h = vasr(v23.w,v24.w,r0) }
{ v22.h = vsub(v23.h,v22.h) }
{ v7:6.w += vmpy(v22.h,v25.h) }
{ v14.w += vasr(v6.w,r1) }
{ v15.w += vasr(v7.w,r1) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ vmem(r28+#2) = v10; r21:20 = memd(r29+#16) }
{ vmem(r28+#3) = v11; r23:22 = memd(r29+#24) }
{ vmem(r28+#4) = v12; r25:24 = memd(r29+#32) }
{ vmem(r28+#5) = v13; r27:26 = memd(r29+#40) }
{ vmem(r28+#6) = v14 }
{ vmem(r28+#7) = v15 }
{ dealloc_return }
.size hvx_sum_q8_0_tiles, .-hvx_sum_q8_0_tiles

// 68 packets (68 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q8_0_tile
.hidden hvx_sum_q8_0_tile
.type hvx_sum_q8_0_tile,@function
hvx_sum_q8_0_tile:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); r0 = ##4 }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##8 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_q8_0_tile,r30); v8 = vmem(r31+#0); memw(r29+#48) = r31 }
{ v9 = vmem(r31+#1); r2 = memw(r28+#0) }
{ r3 = memw(r28+#16); r4 = memw(r28+#32) }
{ r1 = memw(r28+#52) }
{ v17 = vmem(r2++#1) }
{ v18 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v20 = v16; v19 = v16; v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v17.ub,r6.b); v19.w += vrmpy(v18.ub,r6.b); v17 = vmem(r2++#1) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r7.b); v19.w += vrmpy(v17.ub,r7.b); v17 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v18.ub,r6.b); v19.w += vrmpy(v17.ub,r6.b); v17 = vmem(r2++#1) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r7.b); v19.w += vrmpy(v17.ub,r7.b); v17 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v18.ub,r6.b); v19.w += vrmpy(v17.ub,r6.b); v17 = vmem(r2++#1); r9:8 = memd(r3++#8) }
{ v18 = vmem(r2++#1); r11:10 = memd(r4++#8) }
{ v20.w += vrmpy(v21.ub,r7.b); v19.w += vrmpy(v17.ub,r7.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v18.ub,r8.b); v19.w += vrmpy(v17.ub,r8.b); v17 = vmem(r2++#1) }
{ v18 = vmem(r2++#1); v22 = vsplat(r11) }
{ v20.w += vrmpy(v21.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r2++#1) }
{ v21.h = vmpy(v18.h,r10.h):<<1:rnd:sat; v18 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r2++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r6.b); v19.w += vrmpy(v18.ub,r6.b); v17 = vmem(r2++#1) }
{ v22 = vmem(r2++#1) }
{ v1:0.w = vmpy(v18.h,v21.h); v18 = vmem(r2++#1); r9:8 = memd(r3++#8) }
{ v20.w += vrmpy(v23.ub,r7.b); v19.w += vrmpy(v17.ub,r7.b); v17 = vmem(r2++#1) }
{ v20.w += vrmpy(v22.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v18 = vmem(r2++#1) }
{ v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v17.ub,r9.b); v19.w += vrmpy(v18.ub,r9.b); v17 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r6.b); v19.w += vrmpy(v17.ub,r6.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); r9:8 = memd(r3++#8) }
{ v20.w += vrmpy(v18.ub,r7.b); v19.w += vrmpy(v17.ub,r7.b); v17 = vmem(r2++#1); r7:6 = memd(r4++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r8.b); v19.w += vrmpy(v17.ub,r8.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); v22 = vsplat(r7) }
{ v20.w += vrmpy(v18.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r2++#1) }
{ v21.h = vmpy(v21.h,r6.h):<<1:rnd:sat; v18 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r2++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r6.b); v19.w += vrmpy(v18.ub,r6.b); v17 = vmem(r2++#1) }
{ v22 = vmem(r2++#1) }
{ v1:0.w += vmpy(v18.h,v21.h); v18 = vmem(r2++#1); r9:8 = memd(r3++#8) }
{ v20.w += vrmpy(v23.ub,r7.b); v19.w += vrmpy(v17.ub,r7.b); v17 = vmem(r2++#1) }
{ v20.w += vrmpy(v22.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v18 = vmem(r2++#1) }
{ v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v17.ub,r9.b); v19.w += vrmpy(v18.ub,r9.b); v17 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r6.b); v19.w += vrmpy(v17.ub,r6.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); r9:8 = memd(r3++#8) }
{ v20.w += vrmpy(v18.ub,r7.b); v19.w += vrmpy(v17.ub,r7.b); v17 = vmem(r2++#1); r7:6 = memd(r4++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r8.b); v19.w += vrmpy(v17.ub,r8.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); v22 = vsplat(r7) }
{ v20.w += vrmpy(v18.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r2++#1) }
{ v21.h = vmpy(v21.h,r6.h):<<1:rnd:sat; v18 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v20.h = vasr(v19.w,v20.w,r0); v24 = v16; v23 = v16; v19 = vmem(r2++#1) }
{ v18.h = vsub(v20.h,v22.h); v24.w += vrmpy(v17.ub,r6.b); v23.w += vrmpy(v18.ub,r6.b); v17 = vmem(r2++#1) }
{ v20 = vmem(r2++#1) }
{ v1:0.w += vmpy(v18.h,v21.h); v18 = vmem(r2++#1); r9:8 = memd(r3++#8) }
{ v24.w += vrmpy(v19.ub,r7.b); v23.w += vrmpy(v17.ub,r7.b); v17 = vmem(r2++#1) }
{ v24.w += vrmpy(v20.ub,r8.b); v23.w += vrmpy(v18.ub,r8.b); v18 = vmem(r2++#1) }
{ v19 = vmem(r2++#1) }
{ v24.w += vrmpy(v17.ub,r9.b); v23.w += vrmpy(v18.ub,r9.b); v17 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v18 = vmem(r2++#1) }
{ v24.w += vrmpy(v19.ub,r6.b); v23.w += vrmpy(v17.ub,r6.b); v17 = vmem(r2++#1) }
{ v19 = vmem(r2++#1) }
{ v24.w += vrmpy(v18.ub,r7.b); v23.w += vrmpy(v17.ub,r7.b); v17 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v18 = vmem(r2++#1) }
{ v24.w += vrmpy(v19.ub,r6.b); v23.w += vrmpy(v17.ub,r6.b); v17 = vmem(r2++#1) }
{ v19 = vmem(r2++#1); r9:8 = memd(r4++#8) }
.Lhvx_sum_q8_0_tile:
{ v17 = vmem(r2++#1); v24.w += vrmpy(v18.ub,r7.b); v23.w += vrmpy(v17.ub,r7.b) }
{ v18 = vmem(r2++#1); r7:6 = memd(r3++#8); v22.h = vmpy(v19.h,r8.h):<<1:rnd:sat }
{ v20 = v16; v19 = v16; v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v17.ub,r6.b); v19.w += vrmpy(v18.ub,r6.b); v17 = vmem(r2++#1) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r7.b); v19.w += vrmpy(v17.ub,r7.b); v17 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v21 = vmem(r2++#1); v24 = vsplat(r9); v23.h = vasr(v23.w,v24.w,r0) }
{ v20.w += vrmpy(v18.ub,r6.b); v19.w += vrmpy(v17.ub,r6.b); v17 = vmem(r2++#1); v23.h = vsub(v23.h,v24.h) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r7.b); v19.w += vrmpy(v17.ub,r7.b); v17 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v21 = vmem(r2++#1); v1:0.w += vmpy(v23.h,v22.h) }
{ v20.w += vrmpy(v18.ub,r6.b); v19.w += vrmpy(v17.ub,r6.b); v17 = vmem(r2++#1); r9:8 = memd(r3++#8) }
{ v18 = vmem(r2++#1); r11:10 = memd(r4++#8); v9.w += vasr(v1.w,r1) }
{ v20.w += vrmpy(v21.ub,r7.b); v19.w += vrmpy(v17.ub,r7.b); v17 = vmem(r2++#1); v8.w += vasr(v0.w,r1) }
{ v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v18.ub,r8.b); v19.w += vrmpy(v17.ub,r8.b); v17 = vmem(r2++#1) }
{ v18 = vmem(r2++#1); v22 = vsplat(r11) }
{ v20.w += vrmpy(v21.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r2++#1) }
{ v21.h = vmpy(v18.h,r10.h):<<1:rnd:sat; v18 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r2++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r6.b); v19.w += vrmpy(v18.ub,r6.b); v17 = vmem(r2++#1) }
{ v22 = vmem(r2++#1) }
{ v1:0.w = vmpy(v18.h,v21.h); v18 = vmem(r2++#1); r9:8 = memd(r3++#8) }
{ v20.w += vrmpy(v23.ub,r7.b); v19.w += vrmpy(v17.ub,r7.b); v17 = vmem(r2++#1) }
{ v20.w += vrmpy(v22.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v18 = vmem(r2++#1) }
{ v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v17.ub,r9.b); v19.w += vrmpy(v18.ub,r9.b); v17 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r6.b); v19.w += vrmpy(v17.ub,r6.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); r9:8 = memd(r3++#8) }
{ v20.w += vrmpy(v18.ub,r7.b); v19.w += vrmpy(v17.ub,r7.b); v17 = vmem(r2++#1); r7:6 = memd(r4++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r8.b); v19.w += vrmpy(v17.ub,r8.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); v22 = vsplat(r7) }
{ v20.w += vrmpy(v18.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r2++#1) }
{ v21.h = vmpy(v21.h,r6.h):<<1:rnd:sat; v18 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v24.h = vasr(v19.w,v20.w,r0); v20 = v16; v19 = v16; v23 = vmem(r2++#1) }
{ v18.h = vsub(v24.h,v22.h); v20.w += vrmpy(v17.ub,r6.b); v19.w += vrmpy(v18.ub,r6.b); v17 = vmem(r2++#1) }
{ v22 = vmem(r2++#1) }
{ v1:0.w += vmpy(v18.h,v21.h); v18 = vmem(r2++#1); r9:8 = memd(r3++#8) }
{ v20.w += vrmpy(v23.ub,r7.b); v19.w += vrmpy(v17.ub,r7.b); v17 = vmem(r2++#1) }
{ v20.w += vrmpy(v22.ub,r8.b); v19.w += vrmpy(v18.ub,r8.b); v18 = vmem(r2++#1) }
{ v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v17.ub,r9.b); v19.w += vrmpy(v18.ub,r9.b); v17 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r6.b); v19.w += vrmpy(v17.ub,r6.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); r9:8 = memd(r3++#8) }
{ v20.w += vrmpy(v18.ub,r7.b); v19.w += vrmpy(v17.ub,r7.b); v17 = vmem(r2++#1); r7:6 = memd(r4++#8) }
{ v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r8.b); v19.w += vrmpy(v17.ub,r8.b); v17 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); v22 = vsplat(r7) }
{ v20.w += vrmpy(v18.ub,r9.b); v19.w += vrmpy(v17.ub,r9.b); v17 = vmem(r2++#1) }
{ v21.h = vmpy(v21.h,r6.h):<<1:rnd:sat; v18 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v20.h = vasr(v19.w,v20.w,r0); v24 = v16; v23 = v16; v19 = vmem(r2++#1) }
{ v18.h = vsub(v20.h,v22.h); v24.w += vrmpy(v17.ub,r6.b); v23.w += vrmpy(v18.ub,r6.b); v17 = vmem(r2++#1) }
{ v20 = vmem(r2++#1) }
{ v1:0.w += vmpy(v18.h,v21.h); v18 = vmem(r2++#1); r9:8 = memd(r3++#8) }
{ v24.w += vrmpy(v19.ub,r7.b); v23.w += vrmpy(v17.ub,r7.b); v17 = vmem(r2++#1) }
{ v24.w += vrmpy(v20.ub,r8.b); v23.w += vrmpy(v18.ub,r8.b); v18 = vmem(r2++#1) }
{ v19 = vmem(r2++#1) }
{ v24.w += vrmpy(v17.ub,r9.b); v23.w += vrmpy(v18.ub,r9.b); v17 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v18 = vmem(r2++#1) }
{ v24.w += vrmpy(v19.ub,r6.b); v23.w += vrmpy(v17.ub,r6.b); v17 = vmem(r2++#1) }
{ v19 = vmem(r2++#1) }
{ v24.w += vrmpy(v18.ub,r7.b); v23.w += vrmpy(v17.ub,r7.b); v17 = vmem(r2++#1); r7:6 = memd(r3++#8) }
{ v18 = vmem(r2++#1) }
{ v24.w += vrmpy(v19.ub,r6.b); v23.w += vrmpy(v17.ub,r6.b); v17 = vmem(r2++#1) }
{ v19 = vmem(r2++#1); r9:8 = memd(r4++#8) }:endloop0
{ v24.w += vrmpy(v18.ub,r7.b); v23.w += vrmpy(v17.ub,r7.b) }
{ v22.h = vmpy(v19.h,r8.h):<<1:rnd:sat }
{ v24 = vsplat(r9); v23.h = vasr(v23.w,v24.w,r0) }
{ v23.h = vsub(v23.h,v24.h) }
{ v1:0.w += vmpy(v23.h,v22.h) }
{ v9.w += vasr(v1.w,r1) }
{ v8.w += vasr(v0.w,r1) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16) }
{ r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32) }
{ r27:26 = memd(r29+#40) }
{ dealloc_return }
.size hvx_sum_q8_0_tile, .-hvx_sum_q8_0_tile

// 165 packets (164 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q8_0_rows
.hidden hvx_sum_q8_0_rows
.type hvx_sum_q8_0_rows,@function
hvx_sum_q8_0_rows:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); r0 = ##4 }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##8 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_q8_0_rows,r30); v8 = vmem(r31+#0); memw(r29+#48) = r31 }
{ v9 = vmem(r31+#1); r2 = memw(r28+#0) }
{ v10 = vmem(r31+#2); r3 = memw(r28+#16) }
{ v11 = vmem(r31+#3); r4 = memw(r28+#20) }
{ v12 = vmem(r31+#4); r5 = memw(r28+#24) }
{ v13 = vmem(r31+#5); r6 = memw(r28+#28) }
{ v14 = vmem(r31+#6); r7 = memw(r28+#32) }
{ v15 = vmem(r31+#7); r8 = memw(r28+#36) }
{ r9 = memw(r28+#40); r10 = memw(r28+#44) }
{ r1 = memw(r28+#52) }
{ v17 = v16 }
{ v18 = v16; v19 = v16 }
{ v20 = vmem(r2++#1) }
{ v21 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ r15:14 = memd(r4++#8); v22 = v16; r17:16 = memd(r5++#8) }
{ v18.w += vrmpy(v20.ub,r12.b); v17.w += vrmpy(v21.ub,r12.b); v23 = v16; r19:18 = memd(r6++#8) }
{ v22.w += vrmpy(v20.ub,r14.b); v23.w += vrmpy(v21.ub,r14.b); v24 = v16; v25 = v16 }
{ v19.w += vrmpy(v20.ub,r16.b); v24.w += vrmpy(v21.ub,r16.b); v26 = v16; v27 = vmem(r2++#1) }
{ v26.w += vrmpy(v20.ub,r18.b); v25.w += vrmpy(v21.ub,r18.b); v20 = vmem(r2++#1) }
{ v26.w += vrmpy(v27.ub,r19.b); v25.w += vrmpy(v20.ub,r19.b) }
{ v18.w += vrmpy(v27.ub,r13.b); v17.w += vrmpy(v20.ub,r13.b); v21 = vmem(r2++#1) }
{ v19.w += vrmpy(v27.ub,r17.b); v24.w += vrmpy(v20.ub,r17.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v22.w += vrmpy(v27.ub,r15.b); v23.w += vrmpy(v20.ub,r15.b); r15:14 = memd(r5++#8) }
{ v18.w += vrmpy(v21.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r6++#8); v20 = vmem(r2++#1) }
{ v19.w += vrmpy(v21.ub,r14.b); v24.w += vrmpy(v28.ub,r14.b); v27 = vmem(r2++#1) }
{ v26.w += vrmpy(v21.ub,r16.b); v25.w += vrmpy(v28.ub,r16.b) }
{ r17:16 = memd(r4++#8); v26.w += vrmpy(v20.ub,r17.b); v25.w += vrmpy(v27.ub,r17.b) }
{ v18.w += vrmpy(v20.ub,r13.b); v17.w += vrmpy(v27.ub,r13.b); v29 = vmem(r2++#1) }
{ v22.w += vrmpy(v21.ub,r16.b); v23.w += vrmpy(v28.ub,r16.b); v21 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v22.w += vrmpy(v20.ub,r17.b); v23.w += vrmpy(v27.ub,r17.b) }
{ r17:16 = memd(r3++#8); v22.w += vrmpy(v29.ub,r12.b); v23.w += vrmpy(v21.ub,r12.b); r19:18 = memd(r5++#8) }
{ v19.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v27.ub,r15.b); v20 = vmem(r2++#1) }
{ v19.w += vrmpy(v29.ub,r18.b); v24.w += vrmpy(v21.ub,r18.b); v27 = vmem(r2++#1) }
{ v18.w += vrmpy(v29.ub,r16.b); v17.w += vrmpy(v21.ub,r16.b); r15:14 = memd(r6++#8) }
{ v19.w += vrmpy(v20.ub,r19.b); v24.w += vrmpy(v27.ub,r19.b) }
{ v26.w += vrmpy(v29.ub,r14.b); v25.w += vrmpy(v21.ub,r14.b) }
{ v26.w += vrmpy(v20.ub,r15.b); v25.w += vrmpy(v27.ub,r15.b); v21 = vmem(r2++#1) }
{ v22.w += vrmpy(v20.ub,r13.b); v23.w += vrmpy(v27.ub,r13.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v18.w += vrmpy(v20.ub,r17.b); v17.w += vrmpy(v27.ub,r17.b); r15:14 = memd(r5++#8) }
{ v18.w += vrmpy(v21.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r4++#8); r19:18 = memd(r6++#8) }
{ v19.w += vrmpy(v21.ub,r14.b); v24.w += vrmpy(v28.ub,r14.b); v20 = vmem(r2++#1) }
{ v22.w += vrmpy(v21.ub,r16.b); v23.w += vrmpy(v28.ub,r16.b); v27 = vmem(r2++#1); r21:20 = memd(r10++#8) }
{ v26.w += vrmpy(v21.ub,r18.b); v25.w += vrmpy(v28.ub,r18.b); r23:22 = memd(r8++#8); r25:24 = memd(r9++#8) }
{ v26.w += vrmpy(v20.ub,r19.b); v25.w += vrmpy(v27.ub,r19.b); r19:18 = memd(r7++#8) }
{ v19.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v27.ub,r15.b); v21 = vmem(r2++#1) }
{ v18.w += vrmpy(v20.ub,r13.b); v17.w += vrmpy(v27.ub,r13.b); r11 = combine(r21.l,r25.l); v25.h = vasr(v25.w,v26.w,r0) }
{ v22.w += vrmpy(v20.ub,r17.b); v23.w += vrmpy(v27.ub,r17.b); r12 = combine(r23.l,r19.l); v19.h = vasr(v24.w,v19.w,r0) }
{ v20 = vsplat(r12); v24 = vsplat(r11); v18.h = vasr(v17.w,v18.w,r0); v17 = v16 }
{ v23.h = vasr(v23.w,v22.w,r0); v26.h = vmpy(v21.h,r22.h):<<1:rnd:sat; v22 = v16 }
{ v29.h = vshuffo(v20.h,v20.h); v28.h = vmpy(v21.h,r24.h):<<1:rnd:sat; v27 = v16 }
{ v29.h = vshuffe(v20.h,v20.h); v23.h = vmpy(v21.h,r18.h):<<1:rnd:sat; v20.h = vsub(v23.h,v29.h) }
{ v29.h = vshuffo(v24.h,v24.h); v18.h = vsub(v18.h,v29.h); v21.h = vmpy(v21.h,r20.h):<<1:rnd:sat }
{ v24.h = vshuffe(v24.h,v24.h); v3:2.w = vmpy(v20.h,v26.h); v20.h = vsub(v25.h,v29.h) }
{ v1:0.w = vmpy(v18.h,v23.h); v19.h = vsub(v19.h,v24.h); v18 = vmem(r2++#1) }
{ v7:6.w = vmpy(v20.h,v21.h); v20 = vmem(r2++#1); r13:12 = memd(r3++#8); v21 = v16 }
{ v5:4.w = vmpy(v19.h,v28.h); v19 = v16; r15:14 = memd(r4++#8); r17:16 = memd(r6++#8) }
{ v17.w += vrmpy(v18.ub,r12.b); v19.w += vrmpy(v20.ub,r12.b); r19:18 = memd(r5++#8); v23 = v16 }
{ v27.w += vrmpy(v18.ub,r14.b); v22.w += vrmpy(v20.ub,r14.b); v24 = v16; v25 = vmem(r2++#1) }
{ v26 = v16; v23.w += vrmpy(v18.ub,r16.b); v24.w += vrmpy(v20.ub,r16.b); v28 = vmem(r2++#1) }
{ v21.w += vrmpy(v18.ub,r18.b); v26.w += vrmpy(v20.ub,r18.b) }
{ v21.w += vrmpy(v25.ub,r19.b); v26.w += vrmpy(v28.ub,r19.b) }
{ v17.w += vrmpy(v25.ub,r13.b); v19.w += vrmpy(v28.ub,r13.b); v18 = vmem(r2++#1) }
{ v23.w += vrmpy(v25.ub,r17.b); v24.w += vrmpy(v28.ub,r17.b); v20 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v27.w += vrmpy(v25.ub,r15.b); v22.w += vrmpy(v28.ub,r15.b); r15:14 = memd(r5++#8) }
{ r17:16 = memd(r3++#8); v27.w += vrmpy(v18.ub,r12.b); v22.w += vrmpy(v20.ub,r12.b); v25 = vmem(r2++#1) }
{ v21.w += vrmpy(v18.ub,r14.b); v26.w += vrmpy(v20.ub,r14.b); v28 = vmem(r2++#1) }
{ v17.w += vrmpy(v18.ub,r16.b); v19.w += vrmpy(v20.ub,r16.b) }
{ r13:12 = memd(r6++#8); v27.w += vrmpy(v25.ub,r13.b); v22.w += vrmpy(v28.ub,r13.b) }
{ v21.w += vrmpy(v25.ub,r15.b); v26.w += vrmpy(v28.ub,r15.b) }
{ v23.w += vrmpy(v18.ub,r12.b); v24.w += vrmpy(v20.ub,r12.b); v18 = vmem(r2++#1) }
{ v23.w += vrmpy(v25.ub,r13.b); v24.w += vrmpy(v28.ub,r13.b); v20 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v17.w += vrmpy(v25.ub,r17.b); v19.w += vrmpy(v28.ub,r17.b); r15:14 = memd(r5++#8) }
{ v17.w += vrmpy(v18.ub,r12.b); v19.w += vrmpy(v20.ub,r12.b); r17:16 = memd(r4++#8); v25 = vmem(r2++#1) }
{ v21.w += vrmpy(v18.ub,r14.b); v26.w += vrmpy(v20.ub,r14.b); v28 = vmem(r2++#1) }
{ v27.w += vrmpy(v18.ub,r16.b); v22.w += vrmpy(v20.ub,r16.b) }
{ r15:14 = memd(r6++#8); v21.w += vrmpy(v25.ub,r15.b); v26.w += vrmpy(v28.ub,r15.b) }
{ v27.w += vrmpy(v25.ub,r17.b); v22.w += vrmpy(v28.ub,r17.b) }
{ v23.w += vrmpy(v18.ub,r14.b); v24.w += vrmpy(v20.ub,r14.b); v18 = vmem(r2++#1) }
{ v23.w += vrmpy(v25.ub,r15.b); v24.w += vrmpy(v28.ub,r15.b); v20 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v17.w += vrmpy(v25.ub,r13.b); v19.w += vrmpy(v28.ub,r13.b); r13:12 = memd(r6++#8) }
{ v17.w += vrmpy(v18.ub,r14.b); v19.w += vrmpy(v20.ub,r14.b); r17:16 = memd(r4++#8) }
{ r19:18 = memd(r5++#8); v23.w += vrmpy(v18.ub,r12.b); v24.w += vrmpy(v20.ub,r12.b); v25 = vmem(r2++#1) }
{ v27.w += vrmpy(v18.ub,r16.b); v22.w += vrmpy(v20.ub,r16.b); v28 = vmem(r2++#1) }
{ v21.w += vrmpy(v18.ub,r18.b); v26.w += vrmpy(v20.ub,r18.b); r21:20 = memd(r9++#8); r23:22 = memd(r10++#8) }
{ v23.w += vrmpy(v25.ub,r13.b); v24.w += vrmpy(v28.ub,r13.b); r13:12 = memd(r7++#8); r25:24 = memd(r8++#8) }
{ v27.w += vrmpy(v25.ub,r17.b); v22.w += vrmpy(v28.ub,r17.b); v18 = vmem(r2++#1) }
{ v21.w += vrmpy(v25.ub,r19.b); v26.w += vrmpy(v28.ub,r19.b); r11 = combine(r23.l,r21.l); v20.h = vasr(v24.w,v23.w,r0) }
{ v17.w += vrmpy(v25.ub,r15.b); v19.w += vrmpy(v28.ub,r15.b); r14 = combine(r25.l,r13.l); v22.h = vasr(v22.w,v27.w,r0) }
{ v23 = vsplat(r14); v24 = vsplat(r11); v21.h = vasr(v26.w,v21.w,r0) }
{ v17.h = vasr(v19.w,v17.w,r0); v19.h = vmpy(v18.h,r12.h):<<1:rnd:sat }
{ v27.h = vshuffo(v23.h,v23.h); v26.h = vmpy(v18.h,r24.h):<<1:rnd:sat; v25 = v16 }
{ v27.h = vshuffe(v23.h,v23.h); v22.h = vsub(v22.h,v27.h); v23.h = vmpy(v18.h,r22.h):<<1:rnd:sat }
{ v27.h = vshuffe(v24.h,v24.h); v17.h = vsub(v17.h,v27.h); v18.h = vmpy(v18.h,r20.h):<<1:rnd:sat }
{ v22.h = vshuffo(v24.h,v24.h); v3:2.w += vmpy(v22.h,v26.h); v21.h = vsub(v21.h,v27.h) }
{ v1:0.w += vmpy(v17.h,v19.h); v19.h = vsub(v20.h,v22.h); v17 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v5:4.w += vmpy(v21.h,v18.h); v18 = vmem(r2++#1); r15:14 = memd(r4++#8); v20 = v16 }
{ v7:6.w += vmpy(v19.h,v23.h); v21 = v16; v19 = v16; r17:16 = memd(r5++#8) }
{ v22 = v16; v21.w += vrmpy(v17.ub,r14.b); v19.w += vrmpy(v18.ub,r14.b); v23 = vmem(r2++#1) }
{ v25.w += vrmpy(v17.ub,r12.b); v22.w += vrmpy(v18.ub,r12.b); v24 = v16; v26 = vmem(r2++#1) }
{ v20.w += vrmpy(v17.ub,r16.b); v24.w += vrmpy(v18.ub,r16.b) }
{ r13:12 = memd(r6++#8); v27 = v16; v25.w += vrmpy(v23.ub,r13.b); v22.w += vrmpy(v26.ub,r13.b) }
{ v28 = v16; v21.w += vrmpy(v23.ub,r15.b); v19.w += vrmpy(v26.ub,r15.b); v29 = vmem(r2++#1) }
{ v28.w += vrmpy(v17.ub,r12.b); v27.w += vrmpy(v18.ub,r12.b); v17 = vmem(r2++#1); r15:14 = memd(r4++#8) }
{ v28.w += vrmpy(v23.ub,r13.b); v27.w += vrmpy(v26.ub,r13.b); r13:12 = memd(r3++#8) }
{ v21.w += vrmpy(v29.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b) }
{ v25.w += vrmpy(v29.ub,r12.b); v22.w += vrmpy(v17.ub,r12.b); r19:18 = memd(r5++#8); v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v23.ub,r17.b); v24.w += vrmpy(v26.ub,r17.b); v23 = vmem(r2++#1) }
{ v20.w += vrmpy(v29.ub,r18.b); v24.w += vrmpy(v17.ub,r18.b) }
{ r13:12 = memd(r6++#8); v25.w += vrmpy(v18.ub,r13.b); v22.w += vrmpy(v23.ub,r13.b) }
{ v21.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v23.ub,r15.b); v26 = vmem(r2++#1) }
{ v28.w += vrmpy(v29.ub,r12.b); v27.w += vrmpy(v17.ub,r12.b); v17 = vmem(r2++#1); r15:14 = memd(r4++#8) }
{ v28.w += vrmpy(v18.ub,r13.b); v27.w += vrmpy(v23.ub,r13.b) }
{ v21.w += vrmpy(v26.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); r13:12 = memd(r5++#8) }
{ v20.w += vrmpy(v18.ub,r19.b); v24.w += vrmpy(v23.ub,r19.b); r17:16 = memd(r3++#8); v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v26.ub,r12.b); v24.w += vrmpy(v17.ub,r12.b); v23 = vmem(r2++#1) }
{ v25.w += vrmpy(v26.ub,r16.b); v22.w += vrmpy(v17.ub,r16.b) }
{ r13:12 = memd(r6++#8); v20.w += vrmpy(v18.ub,r13.b); v24.w += vrmpy(v23.ub,r13.b) }
{ v25.w += vrmpy(v18.ub,r17.b); v22.w += vrmpy(v23.ub,r17.b); v29 = vmem(r2++#1) }
{ v28.w += vrmpy(v26.ub,r12.b); v27.w += vrmpy(v17.ub,r12.b); v17 = vmem(r2++#1) }
{ v28.w += vrmpy(v18.ub,r13.b); v27.w += vrmpy(v23.ub,r13.b); r13:12 = memd(r3++#8); v26 = vmem(r2++#1) }
{ v21.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v23.ub,r15.b); v18 = vmem(r2++#1) }
{ v25.w += vrmpy(v29.ub,r12.b); v22.w += vrmpy(v17.ub,r12.b); r15:14 = memd(r4++#8) }
{ r13:12 = memd(r6++#8); v25.w += vrmpy(v26.ub,r13.b); v22.w += vrmpy(v18.ub,r13.b) }
{ v21.w += vrmpy(v29.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); r19:18 = memd(r5++#8); r17:16 = memd(r7++#8) }
{ v28.w += vrmpy(v29.ub,r12.b); v27.w += vrmpy(v17.ub,r12.b); r21:20 = memd(r8++#8); v22.h = vasr(v22.w,v25.w,r0) }
{ v20.w += vrmpy(v29.ub,r18.b); v24.w += vrmpy(v17.ub,r18.b); r23:22 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v20.w += vrmpy(v26.ub,r19.b); v24.w += vrmpy(v18.ub,r19.b) }
{ v28.w += vrmpy(v26.ub,r13.b); v27.w += vrmpy(v18.ub,r13.b); v17 = vmem(r2++#1); r11 = combine(r21.l,r17.l) }
{ v21.w += vrmpy(v26.ub,r15.b); v19.w += vrmpy(v18.ub,r15.b); r12 = combine(r25.l,r23.l); v18.h = vasr(v24.w,v20.w,r0) }
{ v23 = vsplat(r11); v24 = vsplat(r12); v20.h = vasr(v27.w,v28.w,r0) }
{ v21.h = vmpy(v17.h,r16.h):<<1:rnd:sat; v19.h = vasr(v19.w,v21.w,r0) }
{ v27.h = vshuffe(v23.h,v23.h); v26.h = vmpy(v17.h,r24.h):<<1:rnd:sat; v25 = vmem(r2++#1) }
{ v27.h = vshuffo(v23.h,v23.h); v22.h = vsub(v22.h,v27.h); v23.h = vmpy(v17.h,r20.h):<<1:rnd:sat }
{ v27.h = vshuffo(v24.h,v24.h); v17.h = vsub(v19.h,v27.h); v19.h = vmpy(v17.h,r22.h):<<1:rnd:sat }
{ v21.h = vshuffe(v24.h,v24.h); v1:0.w += vmpy(v22.h,v21.h); v20.h = vsub(v20.h,v27.h) }
{ v3:2.w += vmpy(v17.h,v23.h); v18.h = vsub(v18.h,v21.h); v17 = vmem(r2++#1) }
{ v7:6.w += vmpy(v20.h,v26.h); r13:12 = memd(r3++#8); v20 = v16; v21 = vmem(r2++#1) }
{ v5:4.w += vmpy(v18.h,v19.h); v19 = v16; v18 = vmem(r2++#1) }
{ v19.w += vrmpy(v25.ub,r12.b); v20.w += vrmpy(v17.ub,r12.b); r15:14 = memd(r4++#8); r17:16 = memd(r5++#8) }
{ v23 = v16; v22 = v16; v19.w += vrmpy(v21.ub,r13.b); v20.w += vrmpy(v18.ub,r13.b) }
{ v26 = v16; v24 = v16; v23.w += vrmpy(v25.ub,r16.b); v22.w += vrmpy(v17.ub,r16.b) }
{ v26.w += vrmpy(v25.ub,r14.b); v24.w += vrmpy(v17.ub,r14.b) }
{ r13:12 = memd(r6++#8); v27 = v16; v26.w += vrmpy(v21.ub,r15.b); v24.w += vrmpy(v18.ub,r15.b) }
{ v28 = v16; v23.w += vrmpy(v21.ub,r17.b); v22.w += vrmpy(v18.ub,r17.b); v29 = vmem(r2++#1) }
{ v28.w += vrmpy(v25.ub,r12.b); v27.w += vrmpy(v17.ub,r12.b); v17 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v28.w += vrmpy(v21.ub,r13.b); v27.w += vrmpy(v18.ub,r13.b); r13:12 = memd(r6++#8); v18 = vmem(r2++#1) }
{ v19.w += vrmpy(v29.ub,r14.b); v20.w += vrmpy(v17.ub,r14.b); v21 = vmem(r2++#1) }
{ r17:16 = memd(r5++#8); v28.w += vrmpy(v29.ub,r12.b); v27.w += vrmpy(v17.ub,r12.b) }
{ v28.w += vrmpy(v18.ub,r13.b); v27.w += vrmpy(v21.ub,r13.b) }
{ v23.w += vrmpy(v29.ub,r16.b); v22.w += vrmpy(v17.ub,r16.b) }
{ r13:12 = memd(r4++#8); v23.w += vrmpy(v18.ub,r17.b); v22.w += vrmpy(v21.ub,r17.b) }
{ v19.w += vrmpy(v18.ub,r15.b); v20.w += vrmpy(v21.ub,r15.b); v25 = vmem(r2++#1) }
{ v26.w += vrmpy(v29.ub,r12.b); v24.w += vrmpy(v17.ub,r12.b); v17 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v26.w += vrmpy(v18.ub,r13.b); v24.w += vrmpy(v21.ub,r13.b); r13:12 = memd(r4++#8) }
{ v19.w += vrmpy(v25.ub,r14.b); v20.w += vrmpy(v17.ub,r14.b); r17:16 = memd(r5++#8) }
{ v26.w += vrmpy(v25.ub,r12.b); v24.w += vrmpy(v17.ub,r12.b); r19:18 = memd(r6++#8); v18 = vmem(r2++#1) }
{ v23.w += vrmpy(v25.ub,r16.b); v22.w += vrmpy(v17.ub,r16.b); v21 = vmem(r2++#1) }
{ v28.w += vrmpy(v25.ub,r18.b); v27.w += vrmpy(v17.ub,r18.b) }
{ v23.w += vrmpy(v18.ub,r17.b); v22.w += vrmpy(v21.ub,r17.b); v17 = vmem(r2++#1) }
{ v26.w += vrmpy(v18.ub,r13.b); v24.w += vrmpy(v21.ub,r13.b); v25 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v19.w += vrmpy(v18.ub,r15.b); v20.w += vrmpy(v21.ub,r15.b); r17:16 = memd(r4++#8); r15:14 = memd(r7++#8) }
{ v19.w += vrmpy(v17.ub,r12.b); v20.w += vrmpy(v25.ub,r12.b); r23:22 = memd(r6++#8); r21:20 = memd(r8++#8) }
{ v28.w += vrmpy(v18.ub,r19.b); v27.w += vrmpy(v21.ub,r19.b); r19:18 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v26.w += vrmpy(v17.ub,r16.b); v24.w += vrmpy(v25.ub,r16.b); r27:26 = memd(r5++#8) }
{ v28.w += vrmpy(v17.ub,r22.b); v27.w += vrmpy(v25.ub,r22.b); v18 = vmem(r2++#1); r11 = combine(r21.l,r15.l) }
{ v23.w += vrmpy(v17.ub,r26.b); v22.w += vrmpy(v25.ub,r26.b); v17 = vmem(r2++#1); r28 = combine(r25.l,r19.l) }
{ v21 = vsplat(r11); v25 = vsplat(r28) }
{ v26.w += vrmpy(v18.ub,r17.b); v24.w += vrmpy(v17.ub,r17.b) }
{ v23.w += vrmpy(v18.ub,r27.b); v22.w += vrmpy(v17.ub,r27.b); v29 = vmem(r2++#1); v30.h = vshuffe(v21.h,v21.h) }
{ v19.w += vrmpy(v18.ub,r13.b); v20.w += vrmpy(v17.ub,r13.b); v24.h = vshuffo(v21.h,v21.h); v21.h = vasr(v24.w,v26.w,r0) }
{ v28.w += vrmpy(v18.ub,r23.b); v27.w += vrmpy(v17.ub,r23.b); v17.h = vshuffo(v25.h,v25.h); v21.h = vsub(v21.h,v24.h) }
{ v20.h = vshuffe(v25.h,v25.h); v18.h = vasr(v20.w,v19.w,r0); v19.h = vmpy(v29.h,r14.h):<<1:rnd:sat }
{ v22.h = vsub(v18.h,v30.h); v23.h = vmpy(v29.h,r20.h):<<1:rnd:sat; v18.h = vasr(v22.w,v23.w,r0) }
{ v24.h = vsub(v18.h,v20.h); v18.h = vasr(v27.w,v28.w,r0); v28.h = vmpy(v29.h,r24.h):<<1:rnd:sat }
.Lhvx_sum_q8_0_rows:
{ v17 = v16; v1:0.w += vmpy(v22.h,v19.h); v30.h = vsub(v18.h,v17.h) }
{ v18 = v16; v19 = v16; v22.h = vmpy(v29.h,r18.h):<<1:rnd:sat }
{ v20 = vmem(r2++#1); v9.w += vasr(v1.w,r1); v3:2.w += vmpy(v21.h,v23.h) }
{ v21 = vmem(r2++#1); r13:12 = memd(r3++#8); v8.w += vasr(v0.w,r1); v5:4.w += vmpy(v24.h,v22.h) }
{ r15:14 = memd(r4++#8); v22 = v16; r17:16 = memd(r5++#8); v11.w += vasr(v3.w,r1) }
{ v18.w += vrmpy(v20.ub,r12.b); v17.w += vrmpy(v21.ub,r12.b); v23 = v16; r19:18 = memd(r6++#8) }
{ v22.w += vrmpy(v20.ub,r14.b); v23.w += vrmpy(v21.ub,r14.b); v24 = v16; v25 = v16 }
{ v19.w += vrmpy(v20.ub,r16.b); v24.w += vrmpy(v21.ub,r16.b); v26 = v16; v27 = vmem(r2++#1) }
{ v26.w += vrmpy(v20.ub,r18.b); v25.w += vrmpy(v21.ub,r18.b); v20 = vmem(r2++#1) }
{ v12.w += vasr(v4.w,r1); v7:6.w += vmpy(v30.h,v28.h) }
{ v26.w += vrmpy(v27.ub,r19.b); v25.w += vrmpy(v20.ub,r19.b) }
{ v18.w += vrmpy(v27.ub,r13.b); v17.w += vrmpy(v20.ub,r13.b); v21 = vmem(r2++#1) }
{ v19.w += vrmpy(v27.ub,r17.b); v24.w += vrmpy(v20.ub,r17.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v22.w += vrmpy(v27.ub,r15.b); v23.w += vrmpy(v20.ub,r15.b); r15:14 = memd(r5++#8) }
{ v18.w += vrmpy(v21.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r6++#8); v20 = vmem(r2++#1) }
{ v19.w += vrmpy(v21.ub,r14.b); v24.w += vrmpy(v28.ub,r14.b); v27 = vmem(r2++#1) }
{ v26.w += vrmpy(v21.ub,r16.b); v25.w += vrmpy(v28.ub,r16.b) }
{ r17:16 = memd(r4++#8); v26.w += vrmpy(v20.ub,r17.b); v25.w += vrmpy(v27.ub,r17.b) }
{ v18.w += vrmpy(v20.ub,r13.b); v17.w += vrmpy(v27.ub,r13.b); v29 = vmem(r2++#1) }
{ v22.w += vrmpy(v21.ub,r16.b); v23.w += vrmpy(v28.ub,r16.b); v21 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v22.w += vrmpy(v20.ub,r17.b); v23.w += vrmpy(v27.ub,r17.b) }
{ r17:16 = memd(r3++#8); v22.w += vrmpy(v29.ub,r12.b); v23.w += vrmpy(v21.ub,r12.b); r19:18 = memd(r5++#8) }
{ v19.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v27.ub,r15.b); v20 = vmem(r2++#1); v10.w += vasr(v2.w,r1) }
{ v19.w += vrmpy(v29.ub,r18.b); v24.w += vrmpy(v21.ub,r18.b); v27 = vmem(r2++#1); v14.w += vasr(v6.w,r1) }
{ v18.w += vrmpy(v29.ub,r16.b); v17.w += vrmpy(v21.ub,r16.b); r15:14 = memd(r6++#8) }
{ v19.w += vrmpy(v20.ub,r19.b); v24.w += vrmpy(v27.ub,r19.b) }
{ v26.w += vrmpy(v29.ub,r14.b); v25.w += vrmpy(v21.ub,r14.b) }
{ v26.w += vrmpy(v20.ub,r15.b); v25.w += vrmpy(v27.ub,r15.b); v21 = vmem(r2++#1) }
{ v22.w += vrmpy(v20.ub,r13.b); v23.w += vrmpy(v27.ub,r13.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v18.w += vrmpy(v20.ub,r17.b); v17.w += vrmpy(v27.ub,r17.b); r15:14 = memd(r5++#8) }
{ v18.w += vrmpy(v21.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r4++#8); r19:18 = memd(r6++#8) }
{ v19.w += vrmpy(v21.ub,r14.b); v24.w += vrmpy(v28.ub,r14.b); v20 = vmem(r2++#1); v15.w += vasr(v7.w,r1) }
{ v22.w += vrmpy(v21.ub,r16.b); v23.w += vrmpy(v28.ub,r16.b); v27 = vmem(r2++#1); r21:20 = memd(r10++#8) }
{ v26.w += vrmpy(v21.ub,r18.b); v25.w += vrmpy(v28.ub,r18.b); r23:22 = memd(r8++#8); r25:24 = memd(r9++#8) }
{ v26.w += vrmpy(v20.ub,r19.b); v25.w += vrmpy(v27.ub,r19.b); r19:18 = memd(r7++#8); v13.w += vasr(v5.w,r1) }
{ v19.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v27.ub,r15.b); v21 = vmem(r2++#1) }
{ v18.w += vrmpy(v20.ub,r13.b); v17.w += vrmpy(v27.ub,r13.b); r11 = combine(r21.l,r25.l); v25.h = vasr(v25.w,v26.w,r0) }
{ v22.w += vrmpy(v20.ub,r17.b); v23.w += vrmpy(v27.ub,r17.b); r12 = combine(r23.l,r19.l); v19.h = vasr(v24.w,v19.w,r0) }
{ v20 = vsplat(r12); v24 = vsplat(r11); v18.h = vasr(v17.w,v18.w,r0); v17 = v16 }
{ v23.h = vasr(v23.w,v22.w,r0); v26.h = vmpy(v21.h,r22.h):<<1:rnd:sat; v22 = v16 }
{ v29.h = vshuffo(v20.h,v20.h); v28.h = vmpy(v21.h,r24.h):<<1:rnd:sat; v27 = v16 }
{ v29.h = vshuffe(v20.h,v20.h); v23.h = vmpy(v21.h,r18.h):<<1:rnd:sat; v20.h = vsub(v23.h,v29.h) }
{ v29.h = vshuffo(v24.h,v24.h); v18.h = vsub(v18.h,v29.h); v21.h = vmpy(v21.h,r20.h):<<1:rnd:sat }
{ v24.h = vshuffe(v24.h,v24.h); v3:2.w = vmpy(v20.h,v26.h); v20.h = vsub(v25.h,v29.h) }
{ v1:0.w = vmpy(v18.h,v23.h); v19.h = vsub(v19.h,v24.h); v18 = vmem(r2++#1) }
{ v7:6.w = vmpy(v20.h,v21.h); v20 = vmem(r2++#1); r13:12 = memd(r3++#8); v21 = v16 }
{ v5:4.w = vmpy(v19.h,v28.h); v19 = v16; r15:14 = memd(r4++#8); r17:16 = memd(r6++#8) }
{ v17.w += vrmpy(v18.ub,r12.b); v19.w += vrmpy(v20.ub,r12.b); r19:18 = memd(r5++#8); v23 = v16 }
{ v27.w += vrmpy(v18.ub,r14.b); v22.w += vrmpy(v20.ub,r14.b); v24 = v16; v25 = vmem(r2++#1) }
{ v26 = v16; v23.w += vrmpy(v18.ub,r16.b); v24.w += vrmpy(v20.ub,r16.b); v28 = vmem(r2++#1) }
{ v21.w += vrmpy(v18.ub,r18.b); v26.w += vrmpy(v20.ub,r18.b) }
{ v21.w += vrmpy(v25.ub,r19.b); v26.w += vrmpy(v28.ub,r19.b) }
{ v17.w += vrmpy(v25.ub,r13.b); v19.w += vrmpy(v28.ub,r13.b); v18 = vmem(r2++#1) }
{ v23.w += vrmpy(v25.ub,r17.b); v24.w += vrmpy(v28.ub,r17.b); v20 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v27.w += vrmpy(v25.ub,r15.b); v22.w += vrmpy(v28.ub,r15.b); r15:14 = memd(r5++#8) }
{ r17:16 = memd(r3++#8); v27.w += vrmpy(v18.ub,r12.b); v22.w += vrmpy(v20.ub,r12.b); v25 = vmem(r2++#1) }
{ v21.w += vrmpy(v18.ub,r14.b); v26.w += vrmpy(v20.ub,r14.b); v28 = vmem(r2++#1) }
{ v17.w += vrmpy(v18.ub,r16.b); v19.w += vrmpy(v20.ub,r16.b) }
{ r13:12 = memd(r6++#8); v27.w += vrmpy(v25.ub,r13.b); v22.w += vrmpy(v28.ub,r13.b) }
{ v21.w += vrmpy(v25.ub,r15.b); v26.w += vrmpy(v28.ub,r15.b) }
{ v23.w += vrmpy(v18.ub,r12.b); v24.w += vrmpy(v20.ub,r12.b); v18 = vmem(r2++#1) }
{ v23.w += vrmpy(v25.ub,r13.b); v24.w += vrmpy(v28.ub,r13.b); v20 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v17.w += vrmpy(v25.ub,r17.b); v19.w += vrmpy(v28.ub,r17.b); r15:14 = memd(r5++#8) }
{ v17.w += vrmpy(v18.ub,r12.b); v19.w += vrmpy(v20.ub,r12.b); r17:16 = memd(r4++#8); v25 = vmem(r2++#1) }
{ v21.w += vrmpy(v18.ub,r14.b); v26.w += vrmpy(v20.ub,r14.b); v28 = vmem(r2++#1) }
{ v27.w += vrmpy(v18.ub,r16.b); v22.w += vrmpy(v20.ub,r16.b) }
{ r15:14 = memd(r6++#8); v21.w += vrmpy(v25.ub,r15.b); v26.w += vrmpy(v28.ub,r15.b) }
{ v27.w += vrmpy(v25.ub,r17.b); v22.w += vrmpy(v28.ub,r17.b) }
{ v23.w += vrmpy(v18.ub,r14.b); v24.w += vrmpy(v20.ub,r14.b); v18 = vmem(r2++#1) }
{ v23.w += vrmpy(v25.ub,r15.b); v24.w += vrmpy(v28.ub,r15.b); v20 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v17.w += vrmpy(v25.ub,r13.b); v19.w += vrmpy(v28.ub,r13.b); r13:12 = memd(r6++#8) }
{ v17.w += vrmpy(v18.ub,r14.b); v19.w += vrmpy(v20.ub,r14.b); r17:16 = memd(r4++#8) }
{ r19:18 = memd(r5++#8); v23.w += vrmpy(v18.ub,r12.b); v24.w += vrmpy(v20.ub,r12.b); v25 = vmem(r2++#1) }
{ v27.w += vrmpy(v18.ub,r16.b); v22.w += vrmpy(v20.ub,r16.b); v28 = vmem(r2++#1) }
{ v21.w += vrmpy(v18.ub,r18.b); v26.w += vrmpy(v20.ub,r18.b); r21:20 = memd(r9++#8); r23:22 = memd(r10++#8) }
{ v23.w += vrmpy(v25.ub,r13.b); v24.w += vrmpy(v28.ub,r13.b); r13:12 = memd(r7++#8); r25:24 = memd(r8++#8) }
{ v27.w += vrmpy(v25.ub,r17.b); v22.w += vrmpy(v28.ub,r17.b); v18 = vmem(r2++#1) }
{ v21.w += vrmpy(v25.ub,r19.b); v26.w += vrmpy(v28.ub,r19.b); r11 = combine(r23.l,r21.l); v20.h = vasr(v24.w,v23.w,r0) }
{ v17.w += vrmpy(v25.ub,r15.b); v19.w += vrmpy(v28.ub,r15.b); r14 = combine(r25.l,r13.l); v22.h = vasr(v22.w,v27.w,r0) }
{ v23 = vsplat(r14); v24 = vsplat(r11); v21.h = vasr(v26.w,v21.w,r0) }
{ v17.h = vasr(v19.w,v17.w,r0); v19.h = vmpy(v18.h,r12.h):<<1:rnd:sat }
{ v27.h = vshuffo(v23.h,v23.h); v26.h = vmpy(v18.h,r24.h):<<1:rnd:sat; v25 = v16 }
{ v27.h = vshuffe(v23.h,v23.h); v22.h = vsub(v22.h,v27.h); v23.h = vmpy(v18.h,r22.h):<<1:rnd:sat }
{ v27.h = vshuffe(v24.h,v24.h); v17.h = vsub(v17.h,v27.h); v18.h = vmpy(v18.h,r20.h):<<1:rnd:sat }
{ v22.h = vshuffo(v24.h,v24.h); v3:2.w += vmpy(v22.h,v26.h); v21.h = vsub(v21.h,v27.h) }
{ v1:0.w += vmpy(v17.h,v19.h); v19.h = vsub(v20.h,v22.h); v17 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v5:4.w += vmpy(v21.h,v18.h); v18 = vmem(r2++#1); r15:14 = memd(r4++#8); v20 = v16 }
{ v7:6.w += vmpy(v19.h,v23.h); v21 = v16; v19 = v16; r17:16 = memd(r5++#8) }
{ v22 = v16; v21.w += vrmpy(v17.ub,r14.b); v19.w += vrmpy(v18.ub,r14.b); v23 = vmem(r2++#1) }
{ v25.w += vrmpy(v17.ub,r12.b); v22.w += vrmpy(v18.ub,r12.b); v24 = v16; v26 = vmem(r2++#1) }
{ v20.w += vrmpy(v17.ub,r16.b); v24.w += vrmpy(v18.ub,r16.b) }
{ r13:12 = memd(r6++#8); v27 = v16; v25.w += vrmpy(v23.ub,r13.b); v22.w += vrmpy(v26.ub,r13.b) }
{ v28 = v16; v21.w += vrmpy(v23.ub,r15.b); v19.w += vrmpy(v26.ub,r15.b); v29 = vmem(r2++#1) }
{ v28.w += vrmpy(v17.ub,r12.b); v27.w += vrmpy(v18.ub,r12.b); v17 = vmem(r2++#1); r15:14 = memd(r4++#8) }
{ v28.w += vrmpy(v23.ub,r13.b); v27.w += vrmpy(v26.ub,r13.b); r13:12 = memd(r3++#8) }
{ v21.w += vrmpy(v29.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b) }
{ v25.w += vrmpy(v29.ub,r12.b); v22.w += vrmpy(v17.ub,r12.b); r19:18 = memd(r5++#8); v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v23.ub,r17.b); v24.w += vrmpy(v26.ub,r17.b); v23 = vmem(r2++#1) }
{ v20.w += vrmpy(v29.ub,r18.b); v24.w += vrmpy(v17.ub,r18.b) }
{ r13:12 = memd(r6++#8); v25.w += vrmpy(v18.ub,r13.b); v22.w += vrmpy(v23.ub,r13.b) }
{ v21.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v23.ub,r15.b); v26 = vmem(r2++#1) }
{ v28.w += vrmpy(v29.ub,r12.b); v27.w += vrmpy(v17.ub,r12.b); v17 = vmem(r2++#1); r15:14 = memd(r4++#8) }
{ v28.w += vrmpy(v18.ub,r13.b); v27.w += vrmpy(v23.ub,r13.b) }
{ v21.w += vrmpy(v26.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); r13:12 = memd(r5++#8) }
{ v20.w += vrmpy(v18.ub,r19.b); v24.w += vrmpy(v23.ub,r19.b); r17:16 = memd(r3++#8); v18 = vmem(r2++#1) }
{ v20.w += vrmpy(v26.ub,r12.b); v24.w += vrmpy(v17.ub,r12.b); v23 = vmem(r2++#1) }
{ v25.w += vrmpy(v26.ub,r16.b); v22.w += vrmpy(v17.ub,r16.b) }
{ r13:12 = memd(r6++#8); v20.w += vrmpy(v18.ub,r13.b); v24.w += vrmpy(v23.ub,r13.b) }
{ v25.w += vrmpy(v18.ub,r17.b); v22.w += vrmpy(v23.ub,r17.b); v29 = vmem(r2++#1) }
{ v28.w += vrmpy(v26.ub,r12.b); v27.w += vrmpy(v17.ub,r12.b); v17 = vmem(r2++#1) }
{ v28.w += vrmpy(v18.ub,r13.b); v27.w += vrmpy(v23.ub,r13.b); r13:12 = memd(r3++#8); v26 = vmem(r2++#1) }
{ v21.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v23.ub,r15.b); v18 = vmem(r2++#1) }
{ v25.w += vrmpy(v29.ub,r12.b); v22.w += vrmpy(v17.ub,r12.b); r15:14 = memd(r4++#8) }
{ r13:12 = memd(r6++#8); v25.w += vrmpy(v26.ub,r13.b); v22.w += vrmpy(v18.ub,r13.b) }
{ v21.w += vrmpy(v29.ub,r14.b); v19.w += vrmpy(v17.ub,r14.b); r19:18 = memd(r5++#8); r17:16 = memd(r7++#8) }
{ v28.w += vrmpy(v29.ub,r12.b); v27.w += vrmpy(v17.ub,r12.b); r21:20 = memd(r8++#8); v22.h = vasr(v22.w,v25.w,r0) }
{ v20.w += vrmpy(v29.ub,r18.b); v24.w += vrmpy(v17.ub,r18.b); r23:22 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v20.w += vrmpy(v26.ub,r19.b); v24.w += vrmpy(v18.ub,r19.b) }
{ v28.w += vrmpy(v26.ub,r13.b); v27.w += vrmpy(v18.ub,r13.b); v17 = vmem(r2++#1); r11 = combine(r21.l,r17.l) }
{ v21.w += vrmpy(v26.ub,r15.b); v19.w += vrmpy(v18.ub,r15.b); r12 = combine(r25.l,r23.l); v18.h = vasr(v24.w,v20.w,r0) }
{ v23 = vsplat(r11); v24 = vsplat(r12); v20.h = vasr(v27.w,v28.w,r0) }
{ v21.h = vmpy(v17.h,r16.h):<<1:rnd:sat; v19.h = vasr(v19.w,v21.w,r0) }
{ v27.h = vshuffe(v23.h,v23.h); v26.h = vmpy(v17.h,r24.h):<<1:rnd:sat; v25 = vmem(r2++#1) }
{ v27.h = vshuffo(v23.h,v23.h); v22.h = vsub(v22.h,v27.h); v23.h = vmpy(v17.h,r20.h):<<1:rnd:sat }
{ v27.h = vshuffo(v24.h,v24.h); v17.h = vsub(v19.h,v27.h); v19.h = vmpy(v17.h,r22.h):<<1:rnd:sat }
{ v21.h = vshuffe(v24.h,v24.h); v1:0.w += vmpy(v22.h,v21.h); v20.h = vsub(v20.h,v27.h) }
{ v3:2.w += vmpy(v17.h,v23.h); v18.h = vsub(v18.h,v21.h); v17 = vmem(r2++#1) }
{ v7:6.w += vmpy(v20.h,v26.h); r13:12 = memd(r3++#8); v20 = v16; v21 = vmem(r2++#1) }
{ v5:4.w += vmpy(v18.h,v19.h); v19 = v16; v18 = vmem(r2++#1) }
{ v19.w += vrmpy(v25.ub,r12.b); v20.w += vrmpy(v17.ub,r12.b); r15:14 = memd(r4++#8); r17:16 = memd(r5++#8) }
{ v23 = v16; v22 = v16; v19.w += vrmpy(v21.ub,r13.b); v20.w += vrmpy(v18.ub,r13.b) }
{ v26 = v16; v24 = v16; v23.w += vrmpy(v25.ub,r16.b); v22.w += vrmpy(v17.ub,r16.b) }
{ v26.w += vrmpy(v25.ub,r14.b); v24.w += vrmpy(v17.ub,r14.b) }
{ r13:12 = memd(r6++#8); v27 = v16; v26.w += vrmpy(v21.ub,r15.b); v24.w += vrmpy(v18.ub,r15.b) }
{ v28 = v16; v23.w += vrmpy(v21.ub,r17.b); v22.w += vrmpy(v18.ub,r17.b); v29 = vmem(r2++#1) }
{ v28.w += vrmpy(v25.ub,r12.b); v27.w += vrmpy(v17.ub,r12.b); v17 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v28.w += vrmpy(v21.ub,r13.b); v27.w += vrmpy(v18.ub,r13.b); r13:12 = memd(r6++#8); v18 = vmem(r2++#1) }
{ v19.w += vrmpy(v29.ub,r14.b); v20.w += vrmpy(v17.ub,r14.b); v21 = vmem(r2++#1) }
{ r17:16 = memd(r5++#8); v28.w += vrmpy(v29.ub,r12.b); v27.w += vrmpy(v17.ub,r12.b) }
{ v28.w += vrmpy(v18.ub,r13.b); v27.w += vrmpy(v21.ub,r13.b) }
{ v23.w += vrmpy(v29.ub,r16.b); v22.w += vrmpy(v17.ub,r16.b) }
{ r13:12 = memd(r4++#8); v23.w += vrmpy(v18.ub,r17.b); v22.w += vrmpy(v21.ub,r17.b) }
{ v19.w += vrmpy(v18.ub,r15.b); v20.w += vrmpy(v21.ub,r15.b); v25 = vmem(r2++#1) }
{ v26.w += vrmpy(v29.ub,r12.b); v24.w += vrmpy(v17.ub,r12.b); v17 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v26.w += vrmpy(v18.ub,r13.b); v24.w += vrmpy(v21.ub,r13.b); r13:12 = memd(r4++#8) }
{ v19.w += vrmpy(v25.ub,r14.b); v20.w += vrmpy(v17.ub,r14.b); r17:16 = memd(r5++#8) }
{ v26.w += vrmpy(v25.ub,r12.b); v24.w += vrmpy(v17.ub,r12.b); r19:18 = memd(r6++#8); v18 = vmem(r2++#1) }
{ v23.w += vrmpy(v25.ub,r16.b); v22.w += vrmpy(v17.ub,r16.b); v21 = vmem(r2++#1) }
{ v28.w += vrmpy(v25.ub,r18.b); v27.w += vrmpy(v17.ub,r18.b) }
{ v23.w += vrmpy(v18.ub,r17.b); v22.w += vrmpy(v21.ub,r17.b); v17 = vmem(r2++#1) }
{ v26.w += vrmpy(v18.ub,r13.b); v24.w += vrmpy(v21.ub,r13.b); v25 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v19.w += vrmpy(v18.ub,r15.b); v20.w += vrmpy(v21.ub,r15.b); r17:16 = memd(r4++#8); r15:14 = memd(r7++#8) }
{ v19.w += vrmpy(v17.ub,r12.b); v20.w += vrmpy(v25.ub,r12.b); r23:22 = memd(r6++#8); r21:20 = memd(r8++#8) }
{ v28.w += vrmpy(v18.ub,r19.b); v27.w += vrmpy(v21.ub,r19.b); r19:18 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v26.w += vrmpy(v17.ub,r16.b); v24.w += vrmpy(v25.ub,r16.b); r27:26 = memd(r5++#8) }
{ v28.w += vrmpy(v17.ub,r22.b); v27.w += vrmpy(v25.ub,r22.b); v18 = vmem(r2++#1); r11 = combine(r21.l,r15.l) }
{ v23.w += vrmpy(v17.ub,r26.b); v22.w += vrmpy(v25.ub,r26.b); v17 = vmem(r2++#1); r28 = combine(r25.l,r19.l) }
{ v21 = vsplat(r11); v25 = vsplat(r28) }
{ v26.w += vrmpy(v18.ub,r17.b); v24.w += vrmpy(v17.ub,r17.b) }
{ v23.w += vrmpy(v18.ub,r27.b); v22.w += vrmpy(v17.ub,r27.b); v29 = vmem(r2++#1); v30.h = vshuffe(v21.h,v21.h) }
{ v19.w += vrmpy(v18.ub,r13.b); v20.w += vrmpy(v17.ub,r13.b); v24.h = vshuffo(v21.h,v21.h); v21.h = vasr(v24.w,v26.w,r0) }
{ v28.w += vrmpy(v18.ub,r23.b); v27.w += vrmpy(v17.ub,r23.b); v17.h = vshuffo(v25.h,v25.h); v21.h = vsub(v21.h,v24.h) }
{ v20.h = vshuffe(v25.h,v25.h); v18.h = vasr(v20.w,v19.w,r0); v19.h = vmpy(v29.h,r14.h):<<1:rnd:sat }
{ v22.h = vsub(v18.h,v30.h); v23.h = vmpy(v29.h,r20.h):<<1:rnd:sat; v18.h = vasr(v22.w,v23.w,r0) }
{ v24.h = vsub(v18.h,v20.h); v18.h = vasr(v27.w,v28.w,r0); v28.h = vmpy(v29.h,r24.h):<<1:rnd:sat }:endloop0
{ v1:0.w += vmpy(v22.h,v19.h); v30.h = vsub(v18.h,v17.h) }
{ v22.h = vmpy(v29.h,r18.h):<<1:rnd:sat }
{ v9.w += vasr(v1.w,r1); v3:2.w += vmpy(v21.h,v23.h) }
{ v8.w += vasr(v0.w,r1); v5:4.w += vmpy(v24.h,v22.h) }
{ v11.w += vasr(v3.w,r1) }
{ v12.w += vasr(v4.w,r1); v7:6.w += vmpy(v30.h,v28.h) }
{ v10.w += vasr(v2.w,r1) }
{ v14.w += vasr(v6.w,r1) }
{ v15.w += vasr(v7.w,r1) }
{ v13.w += vasr(v5.w,r1) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ vmem(r28+#2) = v10; r21:20 = memd(r29+#16) }
{ vmem(r28+#3) = v11; r23:22 = memd(r29+#24) }
{ vmem(r28+#4) = v12; r25:24 = memd(r29+#32) }
{ vmem(r28+#5) = v13; r27:26 = memd(r29+#40) }
{ vmem(r28+#6) = v14 }
{ vmem(r28+#7) = v15 }
{ dealloc_return }
.size hvx_sum_q8_0_rows, .-hvx_sum_q8_0_rows

// 164 packets (156 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q6_k_tiles
.hidden hvx_sum_q6_k_tiles
.type hvx_sum_q6_k_tiles,@function
hvx_sum_q6_k_tiles:
{ allocframe(#56); r28 = r0 }
{ r30 = memw(r28+#48); memd(r29+#0) = r17:16; r16 = ##1061109567 }
{ memd(r29+#8) = r19:18; memd(r29+#16) = r21:20; v8 = vsplat(r16) }
{ memd(r29+#24) = r23:22; memd(r29+#32) = r25:24; r17 = ##252645135 }
{ memd(r29+#40) = r27:26; r30 = add(r30,#-1); v9 = vsplat(r17); r4 = memw(r28+#0) }
{ loop0(.Lhvx_sum_q6_k_tiles,r30); r18 = ##4042322160 }
{ v10 = vsplat(r18); r0 = ##1; r5 = memw(r28+#4) }
{ r1 = ##2; r2 = ##4 }
{ r4 = add(r4,#1024); r6 = memw(r28+#8); r7 = memw(r28+#12) }
{ r5 = add(r5,#1024); r8 = memw(r28+#16); r9 = memw(r28+#32) }
{ r3 = memw(r28+#52); r10 = memw(r28+#56) }
{ r6 = add(r6,#1024); r7 = add(r7,#1024) }
{ r11 = memw(r9+#4); r13:12 = memd(r8++#8) }
{ v11 = vmem(r4+#-8); r15:14 = memd(r8++#8) }
{ v13 = vand(v11,v8); v12 = vmem(r4+#0) }
{ r11 = addasl(r11,r11,#2); v16 = vsplat(r11); v14 = vand(v12,v10); v15 = vmem(r4+#-7) }
{ v19 = vsplat(r11); v12 = v16; v17 = vand(v12,v9); v18 = vand(v15,v8) }
{ v13 = v19; v12.w += vrmpy(v13.ub,r12.b); v20 = vmem(r4+#-6); r11 = memw(r9+#12) }
{ v13.w += vrmpy(v11.ub,r12.b); v12.w += vrmpy(v18.ub,r13.b); v18 = vand(v20,v8); v11 = vmem(r4+#1) }
{ v11.w = vrmpy(v17.ub,r12.b); v14.w = vrmpy(v14.ub,r13.b); v17 = vand(v11,v9); v21 = vand(v11,v10) }
{ v13.w += vrmpy(v15.ub,r13.b); v12.w += vrmpy(v18.ub,r14.b); v15 = vmem(r4+#-5); r17:16 = memd(r8++#8) }
{ v13.w += vrmpy(v20.ub,r14.b); v18 = vand(v15,v8); v20 = vmem(r4+#4); r18 = addasl(r11,r11,#2) }
{ v11.w += vrmpy(v17.ub,r14.b); v14.w += vrmpy(v21.ub,r15.b); v17 = vmem(r4+#-4); r19 = memw(r9++#16) }
{ v13.w += vrmpy(v15.ub,r15.b); v12.w += vrmpy(v18.ub,r15.b); v18 = vand(v17,v8); v15 = vmem(r4+#2) }
{ v13.w = vsub(v13.w,v12.w); v22 = vsplat(r11); v23 = vsplat(r18); v21 = vand(v15,v9) }
{ v20 = v22; v24 = v23; v25.h = vmpy(v20.h,r19.h):<<1:rnd:sat; r21:20 = memd(r8++#8) }
{ v11.w += vasr(v13.w,r1); v24.w += vrmpy(v17.ub,r16.b); v20.w += vrmpy(v18.ub,r16.b); v13 = vand(v15,v10) }
{ v11.w += vasr(v14.w,r2); v17 = vmem(r4+#-3); v14 = v16; v15 = v19 }
{ v21 = vand(v17,v8); v13.w = vrmpy(v21.ub,r16.b); v18.w = vrmpy(v13.ub,r17.b); v26 = vmem(r4+#-2) }
{ v11.h = vasr(v11.w,v12.w,r0); v24.w += vrmpy(v17.ub,r17.b); v17 = vand(v26,v8); v12 = vmem(r4+#3) }
{ v20.w += vrmpy(v21.ub,r17.b); v24.w += vrmpy(v26.ub,r20.b); v21 = vand(v12,v9); v26 = vmem(r4+#-1) }
{ v1:0.w = vmpy(v11.h,v25.h); v11 = vand(v12,v10); v12 = vand(v26,v8) }
{ v20.w += vrmpy(v17.ub,r20.b); v24.w += vrmpy(v26.ub,r21.b); v17 = vmem(r5+#-8) }
{ v20.w += vrmpy(v12.ub,r21.b); v25 = vmem(r4+#5); v12 = vand(v17,v8) }
{ v13.w += vrmpy(v21.ub,r20.b); v18.w += vrmpy(v11.ub,r21.b); v11.w = vsub(v24.w,v20.w); r4 = add(r4,#1792) }
{ v15.w += vrmpy(v17.ub,r12.b); v14.w += vrmpy(v12.ub,r12.b) }
{ v13.w += vasr(v11.w,r1); v11 = vmem(r5+#0); v12.h = vmpy(v25.h,r19.h):<<1:rnd:sat }
{ v13.w += vasr(v18.w,r2); v11 = vand(v11,v9); v17 = vand(v11,v10) }
{ v18 = vmem(r5+#-7) }
{ v13.h = vasr(v13.w,v20.w,r0); v11.w = vrmpy(v11.ub,r12.b); v17.w = vrmpy(v17.ub,r13.b); v20 = v23 }
{ v18 = vand(v18,v8); v15.w += vrmpy(v18.ub,r13.b); v21 = vmem(r5+#-6) }
{ v1:0.w += vmpy(v13.h,v12.h); v13 = vand(v21,v8); v12 = vmem(r5+#1) }
{ v14.w += vrmpy(v18.ub,r13.b); v15.w += vrmpy(v21.ub,r14.b); v21 = vmem(r5+#-5); v18 = v22 }
{ v14.w += vrmpy(v13.ub,r14.b); v12 = vand(v12,v9); v13 = vand(v12,v10); v24 = vmem(r5+#4) }
{ v25 = vand(v21,v8); v15.w += vrmpy(v21.ub,r15.b); v26 = vmem(r5+#-4); v21 = v16 }
{ v11.w += vrmpy(v12.ub,r14.b); v17.w += vrmpy(v13.ub,r15.b); v13 = vand(v26,v8); v12 = vmem(r5+#2) }
{ v14.w += vrmpy(v25.ub,r15.b); v20.w += vrmpy(v26.ub,r16.b); v12 = vand(v12,v9); v25 = vand(v12,v10) }
{ v15.w = vsub(v15.w,v14.w); v24.h = vmpy(v24.h,r19.h):<<1:rnd:sat; v26 = vmem(r5+#-3) }
{ v18.w += vrmpy(v13.ub,r16.b); v13 = vand(v26,v8); v27 = vmem(r5+#-2) }
{ v11.w += vasr(v15.w,r1); v12.w = vrmpy(v12.ub,r16.b); v15.w = vrmpy(v25.ub,r17.b); v25 = vand(v27,v8) }
{ v11.w += vasr(v17.w,r2); v20.w += vrmpy(v26.ub,r17.b); v18.w += vrmpy(v13.ub,r17.b); v13 = vmem(r5+#3) }
{ v20.w += vrmpy(v27.ub,r20.b); v18.w += vrmpy(v25.ub,r20.b); v13 = vand(v13,v9); v17 = vand(v13,v10) }
{ v11.h = vasr(v11.w,v14.w,r0); v14 = vmem(r5+#-1) }
{ v13 = vand(v14,v8); v12.w += vrmpy(v13.ub,r20.b); v15.w += vrmpy(v17.ub,r21.b); v17 = vmem(r5+#5) }
{ v3:2.w = vmpy(v11.h,v24.h); r5 = add(r5,#1792); v11 = v19; v24 = vmem(r6+#-8) }
{ v20.w += vrmpy(v14.ub,r21.b); v18.w += vrmpy(v13.ub,r21.b); v14 = vand(v24,v8); v13 = vmem(r6+#0) }
{ v20.w = vsub(v20.w,v18.w); v11.w += vrmpy(v24.ub,r12.b); v24 = vand(v13,v9); v25 = vmem(r6+#-7) }
{ v17 = vand(v13,v10); v13.h = vmpy(v17.h,r19.h):<<1:rnd:sat; v26 = vand(v25,v8) }
{ v12.w += vasr(v20.w,r1); v21.w += vrmpy(v14.ub,r12.b); v11.w += vrmpy(v25.ub,r13.b); v14 = vmem(r6+#-6) }
{ v12.w += vasr(v15.w,r2); v21.w += vrmpy(v26.ub,r13.b); v20 = vand(v14,v8); v15 = vmem(r6+#1) }
{ v15.w = vrmpy(v24.ub,r12.b); v17.w = vrmpy(v17.ub,r13.b); v24 = vand(v15,v9); v25 = vand(v15,v10) }
{ v12.h = vasr(v12.w,v18.w,r0); v11.w += vrmpy(v14.ub,r14.b); v21.w += vrmpy(v20.ub,r14.b); v14 = vmem(r6+#-5) }
{ v18 = vand(v14,v8); v15.w += vrmpy(v24.ub,r14.b); v17.w += vrmpy(v25.ub,r15.b); v20 = vmem(r6+#4) }
{ v3:2.w += vmpy(v12.h,v13.h); v12 = v22; v13 = vmem(r6+#-4) }
{ v11.w += vrmpy(v14.ub,r15.b); v21.w += vrmpy(v18.ub,r15.b); v14 = v23; v18 = vand(v13,v8) }
{ v11.w = vsub(v11.w,v21.w); v14.w += vrmpy(v13.ub,r16.b); v19 = vmem(r6+#2); v13 = v19 }
{ v12.w += vrmpy(v18.ub,r16.b); v18 = vand(v19,v9); v19 = vand(v19,v10); v24 = vmem(r6+#-3) }
{ v15.w += vasr(v11.w,r1); v11.h = vmpy(v20.h,r19.h):<<1:rnd:sat; v20 = vmem(r6+#-2) }
{ v15.w += vasr(v17.w,r2); v17.w = vrmpy(v18.ub,r16.b); v18.w = vrmpy(v19.ub,r17.b); v19 = vand(v20,v8) }
{ v25 = vand(v24,v8); v14.w += vrmpy(v24.ub,r17.b); v24 = vmem(r6+#3); v16 = v16 }
{ v15.h = vasr(v15.w,v21.w,r0); v14.w += vrmpy(v20.ub,r20.b); v20 = vand(v24,v10); v21 = vmem(r6+#-1) }
{ v12.w += vrmpy(v25.ub,r17.b); v24 = vand(v24,v9); v25 = vand(v21,v8); v26 = vmem(r6+#5) }
{ v5:4.w = vmpy(v15.h,v11.h); r6 = add(r6,#1792); v15 = vmem(r7+#-8); v11 = v22 }
{ v12.w += vrmpy(v19.ub,r20.b); v14.w += vrmpy(v21.ub,r21.b); v21 = vand(v15,v8); v19 = vmem(r7+#0) }
{ v17.w += vrmpy(v24.ub,r20.b); v18.w += vrmpy(v20.ub,r21.b); v19 = vand(v19,v9); v20 = vand(v19,v10) }
{ v12.w += vrmpy(v25.ub,r21.b); v13.w += vrmpy(v15.ub,r12.b); v22 = vmem(r7+#-7); v15 = v23 }
{ v14.w = vsub(v14.w,v12.w); v23.h = vmpy(v26.h,r19.h):<<1:rnd:sat; v24 = vand(v22,v8) }
{ v16.w += vrmpy(v21.ub,r12.b); v13.w += vrmpy(v22.ub,r13.b); v21 = vmem(r7+#-6) }
{ v17.w += vasr(v14.w,r1); v16.w += vrmpy(v24.ub,r13.b); v22 = vand(v21,v8); v14 = vmem(r7+#1) }
{ v17.w += vasr(v18.w,r2); v18.w = vrmpy(v19.ub,r12.b); v19.w = vrmpy(v20.ub,r13.b); v20 = vand(v14,v10) }
{ v13.w += vrmpy(v21.ub,r14.b); v16.w += vrmpy(v22.ub,r14.b); v14 = vand(v14,v9); v21 = vmem(r7+#-5) }
{ v12.h = vasr(v17.w,v12.w,r0); v17 = vand(v21,v8) }
{ v18.w += vrmpy(v14.ub,r14.b); v19.w += vrmpy(v20.ub,r15.b); v14 = vmem(r7+#4) }
{ v5:4.w += vmpy(v12.h,v23.h); v12 = vmem(r7+#-4) }
{ v13.w += vrmpy(v21.ub,r15.b); v16.w += vrmpy(v17.ub,r15.b); v20 = vand(v12,v8); v17 = vmem(r7+#2) }
{ v12.w = vsub(v13.w,v16.w); v15.w += vrmpy(v12.ub,r16.b); v13 = vand(v17,v9); v17 = vand(v17,v10) }
{ v11.w += vrmpy(v20.ub,r16.b); v20 = vmem(r7+#-3) }
{ v18.w += vasr(v12.w,r1); v12.h = vmpy(v14.h,r19.h):<<1:rnd:sat; v14 = vmem(r7+#-2); r11 = memw(r9+#4) }
{ v18.w += vasr(v19.w,r2); v20 = vand(v20,v8); v15.w += vrmpy(v20.ub,r17.b); v19 = vmem(r7+#3) }
{ v21 = vand(v14,v8); v15.w += vrmpy(v14.ub,r20.b); v14 = vand(v19,v9); r13:12 = memd(r8++#8) }
{ v16.h = vasr(v18.w,v16.w,r0); v11.w += vrmpy(v20.ub,r17.b); v18 = vand(v19,v10); v19 = vmem(r7+#-1) }
{ v13.w = vrmpy(v13.ub,r16.b); v17.w = vrmpy(v17.ub,r17.b); v20 = vand(v19,v8); v22 = vmem(r7+#5) }
{ v7:6.w = vmpy(v16.h,v12.h); r7 = add(r7,#1792); r14 = addasl(r11,r11,#2); v12 = vmem(r4+#-8) }
{ v11.w += vrmpy(v21.ub,r20.b); v15.w += vrmpy(v19.ub,r21.b); v16 = vmem(r4+#0); r17:16 = memd(r8++#8) }
{ v13.w += vrmpy(v14.ub,r20.b); v17.w += vrmpy(v18.ub,r21.b); v14 = vand(v16,v9); v16 = vand(v16,v10) }
{ v11.w += vrmpy(v20.ub,r21.b); v19 = vsplat(r11); v18 = vand(v12,v8); r11 = memw(r9+#12) }
{ v15.w = vsub(v15.w,v11.w); v23 = vsplat(r14); v20 = v19; v21 = vmem(r4+#-7) }
{ v18 = v23; v20.w += vrmpy(v18.ub,r12.b); v24 = vand(v21,v8); v25 = vmem(r4+#-6) }
{ v13.w += vasr(v15.w,r1); v18.w += vrmpy(v12.ub,r12.b); v12 = vmem(r4+#1); r15:14 = memd(r8++#8) }
{ v13.w += vasr(v17.w,r2); v15.h = vmpy(v22.h,r19.h):<<1:rnd:sat; v17 = vand(v25,v8); r18 = addasl(r11,r11,#2) }
{ v12.w = vrmpy(v14.ub,r12.b); v14.w = vrmpy(v16.ub,r13.b); v16 = vand(v12,v9); v22 = vand(v12,v10) }
{ v11.h = vasr(v13.w,v11.w,r0); v18.w += vrmpy(v21.ub,r13.b); v20.w += vrmpy(v24.ub,r13.b); v13 = vmem(r4+#-5) }
{ v18.w += vrmpy(v25.ub,r16.b); v20.w += vrmpy(v17.ub,r16.b); v17 = vand(v13,v8); v21 = vmem(r4+#4) }
{ v7:6.w += vmpy(v11.h,v15.h); v15 = vmem(r4+#-4); r22 = memw(r9++#16); v11 = v23 }
{ v12.w += vrmpy(v16.ub,r16.b); v14.w += vrmpy(v22.ub,r17.b); v22 = vand(v15,v8); v16 = vmem(r4+#2) }
{ v18.w += vrmpy(v13.ub,r17.b); v20.w += vrmpy(v17.ub,r17.b); v13 = vand(v16,v9); v16 = vand(v16,v10) }
{ v17.w = vsub(v18.w,v20.w); v24 = vsplat(r11); v25 = vsplat(r18); v18 = vmem(r4+#-3) }
{ v16 = v24; v27 = v25; v13.w = vrmpy(v13.ub,r14.b); v26.w = vrmpy(v16.ub,r15.b) }
{ v12.w += vasr(v17.w,r1); v27.w += vrmpy(v15.ub,r14.b); v16.w += vrmpy(v22.ub,r14.b); v15 = vand(v18,v8) }
{ v12.w += vasr(v14.w,r2); v14.h = vmpy(v21.h,r22.h):<<1:rnd:sat; r19:18 = memd(r8++#8); v17 = vmem(r4+#-2) }
{ v27.w += vrmpy(v18.ub,r15.b); v16.w += vrmpy(v15.ub,r15.b); v18 = vand(v17,v8); v15 = vmem(r4+#3) }
{ v12.h = vasr(v12.w,v20.w,r0); v27.w += vrmpy(v17.ub,r18.b); v17 = vand(v15,v9); v20 = vmem(r4+#-1) }
{ v16.w += vrmpy(v18.ub,r18.b); v15 = vand(v15,v10); v18 = vand(v20,v8); v21 = vmem(r4+#5) }
{ v1:0.w += vmpy(v12.h,v14.h); r4 = add(r4,#1792); v12 = v19; v14 = vmem(r5+#-8) }
{ v27.w += vrmpy(v20.ub,r19.b); v16.w += vrmpy(v18.ub,r19.b); v18 = vand(v14,v8); v20 = vmem(r10+#0) }
{ v13.w += vrmpy(v17.ub,r18.b); v26.w += vrmpy(v15.ub,r19.b); v15.w = vsub(v27.w,v16.w); v17 = vmem(r5+#0) }
{ v11.w += vrmpy(v14.ub,r12.b); v12.w += vrmpy(v18.ub,r12.b); v14 = vand(v17,v9); v17 = vand(v17,v10) }
{ v13.w += vasr(v15.w,r1); v15.h = vmpy(v21.h,r22.h):<<1:rnd:sat; v18 = vmem(r10+#1) }
{ v13.w += vasr(v26.w,r2); v21 = vmem(r5+#-7); v14.w = vrmpy(v14.ub,r12.b); v17.w = vrmpy(v17.ub,r13.b) }
{ v26 = vand(v21,v8); v27 = vmem(r5+#-6); v22 = v24 }
{ v13.h = vasr(v13.w,v16.w,r0); v11.w += vrmpy(v21.ub,r13.b); v21 = vand(v27,v8); v16 = vmem(r5+#1) }
{ v12.w += vrmpy(v26.ub,r13.b); v11.w += vrmpy(v27.ub,r16.b); v26 = vand(v16,v9); v27 = vmem(r5+#-5) }
{ v1:0.w += vmpy(v13.h,v15.h); v13 = vand(v16,v10); v15 = vand(v27,v8) }
{ v12.w += vrmpy(v21.ub,r16.b); v11.w += vrmpy(v27.ub,r17.b); v21 = vmem(r5+#4); v16 = v25 }
{ v18.w += vasr(v1.w,r3); v14.w += vrmpy(v26.ub,r16.b); v17.w += vrmpy(v13.ub,r17.b); v13 = vmem(r5+#-4) }
{ v20.w += vasr(v0.w,r3); vmem(r10+#1) = v18; v12.w += vrmpy(v15.ub,r17.b); v15 = vand(v13,v8) }
{ vmem(r10+#0) = v20; v11.w = vsub(v11.w,v12.w); v16.w += vrmpy(v13.ub,r14.b); v13 = vmem(r5+#2) }
{ v22.w += vrmpy(v15.ub,r14.b); v13 = vand(v13,v9); v15 = vand(v13,v10); v18 = vmem(r5+#-3) }
{ v14.w += vasr(v11.w,r1); v11.h = vmpy(v21.h,r22.h):<<1:rnd:sat; v20 = vand(v18,v8) }
{ v14.w += vasr(v17.w,r2); v13.w = vrmpy(v13.ub,r14.b); v15.w = vrmpy(v15.ub,r15.b); v17 = vmem(r5+#-2) }
{ v16.w += vrmpy(v18.ub,r15.b); v22.w += vrmpy(v20.ub,r15.b); v20 = vand(v17,v8); v18 = vmem(r5+#3) }
{ v12.h = vasr(v14.w,v12.w,r0); v16.w += vrmpy(v17.ub,r18.b); v14 = vand(v18,v9); v17 = vand(v18,v10) }
{ v22.w += vrmpy(v20.ub,r18.b); v18 = vmem(r5+#-1) }
{ v3:2.w += vmpy(v12.h,v11.h); v11 = vand(v18,v8); v12 = vmem(r5+#5) }
{ v16.w += vrmpy(v18.ub,r19.b); r5 = add(r5,#1792); v18 = v23; v20 = vmem(r6+#-8) }
{ v22.w += vrmpy(v11.ub,r19.b); v11 = v19; v26 = vand(v20,v8); v21 = vmem(r6+#0) }
{ v13.w += vrmpy(v14.ub,r18.b); v15.w += vrmpy(v17.ub,r19.b); v14.w = vsub(v16.w,v22.w); v16 = vand(v21,v9) }
{ v17 = vand(v21,v10); v12.h = vmpy(v12.h,r22.h):<<1:rnd:sat; v21 = vmem(r10+#2) }
{ v13.w += vasr(v14.w,r1); v18.w += vrmpy(v20.ub,r12.b); v11.w += vrmpy(v26.ub,r12.b); v14 = vmem(r10+#3) }
{ v13.w += vasr(v15.w,r2); v17 = vmem(r6+#-7); v15.w = vrmpy(v16.ub,r12.b); v16.w = vrmpy(v17.ub,r13.b) }
{ v20 = vand(v17,v8); v26 = vmem(r6+#-6) }
{ v13.h = vasr(v13.w,v22.w,r0); v18.w += vrmpy(v17.ub,r13.b); v17 = vmem(r6+#1) }
{ v11.w += vrmpy(v20.ub,r13.b); v20 = vand(v26,v8); v18.w += vrmpy(v26.ub,r16.b); v22 = vmem(r6+#-5) }
{ v3:2.w += vmpy(v13.h,v12.h); v12 = vand(v17,v9); v13 = vand(v22,v8) }
{ v11.w += vrmpy(v20.ub,r16.b); v17 = vand(v17,v10); v18.w += vrmpy(v22.ub,r17.b); v20 = vmem(r6+#4) }
{ v21.w += vasr(v2.w,r3); v11.w += vrmpy(v13.ub,r17.b); v13 = v25; v22 = vmem(r6+#-4) }
{ vmem(r10+#2) = v21; v14.w += vasr(v3.w,r3); v15.w += vrmpy(v12.ub,r16.b); v16.w += vrmpy(v17.ub,r17.b) }
{ vmem(r10+#3) = v14; v12.w = vsub(v18.w,v11.w); v13.w += vrmpy(v22.ub,r14.b); v14 = vmem(r6+#2) }
{ v17 = v24; v18.h = vmpy(v20.h,r22.h):<<1:rnd:sat; v20 = vmem(r6+#-3) }
{ v15.w += vasr(v12.w,r1); v21 = vand(v22,v8); v19 = vand(v14,v9); v12 = v19 }
{ v15.w += vasr(v16.w,r2); v14 = vand(v14,v10); v13.w += vrmpy(v20.ub,r15.b); v16 = vmem(r6+#-2) }
{ v17.w += vrmpy(v21.ub,r14.b); v21 = vand(v20,v8); v22 = vand(v16,v8); v20 = vmem(r6+#3) }
{ v14.h = vasr(v15.w,v11.w,r0); v11.w = vrmpy(v19.ub,r14.b); v15.w = vrmpy(v14.ub,r15.b); v19 = vmem(r6+#-1) }
{ v17.w += vrmpy(v21.ub,r15.b); v13.w += vrmpy(v16.ub,r18.b); v16 = vand(v20,v9); v20 = vand(v20,v10) }
{ v5:4.w += vmpy(v14.h,v18.h); v14 = vand(v19,v8); v18 = vmem(r7+#-8) }
{ v17.w += vrmpy(v22.ub,r18.b); v13.w += vrmpy(v19.ub,r19.b); v21 = vmem(r6+#5); v19 = v23 }
{ v11.w += vrmpy(v16.ub,r18.b); v15.w += vrmpy(v20.ub,r19.b); r6 = add(r6,#1792); v16 = vand(v18,v8) }
{ v17.w += vrmpy(v14.ub,r19.b); v19.w += vrmpy(v18.ub,r12.b); v14 = vmem(r7+#0); v27 = v24 }
{ v13.w = vsub(v13.w,v17.w); v12.w += vrmpy(v16.ub,r12.b); v14 = vand(v14,v9); v16 = vand(v14,v10) }
{ v18.h = vmpy(v21.h,r22.h):<<1:rnd:sat; v20 = vmem(r7+#-7); v28 = v25 }
{ v11.w += vasr(v13.w,r1); v16 = vmem(r10+#5); v13.w = vrmpy(v14.ub,r12.b); v14.w = vrmpy(v16.ub,r13.b) }
{ v11.w += vasr(v15.w,r2); v15 = vand(v20,v8); v19.w += vrmpy(v20.ub,r13.b); v20 = vmem(r7+#-6) }
{ v22 = vmem(r10+#4); v21 = vand(v20,v8) }
{ v11.h = vasr(v11.w,v17.w,r0); v12.w += vrmpy(v15.ub,r13.b); v19.w += vrmpy(v20.ub,r16.b); v15 = vmem(r7+#1) }
{ v12.w += vrmpy(v21.ub,r16.b); v15 = vand(v15,v9); v17 = vand(v15,v10); v20 = vmem(r7+#-5) }
{ v5:4.w += vmpy(v11.h,v18.h); v11 = vand(v20,v8); v18 = vmem(r7+#4) }
{ v13.w += vrmpy(v15.ub,r16.b); v14.w += vrmpy(v17.ub,r17.b); v15 = vmem(r7+#-4) }
{ v16.w += vasr(v5.w,r3); v19.w += vrmpy(v20.ub,r17.b); v12.w += vrmpy(v11.ub,r17.b); v11 = vand(v15,v8) }
{ v22.w += vasr(v4.w,r3); vmem(r10+#5) = v16; v28.w += vrmpy(v15.ub,r14.b); v15 = vmem(r7+#2) }
{ vmem(r10+#4) = v22; v11.w = vsub(v19.w,v12.w); v27.w += vrmpy(v11.ub,r14.b); v16 = vand(v15,v9) }
{ v17 = vand(v15,v10); v15.h = vmpy(v18.h,r22.h):<<1:rnd:sat; v18 = vmem(r7+#-3) }
{ v13.w += vasr(v11.w,r1); v11 = vand(v18,v8) }
{ v13.w += vasr(v14.w,r2); v29.w = vrmpy(v16.ub,r14.b); v30.w = vrmpy(v17.ub,r15.b); v14 = vmem(r7+#-2) }
{ v28.w += vrmpy(v18.ub,r15.b); v27.w += vrmpy(v11.ub,r15.b); v16 = vand(v14,v8); v11 = vmem(r7+#3) }
{ v12.h = vasr(v13.w,v12.w,r0); v28.w += vrmpy(v14.ub,r18.b); v13 = vmem(r7+#-1) }
{ v27.w += vrmpy(v16.ub,r18.b); v14 = vand(v11,v9); v16 = vand(v13,v8); v31 = vmem(r7+#5) }
.Lhvx_sum_q6_k_tiles:
{ r11 = memw(r9+#4); r13:12 = memd(r8++#8); v7:6.w += vmpy(v12.h,v15.h); v12 = vand(v11,v10) }
{ v11 = vmem(r4+#-8); r15:14 = memd(r8++#8); v28.w += vrmpy(v13.ub,r19.b); v27.w += vrmpy(v16.ub,r19.b) }
{ v13 = vand(v11,v8); v12 = vmem(r4+#0); v29.w += vrmpy(v14.ub,r18.b); v30.w += vrmpy(v12.ub,r19.b) }
{ r11 = addasl(r11,r11,#2); v16 = vsplat(r11); v14 = vand(v12,v10); v15 = vmem(r4+#-7) }
{ v19 = vsplat(r11); v12 = v16; v17 = vand(v12,v9); v18 = vand(v15,v8) }
{ v13 = v19; v12.w += vrmpy(v13.ub,r12.b); v20 = vmem(r4+#-6); r11 = memw(r9+#12) }
{ v13.w += vrmpy(v11.ub,r12.b); v12.w += vrmpy(v18.ub,r13.b); v18 = vand(v20,v8); v11 = vmem(r4+#1) }
{ v11.w = vrmpy(v17.ub,r12.b); v14.w = vrmpy(v14.ub,r13.b); v17 = vand(v11,v9); v21 = vand(v11,v10) }
{ v13.w += vrmpy(v15.ub,r13.b); v12.w += vrmpy(v18.ub,r14.b); v15 = vmem(r4+#-5); r17:16 = memd(r8++#8) }
{ v13.w += vrmpy(v20.ub,r14.b); v18 = vand(v15,v8); v20 = vmem(r4+#4); r18 = addasl(r11,r11,#2) }
{ v11.w += vrmpy(v17.ub,r14.b); v14.w += vrmpy(v21.ub,r15.b); v17 = vmem(r4+#-4); r19 = memw(r9++#16) }
{ v13.w += vrmpy(v15.ub,r15.b); v12.w += vrmpy(v18.ub,r15.b); v18 = vand(v17,v8); v15 = vmem(r4+#2) }
{ v13.w = vsub(v13.w,v12.w); v22 = vsplat(r11); v23 = vsplat(r18); v21 = vand(v15,v9) }
{ v20 = v22; v24 = v23; v25.h = vmpy(v20.h,r19.h):<<1:rnd:sat; r21:20 = memd(r8++#8) }
{ v11.w += vasr(v13.w,r1); v24.w += vrmpy(v17.ub,r16.b); v20.w += vrmpy(v18.ub,r16.b); v13 = vand(v15,v10) }
{ v11.w += vasr(v14.w,r2); v17 = vmem(r4+#-3); v14 = v16; v15 = v19 }
{ v21 = vand(v17,v8); v13.w = vrmpy(v21.ub,r16.b); v18.w = vrmpy(v13.ub,r17.b); v26 = vmem(r4+#-2) }
{ v11.h = vasr(v11.w,v12.w,r0); v24.w += vrmpy(v17.ub,r17.b); v17 = vand(v26,v8); v12 = vmem(r4+#3) }
{ v20.w += vrmpy(v21.ub,r17.b); v24.w += vrmpy(v26.ub,r20.b); v21 = vand(v12,v9); v26 = vmem(r4+#-1) }
{ v1:0.w = vmpy(v11.h,v25.h); v11 = vand(v12,v10); v12 = vand(v26,v8) }
{ v20.w += vrmpy(v17.ub,r20.b); v24.w += vrmpy(v26.ub,r21.b); v17 = vmem(r5+#-8); v26.w = vsub(v28.w,v27.w) }
{ v20.w += vrmpy(v12.ub,r21.b); v25 = vmem(r4+#5); v12 = vand(v17,v8); r7 = add(r7,#1792) }
{ v13.w += vrmpy(v21.ub,r20.b); v18.w += vrmpy(v11.ub,r21.b); v11.w = vsub(v24.w,v20.w); r4 = add(r4,#1792) }
{ v15.w += vrmpy(v17.ub,r12.b); v14.w += vrmpy(v12.ub,r12.b); v29.w += vasr(v26.w,r1) }
{ v13.w += vasr(v11.w,r1); v11 = vmem(r5+#0); v12.h = vmpy(v25.h,r19.h):<<1:rnd:sat }
{ v13.w += vasr(v18.w,r2); v11 = vand(v11,v9); v17 = vand(v11,v10); v28 = vmem(r10+#6) }
{ v18 = vmem(r5+#-7); v31.h = vmpy(v31.h,r22.h):<<1:rnd:sat }
{ v13.h = vasr(v13.w,v20.w,r0); v11.w = vrmpy(v11.ub,r12.b); v17.w = vrmpy(v17.ub,r13.b); v20 = v23 }
{ v18 = vand(v18,v8); v15.w += vrmpy(v18.ub,r13.b); v21 = vmem(r5+#-6); v29.w += vasr(v30.w,r2) }
{ v1:0.w += vmpy(v13.h,v12.h); v13 = vand(v21,v8); v12 = vmem(r5+#1) }
{ v14.w += vrmpy(v18.ub,r13.b); v15.w += vrmpy(v21.ub,r14.b); v21 = vmem(r5+#-5); v18 = v22 }
{ v14.w += vrmpy(v13.ub,r14.b); v12 = vand(v12,v9); v13 = vand(v12,v10); v24 = vmem(r5+#4) }
{ v25 = vand(v21,v8); v15.w += vrmpy(v21.ub,r15.b); v26 = vmem(r5+#-4); v21 = v16 }
{ v11.w += vrmpy(v12.ub,r14.b); v17.w += vrmpy(v13.ub,r15.b); v13 = vand(v26,v8); v12 = vmem(r5+#2) }
{ v14.w += vrmpy(v25.ub,r15.b); v20.w += vrmpy(v26.ub,r16.b); v12 = vand(v12,v9); v25 = vand(v12,v10) }
{ v15.w = vsub(v15.w,v14.w); v24.h = vmpy(v24.h,r19.h):<<1:rnd:sat; v26 = vmem(r5+#-3) }
{ v18.w += vrmpy(v13.ub,r16.b); v13 = vand(v26,v8); v27 = vmem(r5+#-2); v29.h = vasr(v29.w,v27.w,r0) }
{ v11.w += vasr(v15.w,r1); v12.w = vrmpy(v12.ub,r16.b); v15.w = vrmpy(v25.ub,r17.b); v25 = vand(v27,v8) }
{ v11.w += vasr(v17.w,r2); v20.w += vrmpy(v26.ub,r17.b); v18.w += vrmpy(v13.ub,r17.b); v13 = vmem(r5+#3) }
{ v20.w += vrmpy(v27.ub,r20.b); v18.w += vrmpy(v25.ub,r20.b); v13 = vand(v13,v9); v17 = vand(v13,v10) }
{ v11.h = vasr(v11.w,v14.w,r0); v14 = vmem(r5+#-1); v7:6.w += vmpy(v29.h,v31.h) }
{ v13 = vand(v14,v8); v12.w += vrmpy(v13.ub,r20.b); v15.w += vrmpy(v17.ub,r21.b); v17 = vmem(r5+#5) }
{ v3:2.w = vmpy(v11.h,v24.h); r5 = add(r5,#1792); v11 = v19; v24 = vmem(r6+#-8) }
{ v20.w += vrmpy(v14.ub,r21.b); v18.w += vrmpy(v13.ub,r21.b); v14 = vand(v24,v8); v13 = vmem(r6+#0) }
{ v20.w = vsub(v20.w,v18.w); v11.w += vrmpy(v24.ub,r12.b); v24 = vand(v13,v9); v25 = vmem(r6+#-7) }
{ v17 = vand(v13,v10); v13.h = vmpy(v17.h,r19.h):<<1:rnd:sat; v26 = vand(v25,v8) }
{ v12.w += vasr(v20.w,r1); v21.w += vrmpy(v14.ub,r12.b); v11.w += vrmpy(v25.ub,r13.b); v14 = vmem(r6+#-6) }
{ v12.w += vasr(v15.w,r2); v21.w += vrmpy(v26.ub,r13.b); v20 = vand(v14,v8); v15 = vmem(r6+#1) }
{ v15.w = vrmpy(v24.ub,r12.b); v17.w = vrmpy(v17.ub,r13.b); v24 = vand(v15,v9); v25 = vand(v15,v10) }
{ v12.h = vasr(v12.w,v18.w,r0); v11.w += vrmpy(v14.ub,r14.b); v21.w += vrmpy(v20.ub,r14.b); v14 = vmem(r6+#-5) }
{ v18 = vand(v14,v8); v15.w += vrmpy(v24.ub,r14.b); v17.w += vrmpy(v25.ub,r15.b); v20 = vmem(r6+#4) }
{ v3:2.w += vmpy(v12.h,v13.h); v12 = v22; v13 = vmem(r6+#-4) }
{ v11.w += vrmpy(v14.ub,r15.b); v21.w += vrmpy(v18.ub,r15.b); v14 = v23; v18 = vand(v13,v8) }
{ v11.w = vsub(v11.w,v21.w); v14.w += vrmpy(v13.ub,r16.b); v19 = vmem(r6+#2); v13 = v19 }
{ v12.w += vrmpy(v18.ub,r16.b); v18 = vand(v19,v9); v19 = vand(v19,v10); v24 = vmem(r6+#-3) }
{ v15.w += vasr(v11.w,r1); v11.h = vmpy(v20.h,r19.h):<<1:rnd:sat; v20 = vmem(r6+#-2) }
{ v15.w += vasr(v17.w,r2); v17.w = vrmpy(v18.ub,r16.b); v18.w = vrmpy(v19.ub,r17.b); v19 = vand(v20,v8) }
{ v25 = vand(v24,v8); v14.w += vrmpy(v24.ub,r17.b); v24 = vmem(r6+#3); v16 = v16 }
{ v15.h = vasr(v15.w,v21.w,r0); v14.w += vrmpy(v20.ub,r20.b); v20 = vand(v24,v10); v21 = vmem(r6+#-1) }
{ v12.w += vrmpy(v25.ub,r17.b); v24 = vand(v24,v9); v25 = vand(v21,v8); v26 = vmem(r6+#5) }
{ v5:4.w = vmpy(v15.h,v11.h); r6 = add(r6,#1792); v15 = vmem(r7+#-8); v11 = v22 }
{ v12.w += vrmpy(v19.ub,r20.b); v14.w += vrmpy(v21.ub,r21.b); v21 = vand(v15,v8); v19 = vmem(r7+#0) }
{ v17.w += vrmpy(v24.ub,r20.b); v18.w += vrmpy(v20.ub,r21.b); v19 = vand(v19,v9); v20 = vand(v19,v10) }
{ v12.w += vrmpy(v25.ub,r21.b); v13.w += vrmpy(v15.ub,r12.b); v22 = vmem(r7+#-7); v15 = v23 }
{ v14.w = vsub(v14.w,v12.w); v23.h = vmpy(v26.h,r19.h):<<1:rnd:sat; v24 = vand(v22,v8) }
{ v16.w += vrmpy(v21.ub,r12.b); v13.w += vrmpy(v22.ub,r13.b); v21 = vmem(r7+#-6); v28.w += vasr(v6.w,r3) }
{ v17.w += vasr(v14.w,r1); v16.w += vrmpy(v24.ub,r13.b); v22 = vand(v21,v8); v14 = vmem(r7+#1) }
{ v17.w += vasr(v18.w,r2); v18.w = vrmpy(v19.ub,r12.b); v19.w = vrmpy(v20.ub,r13.b); v20 = vand(v14,v10) }
{ v13.w += vrmpy(v21.ub,r14.b); v16.w += vrmpy(v22.ub,r14.b); v14 = vand(v14,v9); v21 = vmem(r7+#-5) }
{ v12.h = vasr(v17.w,v12.w,r0); v17 = vand(v21,v8); v29 = vmem(r10+#7) }
{ v18.w += vrmpy(v14.ub,r14.b); v19.w += vrmpy(v20.ub,r15.b); v14 = vmem(r7+#4); vmem(r10+#6) = v28 }
{ v5:4.w += vmpy(v12.h,v23.h); v12 = vmem(r7+#-4); v29.w += vasr(v7.w,r3) }
{ v13.w += vrmpy(v21.ub,r15.b); v16.w += vrmpy(v17.ub,r15.b); v20 = vand(v12,v8); v17 = vmem(r7+#2) }
{ v12.w = vsub(v13.w,v16.w); v15.w += vrmpy(v12.ub,r16.b); v13 = vand(v17,v9); v17 = vand(v17,v10) }
{ v11.w += vrmpy(v20.ub,r16.b); v20 = vmem(r7+#-3) }
{ v18.w += vasr(v12.w,r1); v12.h = vmpy(v14.h,r19.h):<<1:rnd:sat; v14 = vmem(r7+#-2); r11 = memw(r9+#4) }
{ v18.w += vasr(v19.w,r2); v20 = vand(v20,v8); v15.w += vrmpy(v20.ub,r17.b); v19 = vmem(r7+#3) }
{ v21 = vand(v14,v8); v15.w += vrmpy(v14.ub,r20.b); v14 = vand(v19,v9); r13:12 = memd(r8++#8) }
{ v16.h = vasr(v18.w,v16.w,r0); v11.w += vrmpy(v20.ub,r17.b); v18 = vand(v19,v10); v19 = vmem(r7+#-1) }
{ v13.w = vrmpy(v13.ub,r16.b); v17.w = vrmpy(v17.ub,r17.b); v20 = vand(v19,v8); v22 = vmem(r7+#5) }
{ v7:6.w = vmpy(v16.h,v12.h); r7 = add(r7,#1792); r14 = addasl(r11,r11,#2); v12 = vmem(r4+#-8) }
{ v11.w += vrmpy(v21.ub,r20.b); v15.w += vrmpy(v19.ub,r21.b); v16 = vmem(r4+#0); r17:16 = memd(r8++#8) }
{ v13.w += vrmpy(v14.ub,r20.b); v17.w += vrmpy(v18.ub,r21.b); v14 = vand(v16,v9); v16 = vand(v16,v10) }
{ v11.w += vrmpy(v20.ub,r21.b); v19 = vsplat(r11); v18 = vand(v12,v8); r11 = memw(r9+#12) }
{ v15.w = vsub(v15.w,v11.w); v23 = vsplat(r14); v20 = v19; v21 = vmem(r4+#-7) }
{ v18 = v23; v20.w += vrmpy(v18.ub,r12.b); v24 = vand(v21,v8); v25 = vmem(r4+#-6) }
{ v13.w += vasr(v15.w,r1); v18.w += vrmpy(v12.ub,r12.b); v12 = vmem(r4+#1); r15:14 = memd(r8++#8) }
{ v13.w += vasr(v17.w,r2); v15.h = vmpy(v22.h,r19.h):<<1:rnd:sat; v17 = vand(v25,v8); r18 = addasl(r11,r11,#2) }
{ v12.w = vrmpy(v14.ub,r12.b); v14.w = vrmpy(v16.ub,r13.b); v16 = vand(v12,v9); v22 = vand(v12,v10) }
{ v11.h = vasr(v13.w,v11.w,r0); v18.w += vrmpy(v21.ub,r13.b); v20.w += vrmpy(v24.ub,r13.b); v13 = vmem(r4+#-5) }
{ v18.w += vrmpy(v25.ub,r16.b); v20.w += vrmpy(v17.ub,r16.b); v17 = vand(v13,v8); v21 = vmem(r4+#4) }
{ v7:6.w += vmpy(v11.h,v15.h); v15 = vmem(r4+#-4); r22 = memw(r9++#16); v11 = v23 }
{ v12.w += vrmpy(v16.ub,r16.b); v14.w += vrmpy(v22.ub,r17.b); v22 = vand(v15,v8); v16 = vmem(r4+#2) }
{ v18.w += vrmpy(v13.ub,r17.b); v20.w += vrmpy(v17.ub,r17.b); v13 = vand(v16,v9); v16 = vand(v16,v10) }
{ v17.w = vsub(v18.w,v20.w); v24 = vsplat(r11); v25 = vsplat(r18); v18 = vmem(r4+#-3) }
{ v16 = v24; v27 = v25; v13.w = vrmpy(v13.ub,r14.b); v26.w = vrmpy(v16.ub,r15.b) }
{ v12.w += vasr(v17.w,r1); v27.w += vrmpy(v15.ub,r14.b); v16.w += vrmpy(v22.ub,r14.b); v15 = vand(v18,v8) }
{ v12.w += vasr(v14.w,r2); v14.h = vmpy(v21.h,r22.h):<<1:rnd:sat; r19:18 = memd(r8++#8); v17 = vmem(r4+#-2) }
{ v27.w += vrmpy(v18.ub,r15.b); v16.w += vrmpy(v15.ub,r15.b); v18 = vand(v17,v8); v15 = vmem(r4+#3) }
{ v12.h = vasr(v12.w,v20.w,r0); v27.w += vrmpy(v17.ub,r18.b); v17 = vand(v15,v9); v20 = vmem(r4+#-1) }
{ v16.w += vrmpy(v18.ub,r18.b); v15 = vand(v15,v10); v18 = vand(v20,v8); v21 = vmem(r4+#5) }
{ v1:0.w += vmpy(v12.h,v14.h); r4 = add(r4,#1792); v12 = v19; v14 = vmem(r5+#-8) }
{ v27.w += vrmpy(v20.ub,r19.b); v16.w += vrmpy(v18.ub,r19.b); v18 = vand(v14,v8); v20 = vmem(r10+#0) }
{ v13.w += vrmpy(v17.ub,r18.b); v26.w += vrmpy(v15.ub,r19.b); v15.w = vsub(v27.w,v16.w); v17 = vmem(r5+#0) }
{ v11.w += vrmpy(v14.ub,r12.b); v12.w += vrmpy(v18.ub,r12.b); v14 = vand(v17,v9); v17 = vand(v17,v10) }
{ v13.w += vasr(v15.w,r1); v15.h = vmpy(v21.h,r22.h):<<1:rnd:sat; v18 = vmem(r10+#1) }
{ v13.w += vasr(v26.w,r2); v21 = vmem(r5+#-7); v14.w = vrmpy(v14.ub,r12.b); v17.w = vrmpy(v17.ub,r13.b) }
{ v26 = vand(v21,v8); v27 = vmem(r5+#-6); v22 = v24; vmem(r10+#7) = v29 }
{ v13.h = vasr(v13.w,v16.w,r0); v11.w += vrmpy(v21.ub,r13.b); v21 = vand(v27,v8); v16 = vmem(r5+#1) }
{ v12.w += vrmpy(v26.ub,r13.b); v11.w += vrmpy(v27.ub,r16.b); v26 = vand(v16,v9); v27 = vmem(r5+#-5) }
{ v1:0.w += vmpy(v13.h,v15.h); v13 = vand(v16,v10); v15 = vand(v27,v8) }
{ v12.w += vrmpy(v21.ub,r16.b); v11.w += vrmpy(v27.ub,r17.b); v21 = vmem(r5+#4); v16 = v25 }
{ v18.w += vasr(v1.w,r3); v14.w += vrmpy(v26.ub,r16.b); v17.w += vrmpy(v13.ub,r17.b); v13 = vmem(r5+#-4) }
{ v20.w += vasr(v0.w,r3); vmem(r10+#1) = v18; v12.w += vrmpy(v15.ub,r17.b); v15 = vand(v13,v8) }
{ vmem(r10+#0) = v20; v11.w = vsub(v11.w,v12.w); v16.w += vrmpy(v13.ub,r14.b); v13 = vmem(r5+#2) }
{ v22.w += vrmpy(v15.ub,r14.b); v13 = vand(v13,v9); v15 = vand(v13,v10); v18 = vmem(r5+#-3) }
{ v14.w += vasr(v11.w,r1); v11.h = vmpy(v21.h,r22.h):<<1:rnd:sat; v20 = vand(v18,v8) }
{ v14.w += vasr(v17.w,r2); v13.w = vrmpy(v13.ub,r14.b); v15.w = vrmpy(v15.ub,r15.b); v17 = vmem(r5+#-2) }
{ v16.w += vrmpy(v18.ub,r15.b); v22.w += vrmpy(v20.ub,r15.b); v20 = vand(v17,v8); v18 = vmem(r5+#3) }
{ v12.h = vasr(v14.w,v12.w,r0); v16.w += vrmpy(v17.ub,r18.b); v14 = vand(v18,v9); v17 = vand(v18,v10) }
{ v22.w += vrmpy(v20.ub,r18.b); v18 = vmem(r5+#-1) }
{ v3:2.w += vmpy(v12.h,v11.h); v11 = vand(v18,v8); v12 = vmem(r5+#5) }
{ v16.w += vrmpy(v18.ub,r19.b); r5 = add(r5,#1792); v18 = v23; v20 = vmem(r6+#-8) }
{ v22.w += vrmpy(v11.ub,r19.b); v11 = v19; v26 = vand(v20,v8); v21 = vmem(r6+#0) }
{ v13.w += vrmpy(v14.ub,r18.b); v15.w += vrmpy(v17.ub,r19.b); v14.w = vsub(v16.w,v22.w); v16 = vand(v21,v9) }
{ v17 = vand(v21,v10); v12.h = vmpy(v12.h,r22.h):<<1:rnd:sat; v21 = vmem(r10+#2) }
{ v13.w += vasr(v14.w,r1); v18.w += vrmpy(v20.ub,r12.b); v11.w += vrmpy(v26.ub,r12.b); v14 = vmem(r10+#3) }
{ v13.w += vasr(v15.w,r2); v17 = vmem(r6+#-7); v15.w = vrmpy(v16.ub,r12.b); v16.w = vrmpy(v17.ub,r13.b) }
{ v20 = vand(v17,v8); v26 = vmem(r6+#-6) }
{ v13.h = vasr(v13.w,v22.w,r0); v18.w += vrmpy(v17.ub,r13.b); v17 = vmem(r6+#1) }
{ v11.w += vrmpy(v20.ub,r13.b); v20 = vand(v26,v8); v18.w += vrmpy(v26.ub,r16.b); v22 = vmem(r6+#-5) }
{ v3:2.w += vmpy(v13.h,v12.h); v12 = vand(v17,v9); v13 = vand(v22,v8) }
{ v11.w += vrmpy(v20.ub,r16.b); v17 = vand(v17,v10); v18.w += vrmpy(v22.ub,r17.b); v20 = vmem(r6+#4) }
{ v21.w += vasr(v2.w,r3); v11.w += vrmpy(v13.ub,r17.b); v13 = v25; v22 = vmem(r6+#-4) }
{ vmem(r10+#2) = v21; v14.w += vasr(v3.w,r3); v15.w += vrmpy(v12.ub,r16.b); v16.w += vrmpy(v17.ub,r17.b) }
{ vmem(r10+#3) = v14; v12.w = vsub(v18.w,v11.w); v13.w += vrmpy(v22.ub,r14.b); v14 = vmem(r6+#2) }
{ v17 = v24; v18.h = vmpy(v20.h,r22.h):<<1:rnd:sat; v20 = vmem(r6+#-3) }
{ v15.w += vasr(v12.w,r1); v21 = vand(v22,v8); v19 = vand(v14,v9); v12 = v19 }
{ v15.w += vasr(v16.w,r2); v14 = vand(v14,v10); v13.w += vrmpy(v20.ub,r15.b); v16 = vmem(r6+#-2) }
{ v17.w += vrmpy(v21.ub,r14.b); v21 = vand(v20,v8); v22 = vand(v16,v8); v20 = vmem(r6+#3) }
{ v14.h = vasr(v15.w,v11.w,r0); v11.w = vrmpy(v19.ub,r14.b); v15.w = vrmpy(v14.ub,r15.b); v19 = vmem(r6+#-1) }
{ v17.w += vrmpy(v21.ub,r15.b); v13.w += vrmpy(v16.ub,r18.b); v16 = vand(v20,v9); v20 = vand(v20,v10) }
{ v5:4.w += vmpy(v14.h,v18.h); v14 = vand(v19,v8); v18 = vmem(r7+#-8) }
{ v17.w += vrmpy(v22.ub,r18.b); v13.w += vrmpy(v19.ub,r19.b); v21 = vmem(r6+#5); v19 = v23 }
{ v11.w += vrmpy(v16.ub,r18.b); v15.w += vrmpy(v20.ub,r19.b); r6 = add(r6,#1792); v16 = vand(v18,v8) }
{ v17.w += vrmpy(v14.ub,r19.b); v19.w += vrmpy(v18.ub,r12.b); v14 = vmem(r7+#0); v27 = v24 }
{ v13.w = vsub(v13.w,v17.w); v12.w += vrmpy(v16.ub,r12.b); v14 = vand(v14,v9); v16 = vand(v14,v10) }
{ v18.h = vmpy(v21.h,r22.h):<<1:rnd:sat; v20 = vmem(r7+#-7); v28 = v25 }
{ v11.w += vasr(v13.w,r1); v16 = vmem(r10+#5); v13.w = vrmpy(v14.ub,r12.b); v14.w = vrmpy(v16.ub,r13.b) }
{ v11.w += vasr(v15.w,r2); v15 = vand(v20,v8); v19.w += vrmpy(v20.ub,r13.b); v20 = vmem(r7+#-6) }
{ v22 = vmem(r10+#4); v21 = vand(v20,v8) }
{ v11.h = vasr(v11.w,v17.w,r0); v12.w += vrmpy(v15.ub,r13.b); v19.w += vrmpy(v20.ub,r16.b); v15 = vmem(r7+#1) }
{ v12.w += vrmpy(v21.ub,r16.b); v15 = vand(v15,v9); v17 = vand(v15,v10); v20 = vmem(r7+#-5) }
{ v5:4.w += vmpy(v11.h,v18.h); v11 = vand(v20,v8); v18 = vmem(r7+#4) }
{ v13.w += vrmpy(v15.ub,r16.b); v14.w += vrmpy(v17.ub,r17.b); v15 = vmem(r7+#-4) }
{ v16.w += vasr(v5.w,r3); v19.w += vrmpy(v20.ub,r17.b); v12.w += vrmpy(v11.ub,r17.b); v11 = vand(v15,v8) }
{ v22.w += vasr(v4.w,r3); vmem(r10+#5) = v16; v28.w += vrmpy(v15.ub,r14.b); v15 = vmem(r7+#2) }
{ vmem(r10+#4) = v22; v11.w = vsub(v19.w,v12.w); v27.w += vrmpy(v11.ub,r14.b); v16 = vand(v15,v9) }
{ v17 = vand(v15,v10); v15.h = vmpy(v18.h,r22.h):<<1:rnd:sat; v18 = vmem(r7+#-3) }
{ v13.w += vasr(v11.w,r1); v11 = vand(v18,v8) }
{ v13.w += vasr(v14.w,r2); v29.w = vrmpy(v16.ub,r14.b); v30.w = vrmpy(v17.ub,r15.b); v14 = vmem(r7+#-2) }
{ v28.w += vrmpy(v18.ub,r15.b); v27.w += vrmpy(v11.ub,r15.b); v16 = vand(v14,v8); v11 = vmem(r7+#3) }
{ v12.h = vasr(v13.w,v12.w,r0); v28.w += vrmpy(v14.ub,r18.b); v13 = vmem(r7+#-1) }
{ v27.w += vrmpy(v16.ub,r18.b); v14 = vand(v11,v9); v16 = vand(v13,v8); v31 = vmem(r7+#5) }:endloop0
{ v7:6.w += vmpy(v12.h,v15.h); v12 = vand(v11,v10) }
{ v28.w += vrmpy(v13.ub,r19.b); v27.w += vrmpy(v16.ub,r19.b) }
{ v29.w += vrmpy(v14.ub,r18.b); v30.w += vrmpy(v12.ub,r19.b) }
{ v26.w = vsub(v28.w,v27.w) }
{ r7 = add(r7,#1792) }
{ v29.w += vasr(v26.w,r1) }
{ v28 = vmem(r10+#6) }
{ v31.h = vmpy(v31.h,r22.h):<<1:rnd:sat }
{ v29.w += vasr(v30.w,r2) }
{ v29.h = vasr(v29.w,v27.w,r0) }
{ v7:6.w += vmpy(v29.h,v31.h) }
{ v28.w += vasr(v6.w,r3) }
{ v29 = vmem(r10+#7) }
{ vmem(r10+#6) = v28 }
{ v29.w += vasr(v7.w,r3) }
{ vmem(r10+#7) = v29 }
{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16); r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32); r27:26 = memd(r29+#40) }
{ r30 = add(r29,#56) }
{ dealloc_return }
.size hvx_sum_q6_k_tiles, .-hvx_sum_q6_k_tiles

// 46 packets (44 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q6_k_tile
.hidden hvx_sum_q6_k_tile
.type hvx_sum_q6_k_tile,@function
hvx_sum_q6_k_tile:
{ allocframe(#56); r28 = r0 }
{ r30 = memw(r28+#48); memd(r29+#0) = r17:16; r16 = ##1061109567 }
{ memd(r29+#8) = r19:18; memd(r29+#16) = r21:20; v8 = vsplat(r16) }
{ memd(r29+#24) = r23:22; memd(r29+#32) = r25:24; r17 = ##252645135 }
{ memd(r29+#40) = r27:26; r30 = add(r30,#-1); v9 = vsplat(r17); r4 = memw(r28+#0) }
{ loop0(.Lhvx_sum_q6_k_tile,r30); r18 = ##4042322160 }
{ v10 = vsplat(r18); r0 = ##1; r5 = memw(r28+#16) }
{ r1 = ##2; r2 = ##4 }
{ r4 = add(r4,#1024); r6 = memw(r28+#32); r3 = memw(r28+#52) }
{ r7 = memw(r28+#56) }
{ r8 = memw(r6+#4) }
{ r11:10 = memd(r5++#8); v11 = vmem(r4+#-8) }
{ v13 = vand(v11,v8); v12 = vmem(r4+#0); r13:12 = memd(r5++#8) }
{ r8 = addasl(r8,r8,#2); v16 = vsplat(r8); v14 = vand(v12,v9); v15 = vmem(r4+#-7) }
{ v18 = vsplat(r8); v12 = v16; v16 = vand(v12,v10); v17 = vand(v15,v8) }
{ v13 = v18; v12.w += vrmpy(v13.ub,r10.b); v18 = vmem(r4+#-6); r8 = memw(r6+#12) }
{ v13.w += vrmpy(v11.ub,r10.b); v12.w += vrmpy(v17.ub,r11.b); v17 = vand(v18,v8); v11 = vmem(r4+#1) }
{ v11.w = vrmpy(v14.ub,r10.b); v14.w = vrmpy(v16.ub,r11.b); v16 = vand(v11,v9); v19 = vand(v11,v10) }
{ v13.w += vrmpy(v15.ub,r11.b); v12.w += vrmpy(v17.ub,r12.b); v15 = vmem(r4+#-5); r11:10 = memd(r5++#8) }
{ v13.w += vrmpy(v18.ub,r12.b); v17 = vand(v15,v8); v18 = vmem(r4+#4); v20 = vsplat(r8) }
{ v11.w += vrmpy(v16.ub,r12.b); v14.w += vrmpy(v19.ub,r13.b); v16 = v20; v19 = vmem(r4+#-4) }
{ v13.w += vrmpy(v15.ub,r13.b); v12.w += vrmpy(v17.ub,r13.b); v17 = vand(v19,v8); v15 = vmem(r4+#2) }
{ v13.w = vsub(v13.w,v12.w); r8 = addasl(r8,r8,#2) }
{ v20 = vsplat(r8); v16.w += vrmpy(v17.ub,r10.b); v17 = vand(v15,v10) }
{ v11.w += vasr(v13.w,r1); v13 = v20; r8 = memw(r6++#16) }
{ v11.w += vasr(v14.w,r2); v13.w += vrmpy(v19.ub,r10.b); v14 = vand(v15,v9); r13:12 = memd(r5++#8) }
{ v15.h = vmpy(v18.h,r8.h):<<1:rnd:sat; v18 = vmem(r4+#-3); r9 = memw(r6+#4) }
{ v12.h = vasr(v11.w,v12.w,r0); v17 = vand(v18,v8); v11.w = vrmpy(v14.ub,r10.b); v14.w = vrmpy(v17.ub,r11.b) }
{ v13.w += vrmpy(v18.ub,r11.b); v18 = vmem(r4+#-2); r15:14 = memd(r5++#8) }
{ v1:0.w = vmpy(v12.h,v15.h); v15 = vand(v18,v8); v12 = vmem(r4+#3); r16 = addasl(r9,r9,#2) }
{ v16.w += vrmpy(v17.ub,r11.b); v13.w += vrmpy(v18.ub,r12.b); v17 = vand(v12,v10); v18 = vmem(r4+#-1) }
{ v16.w += vrmpy(v15.ub,r12.b); v12 = vand(v12,v9); v15 = vand(v18,v8); v19 = vmem(r4+#5) }
{ v13.w += vrmpy(v18.ub,r13.b); r4 = add(r4,#1792); v18 = vsplat(r9); r11:10 = memd(r5++#8) }
{ v11.w += vrmpy(v12.ub,r12.b); v14.w += vrmpy(v17.ub,r13.b); v12 = v18; v17 = vmem(r4+#-8) }
{ v16.w += vrmpy(v15.ub,r13.b); v20 = vsplat(r16); v18 = vand(v17,v8); v15 = vmem(r4+#0) }
{ v13.w = vsub(v13.w,v16.w); v19 = v20; v20.h = vmpy(v19.h,r8.h):<<1:rnd:sat; r8 = memw(r6+#12) }
{ v19.w += vrmpy(v17.ub,r14.b); v12.w += vrmpy(v18.ub,r14.b); v15 = vand(v15,v9); v17 = vand(v15,v10) }
{ v11.w += vasr(v13.w,r1); v13 = vmem(r4+#-7) }
{ v11.w += vasr(v14.w,r2); v17 = vand(v13,v8); v14.w = vrmpy(v15.ub,r14.b); v15.w = vrmpy(v17.ub,r15.b) }
{ v19.w += vrmpy(v13.ub,r15.b); v13 = vmem(r4+#-6); r13:12 = memd(r5++#8) }
{ v11.h = vasr(v11.w,v16.w,r0); v12.w += vrmpy(v17.ub,r15.b); v17 = vand(v13,v8); v16 = vmem(r4+#1) }
{ v19.w += vrmpy(v13.ub,r10.b); v13 = vand(v16,v9); v16 = vand(v16,v10); v18 = vmem(r4+#-5) }
{ v1:0.w += vmpy(v11.h,v20.h); v11 = vand(v18,v8); v20 = vmem(r4+#4); r9 = addasl(r8,r8,#2) }
{ v12.w += vrmpy(v17.ub,r10.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r4+#-4); r14 = memw(r6++#16) }
{ v12.w += vrmpy(v11.ub,r11.b); v21 = vsplat(r9); v18 = vand(v17,v8); v11 = vmem(r4+#2) }
{ v14.w += vrmpy(v13.ub,r10.b); v15.w += vrmpy(v16.ub,r11.b); v13.w = vsub(v19.w,v12.w); v16 = v21 }
{ v19 = vsplat(r8); v16.w += vrmpy(v17.ub,r12.b); v11 = vand(v11,v9); v17 = vand(v11,v10) }
{ v14.w += vasr(v13.w,r1); v21 = v19; v13.h = vmpy(v20.h,r14.h):<<1:rnd:sat; r9:8 = memd(r5++#8) }
{ v14.w += vasr(v15.w,r2); v21.w += vrmpy(v18.ub,r12.b); v15 = vmem(r4+#-3) }
{ v11 = vand(v15,v8); v22.w = vrmpy(v11.ub,r12.b); v17.w = vrmpy(v17.ub,r13.b); v18 = vmem(r4+#-2) }
{ v12.h = vasr(v14.w,v12.w,r0); v16.w += vrmpy(v15.ub,r13.b); v14 = vmem(r4+#3) }
{ v21.w += vrmpy(v11.ub,r13.b); v11 = vand(v18,v8); v16.w += vrmpy(v18.ub,r8.b); v15 = vmem(r4+#-1) }
{ v1:0.w += vmpy(v12.h,v13.h); v12 = vand(v14,v10); v13 = vand(v15,v8) }
{ v21.w += vrmpy(v11.ub,r8.b); v16.w += vrmpy(v15.ub,r9.b); v11 = vmem(r4+#5) }
{ v13 = vand(v14,v9); v21.w += vrmpy(v13.ub,r9.b); r4 = add(r4,#1792) }
{ v11.w = vsub(v16.w,v21.w); v23.h = vmpy(v11.h,r14.h):<<1:rnd:sat; v24 = vmem(r7+#0) }
.Lhvx_sum_q6_k_tile:
{ r8 = memw(r6+#4); v22.w += vrmpy(v13.ub,r8.b); v17.w += vrmpy(v12.ub,r9.b) }
{ r11:10 = memd(r5++#8); v11 = vmem(r4+#-8); v22.w += vasr(v11.w,r1) }
{ v13 = vand(v11,v8); v12 = vmem(r4+#0); r13:12 = memd(r5++#8); v22.w += vasr(v17.w,r2) }
{ r8 = addasl(r8,r8,#2); v16 = vsplat(r8); v14 = vand(v12,v9); v15 = vmem(r4+#-7) }
{ v18 = vsplat(r8); v12 = v16; v16 = vand(v12,v10); v17 = vand(v15,v8) }
{ v13 = v18; v12.w += vrmpy(v13.ub,r10.b); v18 = vmem(r4+#-6); r8 = memw(r6+#12) }
{ v13.w += vrmpy(v11.ub,r10.b); v12.w += vrmpy(v17.ub,r11.b); v17 = vand(v18,v8); v11 = vmem(r4+#1) }
{ v11.w = vrmpy(v14.ub,r10.b); v14.w = vrmpy(v16.ub,r11.b); v16 = vand(v11,v9); v19 = vand(v11,v10) }
{ v13.w += vrmpy(v15.ub,r11.b); v12.w += vrmpy(v17.ub,r12.b); v15 = vmem(r4+#-5); r11:10 = memd(r5++#8) }
{ v13.w += vrmpy(v18.ub,r12.b); v17 = vand(v15,v8); v18 = vmem(r4+#4); v20 = vsplat(r8) }
{ v11.w += vrmpy(v16.ub,r12.b); v14.w += vrmpy(v19.ub,r13.b); v16 = v20; v19 = vmem(r4+#-4) }
{ v13.w += vrmpy(v15.ub,r13.b); v12.w += vrmpy(v17.ub,r13.b); v17 = vand(v19,v8); v15 = vmem(r4+#2) }
{ v13.w = vsub(v13.w,v12.w); r8 = addasl(r8,r8,#2); v21.h = vasr(v22.w,v21.w,r0); v22 = vmem(r7+#1) }
{ v20 = vsplat(r8); v16.w += vrmpy(v17.ub,r10.b); v17 = vand(v15,v10) }
{ v11.w += vasr(v13.w,r1); v13 = v20; r8 = memw(r6++#16); v1:0.w += vmpy(v21.h,v23.h) }
{ v11.w += vasr(v14.w,r2); v13.w += vrmpy(v19.ub,r10.b); v14 = vand(v15,v9); r13:12 = memd(r5++#8) }
{ v15.h = vmpy(v18.h,r8.h):<<1:rnd:sat; v18 = vmem(r4+#-3); r9 = memw(r6+#4); v24.w += vasr(v0.w,r3) }
{ v12.h = vasr(v11.w,v12.w,r0); v17 = vand(v18,v8); v11.w = vrmpy(v14.ub,r10.b); v14.w = vrmpy(v17.ub,r11.b) }
{ v13.w += vrmpy(v18.ub,r11.b); v18 = vmem(r4+#-2); r15:14 = memd(r5++#8); v22.w += vasr(v1.w,r3) }
{ v1:0.w = vmpy(v12.h,v15.h); v15 = vand(v18,v8); v12 = vmem(r4+#3); r16 = addasl(r9,r9,#2) }
{ v16.w += vrmpy(v17.ub,r11.b); v13.w += vrmpy(v18.ub,r12.b); v17 = vand(v12,v10); v18 = vmem(r4+#-1) }
{ v16.w += vrmpy(v15.ub,r12.b); v12 = vand(v12,v9); v15 = vand(v18,v8); v19 = vmem(r4+#5) }
{ v13.w += vrmpy(v18.ub,r13.b); r4 = add(r4,#1792); v18 = vsplat(r9); r11:10 = memd(r5++#8) }
{ v11.w += vrmpy(v12.ub,r12.b); v14.w += vrmpy(v17.ub,r13.b); v12 = v18; v17 = vmem(r4+#-8) }
{ v16.w += vrmpy(v15.ub,r13.b); v20 = vsplat(r16); v18 = vand(v17,v8); v15 = vmem(r4+#0) }
{ v13.w = vsub(v13.w,v16.w); v19 = v20; v20.h = vmpy(v19.h,r8.h):<<1:rnd:sat; r8 = memw(r6+#12) }
{ v19.w += vrmpy(v17.ub,r14.b); v12.w += vrmpy(v18.ub,r14.b); v15 = vand(v15,v9); v17 = vand(v15,v10) }
{ v11.w += vasr(v13.w,r1); v13 = vmem(r4+#-7); vmem(r7+#0) = v24 }
{ v11.w += vasr(v14.w,r2); v17 = vand(v13,v8); v14.w = vrmpy(v15.ub,r14.b); v15.w = vrmpy(v17.ub,r15.b) }
{ v19.w += vrmpy(v13.ub,r15.b); v13 = vmem(r4+#-6); r13:12 = memd(r5++#8) }
{ v11.h = vasr(v11.w,v16.w,r0); v12.w += vrmpy(v17.ub,r15.b); v17 = vand(v13,v8); v16 = vmem(r4+#1) }
{ v19.w += vrmpy(v13.ub,r10.b); v13 = vand(v16,v9); v16 = vand(v16,v10); v18 = vmem(r4+#-5) }
{ v1:0.w += vmpy(v11.h,v20.h); v11 = vand(v18,v8); v20 = vmem(r4+#4); r9 = addasl(r8,r8,#2) }
{ v12.w += vrmpy(v17.ub,r10.b); v19.w += vrmpy(v18.ub,r11.b); v17 = vmem(r4+#-4); r14 = memw(r6++#16) }
{ v12.w += vrmpy(v11.ub,r11.b); v21 = vsplat(r9); v18 = vand(v17,v8); v11 = vmem(r4+#2) }
{ v14.w += vrmpy(v13.ub,r10.b); v15.w += vrmpy(v16.ub,r11.b); v13.w = vsub(v19.w,v12.w); v16 = v21 }
{ v19 = vsplat(r8); v16.w += vrmpy(v17.ub,r12.b); v11 = vand(v11,v9); v17 = vand(v11,v10) }
{ v14.w += vasr(v13.w,r1); v21 = v19; v13.h = vmpy(v20.h,r14.h):<<1:rnd:sat; r9:8 = memd(r5++#8) }
{ v14.w += vasr(v15.w,r2); v21.w += vrmpy(v18.ub,r12.b); v15 = vmem(r4+#-3); vmem(r7+#1) = v22 }
{ v11 = vand(v15,v8); v22.w = vrmpy(v11.ub,r12.b); v17.w = vrmpy(v17.ub,r13.b); v18 = vmem(r4+#-2) }
{ v12.h = vasr(v14.w,v12.w,r0); v16.w += vrmpy(v15.ub,r13.b); v14 = vmem(r4+#3) }
{ v21.w += vrmpy(v11.ub,r13.b); v11 = vand(v18,v8); v16.w += vrmpy(v18.ub,r8.b); v15 = vmem(r4+#-1) }
{ v1:0.w += vmpy(v12.h,v13.h); v12 = vand(v14,v10); v13 = vand(v15,v8) }
{ v21.w += vrmpy(v11.ub,r8.b); v16.w += vrmpy(v15.ub,r9.b); v11 = vmem(r4+#5) }
{ v13 = vand(v14,v9); v21.w += vrmpy(v13.ub,r9.b); r4 = add(r4,#1792) }
{ v11.w = vsub(v16.w,v21.w); v23.h = vmpy(v11.h,r14.h):<<1:rnd:sat; v24 = vmem(r7+#0) }:endloop0
{ v22.w += vrmpy(v13.ub,r8.b); v17.w += vrmpy(v12.ub,r9.b) }
{ v22.w += vasr(v11.w,r1) }
{ v22.w += vasr(v17.w,r2) }
{ v21.h = vasr(v22.w,v21.w,r0); v22 = vmem(r7+#1) }
{ v1:0.w += vmpy(v21.h,v23.h) }
{ v24.w += vasr(v0.w,r3) }
{ v22.w += vasr(v1.w,r3) }
{ vmem(r7+#0) = v24 }
{ vmem(r7+#1) = v22 }
{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16); r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32); r27:26 = memd(r29+#40) }
{ r30 = add(r29,#56) }
{ dealloc_return }
.size hvx_sum_q6_k_tile, .-hvx_sum_q6_k_tile

// 109 packets (104 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q6_k_rows
.hidden hvx_sum_q6_k_rows
.type hvx_sum_q6_k_rows,@function
hvx_sum_q6_k_rows:
{ allocframe(#56); r28 = r0 }
{ r30 = memw(r28+#48); memd(r29+#0) = r17:16; r16 = ##1061109567 }
{ memd(r29+#8) = r19:18; memd(r29+#16) = r21:20; v8 = vsplat(r16) }
{ memd(r29+#24) = r23:22; memd(r29+#32) = r25:24; r17 = ##252645135 }
{ memd(r29+#40) = r27:26; r30 = add(r30,#-1); v9 = vsplat(r17); r4 = memw(r28+#0) }
{ loop0(.Lhvx_sum_q6_k_rows,r30); r0 = ##1 }
{ r1 = ##4; r2 = ##6 }
{ r4 = add(r4,#1024); r5 = memw(r28+#16); r6 = memw(r28+#20) }
{ r7 = memw(r28+#24); r8 = memw(r28+#28) }
{ r9 = memw(r28+#32); r10 = memw(r28+#36) }
{ r11 = memw(r28+#40); r12 = memw(r28+#44) }
{ r3 = memw(r28+#52); r13 = memw(r28+#56) }
{ r14 = memw(r9+#4) }
{ r15 = memw(r10+#4); r16 = memw(r11+#4) }
{ r17 = memw(r12+#4); v10 = vmem(r4+#0) }
{ v11 = vmem(r4+#-8) }
{ v14.ub = vlsr(v10.ub,r1); v12 = vsplat(r14); v13 = vsplat(r15); r15:14 = memd(r5++#8) }
{ v16 = vand(v10,v9); v17.ub = vlsr(v11.ub,r2); v10 = vsplat(r16); v15 = vsplat(r17) }
{ v18 = vand(v11,v8); v11 = v12 }
{ v16.h += vasl(v17.h,r1); r17:16 = memd(r6++#8) }
{ v17 = v13; r19:18 = memd(r7++#8) }
{ v12.w += vrmpy(v18.ub,r14.b); v11.w += vrmpy(v16.ub,r14.b); r21:20 = memd(r8++#8); v19 = vmem(r4+#-7) }
{ v13.w += vrmpy(v18.ub,r16.b); v17.w += vrmpy(v16.ub,r16.b); v20 = v10; v21 = vmem(r4+#1) }
{ v10.w += vrmpy(v18.ub,r18.b); v20.w += vrmpy(v16.ub,r18.b); v22 = v15; v23.ub = vlsr(v19.ub,r2) }
{ v15.w += vrmpy(v18.ub,r20.b); v22.w += vrmpy(v16.ub,r20.b); v16.ub = vlsr(v21.ub,r1); v18 = vmem(r4+#-6) }
{ v19 = vand(v19,v8); v14.h += vasl(v23.h,r1) }
{ v23.ub = vlsr(v18.ub,r2) }
{ v12.w += vrmpy(v19.ub,r15.b); v11.w += vrmpy(v14.ub,r15.b); v18 = vand(v21,v9); v21 = vand(v18,v8) }
{ v13.w += vrmpy(v19.ub,r17.b); v17.w += vrmpy(v14.ub,r17.b); v18.h += vasl(v23.h,r1); r15:14 = memd(r5++#8) }
{ v10.w += vrmpy(v19.ub,r19.b); v20.w += vrmpy(v14.ub,r19.b); v23 = vmem(r4+#-5) }
{ v15.w += vrmpy(v19.ub,r21.b); v22.w += vrmpy(v14.ub,r21.b); r17:16 = memd(r6++#8); r19:18 = memd(r7++#8) }
{ v12.w += vrmpy(v21.ub,r14.b); v11.w += vrmpy(v18.ub,r14.b); r21:20 = memd(r8++#8); v14.ub = vlsr(v23.ub,r2) }
{ v10.w += vrmpy(v21.ub,r18.b); v20.w += vrmpy(v18.ub,r18.b); v19 = vand(v23,v8); v23 = vmem(r4+#4) }
{ v13.w += vrmpy(v21.ub,r16.b); v17.w += vrmpy(v18.ub,r16.b); v16.h += vasl(v14.h,r1); v14 = vmem(r4+#2) }
{ v15.w += vrmpy(v21.ub,r20.b); v22.w += vrmpy(v18.ub,r20.b); r22 = memw(r10+#12); r23 = memw(r11+#12) }
{ v12.w += vrmpy(v19.ub,r15.b); v11.w += vrmpy(v16.ub,r15.b); r14 = memw(r9+#12); v18.ub = vlsr(v14.ub,r1) }
{ v10.w += vrmpy(v19.ub,r19.b); v20.w += vrmpy(v16.ub,r19.b); r15 = memw(r12+#12); v14 = vand(v14,v9) }
{ v13.w += vrmpy(v19.ub,r17.b); v17.w += vrmpy(v16.ub,r17.b); v11.h = vasr(v11.w,v12.w,r0); v12 = vmem(r4+#-4) }
{ v15.w += vrmpy(v19.ub,r21.b); v22.w += vrmpy(v16.ub,r21.b); v10.h = vasr(v20.w,v10.w,r0); r17:16 = memd(r5++#8) }
{ v17.h = vasr(v17.w,v13.w,r0); v13 = vsplat(r14); v16 = vsplat(r22); r14 = memw(r9++#16) }
{ v20.h = vasr(v22.w,v15.w,r0); v21 = vand(v12,v8); v15 = vsplat(r23); v19 = vsplat(r15) }
{ v24.ub = vlsr(v12.ub,r2); v12 = v13; v22.h = vmpy(v23.h,r14.h):<<1:rnd:sat; r15 = memw(r10++#16) }
{ v25 = v16; v26 = v19 }
{ v14.h += vasl(v24.h,r1); r19:18 = memd(r6++#8); v1:0.w = vmpy(v11.h,v22.h); v11 = vmem(r4+#-3) }
{ v22 = v15; r21:20 = memd(r7++#8); v27.h = vmpy(v23.h,r15.h):<<1:rnd:sat; v24 = vmem(r4+#3) }
{ v13.w += vrmpy(v21.ub,r16.b); v12.w += vrmpy(v14.ub,r16.b); r23:22 = memd(r8++#8); v28.ub = vlsr(v11.ub,r2) }
{ v16.w += vrmpy(v21.ub,r18.b); v25.w += vrmpy(v14.ub,r18.b); v29.ub = vlsr(v24.ub,r1); v30 = vmem(r4+#-2) }
{ v15.w += vrmpy(v21.ub,r20.b); v22.w += vrmpy(v14.ub,r20.b); v11 = vand(v11,v8); v18.h += vasl(v28.h,r1) }
{ v19.w += vrmpy(v21.ub,r22.b); v26.w += vrmpy(v14.ub,r22.b); v14.ub = vlsr(v30.ub,r2) }
{ v16.w += vrmpy(v11.ub,r19.b); v25.w += vrmpy(v18.ub,r19.b); v21 = vand(v24,v9) }
{ v15.w += vrmpy(v11.ub,r21.b); v22.w += vrmpy(v18.ub,r21.b); v21.h += vasl(v14.h,r1) }
{ v13.w += vrmpy(v11.ub,r17.b); v12.w += vrmpy(v18.ub,r17.b); r17:16 = memd(r5++#8); v14 = vmem(r4+#-1) }
{ v19.w += vrmpy(v11.ub,r23.b); v26.w += vrmpy(v18.ub,r23.b); v11 = vand(v30,v8) }
{ v3:2.w = vmpy(v17.h,v27.h); r19:18 = memd(r6++#8); v17.ub = vlsr(v14.ub,r2) }
{ v13.w += vrmpy(v11.ub,r16.b); v12.w += vrmpy(v21.ub,r16.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v16.w += vrmpy(v11.ub,r18.b); v25.w += vrmpy(v21.ub,r18.b); v29.h += vasl(v17.h,r1) }
{ v15.w += vrmpy(v11.ub,r20.b); v22.w += vrmpy(v21.ub,r20.b); r24 = memw(r11++#16); v17 = vmem(r4+#5) }
{ v19.w += vrmpy(v11.ub,r22.b); v26.w += vrmpy(v21.ub,r22.b); v11 = vand(v14,v8); r4 = add(r4,#1792) }
{ v18.h = vmpy(v23.h,r24.h):<<1:rnd:sat; v14 = vmem(r4+#0) }
{ v13.w += vrmpy(v11.ub,r17.b); v12.w += vrmpy(v29.ub,r17.b); r16 = memw(r12++#16) }
{ v5:4.w = vmpy(v10.h,v18.h); r17 = memw(r9+#4); v10.ub = vlsr(v14.ub,r1); v18 = vmem(r4+#-8) }
{ v16.w += vrmpy(v11.ub,r19.b); v25.w += vrmpy(v29.ub,r19.b); v12.h = vasr(v12.w,v13.w,r0); r18 = memw(r12+#4) }
{ v15.w += vrmpy(v11.ub,r21.b); v22.w += vrmpy(v29.ub,r21.b); r19 = memw(r10+#4); v13.ub = vlsr(v18.ub,r2) }
{ v19.w += vrmpy(v11.ub,r23.b); v26.w += vrmpy(v29.ub,r23.b); v11.h = vasr(v25.w,v16.w,r0); r20 = memw(r11+#4) }
{ v15.h = vmpy(v23.h,r16.h):<<1:rnd:sat; v14.h = vasr(v22.w,v15.w,r0); v16 = vand(v14,v9); r23:22 = memd(r5++#8) }
{ v22.h = vasr(v26.w,v19.w,r0); v19 = vsplat(r17); v21 = vsplat(r19); v23 = vmem(r4+#-7) }
{ v7:6.w = vmpy(v20.h,v15.h); v13 = vand(v18,v8); v16.h += vasl(v13.h,r1); r27:26 = memd(r6++#8) }
{ v15 = v19; v18 = vsplat(r20); v20 = vsplat(r18); v24.ub = vlsr(v23.ub,r2) }
{ v19.w += vrmpy(v13.ub,r22.b); v15.w += vrmpy(v16.ub,r22.b); v25 = v21; r19:18 = memd(r7++#8) }
{ v21.w += vrmpy(v13.ub,r26.b); v25.w += vrmpy(v16.ub,r26.b); v10.h += vasl(v24.h,r1) }
{ v24 = v18; r21:20 = memd(r8++#8); v27.h = vmpy(v17.h,r14.h):<<1:rnd:sat; v26 = vmem(r4+#1) }
{ v18.w += vrmpy(v13.ub,r18.b); v24.w += vrmpy(v16.ub,r18.b); v23 = vand(v23,v8); v28 = vmem(r4+#-6) }
{ v12 = v20; v1:0.w += vmpy(v12.h,v27.h); v27.ub = vlsr(v26.ub,r1) }
{ v20.w += vrmpy(v13.ub,r20.b); v12.w += vrmpy(v16.ub,r20.b); v13.ub = vlsr(v28.ub,r2) }
{ v19.w += vrmpy(v23.ub,r23.b); v15.w += vrmpy(v10.ub,r23.b); v16 = vand(v26,v9); v26 = vmem(r4+#-5) }
{ v21.w += vrmpy(v23.ub,r27.b); v25.w += vrmpy(v10.ub,r27.b); v16.h += vasl(v13.h,r1) }
{ v18.w += vrmpy(v23.ub,r19.b); v24.w += vrmpy(v10.ub,r19.b); v13.ub = vlsr(v26.ub,r2) }
{ v20.w += vrmpy(v23.ub,r21.b); v12.w += vrmpy(v10.ub,r21.b); v10 = vand(v28,v8); r19:18 = memd(r5++#8) }
{ v13.h = vmpy(v17.h,r15.h):<<1:rnd:sat; v27.h += vasl(v13.h,r1) }
{ v19.w += vrmpy(v10.ub,r18.b); v15.w += vrmpy(v16.ub,r18.b); r15:14 = memd(r6++#8) }
{ v3:2.w += vmpy(v11.h,v13.h); r21:20 = memd(r7++#8) }
{ v21.w += vrmpy(v10.ub,r14.b); v25.w += vrmpy(v16.ub,r14.b); r23:22 = memd(r8++#8) }
{ v18.w += vrmpy(v10.ub,r20.b); v24.w += vrmpy(v16.ub,r20.b); v11 = vmem(r4+#4) }
{ v20.w += vrmpy(v10.ub,r22.b); v12.w += vrmpy(v16.ub,r22.b); v13 = vand(v26,v8); v10 = vmem(r4+#2) }
{ v16.h = vmpy(v17.h,r24.h):<<1:rnd:sat; v23 = vmem(r4+#-4) }
{ v19.w += vrmpy(v13.ub,r19.b); v15.w += vrmpy(v27.ub,r19.b); v26.ub = vlsr(v10.ub,r1) }
{ v5:4.w += vmpy(v14.h,v16.h); r17 = memw(r9+#12); v14.ub = vlsr(v23.ub,r2) }
{ v18.w += vrmpy(v13.ub,r21.b); v24.w += vrmpy(v27.ub,r21.b); v10.h = vasr(v15.w,v19.w,r0); v15 = vand(v10,v9) }
{ v21.w += vrmpy(v13.ub,r15.b); v25.w += vrmpy(v27.ub,r15.b); r14 = memw(r10+#12); v15.h += vasl(v14.h,r1) }
{ v16.h = vmpy(v17.h,r16.h):<<1:rnd:sat; v14.h = vasr(v24.w,v18.w,r0); r15 = memw(r11+#12); v17 = vmem(r4+#-3) }
{ v20.w += vrmpy(v13.ub,r23.b); v12.w += vrmpy(v27.ub,r23.b); v13.h = vasr(v25.w,v21.w,r0); r16 = memw(r12+#12) }
{ v7:6.w += vmpy(v22.h,v16.h); v16 = vand(v23,v8); r19:18 = memd(r5++#8); v18.ub = vlsr(v17.ub,r2) }
{ v20.h = vasr(v12.w,v20.w,r0); v12 = vsplat(r17); v19 = vsplat(r14); r21:20 = memd(r7++#8) }
{ v21 = v12; r15:14 = memd(r6++#8); v22 = vsplat(r15); v23 = vsplat(r16) }
{ v12.w += vrmpy(v16.ub,r18.b); v21.w += vrmpy(v15.ub,r18.b); v24 = v19; r16 = memw(r9++#16) }
{ v19.w += vrmpy(v16.ub,r14.b); v24.w += vrmpy(v15.ub,r14.b); v18 = v22; v26.h += vasl(v18.h,r1) }
{ v22.w += vrmpy(v16.ub,r20.b); v18.w += vrmpy(v15.ub,r20.b); r23:22 = memd(r8++#8); v25 = vmem(r4+#3) }
{ v27 = v23; v28.h = vmpy(v11.h,r16.h):<<1:rnd:sat; v29 = vmem(r4+#-2) }
{ v23.w += vrmpy(v16.ub,r22.b); v27.w += vrmpy(v15.ub,r22.b); v16 = vand(v17,v8); v15.ub = vlsr(v25.ub,r1) }
{ v1:0.w += vmpy(v10.h,v28.h); v10.ub = vlsr(v29.ub,r2) }
{ v12.w += vrmpy(v16.ub,r19.b); v21.w += vrmpy(v26.ub,r19.b); v17 = vand(v25,v9) }
{ v22.w += vrmpy(v16.ub,r21.b); v18.w += vrmpy(v26.ub,r21.b); v17.h += vasl(v10.h,r1) }
{ v19.w += vrmpy(v16.ub,r15.b); v24.w += vrmpy(v26.ub,r15.b); r14 = memw(r10++#16); v10 = vmem(r4+#-1) }
{ v23.w += vrmpy(v16.ub,r23.b); v27.w += vrmpy(v26.ub,r23.b); v16 = vand(v29,v8); r19:18 = memd(r6++#8) }
{ v25.h = vmpy(v11.h,r14.h):<<1:rnd:sat; v26.ub = vlsr(v10.ub,r2) }
{ r21:20 = memd(r5++#8); v19.w += vrmpy(v16.ub,r18.b); v24.w += vrmpy(v17.ub,r18.b) }
{ v3:2.w += vmpy(v13.h,v25.h); r23:22 = memd(r8++#8); v15.h += vasl(v26.h,r1) }
{ v12.w += vrmpy(v16.ub,r20.b); v21.w += vrmpy(v17.ub,r20.b); r25:24 = memd(r7++#8) }
{ v23.w += vrmpy(v16.ub,r22.b); v27.w += vrmpy(v17.ub,r22.b); r15 = memw(r11++#16); v25 = vmem(r4+#5) }
{ v22.w += vrmpy(v16.ub,r24.b); v18.w += vrmpy(v17.ub,r24.b); v10 = vand(v10,v8); r4 = add(r4,#1792) }
{ v13.h = vmpy(v11.h,r15.h):<<1:rnd:sat }
{ v12.w += vrmpy(v10.ub,r21.b); v21.w += vrmpy(v15.ub,r21.b) }
{ v5:4.w += vmpy(v14.h,v13.h) }
{ v19.w += vrmpy(v10.ub,r19.b); v24.w += vrmpy(v15.ub,r19.b); v12.h = vasr(v21.w,v12.w,r0) }
{ v22.w += vrmpy(v10.ub,r25.b); v18.w += vrmpy(v15.ub,r25.b); r18 = memw(r12++#16) }
{ v23.w += vrmpy(v10.ub,r23.b); v27.w += vrmpy(v15.ub,r23.b); v10.h = vasr(v24.w,v19.w,r0) }
{ v13.h = vmpy(v11.h,r18.h):<<1:rnd:sat; v11.h = vasr(v18.w,v22.w,r0); v18 = vmem(r13+#1) }
{ v24.h = vasr(v27.w,v23.w,r0); v14.h = vmpy(v25.h,r16.h):<<1:rnd:sat; v15 = vmem(r13+#0) }
{ v7:6.w += vmpy(v20.h,v13.h); v19 = vmem(r13+#2) }
{ v1:0.w += vmpy(v12.h,v14.h); v20 = vmem(r13+#3) }
{ v12.h = vmpy(v25.h,r14.h):<<1:rnd:sat; v26 = vmem(r13+#4) }
.Lhvx_sum_q6_k_rows:
{ r14 = memw(r9+#4); v15.w += vasr(v0.w,r3); v13.h = vmpy(v25.h,r15.h):<<1:rnd:sat }
{ r15 = memw(r10+#4); r16 = memw(r11+#4); v18.w += vasr(v1.w,r3); v3:2.w += vmpy(v10.h,v12.h) }
{ r17 = memw(r12+#4); v10 = vmem(r4+#0); v5:4.w += vmpy(v11.h,v13.h) }
{ v11 = vmem(r4+#-8); vmem(r13+#0) = v15; v19.w += vasr(v2.w,r3) }
{ v14.ub = vlsr(v10.ub,r1); v12 = vsplat(r14); v13 = vsplat(r15); r15:14 = memd(r5++#8) }
{ v16 = vand(v10,v9); v17.ub = vlsr(v11.ub,r2); v10 = vsplat(r16); v15 = vsplat(r17) }
{ v18 = vand(v11,v8); v11 = v12; vmem(r13+#1) = v18; v20.w += vasr(v3.w,r3) }
{ v16.h += vasl(v17.h,r1); r17:16 = memd(r6++#8); vmem(r13+#2) = v19; v25.h = vmpy(v25.h,r18.h):<<1:rnd:sat }
{ v17 = v13; r19:18 = memd(r7++#8); vmem(r13+#3) = v20; v26.w += vasr(v4.w,r3) }
{ v12.w += vrmpy(v18.ub,r14.b); v11.w += vrmpy(v16.ub,r14.b); r21:20 = memd(r8++#8); v19 = vmem(r4+#-7) }
{ v13.w += vrmpy(v18.ub,r16.b); v17.w += vrmpy(v16.ub,r16.b); v20 = v10; v21 = vmem(r4+#1) }
{ v10.w += vrmpy(v18.ub,r18.b); v20.w += vrmpy(v16.ub,r18.b); v22 = v15; v23.ub = vlsr(v19.ub,r2) }
{ v15.w += vrmpy(v18.ub,r20.b); v22.w += vrmpy(v16.ub,r20.b); v16.ub = vlsr(v21.ub,r1); v18 = vmem(r4+#-6) }
{ v19 = vand(v19,v8); v14.h += vasl(v23.h,r1); vmem(r13+#4) = v26 }
{ v23.ub = vlsr(v18.ub,r2); v25 = vmem(r13+#5); v7:6.w += vmpy(v24.h,v25.h) }
{ v12.w += vrmpy(v19.ub,r15.b); v11.w += vrmpy(v14.ub,r15.b); v18 = vand(v21,v9); v21 = vand(v18,v8) }
{ v13.w += vrmpy(v19.ub,r17.b); v17.w += vrmpy(v14.ub,r17.b); v18.h += vasl(v23.h,r1); r15:14 = memd(r5++#8) }
{ v10.w += vrmpy(v19.ub,r19.b); v20.w += vrmpy(v14.ub,r19.b); v23 = vmem(r4+#-5); v25.w += vasr(v5.w,r3) }
{ v15.w += vrmpy(v19.ub,r21.b); v22.w += vrmpy(v14.ub,r21.b); r17:16 = memd(r6++#8); r19:18 = memd(r7++#8) }
{ v12.w += vrmpy(v21.ub,r14.b); v11.w += vrmpy(v18.ub,r14.b); r21:20 = memd(r8++#8); v14.ub = vlsr(v23.ub,r2) }
{ v10.w += vrmpy(v21.ub,r18.b); v20.w += vrmpy(v18.ub,r18.b); v19 = vand(v23,v8); v23 = vmem(r4+#4) }
{ v13.w += vrmpy(v21.ub,r16.b); v17.w += vrmpy(v18.ub,r16.b); v16.h += vasl(v14.h,r1); v14 = vmem(r4+#2) }
{ v15.w += vrmpy(v21.ub,r20.b); v22.w += vrmpy(v18.ub,r20.b); r22 = memw(r10+#12); r23 = memw(r11+#12) }
{ v12.w += vrmpy(v19.ub,r15.b); v11.w += vrmpy(v16.ub,r15.b); r14 = memw(r9+#12); v18.ub = vlsr(v14.ub,r1) }
{ v10.w += vrmpy(v19.ub,r19.b); v20.w += vrmpy(v16.ub,r19.b); r15 = memw(r12+#12); v14 = vand(v14,v9) }
{ v13.w += vrmpy(v19.ub,r17.b); v17.w += vrmpy(v16.ub,r17.b); v11.h = vasr(v11.w,v12.w,r0); v12 = vmem(r4+#-4) }
{ v15.w += vrmpy(v19.ub,r21.b); v22.w += vrmpy(v16.ub,r21.b); v10.h = vasr(v20.w,v10.w,r0); r17:16 = memd(r5++#8) }
{ v17.h = vasr(v17.w,v13.w,r0); v13 = vsplat(r14); v16 = vsplat(r22); r14 = memw(r9++#16) }
{ v20.h = vasr(v22.w,v15.w,r0); v21 = vand(v12,v8); v15 = vsplat(r23); v19 = vsplat(r15) }
{ v24.ub = vlsr(v12.ub,r2); v12 = v13; v22.h = vmpy(v23.h,r14.h):<<1:rnd:sat; r15 = memw(r10++#16) }
{ v25 = v16; v26 = v19; vmem(r13+#5) = v25; v31 = vmem(r13+#6) }
{ v14.h += vasl(v24.h,r1); r19:18 = memd(r6++#8); v1:0.w = vmpy(v11.h,v22.h); v11 = vmem(r4+#-3) }
{ v22 = v15; r21:20 = memd(r7++#8); v27.h = vmpy(v23.h,r15.h):<<1:rnd:sat; v24 = vmem(r4+#3) }
{ v13.w += vrmpy(v21.ub,r16.b); v12.w += vrmpy(v14.ub,r16.b); r23:22 = memd(r8++#8); v28.ub = vlsr(v11.ub,r2) }
{ v16.w += vrmpy(v21.ub,r18.b); v25.w += vrmpy(v14.ub,r18.b); v29.ub = vlsr(v24.ub,r1); v30 = vmem(r4+#-2) }
{ v15.w += vrmpy(v21.ub,r20.b); v22.w += vrmpy(v14.ub,r20.b); v11 = vand(v11,v8); v18.h += vasl(v28.h,r1) }
{ v19.w += vrmpy(v21.ub,r22.b); v26.w += vrmpy(v14.ub,r22.b); v14.ub = vlsr(v30.ub,r2) }
{ v16.w += vrmpy(v11.ub,r19.b); v25.w += vrmpy(v18.ub,r19.b); v21 = vand(v24,v9) }
{ v15.w += vrmpy(v11.ub,r21.b); v22.w += vrmpy(v18.ub,r21.b); v21.h += vasl(v14.h,r1) }
{ v13.w += vrmpy(v11.ub,r17.b); v12.w += vrmpy(v18.ub,r17.b); r17:16 = memd(r5++#8); v14 = vmem(r4+#-1) }
{ v19.w += vrmpy(v11.ub,r23.b); v26.w += vrmpy(v18.ub,r23.b); v11 = vand(v30,v8); v31.w += vasr(v6.w,r3) }
{ v3:2.w = vmpy(v17.h,v27.h); r19:18 = memd(r6++#8); v17.ub = vlsr(v14.ub,r2); vmem(r13+#6) = v31 }
{ v13.w += vrmpy(v11.ub,r16.b); v12.w += vrmpy(v21.ub,r16.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v16.w += vrmpy(v11.ub,r18.b); v25.w += vrmpy(v21.ub,r18.b); v29.h += vasl(v17.h,r1); v27 = vmem(r13+#7) }
{ v15.w += vrmpy(v11.ub,r20.b); v22.w += vrmpy(v21.ub,r20.b); r24 = memw(r11++#16); v17 = vmem(r4+#5) }
{ v19.w += vrmpy(v11.ub,r22.b); v26.w += vrmpy(v21.ub,r22.b); v11 = vand(v14,v8); r4 = add(r4,#1792) }
{ v18.h = vmpy(v23.h,r24.h):<<1:rnd:sat; v14 = vmem(r4+#0); v27.w += vasr(v7.w,r3) }
{ v13.w += vrmpy(v11.ub,r17.b); v12.w += vrmpy(v29.ub,r17.b); r16 = memw(r12++#16) }
{ v5:4.w = vmpy(v10.h,v18.h); r17 = memw(r9+#4); v10.ub = vlsr(v14.ub,r1); v18 = vmem(r4+#-8) }
{ v16.w += vrmpy(v11.ub,r19.b); v25.w += vrmpy(v29.ub,r19.b); v12.h = vasr(v12.w,v13.w,r0); r18 = memw(r12+#4) }
{ v15.w += vrmpy(v11.ub,r21.b); v22.w += vrmpy(v29.ub,r21.b); r19 = memw(r10+#4); v13.ub = vlsr(v18.ub,r2) }
{ v19.w += vrmpy(v11.ub,r23.b); v26.w += vrmpy(v29.ub,r23.b); v11.h = vasr(v25.w,v16.w,r0); r20 = memw(r11+#4) }
{ v15.h = vmpy(v23.h,r16.h):<<1:rnd:sat; v14.h = vasr(v22.w,v15.w,r0); v16 = vand(v14,v9); r23:22 = memd(r5++#8) }
{ v22.h = vasr(v26.w,v19.w,r0); v19 = vsplat(r17); v21 = vsplat(r19); v23 = vmem(r4+#-7) }
{ v7:6.w = vmpy(v20.h,v15.h); v13 = vand(v18,v8); v16.h += vasl(v13.h,r1); r27:26 = memd(r6++#8) }
{ v15 = v19; v18 = vsplat(r20); v20 = vsplat(r18); v24.ub = vlsr(v23.ub,r2) }
{ v19.w += vrmpy(v13.ub,r22.b); v15.w += vrmpy(v16.ub,r22.b); v25 = v21; r19:18 = memd(r7++#8) }
{ v21.w += vrmpy(v13.ub,r26.b); v25.w += vrmpy(v16.ub,r26.b); v10.h += vasl(v24.h,r1); vmem(r13+#7) = v27 }
{ v24 = v18; r21:20 = memd(r8++#8); v27.h = vmpy(v17.h,r14.h):<<1:rnd:sat; v26 = vmem(r4+#1) }
{ v18.w += vrmpy(v13.ub,r18.b); v24.w += vrmpy(v16.ub,r18.b); v23 = vand(v23,v8); v28 = vmem(r4+#-6) }
{ v12 = v20; v1:0.w += vmpy(v12.h,v27.h); v27.ub = vlsr(v26.ub,r1) }
{ v20.w += vrmpy(v13.ub,r20.b); v12.w += vrmpy(v16.ub,r20.b); v13.ub = vlsr(v28.ub,r2) }
{ v19.w += vrmpy(v23.ub,r23.b); v15.w += vrmpy(v10.ub,r23.b); v16 = vand(v26,v9); v26 = vmem(r4+#-5) }
{ v21.w += vrmpy(v23.ub,r27.b); v25.w += vrmpy(v10.ub,r27.b); v16.h += vasl(v13.h,r1) }
{ v18.w += vrmpy(v23.ub,r19.b); v24.w += vrmpy(v10.ub,r19.b); v13.ub = vlsr(v26.ub,r2) }
{ v20.w += vrmpy(v23.ub,r21.b); v12.w += vrmpy(v10.ub,r21.b); v10 = vand(v28,v8); r19:18 = memd(r5++#8) }
{ v13.h = vmpy(v17.h,r15.h):<<1:rnd:sat; v27.h += vasl(v13.h,r1) }
{ v19.w += vrmpy(v10.ub,r18.b); v15.w += vrmpy(v16.ub,r18.b); r15:14 = memd(r6++#8) }
{ v3:2.w += vmpy(v11.h,v13.h); r21:20 = memd(r7++#8) }
{ v21.w += vrmpy(v10.ub,r14.b); v25.w += vrmpy(v16.ub,r14.b); r23:22 = memd(r8++#8) }
{ v18.w += vrmpy(v10.ub,r20.b); v24.w += vrmpy(v16.ub,r20.b); v11 = vmem(r4+#4) }
{ v20.w += vrmpy(v10.ub,r22.b); v12.w += vrmpy(v16.ub,r22.b); v13 = vand(v26,v8); v10 = vmem(r4+#2) }
{ v16.h = vmpy(v17.h,r24.h):<<1:rnd:sat; v23 = vmem(r4+#-4) }
{ v19.w += vrmpy(v13.ub,r19.b); v15.w += vrmpy(v27.ub,r19.b); v26.ub = vlsr(v10.ub,r1) }
{ v5:4.w += vmpy(v14.h,v16.h); r17 = memw(r9+#12); v14.ub = vlsr(v23.ub,r2) }
{ v18.w += vrmpy(v13.ub,r21.b); v24.w += vrmpy(v27.ub,r21.b); v10.h = vasr(v15.w,v19.w,r0); v15 = vand(v10,v9) }
{ v21.w += vrmpy(v13.ub,r15.b); v25.w += vrmpy(v27.ub,r15.b); r14 = memw(r10+#12); v15.h += vasl(v14.h,r1) }
{ v16.h = vmpy(v17.h,r16.h):<<1:rnd:sat; v14.h = vasr(v24.w,v18.w,r0); r15 = memw(r11+#12); v17 = vmem(r4+#-3) }
{ v20.w += vrmpy(v13.ub,r23.b); v12.w += vrmpy(v27.ub,r23.b); v13.h = vasr(v25.w,v21.w,r0); r16 = memw(r12+#12) }
{ v7:6.w += vmpy(v22.h,v16.h); v16 = vand(v23,v8); r19:18 = memd(r5++#8); v18.ub = vlsr(v17.ub,r2) }
{ v20.h = vasr(v12.w,v20.w,r0); v12 = vsplat(r17); v19 = vsplat(r14); r21:20 = memd(r7++#8) }
{ v21 = v12; r15:14 = memd(r6++#8); v22 = vsplat(r15); v23 = vsplat(r16) }
{ v12.w += vrmpy(v16.ub,r18.b); v21.w += vrmpy(v15.ub,r18.b); v24 = v19; r16 = memw(r9++#16) }
{ v19.w += vrmpy(v16.ub,r14.b); v24.w += vrmpy(v15.ub,r14.b); v18 = v22; v26.h += vasl(v18.h,r1) }
{ v22.w += vrmpy(v16.ub,r20.b); v18.w += vrmpy(v15.ub,r20.b); r23:22 = memd(r8++#8); v25 = vmem(r4+#3) }
{ v27 = v23; v28.h = vmpy(v11.h,r16.h):<<1:rnd:sat; v29 = vmem(r4+#-2) }
{ v23.w += vrmpy(v16.ub,r22.b); v27.w += vrmpy(v15.ub,r22.b); v16 = vand(v17,v8); v15.ub = vlsr(v25.ub,r1) }
{ v1:0.w += vmpy(v10.h,v28.h); v10.ub = vlsr(v29.ub,r2) }
{ v12.w += vrmpy(v16.ub,r19.b); v21.w += vrmpy(v26.ub,r19.b); v17 = vand(v25,v9) }
{ v22.w += vrmpy(v16.ub,r21.b); v18.w += vrmpy(v26.ub,r21.b); v17.h += vasl(v10.h,r1) }
{ v19.w += vrmpy(v16.ub,r15.b); v24.w += vrmpy(v26.ub,r15.b); r14 = memw(r10++#16); v10 = vmem(r4+#-1) }
{ v23.w += vrmpy(v16.ub,r23.b); v27.w += vrmpy(v26.ub,r23.b); v16 = vand(v29,v8); r19:18 = memd(r6++#8) }
{ v25.h = vmpy(v11.h,r14.h):<<1:rnd:sat; v26.ub = vlsr(v10.ub,r2) }
{ r21:20 = memd(r5++#8); v19.w += vrmpy(v16.ub,r18.b); v24.w += vrmpy(v17.ub,r18.b) }
{ v3:2.w += vmpy(v13.h,v25.h); r23:22 = memd(r8++#8); v15.h += vasl(v26.h,r1) }
{ v12.w += vrmpy(v16.ub,r20.b); v21.w += vrmpy(v17.ub,r20.b); r25:24 = memd(r7++#8) }
{ v23.w += vrmpy(v16.ub,r22.b); v27.w += vrmpy(v17.ub,r22.b); r15 = memw(r11++#16); v25 = vmem(r4+#5) }
{ v22.w += vrmpy(v16.ub,r24.b); v18.w += vrmpy(v17.ub,r24.b); v10 = vand(v10,v8); r4 = add(r4,#1792) }
{ v13.h = vmpy(v11.h,r15.h):<<1:rnd:sat }
{ v12.w += vrmpy(v10.ub,r21.b); v21.w += vrmpy(v15.ub,r21.b) }
{ v5:4.w += vmpy(v14.h,v13.h) }
{ v19.w += vrmpy(v10.ub,r19.b); v24.w += vrmpy(v15.ub,r19.b); v12.h = vasr(v21.w,v12.w,r0) }
{ v22.w += vrmpy(v10.ub,r25.b); v18.w += vrmpy(v15.ub,r25.b); r18 = memw(r12++#16) }
{ v23.w += vrmpy(v10.ub,r23.b); v27.w += vrmpy(v15.ub,r23.b); v10.h = vasr(v24.w,v19.w,r0) }
{ v13.h = vmpy(v11.h,r18.h):<<1:rnd:sat; v11.h = vasr(v18.w,v22.w,r0); v18 = vmem(r13+#1) }
{ v24.h = vasr(v27.w,v23.w,r0); v14.h = vmpy(v25.h,r16.h):<<1:rnd:sat; v15 = vmem(r13+#0) }
{ v7:6.w += vmpy(v20.h,v13.h); v19 = vmem(r13+#2) }
{ v1:0.w += vmpy(v12.h,v14.h); v20 = vmem(r13+#3) }
{ v12.h = vmpy(v25.h,r14.h):<<1:rnd:sat; v26 = vmem(r13+#4) }:endloop0
{ v15.w += vasr(v0.w,r3); v13.h = vmpy(v25.h,r15.h):<<1:rnd:sat }
{ v18.w += vasr(v1.w,r3); v3:2.w += vmpy(v10.h,v12.h) }
{ v5:4.w += vmpy(v11.h,v13.h) }
{ vmem(r13+#0) = v15; v19.w += vasr(v2.w,r3) }
{ vmem(r13+#1) = v18; v20.w += vasr(v3.w,r3) }
{ vmem(r13+#2) = v19; v25.h = vmpy(v25.h,r18.h):<<1:rnd:sat }
{ vmem(r13+#3) = v20; v26.w += vasr(v4.w,r3) }
{ vmem(r13+#4) = v26 }
{ v25 = vmem(r13+#5); v7:6.w += vmpy(v24.h,v25.h) }
{ v25.w += vasr(v5.w,r3) }
{ vmem(r13+#5) = v25; v31 = vmem(r13+#6) }
{ v31.w += vasr(v6.w,r3) }
{ vmem(r13+#6) = v31 }
{ v27 = vmem(r13+#7) }
{ v27.w += vasr(v7.w,r3) }
{ vmem(r13+#7) = v27 }
{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16); r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32); r27:26 = memd(r29+#40) }
{ r30 = add(r29,#56) }
{ dealloc_return }
.size hvx_sum_q6_k_rows, .-hvx_sum_q6_k_rows

// 184 packets (179 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q4_1_tiles
.hidden hvx_sum_q4_1_tiles
.type hvx_sum_q4_1_tiles,@function
hvx_sum_q4_1_tiles:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); r0 = ##4 }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##252645135 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_q4_1_tiles,r30); v8 = vmem(r31+#0); memw(r29+#48) = r31 }
{ v9 = vmem(r31+#1); r2 = memw(r28+#0) }
{ v10 = vmem(r31+#2); r3 = memw(r28+#4) }
{ v11 = vmem(r31+#3); r4 = memw(r28+#8) }
{ v12 = vmem(r31+#4); r5 = memw(r28+#12) }
{ v13 = vmem(r31+#5); r6 = memw(r28+#16) }
{ v14 = vmem(r31+#6); r7 = memw(r28+#32) }
{ v15 = vmem(r31+#7); r1 = memw(r28+#52) }
{ r9:8 = memd(r6++#8); v17 = vmem(r2++#1) }
{ v18 = vand(v17,v16); v17.w = vrmpy(v17.ub,r8.b); v19 = vmem(r2++#1); r11:10 = memd(r6++#8) }
{ v20 = vand(v19,v16); v21 = vmem(r2++#1); r13:12 = memd(r7++#8) }
{ v17.w += vrmpy(v19.ub,r9.b); v18.w = vrmpy(v18.ub,r8.b); v19 = vand(v21,v16); v22 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r10.b); v18.w += vrmpy(v20.ub,r9.b); v20 = vand(v22,v16); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v19.ub,r10.b); r15:14 = memd(r6++#8); v19 = vmem(r2++#1) }
{ v22 = vand(v21,v16); v23 = vand(v19,v16); v24 = vmem(r3++#1) }
{ v17.w += vrmpy(v21.ub,r14.b); v18.w += vrmpy(v20.ub,r11.b); r17:16 = memd(r6++#8); v20 = vmem(r2++#1) }
{ v17.w += vrmpy(v19.ub,r15.b); v18.w += vrmpy(v22.ub,r14.b); v19 = vand(v20,v16); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v20.ub,r16.b); v18.w += vrmpy(v23.ub,r15.b); v20 = vand(v21,v16); v22 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r17.b); v18.w += vrmpy(v19.ub,r16.b); v19 = vand(v24,v16); v21 = vmem(r3++#1) }
{ v20.w = vrmpy(v24.ub,r8.b); v18.w += vrmpy(v20.ub,r17.b); v23 = vand(v21,v16); r18 = combine(r13.h,r13.h) }
{ v20.w += vrmpy(v21.ub,r9.b); v19.w = vrmpy(v19.ub,r8.b); v21 = vmem(r3++#1); v17.w = vsub(v17.w,v18.w) }
{ v24 = vand(v21,v16); v25 = vmem(r3++#1); v26 = vsplat(r18) }
{ v20.w += vrmpy(v21.ub,r10.b); v19.w += vrmpy(v23.ub,r9.b); v21 = vand(v25,v16); v23 = vmem(r3++#1) }
{ v20.w += vrmpy(v25.ub,r11.b); v19.w += vrmpy(v24.ub,r10.b); v24 = vand(v23,v16); v25 = vmem(r3++#1) }
{ v20.w += vrmpy(v23.ub,r14.b); v19.w += vrmpy(v21.ub,r11.b); v21 = vand(v25,v16); v23 = vmem(r3++#1) }
{ v20.w += vrmpy(v25.ub,r15.b); v19.w += vrmpy(v24.ub,r14.b); v24 = vand(v23,v16); v25 = vmem(r3++#1) }
{ v20.w += vrmpy(v23.ub,r16.b); v19.w += vrmpy(v21.ub,r15.b); v21 = vmem(r3++#1) }
{ v23 = vand(v25,v16); v20.w += vrmpy(v25.ub,r17.b); v19.w += vrmpy(v24.ub,r16.b); v17.w = vasr(v17.w,r0) }
{ v22.h = vmpy(v22.h,r12.h):<<1:rnd:sat; v24 = vmem(r4++#1) }
{ v25 = vand(v24,v16); v27 = vmem(r4++#1); v21.h = vmpy(v21.h,r12.h):<<1:rnd:sat }
{ v17.h = vshuffe(v17.h,v18.h); v18.w = vrmpy(v24.ub,r8.b); v19.w += vrmpy(v23.ub,r17.b) }
{ v24 = vmem(r2++#1); v23.h = vsub(v17.h,v26.h); v18.w += vrmpy(v27.ub,r9.b); v17.w = vrmpy(v25.ub,r8.b) }
{ r18 = combine(r13.l,r13.l); v25 = vand(v27,v16); v27 = vmem(r4++#1) }
{ v1:0.w = vmpy(v23.h,v22.h); v22 = vand(v27,v16); v23 = vmem(r4++#1) }
{ v1:0.w += vmpy(v24.h,r18.h); v24 = vand(v23,v16); v28 = vmem(r4++#1) }
{ v18.w += vrmpy(v27.ub,r10.b); v17.w += vrmpy(v25.ub,r9.b); v25 = vand(v28,v16); v27 = vmem(r4++#1) }
{ v18.w += vrmpy(v23.ub,r11.b); v17.w += vrmpy(v22.ub,r10.b); v22 = vmem(r4++#1); v20.w = vsub(v20.w,v19.w) }
{ v18.w += vrmpy(v28.ub,r14.b); v17.w += vrmpy(v24.ub,r11.b); v23 = vand(v27,v16); v24 = vand(v22,v16) }
{ v18.w += vrmpy(v27.ub,r15.b); v17.w += vrmpy(v25.ub,r14.b); v25 = vmem(r4++#1); v20.w = vasr(v20.w,r0) }
{ v18.w += vrmpy(v22.ub,r16.b); v17.w += vrmpy(v23.ub,r15.b); v22 = vand(v25,v16); v23 = vmem(r4++#1) }
{ v18.w += vrmpy(v25.ub,r17.b); v17.w += vrmpy(v24.ub,r16.b); v19.h = vshuffe(v20.h,v19.h); v20 = vmem(r5++#1) }
{ v24 = vmem(r3++#1); v19.h = vsub(v19.h,v26.h); v23.h = vmpy(v23.h,r12.h):<<1:rnd:sat }
{ v22 = vand(v20,v16); v20.w = vrmpy(v20.ub,r8.b); v17.w += vrmpy(v22.ub,r17.b); v25 = vmem(r5++#1) }
{ v3:2.w = vmpy(v19.h,v21.h); v19 = vmem(r5++#1) }
{ v24 = vmem(r4++#1); v3:2.w += vmpy(v24.h,r18.h); v21 = vand(v19,v16); r21:20 = memd(r6++#8) }
{ v25 = vand(v25,v16); v20.w += vrmpy(v25.ub,r9.b); v22.w = vrmpy(v22.ub,r8.b); v27 = vmem(r5++#1) }
{ v28 = vmem(r5++#1); v18.w = vsub(v18.w,v17.w); r23:22 = memd(r6++#8) }
{ v20.w += vrmpy(v19.ub,r10.b); v22.w += vrmpy(v25.ub,r9.b); v19 = vand(v27,v16); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v27.ub,r11.b); v22.w += vrmpy(v21.ub,r10.b); v21 = vand(v28,v16); v27 = vmem(r5++#1) }
{ v20.w += vrmpy(v28.ub,r14.b); v22.w += vrmpy(v19.ub,r11.b); v19 = vand(v25,v16); v28 = vand(v27,v16) }
{ v20.w += vrmpy(v25.ub,r15.b); v22.w += vrmpy(v21.ub,r14.b); v21 = vmem(r5++#1); v18.w = vasr(v18.w,r0) }
{ v20.w += vrmpy(v27.ub,r16.b); v22.w += vrmpy(v19.ub,r15.b); v19 = vand(v21,v16); v25 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r17.b); v22.w += vrmpy(v28.ub,r16.b); v18 = vmem(r5++#1); v17.h = vshuffe(v18.h,v17.h) }
{ v17.h = vsub(v17.h,v26.h); v19.w = vrmpy(v25.ub,r20.b); v22.w += vrmpy(v19.ub,r17.b); v21 = vmem(r2++#1) }
{ v25 = vand(v25,v16); v27 = vmem(r2++#1); r9:8 = memd(r6++#8); v18.h = vmpy(v18.h,r12.h):<<1:rnd:sat }
{ v5:4.w = vmpy(v17.h,v23.h); v17 = vand(v21,v16); v23 = vmem(r2++#1); r11:10 = memd(r6++#8) }
{ v5:4.w += vmpy(v24.h,r18.h); v24 = vand(v27,v16); v28 = vmem(r2++#1); r13:12 = memd(r7++#8) }
{ v19.w += vrmpy(v21.ub,r21.b); v21.w = vrmpy(v25.ub,r20.b); v25 = vand(v23,v16); v29 = vmem(r2++#1) }
{ v19.w += vrmpy(v27.ub,r22.b); v21.w += vrmpy(v17.ub,r21.b); v20 = vmem(r2++#1); v17.w = vsub(v20.w,v22.w) }
{ v19.w += vrmpy(v23.ub,r23.b); v21.w += vrmpy(v24.ub,r22.b); v23 = vand(v28,v16); v24 = vand(v20,v16) }
{ v19.w += vrmpy(v28.ub,r8.b); v21.w += vrmpy(v25.ub,r23.b); v25 = vand(v29,v16); v27 = vmem(r2++#1) }
{ v19.w += vrmpy(v29.ub,r9.b); v21.w += vrmpy(v23.ub,r8.b); v23 = vand(v27,v16); v17.w = vasr(v17.w,r0) }
{ v19.w += vrmpy(v20.ub,r10.b); v21.w += vrmpy(v25.ub,r9.b); v20 = vmem(r2++#1) }
{ v19.w += vrmpy(v27.ub,r11.b); v21.w += vrmpy(v24.ub,r10.b); v17.h = vshuffe(v17.h,v22.h); v22 = vmem(r3++#1) }
{ v24 = vmem(r5++#1); v17.h = vsub(v17.h,v26.h); v20.h = vmpy(v20.h,r12.h):<<1:rnd:sat }
{ v25 = vmem(r2++#1); v23.w = vrmpy(v22.ub,r20.b); v21.w += vrmpy(v23.ub,r11.b) }
{ v7:6.w = vmpy(v17.h,v18.h); v17 = vand(v22,v16); v18 = vmem(r3++#1) }
{ v7:6.w += vmpy(v24.h,r18.h); v22 = vand(v18,v16); v24 = vmem(r3++#1); r14 = combine(r13.h,r13.h) }
{ v23.w += vrmpy(v18.ub,r21.b); v17.w = vrmpy(v17.ub,r20.b); v18 = vand(v24,v16); v26 = vmem(r3++#1) }
{ v23.w += vrmpy(v24.ub,r22.b); v17.w += vrmpy(v22.ub,r21.b); v22 = vand(v26,v16); v24 = vmem(r3++#1) }
{ v23.w += vrmpy(v26.ub,r23.b); v17.w += vrmpy(v18.ub,r22.b); v18 = vand(v24,v16); v26 = vmem(r3++#1) }
{ v23.w += vrmpy(v24.ub,r8.b); v17.w += vrmpy(v22.ub,r23.b); v22 = vand(v26,v16); v24 = vmem(r3++#1) }
{ v23.w += vrmpy(v26.ub,r9.b); v17.w += vrmpy(v18.ub,r8.b); v18 = vand(v24,v16); v26 = vmem(r3++#1) }
{ v23.w += vrmpy(v24.ub,r10.b); v17.w += vrmpy(v22.ub,r9.b); v22 = vmem(r3++#1); v19.w = vsub(v19.w,v21.w) }
{ v18 = vand(v26,v16); v23.w += vrmpy(v26.ub,r11.b); v17.w += vrmpy(v18.ub,r10.b); v24 = vmem(r4++#1) }
{ v26 = vmem(r3++#1); v19.w = vasr(v19.w,r0); v27 = vsplat(r14) }
{ v24 = vand(v24,v16); v18.w = vrmpy(v24.ub,r20.b); v17.w += vrmpy(v18.ub,r11.b); v28 = vmem(r4++#1) }
{ v19.h = vshuffe(v19.h,v21.h); v21.h = vmpy(v22.h,r12.h):<<1:rnd:sat; v22 = vmem(r5++#1) }
{ v24.h = vsub(v19.h,v27.h); v28 = vand(v28,v16); v18.w += vrmpy(v28.ub,r21.b); v19.w = vrmpy(v24.ub,r20.b) }
{ r14 = combine(r13.l,r13.l); v29 = vmem(r4++#1); v23.w = vsub(v23.w,v17.w) }
{ v1:0.w += vmpy(v24.h,v20.h); v24 = vmem(r4++#1); v20 = vand(v22,v16) }
{ v1:0.w += vmpy(v25.h,r14.h); v25 = vand(v29,v16); v30 = vmem(r4++#1) }
{ v18.w += vrmpy(v29.ub,r22.b); v19.w += vrmpy(v28.ub,r21.b); v28 = vand(v24,v16); v29 = vmem(r4++#1) }
{ v18.w += vrmpy(v24.ub,r23.b); v19.w += vrmpy(v25.ub,r22.b); v24 = vand(v30,v16); v25 = vmem(r4++#1) }
{ v18.w += vrmpy(v30.ub,r8.b); v19.w += vrmpy(v28.ub,r23.b); v28 = vand(v29,v16); v30 = vmem(r4++#1) }
{ v18.w += vrmpy(v29.ub,r9.b); v19.w += vrmpy(v24.ub,r8.b); v24 = vand(v25,v16); v23.w = vasr(v23.w,r0) }
{ v18.w += vrmpy(v25.ub,r10.b); v19.w += vrmpy(v28.ub,r9.b); v25 = vand(v30,v16); v28 = vmem(r4++#1) }
{ v18.w += vrmpy(v30.ub,r11.b); v19.w += vrmpy(v24.ub,r10.b); v17.h = vshuffe(v23.h,v17.h); v23 = vmem(r5++#1) }
{ v24 = vmem(r4++#1); v17.h = vsub(v17.h,v27.h); v22.w = vrmpy(v22.ub,r20.b); v19.w += vrmpy(v25.ub,r11.b) }
{ v23 = vand(v23,v16); v22.w += vrmpy(v23.ub,r21.b); v20.w = vrmpy(v20.ub,r20.b); v25 = vmem(r5++#1) }
{ v3:2.w += vmpy(v17.h,v21.h); v17 = vand(v25,v16); v21 = vmem(r5++#1) }
{ v3:2.w += vmpy(v26.h,r14.h); v26 = vand(v21,v16); v29 = vmem(r5++#1) }
{ v22.w += vrmpy(v25.ub,r22.b); v20.w += vrmpy(v23.ub,r21.b); v23 = vmem(r5++#1); v18.w = vsub(v18.w,v19.w) }
{ v22.w += vrmpy(v21.ub,r23.b); v20.w += vrmpy(v17.ub,r22.b); v17 = vand(v29,v16); v21 = vmem(r5++#1) }
{ v22.w += vrmpy(v29.ub,r8.b); v20.w += vrmpy(v26.ub,r23.b); v25 = vand(v23,v16); v18.w = vasr(v18.w,r0) }
{ v22.w += vrmpy(v23.ub,r9.b); v20.w += vrmpy(v17.ub,r8.b); v17 = vand(v21,v16); v23 = vmem(r5++#1) }
{ v22.w += vrmpy(v21.ub,r10.b); v20.w += vrmpy(v25.ub,r9.b); v19 = vmem(r5++#1); v18.h = vshuffe(v18.h,v19.h) }
{ v25 = vmem(r5++#1); v18.h = vsub(v18.h,v27.h); v21.h = vmpy(v28.h,r12.h):<<1:rnd:sat }
{ v22.w += vrmpy(v23.ub,r11.b); v20.w += vrmpy(v17.ub,r10.b); r9:8 = memd(r6++#8); v17 = vmem(r2++#1) }
{ v18 = vand(v23,v16); v5:4.w += vmpy(v18.h,v21.h); v21 = vmem(r2++#1); r17:16 = memd(r6++#8) }
{ v5:4.w += vmpy(v24.h,r14.h); v23 = vand(v17,v16); v24 = vmem(r2++#1); r19:18 = memd(r6++#8) }
{ v17.w = vrmpy(v17.ub,r8.b); v20.w += vrmpy(v18.ub,r11.b); v18 = vand(v21,v16); v26 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r9.b); v21.w = vrmpy(v23.ub,r8.b); v23 = vand(v24,v16); v28 = vmem(r2++#1) }
{ v17.w += vrmpy(v24.ub,r16.b); v21.w += vrmpy(v18.ub,r9.b); v18 = vand(v26,v16); v24 = vmem(r2++#1) }
{ v17.w += vrmpy(v26.ub,r17.b); v21.w += vrmpy(v23.ub,r16.b); v23 = vand(v28,v16); v26 = vmem(r2++#1) }
{ v17.w += vrmpy(v28.ub,r18.b); v21.w += vrmpy(v18.ub,r17.b); v18 = vand(v24,v16); v28 = vmem(r2++#1) }
{ r11:10 = memd(r6++#8); v29 = vand(v26,v16); v19.w = vsub(v22.w,v20.w); v22.h = vmpy(v19.h,r12.h):<<1:rnd:sat }
{ v17.w += vrmpy(v24.ub,r19.b); v21.w += vrmpy(v23.ub,r18.b); v23 = vand(v28,v16); v24 = vmem(r3++#1) }
{ v17.w += vrmpy(v26.ub,r10.b); v21.w += vrmpy(v18.ub,r19.b); v18.w = vasr(v19.w,r0); v19 = vmem(r3++#1) }
{ v17.w += vrmpy(v28.ub,r11.b); v21.w += vrmpy(v29.ub,r10.b); v26 = vand(v24,v16); v28 = vand(v19,v16) }
{ v18.h = vshuffe(v18.h,v20.h); v20.w = vrmpy(v24.ub,r8.b); v21.w += vrmpy(v23.ub,r11.b); v23 = vmem(r3++#1) }
{ v24 = vmem(r2++#1); v19.h = vsub(v18.h,v27.h); v20.w += vrmpy(v19.ub,r9.b); v18.w = vrmpy(v26.ub,r8.b) }
{ v20.w += vrmpy(v23.ub,r16.b); v18.w += vrmpy(v28.ub,r9.b); v26 = vmem(r3++#1) }
{ v7:6.w += vmpy(v19.h,v22.h); v19 = vand(v23,v16); v22 = vmem(r3++#1) }
{ v7:6.w += vmpy(v25.h,r14.h); v23 = vand(v26,v16); v25 = vmem(r3++#1); r13:12 = memd(r7++#8) }
{ v20.w += vrmpy(v26.ub,r17.b); v18.w += vrmpy(v19.ub,r16.b); v19 = vand(v22,v16); v26 = vmem(r3++#1) }
{ v20.w += vrmpy(v22.ub,r18.b); v18.w += vrmpy(v23.ub,r17.b); v22 = vand(v25,v16); v23 = vand(v26,v16) }
{ v20.w += vrmpy(v25.ub,r19.b); v18.w += vrmpy(v19.ub,r18.b); v19 = vmem(r3++#1); v17.w = vsub(v17.w,v21.w) }
{ v22 = vmem(r2++#1); v20.w += vrmpy(v26.ub,r10.b); v18.w += vrmpy(v22.ub,r19.b); r14 = combine(r13.h,r13.h) }
{ v20.w += vrmpy(v19.ub,r11.b); v18.w += vrmpy(v23.ub,r10.b); v17.w = vasr(v17.w,r0); v23 = vmem(r4++#1) }
{ v19 = vand(v19,v16); v26 = vmem(r3++#1); v27 = vsplat(r14); v25 = vand(v23,v16) }
{ v17.h = vshuffe(v17.h,v21.h); v21.h = vmpy(v24.h,r12.h):<<1:rnd:sat; r14 = combine(r13.l,r13.l); v24 = vmem(r4++#1) }
{ v23 = vmem(r3++#1); v17.h = vsub(v17.h,v27.h); v19.w = vrmpy(v23.ub,r8.b); v18.w += vrmpy(v19.ub,r11.b) }
{ v25 = vand(v24,v16); v19.w += vrmpy(v24.ub,r9.b); v24.w = vrmpy(v25.ub,r8.b); v28 = vmem(r4++#1) }
{ v1:0.w += vmpy(v17.h,v21.h); v17 = vand(v28,v16); v21 = vmem(r4++#1) }
{ v1:0.w += vmpy(v22.h,r14.h); v22 = vand(v21,v16); v29 = vmem(r4++#1) }
{ v19.w += vrmpy(v28.ub,r16.b); v24.w += vrmpy(v25.ub,r9.b); v25 = vmem(r4++#1); v20.w = vsub(v20.w,v18.w) }
{ v19.w += vrmpy(v21.ub,r17.b); v24.w += vrmpy(v17.ub,r16.b); v17 = vand(v29,v16); v21 = vmem(r4++#1) }
{ v19.w += vrmpy(v29.ub,r18.b); v24.w += vrmpy(v22.ub,r17.b); v22 = vand(v25,v16); v28 = vmem(r4++#1) }
{ v29 = vand(v21,v16); v30 = vmem(r4++#1); v26.h = vmpy(v26.h,r12.h):<<1:rnd:sat }
{ v19.w += vrmpy(v25.ub,r19.b); v24.w += vrmpy(v17.ub,r18.b); v17.w = vasr(v20.w,r0); v20 = vmem(r5++#1) }
{ v19.w += vrmpy(v21.ub,r10.b); v24.w += vrmpy(v22.ub,r19.b); v21 = vand(v28,v16); v22 = vand(v20,v16) }
{ v19.w += vrmpy(v28.ub,r11.b); v24.w += vrmpy(v29.ub,r10.b); v17.h = vshuffe(v17.h,v18.h); v18 = vmem(r5++#1) }
{ v21 = vmem(r4++#1); v17.h = vsub(v17.h,v27.h); v20.w = vrmpy(v20.ub,r8.b); v24.w += vrmpy(v21.ub,r11.b) }
{ v20.w += vrmpy(v18.ub,r9.b); v22.w = vrmpy(v22.ub,r8.b); v25 = vmem(r5++#1) }
{ v3:2.w += vmpy(v17.h,v26.h); v17 = vand(v18,v16); v18 = vmem(r5++#1) }
{ v3:2.w += vmpy(v23.h,r14.h); v23 = vand(v25,v16); v19.w = vsub(v19.w,v24.w); r21:20 = memd(r6++#8) }
{ v20.w += vrmpy(v25.ub,r16.b); v22.w += vrmpy(v17.ub,r9.b); v17 = vand(v18,v16); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r17.b); v22.w += vrmpy(v23.ub,r16.b); v18 = vand(v25,v16); v23 = vmem(r5++#1) }
{ v20.w += vrmpy(v25.ub,r18.b); v22.w += vrmpy(v17.ub,r17.b); v17 = vand(v23,v16); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v23.ub,r19.b); v22.w += vrmpy(v18.ub,r18.b); v18 = vand(v25,v16); v23 = vmem(r5++#1) }
{ v20.w += vrmpy(v25.ub,r10.b); v22.w += vrmpy(v17.ub,r19.b); v19 = vmem(r5++#1); v17.w = vasr(v19.w,r0) }
{ v18 = vand(v23,v16); v20.w += vrmpy(v23.ub,r11.b); v22.w += vrmpy(v18.ub,r10.b); v23 = vmem(r2++#1) }
{ v25 = vmem(r5++#1); v17.h = vshuffe(v17.h,v24.h); v24.h = vmpy(v30.h,r12.h):<<1:rnd:sat; r9:8 = memd(r6++#8) }
{ v17.h = vsub(v17.h,v27.h); v18.w = vrmpy(v23.ub,r20.b); v22.w += vrmpy(v18.ub,r11.b); r11:10 = memd(r7++#8) }
{ v23 = vand(v23,v16); v26 = vmem(r2++#1); r13:12 = memd(r6++#8); v19.h = vmpy(v19.h,r12.h):<<1:rnd:sat }
{ v5:4.w += vmpy(v17.h,v24.h); v17 = vand(v26,v16); v24 = vmem(r2++#1); r17:16 = memd(r6++#8) }
{ v5:4.w += vmpy(v21.h,r14.h); v21 = vand(v24,v16); v28 = vmem(r2++#1); r15 = combine(r11.h,r11.h) }
{ v18.w += vrmpy(v26.ub,r21.b); v23.w = vrmpy(v23.ub,r20.b); v26 = vand(v28,v16); v29 = vmem(r2++#1) }
{ v18.w += vrmpy(v24.ub,r8.b); v23.w += vrmpy(v17.ub,r21.b); v17 = vand(v29,v16); v24 = vmem(r2++#1) }
{ v18.w += vrmpy(v28.ub,r9.b); v23.w += vrmpy(v21.ub,r8.b); v21 = vand(v24,v16); v28 = vmem(r2++#1) }
{ v18.w += vrmpy(v29.ub,r12.b); v23.w += vrmpy(v26.ub,r9.b); v26 = vand(v28,v16); v29 = vmem(r2++#1) }
{ v18.w += vrmpy(v24.ub,r13.b); v23.w += vrmpy(v17.ub,r12.b); v20 = vmem(r2++#1); v17.w = vsub(v20.w,v22.w) }
{ v18.w += vrmpy(v28.ub,r16.b); v23.w += vrmpy(v21.ub,r13.b); v21 = vand(v29,v16); v24 = vmem(r3++#1) }
{ v18.w += vrmpy(v29.ub,r17.b); v23.w += vrmpy(v26.ub,r16.b); v17.w = vasr(v17.w,r0); v26 = vmem(r3++#1) }
{ v29 = vmem(r2++#1); v21.w = vrmpy(v24.ub,r20.b); v23.w += vrmpy(v21.ub,r17.b); v28 = vand(v26,v16) }
{ v17.h = vshuffe(v17.h,v22.h); v22 = vand(v24,v16); v24 = vmem(r3++#1); v30 = vsplat(r15) }
{ v17.h = vsub(v17.h,v27.h); v20.h = vmpy(v20.h,r10.h):<<1:rnd:sat; v27 = vmem(r4++#1) }
{ v21.w += vrmpy(v26.ub,r21.b); v22.w = vrmpy(v22.ub,r20.b); v26 = vmem(r3++#1); v18.w = vsub(v18.w,v23.w) }
{ v7:6.w += vmpy(v17.h,v19.h); v17 = vand(v24,v16); v19 = vmem(r3++#1) }
{ v7:6.w += vmpy(v25.h,r14.h); v25 = vand(v26,v16); v31 = vmem(r3++#1); r19 = combine(r11.l,r11.l) }
{ v21.w += vrmpy(v24.ub,r8.b); v22.w += vrmpy(v28.ub,r21.b); v24 = vand(v19,v16); v28 = vmem(r3++#1) }
{ v21.w += vrmpy(v26.ub,r9.b); v22.w += vrmpy(v17.ub,r8.b); v17 = vand(v31,v16); v26 = vmem(r3++#1) }
{ v21.w += vrmpy(v19.ub,r12.b); v22.w += vrmpy(v25.ub,r9.b); v19 = vand(v28,v16); v25 = vmem(r3++#1) }
{ v21.w += vrmpy(v31.ub,r13.b); v22.w += vrmpy(v24.ub,r12.b); v24 = vmem(r3++#1); v18.w = vasr(v18.w,r0) }
{ v21.w += vrmpy(v28.ub,r16.b); v22.w += vrmpy(v17.ub,r13.b); v17 = vand(v26,v16); v28 = vmem(r4++#1) }
{ v21.w += vrmpy(v26.ub,r17.b); v22.w += vrmpy(v19.ub,r16.b); v18.h = vshuffe(v18.h,v23.h); v19 = vand(v27,v16) }
{ v17.h = vsub(v18.h,v30.h); v18.w = vrmpy(v27.ub,r20.b); v22.w += vrmpy(v17.ub,r17.b); v23 = vmem(r4++#1) }
{ v26 = vand(v28,v16); v18.w += vrmpy(v28.ub,r21.b); v19.w = vrmpy(v19.ub,r20.b); v27 = vmem(r4++#1) }
{ v1:0.w += vmpy(v17.h,v20.h); v17 = vand(v23,v16); v20 = vmem(r4++#1) }
{ v1:0.w += vmpy(v29.h,r19.h); v28 = vand(v27,v16); v29 = vmem(r4++#1) }
{ v18.w += vrmpy(v23.ub,r8.b); v19.w += vrmpy(v26.ub,r21.b); v23 = vand(v20,v16); v21.w = vsub(v21.w,v22.w) }
{ v8.w += vasr(v0.w,r1); v18.w += vrmpy(v27.ub,r9.b); v19.w += vrmpy(v17.ub,r8.b); v17 = vmem(r4++#1) }
{ v9.w += vasr(v1.w,r1); v18.w += vrmpy(v20.ub,r12.b); v19.w += vrmpy(v28.ub,r9.b); v20 = vmem(r4++#1) }
{ v23 = vand(v29,v16); v18.w += vrmpy(v29.ub,r13.b); v19.w += vrmpy(v23.ub,r12.b); v26 = vmem(r4++#1) }
{ v27 = vand(v17,v16); v21.w = vasr(v21.w,r0); v25.h = vmpy(v25.h,r10.h):<<1:rnd:sat }
{ v18.w += vrmpy(v17.ub,r16.b); v19.w += vrmpy(v23.ub,r13.b); v17 = vand(v20,v16); v23 = vmem(r5++#1) }
{ v18.w += vrmpy(v20.ub,r17.b); v19.w += vrmpy(v27.ub,r16.b); v20.h = vshuffe(v21.h,v22.h); v21 = vand(v23,v16) }
{ v17.h = vsub(v20.h,v30.h); v20.w = vrmpy(v23.ub,r20.b); v19.w += vrmpy(v17.ub,r17.b); v22 = vmem(r5++#1) }
{ v26 = vand(v22,v16); v27 = vmem(r5++#1); v23.h = vmpy(v26.h,r10.h):<<1:rnd:sat }
{ v3:2.w += vmpy(v17.h,v25.h); v17 = vand(v27,v16); v25 = vmem(r5++#1) }
{ v3:2.w += vmpy(v24.h,r19.h); v24 = vand(v25,v16); v28 = vmem(r5++#1) }
{ v20.w += vrmpy(v22.ub,r21.b); v29.w = vrmpy(v21.ub,r20.b); v21 = vand(v28,v16); v18.w = vsub(v18.w,v19.w) }
{ v10.w += vasr(v2.w,r1); v20.w += vrmpy(v27.ub,r8.b); v29.w += vrmpy(v26.ub,r21.b); v22 = vmem(r5++#1) }
{ v11.w += vasr(v3.w,r1); v20.w += vrmpy(v25.ub,r9.b); v29.w += vrmpy(v17.ub,r8.b); v17 = vand(v22,v16) }
{ v20.w += vrmpy(v28.ub,r12.b); v29.w += vrmpy(v24.ub,r9.b); v24 = vmem(r5++#1); v18.w = vasr(v18.w,r0) }
{ v20.w += vrmpy(v22.ub,r13.b); v29.w += vrmpy(v21.ub,r12.b); v21 = vand(v24,v16); v22 = vmem(r5++#1) }
{ v20.w += vrmpy(v24.ub,r16.b); v29.w += vrmpy(v17.ub,r13.b); v18 = vand(v22,v16); v17.h = vshuffe(v18.h,v19.h) }
{ v19 = vmem(r4++#1); v20.w += vrmpy(v22.ub,r17.b); v29.w += vrmpy(v21.ub,r16.b); v17.h = vsub(v17.h,v30.h) }
{ v18 = vmem(r5++#1); v29.w += vrmpy(v18.ub,r17.b) }
{ v31 = vmem(r5++#1); v5:4.w += vmpy(v17.h,v23.h); v20.w = vsub(v20.w,v29.w) }
.Lhvx_sum_q4_1_tiles:
{ r9:8 = memd(r6++#8); v17 = vmem(r2++#1); v5:4.w += vmpy(v19.h,r19.h) }
{ v23.w = vasr(v20.w,r0); v28.h = vmpy(v18.h,r10.h):<<1:rnd:sat }
{ v18 = vand(v17,v16); v17.w = vrmpy(v17.ub,r8.b); v19 = vmem(r2++#1); r11:10 = memd(r6++#8) }
{ v20 = vand(v19,v16); v21 = vmem(r2++#1); r13:12 = memd(r7++#8); v13.w += vasr(v5.w,r1) }
{ v17.w += vrmpy(v19.ub,r9.b); v18.w = vrmpy(v18.ub,r8.b); v19 = vand(v21,v16); v22 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r10.b); v18.w += vrmpy(v20.ub,r9.b); v20 = vand(v22,v16); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v19.ub,r10.b); r15:14 = memd(r6++#8); v19 = vmem(r2++#1) }
{ v22 = vand(v21,v16); v23 = vand(v19,v16); v24 = vmem(r3++#1); v27.h = vshuffe(v23.h,v29.h) }
{ v17.w += vrmpy(v21.ub,r14.b); v18.w += vrmpy(v20.ub,r11.b); r17:16 = memd(r6++#8); v20 = vmem(r2++#1) }
{ v17.w += vrmpy(v19.ub,r15.b); v18.w += vrmpy(v22.ub,r14.b); v19 = vand(v20,v16); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v20.ub,r16.b); v18.w += vrmpy(v23.ub,r15.b); v20 = vand(v21,v16); v22 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r17.b); v18.w += vrmpy(v19.ub,r16.b); v19 = vand(v24,v16); v21 = vmem(r3++#1) }
{ v20.w = vrmpy(v24.ub,r8.b); v18.w += vrmpy(v20.ub,r17.b); v23 = vand(v21,v16); r18 = combine(r13.h,r13.h) }
{ v20.w += vrmpy(v21.ub,r9.b); v19.w = vrmpy(v19.ub,r8.b); v21 = vmem(r3++#1); v17.w = vsub(v17.w,v18.w) }
{ v24 = vand(v21,v16); v25 = vmem(r3++#1); v26 = vsplat(r18); v12.w += vasr(v4.w,r1) }
{ v20.w += vrmpy(v21.ub,r10.b); v19.w += vrmpy(v23.ub,r9.b); v21 = vand(v25,v16); v23 = vmem(r3++#1) }
{ v20.w += vrmpy(v25.ub,r11.b); v19.w += vrmpy(v24.ub,r10.b); v24 = vand(v23,v16); v25 = vmem(r3++#1) }
{ v20.w += vrmpy(v23.ub,r14.b); v19.w += vrmpy(v21.ub,r11.b); v21 = vand(v25,v16); v23 = vmem(r3++#1) }
{ v20.w += vrmpy(v25.ub,r15.b); v19.w += vrmpy(v24.ub,r14.b); v24 = vand(v23,v16); v25 = vmem(r3++#1) }
{ v20.w += vrmpy(v23.ub,r16.b); v19.w += vrmpy(v21.ub,r15.b); v21 = vmem(r3++#1) }
{ v23 = vand(v25,v16); v20.w += vrmpy(v25.ub,r17.b); v19.w += vrmpy(v24.ub,r16.b); v17.w = vasr(v17.w,r0) }
{ v22.h = vmpy(v22.h,r12.h):<<1:rnd:sat; v24 = vmem(r4++#1); v29.h = vsub(v27.h,v30.h) }
{ v25 = vand(v24,v16); v27 = vmem(r4++#1); v21.h = vmpy(v21.h,r12.h):<<1:rnd:sat }
{ v17.h = vshuffe(v17.h,v18.h); v18.w = vrmpy(v24.ub,r8.b); v19.w += vrmpy(v23.ub,r17.b) }
{ v24 = vmem(r2++#1); v23.h = vsub(v17.h,v26.h); v18.w += vrmpy(v27.ub,r9.b); v17.w = vrmpy(v25.ub,r8.b) }
{ r18 = combine(r13.l,r13.l); v25 = vand(v27,v16); v27 = vmem(r4++#1); v7:6.w += vmpy(v29.h,v28.h) }
{ v1:0.w = vmpy(v23.h,v22.h); v22 = vand(v27,v16); v23 = vmem(r4++#1) }
{ v1:0.w += vmpy(v24.h,r18.h); v24 = vand(v23,v16); v28 = vmem(r4++#1) }
{ v18.w += vrmpy(v27.ub,r10.b); v17.w += vrmpy(v25.ub,r9.b); v25 = vand(v28,v16); v27 = vmem(r4++#1) }
{ v18.w += vrmpy(v23.ub,r11.b); v17.w += vrmpy(v22.ub,r10.b); v22 = vmem(r4++#1); v20.w = vsub(v20.w,v19.w) }
{ v18.w += vrmpy(v28.ub,r14.b); v17.w += vrmpy(v24.ub,r11.b); v23 = vand(v27,v16); v24 = vand(v22,v16) }
{ v18.w += vrmpy(v27.ub,r15.b); v17.w += vrmpy(v25.ub,r14.b); v25 = vmem(r4++#1); v20.w = vasr(v20.w,r0) }
{ v18.w += vrmpy(v22.ub,r16.b); v17.w += vrmpy(v23.ub,r15.b); v22 = vand(v25,v16); v23 = vmem(r4++#1) }
{ v18.w += vrmpy(v25.ub,r17.b); v17.w += vrmpy(v24.ub,r16.b); v19.h = vshuffe(v20.h,v19.h); v20 = vmem(r5++#1) }
{ v24 = vmem(r3++#1); v19.h = vsub(v19.h,v26.h); v23.h = vmpy(v23.h,r12.h):<<1:rnd:sat }
{ v22 = vand(v20,v16); v20.w = vrmpy(v20.ub,r8.b); v17.w += vrmpy(v22.ub,r17.b); v25 = vmem(r5++#1) }
{ v3:2.w = vmpy(v19.h,v21.h); v19 = vmem(r5++#1) }
{ v24 = vmem(r4++#1); v3:2.w += vmpy(v24.h,r18.h); v21 = vand(v19,v16); r21:20 = memd(r6++#8) }
{ v25 = vand(v25,v16); v20.w += vrmpy(v25.ub,r9.b); v22.w = vrmpy(v22.ub,r8.b); v27 = vmem(r5++#1) }
{ v28 = vmem(r5++#1); v18.w = vsub(v18.w,v17.w); r23:22 = memd(r6++#8); v7:6.w += vmpy(v31.h,r19.h) }
{ v20.w += vrmpy(v19.ub,r10.b); v22.w += vrmpy(v25.ub,r9.b); v19 = vand(v27,v16); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v27.ub,r11.b); v22.w += vrmpy(v21.ub,r10.b); v21 = vand(v28,v16); v27 = vmem(r5++#1) }
{ v20.w += vrmpy(v28.ub,r14.b); v22.w += vrmpy(v19.ub,r11.b); v19 = vand(v25,v16); v28 = vand(v27,v16) }
{ v20.w += vrmpy(v25.ub,r15.b); v22.w += vrmpy(v21.ub,r14.b); v21 = vmem(r5++#1); v18.w = vasr(v18.w,r0) }
{ v20.w += vrmpy(v27.ub,r16.b); v22.w += vrmpy(v19.ub,r15.b); v19 = vand(v21,v16); v25 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r17.b); v22.w += vrmpy(v28.ub,r16.b); v18 = vmem(r5++#1); v17.h = vshuffe(v18.h,v17.h) }
{ v17.h = vsub(v17.h,v26.h); v19.w = vrmpy(v25.ub,r20.b); v22.w += vrmpy(v19.ub,r17.b); v21 = vmem(r2++#1) }
{ v25 = vand(v25,v16); v27 = vmem(r2++#1); r9:8 = memd(r6++#8); v18.h = vmpy(v18.h,r12.h):<<1:rnd:sat }
{ v5:4.w = vmpy(v17.h,v23.h); v17 = vand(v21,v16); v23 = vmem(r2++#1); r11:10 = memd(r6++#8) }
{ v5:4.w += vmpy(v24.h,r18.h); v24 = vand(v27,v16); v28 = vmem(r2++#1); r13:12 = memd(r7++#8) }
{ v19.w += vrmpy(v21.ub,r21.b); v21.w = vrmpy(v25.ub,r20.b); v25 = vand(v23,v16); v29 = vmem(r2++#1) }
{ v19.w += vrmpy(v27.ub,r22.b); v21.w += vrmpy(v17.ub,r21.b); v20 = vmem(r2++#1); v17.w = vsub(v20.w,v22.w) }
{ v19.w += vrmpy(v23.ub,r23.b); v21.w += vrmpy(v24.ub,r22.b); v23 = vand(v28,v16); v24 = vand(v20,v16) }
{ v19.w += vrmpy(v28.ub,r8.b); v21.w += vrmpy(v25.ub,r23.b); v25 = vand(v29,v16); v27 = vmem(r2++#1) }
{ v19.w += vrmpy(v29.ub,r9.b); v21.w += vrmpy(v23.ub,r8.b); v23 = vand(v27,v16); v17.w = vasr(v17.w,r0) }
{ v19.w += vrmpy(v20.ub,r10.b); v21.w += vrmpy(v25.ub,r9.b); v20 = vmem(r2++#1); v14.w += vasr(v6.w,r1) }
{ v19.w += vrmpy(v27.ub,r11.b); v21.w += vrmpy(v24.ub,r10.b); v17.h = vshuffe(v17.h,v22.h); v22 = vmem(r3++#1) }
{ v24 = vmem(r5++#1); v17.h = vsub(v17.h,v26.h); v20.h = vmpy(v20.h,r12.h):<<1:rnd:sat }
{ v25 = vmem(r2++#1); v23.w = vrmpy(v22.ub,r20.b); v21.w += vrmpy(v23.ub,r11.b); v15.w += vasr(v7.w,r1) }
{ v7:6.w = vmpy(v17.h,v18.h); v17 = vand(v22,v16); v18 = vmem(r3++#1) }
{ v7:6.w += vmpy(v24.h,r18.h); v22 = vand(v18,v16); v24 = vmem(r3++#1); r14 = combine(r13.h,r13.h) }
{ v23.w += vrmpy(v18.ub,r21.b); v17.w = vrmpy(v17.ub,r20.b); v18 = vand(v24,v16); v26 = vmem(r3++#1) }
{ v23.w += vrmpy(v24.ub,r22.b); v17.w += vrmpy(v22.ub,r21.b); v22 = vand(v26,v16); v24 = vmem(r3++#1) }
{ v23.w += vrmpy(v26.ub,r23.b); v17.w += vrmpy(v18.ub,r22.b); v18 = vand(v24,v16); v26 = vmem(r3++#1) }
{ v23.w += vrmpy(v24.ub,r8.b); v17.w += vrmpy(v22.ub,r23.b); v22 = vand(v26,v16); v24 = vmem(r3++#1) }
{ v23.w += vrmpy(v26.ub,r9.b); v17.w += vrmpy(v18.ub,r8.b); v18 = vand(v24,v16); v26 = vmem(r3++#1) }
{ v23.w += vrmpy(v24.ub,r10.b); v17.w += vrmpy(v22.ub,r9.b); v22 = vmem(r3++#1); v19.w = vsub(v19.w,v21.w) }
{ v18 = vand(v26,v16); v23.w += vrmpy(v26.ub,r11.b); v17.w += vrmpy(v18.ub,r10.b); v24 = vmem(r4++#1) }
{ v26 = vmem(r3++#1); v19.w = vasr(v19.w,r0); v27 = vsplat(r14) }
{ v24 = vand(v24,v16); v18.w = vrmpy(v24.ub,r20.b); v17.w += vrmpy(v18.ub,r11.b); v28 = vmem(r4++#1) }
{ v19.h = vshuffe(v19.h,v21.h); v21.h = vmpy(v22.h,r12.h):<<1:rnd:sat; v22 = vmem(r5++#1) }
{ v24.h = vsub(v19.h,v27.h); v28 = vand(v28,v16); v18.w += vrmpy(v28.ub,r21.b); v19.w = vrmpy(v24.ub,r20.b) }
{ r14 = combine(r13.l,r13.l); v29 = vmem(r4++#1); v23.w = vsub(v23.w,v17.w) }
{ v1:0.w += vmpy(v24.h,v20.h); v24 = vmem(r4++#1); v20 = vand(v22,v16) }
{ v1:0.w += vmpy(v25.h,r14.h); v25 = vand(v29,v16); v30 = vmem(r4++#1) }
{ v18.w += vrmpy(v29.ub,r22.b); v19.w += vrmpy(v28.ub,r21.b); v28 = vand(v24,v16); v29 = vmem(r4++#1) }
{ v18.w += vrmpy(v24.ub,r23.b); v19.w += vrmpy(v25.ub,r22.b); v24 = vand(v30,v16); v25 = vmem(r4++#1) }
{ v18.w += vrmpy(v30.ub,r8.b); v19.w += vrmpy(v28.ub,r23.b); v28 = vand(v29,v16); v30 = vmem(r4++#1) }
{ v18.w += vrmpy(v29.ub,r9.b); v19.w += vrmpy(v24.ub,r8.b); v24 = vand(v25,v16); v23.w = vasr(v23.w,r0) }
{ v18.w += vrmpy(v25.ub,r10.b); v19.w += vrmpy(v28.ub,r9.b); v25 = vand(v30,v16); v28 = vmem(r4++#1) }
{ v18.w += vrmpy(v30.ub,r11.b); v19.w += vrmpy(v24.ub,r10.b); v17.h = vshuffe(v23.h,v17.h); v23 = vmem(r5++#1) }
{ v24 = vmem(r4++#1); v17.h = vsub(v17.h,v27.h); v22.w = vrmpy(v22.ub,r20.b); v19.w += vrmpy(v25.ub,r11.b) }
{ v23 = vand(v23,v16); v22.w += vrmpy(v23.ub,r21.b); v20.w = vrmpy(v20.ub,r20.b); v25 = vmem(r5++#1) }
{ v3:2.w += vmpy(v17.h,v21.h); v17 = vand(v25,v16); v21 = vmem(r5++#1) }
{ v3:2.w += vmpy(v26.h,r14.h); v26 = vand(v21,v16); v29 = vmem(r5++#1) }
{ v22.w += vrmpy(v25.ub,r22.b); v20.w += vrmpy(v23.ub,r21.b); v23 = vmem(r5++#1); v18.w = vsub(v18.w,v19.w) }
{ v22.w += vrmpy(v21.ub,r23.b); v20.w += vrmpy(v17.ub,r22.b); v17 = vand(v29,v16); v21 = vmem(r5++#1) }
{ v22.w += vrmpy(v29.ub,r8.b); v20.w += vrmpy(v26.ub,r23.b); v25 = vand(v23,v16); v18.w = vasr(v18.w,r0) }
{ v22.w += vrmpy(v23.ub,r9.b); v20.w += vrmpy(v17.ub,r8.b); v17 = vand(v21,v16); v23 = vmem(r5++#1) }
{ v22.w += vrmpy(v21.ub,r10.b); v20.w += vrmpy(v25.ub,r9.b); v19 = vmem(r5++#1); v18.h = vshuffe(v18.h,v19.h) }
{ v25 = vmem(r5++#1); v18.h = vsub(v18.h,v27.h); v21.h = vmpy(v28.h,r12.h):<<1:rnd:sat }
{ v22.w += vrmpy(v23.ub,r11.b); v20.w += vrmpy(v17.ub,r10.b); r9:8 = memd(r6++#8); v17 = vmem(r2++#1) }
{ v18 = vand(v23,v16); v5:4.w += vmpy(v18.h,v21.h); v21 = vmem(r2++#1); r17:16 = memd(r6++#8) }
{ v5:4.w += vmpy(v24.h,r14.h); v23 = vand(v17,v16); v24 = vmem(r2++#1); r19:18 = memd(r6++#8) }
{ v17.w = vrmpy(v17.ub,r8.b); v20.w += vrmpy(v18.ub,r11.b); v18 = vand(v21,v16); v26 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r9.b); v21.w = vrmpy(v23.ub,r8.b); v23 = vand(v24,v16); v28 = vmem(r2++#1) }
{ v17.w += vrmpy(v24.ub,r16.b); v21.w += vrmpy(v18.ub,r9.b); v18 = vand(v26,v16); v24 = vmem(r2++#1) }
{ v17.w += vrmpy(v26.ub,r17.b); v21.w += vrmpy(v23.ub,r16.b); v23 = vand(v28,v16); v26 = vmem(r2++#1) }
{ v17.w += vrmpy(v28.ub,r18.b); v21.w += vrmpy(v18.ub,r17.b); v18 = vand(v24,v16); v28 = vmem(r2++#1) }
{ r11:10 = memd(r6++#8); v29 = vand(v26,v16); v19.w = vsub(v22.w,v20.w); v22.h = vmpy(v19.h,r12.h):<<1:rnd:sat }
{ v17.w += vrmpy(v24.ub,r19.b); v21.w += vrmpy(v23.ub,r18.b); v23 = vand(v28,v16); v24 = vmem(r3++#1) }
{ v17.w += vrmpy(v26.ub,r10.b); v21.w += vrmpy(v18.ub,r19.b); v18.w = vasr(v19.w,r0); v19 = vmem(r3++#1) }
{ v17.w += vrmpy(v28.ub,r11.b); v21.w += vrmpy(v29.ub,r10.b); v26 = vand(v24,v16); v28 = vand(v19,v16) }
{ v18.h = vshuffe(v18.h,v20.h); v20.w = vrmpy(v24.ub,r8.b); v21.w += vrmpy(v23.ub,r11.b); v23 = vmem(r3++#1) }
{ v24 = vmem(r2++#1); v19.h = vsub(v18.h,v27.h); v20.w += vrmpy(v19.ub,r9.b); v18.w = vrmpy(v26.ub,r8.b) }
{ v20.w += vrmpy(v23.ub,r16.b); v18.w += vrmpy(v28.ub,r9.b); v26 = vmem(r3++#1) }
{ v7:6.w += vmpy(v19.h,v22.h); v19 = vand(v23,v16); v22 = vmem(r3++#1) }
{ v7:6.w += vmpy(v25.h,r14.h); v23 = vand(v26,v16); v25 = vmem(r3++#1); r13:12 = memd(r7++#8) }
{ v20.w += vrmpy(v26.ub,r17.b); v18.w += vrmpy(v19.ub,r16.b); v19 = vand(v22,v16); v26 = vmem(r3++#1) }
{ v20.w += vrmpy(v22.ub,r18.b); v18.w += vrmpy(v23.ub,r17.b); v22 = vand(v25,v16); v23 = vand(v26,v16) }
{ v20.w += vrmpy(v25.ub,r19.b); v18.w += vrmpy(v19.ub,r18.b); v19 = vmem(r3++#1); v17.w = vsub(v17.w,v21.w) }
{ v22 = vmem(r2++#1); v20.w += vrmpy(v26.ub,r10.b); v18.w += vrmpy(v22.ub,r19.b); r14 = combine(r13.h,r13.h) }
{ v20.w += vrmpy(v19.ub,r11.b); v18.w += vrmpy(v23.ub,r10.b); v17.w = vasr(v17.w,r0); v23 = vmem(r4++#1) }
{ v19 = vand(v19,v16); v26 = vmem(r3++#1); v27 = vsplat(r14); v25 = vand(v23,v16) }
{ v17.h = vshuffe(v17.h,v21.h); v21.h = vmpy(v24.h,r12.h):<<1:rnd:sat; r14 = combine(r13.l,r13.l); v24 = vmem(r4++#1) }
{ v23 = vmem(r3++#1); v17.h = vsub(v17.h,v27.h); v19.w = vrmpy(v23.ub,r8.b); v18.w += vrmpy(v19.ub,r11.b) }
{ v25 = vand(v24,v16); v19.w += vrmpy(v24.ub,r9.b); v24.w = vrmpy(v25.ub,r8.b); v28 = vmem(r4++#1) }
{ v1:0.w += vmpy(v17.h,v21.h); v17 = vand(v28,v16); v21 = vmem(r4++#1) }
{ v1:0.w += vmpy(v22.h,r14.h); v22 = vand(v21,v16); v29 = vmem(r4++#1) }
{ v19.w += vrmpy(v28.ub,r16.b); v24.w += vrmpy(v25.ub,r9.b); v25 = vmem(r4++#1); v20.w = vsub(v20.w,v18.w) }
{ v19.w += vrmpy(v21.ub,r17.b); v24.w += vrmpy(v17.ub,r16.b); v17 = vand(v29,v16); v21 = vmem(r4++#1) }
{ v19.w += vrmpy(v29.ub,r18.b); v24.w += vrmpy(v22.ub,r17.b); v22 = vand(v25,v16); v28 = vmem(r4++#1) }
{ v29 = vand(v21,v16); v30 = vmem(r4++#1); v26.h = vmpy(v26.h,r12.h):<<1:rnd:sat }
{ v19.w += vrmpy(v25.ub,r19.b); v24.w += vrmpy(v17.ub,r18.b); v17.w = vasr(v20.w,r0); v20 = vmem(r5++#1) }
{ v19.w += vrmpy(v21.ub,r10.b); v24.w += vrmpy(v22.ub,r19.b); v21 = vand(v28,v16); v22 = vand(v20,v16) }
{ v19.w += vrmpy(v28.ub,r11.b); v24.w += vrmpy(v29.ub,r10.b); v17.h = vshuffe(v17.h,v18.h); v18 = vmem(r5++#1) }
{ v21 = vmem(r4++#1); v17.h = vsub(v17.h,v27.h); v20.w = vrmpy(v20.ub,r8.b); v24.w += vrmpy(v21.ub,r11.b) }
{ v20.w += vrmpy(v18.ub,r9.b); v22.w = vrmpy(v22.ub,r8.b); v25 = vmem(r5++#1) }
{ v3:2.w += vmpy(v17.h,v26.h); v17 = vand(v18,v16); v18 = vmem(r5++#1) }
{ v3:2.w += vmpy(v23.h,r14.h); v23 = vand(v25,v16); v19.w = vsub(v19.w,v24.w); r21:20 = memd(r6++#8) }
{ v20.w += vrmpy(v25.ub,r16.b); v22.w += vrmpy(v17.ub,r9.b); v17 = vand(v18,v16); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r17.b); v22.w += vrmpy(v23.ub,r16.b); v18 = vand(v25,v16); v23 = vmem(r5++#1) }
{ v20.w += vrmpy(v25.ub,r18.b); v22.w += vrmpy(v17.ub,r17.b); v17 = vand(v23,v16); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v23.ub,r19.b); v22.w += vrmpy(v18.ub,r18.b); v18 = vand(v25,v16); v23 = vmem(r5++#1) }
{ v20.w += vrmpy(v25.ub,r10.b); v22.w += vrmpy(v17.ub,r19.b); v19 = vmem(r5++#1); v17.w = vasr(v19.w,r0) }
{ v18 = vand(v23,v16); v20.w += vrmpy(v23.ub,r11.b); v22.w += vrmpy(v18.ub,r10.b); v23 = vmem(r2++#1) }
{ v25 = vmem(r5++#1); v17.h = vshuffe(v17.h,v24.h); v24.h = vmpy(v30.h,r12.h):<<1:rnd:sat; r9:8 = memd(r6++#8) }
{ v17.h = vsub(v17.h,v27.h); v18.w = vrmpy(v23.ub,r20.b); v22.w += vrmpy(v18.ub,r11.b); r11:10 = memd(r7++#8) }
{ v23 = vand(v23,v16); v26 = vmem(r2++#1); r13:12 = memd(r6++#8); v19.h = vmpy(v19.h,r12.h):<<1:rnd:sat }
{ v5:4.w += vmpy(v17.h,v24.h); v17 = vand(v26,v16); v24 = vmem(r2++#1); r17:16 = memd(r6++#8) }
{ v5:4.w += vmpy(v21.h,r14.h); v21 = vand(v24,v16); v28 = vmem(r2++#1); r15 = combine(r11.h,r11.h) }
{ v18.w += vrmpy(v26.ub,r21.b); v23.w = vrmpy(v23.ub,r20.b); v26 = vand(v28,v16); v29 = vmem(r2++#1) }
{ v18.w += vrmpy(v24.ub,r8.b); v23.w += vrmpy(v17.ub,r21.b); v17 = vand(v29,v16); v24 = vmem(r2++#1) }
{ v18.w += vrmpy(v28.ub,r9.b); v23.w += vrmpy(v21.ub,r8.b); v21 = vand(v24,v16); v28 = vmem(r2++#1) }
{ v18.w += vrmpy(v29.ub,r12.b); v23.w += vrmpy(v26.ub,r9.b); v26 = vand(v28,v16); v29 = vmem(r2++#1) }
{ v18.w += vrmpy(v24.ub,r13.b); v23.w += vrmpy(v17.ub,r12.b); v20 = vmem(r2++#1); v17.w = vsub(v20.w,v22.w) }
{ v18.w += vrmpy(v28.ub,r16.b); v23.w += vrmpy(v21.ub,r13.b); v21 = vand(v29,v16); v24 = vmem(r3++#1) }
{ v18.w += vrmpy(v29.ub,r17.b); v23.w += vrmpy(v26.ub,r16.b); v17.w = vasr(v17.w,r0); v26 = vmem(r3++#1) }
{ v29 = vmem(r2++#1); v21.w = vrmpy(v24.ub,r20.b); v23.w += vrmpy(v21.ub,r17.b); v28 = vand(v26,v16) }
{ v17.h = vshuffe(v17.h,v22.h); v22 = vand(v24,v16); v24 = vmem(r3++#1); v30 = vsplat(r15) }
{ v17.h = vsub(v17.h,v27.h); v20.h = vmpy(v20.h,r10.h):<<1:rnd:sat; v27 = vmem(r4++#1) }
{ v21.w += vrmpy(v26.ub,r21.b); v22.w = vrmpy(v22.ub,r20.b); v26 = vmem(r3++#1); v18.w = vsub(v18.w,v23.w) }
{ v7:6.w += vmpy(v17.h,v19.h); v17 = vand(v24,v16); v19 = vmem(r3++#1) }
{ v7:6.w += vmpy(v25.h,r14.h); v25 = vand(v26,v16); v31 = vmem(r3++#1); r19 = combine(r11.l,r11.l) }
{ v21.w += vrmpy(v24.ub,r8.b); v22.w += vrmpy(v28.ub,r21.b); v24 = vand(v19,v16); v28 = vmem(r3++#1) }
{ v21.w += vrmpy(v26.ub,r9.b); v22.w += vrmpy(v17.ub,r8.b); v17 = vand(v31,v16); v26 = vmem(r3++#1) }
{ v21.w += vrmpy(v19.ub,r12.b); v22.w += vrmpy(v25.ub,r9.b); v19 = vand(v28,v16); v25 = vmem(r3++#1) }
{ v21.w += vrmpy(v31.ub,r13.b); v22.w += vrmpy(v24.ub,r12.b); v24 = vmem(r3++#1); v18.w = vasr(v18.w,r0) }
{ v21.w += vrmpy(v28.ub,r16.b); v22.w += vrmpy(v17.ub,r13.b); v17 = vand(v26,v16); v28 = vmem(r4++#1) }
{ v21.w += vrmpy(v26.ub,r17.b); v22.w += vrmpy(v19.ub,r16.b); v18.h = vshuffe(v18.h,v23.h); v19 = vand(v27,v16) }
{ v17.h = vsub(v18.h,v30.h); v18.w = vrmpy(v27.ub,r20.b); v22.w += vrmpy(v17.ub,r17.b); v23 = vmem(r4++#1) }
{ v26 = vand(v28,v16); v18.w += vrmpy(v28.ub,r21.b); v19.w = vrmpy(v19.ub,r20.b); v27 = vmem(r4++#1) }
{ v1:0.w += vmpy(v17.h,v20.h); v17 = vand(v23,v16); v20 = vmem(r4++#1) }
{ v1:0.w += vmpy(v29.h,r19.h); v28 = vand(v27,v16); v29 = vmem(r4++#1) }
{ v18.w += vrmpy(v23.ub,r8.b); v19.w += vrmpy(v26.ub,r21.b); v23 = vand(v20,v16); v21.w = vsub(v21.w,v22.w) }
{ v8.w += vasr(v0.w,r1); v18.w += vrmpy(v27.ub,r9.b); v19.w += vrmpy(v17.ub,r8.b); v17 = vmem(r4++#1) }
{ v9.w += vasr(v1.w,r1); v18.w += vrmpy(v20.ub,r12.b); v19.w += vrmpy(v28.ub,r9.b); v20 = vmem(r4++#1) }
{ v23 = vand(v29,v16); v18.w += vrmpy(v29.ub,r13.b); v19.w += vrmpy(v23.ub,r12.b); v26 = vmem(r4++#1) }
{ v27 = vand(v17,v16); v21.w = vasr(v21.w,r0); v25.h = vmpy(v25.h,r10.h):<<1:rnd:sat }
{ v18.w += vrmpy(v17.ub,r16.b); v19.w += vrmpy(v23.ub,r13.b); v17 = vand(v20,v16); v23 = vmem(r5++#1) }
{ v18.w += vrmpy(v20.ub,r17.b); v19.w += vrmpy(v27.ub,r16.b); v20.h = vshuffe(v21.h,v22.h); v21 = vand(v23,v16) }
{ v17.h = vsub(v20.h,v30.h); v20.w = vrmpy(v23.ub,r20.b); v19.w += vrmpy(v17.ub,r17.b); v22 = vmem(r5++#1) }
{ v26 = vand(v22,v16); v27 = vmem(r5++#1); v23.h = vmpy(v26.h,r10.h):<<1:rnd:sat }
{ v3:2.w += vmpy(v17.h,v25.h); v17 = vand(v27,v16); v25 = vmem(r5++#1) }
{ v3:2.w += vmpy(v24.h,r19.h); v24 = vand(v25,v16); v28 = vmem(r5++#1) }
{ v20.w += vrmpy(v22.ub,r21.b); v29.w = vrmpy(v21.ub,r20.b); v21 = vand(v28,v16); v18.w = vsub(v18.w,v19.w) }
{ v10.w += vasr(v2.w,r1); v20.w += vrmpy(v27.ub,r8.b); v29.w += vrmpy(v26.ub,r21.b); v22 = vmem(r5++#1) }
{ v11.w += vasr(v3.w,r1); v20.w += vrmpy(v25.ub,r9.b); v29.w += vrmpy(v17.ub,r8.b); v17 = vand(v22,v16) }
{ v20.w += vrmpy(v28.ub,r12.b); v29.w += vrmpy(v24.ub,r9.b); v24 = vmem(r5++#1); v18.w = vasr(v18.w,r0) }
{ v20.w += vrmpy(v22.ub,r13.b); v29.w += vrmpy(v21.ub,r12.b); v21 = vand(v24,v16); v22 = vmem(r5++#1) }
{ v20.w += vrmpy(v24.ub,r16.b); v29.w += vrmpy(v17.ub,r13.b); v18 = vand(v22,v16); v17.h = vshuffe(v18.h,v19.h) }
{ v19 = vmem(r4++#1); v20.w += vrmpy(v22.ub,r17.b); v29.w += vrmpy(v21.ub,r16.b); v17.h = vsub(v17.h,v30.h) }
{ v18 = vmem(r5++#1); v29.w += vrmpy(v18.ub,r17.b) }
{ v31 = vmem(r5++#1); v5:4.w += vmpy(v17.h,v23.h); v20.w = vsub(v20.w,v29.w) }:endloop0
{ v5:4.w += vmpy(v19.h,r19.h) }
{ v23.w = vasr(v20.w,r0); v28.h = vmpy(v18.h,r10.h):<<1:rnd:sat }
{ v13.w += vasr(v5.w,r1) }
{ v27.h = vshuffe(v23.h,v29.h) }
{ v12.w += vasr(v4.w,r1) }
{ v29.h = vsub(v27.h,v30.h) }
{ v7:6.w += vmpy(v29.h,v28.h) }
{ v7:6.w += vmpy(v31.h,r19.h) }
{ v14.w += vasr(v6.w,r1) }
{ v15.w += vasr(v7.w,r1) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ vmem(r28+#2) = v10; r21:20 = memd(r29+#16) }
{ vmem(r28+#3) = v11; r23:22 = memd(r29+#24) }
{ vmem(r28+#4) = v12; r25:24 = memd(r29+#32) }
{ vmem(r28+#5) = v13; r27:26 = memd(r29+#40) }
{ vmem(r28+#6) = v14 }
{ vmem(r28+#7) = v15 }
{ dealloc_return }
.size hvx_sum_q4_1_tiles, .-hvx_sum_q4_1_tiles

// 50 packets (50 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q4_1_tile
.hidden hvx_sum_q4_1_tile
.type hvx_sum_q4_1_tile,@function
hvx_sum_q4_1_tile:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); r0 = ##4 }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##252645135 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_q4_1_tile,r30); v8 = vmem(r31+#0); memw(r29+#48) = r31 }
{ v9 = vmem(r31+#1); r2 = memw(r28+#0) }
{ r3 = memw(r28+#16); r4 = memw(r28+#32) }
{ r1 = memw(r28+#52) }
{ r7:6 = memd(r3++#8); v17 = vmem(r2++#1) }
{ v18 = vmem(r2++#1) }
{ v19 = vand(v17,v16); v17.w = vrmpy(v17.ub,r6.b); v20 = vand(v18,v16); v21 = vmem(r2++#1) }
{ r9:8 = memd(r3++#8); v22 = vmem(r2++#1) }
{ v17.w += vrmpy(v18.ub,r7.b); v18.w = vrmpy(v19.ub,r6.b); r11:10 = memd(r3++#8); v19 = vmem(r2++#1) }
{ v20 = vand(v21,v16); v17.w += vrmpy(v21.ub,r8.b); v18.w += vrmpy(v20.ub,r7.b); v21 = vand(v22,v16) }
{ v23 = vand(v19,v16); v24 = vmem(r2++#1) }
{ v17.w += vrmpy(v22.ub,r9.b); v18.w += vrmpy(v20.ub,r8.b); r7:6 = memd(r3++#8); v20 = vmem(r2++#1) }
{ v17.w += vrmpy(v19.ub,r10.b); v18.w += vrmpy(v21.ub,r9.b); v19 = vand(v24,v16); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v24.ub,r11.b); v18.w += vrmpy(v23.ub,r10.b); v22 = vand(v20,v16); v23 = vmem(r2++#1) }
{ v17.w += vrmpy(v20.ub,r6.b); v18.w += vrmpy(v19.ub,r11.b); v19 = vand(v21,v16); v20 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r7.b); v18.w += vrmpy(v22.ub,r6.b); r9:8 = memd(r3++#8); v21 = vmem(r2++#1) }
{ v22 = vand(v21,v16); v24 = vmem(r2++#1); r11:10 = memd(r3++#8) }
{ v19.w = vrmpy(v21.ub,r8.b); v18.w += vrmpy(v19.ub,r7.b); v21 = vand(v24,v16); v25 = vmem(r2++#1) }
{ v19.w += vrmpy(v24.ub,r9.b); v22.w = vrmpy(v22.ub,r8.b); v24 = vmem(r2++#1); r7:6 = memd(r4++#8) }
{ v19.w += vrmpy(v25.ub,r10.b); v22.w += vrmpy(v21.ub,r9.b); v21 = vand(v24,v16); v26 = vmem(r2++#1) }
{ v25 = vand(v25,v16); r9:8 = memd(r3++#8); v27 = vand(v26,v16); v23.h = vmpy(v23.h,r6.h):<<1:rnd:sat }
{ v28 = vmem(r2++#1); r13:12 = memd(r3++#8); v17.w = vsub(v17.w,v18.w) }
{ v19.w += vrmpy(v24.ub,r11.b); v22.w += vrmpy(v25.ub,r10.b); v24 = vand(v28,v16); v25 = vmem(r2++#1) }
{ v19.w += vrmpy(v26.ub,r8.b); v22.w += vrmpy(v21.ub,r11.b); v21 = vand(v25,v16); v26 = vmem(r2++#1) }
{ v19.w += vrmpy(v28.ub,r9.b); v22.w += vrmpy(v27.ub,r8.b); v27 = vand(v26,v16); r11:10 = memd(r3++#8) }
{ v19.w += vrmpy(v25.ub,r12.b); v22.w += vrmpy(v24.ub,r9.b); v24 = vmem(r2++#1); r5 = combine(r7.h,r7.h) }
{ v19.w += vrmpy(v26.ub,r13.b); v22.w += vrmpy(v21.ub,r12.b); v21 = vmem(r2++#1); v17.w = vasr(v17.w,r0) }
{ v26 = vsplat(r5); v25 = vmem(r2++#1); r9:8 = memd(r3++#8) }
{ v17.h = vshuffe(v17.h,v18.h); v18 = vmem(r2++#1); r15:14 = memd(r4++#8) }
{ v17.h = vsub(v17.h,v26.h); v26 = vand(v25,v16); v25.w = vrmpy(v25.ub,r10.b); v22.w += vrmpy(v27.ub,r13.b) }
{ r5 = combine(r7.l,r7.l); v27 = vmem(r2++#1); v24.h = vmpy(v24.h,r14.h):<<1:rnd:sat; r7:6 = memd(r4++#8) }
{ v1:0.w = vmpy(v17.h,v23.h); v17 = vand(v18,v16); v23 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v25.w += vrmpy(v18.ub,r11.b); v18.w = vrmpy(v26.ub,r10.b); v26 = vand(v27,v16); v28 = vand(v23,v16) }
{ v1:0.w += vmpy(v20.h,r5.h); v20 = vmem(r2++#1); r17:16 = memd(r3++#8); v19.w = vsub(v19.w,v22.w) }
{ v25.w += vrmpy(v27.ub,r8.b); v18.w += vrmpy(v17.ub,r11.b); v17 = vand(v20,v16); v27 = vmem(r2++#1) }
{ v25.w += vrmpy(v23.ub,r9.b); v18.w += vrmpy(v26.ub,r8.b); v23 = vand(v27,v16); v26 = vmem(r2++#1) }
{ v25.w += vrmpy(v20.ub,r12.b); v18.w += vrmpy(v28.ub,r9.b); v20 = vand(v26,v16); v19.w = vasr(v19.w,r0) }
{ v25.w += vrmpy(v27.ub,r13.b); v18.w += vrmpy(v17.ub,r12.b); v17 = vmem(r2++#1); r5 = combine(r15.h,r15.h) }
{ v25.w += vrmpy(v26.ub,r16.b); v18.w += vrmpy(v23.ub,r13.b); v23 = vmem(r2++#1); r8 = combine(r15.l,r15.l) }
{ v25.w += vrmpy(v17.ub,r17.b); v18.w += vrmpy(v20.ub,r16.b); v22 = vmem(r2++#1); v19.h = vshuffe(v19.h,v22.h) }
{ v17 = vand(v17,v16); v26 = vsplat(r5); r11:10 = memd(r3++#8); v20 = vmem(r2++#1) }
{ v19.h = vsub(v19.h,v26.h); v26 = vand(v20,v16); r5 = combine(r7.h,r7.h); v23.h = vmpy(v23.h,r6.h):<<1:rnd:sat }
{ v17.w = vrmpy(v20.ub,r10.b); v18.w += vrmpy(v17.ub,r17.b); v20 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v1:0.w += vmpy(v19.h,v24.h); v19 = vand(v20,v16); v24 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v1:0.w += vmpy(v21.h,r8.h); v21 = vand(v24,v16); v27 = vmem(r2++#1); r9:8 = memd(r3++#8) }
{ v17.w += vrmpy(v20.ub,r11.b); v26.w = vrmpy(v26.ub,r10.b); v20 = vand(v27,v16); v28 = vmem(r2++#1) }
{ v17.w += vrmpy(v24.ub,r12.b); v26.w += vrmpy(v19.ub,r11.b); v19 = vand(v28,v16); v24 = vmem(r2++#1) }
{ v17.w += vrmpy(v27.ub,r13.b); v26.w += vrmpy(v21.ub,r12.b); v25 = vand(v24,v16); v21.w = vsub(v25.w,v18.w) }
{ v17.w += vrmpy(v28.ub,r14.b); v26.w += vrmpy(v20.ub,r13.b); v20 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v17.w += vrmpy(v24.ub,r15.b); v26.w += vrmpy(v19.ub,r14.b); v19 = vand(v20,v16); v24 = vmem(r2++#1) }
{ v17.w += vrmpy(v20.ub,r8.b); v26.w += vrmpy(v25.ub,r15.b); v21 = vand(v24,v16); v20.w = vasr(v21.w,r0) }
{ v17.w += vrmpy(v24.ub,r9.b); v26.w += vrmpy(v19.ub,r8.b); r10 = combine(r13.h,r13.h) }
{ v19 = vmem(r2++#1); v20 = vsplat(r5); v18.h = vshuffe(v20.h,v18.h); v26.w += vrmpy(v21.ub,r9.b) }
{ v28 = vmem(r2++#1); v20.h = vsub(v18.h,v20.h); v18.w = vsub(v17.w,v26.w); v24 = vsplat(r10) }
.Lhvx_sum_q4_1_tile:
{ r7:6 = memd(r3++#8); v17 = vmem(r2++#1); r5 = combine(r7.l,r7.l); v25.h = vmpy(v19.h,r12.h):<<1:rnd:sat }
{ v18 = vmem(r2++#1); v1:0.w += vmpy(v20.h,v23.h); v23.w = vasr(v18.w,r0) }
{ v19 = vand(v17,v16); v17.w = vrmpy(v17.ub,r6.b); v20 = vand(v18,v16); v21 = vmem(r2++#1) }
{ r9:8 = memd(r3++#8); v22 = vmem(r2++#1); v1:0.w += vmpy(v22.h,r5.h); v23.h = vshuffe(v23.h,v26.h) }
{ v17.w += vrmpy(v18.ub,r7.b); v18.w = vrmpy(v19.ub,r6.b); r11:10 = memd(r3++#8); v19 = vmem(r2++#1) }
{ v20 = vand(v21,v16); v17.w += vrmpy(v21.ub,r8.b); v18.w += vrmpy(v20.ub,r7.b); v21 = vand(v22,v16) }
{ v23 = vand(v19,v16); v24 = vmem(r2++#1); v26.h = vsub(v23.h,v24.h); r5 = combine(r13.l,r13.l) }
{ v17.w += vrmpy(v22.ub,r9.b); v18.w += vrmpy(v20.ub,r8.b); r7:6 = memd(r3++#8); v20 = vmem(r2++#1) }
{ v17.w += vrmpy(v19.ub,r10.b); v18.w += vrmpy(v21.ub,r9.b); v19 = vand(v24,v16); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v24.ub,r11.b); v18.w += vrmpy(v23.ub,r10.b); v22 = vand(v20,v16); v23 = vmem(r2++#1) }
{ v17.w += vrmpy(v20.ub,r6.b); v18.w += vrmpy(v19.ub,r11.b); v19 = vand(v21,v16); v20 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r7.b); v18.w += vrmpy(v22.ub,r6.b); r9:8 = memd(r3++#8); v21 = vmem(r2++#1) }
{ v22 = vand(v21,v16); v24 = vmem(r2++#1); r11:10 = memd(r3++#8); v1:0.w += vmpy(v26.h,v25.h) }
{ v19.w = vrmpy(v21.ub,r8.b); v18.w += vrmpy(v19.ub,r7.b); v21 = vand(v24,v16); v25 = vmem(r2++#1) }
{ v19.w += vrmpy(v24.ub,r9.b); v22.w = vrmpy(v22.ub,r8.b); v24 = vmem(r2++#1); r7:6 = memd(r4++#8) }
{ v19.w += vrmpy(v25.ub,r10.b); v22.w += vrmpy(v21.ub,r9.b); v21 = vand(v24,v16); v26 = vmem(r2++#1) }
{ v25 = vand(v25,v16); r9:8 = memd(r3++#8); v27 = vand(v26,v16); v23.h = vmpy(v23.h,r6.h):<<1:rnd:sat }
{ v28 = vmem(r2++#1); r13:12 = memd(r3++#8); v17.w = vsub(v17.w,v18.w); v1:0.w += vmpy(v28.h,r5.h) }
{ v19.w += vrmpy(v24.ub,r11.b); v22.w += vrmpy(v25.ub,r10.b); v24 = vand(v28,v16); v25 = vmem(r2++#1) }
{ v19.w += vrmpy(v26.ub,r8.b); v22.w += vrmpy(v21.ub,r11.b); v21 = vand(v25,v16); v26 = vmem(r2++#1) }
{ v19.w += vrmpy(v28.ub,r9.b); v22.w += vrmpy(v27.ub,r8.b); v27 = vand(v26,v16); r11:10 = memd(r3++#8) }
{ v19.w += vrmpy(v25.ub,r12.b); v22.w += vrmpy(v24.ub,r9.b); v24 = vmem(r2++#1); r5 = combine(r7.h,r7.h) }
{ v19.w += vrmpy(v26.ub,r13.b); v22.w += vrmpy(v21.ub,r12.b); v21 = vmem(r2++#1); v17.w = vasr(v17.w,r0) }
{ v26 = vsplat(r5); v25 = vmem(r2++#1); r9:8 = memd(r3++#8); v8.w += vasr(v0.w,r1) }
{ v17.h = vshuffe(v17.h,v18.h); v18 = vmem(r2++#1); r15:14 = memd(r4++#8); v9.w += vasr(v1.w,r1) }
{ v17.h = vsub(v17.h,v26.h); v26 = vand(v25,v16); v25.w = vrmpy(v25.ub,r10.b); v22.w += vrmpy(v27.ub,r13.b) }
{ r5 = combine(r7.l,r7.l); v27 = vmem(r2++#1); v24.h = vmpy(v24.h,r14.h):<<1:rnd:sat; r7:6 = memd(r4++#8) }
{ v1:0.w = vmpy(v17.h,v23.h); v17 = vand(v18,v16); v23 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v25.w += vrmpy(v18.ub,r11.b); v18.w = vrmpy(v26.ub,r10.b); v26 = vand(v27,v16); v28 = vand(v23,v16) }
{ v1:0.w += vmpy(v20.h,r5.h); v20 = vmem(r2++#1); r17:16 = memd(r3++#8); v19.w = vsub(v19.w,v22.w) }
{ v25.w += vrmpy(v27.ub,r8.b); v18.w += vrmpy(v17.ub,r11.b); v17 = vand(v20,v16); v27 = vmem(r2++#1) }
{ v25.w += vrmpy(v23.ub,r9.b); v18.w += vrmpy(v26.ub,r8.b); v23 = vand(v27,v16); v26 = vmem(r2++#1) }
{ v25.w += vrmpy(v20.ub,r12.b); v18.w += vrmpy(v28.ub,r9.b); v20 = vand(v26,v16); v19.w = vasr(v19.w,r0) }
{ v25.w += vrmpy(v27.ub,r13.b); v18.w += vrmpy(v17.ub,r12.b); v17 = vmem(r2++#1); r5 = combine(r15.h,r15.h) }
{ v25.w += vrmpy(v26.ub,r16.b); v18.w += vrmpy(v23.ub,r13.b); v23 = vmem(r2++#1); r8 = combine(r15.l,r15.l) }
{ v25.w += vrmpy(v17.ub,r17.b); v18.w += vrmpy(v20.ub,r16.b); v22 = vmem(r2++#1); v19.h = vshuffe(v19.h,v22.h) }
{ v17 = vand(v17,v16); v26 = vsplat(r5); r11:10 = memd(r3++#8); v20 = vmem(r2++#1) }
{ v19.h = vsub(v19.h,v26.h); v26 = vand(v20,v16); r5 = combine(r7.h,r7.h); v23.h = vmpy(v23.h,r6.h):<<1:rnd:sat }
{ v17.w = vrmpy(v20.ub,r10.b); v18.w += vrmpy(v17.ub,r17.b); v20 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v1:0.w += vmpy(v19.h,v24.h); v19 = vand(v20,v16); v24 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v1:0.w += vmpy(v21.h,r8.h); v21 = vand(v24,v16); v27 = vmem(r2++#1); r9:8 = memd(r3++#8) }
{ v17.w += vrmpy(v20.ub,r11.b); v26.w = vrmpy(v26.ub,r10.b); v20 = vand(v27,v16); v28 = vmem(r2++#1) }
{ v17.w += vrmpy(v24.ub,r12.b); v26.w += vrmpy(v19.ub,r11.b); v19 = vand(v28,v16); v24 = vmem(r2++#1) }
{ v17.w += vrmpy(v27.ub,r13.b); v26.w += vrmpy(v21.ub,r12.b); v25 = vand(v24,v16); v21.w = vsub(v25.w,v18.w) }
{ v17.w += vrmpy(v28.ub,r14.b); v26.w += vrmpy(v20.ub,r13.b); v20 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v17.w += vrmpy(v24.ub,r15.b); v26.w += vrmpy(v19.ub,r14.b); v19 = vand(v20,v16); v24 = vmem(r2++#1) }
{ v17.w += vrmpy(v20.ub,r8.b); v26.w += vrmpy(v25.ub,r15.b); v21 = vand(v24,v16); v20.w = vasr(v21.w,r0) }
{ v17.w += vrmpy(v24.ub,r9.b); v26.w += vrmpy(v19.ub,r8.b); r10 = combine(r13.h,r13.h) }
{ v19 = vmem(r2++#1); v20 = vsplat(r5); v18.h = vshuffe(v20.h,v18.h); v26.w += vrmpy(v21.ub,r9.b) }
{ v28 = vmem(r2++#1); v20.h = vsub(v18.h,v20.h); v18.w = vsub(v17.w,v26.w); v24 = vsplat(r10) }:endloop0
{ r5 = combine(r7.l,r7.l); v25.h = vmpy(v19.h,r12.h):<<1:rnd:sat }
{ v1:0.w += vmpy(v20.h,v23.h); v23.w = vasr(v18.w,r0) }
{ v1:0.w += vmpy(v22.h,r5.h); v23.h = vshuffe(v23.h,v26.h) }
{ v26.h = vsub(v23.h,v24.h); r5 = combine(r13.l,r13.l) }
{ v1:0.w += vmpy(v26.h,v25.h) }
{ v1:0.w += vmpy(v28.h,r5.h) }
{ v8.w += vasr(v0.w,r1) }
{ v9.w += vasr(v1.w,r1) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16) }
{ r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32) }
{ r27:26 = memd(r29+#40) }
{ dealloc_return }
.size hvx_sum_q4_1_tile, .-hvx_sum_q4_1_tile

// 180 packets (180 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q4_1_rows
.hidden hvx_sum_q4_1_rows
.type hvx_sum_q4_1_rows,@function
hvx_sum_q4_1_rows:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); r0 = ##4 }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##252645135 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_q4_1_rows,r30); v8 = vmem(r31+#0); memw(r29+#48) = r31 }
{ v9 = vmem(r31+#1); r2 = memw(r28+#0) }
{ v10 = vmem(r31+#2); r3 = memw(r28+#16) }
{ v11 = vmem(r31+#3); r4 = memw(r28+#20) }
{ v12 = vmem(r31+#4); r5 = memw(r28+#24) }
{ v13 = vmem(r31+#5); r6 = memw(r28+#28) }
{ v14 = vmem(r31+#6); r7 = memw(r28+#32) }
{ v15 = vmem(r31+#7); r8 = memw(r28+#36) }
{ r9 = memw(r28+#40); r10 = memw(r28+#44) }
{ r1 = memw(r28+#52) }
{ v17 = vmem(r2++#1) }
{ v18 = vand(v17,v16) }
{ r13:12 = memd(r3++#8); v17.ub = vlsr(v17.ub,r0); v19 = vmem(r2++#1) }
{ r15:14 = memd(r4++#8) }
{ r17:16 = memd(r5++#8); v21.w = vrmpy(v18.ub,r12.b); v20.w = vrmpy(v17.ub,r12.b); v22.ub = vlsr(v19.ub,r0) }
{ r19:18 = memd(r6++#8); v24.w = vrmpy(v18.ub,r14.b); v23.w = vrmpy(v17.ub,r14.b); v25 = vmem(r2++#1) }
{ v26.w = vrmpy(v18.ub,r16.b); v19.w = vrmpy(v17.ub,r16.b); v27 = vand(v19,v16) }
{ v18.w = vrmpy(v18.ub,r18.b); v17.w = vrmpy(v17.ub,r18.b); v28.ub = vlsr(v25.ub,r0); v29 = vmem(r2++#1) }
{ v21.w += vrmpy(v27.ub,r13.b); v20.w += vrmpy(v22.ub,r13.b) }
{ v24.w += vrmpy(v27.ub,r15.b); v23.w += vrmpy(v22.ub,r15.b); r13:12 = memd(r3++#8); v30.ub = vlsr(v29.ub,r0) }
{ v26.w += vrmpy(v27.ub,r17.b); v19.w += vrmpy(v22.ub,r17.b); r15:14 = memd(r4++#8); v25 = vand(v25,v16) }
{ v18.w += vrmpy(v27.ub,r19.b); v17.w += vrmpy(v22.ub,r19.b); r17:16 = memd(r5++#8); r19:18 = memd(r6++#8) }
{ v21.w += vrmpy(v25.ub,r12.b); v20.w += vrmpy(v28.ub,r12.b); v22 = vmem(r2++#1) }
{ v24.w += vrmpy(v25.ub,r14.b); v23.w += vrmpy(v28.ub,r14.b); v27 = vand(v29,v16) }
{ v26.w += vrmpy(v25.ub,r16.b); v19.w += vrmpy(v28.ub,r16.b); v29.ub = vlsr(v22.ub,r0); v31 = vmem(r2++#1) }
{ v18.w += vrmpy(v25.ub,r18.b); v17.w += vrmpy(v28.ub,r18.b) }
{ v21.w += vrmpy(v27.ub,r13.b); v20.w += vrmpy(v30.ub,r13.b); v25.ub = vlsr(v31.ub,r0) }
{ v24.w += vrmpy(v27.ub,r15.b); v23.w += vrmpy(v30.ub,r15.b) }
{ v26.w += vrmpy(v27.ub,r17.b); v19.w += vrmpy(v30.ub,r17.b); r13:12 = memd(r3++#8); v22 = vand(v22,v16) }
{ v18.w += vrmpy(v27.ub,r19.b); v17.w += vrmpy(v30.ub,r19.b); r15:14 = memd(r4++#8); v27 = vmem(r2++#1) }
{ r17:16 = memd(r5++#8); r19:18 = memd(r6++#8); v21.w += vrmpy(v22.ub,r12.b); v20.w += vrmpy(v29.ub,r12.b) }
{ v24.w += vrmpy(v22.ub,r14.b); v23.w += vrmpy(v29.ub,r14.b); v28.ub = vlsr(v27.ub,r0); v30 = vmem(r2++#1) }
{ v18.w += vrmpy(v22.ub,r18.b); v17.w += vrmpy(v29.ub,r18.b); v31 = vand(v31,v16) }
{ v26.w += vrmpy(v22.ub,r16.b); v19.w += vrmpy(v29.ub,r16.b); v22.ub = vlsr(v30.ub,r0) }
{ v21.w += vrmpy(v31.ub,r13.b); v20.w += vrmpy(v25.ub,r13.b) }
{ v26.w += vrmpy(v31.ub,r17.b); v19.w += vrmpy(v25.ub,r17.b) }
{ v24.w += vrmpy(v31.ub,r15.b); v23.w += vrmpy(v25.ub,r15.b); r13:12 = memd(r4++#8); v27 = vand(v27,v16) }
{ v18.w += vrmpy(v31.ub,r19.b); v17.w += vrmpy(v25.ub,r19.b); r15:14 = memd(r5++#8) }
{ r17:16 = memd(r3++#8); v24.w += vrmpy(v27.ub,r12.b); v23.w += vrmpy(v28.ub,r12.b) }
{ r19:18 = memd(r6++#8); v26.w += vrmpy(v27.ub,r14.b); v19.w += vrmpy(v28.ub,r14.b) }
{ v21.w += vrmpy(v27.ub,r16.b); v20.w += vrmpy(v28.ub,r16.b); v25 = vand(v30,v16) }
{ v18.w += vrmpy(v27.ub,r18.b); v17.w += vrmpy(v28.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v21.w += vrmpy(v25.ub,r17.b); v20.w += vrmpy(v22.ub,r17.b); r17:16 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v26.w += vrmpy(v25.ub,r15.b); v19.w += vrmpy(v22.ub,r15.b); v27 = vmem(r2++#1) }
{ v24.w += vrmpy(v25.ub,r13.b); v23.w += vrmpy(v22.ub,r13.b); r11 = combine(r23.h,r21.h); v20.h = vshuffe(v20.h,v21.h) }
{ v18.w += vrmpy(v25.ub,r19.b); v17.w += vrmpy(v22.ub,r19.b); r12 = combine(r25.h,r17.h); v19.h = vshuffe(v19.h,v26.h) }
{ v22 = vsplat(r11); v23 = vsplat(r12); v21.h = vshuffe(v23.h,v24.h) }
{ v17.h = vshuffe(v17.h,v18.h); v18.h = vmpy(v27.h,r20.h):<<1:rnd:sat }
{ v25 = vmem(r2++#1); v26.h = vshuffe(v22.h,v22.h); v24.h = vmpy(v27.h,r22.h):<<1:rnd:sat }
{ v26.h = vshuffo(v22.h,v22.h); v20.h = vsub(v20.h,v26.h); v22.h = vmpy(v27.h,r16.h):<<1:rnd:sat }
{ v27.h = vshuffe(v23.h,v23.h); v21.h = vsub(v21.h,v26.h); r11 = combine(r21.l,r21.l); v26.h = vmpy(v27.h,r24.h):<<1:rnd:sat }
{ v19.h = vshuffo(v23.h,v23.h); v18.h = vsub(v19.h,v27.h); v1:0.w = vmpy(v20.h,v18.h) }
{ v17.h = vsub(v17.h,v19.h); v1:0.w += vmpy(v25.h,r11.h); r11 = combine(r23.l,r23.l); v19 = vmem(r2++#1) }
{ v3:2.w = vmpy(v21.h,v24.h); v20 = vmem(r2++#1) }
{ v3:2.w += vmpy(v25.h,r11.h); r11 = combine(r17.l,r17.l); v21.ub = vlsr(v19.ub,r0) }
{ v5:4.w = vmpy(v18.h,v22.h); v18.ub = vlsr(v20.ub,r0) }
{ v5:4.w += vmpy(v25.h,r11.h); r11 = combine(r25.l,r25.l) }
{ v7:6.w = vmpy(v17.h,v26.h); r13:12 = memd(r3++#8); v17 = vand(v19,v16); v19 = vmem(r2++#1) }
{ v7:6.w += vmpy(v25.h,r11.h); r15:14 = memd(r6++#8) }
{ r17:16 = memd(r5++#8); v23.w = vrmpy(v17.ub,r12.b); v22.w = vrmpy(v21.ub,r12.b); v24.ub = vlsr(v19.ub,r0) }
{ r19:18 = memd(r4++#8); v26.w = vrmpy(v17.ub,r14.b); v25.w = vrmpy(v21.ub,r14.b) }
{ v27.w = vrmpy(v17.ub,r16.b); v20.w = vrmpy(v21.ub,r16.b); v28 = vand(v20,v16); v29 = vmem(r2++#1) }
{ v21.w = vrmpy(v17.ub,r18.b); v17.w = vrmpy(v21.ub,r18.b) }
{ v23.w += vrmpy(v28.ub,r13.b); v22.w += vrmpy(v18.ub,r13.b); v30.ub = vlsr(v29.ub,r0) }
{ v27.w += vrmpy(v28.ub,r17.b); v20.w += vrmpy(v18.ub,r17.b); r13:12 = memd(r3++#8) }
{ v21.w += vrmpy(v28.ub,r19.b); v17.w += vrmpy(v18.ub,r19.b); v19 = vand(v19,v16); v31 = vmem(r2++#1) }
{ v26.w += vrmpy(v28.ub,r15.b); v25.w += vrmpy(v18.ub,r15.b); r15:14 = memd(r4++#8); r17:16 = memd(r6++#8) }
{ v23.w += vrmpy(v19.ub,r12.b); v22.w += vrmpy(v24.ub,r12.b); v28 = vand(v31,v16); v18.ub = vlsr(v31.ub,r0) }
{ r19:18 = memd(r5++#8); v21.w += vrmpy(v19.ub,r14.b); v17.w += vrmpy(v24.ub,r14.b) }
{ v26.w += vrmpy(v19.ub,r16.b); v25.w += vrmpy(v24.ub,r16.b); v29 = vand(v29,v16); v31 = vmem(r2++#1) }
{ v27.w += vrmpy(v19.ub,r18.b); v20.w += vrmpy(v24.ub,r18.b) }
{ v21.w += vrmpy(v29.ub,r15.b); v17.w += vrmpy(v30.ub,r15.b); v19.ub = vlsr(v31.ub,r0) }
{ v23.w += vrmpy(v29.ub,r13.b); v22.w += vrmpy(v30.ub,r13.b) }
{ v27.w += vrmpy(v29.ub,r19.b); v20.w += vrmpy(v30.ub,r19.b); r13:12 = memd(r3++#8) }
{ v26.w += vrmpy(v29.ub,r17.b); v25.w += vrmpy(v30.ub,r17.b); r15:14 = memd(r6++#8) }
{ r17:16 = memd(r4++#8); v23.w += vrmpy(v28.ub,r12.b); v22.w += vrmpy(v18.ub,r12.b); v24 = vmem(r2++#1) }
{ r19:18 = memd(r5++#8); v26.w += vrmpy(v28.ub,r14.b); v25.w += vrmpy(v18.ub,r14.b); v29 = vand(v31,v16) }
{ v21.w += vrmpy(v28.ub,r16.b); v17.w += vrmpy(v18.ub,r16.b); v30.ub = vlsr(v24.ub,r0); v31 = vmem(r2++#1) }
{ v27.w += vrmpy(v28.ub,r18.b); v20.w += vrmpy(v18.ub,r18.b) }
{ v23.w += vrmpy(v29.ub,r13.b); v22.w += vrmpy(v19.ub,r13.b); v18.ub = vlsr(v31.ub,r0) }
{ v26.w += vrmpy(v29.ub,r15.b); v25.w += vrmpy(v19.ub,r15.b) }
{ v27.w += vrmpy(v29.ub,r19.b); v20.w += vrmpy(v19.ub,r19.b); r13:12 = memd(r3++#8); v24 = vand(v24,v16) }
{ v21.w += vrmpy(v29.ub,r17.b); v17.w += vrmpy(v19.ub,r17.b); r15:14 = memd(r5++#8) }
{ r17:16 = memd(r6++#8); v23.w += vrmpy(v24.ub,r12.b); v22.w += vrmpy(v30.ub,r12.b) }
{ r19:18 = memd(r4++#8); v27.w += vrmpy(v24.ub,r14.b); v20.w += vrmpy(v30.ub,r14.b) }
{ v26.w += vrmpy(v24.ub,r16.b); v25.w += vrmpy(v30.ub,r16.b); v19 = vand(v31,v16) }
{ v21.w += vrmpy(v24.ub,r18.b); v17.w += vrmpy(v30.ub,r18.b); r21:20 = memd(r9++#8); r23:22 = memd(r10++#8) }
{ v23.w += vrmpy(v19.ub,r13.b); v22.w += vrmpy(v18.ub,r13.b); r13:12 = memd(r7++#8); r25:24 = memd(r8++#8) }
{ v26.w += vrmpy(v19.ub,r17.b); v25.w += vrmpy(v18.ub,r17.b); v24 = vmem(r2++#1) }
{ v21.w += vrmpy(v19.ub,r19.b); v17.w += vrmpy(v18.ub,r19.b); r11 = combine(r23.h,r21.h); v22.h = vshuffe(v22.h,v23.h) }
{ v27.w += vrmpy(v19.ub,r15.b); v20.w += vrmpy(v18.ub,r15.b); r14 = combine(r25.h,r13.h); v18.h = vshuffe(v25.h,v26.h) }
{ v19 = vsplat(r14); v21 = vsplat(r11); v17.h = vshuffe(v17.h,v21.h) }
{ v20.h = vshuffe(v20.h,v27.h); v23.h = vmpy(v24.h,r12.h):<<1:rnd:sat }
{ v26 = vmem(r2++#1); v27.h = vshuffe(v19.h,v19.h); v25.h = vmpy(v24.h,r24.h):<<1:rnd:sat }
{ v27.h = vshuffo(v19.h,v19.h); v19.h = vsub(v22.h,v27.h); v22.h = vmpy(v24.h,r20.h):<<1:rnd:sat }
{ v27.h = vshuffe(v21.h,v21.h); v17.h = vsub(v17.h,v27.h); v24.h = vmpy(v24.h,r22.h):<<1:rnd:sat }
{ v20.h = vshuffo(v21.h,v21.h); v19.h = vsub(v20.h,v27.h); v1:0.w += vmpy(v19.h,v23.h); r11 = combine(r13.l,r13.l) }
{ v17.h = vsub(v18.h,v20.h); v3:2.w += vmpy(v17.h,v25.h); r12 = combine(r25.l,r25.l); v18 = vmem(r2++#1) }
{ v1:0.w += vmpy(v26.h,r11.h); v20 = vmem(r2++#1) }
{ v3:2.w += vmpy(v26.h,r12.h); r11 = combine(r21.l,r21.l); v21.ub = vlsr(v18.ub,r0) }
{ v5:4.w += vmpy(v19.h,v22.h); v19.ub = vlsr(v20.ub,r0) }
{ v5:4.w += vmpy(v26.h,r11.h); r11 = combine(r23.l,r23.l) }
{ v7:6.w += vmpy(v17.h,v24.h); r13:12 = memd(r3++#8); v17 = vand(v18,v16) }
{ v7:6.w += vmpy(v26.h,r11.h); r15:14 = memd(r4++#8); v18 = vmem(r2++#1) }
{ r17:16 = memd(r5++#8); v23.w = vrmpy(v17.ub,r12.b); v22.w = vrmpy(v21.ub,r12.b) }
{ r19:18 = memd(r6++#8); v25.w = vrmpy(v17.ub,r14.b); v24.w = vrmpy(v21.ub,r14.b); v26.ub = vlsr(v18.ub,r0) }
{ v27.w = vrmpy(v17.ub,r16.b); v20.w = vrmpy(v21.ub,r16.b); v28 = vand(v20,v16); v29 = vmem(r2++#1) }
{ v21.w = vrmpy(v17.ub,r18.b); v17.w = vrmpy(v21.ub,r18.b) }
{ v23.w += vrmpy(v28.ub,r13.b); v22.w += vrmpy(v19.ub,r13.b); v30.ub = vlsr(v29.ub,r0) }
{ v25.w += vrmpy(v28.ub,r15.b); v24.w += vrmpy(v19.ub,r15.b) }
{ v27.w += vrmpy(v28.ub,r17.b); v20.w += vrmpy(v19.ub,r17.b); r13:12 = memd(r3++#8); v18 = vand(v18,v16) }
{ v21.w += vrmpy(v28.ub,r19.b); v17.w += vrmpy(v19.ub,r19.b); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r6++#8); v23.w += vrmpy(v18.ub,r12.b); v22.w += vrmpy(v26.ub,r12.b); v19 = vmem(r2++#1) }
{ r19:18 = memd(r5++#8); v25.w += vrmpy(v18.ub,r14.b); v24.w += vrmpy(v26.ub,r14.b); v28 = vand(v29,v16) }
{ v21.w += vrmpy(v18.ub,r16.b); v17.w += vrmpy(v26.ub,r16.b); v29.ub = vlsr(v19.ub,r0); v31 = vmem(r2++#1) }
{ v27.w += vrmpy(v18.ub,r18.b); v20.w += vrmpy(v26.ub,r18.b) }
{ v23.w += vrmpy(v28.ub,r13.b); v22.w += vrmpy(v30.ub,r13.b); v18.ub = vlsr(v31.ub,r0) }
{ v25.w += vrmpy(v28.ub,r15.b); v24.w += vrmpy(v30.ub,r15.b) }
{ v27.w += vrmpy(v28.ub,r19.b); v20.w += vrmpy(v30.ub,r19.b); r13:12 = memd(r4++#8); v19 = vand(v19,v16) }
{ v21.w += vrmpy(v28.ub,r17.b); v17.w += vrmpy(v30.ub,r17.b); r15:14 = memd(r3++#8); v26 = vmem(r2++#1) }
{ r17:16 = memd(r5++#8); r19:18 = memd(r6++#8); v25.w += vrmpy(v19.ub,r12.b); v24.w += vrmpy(v29.ub,r12.b) }
{ v23.w += vrmpy(v19.ub,r14.b); v22.w += vrmpy(v29.ub,r14.b); v28.ub = vlsr(v26.ub,r0); v30 = vmem(r2++#1) }
{ v21.w += vrmpy(v19.ub,r18.b); v17.w += vrmpy(v29.ub,r18.b); v31 = vand(v31,v16) }
{ v27.w += vrmpy(v19.ub,r16.b); v20.w += vrmpy(v29.ub,r16.b); v19.ub = vlsr(v30.ub,r0) }
{ v25.w += vrmpy(v31.ub,r13.b); v24.w += vrmpy(v18.ub,r13.b) }
{ v23.w += vrmpy(v31.ub,r15.b); v22.w += vrmpy(v18.ub,r15.b) }
{ v27.w += vrmpy(v31.ub,r17.b); v20.w += vrmpy(v18.ub,r17.b); r13:12 = memd(r3++#8); v26 = vand(v26,v16) }
{ v21.w += vrmpy(v31.ub,r19.b); v17.w += vrmpy(v18.ub,r19.b); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r6++#8); v23.w += vrmpy(v26.ub,r12.b); v22.w += vrmpy(v28.ub,r12.b) }
{ r19:18 = memd(r5++#8); v25.w += vrmpy(v26.ub,r14.b); v24.w += vrmpy(v28.ub,r14.b) }
{ v21.w += vrmpy(v26.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b); v18 = vand(v30,v16) }
{ v27.w += vrmpy(v26.ub,r18.b); v20.w += vrmpy(v28.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v23.w += vrmpy(v18.ub,r13.b); v22.w += vrmpy(v19.ub,r13.b); r13:12 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v25.w += vrmpy(v18.ub,r15.b); v24.w += vrmpy(v19.ub,r15.b); v26 = vmem(r2++#1) }
{ v21.w += vrmpy(v18.ub,r17.b); v17.w += vrmpy(v19.ub,r17.b); r11 = combine(r23.h,r21.h); v22.h = vshuffe(v22.h,v23.h) }
{ v27.w += vrmpy(v18.ub,r19.b); v20.w += vrmpy(v19.ub,r19.b); r14 = combine(r25.h,r13.h); v18.h = vshuffe(v24.h,v25.h) }
{ v19 = vsplat(r11); v21 = vsplat(r14); v17.h = vshuffe(v17.h,v21.h) }
{ v20.h = vshuffe(v20.h,v27.h); v23.h = vmpy(v26.h,r20.h):<<1:rnd:sat }
{ v25 = vmem(r2++#1); v27.h = vshuffo(v19.h,v19.h); v24.h = vmpy(v26.h,r22.h):<<1:rnd:sat }
{ v27.h = vshuffe(v19.h,v19.h); v18.h = vsub(v18.h,v27.h); v19.h = vmpy(v26.h,r12.h):<<1:rnd:sat }
{ v27.h = vshuffo(v21.h,v21.h); v22.h = vsub(v22.h,v27.h); v26.h = vmpy(v26.h,r24.h):<<1:rnd:sat }
{ v18.h = vshuffe(v21.h,v21.h); v17.h = vsub(v17.h,v27.h); r11 = combine(r21.l,r21.l); v3:2.w += vmpy(v18.h,v24.h) }
{ v18.h = vsub(v20.h,v18.h); v1:0.w += vmpy(v22.h,v23.h); r14 = combine(r23.l,r23.l); v20 = vmem(r2++#1) }
{ v1:0.w += vmpy(v25.h,r11.h); v21 = vmem(r2++#1) }
{ v3:2.w += vmpy(v25.h,r14.h); r11 = combine(r13.l,r13.l); v22.ub = vlsr(v20.ub,r0) }
{ v5:4.w += vmpy(v18.h,v19.h); v18.ub = vlsr(v21.ub,r0) }
{ v5:4.w += vmpy(v25.h,r11.h); r11 = combine(r25.l,r25.l) }
{ v7:6.w += vmpy(v17.h,v26.h); r13:12 = memd(r3++#8); v17 = vand(v20,v16) }
{ v7:6.w += vmpy(v25.h,r11.h); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r5++#8); v20.w = vrmpy(v17.ub,r12.b); v19.w = vrmpy(v22.ub,r12.b); v23 = vmem(r2++#1) }
{ r19:18 = memd(r6++#8); v24.w = vrmpy(v17.ub,r14.b); v21.w = vrmpy(v22.ub,r14.b); v25 = vand(v21,v16) }
{ v27.w = vrmpy(v17.ub,r16.b); v26.w = vrmpy(v22.ub,r16.b); v28.ub = vlsr(v23.ub,r0); v29 = vmem(r2++#1) }
{ v22.w = vrmpy(v17.ub,r18.b); v17.w = vrmpy(v22.ub,r18.b) }
{ v24.w += vrmpy(v25.ub,r15.b); v21.w += vrmpy(v18.ub,r15.b); v30.ub = vlsr(v29.ub,r0) }
{ v22.w += vrmpy(v25.ub,r19.b); v17.w += vrmpy(v18.ub,r19.b) }
{ v20.w += vrmpy(v25.ub,r13.b); v19.w += vrmpy(v18.ub,r13.b); r13:12 = memd(r4++#8); v23 = vand(v23,v16) }
{ v27.w += vrmpy(v25.ub,r17.b); v26.w += vrmpy(v18.ub,r17.b); r15:14 = memd(r5++#8); v18 = vmem(r2++#1) }
{ r17:16 = memd(r3++#8); r19:18 = memd(r6++#8); v24.w += vrmpy(v23.ub,r12.b); v21.w += vrmpy(v28.ub,r12.b) }
{ v27.w += vrmpy(v23.ub,r14.b); v26.w += vrmpy(v28.ub,r14.b); v25.ub = vlsr(v18.ub,r0); v31 = vmem(r2++#1) }
{ v20.w += vrmpy(v23.ub,r16.b); v19.w += vrmpy(v28.ub,r16.b); v29 = vand(v29,v16) }
{ v22.w += vrmpy(v23.ub,r18.b); v17.w += vrmpy(v28.ub,r18.b); v23.ub = vlsr(v31.ub,r0) }
{ v20.w += vrmpy(v29.ub,r17.b); v19.w += vrmpy(v30.ub,r17.b) }
{ v24.w += vrmpy(v29.ub,r13.b); v21.w += vrmpy(v30.ub,r13.b); r13:12 = memd(r3++#8) }
{ v27.w += vrmpy(v29.ub,r15.b); v26.w += vrmpy(v30.ub,r15.b); v18 = vand(v18,v16); v28 = vmem(r2++#1) }
{ v22.w += vrmpy(v29.ub,r19.b); v17.w += vrmpy(v30.ub,r19.b); r15:14 = memd(r4++#8); r17:16 = memd(r5++#8) }
{ v20.w += vrmpy(v18.ub,r12.b); v19.w += vrmpy(v25.ub,r12.b); v29 = vand(v28,v16); v28.ub = vlsr(v28.ub,r0) }
{ r19:18 = memd(r6++#8); v24.w += vrmpy(v18.ub,r14.b); v21.w += vrmpy(v25.ub,r14.b) }
{ v27.w += vrmpy(v18.ub,r16.b); v26.w += vrmpy(v25.ub,r16.b); v30 = vand(v31,v16); v31 = vmem(r2++#1) }
{ v22.w += vrmpy(v18.ub,r18.b); v17.w += vrmpy(v25.ub,r18.b) }
{ v20.w += vrmpy(v30.ub,r13.b); v19.w += vrmpy(v23.ub,r13.b); v18.ub = vlsr(v31.ub,r0) }
{ v24.w += vrmpy(v30.ub,r15.b); v21.w += vrmpy(v23.ub,r15.b) }
{ v27.w += vrmpy(v30.ub,r17.b); v26.w += vrmpy(v23.ub,r17.b); r13:12 = memd(r4++#8) }
{ v22.w += vrmpy(v30.ub,r19.b); v17.w += vrmpy(v23.ub,r19.b); r15:14 = memd(r3++#8) }
{ r17:16 = memd(r5++#8); v24.w += vrmpy(v29.ub,r12.b); v21.w += vrmpy(v28.ub,r12.b) }
{ r19:18 = memd(r6++#8); v20.w += vrmpy(v29.ub,r14.b); v19.w += vrmpy(v28.ub,r14.b) }
{ v27.w += vrmpy(v29.ub,r16.b); v26.w += vrmpy(v28.ub,r16.b); v23 = vand(v31,v16) }
{ v22.w += vrmpy(v29.ub,r18.b); v17.w += vrmpy(v28.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v20.w += vrmpy(v23.ub,r15.b); v19.w += vrmpy(v18.ub,r15.b); r15:14 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v24.w += vrmpy(v23.ub,r13.b); v21.w += vrmpy(v18.ub,r13.b); v25 = vmem(r2++#1) }
{ v27.w += vrmpy(v23.ub,r17.b); v26.w += vrmpy(v18.ub,r17.b); r11 = combine(r23.h,r21.h); v19.h = vshuffe(v19.h,v20.h) }
{ v22.w += vrmpy(v23.ub,r19.b); v17.w += vrmpy(v18.ub,r19.b); r12 = combine(r25.h,r15.h); v18.h = vshuffe(v21.h,v24.h) }
{ v21 = vsplat(r11); v23 = vsplat(r12); v20.h = vshuffe(v26.h,v27.h) }
{ v17.h = vshuffe(v17.h,v22.h); v22.h = vmpy(v25.h,r20.h):<<1:rnd:sat }
{ v26 = vmem(r2++#1); v27.h = vshuffe(v21.h,v21.h); r11 = combine(r21.l,r21.l); v24.h = vmpy(v25.h,r22.h):<<1:rnd:sat }
{ v27.h = vshuffo(v21.h,v21.h); v19.h = vsub(v19.h,v27.h); v21.h = vmpy(v25.h,r14.h):<<1:rnd:sat; r12 = combine(r15.l,r15.l) }
{ v27.h = vshuffe(v23.h,v23.h); v18.h = vsub(v18.h,v27.h); v25.h = vmpy(v25.h,r24.h):<<1:rnd:sat; r14 = combine(r25.l,r25.l) }
{ v20.h = vshuffo(v23.h,v23.h); v19.h = vsub(v20.h,v27.h); v1:0.w += vmpy(v19.h,v22.h) }
{ v20.h = vsub(v17.h,v20.h); v1:0.w += vmpy(v26.h,r11.h); r11 = combine(r23.l,r23.l) }
{ v3:2.w += vmpy(v18.h,v24.h) }
.Lhvx_sum_q4_1_rows:
{ v8.w += vasr(v0.w,r1); v3:2.w += vmpy(v26.h,r11.h) }
{ v17 = vmem(r2++#1); v9.w += vasr(v1.w,r1); v5:4.w += vmpy(v19.h,v21.h) }
{ v18 = vand(v17,v16); v10.w += vasr(v2.w,r1); v5:4.w += vmpy(v26.h,r12.h) }
{ r13:12 = memd(r3++#8); v17.ub = vlsr(v17.ub,r0); v19 = vmem(r2++#1); v7:6.w += vmpy(v20.h,v25.h) }
{ r15:14 = memd(r4++#8); v11.w += vasr(v3.w,r1); v7:6.w += vmpy(v26.h,r14.h) }
{ r17:16 = memd(r5++#8); v21.w = vrmpy(v18.ub,r12.b); v20.w = vrmpy(v17.ub,r12.b); v22.ub = vlsr(v19.ub,r0) }
{ r19:18 = memd(r6++#8); v24.w = vrmpy(v18.ub,r14.b); v23.w = vrmpy(v17.ub,r14.b); v25 = vmem(r2++#1) }
{ v26.w = vrmpy(v18.ub,r16.b); v19.w = vrmpy(v17.ub,r16.b); v27 = vand(v19,v16) }
{ v18.w = vrmpy(v18.ub,r18.b); v17.w = vrmpy(v17.ub,r18.b); v28.ub = vlsr(v25.ub,r0); v29 = vmem(r2++#1) }
{ v21.w += vrmpy(v27.ub,r13.b); v20.w += vrmpy(v22.ub,r13.b); v13.w += vasr(v5.w,r1) }
{ v24.w += vrmpy(v27.ub,r15.b); v23.w += vrmpy(v22.ub,r15.b); r13:12 = memd(r3++#8); v30.ub = vlsr(v29.ub,r0) }
{ v26.w += vrmpy(v27.ub,r17.b); v19.w += vrmpy(v22.ub,r17.b); r15:14 = memd(r4++#8); v25 = vand(v25,v16) }
{ v18.w += vrmpy(v27.ub,r19.b); v17.w += vrmpy(v22.ub,r19.b); r17:16 = memd(r5++#8); r19:18 = memd(r6++#8) }
{ v21.w += vrmpy(v25.ub,r12.b); v20.w += vrmpy(v28.ub,r12.b); v22 = vmem(r2++#1); v12.w += vasr(v4.w,r1) }
{ v24.w += vrmpy(v25.ub,r14.b); v23.w += vrmpy(v28.ub,r14.b); v27 = vand(v29,v16); v14.w += vasr(v6.w,r1) }
{ v26.w += vrmpy(v25.ub,r16.b); v19.w += vrmpy(v28.ub,r16.b); v29.ub = vlsr(v22.ub,r0); v31 = vmem(r2++#1) }
{ v18.w += vrmpy(v25.ub,r18.b); v17.w += vrmpy(v28.ub,r18.b); v15.w += vasr(v7.w,r1) }
{ v21.w += vrmpy(v27.ub,r13.b); v20.w += vrmpy(v30.ub,r13.b); v25.ub = vlsr(v31.ub,r0) }
{ v24.w += vrmpy(v27.ub,r15.b); v23.w += vrmpy(v30.ub,r15.b) }
{ v26.w += vrmpy(v27.ub,r17.b); v19.w += vrmpy(v30.ub,r17.b); r13:12 = memd(r3++#8); v22 = vand(v22,v16) }
{ v18.w += vrmpy(v27.ub,r19.b); v17.w += vrmpy(v30.ub,r19.b); r15:14 = memd(r4++#8); v27 = vmem(r2++#1) }
{ r17:16 = memd(r5++#8); r19:18 = memd(r6++#8); v21.w += vrmpy(v22.ub,r12.b); v20.w += vrmpy(v29.ub,r12.b) }
{ v24.w += vrmpy(v22.ub,r14.b); v23.w += vrmpy(v29.ub,r14.b); v28.ub = vlsr(v27.ub,r0); v30 = vmem(r2++#1) }
{ v18.w += vrmpy(v22.ub,r18.b); v17.w += vrmpy(v29.ub,r18.b); v31 = vand(v31,v16) }
{ v26.w += vrmpy(v22.ub,r16.b); v19.w += vrmpy(v29.ub,r16.b); v22.ub = vlsr(v30.ub,r0) }
{ v21.w += vrmpy(v31.ub,r13.b); v20.w += vrmpy(v25.ub,r13.b) }
{ v26.w += vrmpy(v31.ub,r17.b); v19.w += vrmpy(v25.ub,r17.b) }
{ v24.w += vrmpy(v31.ub,r15.b); v23.w += vrmpy(v25.ub,r15.b); r13:12 = memd(r4++#8); v27 = vand(v27,v16) }
{ v18.w += vrmpy(v31.ub,r19.b); v17.w += vrmpy(v25.ub,r19.b); r15:14 = memd(r5++#8) }
{ r17:16 = memd(r3++#8); v24.w += vrmpy(v27.ub,r12.b); v23.w += vrmpy(v28.ub,r12.b) }
{ r19:18 = memd(r6++#8); v26.w += vrmpy(v27.ub,r14.b); v19.w += vrmpy(v28.ub,r14.b) }
{ v21.w += vrmpy(v27.ub,r16.b); v20.w += vrmpy(v28.ub,r16.b); v25 = vand(v30,v16) }
{ v18.w += vrmpy(v27.ub,r18.b); v17.w += vrmpy(v28.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v21.w += vrmpy(v25.ub,r17.b); v20.w += vrmpy(v22.ub,r17.b); r17:16 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v26.w += vrmpy(v25.ub,r15.b); v19.w += vrmpy(v22.ub,r15.b); v27 = vmem(r2++#1) }
{ v24.w += vrmpy(v25.ub,r13.b); v23.w += vrmpy(v22.ub,r13.b); r11 = combine(r23.h,r21.h); v20.h = vshuffe(v20.h,v21.h) }
{ v18.w += vrmpy(v25.ub,r19.b); v17.w += vrmpy(v22.ub,r19.b); r12 = combine(r25.h,r17.h); v19.h = vshuffe(v19.h,v26.h) }
{ v22 = vsplat(r11); v23 = vsplat(r12); v21.h = vshuffe(v23.h,v24.h) }
{ v17.h = vshuffe(v17.h,v18.h); v18.h = vmpy(v27.h,r20.h):<<1:rnd:sat }
{ v25 = vmem(r2++#1); v26.h = vshuffe(v22.h,v22.h); v24.h = vmpy(v27.h,r22.h):<<1:rnd:sat }
{ v26.h = vshuffo(v22.h,v22.h); v20.h = vsub(v20.h,v26.h); v22.h = vmpy(v27.h,r16.h):<<1:rnd:sat }
{ v27.h = vshuffe(v23.h,v23.h); v21.h = vsub(v21.h,v26.h); r11 = combine(r21.l,r21.l); v26.h = vmpy(v27.h,r24.h):<<1:rnd:sat }
{ v19.h = vshuffo(v23.h,v23.h); v18.h = vsub(v19.h,v27.h); v1:0.w = vmpy(v20.h,v18.h) }
{ v17.h = vsub(v17.h,v19.h); v1:0.w += vmpy(v25.h,r11.h); r11 = combine(r23.l,r23.l); v19 = vmem(r2++#1) }
{ v3:2.w = vmpy(v21.h,v24.h); v20 = vmem(r2++#1) }
{ v3:2.w += vmpy(v25.h,r11.h); r11 = combine(r17.l,r17.l); v21.ub = vlsr(v19.ub,r0) }
{ v5:4.w = vmpy(v18.h,v22.h); v18.ub = vlsr(v20.ub,r0) }
{ v5:4.w += vmpy(v25.h,r11.h); r11 = combine(r25.l,r25.l) }
{ v7:6.w = vmpy(v17.h,v26.h); r13:12 = memd(r3++#8); v17 = vand(v19,v16); v19 = vmem(r2++#1) }
{ v7:6.w += vmpy(v25.h,r11.h); r15:14 = memd(r6++#8) }
{ r17:16 = memd(r5++#8); v23.w = vrmpy(v17.ub,r12.b); v22.w = vrmpy(v21.ub,r12.b); v24.ub = vlsr(v19.ub,r0) }
{ r19:18 = memd(r4++#8); v26.w = vrmpy(v17.ub,r14.b); v25.w = vrmpy(v21.ub,r14.b) }
{ v27.w = vrmpy(v17.ub,r16.b); v20.w = vrmpy(v21.ub,r16.b); v28 = vand(v20,v16); v29 = vmem(r2++#1) }
{ v21.w = vrmpy(v17.ub,r18.b); v17.w = vrmpy(v21.ub,r18.b) }
{ v23.w += vrmpy(v28.ub,r13.b); v22.w += vrmpy(v18.ub,r13.b); v30.ub = vlsr(v29.ub,r0) }
{ v27.w += vrmpy(v28.ub,r17.b); v20.w += vrmpy(v18.ub,r17.b); r13:12 = memd(r3++#8) }
{ v21.w += vrmpy(v28.ub,r19.b); v17.w += vrmpy(v18.ub,r19.b); v19 = vand(v19,v16); v31 = vmem(r2++#1) }
{ v26.w += vrmpy(v28.ub,r15.b); v25.w += vrmpy(v18.ub,r15.b); r15:14 = memd(r4++#8); r17:16 = memd(r6++#8) }
{ v23.w += vrmpy(v19.ub,r12.b); v22.w += vrmpy(v24.ub,r12.b); v28 = vand(v31,v16); v18.ub = vlsr(v31.ub,r0) }
{ r19:18 = memd(r5++#8); v21.w += vrmpy(v19.ub,r14.b); v17.w += vrmpy(v24.ub,r14.b) }
{ v26.w += vrmpy(v19.ub,r16.b); v25.w += vrmpy(v24.ub,r16.b); v29 = vand(v29,v16); v31 = vmem(r2++#1) }
{ v27.w += vrmpy(v19.ub,r18.b); v20.w += vrmpy(v24.ub,r18.b) }
{ v21.w += vrmpy(v29.ub,r15.b); v17.w += vrmpy(v30.ub,r15.b); v19.ub = vlsr(v31.ub,r0) }
{ v23.w += vrmpy(v29.ub,r13.b); v22.w += vrmpy(v30.ub,r13.b) }
{ v27.w += vrmpy(v29.ub,r19.b); v20.w += vrmpy(v30.ub,r19.b); r13:12 = memd(r3++#8) }
{ v26.w += vrmpy(v29.ub,r17.b); v25.w += vrmpy(v30.ub,r17.b); r15:14 = memd(r6++#8) }
{ r17:16 = memd(r4++#8); v23.w += vrmpy(v28.ub,r12.b); v22.w += vrmpy(v18.ub,r12.b); v24 = vmem(r2++#1) }
{ r19:18 = memd(r5++#8); v26.w += vrmpy(v28.ub,r14.b); v25.w += vrmpy(v18.ub,r14.b); v29 = vand(v31,v16) }
{ v21.w += vrmpy(v28.ub,r16.b); v17.w += vrmpy(v18.ub,r16.b); v30.ub = vlsr(v24.ub,r0); v31 = vmem(r2++#1) }
{ v27.w += vrmpy(v28.ub,r18.b); v20.w += vrmpy(v18.ub,r18.b) }
{ v23.w += vrmpy(v29.ub,r13.b); v22.w += vrmpy(v19.ub,r13.b); v18.ub = vlsr(v31.ub,r0) }
{ v26.w += vrmpy(v29.ub,r15.b); v25.w += vrmpy(v19.ub,r15.b) }
{ v27.w += vrmpy(v29.ub,r19.b); v20.w += vrmpy(v19.ub,r19.b); r13:12 = memd(r3++#8); v24 = vand(v24,v16) }
{ v21.w += vrmpy(v29.ub,r17.b); v17.w += vrmpy(v19.ub,r17.b); r15:14 = memd(r5++#8) }
{ r17:16 = memd(r6++#8); v23.w += vrmpy(v24.ub,r12.b); v22.w += vrmpy(v30.ub,r12.b) }
{ r19:18 = memd(r4++#8); v27.w += vrmpy(v24.ub,r14.b); v20.w += vrmpy(v30.ub,r14.b) }
{ v26.w += vrmpy(v24.ub,r16.b); v25.w += vrmpy(v30.ub,r16.b); v19 = vand(v31,v16) }
{ v21.w += vrmpy(v24.ub,r18.b); v17.w += vrmpy(v30.ub,r18.b); r21:20 = memd(r9++#8); r23:22 = memd(r10++#8) }
{ v23.w += vrmpy(v19.ub,r13.b); v22.w += vrmpy(v18.ub,r13.b); r13:12 = memd(r7++#8); r25:24 = memd(r8++#8) }
{ v26.w += vrmpy(v19.ub,r17.b); v25.w += vrmpy(v18.ub,r17.b); v24 = vmem(r2++#1) }
{ v21.w += vrmpy(v19.ub,r19.b); v17.w += vrmpy(v18.ub,r19.b); r11 = combine(r23.h,r21.h); v22.h = vshuffe(v22.h,v23.h) }
{ v27.w += vrmpy(v19.ub,r15.b); v20.w += vrmpy(v18.ub,r15.b); r14 = combine(r25.h,r13.h); v18.h = vshuffe(v25.h,v26.h) }
{ v19 = vsplat(r14); v21 = vsplat(r11); v17.h = vshuffe(v17.h,v21.h) }
{ v20.h = vshuffe(v20.h,v27.h); v23.h = vmpy(v24.h,r12.h):<<1:rnd:sat }
{ v26 = vmem(r2++#1); v27.h = vshuffe(v19.h,v19.h); v25.h = vmpy(v24.h,r24.h):<<1:rnd:sat }
{ v27.h = vshuffo(v19.h,v19.h); v19.h = vsub(v22.h,v27.h); v22.h = vmpy(v24.h,r20.h):<<1:rnd:sat }
{ v27.h = vshuffe(v21.h,v21.h); v17.h = vsub(v17.h,v27.h); v24.h = vmpy(v24.h,r22.h):<<1:rnd:sat }
{ v20.h = vshuffo(v21.h,v21.h); v19.h = vsub(v20.h,v27.h); v1:0.w += vmpy(v19.h,v23.h); r11 = combine(r13.l,r13.l) }
{ v17.h = vsub(v18.h,v20.h); v3:2.w += vmpy(v17.h,v25.h); r12 = combine(r25.l,r25.l); v18 = vmem(r2++#1) }
{ v1:0.w += vmpy(v26.h,r11.h); v20 = vmem(r2++#1) }
{ v3:2.w += vmpy(v26.h,r12.h); r11 = combine(r21.l,r21.l); v21.ub = vlsr(v18.ub,r0) }
{ v5:4.w += vmpy(v19.h,v22.h); v19.ub = vlsr(v20.ub,r0) }
{ v5:4.w += vmpy(v26.h,r11.h); r11 = combine(r23.l,r23.l) }
{ v7:6.w += vmpy(v17.h,v24.h); r13:12 = memd(r3++#8); v17 = vand(v18,v16) }
{ v7:6.w += vmpy(v26.h,r11.h); r15:14 = memd(r4++#8); v18 = vmem(r2++#1) }
{ r17:16 = memd(r5++#8); v23.w = vrmpy(v17.ub,r12.b); v22.w = vrmpy(v21.ub,r12.b) }
{ r19:18 = memd(r6++#8); v25.w = vrmpy(v17.ub,r14.b); v24.w = vrmpy(v21.ub,r14.b); v26.ub = vlsr(v18.ub,r0) }
{ v27.w = vrmpy(v17.ub,r16.b); v20.w = vrmpy(v21.ub,r16.b); v28 = vand(v20,v16); v29 = vmem(r2++#1) }
{ v21.w = vrmpy(v17.ub,r18.b); v17.w = vrmpy(v21.ub,r18.b) }
{ v23.w += vrmpy(v28.ub,r13.b); v22.w += vrmpy(v19.ub,r13.b); v30.ub = vlsr(v29.ub,r0) }
{ v25.w += vrmpy(v28.ub,r15.b); v24.w += vrmpy(v19.ub,r15.b) }
{ v27.w += vrmpy(v28.ub,r17.b); v20.w += vrmpy(v19.ub,r17.b); r13:12 = memd(r3++#8); v18 = vand(v18,v16) }
{ v21.w += vrmpy(v28.ub,r19.b); v17.w += vrmpy(v19.ub,r19.b); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r6++#8); v23.w += vrmpy(v18.ub,r12.b); v22.w += vrmpy(v26.ub,r12.b); v19 = vmem(r2++#1) }
{ r19:18 = memd(r5++#8); v25.w += vrmpy(v18.ub,r14.b); v24.w += vrmpy(v26.ub,r14.b); v28 = vand(v29,v16) }
{ v21.w += vrmpy(v18.ub,r16.b); v17.w += vrmpy(v26.ub,r16.b); v29.ub = vlsr(v19.ub,r0); v31 = vmem(r2++#1) }
{ v27.w += vrmpy(v18.ub,r18.b); v20.w += vrmpy(v26.ub,r18.b) }
{ v23.w += vrmpy(v28.ub,r13.b); v22.w += vrmpy(v30.ub,r13.b); v18.ub = vlsr(v31.ub,r0) }
{ v25.w += vrmpy(v28.ub,r15.b); v24.w += vrmpy(v30.ub,r15.b) }
{ v27.w += vrmpy(v28.ub,r19.b); v20.w += vrmpy(v30.ub,r19.b); r13:12 = memd(r4++#8); v19 = vand(v19,v16) }
{ v21.w += vrmpy(v28.ub,r17.b); v17.w += vrmpy(v30.ub,r17.b); r15:14 = memd(r3++#8); v26 = vmem(r2++#1) }
{ r17:16 = memd(r5++#8); r19:18 = memd(r6++#8); v25.w += vrmpy(v19.ub,r12.b); v24.w += vrmpy(v29.ub,r12.b) }
{ v23.w += vrmpy(v19.ub,r14.b); v22.w += vrmpy(v29.ub,r14.b); v28.ub = vlsr(v26.ub,r0); v30 = vmem(r2++#1) }
{ v21.w += vrmpy(v19.ub,r18.b); v17.w += vrmpy(v29.ub,r18.b); v31 = vand(v31,v16) }
{ v27.w += vrmpy(v19.ub,r16.b); v20.w += vrmpy(v29.ub,r16.b); v19.ub = vlsr(v30.ub,r0) }
{ v25.w += vrmpy(v31.ub,r13.b); v24.w += vrmpy(v18.ub,r13.b) }
{ v23.w += vrmpy(v31.ub,r15.b); v22.w += vrmpy(v18.ub,r15.b) }
{ v27.w += vrmpy(v31.ub,r17.b); v20.w += vrmpy(v18.ub,r17.b); r13:12 = memd(r3++#8); v26 = vand(v26,v16) }
{ v21.w += vrmpy(v31.ub,r19.b); v17.w += vrmpy(v18.ub,r19.b); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r6++#8); v23.w += vrmpy(v26.ub,r12.b); v22.w += vrmpy(v28.ub,r12.b) }
{ r19:18 = memd(r5++#8); v25.w += vrmpy(v26.ub,r14.b); v24.w += vrmpy(v28.ub,r14.b) }
{ v21.w += vrmpy(v26.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b); v18 = vand(v30,v16) }
{ v27.w += vrmpy(v26.ub,r18.b); v20.w += vrmpy(v28.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v23.w += vrmpy(v18.ub,r13.b); v22.w += vrmpy(v19.ub,r13.b); r13:12 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v25.w += vrmpy(v18.ub,r15.b); v24.w += vrmpy(v19.ub,r15.b); v26 = vmem(r2++#1) }
{ v21.w += vrmpy(v18.ub,r17.b); v17.w += vrmpy(v19.ub,r17.b); r11 = combine(r23.h,r21.h); v22.h = vshuffe(v22.h,v23.h) }
{ v27.w += vrmpy(v18.ub,r19.b); v20.w += vrmpy(v19.ub,r19.b); r14 = combine(r25.h,r13.h); v18.h = vshuffe(v24.h,v25.h) }
{ v19 = vsplat(r11); v21 = vsplat(r14); v17.h = vshuffe(v17.h,v21.h) }
{ v20.h = vshuffe(v20.h,v27.h); v23.h = vmpy(v26.h,r20.h):<<1:rnd:sat }
{ v25 = vmem(r2++#1); v27.h = vshuffo(v19.h,v19.h); v24.h = vmpy(v26.h,r22.h):<<1:rnd:sat }
{ v27.h = vshuffe(v19.h,v19.h); v18.h = vsub(v18.h,v27.h); v19.h = vmpy(v26.h,r12.h):<<1:rnd:sat }
{ v27.h = vshuffo(v21.h,v21.h); v22.h = vsub(v22.h,v27.h); v26.h = vmpy(v26.h,r24.h):<<1:rnd:sat }
{ v18.h = vshuffe(v21.h,v21.h); v17.h = vsub(v17.h,v27.h); r11 = combine(r21.l,r21.l); v3:2.w += vmpy(v18.h,v24.h) }
{ v18.h = vsub(v20.h,v18.h); v1:0.w += vmpy(v22.h,v23.h); r14 = combine(r23.l,r23.l); v20 = vmem(r2++#1) }
{ v1:0.w += vmpy(v25.h,r11.h); v21 = vmem(r2++#1) }
{ v3:2.w += vmpy(v25.h,r14.h); r11 = combine(r13.l,r13.l); v22.ub = vlsr(v20.ub,r0) }
{ v5:4.w += vmpy(v18.h,v19.h); v18.ub = vlsr(v21.ub,r0) }
{ v5:4.w += vmpy(v25.h,r11.h); r11 = combine(r25.l,r25.l) }
{ v7:6.w += vmpy(v17.h,v26.h); r13:12 = memd(r3++#8); v17 = vand(v20,v16) }
{ v7:6.w += vmpy(v25.h,r11.h); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r5++#8); v20.w = vrmpy(v17.ub,r12.b); v19.w = vrmpy(v22.ub,r12.b); v23 = vmem(r2++#1) }
{ r19:18 = memd(r6++#8); v24.w = vrmpy(v17.ub,r14.b); v21.w = vrmpy(v22.ub,r14.b); v25 = vand(v21,v16) }
{ v27.w = vrmpy(v17.ub,r16.b); v26.w = vrmpy(v22.ub,r16.b); v28.ub = vlsr(v23.ub,r0); v29 = vmem(r2++#1) }
{ v22.w = vrmpy(v17.ub,r18.b); v17.w = vrmpy(v22.ub,r18.b) }
{ v24.w += vrmpy(v25.ub,r15.b); v21.w += vrmpy(v18.ub,r15.b); v30.ub = vlsr(v29.ub,r0) }
{ v22.w += vrmpy(v25.ub,r19.b); v17.w += vrmpy(v18.ub,r19.b) }
{ v20.w += vrmpy(v25.ub,r13.b); v19.w += vrmpy(v18.ub,r13.b); r13:12 = memd(r4++#8); v23 = vand(v23,v16) }
{ v27.w += vrmpy(v25.ub,r17.b); v26.w += vrmpy(v18.ub,r17.b); r15:14 = memd(r5++#8); v18 = vmem(r2++#1) }
{ r17:16 = memd(r3++#8); r19:18 = memd(r6++#8); v24.w += vrmpy(v23.ub,r12.b); v21.w += vrmpy(v28.ub,r12.b) }
{ v27.w += vrmpy(v23.ub,r14.b); v26.w += vrmpy(v28.ub,r14.b); v25.ub = vlsr(v18.ub,r0); v31 = vmem(r2++#1) }
{ v20.w += vrmpy(v23.ub,r16.b); v19.w += vrmpy(v28.ub,r16.b); v29 = vand(v29,v16) }
{ v22.w += vrmpy(v23.ub,r18.b); v17.w += vrmpy(v28.ub,r18.b); v23.ub = vlsr(v31.ub,r0) }
{ v20.w += vrmpy(v29.ub,r17.b); v19.w += vrmpy(v30.ub,r17.b) }
{ v24.w += vrmpy(v29.ub,r13.b); v21.w += vrmpy(v30.ub,r13.b); r13:12 = memd(r3++#8) }
{ v27.w += vrmpy(v29.ub,r15.b); v26.w += vrmpy(v30.ub,r15.b); v18 = vand(v18,v16); v28 = vmem(r2++#1) }
{ v22.w += vrmpy(v29.ub,r19.b); v17.w += vrmpy(v30.ub,r19.b); r15:14 = memd(r4++#8); r17:16 = memd(r5++#8) }
{ v20.w += vrmpy(v18.ub,r12.b); v19.w += vrmpy(v25.ub,r12.b); v29 = vand(v28,v16); v28.ub = vlsr(v28.ub,r0) }
{ r19:18 = memd(r6++#8); v24.w += vrmpy(v18.ub,r14.b); v21.w += vrmpy(v25.ub,r14.b) }
{ v27.w += vrmpy(v18.ub,r16.b); v26.w += vrmpy(v25.ub,r16.b); v30 = vand(v31,v16); v31 = vmem(r2++#1) }
{ v22.w += vrmpy(v18.ub,r18.b); v17.w += vrmpy(v25.ub,r18.b) }
{ v20.w += vrmpy(v30.ub,r13.b); v19.w += vrmpy(v23.ub,r13.b); v18.ub = vlsr(v31.ub,r0) }
{ v24.w += vrmpy(v30.ub,r15.b); v21.w += vrmpy(v23.ub,r15.b) }
{ v27.w += vrmpy(v30.ub,r17.b); v26.w += vrmpy(v23.ub,r17.b); r13:12 = memd(r4++#8) }
{ v22.w += vrmpy(v30.ub,r19.b); v17.w += vrmpy(v23.ub,r19.b); r15:14 = memd(r3++#8) }
{ r17:16 = memd(r5++#8); v24.w += vrmpy(v29.ub,r12.b); v21.w += vrmpy(v28.ub,r12.b) }
{ r19:18 = memd(r6++#8); v20.w += vrmpy(v29.ub,r14.b); v19.w += vrmpy(v28.ub,r14.b) }
{ v27.w += vrmpy(v29.ub,r16.b); v26.w += vrmpy(v28.ub,r16.b); v23 = vand(v31,v16) }
{ v22.w += vrmpy(v29.ub,r18.b); v17.w += vrmpy(v28.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v20.w += vrmpy(v23.ub,r15.b); v19.w += vrmpy(v18.ub,r15.b); r15:14 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v24.w += vrmpy(v23.ub,r13.b); v21.w += vrmpy(v18.ub,r13.b); v25 = vmem(r2++#1) }
{ v27.w += vrmpy(v23.ub,r17.b); v26.w += vrmpy(v18.ub,r17.b); r11 = combine(r23.h,r21.h); v19.h = vshuffe(v19.h,v20.h) }
{ v22.w += vrmpy(v23.ub,r19.b); v17.w += vrmpy(v18.ub,r19.b); r12 = combine(r25.h,r15.h); v18.h = vshuffe(v21.h,v24.h) }
{ v21 = vsplat(r11); v23 = vsplat(r12); v20.h = vshuffe(v26.h,v27.h) }
{ v17.h = vshuffe(v17.h,v22.h); v22.h = vmpy(v25.h,r20.h):<<1:rnd:sat }
{ v26 = vmem(r2++#1); v27.h = vshuffe(v21.h,v21.h); r11 = combine(r21.l,r21.l); v24.h = vmpy(v25.h,r22.h):<<1:rnd:sat }
{ v27.h = vshuffo(v21.h,v21.h); v19.h = vsub(v19.h,v27.h); v21.h = vmpy(v25.h,r14.h):<<1:rnd:sat; r12 = combine(r15.l,r15.l) }
{ v27.h = vshuffe(v23.h,v23.h); v18.h = vsub(v18.h,v27.h); v25.h = vmpy(v25.h,r24.h):<<1:rnd:sat; r14 = combine(r25.l,r25.l) }
{ v20.h = vshuffo(v23.h,v23.h); v19.h = vsub(v20.h,v27.h); v1:0.w += vmpy(v19.h,v22.h) }
{ v20.h = vsub(v17.h,v20.h); v1:0.w += vmpy(v26.h,r11.h); r11 = combine(r23.l,r23.l) }
{ v3:2.w += vmpy(v18.h,v24.h) }:endloop0
{ v8.w += vasr(v0.w,r1); v3:2.w += vmpy(v26.h,r11.h) }
{ v9.w += vasr(v1.w,r1); v5:4.w += vmpy(v19.h,v21.h) }
{ v10.w += vasr(v2.w,r1); v5:4.w += vmpy(v26.h,r12.h) }
{ v7:6.w += vmpy(v20.h,v25.h) }
{ v11.w += vasr(v3.w,r1); v7:6.w += vmpy(v26.h,r14.h) }
{ v13.w += vasr(v5.w,r1) }
{ v12.w += vasr(v4.w,r1) }
{ v14.w += vasr(v6.w,r1) }
{ v15.w += vasr(v7.w,r1) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ vmem(r28+#2) = v10; r21:20 = memd(r29+#16) }
{ vmem(r28+#3) = v11; r23:22 = memd(r29+#24) }
{ vmem(r28+#4) = v12; r25:24 = memd(r29+#32) }
{ vmem(r28+#5) = v13; r27:26 = memd(r29+#40) }
{ vmem(r28+#6) = v14 }
{ vmem(r28+#7) = v15 }
{ dealloc_return }
.size hvx_sum_q4_1_rows, .-hvx_sum_q4_1_rows

// 257 packets (256 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_iq4_tiles
.hidden hvx_sum_iq4_tiles
.type hvx_sum_iq4_tiles,@function
hvx_sum_iq4_tiles:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); r0 = ##4 }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##8 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_iq4_tiles,r30); r27 = memw(r28+#60); v8 = vmem(r31+#0) }
{ v9 = vmem(r31+#1); memw(r29+#48) = r31; r1 = ##0 }
{ v10 = vmem(r31+#2); r3 = memw(r28+#0) }
{ v17 = vmem(r27+#0); r4 = memw(r28+#4) }
{ v11 = vmem(r31+#3); r5 = memw(r28+#8) }
{ v12 = vmem(r31+#4); r6 = memw(r28+#12) }
{ v13 = vmem(r31+#5); r7 = memw(r28+#16) }
{ v14 = vmem(r31+#6); r8 = memw(r28+#32) }
{ v15 = vmem(r31+#7); r2 = memw(r28+#52) }
{ v18 = vmem(r3++#1) }
{ v19 = vmem(r3++#1) }
{ v20.ub = vlsr(v18.ub,r0); v18.b = vlut32(v18.b,v17.b,r1):nomatch; r11:10 = memd(r7++#8) }
{ v21 = v16; v19 = v16; v23.ub = vlsr(v19.ub,r0); v22.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v24 = vmem(r3++#1) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v25 = vmem(r3++#1) }
{ v21.w += vrmpy(v18.ub,r10.b); v19.w += vrmpy(v20.ub,r10.b); v20.ub = vlsr(v24.ub,r0); v18.b = vlut32(v24.b,v17.b,r1):nomatch }
{ v21.w += vrmpy(v22.ub,r11.b); v19.w += vrmpy(v23.ub,r11.b); v23.ub = vlsr(v25.ub,r0); v22.b = vlut32(v25.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; r13:12 = memd(r7++#8); v24 = vmem(r3++#1) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v25 = vmem(r3++#1) }
{ v21.w += vrmpy(v18.ub,r12.b); v19.w += vrmpy(v20.ub,r12.b); v20.ub = vlsr(v24.ub,r0); v18.b = vlut32(v24.b,v17.b,r1):nomatch }
{ v21.w += vrmpy(v22.ub,r13.b); v19.w += vrmpy(v23.ub,r13.b); v23.ub = vlsr(v25.ub,r0); v22.b = vlut32(v25.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; r15:14 = memd(r7++#8); v24 = vmem(r3++#1) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v26 = vmem(r3++#1); r17:16 = memd(r8++#8); v25 = v16 }
{ v21.w += vrmpy(v18.ub,r14.b); v19.w += vrmpy(v20.ub,r14.b); v20.ub = vlsr(v24.ub,r0); v18.b = vlut32(v24.b,v17.b,r1):nomatch }
{ v21.w += vrmpy(v22.ub,r15.b); v19.w += vrmpy(v23.ub,r15.b); v22.ub = vlsr(v26.ub,r0); v23 = vmem(r3++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; r19:18 = memd(r7++#8); v24 = vmem(r4++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v23.h = vmpy(v23.h,r16.h):<<1:rnd:sat; v27 = vmem(r4++#1) }
{ v21.w += vrmpy(v18.ub,r18.b); v19.w += vrmpy(v20.ub,r18.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v20.ub = vlsr(v24.ub,r0) }
{ v26.b = vlut32(v24.b,v17.b,r1):nomatch; v24 = v16; v28 = vmem(r4++#1) }
{ v21.w += vrmpy(v18.ub,r19.b); v19.w += vrmpy(v22.ub,r19.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v27.ub,r0) }
{ v30 = vsplat(r17); v22.b = vlut32(v27.b,v17.b,r1):nomatch; v27.ub = vlsr(v28.ub,r0); v29 = vmem(r4++#1) }
{ v19.h = vasr(v19.w,v21.w,r0); v25.w += vrmpy(v26.ub,r10.b); v24.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch }
{ v20.h = vsub(v19.h,v30.h); v19.b = vlut32(v20.b,v17.b,r1):nomatch; v21 = vmem(r5++#1) }
{ v26.b = vlut32(v27.b,v17.b,r1):nomatch; v27 = vmem(r4++#1) }
{ v1:0.w = vmpy(v20.h,v23.h); v23.ub = vlsr(v29.ub,r0); v20.b = vlut32(v29.b,v17.b,r1):nomatch }
{ v25.w += vrmpy(v22.ub,r11.b); v24.w += vrmpy(v19.ub,r11.b); v22.ub = vlsr(v27.ub,r0); v19.b = vlut32(v27.b,v17.b,r1):nomatch }
{ v25.w += vrmpy(v18.ub,r12.b); v24.w += vrmpy(v26.ub,r12.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v23 = vmem(r4++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v26 = vmem(r4++#1) }
{ v25.w += vrmpy(v20.ub,r13.b); v24.w += vrmpy(v18.ub,r13.b); v20.ub = vlsr(v23.ub,r0); v18.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v25.w += vrmpy(v19.ub,r14.b); v24.w += vrmpy(v22.ub,r14.b); v22.ub = vlsr(v26.ub,r0); v19.b = vlut32(v26.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v23 = vmem(r4++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v27 = vmem(r4++#1); v26.ub = vlsr(v21.ub,r0) }
{ v25.w += vrmpy(v18.ub,r15.b); v24.w += vrmpy(v20.ub,r15.b); v20.ub = vlsr(v23.ub,r0); v18.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v25.w += vrmpy(v19.ub,r18.b); v24.w += vrmpy(v22.ub,r18.b); v19.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = vmem(r5++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v22.h = vmpy(v27.h,r16.h):<<1:rnd:sat; v23 = vmem(r5++#1) }
{ v27.b = vlut32(v26.b,v17.b,r1):nomatch; v28 = v16; v26 = v16; v29.ub = vlsr(v21.ub,r0) }
{ v25.w += vrmpy(v18.ub,r19.b); v24.w += vrmpy(v20.ub,r19.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v20.ub = vlsr(v23.ub,r0) }
{ v28.w += vrmpy(v19.ub,r10.b); v26.w += vrmpy(v27.ub,r10.b); v19.b = vlut32(v29.b,v17.b,r1):nomatch; v21 = vmem(r5++#1) }
{ v24.h = vasr(v24.w,v25.w,r0); v20.b = vlut32(v20.b,v17.b,r1):nomatch; v25 = vmem(r5++#1) }
{ v19.h = vsub(v24.h,v30.h); v28.w += vrmpy(v18.ub,r11.b); v26.w += vrmpy(v19.ub,r11.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v23.ub = vlsr(v21.ub,r0); v21.b = vlut32(v21.b,v17.b,r1):nomatch }
{ v3:2.w = vmpy(v19.h,v22.h); v19.b = vlut32(v25.b,v17.b,r1):nomatch; v22 = vmem(r5++#1) }
{ v28.w += vrmpy(v18.ub,r12.b); v26.w += vrmpy(v20.ub,r12.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v20.ub = vlsr(v25.ub,r0) }
{ v23.b = vlut32(v22.b,v17.b,r1):nomatch; v24 = vmem(r5++#1) }
{ v28.w += vrmpy(v21.ub,r13.b); v26.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v22.ub,r0) }
{ v22.ub = vlsr(v24.ub,r0); v21.b = vlut32(v24.b,v17.b,r1):nomatch; v24 = vmem(r6++#1) }
{ v28.w += vrmpy(v19.ub,r14.b); v26.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v19 = vmem(r5++#1) }
{ v20.b = vlut32(v22.b,v17.b,r1):nomatch; v27 = vmem(r5++#1); v25.ub = vlsr(v24.ub,r0); v22 = v16 }
{ v28.w += vrmpy(v23.ub,r15.b); v26.w += vrmpy(v18.ub,r15.b); v19.ub = vlsr(v19.ub,r0); v18.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v28.w += vrmpy(v21.ub,r18.b); v26.w += vrmpy(v20.ub,r18.b); v20.b = vlut32(v24.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v23.h = vmpy(v27.h,r16.h):<<1:rnd:sat; v24 = vmem(r6++#1) }
{ v27.b = vlut32(v25.b,v17.b,r1):nomatch; v25 = v16; v29.ub = vlsr(v21.ub,r0); v31 = vmem(r6++#1) }
{ v28.w += vrmpy(v18.ub,r19.b); v26.w += vrmpy(v19.ub,r19.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v19.ub = vlsr(v24.ub,r0) }
{ v22.w += vrmpy(v20.ub,r10.b); v25.w += vrmpy(v27.ub,r10.b); v20.b = vlut32(v29.b,v17.b,r1):nomatch; v21.ub = vlsr(v31.ub,r0) }
{ v26.h = vasr(v26.w,v28.w,r0); v19.b = vlut32(v19.b,v17.b,r1):nomatch; v27 = vmem(r6++#1) }
{ v20.h = vsub(v26.h,v30.h); v22.w += vrmpy(v18.ub,r11.b); v25.w += vrmpy(v20.ub,r11.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch }
{ v24.b = vlut32(v31.b,v17.b,r1):nomatch; v26.ub = vlsr(v27.ub,r0) }
{ v5:4.w = vmpy(v20.h,v23.h); v20.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v22.w += vrmpy(v18.ub,r12.b); v25.w += vrmpy(v19.ub,r12.b); v18.b = vlut32(v27.b,v17.b,r1):nomatch; v19 = vmem(r6++#1) }
{ v22.w += vrmpy(v24.ub,r13.b); v25.w += vrmpy(v20.ub,r13.b); v21.ub = vlsr(v21.ub,r0); v20.b = vlut32(v21.b,v17.b,r1):nomatch }
{ v23.b = vlut32(v26.b,v17.b,r1):nomatch; v24 = vmem(r3++#1) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v26.ub = vlsr(v19.ub,r0); v27 = vmem(r6++#1) }
{ v22.w += vrmpy(v18.ub,r14.b); v25.w += vrmpy(v23.ub,r14.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19 = vmem(r6++#1) }
{ v22.w += vrmpy(v20.ub,r15.b); v25.w += vrmpy(v21.ub,r15.b); v21.ub = vlsr(v27.ub,r0); v20.b = vlut32(v27.b,v17.b,r1):nomatch }
{ v19.b = vlut32(v26.b,v17.b,r1):nomatch; v26.h = vmpy(v19.h,r16.h):<<1:rnd:sat; v23 = v16 }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v27.ub = vlsr(v24.ub,r0); r11:10 = memd(r7++#8); v28 = vmem(r3++#1) }
{ v22.w += vrmpy(v18.ub,r18.b); v25.w += vrmpy(v19.ub,r18.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v19 = vmem(r3++#1) }
{ v22.w += vrmpy(v20.ub,r19.b); v25.w += vrmpy(v21.ub,r19.b); v20.b = vlut32(v27.b,v17.b,r1):nomatch; v21.ub = vlsr(v28.ub,r0) }
{ v24 = v16; v27.b = vlut32(v28.b,v17.b,r1):nomatch; v28.ub = vlsr(v19.ub,r0); v29 = vmem(r3++#1) }
{ v20.h = vasr(v25.w,v22.w,r0); v23.w += vrmpy(v18.ub,r10.b); v24.w += vrmpy(v20.ub,r10.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch }
{ v20.h = vsub(v20.h,v30.h); v19.b = vlut32(v19.b,v17.b,r1):nomatch; r13:12 = memd(r7++#8); v21 = vmem(r3++#1) }
{ v23.w += vrmpy(v27.ub,r11.b); v24.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch; v22.ub = vlsr(v29.ub,r0) }
{ v7:6.w = vmpy(v20.h,v26.h); v20.b = vlut32(v29.b,v17.b,r1):nomatch; r15:14 = memd(r7++#8); v25 = vmem(r3++#1) }
{ v23.w += vrmpy(v19.ub,r12.b); v24.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v19.ub = vlsr(v21.ub,r0) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v22 = vmem(r3++#1); r17:16 = memd(r8++#8) }
{ v23.w += vrmpy(v20.ub,r13.b); v24.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19.ub = vlsr(v25.ub,r0) }
{ v20.b = vlut32(v25.b,v17.b,r1):nomatch; v25.ub = vlsr(v22.ub,r0); v26 = vmem(r4++#1) }
{ v23.w += vrmpy(v21.ub,r14.b); v24.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19 = vmem(r3++#1) }
{ v21.b = vlut32(v22.b,v17.b,r1):nomatch; r19:18 = memd(r7++#8); v22 = vmem(r3++#1); v27 = vsplat(r17) }
{ v23.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v18.ub,r15.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v20.ub = vlsr(v19.ub,r0) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v22.h = vmpy(v22.h,r16.h):<<1:rnd:sat; v25 = vmem(r4++#1) }
{ v23.w += vrmpy(v21.ub,r18.b); v24.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v26.ub,r0) }
{ v26.b = vlut32(v26.b,v17.b,r1):nomatch; v21 = v16; v28.ub = vlsr(v25.ub,r0); v29 = vmem(r4++#1) }
{ v23.w += vrmpy(v19.ub,r19.b); v24.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v19 = vmem(r4++#1) }
{ v28 = v16; v20.b = vlut32(v28.b,v17.b,r1):nomatch; v30.ub = vlsr(v29.ub,r0); v31 = vmem(r4++#1) }
{ v23.h = vasr(v24.w,v23.w,r0); v28.w += vrmpy(v26.ub,r10.b); v21.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch }
{ v23.h = vsub(v23.h,v27.h); v24.ub = vlsr(v19.ub,r0); v19.b = vlut32(v19.b,v17.b,r1):nomatch; v25 = vmem(r4++#1) }
{ v28.w += vrmpy(v18.ub,r11.b); v21.w += vrmpy(v20.ub,r11.b); v18.b = vlut32(v29.b,v17.b,r1):nomatch; v20 = vmem(r4++#1) }
{ v1:0.w += vmpy(v23.h,v22.h); v22.b = vlut32(v30.b,v17.b,r1):nomatch; v23.ub = vlsr(v31.ub,r0) }
{ v24.b = vlut32(v24.b,v17.b,r1):nomatch; v26 = vmem(r4++#1) }
{ v28.w += vrmpy(v18.ub,r12.b); v21.w += vrmpy(v22.ub,r12.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v22 = vmem(r4++#1) }
{ v28.w += vrmpy(v19.ub,r13.b); v21.w += vrmpy(v24.ub,r13.b); v19.b = vlut32(v25.b,v17.b,r1):nomatch }
{ v22.b = vlut32(v31.b,v17.b,r1):nomatch; v24.ub = vlsr(v25.ub,r0); v23.h = vmpy(v22.h,r16.h):<<1:rnd:sat }
{ v25.ub = vlsr(v20.ub,r0); v20.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v28.w += vrmpy(v22.ub,r14.b); v21.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch }
{ v22.b = vlut32(v25.b,v17.b,r1):nomatch; v24.ub = vlsr(v26.ub,r0); v25 = vmem(r5++#1) }
{ v28.w += vrmpy(v19.ub,r15.b); v21.w += vrmpy(v18.ub,r15.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v19 = vmem(r5++#1) }
{ v28.w += vrmpy(v20.ub,r18.b); v21.w += vrmpy(v22.ub,r18.b); v20.b = vlut32(v24.b,v17.b,r1):nomatch; v22.ub = vlsr(v25.ub,r0) }
{ v25.b = vlut32(v25.b,v17.b,r1):nomatch; v24 = v16; v26 = vmem(r5++#1) }
{ v28.w += vrmpy(v18.ub,r19.b); v21.w += vrmpy(v20.ub,r19.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v20.ub = vlsr(v19.ub,r0) }
{ v19 = v16; v22.b = vlut32(v19.b,v17.b,r1):nomatch; v29.ub = vlsr(v26.ub,r0); v30 = vmem(r5++#1) }
{ v20.h = vasr(v21.w,v28.w,r0); v24.w += vrmpy(v25.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v21.h = vsub(v20.h,v27.h); v20.b = vlut32(v26.b,v17.b,r1):nomatch; v25.ub = vlsr(v30.ub,r0) }
{ v24.w += vrmpy(v22.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v29.b,v17.b,r1):nomatch; v22 = vmem(r5++#1) }
{ v3:2.w += vmpy(v21.h,v23.h); v21.b = vlut32(v30.b,v17.b,r1):nomatch; v23 = vmem(r5++#1) }
{ v24.w += vrmpy(v20.ub,r12.b); v19.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v20.ub = vlsr(v22.ub,r0) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v25 = vmem(r5++#1) }
{ v24.w += vrmpy(v21.ub,r13.b); v19.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v23.ub,r0) }
{ v21.b = vlut32(v23.b,v17.b,r1):nomatch; v23.ub = vlsr(v25.ub,r0); v26 = vmem(r5++#1) }
{ v24.w += vrmpy(v22.ub,r14.b); v19.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v23.b,v17.b,r1):nomatch; v22.ub = vlsr(v26.ub,r0); v23 = vmem(r5++#1) }
{ v24.w += vrmpy(v21.ub,r15.b); v19.w += vrmpy(v18.ub,r15.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v23.h = vmpy(v23.h,r16.h):<<1:rnd:sat; v25 = vmem(r6++#1) }
{ v24.w += vrmpy(v18.ub,r18.b); v19.w += vrmpy(v20.ub,r18.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v20.ub = vlsr(v21.ub,r0) }
{ v26.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = v16; v28.ub = vlsr(v25.ub,r0); v29 = vmem(r6++#1) }
{ v24.w += vrmpy(v18.ub,r19.b); v19.w += vrmpy(v22.ub,r19.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20 = vmem(r6++#1) }
{ v22 = v16; v25.b = vlut32(v25.b,v17.b,r1):nomatch; v30.ub = vlsr(v29.ub,r0); v31 = vmem(r6++#1) }
{ v19.h = vasr(v19.w,v24.w,r0); v21.w += vrmpy(v26.ub,r10.b); v22.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch }
{ v24.h = vsub(v19.h,v27.h); v19.b = vlut32(v29.b,v17.b,r1):nomatch; v26 = vmem(r6++#1) }
{ v21.w += vrmpy(v25.ub,r11.b); v22.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v30.b,v17.b,r1):nomatch; v25.ub = vlsr(v20.ub,r0) }
{ v5:4.w += vmpy(v24.h,v23.h); v24.ub = vlsr(v31.ub,r0); v23.b = vlut32(v31.b,v17.b,r1):nomatch }
{ v21.w += vrmpy(v19.ub,r12.b); v22.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v19 = vmem(r6++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v25.ub = vlsr(v26.ub,r0) }
{ v26.b = vlut32(v26.b,v17.b,r1):nomatch; v28.ub = vlsr(v19.ub,r0); v29 = vmem(r3++#1) }
{ v21.w += vrmpy(v20.ub,r13.b); v22.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v20 = vmem(r6++#1) }
{ v24.b = vlut32(v28.b,v17.b,r1):nomatch; v28 = vmem(r6++#1) }
{ v21.w += vrmpy(v23.ub,r14.b); v22.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v23.ub = vlsr(v20.ub,r0) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v25.h = vmpy(v28.h,r16.h):<<1:rnd:sat }
{ v21.w += vrmpy(v26.ub,r15.b); v22.w += vrmpy(v18.ub,r15.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v23.ub = vlsr(v29.ub,r0) }
{ v21.w += vrmpy(v19.ub,r18.b); v22.w += vrmpy(v24.ub,r18.b); v19.b = vlut32(v20.b,v17.b,r1):nomatch; v20 = vmem(r3++#1) }
{ v24.b = vlut32(v23.b,v17.b,r1):nomatch; r11:10 = memd(r7++#8); v23 = v16; v26 = vmem(r3++#1) }
{ v21.w += vrmpy(v19.ub,r19.b); v22.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v29.b,v17.b,r1):nomatch; v19.ub = vlsr(v20.ub,r0) }
{ v20 = v16; v28.b = vlut32(v20.b,v17.b,r1):nomatch; v29.ub = vlsr(v26.ub,r0); v30 = vmem(r3++#1) }
{ v19.h = vasr(v22.w,v21.w,r0); v20.w += vrmpy(v18.ub,r10.b); v23.w += vrmpy(v24.ub,r10.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v21.h = vsub(v19.h,v27.h); v19.b = vlut32(v26.b,v17.b,r1):nomatch; r13:12 = memd(r7++#8); v22.ub = vlsr(v30.ub,r0) }
{ v20.w += vrmpy(v28.ub,r11.b); v23.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v29.b,v17.b,r1):nomatch; v24 = vmem(r3++#1) }
{ v7:6.w += vmpy(v21.h,v25.h); v21.b = vlut32(v22.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v20.w += vrmpy(v19.ub,r12.b); v23.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v19 = vmem(r3++#1) }
{ v24.b = vlut32(v30.b,v17.b,r1):nomatch; v25.ub = vlsr(v24.ub,r0); r15:14 = memd(r7++#8); v26 = vmem(r3++#1) }
{ v27.b = vlut32(v22.b,v17.b,r1):nomatch; v28 = vmem(r3++#1); r17:16 = memd(r8++#8) }
{ v20.w += vrmpy(v24.ub,r13.b); v23.w += vrmpy(v21.ub,r13.b); v21.b = vlut32(v25.b,v17.b,r1):nomatch; v22.ub = vlsr(v22.ub,r0) }
{ v25.ub = vlsr(v19.ub,r0); v19.b = vlut32(v19.b,v17.b,r1):nomatch; v24.h = vmpy(v28.h,r16.h):<<1:rnd:sat }
{ v20.w += vrmpy(v18.ub,r14.b); v23.w += vrmpy(v21.ub,r14.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; r19:18 = memd(r7++#8) }
{ v21.b = vlut32(v25.b,v17.b,r1):nomatch; v22.ub = vlsr(v26.ub,r0); v28 = vsplat(r17); v25 = vmem(r4++#1) }
{ v20.w += vrmpy(v27.ub,r15.b); v23.w += vrmpy(v18.ub,r15.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v26 = vmem(r4++#1) }
{ v20.w += vrmpy(v19.ub,r18.b); v23.w += vrmpy(v21.ub,r18.b); v19.b = vlut32(v22.b,v17.b,r1):nomatch; v21.ub = vlsr(v25.ub,r0) }
{ v25.b = vlut32(v25.b,v17.b,r1):nomatch; v22 = v16; v27.ub = vlsr(v26.ub,r0); v29 = vmem(r4++#1) }
{ v20.w += vrmpy(v18.ub,r19.b); v23.w += vrmpy(v19.ub,r19.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v19 = vmem(r4++#1) }
{ v21 = v16; v26.b = vlut32(v26.b,v17.b,r1):nomatch; v30.ub = vlsr(v29.ub,r0); v31 = vmem(r4++#1) }
{ v20.h = vasr(v23.w,v20.w,r0); v21.w += vrmpy(v25.ub,r10.b); v22.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v29.b,v17.b,r1):nomatch }
{ v23.h = vsub(v20.h,v28.h); v20.b = vlut32(v27.b,v17.b,r1):nomatch; v25.ub = vlsr(v19.ub,r0) }
{ v27.b = vlut32(v30.b,v17.b,r1):nomatch; v29.ub = vlsr(v31.ub,r0); v30 = vmem(r4++#1) }
{ v1:0.w += vmpy(v23.h,v24.h); v23.b = vlut32(v25.b,v17.b,r1):nomatch; v24 = vmem(r4++#1) }
{ v21.w += vrmpy(v26.ub,r11.b); v22.w += vrmpy(v20.ub,r11.b); v19.b = vlut32(v19.b,v17.b,r1):nomatch; v20.ub = vlsr(v30.ub,r0) }
{ v21.w += vrmpy(v18.ub,r12.b); v22.w += vrmpy(v27.ub,r12.b); v18.b = vlut32(v31.b,v17.b,r1):nomatch; v25 = vmem(r4++#1) }
{ v21.w += vrmpy(v19.ub,r13.b); v22.w += vrmpy(v23.ub,r13.b); v19.b = vlut32(v30.b,v17.b,r1):nomatch; v23 = vmem(r4++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v23.b = vlut32(v29.b,v17.b,r1):nomatch; v27.ub = vlsr(v24.ub,r0); v26.h = vmpy(v23.h,r16.h):<<1:rnd:sat }
{ v24.b = vlut32(v24.b,v17.b,r1):nomatch; v29 = vmem(r5++#1) }
{ v21.w += vrmpy(v18.ub,r14.b); v22.w += vrmpy(v23.ub,r14.b); v18.b = vlut32(v27.b,v17.b,r1):nomatch; v23.ub = vlsr(v25.ub,r0) }
{ v21.w += vrmpy(v19.ub,r15.b); v22.w += vrmpy(v20.ub,r15.b); v19.b = vlut32(v25.b,v17.b,r1):nomatch; v20 = vmem(r5++#1) }
{ v21.w += vrmpy(v24.ub,r18.b); v22.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v23.ub = vlsr(v29.ub,r0) }
{ v25.b = vlut32(v29.b,v17.b,r1):nomatch; v24 = v16; v27 = vmem(r5++#1) }
{ v21.w += vrmpy(v19.ub,r19.b); v22.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v19.ub = vlsr(v20.ub,r0) }
{ v20 = v16; v23.b = vlut32(v20.b,v17.b,r1):nomatch; v29.ub = vlsr(v27.ub,r0); v30 = vmem(r5++#1) }
{ v19.h = vasr(v22.w,v21.w,r0); v20.w += vrmpy(v25.ub,r10.b); v24.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v21.h = vsub(v19.h,v28.h); v19.b = vlut32(v29.b,v17.b,r1):nomatch; v22.ub = vlsr(v30.ub,r0); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v23.ub,r11.b); v24.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v27.b,v17.b,r1):nomatch; v23 = vmem(r5++#1) }
{ v3:2.w += vmpy(v21.h,v26.h); v21.b = vlut32(v30.b,v17.b,r1):nomatch; v26 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r12.b); v24.w += vrmpy(v19.ub,r12.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v19 = vmem(r5++#1) }
{ v25.ub = vlsr(v25.ub,r0); v22.b = vlut32(v25.b,v17.b,r1):nomatch; v27 = vmem(r5++#1) }
{ v20.w += vrmpy(v21.ub,r13.b); v24.w += vrmpy(v18.ub,r13.b); v21.ub = vlsr(v23.ub,r0); v18.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v23.b = vlut32(v25.b,v17.b,r1):nomatch; v25.h = vmpy(v27.h,r16.h):<<1:rnd:sat }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v27.ub = vlsr(v26.ub,r0) }
{ v20.w += vrmpy(v22.ub,r14.b); v24.w += vrmpy(v23.ub,r14.b); v22.b = vlut32(v26.b,v17.b,r1):nomatch; v23.ub = vlsr(v19.ub,r0) }
{ v20.w += vrmpy(v18.ub,r15.b); v24.w += vrmpy(v21.ub,r15.b); v18.b = vlut32(v27.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v26 = vmem(r6++#1) }
{ v20.w += vrmpy(v22.ub,r18.b); v24.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v22.ub = vlsr(v21.ub,r0) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v23.ub = vlsr(v26.ub,r0); v27 = vmem(r6++#1) }
{ v20.w += vrmpy(v19.ub,r19.b); v24.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v19 = v16 }
{ v22 = v16; v23.b = vlut32(v23.b,v17.b,r1):nomatch; v29.ub = vlsr(v27.ub,r0); v30 = vmem(r6++#1) }
{ v20.h = vasr(v24.w,v20.w,r0); v19.w += vrmpy(v21.ub,r10.b); v22.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch }
{ v21.h = vsub(v20.h,v28.h); v20.b = vlut32(v27.b,v17.b,r1):nomatch; v24.ub = vlsr(v30.ub,r0); v26 = vmem(r6++#1) }
{ v19.w += vrmpy(v18.ub,r11.b); v22.w += vrmpy(v23.ub,r11.b); v18.b = vlut32(v29.b,v17.b,r1):nomatch; v23 = vmem(r6++#1) }
{ v5:4.w += vmpy(v21.h,v25.h); v21.b = vlut32(v24.b,v17.b,r1):nomatch; v24.ub = vlsr(v26.ub,r0) }
{ v19.w += vrmpy(v20.ub,r12.b); v22.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v30.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v24.b,v17.b,r1):nomatch; v24.ub = vlsr(v23.ub,r0); v25 = vmem(r6++#1) }
{ v19.w += vrmpy(v18.ub,r13.b); v22.w += vrmpy(v21.ub,r13.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v26 = vmem(r6++#1) }
{ v19.w += vrmpy(v18.ub,r14.b); v22.w += vrmpy(v20.ub,r14.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v20.ub = vlsr(v25.ub,r0) }
{ v24.b = vlut32(v25.b,v17.b,r1):nomatch; v25.h = vmpy(v26.h,r16.h):<<1:rnd:sat; v26 = vmem(r3++#1) }
{ v19.w += vrmpy(v23.ub,r15.b); v22.w += vrmpy(v18.ub,r15.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v21.ub,r0) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v23.ub = vlsr(v26.ub,r0); v27 = vmem(r3++#1) }
{ v19.w += vrmpy(v24.ub,r18.b); v22.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20 = vmem(r3++#1) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; r11:10 = memd(r7++#8); v24 = v16 }
{ v19.w += vrmpy(v21.ub,r19.b); v22.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v21.ub = vlsr(v20.ub,r0) }
{ v26 = v16; v29.ub = vlsr(v27.ub,r0); v27.b = vlut32(v27.b,v17.b,r1):nomatch; v30 = vmem(r3++#1) }
{ v19.h = vasr(v22.w,v19.w,r0); v24.w += vrmpy(v18.ub,r10.b); v26.w += vrmpy(v23.ub,r10.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch }
{ v21.h = vsub(v19.h,v28.h); v19.b = vlut32(v29.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; r13:12 = memd(r7++#8); v23.ub = vlsr(v30.ub,r0); v28 = vmem(r3++#1) }
{ v7:6.w += vmpy(v21.h,v25.h); v21.b = vlut32(v30.b,v17.b,r1):nomatch; v25.ub = vlsr(v22.ub,r0); r15:14 = memd(r7++#8) }
{ v24.w += vrmpy(v27.ub,r11.b); v26.w += vrmpy(v19.ub,r11.b); v19.b = vlut32(v23.b,v17.b,r1):nomatch; v23 = vmem(r3++#1) }
{ v24.w += vrmpy(v20.ub,r12.b); v26.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v20.ub = vlsr(v28.ub,r0) }
{ v24.w += vrmpy(v21.ub,r13.b); v26.w += vrmpy(v19.ub,r13.b); v19.b = vlut32(v22.b,v17.b,r1):nomatch; v21 = vmem(r3++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v22.ub = vlsr(v23.ub,r0); v25 = vmem(r3++#1); r17:16 = memd(r8++#8) }
{ v24.w += vrmpy(v19.ub,r14.b); v26.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch; v19.ub = vlsr(v21.ub,r0) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v25.h = vmpy(v25.h,r16.h):<<1:rnd:sat; v27 = vmem(r4++#1) }
{ v24.w += vrmpy(v18.ub,r15.b); v26.w += vrmpy(v20.ub,r15.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19 = vmem(r4++#1) }
{ v20.b = vlut32(v23.b,v17.b,r1):nomatch; r19:18 = memd(r7++#8); v23.ub = vlsr(v27.ub,r0) }
{ v28.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = v16; v29.ub = vlsr(v19.ub,r0) }
{ v24.w += vrmpy(v20.ub,r18.b); v26.w += vrmpy(v22.ub,r18.b); v20.b = vlut32(v27.b,v17.b,r1):nomatch; v22 = vmem(r4++#1) }
{ v24.w += vrmpy(v28.ub,r19.b); v26.w += vrmpy(v18.ub,r19.b); v23.b = vlut32(v23.b,v17.b,r1):nomatch; v18 = v16 }
{ v30 = vsplat(r17); v27.b = vlut32(v29.b,v17.b,r1):nomatch; v28.ub = vlsr(v22.ub,r0); v29 = vmem(r4++#1) }
{ v20.h = vasr(v26.w,v24.w,r0); v21.w += vrmpy(v20.ub,r10.b); v18.w += vrmpy(v23.ub,r10.b); v19.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v22.h = vsub(v20.h,v30.h); v20.b = vlut32(v22.b,v17.b,r1):nomatch; v23.ub = vlsr(v29.ub,r0); v24 = vmem(r4++#1) }
{ v21.w += vrmpy(v19.ub,r11.b); v18.w += vrmpy(v27.ub,r11.b); v19.b = vlut32(v28.b,v17.b,r1):nomatch; v26 = vmem(r4++#1) }
{ v1:0.w += vmpy(v22.h,v25.h); v22.b = vlut32(v29.b,v17.b,r1):nomatch; v25.ub = vlsr(v24.ub,r0) }
{ v21.w += vrmpy(v20.ub,r12.b); v18.w += vrmpy(v19.ub,r12.b); v19.b = vlut32(v24.b,v17.b,r1):nomatch; v20.ub = vlsr(v26.ub,r0) }
{ v8.w += vasr(v0.w,r2); v23.b = vlut32(v23.b,v17.b,r1):nomatch; v24 = vmem(r4++#1) }
{ v9.w += vasr(v1.w,r2); v25.b = vlut32(v25.b,v17.b,r1):nomatch; v27 = vmem(r4++#1) }
{ v21.w += vrmpy(v22.ub,r13.b); v18.w += vrmpy(v23.ub,r13.b); v22.b = vlut32(v26.b,v17.b,r1):nomatch; v23 = vmem(r5++#1) }
{ v21.w += vrmpy(v19.ub,r14.b); v18.w += vrmpy(v25.ub,r14.b); v19.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v24.ub,r0) }
{ v24.b = vlut32(v24.b,v17.b,r1):nomatch; v25 = vmem(r4++#1) }
{ v21.w += vrmpy(v22.ub,r15.b); v18.w += vrmpy(v19.ub,r15.b); v19.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v27.ub,r0) }
{ v22.b = vlut32(v27.b,v17.b,r1):nomatch; v25.h = vmpy(v25.h,r16.h):<<1:rnd:sat; v26 = vmem(r5++#1) }
{ v21.w += vrmpy(v24.ub,r18.b); v18.w += vrmpy(v19.ub,r18.b); v19.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v23.ub,r0) }
{ v24.b = vlut32(v23.b,v17.b,r1):nomatch; v23 = v16; v27.ub = vlsr(v26.ub,r0); v28 = vmem(r5++#1) }
{ v21.w += vrmpy(v22.ub,r19.b); v18.w += vrmpy(v19.ub,r19.b); v19.b = vlut32(v20.b,v17.b,r1):nomatch; v20 = vmem(r5++#1) }
{ v22 = v16; v26.b = vlut32(v26.b,v17.b,r1):nomatch; v29.ub = vlsr(v28.ub,r0); v31 = vmem(r5++#1) }
{ v19.h = vasr(v18.w,v21.w,r0); v23.w += vrmpy(v24.ub,r10.b); v22.w += vrmpy(v19.ub,r10.b); v18.b = vlut32(v27.b,v17.b,r1):nomatch }
{ v21.h = vsub(v19.h,v30.h); v19.b = vlut32(v29.b,v17.b,r1):nomatch; v24.ub = vlsr(v20.ub,r0); v27 = vmem(r5++#1) }
{ v23.w += vrmpy(v26.ub,r11.b); v22.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch; v26.ub = vlsr(v31.ub,r0) }
{ v3:2.w += vmpy(v21.h,v25.h); v20.b = vlut32(v20.b,v17.b,r1):nomatch; v21.ub = vlsr(v27.ub,r0) }
{ v23.w += vrmpy(v18.ub,r12.b); v22.w += vrmpy(v19.ub,r12.b); v18.b = vlut32(v31.b,v17.b,r1):nomatch; v19 = vmem(r5++#1) }
{ v10.w += vasr(v2.w,r2); v25.b = vlut32(v26.b,v17.b,r1):nomatch; v26 = vmem(r5++#1) }
{ v11.w += vasr(v3.w,r2); v24.b = vlut32(v24.b,v17.b,r1):nomatch; v28 = vmem(r5++#1) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v29 = vmem(r6++#1) }
{ v23.w += vrmpy(v20.ub,r13.b); v22.w += vrmpy(v24.ub,r13.b); v20.ub = vlsr(v19.ub,r0); v19.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v23.w += vrmpy(v18.ub,r14.b); v22.w += vrmpy(v25.ub,r14.b); v18.b = vlut32(v27.b,v17.b,r1):nomatch; v24.ub = vlsr(v26.ub,r0) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v25.h = vmpy(v28.h,r16.h):<<1:rnd:sat; v27.ub = vlsr(v29.ub,r0) }
{ v23.w += vrmpy(v18.ub,r15.b); v22.w += vrmpy(v21.ub,r15.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v23.w += vrmpy(v19.ub,r18.b); v22.w += vrmpy(v20.ub,r18.b); v19.b = vlut32(v26.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v27.b,v17.b,r1):nomatch; v26 = v16; v24.ub = vlsr(v21.ub,r0); v27 = vmem(r6++#1) }
{ v23.w += vrmpy(v19.ub,r19.b); v22.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v29.b,v17.b,r1):nomatch; v19 = vmem(r6++#1) }
{ v28 = v16; v21.b = vlut32(v21.b,v17.b,r1):nomatch; v29.ub = vlsr(v27.ub,r0); v31 = vmem(r6++#1) }
{ v20.h = vasr(v22.w,v23.w,r0); v28.w += vrmpy(v18.ub,r10.b); v26.w += vrmpy(v20.ub,r10.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch }
{ v22.h = vsub(v20.h,v30.h); v20.b = vlut32(v27.b,v17.b,r1):nomatch; v23 = vmem(r6++#1) }
{ v28.w += vrmpy(v21.ub,r11.b); v26.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v29.b,v17.b,r1):nomatch; v21.ub = vlsr(v19.ub,r0) }
{ v5:4.w += vmpy(v22.h,v25.h); v19.b = vlut32(v19.b,v17.b,r1):nomatch; v22.ub = vlsr(v31.ub,r0) }
{ v28.w += vrmpy(v20.ub,r12.b); v26.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v20.ub = vlsr(v23.ub,r0) }
{ v13.w += vasr(v5.w,r2); v21.b = vlut32(v31.b,v17.b,r1):nomatch; v24 = vmem(r6++#1) }
{ v12.w += vasr(v4.w,r2); v28.w += vrmpy(v19.ub,r13.b); v26.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch }
{ v19.b = vlut32(v23.b,v17.b,r1):nomatch; v22.ub = vlsr(v24.ub,r0); v23 = vmem(r6++#1) }
{ v28.w += vrmpy(v21.ub,r14.b); v26.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v25.b = vlut32(v22.b,v17.b,r1):nomatch; v20.ub = vlsr(v23.ub,r0) }
{ v28.w += vrmpy(v19.ub,r15.b); v26.w += vrmpy(v18.ub,r15.b); v24.b = vlut32(v24.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
.Lhvx_sum_iq4_tiles:
{ v18 = vmem(r3++#1); v27.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v19 = vmem(r3++#1); v29.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v20.ub = vlsr(v18.ub,r0); v18.b = vlut32(v18.b,v17.b,r1):nomatch; r11:10 = memd(r7++#8); v31.h = vmpy(v21.h,r16.h):<<1:rnd:sat }
{ v21 = v16; v19 = v16; v23.ub = vlsr(v19.ub,r0); v22.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v24 = vmem(r3++#1); v28.w += vrmpy(v24.ub,r18.b); v26.w += vrmpy(v25.ub,r18.b) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v25 = vmem(r3++#1); v28.w += vrmpy(v29.ub,r19.b); v26.w += vrmpy(v27.ub,r19.b) }
{ v21.w += vrmpy(v18.ub,r10.b); v19.w += vrmpy(v20.ub,r10.b); v20.ub = vlsr(v24.ub,r0); v18.b = vlut32(v24.b,v17.b,r1):nomatch }
{ v21.w += vrmpy(v22.ub,r11.b); v19.w += vrmpy(v23.ub,r11.b); v23.ub = vlsr(v25.ub,r0); v22.b = vlut32(v25.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; r13:12 = memd(r7++#8); v24 = vmem(r3++#1); v26.h = vasr(v26.w,v28.w,r0) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v25 = vmem(r3++#1) }
{ v21.w += vrmpy(v18.ub,r12.b); v19.w += vrmpy(v20.ub,r12.b); v20.ub = vlsr(v24.ub,r0); v18.b = vlut32(v24.b,v17.b,r1):nomatch }
{ v21.w += vrmpy(v22.ub,r13.b); v19.w += vrmpy(v23.ub,r13.b); v23.ub = vlsr(v25.ub,r0); v22.b = vlut32(v25.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; r15:14 = memd(r7++#8); v24 = vmem(r3++#1); v27.h = vsub(v26.h,v30.h) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v26 = vmem(r3++#1); r17:16 = memd(r8++#8); v25 = v16 }
{ v21.w += vrmpy(v18.ub,r14.b); v19.w += vrmpy(v20.ub,r14.b); v20.ub = vlsr(v24.ub,r0); v18.b = vlut32(v24.b,v17.b,r1):nomatch }
{ v21.w += vrmpy(v22.ub,r15.b); v19.w += vrmpy(v23.ub,r15.b); v22.ub = vlsr(v26.ub,r0); v23 = vmem(r3++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; r19:18 = memd(r7++#8); v24 = vmem(r4++#1); v7:6.w += vmpy(v27.h,v31.h) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v23.h = vmpy(v23.h,r16.h):<<1:rnd:sat; v27 = vmem(r4++#1) }
{ v21.w += vrmpy(v18.ub,r18.b); v19.w += vrmpy(v20.ub,r18.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v20.ub = vlsr(v24.ub,r0) }
{ v26.b = vlut32(v24.b,v17.b,r1):nomatch; v24 = v16; v28 = vmem(r4++#1); v15.w += vasr(v7.w,r2) }
{ v21.w += vrmpy(v18.ub,r19.b); v19.w += vrmpy(v22.ub,r19.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v27.ub,r0) }
{ v30 = vsplat(r17); v22.b = vlut32(v27.b,v17.b,r1):nomatch; v27.ub = vlsr(v28.ub,r0); v29 = vmem(r4++#1) }
{ v19.h = vasr(v19.w,v21.w,r0); v25.w += vrmpy(v26.ub,r10.b); v24.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch }
{ v20.h = vsub(v19.h,v30.h); v19.b = vlut32(v20.b,v17.b,r1):nomatch; v21 = vmem(r5++#1); v14.w += vasr(v6.w,r2) }
{ v26.b = vlut32(v27.b,v17.b,r1):nomatch; v27 = vmem(r4++#1) }
{ v1:0.w = vmpy(v20.h,v23.h); v23.ub = vlsr(v29.ub,r0); v20.b = vlut32(v29.b,v17.b,r1):nomatch }
{ v25.w += vrmpy(v22.ub,r11.b); v24.w += vrmpy(v19.ub,r11.b); v22.ub = vlsr(v27.ub,r0); v19.b = vlut32(v27.b,v17.b,r1):nomatch }
{ v25.w += vrmpy(v18.ub,r12.b); v24.w += vrmpy(v26.ub,r12.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v23 = vmem(r4++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v26 = vmem(r4++#1) }
{ v25.w += vrmpy(v20.ub,r13.b); v24.w += vrmpy(v18.ub,r13.b); v20.ub = vlsr(v23.ub,r0); v18.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v25.w += vrmpy(v19.ub,r14.b); v24.w += vrmpy(v22.ub,r14.b); v22.ub = vlsr(v26.ub,r0); v19.b = vlut32(v26.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v23 = vmem(r4++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v27 = vmem(r4++#1); v26.ub = vlsr(v21.ub,r0) }
{ v25.w += vrmpy(v18.ub,r15.b); v24.w += vrmpy(v20.ub,r15.b); v20.ub = vlsr(v23.ub,r0); v18.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v25.w += vrmpy(v19.ub,r18.b); v24.w += vrmpy(v22.ub,r18.b); v19.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = vmem(r5++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v22.h = vmpy(v27.h,r16.h):<<1:rnd:sat; v23 = vmem(r5++#1) }
{ v27.b = vlut32(v26.b,v17.b,r1):nomatch; v28 = v16; v26 = v16; v29.ub = vlsr(v21.ub,r0) }
{ v25.w += vrmpy(v18.ub,r19.b); v24.w += vrmpy(v20.ub,r19.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v20.ub = vlsr(v23.ub,r0) }
{ v28.w += vrmpy(v19.ub,r10.b); v26.w += vrmpy(v27.ub,r10.b); v19.b = vlut32(v29.b,v17.b,r1):nomatch; v21 = vmem(r5++#1) }
{ v24.h = vasr(v24.w,v25.w,r0); v20.b = vlut32(v20.b,v17.b,r1):nomatch; v25 = vmem(r5++#1) }
{ v19.h = vsub(v24.h,v30.h); v28.w += vrmpy(v18.ub,r11.b); v26.w += vrmpy(v19.ub,r11.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v23.ub = vlsr(v21.ub,r0); v21.b = vlut32(v21.b,v17.b,r1):nomatch }
{ v3:2.w = vmpy(v19.h,v22.h); v19.b = vlut32(v25.b,v17.b,r1):nomatch; v22 = vmem(r5++#1) }
{ v28.w += vrmpy(v18.ub,r12.b); v26.w += vrmpy(v20.ub,r12.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v20.ub = vlsr(v25.ub,r0) }
{ v23.b = vlut32(v22.b,v17.b,r1):nomatch; v24 = vmem(r5++#1) }
{ v28.w += vrmpy(v21.ub,r13.b); v26.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v22.ub,r0) }
{ v22.ub = vlsr(v24.ub,r0); v21.b = vlut32(v24.b,v17.b,r1):nomatch; v24 = vmem(r6++#1) }
{ v28.w += vrmpy(v19.ub,r14.b); v26.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v19 = vmem(r5++#1) }
{ v20.b = vlut32(v22.b,v17.b,r1):nomatch; v27 = vmem(r5++#1); v25.ub = vlsr(v24.ub,r0); v22 = v16 }
{ v28.w += vrmpy(v23.ub,r15.b); v26.w += vrmpy(v18.ub,r15.b); v19.ub = vlsr(v19.ub,r0); v18.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v28.w += vrmpy(v21.ub,r18.b); v26.w += vrmpy(v20.ub,r18.b); v20.b = vlut32(v24.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v23.h = vmpy(v27.h,r16.h):<<1:rnd:sat; v24 = vmem(r6++#1) }
{ v27.b = vlut32(v25.b,v17.b,r1):nomatch; v25 = v16; v29.ub = vlsr(v21.ub,r0); v31 = vmem(r6++#1) }
{ v28.w += vrmpy(v18.ub,r19.b); v26.w += vrmpy(v19.ub,r19.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v19.ub = vlsr(v24.ub,r0) }
{ v22.w += vrmpy(v20.ub,r10.b); v25.w += vrmpy(v27.ub,r10.b); v20.b = vlut32(v29.b,v17.b,r1):nomatch; v21.ub = vlsr(v31.ub,r0) }
{ v26.h = vasr(v26.w,v28.w,r0); v19.b = vlut32(v19.b,v17.b,r1):nomatch; v27 = vmem(r6++#1) }
{ v20.h = vsub(v26.h,v30.h); v22.w += vrmpy(v18.ub,r11.b); v25.w += vrmpy(v20.ub,r11.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch }
{ v24.b = vlut32(v31.b,v17.b,r1):nomatch; v26.ub = vlsr(v27.ub,r0) }
{ v5:4.w = vmpy(v20.h,v23.h); v20.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v22.w += vrmpy(v18.ub,r12.b); v25.w += vrmpy(v19.ub,r12.b); v18.b = vlut32(v27.b,v17.b,r1):nomatch; v19 = vmem(r6++#1) }
{ v22.w += vrmpy(v24.ub,r13.b); v25.w += vrmpy(v20.ub,r13.b); v21.ub = vlsr(v21.ub,r0); v20.b = vlut32(v21.b,v17.b,r1):nomatch }
{ v23.b = vlut32(v26.b,v17.b,r1):nomatch; v24 = vmem(r3++#1) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v26.ub = vlsr(v19.ub,r0); v27 = vmem(r6++#1) }
{ v22.w += vrmpy(v18.ub,r14.b); v25.w += vrmpy(v23.ub,r14.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19 = vmem(r6++#1) }
{ v22.w += vrmpy(v20.ub,r15.b); v25.w += vrmpy(v21.ub,r15.b); v21.ub = vlsr(v27.ub,r0); v20.b = vlut32(v27.b,v17.b,r1):nomatch }
{ v19.b = vlut32(v26.b,v17.b,r1):nomatch; v26.h = vmpy(v19.h,r16.h):<<1:rnd:sat; v23 = v16 }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v27.ub = vlsr(v24.ub,r0); r11:10 = memd(r7++#8); v28 = vmem(r3++#1) }
{ v22.w += vrmpy(v18.ub,r18.b); v25.w += vrmpy(v19.ub,r18.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v19 = vmem(r3++#1) }
{ v22.w += vrmpy(v20.ub,r19.b); v25.w += vrmpy(v21.ub,r19.b); v20.b = vlut32(v27.b,v17.b,r1):nomatch; v21.ub = vlsr(v28.ub,r0) }
{ v24 = v16; v27.b = vlut32(v28.b,v17.b,r1):nomatch; v28.ub = vlsr(v19.ub,r0); v29 = vmem(r3++#1) }
{ v20.h = vasr(v25.w,v22.w,r0); v23.w += vrmpy(v18.ub,r10.b); v24.w += vrmpy(v20.ub,r10.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch }
{ v20.h = vsub(v20.h,v30.h); v19.b = vlut32(v19.b,v17.b,r1):nomatch; r13:12 = memd(r7++#8); v21 = vmem(r3++#1) }
{ v23.w += vrmpy(v27.ub,r11.b); v24.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch; v22.ub = vlsr(v29.ub,r0) }
{ v7:6.w = vmpy(v20.h,v26.h); v20.b = vlut32(v29.b,v17.b,r1):nomatch; r15:14 = memd(r7++#8); v25 = vmem(r3++#1) }
{ v23.w += vrmpy(v19.ub,r12.b); v24.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v19.ub = vlsr(v21.ub,r0) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v22 = vmem(r3++#1); r17:16 = memd(r8++#8) }
{ v23.w += vrmpy(v20.ub,r13.b); v24.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19.ub = vlsr(v25.ub,r0) }
{ v20.b = vlut32(v25.b,v17.b,r1):nomatch; v25.ub = vlsr(v22.ub,r0); v26 = vmem(r4++#1) }
{ v23.w += vrmpy(v21.ub,r14.b); v24.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19 = vmem(r3++#1) }
{ v21.b = vlut32(v22.b,v17.b,r1):nomatch; r19:18 = memd(r7++#8); v22 = vmem(r3++#1); v27 = vsplat(r17) }
{ v23.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v18.ub,r15.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v20.ub = vlsr(v19.ub,r0) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v22.h = vmpy(v22.h,r16.h):<<1:rnd:sat; v25 = vmem(r4++#1) }
{ v23.w += vrmpy(v21.ub,r18.b); v24.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v26.ub,r0) }
{ v26.b = vlut32(v26.b,v17.b,r1):nomatch; v21 = v16; v28.ub = vlsr(v25.ub,r0); v29 = vmem(r4++#1) }
{ v23.w += vrmpy(v19.ub,r19.b); v24.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v19 = vmem(r4++#1) }
{ v28 = v16; v20.b = vlut32(v28.b,v17.b,r1):nomatch; v30.ub = vlsr(v29.ub,r0); v31 = vmem(r4++#1) }
{ v23.h = vasr(v24.w,v23.w,r0); v28.w += vrmpy(v26.ub,r10.b); v21.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch }
{ v23.h = vsub(v23.h,v27.h); v24.ub = vlsr(v19.ub,r0); v19.b = vlut32(v19.b,v17.b,r1):nomatch; v25 = vmem(r4++#1) }
{ v28.w += vrmpy(v18.ub,r11.b); v21.w += vrmpy(v20.ub,r11.b); v18.b = vlut32(v29.b,v17.b,r1):nomatch; v20 = vmem(r4++#1) }
{ v1:0.w += vmpy(v23.h,v22.h); v22.b = vlut32(v30.b,v17.b,r1):nomatch; v23.ub = vlsr(v31.ub,r0) }
{ v24.b = vlut32(v24.b,v17.b,r1):nomatch; v26 = vmem(r4++#1) }
{ v28.w += vrmpy(v18.ub,r12.b); v21.w += vrmpy(v22.ub,r12.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v22 = vmem(r4++#1) }
{ v28.w += vrmpy(v19.ub,r13.b); v21.w += vrmpy(v24.ub,r13.b); v19.b = vlut32(v25.b,v17.b,r1):nomatch }
{ v22.b = vlut32(v31.b,v17.b,r1):nomatch; v24.ub = vlsr(v25.ub,r0); v23.h = vmpy(v22.h,r16.h):<<1:rnd:sat }
{ v25.ub = vlsr(v20.ub,r0); v20.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v28.w += vrmpy(v22.ub,r14.b); v21.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch }
{ v22.b = vlut32(v25.b,v17.b,r1):nomatch; v24.ub = vlsr(v26.ub,r0); v25 = vmem(r5++#1) }
{ v28.w += vrmpy(v19.ub,r15.b); v21.w += vrmpy(v18.ub,r15.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v19 = vmem(r5++#1) }
{ v28.w += vrmpy(v20.ub,r18.b); v21.w += vrmpy(v22.ub,r18.b); v20.b = vlut32(v24.b,v17.b,r1):nomatch; v22.ub = vlsr(v25.ub,r0) }
{ v25.b = vlut32(v25.b,v17.b,r1):nomatch; v24 = v16; v26 = vmem(r5++#1) }
{ v28.w += vrmpy(v18.ub,r19.b); v21.w += vrmpy(v20.ub,r19.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v20.ub = vlsr(v19.ub,r0) }
{ v19 = v16; v22.b = vlut32(v19.b,v17.b,r1):nomatch; v29.ub = vlsr(v26.ub,r0); v30 = vmem(r5++#1) }
{ v20.h = vasr(v21.w,v28.w,r0); v24.w += vrmpy(v25.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v21.h = vsub(v20.h,v27.h); v20.b = vlut32(v26.b,v17.b,r1):nomatch; v25.ub = vlsr(v30.ub,r0) }
{ v24.w += vrmpy(v22.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v29.b,v17.b,r1):nomatch; v22 = vmem(r5++#1) }
{ v3:2.w += vmpy(v21.h,v23.h); v21.b = vlut32(v30.b,v17.b,r1):nomatch; v23 = vmem(r5++#1) }
{ v24.w += vrmpy(v20.ub,r12.b); v19.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v20.ub = vlsr(v22.ub,r0) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v25 = vmem(r5++#1) }
{ v24.w += vrmpy(v21.ub,r13.b); v19.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v23.ub,r0) }
{ v21.b = vlut32(v23.b,v17.b,r1):nomatch; v23.ub = vlsr(v25.ub,r0); v26 = vmem(r5++#1) }
{ v24.w += vrmpy(v22.ub,r14.b); v19.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v23.b,v17.b,r1):nomatch; v22.ub = vlsr(v26.ub,r0); v23 = vmem(r5++#1) }
{ v24.w += vrmpy(v21.ub,r15.b); v19.w += vrmpy(v18.ub,r15.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v23.h = vmpy(v23.h,r16.h):<<1:rnd:sat; v25 = vmem(r6++#1) }
{ v24.w += vrmpy(v18.ub,r18.b); v19.w += vrmpy(v20.ub,r18.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v20.ub = vlsr(v21.ub,r0) }
{ v26.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = v16; v28.ub = vlsr(v25.ub,r0); v29 = vmem(r6++#1) }
{ v24.w += vrmpy(v18.ub,r19.b); v19.w += vrmpy(v22.ub,r19.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20 = vmem(r6++#1) }
{ v22 = v16; v25.b = vlut32(v25.b,v17.b,r1):nomatch; v30.ub = vlsr(v29.ub,r0); v31 = vmem(r6++#1) }
{ v19.h = vasr(v19.w,v24.w,r0); v21.w += vrmpy(v26.ub,r10.b); v22.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch }
{ v24.h = vsub(v19.h,v27.h); v19.b = vlut32(v29.b,v17.b,r1):nomatch; v26 = vmem(r6++#1) }
{ v21.w += vrmpy(v25.ub,r11.b); v22.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v30.b,v17.b,r1):nomatch; v25.ub = vlsr(v20.ub,r0) }
{ v5:4.w += vmpy(v24.h,v23.h); v24.ub = vlsr(v31.ub,r0); v23.b = vlut32(v31.b,v17.b,r1):nomatch }
{ v21.w += vrmpy(v19.ub,r12.b); v22.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v19 = vmem(r6++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v25.ub = vlsr(v26.ub,r0) }
{ v26.b = vlut32(v26.b,v17.b,r1):nomatch; v28.ub = vlsr(v19.ub,r0); v29 = vmem(r3++#1) }
{ v21.w += vrmpy(v20.ub,r13.b); v22.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v20 = vmem(r6++#1) }
{ v24.b = vlut32(v28.b,v17.b,r1):nomatch; v28 = vmem(r6++#1) }
{ v21.w += vrmpy(v23.ub,r14.b); v22.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v23.ub = vlsr(v20.ub,r0) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v25.h = vmpy(v28.h,r16.h):<<1:rnd:sat }
{ v21.w += vrmpy(v26.ub,r15.b); v22.w += vrmpy(v18.ub,r15.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v23.ub = vlsr(v29.ub,r0) }
{ v21.w += vrmpy(v19.ub,r18.b); v22.w += vrmpy(v24.ub,r18.b); v19.b = vlut32(v20.b,v17.b,r1):nomatch; v20 = vmem(r3++#1) }
{ v24.b = vlut32(v23.b,v17.b,r1):nomatch; r11:10 = memd(r7++#8); v23 = v16; v26 = vmem(r3++#1) }
{ v21.w += vrmpy(v19.ub,r19.b); v22.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v29.b,v17.b,r1):nomatch; v19.ub = vlsr(v20.ub,r0) }
{ v20 = v16; v28.b = vlut32(v20.b,v17.b,r1):nomatch; v29.ub = vlsr(v26.ub,r0); v30 = vmem(r3++#1) }
{ v19.h = vasr(v22.w,v21.w,r0); v20.w += vrmpy(v18.ub,r10.b); v23.w += vrmpy(v24.ub,r10.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v21.h = vsub(v19.h,v27.h); v19.b = vlut32(v26.b,v17.b,r1):nomatch; r13:12 = memd(r7++#8); v22.ub = vlsr(v30.ub,r0) }
{ v20.w += vrmpy(v28.ub,r11.b); v23.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v29.b,v17.b,r1):nomatch; v24 = vmem(r3++#1) }
{ v7:6.w += vmpy(v21.h,v25.h); v21.b = vlut32(v22.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v20.w += vrmpy(v19.ub,r12.b); v23.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v19 = vmem(r3++#1) }
{ v24.b = vlut32(v30.b,v17.b,r1):nomatch; v25.ub = vlsr(v24.ub,r0); r15:14 = memd(r7++#8); v26 = vmem(r3++#1) }
{ v27.b = vlut32(v22.b,v17.b,r1):nomatch; v28 = vmem(r3++#1); r17:16 = memd(r8++#8) }
{ v20.w += vrmpy(v24.ub,r13.b); v23.w += vrmpy(v21.ub,r13.b); v21.b = vlut32(v25.b,v17.b,r1):nomatch; v22.ub = vlsr(v22.ub,r0) }
{ v25.ub = vlsr(v19.ub,r0); v19.b = vlut32(v19.b,v17.b,r1):nomatch; v24.h = vmpy(v28.h,r16.h):<<1:rnd:sat }
{ v20.w += vrmpy(v18.ub,r14.b); v23.w += vrmpy(v21.ub,r14.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; r19:18 = memd(r7++#8) }
{ v21.b = vlut32(v25.b,v17.b,r1):nomatch; v22.ub = vlsr(v26.ub,r0); v28 = vsplat(r17); v25 = vmem(r4++#1) }
{ v20.w += vrmpy(v27.ub,r15.b); v23.w += vrmpy(v18.ub,r15.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v26 = vmem(r4++#1) }
{ v20.w += vrmpy(v19.ub,r18.b); v23.w += vrmpy(v21.ub,r18.b); v19.b = vlut32(v22.b,v17.b,r1):nomatch; v21.ub = vlsr(v25.ub,r0) }
{ v25.b = vlut32(v25.b,v17.b,r1):nomatch; v22 = v16; v27.ub = vlsr(v26.ub,r0); v29 = vmem(r4++#1) }
{ v20.w += vrmpy(v18.ub,r19.b); v23.w += vrmpy(v19.ub,r19.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v19 = vmem(r4++#1) }
{ v21 = v16; v26.b = vlut32(v26.b,v17.b,r1):nomatch; v30.ub = vlsr(v29.ub,r0); v31 = vmem(r4++#1) }
{ v20.h = vasr(v23.w,v20.w,r0); v21.w += vrmpy(v25.ub,r10.b); v22.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v29.b,v17.b,r1):nomatch }
{ v23.h = vsub(v20.h,v28.h); v20.b = vlut32(v27.b,v17.b,r1):nomatch; v25.ub = vlsr(v19.ub,r0) }
{ v27.b = vlut32(v30.b,v17.b,r1):nomatch; v29.ub = vlsr(v31.ub,r0); v30 = vmem(r4++#1) }
{ v1:0.w += vmpy(v23.h,v24.h); v23.b = vlut32(v25.b,v17.b,r1):nomatch; v24 = vmem(r4++#1) }
{ v21.w += vrmpy(v26.ub,r11.b); v22.w += vrmpy(v20.ub,r11.b); v19.b = vlut32(v19.b,v17.b,r1):nomatch; v20.ub = vlsr(v30.ub,r0) }
{ v21.w += vrmpy(v18.ub,r12.b); v22.w += vrmpy(v27.ub,r12.b); v18.b = vlut32(v31.b,v17.b,r1):nomatch; v25 = vmem(r4++#1) }
{ v21.w += vrmpy(v19.ub,r13.b); v22.w += vrmpy(v23.ub,r13.b); v19.b = vlut32(v30.b,v17.b,r1):nomatch; v23 = vmem(r4++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v23.b = vlut32(v29.b,v17.b,r1):nomatch; v27.ub = vlsr(v24.ub,r0); v26.h = vmpy(v23.h,r16.h):<<1:rnd:sat }
{ v24.b = vlut32(v24.b,v17.b,r1):nomatch; v29 = vmem(r5++#1) }
{ v21.w += vrmpy(v18.ub,r14.b); v22.w += vrmpy(v23.ub,r14.b); v18.b = vlut32(v27.b,v17.b,r1):nomatch; v23.ub = vlsr(v25.ub,r0) }
{ v21.w += vrmpy(v19.ub,r15.b); v22.w += vrmpy(v20.ub,r15.b); v19.b = vlut32(v25.b,v17.b,r1):nomatch; v20 = vmem(r5++#1) }
{ v21.w += vrmpy(v24.ub,r18.b); v22.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v23.ub = vlsr(v29.ub,r0) }
{ v25.b = vlut32(v29.b,v17.b,r1):nomatch; v24 = v16; v27 = vmem(r5++#1) }
{ v21.w += vrmpy(v19.ub,r19.b); v22.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v19.ub = vlsr(v20.ub,r0) }
{ v20 = v16; v23.b = vlut32(v20.b,v17.b,r1):nomatch; v29.ub = vlsr(v27.ub,r0); v30 = vmem(r5++#1) }
{ v19.h = vasr(v22.w,v21.w,r0); v20.w += vrmpy(v25.ub,r10.b); v24.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v21.h = vsub(v19.h,v28.h); v19.b = vlut32(v29.b,v17.b,r1):nomatch; v22.ub = vlsr(v30.ub,r0); v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v23.ub,r11.b); v24.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v27.b,v17.b,r1):nomatch; v23 = vmem(r5++#1) }
{ v3:2.w += vmpy(v21.h,v26.h); v21.b = vlut32(v30.b,v17.b,r1):nomatch; v26 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r12.b); v24.w += vrmpy(v19.ub,r12.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v19 = vmem(r5++#1) }
{ v25.ub = vlsr(v25.ub,r0); v22.b = vlut32(v25.b,v17.b,r1):nomatch; v27 = vmem(r5++#1) }
{ v20.w += vrmpy(v21.ub,r13.b); v24.w += vrmpy(v18.ub,r13.b); v21.ub = vlsr(v23.ub,r0); v18.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v23.b = vlut32(v25.b,v17.b,r1):nomatch; v25.h = vmpy(v27.h,r16.h):<<1:rnd:sat }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v27.ub = vlsr(v26.ub,r0) }
{ v20.w += vrmpy(v22.ub,r14.b); v24.w += vrmpy(v23.ub,r14.b); v22.b = vlut32(v26.b,v17.b,r1):nomatch; v23.ub = vlsr(v19.ub,r0) }
{ v20.w += vrmpy(v18.ub,r15.b); v24.w += vrmpy(v21.ub,r15.b); v18.b = vlut32(v27.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v26 = vmem(r6++#1) }
{ v20.w += vrmpy(v22.ub,r18.b); v24.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v22.ub = vlsr(v21.ub,r0) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v23.ub = vlsr(v26.ub,r0); v27 = vmem(r6++#1) }
{ v20.w += vrmpy(v19.ub,r19.b); v24.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v19 = v16 }
{ v22 = v16; v23.b = vlut32(v23.b,v17.b,r1):nomatch; v29.ub = vlsr(v27.ub,r0); v30 = vmem(r6++#1) }
{ v20.h = vasr(v24.w,v20.w,r0); v19.w += vrmpy(v21.ub,r10.b); v22.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch }
{ v21.h = vsub(v20.h,v28.h); v20.b = vlut32(v27.b,v17.b,r1):nomatch; v24.ub = vlsr(v30.ub,r0); v26 = vmem(r6++#1) }
{ v19.w += vrmpy(v18.ub,r11.b); v22.w += vrmpy(v23.ub,r11.b); v18.b = vlut32(v29.b,v17.b,r1):nomatch; v23 = vmem(r6++#1) }
{ v5:4.w += vmpy(v21.h,v25.h); v21.b = vlut32(v24.b,v17.b,r1):nomatch; v24.ub = vlsr(v26.ub,r0) }
{ v19.w += vrmpy(v20.ub,r12.b); v22.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v30.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v24.b,v17.b,r1):nomatch; v24.ub = vlsr(v23.ub,r0); v25 = vmem(r6++#1) }
{ v19.w += vrmpy(v18.ub,r13.b); v22.w += vrmpy(v21.ub,r13.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v26 = vmem(r6++#1) }
{ v19.w += vrmpy(v18.ub,r14.b); v22.w += vrmpy(v20.ub,r14.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v20.ub = vlsr(v25.ub,r0) }
{ v24.b = vlut32(v25.b,v17.b,r1):nomatch; v25.h = vmpy(v26.h,r16.h):<<1:rnd:sat; v26 = vmem(r3++#1) }
{ v19.w += vrmpy(v23.ub,r15.b); v22.w += vrmpy(v18.ub,r15.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v21.ub,r0) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v23.ub = vlsr(v26.ub,r0); v27 = vmem(r3++#1) }
{ v19.w += vrmpy(v24.ub,r18.b); v22.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20 = vmem(r3++#1) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; r11:10 = memd(r7++#8); v24 = v16 }
{ v19.w += vrmpy(v21.ub,r19.b); v22.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v21.ub = vlsr(v20.ub,r0) }
{ v26 = v16; v29.ub = vlsr(v27.ub,r0); v27.b = vlut32(v27.b,v17.b,r1):nomatch; v30 = vmem(r3++#1) }
{ v19.h = vasr(v22.w,v19.w,r0); v24.w += vrmpy(v18.ub,r10.b); v26.w += vrmpy(v23.ub,r10.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch }
{ v21.h = vsub(v19.h,v28.h); v19.b = vlut32(v29.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; r13:12 = memd(r7++#8); v23.ub = vlsr(v30.ub,r0); v28 = vmem(r3++#1) }
{ v7:6.w += vmpy(v21.h,v25.h); v21.b = vlut32(v30.b,v17.b,r1):nomatch; v25.ub = vlsr(v22.ub,r0); r15:14 = memd(r7++#8) }
{ v24.w += vrmpy(v27.ub,r11.b); v26.w += vrmpy(v19.ub,r11.b); v19.b = vlut32(v23.b,v17.b,r1):nomatch; v23 = vmem(r3++#1) }
{ v24.w += vrmpy(v20.ub,r12.b); v26.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v20.ub = vlsr(v28.ub,r0) }
{ v24.w += vrmpy(v21.ub,r13.b); v26.w += vrmpy(v19.ub,r13.b); v19.b = vlut32(v22.b,v17.b,r1):nomatch; v21 = vmem(r3++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v22.ub = vlsr(v23.ub,r0); v25 = vmem(r3++#1); r17:16 = memd(r8++#8) }
{ v24.w += vrmpy(v19.ub,r14.b); v26.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch; v19.ub = vlsr(v21.ub,r0) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v25.h = vmpy(v25.h,r16.h):<<1:rnd:sat; v27 = vmem(r4++#1) }
{ v24.w += vrmpy(v18.ub,r15.b); v26.w += vrmpy(v20.ub,r15.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19 = vmem(r4++#1) }
{ v20.b = vlut32(v23.b,v17.b,r1):nomatch; r19:18 = memd(r7++#8); v23.ub = vlsr(v27.ub,r0) }
{ v28.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = v16; v29.ub = vlsr(v19.ub,r0) }
{ v24.w += vrmpy(v20.ub,r18.b); v26.w += vrmpy(v22.ub,r18.b); v20.b = vlut32(v27.b,v17.b,r1):nomatch; v22 = vmem(r4++#1) }
{ v24.w += vrmpy(v28.ub,r19.b); v26.w += vrmpy(v18.ub,r19.b); v23.b = vlut32(v23.b,v17.b,r1):nomatch; v18 = v16 }
{ v30 = vsplat(r17); v27.b = vlut32(v29.b,v17.b,r1):nomatch; v28.ub = vlsr(v22.ub,r0); v29 = vmem(r4++#1) }
{ v20.h = vasr(v26.w,v24.w,r0); v21.w += vrmpy(v20.ub,r10.b); v18.w += vrmpy(v23.ub,r10.b); v19.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v22.h = vsub(v20.h,v30.h); v20.b = vlut32(v22.b,v17.b,r1):nomatch; v23.ub = vlsr(v29.ub,r0); v24 = vmem(r4++#1) }
{ v21.w += vrmpy(v19.ub,r11.b); v18.w += vrmpy(v27.ub,r11.b); v19.b = vlut32(v28.b,v17.b,r1):nomatch; v26 = vmem(r4++#1) }
{ v1:0.w += vmpy(v22.h,v25.h); v22.b = vlut32(v29.b,v17.b,r1):nomatch; v25.ub = vlsr(v24.ub,r0) }
{ v21.w += vrmpy(v20.ub,r12.b); v18.w += vrmpy(v19.ub,r12.b); v19.b = vlut32(v24.b,v17.b,r1):nomatch; v20.ub = vlsr(v26.ub,r0) }
{ v8.w += vasr(v0.w,r2); v23.b = vlut32(v23.b,v17.b,r1):nomatch; v24 = vmem(r4++#1) }
{ v9.w += vasr(v1.w,r2); v25.b = vlut32(v25.b,v17.b,r1):nomatch; v27 = vmem(r4++#1) }
{ v21.w += vrmpy(v22.ub,r13.b); v18.w += vrmpy(v23.ub,r13.b); v22.b = vlut32(v26.b,v17.b,r1):nomatch; v23 = vmem(r5++#1) }
{ v21.w += vrmpy(v19.ub,r14.b); v18.w += vrmpy(v25.ub,r14.b); v19.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v24.ub,r0) }
{ v24.b = vlut32(v24.b,v17.b,r1):nomatch; v25 = vmem(r4++#1) }
{ v21.w += vrmpy(v22.ub,r15.b); v18.w += vrmpy(v19.ub,r15.b); v19.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v27.ub,r0) }
{ v22.b = vlut32(v27.b,v17.b,r1):nomatch; v25.h = vmpy(v25.h,r16.h):<<1:rnd:sat; v26 = vmem(r5++#1) }
{ v21.w += vrmpy(v24.ub,r18.b); v18.w += vrmpy(v19.ub,r18.b); v19.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v23.ub,r0) }
{ v24.b = vlut32(v23.b,v17.b,r1):nomatch; v23 = v16; v27.ub = vlsr(v26.ub,r0); v28 = vmem(r5++#1) }
{ v21.w += vrmpy(v22.ub,r19.b); v18.w += vrmpy(v19.ub,r19.b); v19.b = vlut32(v20.b,v17.b,r1):nomatch; v20 = vmem(r5++#1) }
{ v22 = v16; v26.b = vlut32(v26.b,v17.b,r1):nomatch; v29.ub = vlsr(v28.ub,r0); v31 = vmem(r5++#1) }
{ v19.h = vasr(v18.w,v21.w,r0); v23.w += vrmpy(v24.ub,r10.b); v22.w += vrmpy(v19.ub,r10.b); v18.b = vlut32(v27.b,v17.b,r1):nomatch }
{ v21.h = vsub(v19.h,v30.h); v19.b = vlut32(v29.b,v17.b,r1):nomatch; v24.ub = vlsr(v20.ub,r0); v27 = vmem(r5++#1) }
{ v23.w += vrmpy(v26.ub,r11.b); v22.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch; v26.ub = vlsr(v31.ub,r0) }
{ v3:2.w += vmpy(v21.h,v25.h); v20.b = vlut32(v20.b,v17.b,r1):nomatch; v21.ub = vlsr(v27.ub,r0) }
{ v23.w += vrmpy(v18.ub,r12.b); v22.w += vrmpy(v19.ub,r12.b); v18.b = vlut32(v31.b,v17.b,r1):nomatch; v19 = vmem(r5++#1) }
{ v10.w += vasr(v2.w,r2); v25.b = vlut32(v26.b,v17.b,r1):nomatch; v26 = vmem(r5++#1) }
{ v11.w += vasr(v3.w,r2); v24.b = vlut32(v24.b,v17.b,r1):nomatch; v28 = vmem(r5++#1) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v29 = vmem(r6++#1) }
{ v23.w += vrmpy(v20.ub,r13.b); v22.w += vrmpy(v24.ub,r13.b); v20.ub = vlsr(v19.ub,r0); v19.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v23.w += vrmpy(v18.ub,r14.b); v22.w += vrmpy(v25.ub,r14.b); v18.b = vlut32(v27.b,v17.b,r1):nomatch; v24.ub = vlsr(v26.ub,r0) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v25.h = vmpy(v28.h,r16.h):<<1:rnd:sat; v27.ub = vlsr(v29.ub,r0) }
{ v23.w += vrmpy(v18.ub,r15.b); v22.w += vrmpy(v21.ub,r15.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v23.w += vrmpy(v19.ub,r18.b); v22.w += vrmpy(v20.ub,r18.b); v19.b = vlut32(v26.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v27.b,v17.b,r1):nomatch; v26 = v16; v24.ub = vlsr(v21.ub,r0); v27 = vmem(r6++#1) }
{ v23.w += vrmpy(v19.ub,r19.b); v22.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v29.b,v17.b,r1):nomatch; v19 = vmem(r6++#1) }
{ v28 = v16; v21.b = vlut32(v21.b,v17.b,r1):nomatch; v29.ub = vlsr(v27.ub,r0); v31 = vmem(r6++#1) }
{ v20.h = vasr(v22.w,v23.w,r0); v28.w += vrmpy(v18.ub,r10.b); v26.w += vrmpy(v20.ub,r10.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch }
{ v22.h = vsub(v20.h,v30.h); v20.b = vlut32(v27.b,v17.b,r1):nomatch; v23 = vmem(r6++#1) }
{ v28.w += vrmpy(v21.ub,r11.b); v26.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v29.b,v17.b,r1):nomatch; v21.ub = vlsr(v19.ub,r0) }
{ v5:4.w += vmpy(v22.h,v25.h); v19.b = vlut32(v19.b,v17.b,r1):nomatch; v22.ub = vlsr(v31.ub,r0) }
{ v28.w += vrmpy(v20.ub,r12.b); v26.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v20.ub = vlsr(v23.ub,r0) }
{ v13.w += vasr(v5.w,r2); v21.b = vlut32(v31.b,v17.b,r1):nomatch; v24 = vmem(r6++#1) }
{ v12.w += vasr(v4.w,r2); v28.w += vrmpy(v19.ub,r13.b); v26.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch }
{ v19.b = vlut32(v23.b,v17.b,r1):nomatch; v22.ub = vlsr(v24.ub,r0); v23 = vmem(r6++#1) }
{ v28.w += vrmpy(v21.ub,r14.b); v26.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v25.b = vlut32(v22.b,v17.b,r1):nomatch; v20.ub = vlsr(v23.ub,r0) }
{ v28.w += vrmpy(v19.ub,r15.b); v26.w += vrmpy(v18.ub,r15.b); v24.b = vlut32(v24.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }:endloop0
{ v27.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v29.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v31.h = vmpy(v21.h,r16.h):<<1:rnd:sat }
{ v28.w += vrmpy(v24.ub,r18.b); v26.w += vrmpy(v25.ub,r18.b) }
{ v28.w += vrmpy(v29.ub,r19.b); v26.w += vrmpy(v27.ub,r19.b) }
{ v26.h = vasr(v26.w,v28.w,r0) }
{ v27.h = vsub(v26.h,v30.h) }
{ v7:6.w += vmpy(v27.h,v31.h) }
{ v15.w += vasr(v7.w,r2) }
{ v14.w += vasr(v6.w,r2) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ vmem(r28+#2) = v10; r21:20 = memd(r29+#16) }
{ vmem(r28+#3) = v11; r23:22 = memd(r29+#24) }
{ vmem(r28+#4) = v12; r25:24 = memd(r29+#32) }
{ vmem(r28+#5) = v13; r27:26 = memd(r29+#40) }
{ vmem(r28+#6) = v14 }
{ vmem(r28+#7) = v15 }
{ dealloc_return }
.size hvx_sum_iq4_tiles, .-hvx_sum_iq4_tiles

// 65 packets (64 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_iq4_tile
.hidden hvx_sum_iq4_tile
.type hvx_sum_iq4_tile,@function
hvx_sum_iq4_tile:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); r0 = ##4 }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##8 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_iq4_tile,r30); r27 = memw(r28+#60); v8 = vmem(r31+#0) }
{ v9 = vmem(r31+#1); memw(r29+#48) = r31; r1 = ##0 }
{ r3 = memw(r28+#0); r4 = memw(r28+#16) }
{ v17 = vmem(r27+#0); r5 = memw(r28+#32) }
{ r2 = memw(r28+#52) }
{ v18 = vmem(r3++#1) }
{ r7:6 = memd(r4++#8); v19 = v16; v20 = vmem(r3++#1) }
{ v22.ub = vlsr(v18.ub,r0); v21.b = vlut32(v18.b,v17.b,r1):nomatch; v18 = v16 }
{ v23.ub = vlsr(v20.ub,r0); v20.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v24 = vmem(r3++#1) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v25 = vmem(r3++#1) }
{ v19.w += vrmpy(v21.ub,r6.b); v18.w += vrmpy(v22.ub,r6.b); v22.ub = vlsr(v24.ub,r0); v21.b = vlut32(v24.b,v17.b,r1):nomatch }
{ v19.w += vrmpy(v20.ub,r7.b); v18.w += vrmpy(v23.ub,r7.b); v23.ub = vlsr(v25.ub,r0); v20.b = vlut32(v25.b,v17.b,r1):nomatch }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; r7:6 = memd(r4++#8); v24 = vmem(r3++#1) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; r9:8 = memd(r4++#8); v25 = vmem(r3++#1) }
{ v19.w += vrmpy(v21.ub,r6.b); v18.w += vrmpy(v22.ub,r6.b); v22.ub = vlsr(v24.ub,r0); v21.b = vlut32(v24.b,v17.b,r1):nomatch }
{ v19.w += vrmpy(v20.ub,r7.b); v18.w += vrmpy(v23.ub,r7.b); v20.ub = vlsr(v25.ub,r0); v23 = vmem(r3++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v24 = vmem(r3++#1); r7:6 = memd(r5++#8) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v26.ub = vlsr(v23.ub,r0); r11:10 = memd(r4++#8) }
{ v19.w += vrmpy(v21.ub,r8.b); v18.w += vrmpy(v22.ub,r8.b); v21.b = vlut32(v25.b,v17.b,r1):nomatch; v22.ub = vlsr(v24.ub,r0) }
{ v25.b = vlut32(v26.b,v17.b,r1):nomatch; v26 = vmem(r3++#1); v27 = vsplat(r7) }
{ v19.w += vrmpy(v21.ub,r9.b); v18.w += vrmpy(v20.ub,r9.b); v20.b = vlut32(v23.b,v17.b,r1):nomatch; v21 = vmem(r3++#1) }
{ v24.b = vlut32(v24.b,v17.b,r1):nomatch; v26.h = vmpy(v26.h,r6.h):<<1:rnd:sat; v23 = v16 }
{ v19.w += vrmpy(v20.ub,r10.b); v18.w += vrmpy(v25.ub,r10.b); v20.b = vlut32(v22.b,v17.b,r1):nomatch; v22.ub = vlsr(v21.ub,r0) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; r7:6 = memd(r4++#8); v25 = vmem(r3++#1) }
{ v19.w += vrmpy(v24.ub,r11.b); v18.w += vrmpy(v20.ub,r11.b); v20.b = vlut32(v22.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v24 = v16; v28.ub = vlsr(v25.ub,r0); v25.b = vlut32(v25.b,v17.b,r1):nomatch; v29 = vmem(r3++#1) }
{ v19.h = vasr(v18.w,v19.w,r0); v24.w += vrmpy(v21.ub,r6.b); v23.w += vrmpy(v20.ub,r6.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch }
{ v20.h = vsub(v19.h,v27.h); v19.b = vlut32(v28.b,v17.b,r1):nomatch; v21 = vmem(r3++#1) }
{ v27.ub = vlsr(v22.ub,r0); r9:8 = memd(r4++#8); v22.b = vlut32(v29.b,v17.b,r1):nomatch; v28 = vmem(r3++#1) }
{ v1:0.w = vmpy(v20.h,v26.h); v26.ub = vlsr(v29.ub,r0); v20.b = vlut32(v21.b,v17.b,r1):nomatch; r11:10 = memd(r4++#8) }
{ v24.w += vrmpy(v25.ub,r7.b); v23.w += vrmpy(v19.ub,r7.b); v19.b = vlut32(v27.b,v17.b,r1):nomatch; v21.ub = vlsr(v21.ub,r0) }
{ v25.b = vlut32(v26.b,v17.b,r1):nomatch; v26 = vmem(r3++#1); r7:6 = memd(r4++#8) }
{ v24.w += vrmpy(v18.ub,r8.b); v23.w += vrmpy(v19.ub,r8.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v19.ub = vlsr(v28.ub,r0) }
{ v24.w += vrmpy(v22.ub,r9.b); v23.w += vrmpy(v25.ub,r9.b); v21.b = vlut32(v28.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v24.w += vrmpy(v20.ub,r10.b); v23.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19.ub = vlsr(v26.ub,r0) }
{ v20.b = vlut32(v26.b,v17.b,r1):nomatch; v25.ub = vlsr(v22.ub,r0); v26 = vmem(r3++#1); r9:8 = memd(r5++#8) }
{ v24.w += vrmpy(v21.ub,r11.b); v23.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19 = vmem(r3++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v26.h = vmpy(v26.h,r8.h):<<1:rnd:sat; v21 = v16 }
{ v24.w += vrmpy(v20.ub,r6.b); v23.w += vrmpy(v18.ub,r6.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v20.ub = vlsr(v19.ub,r0) }
{ v27 = vsplat(r9); v19.b = vlut32(v19.b,v17.b,r1):nomatch; r9:8 = memd(r4++#8); v25 = vmem(r3++#1) }
{ v24.w += vrmpy(v22.ub,r7.b); v23.w += vrmpy(v18.ub,r7.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20 = vmem(r3++#1) }
{ v22 = v16; v28.ub = vlsr(v25.ub,r0); v25.b = vlut32(v25.b,v17.b,r1):nomatch; v29 = vmem(r3++#1) }
{ v19.h = vasr(v23.w,v24.w,r0); v21.w += vrmpy(v19.ub,r8.b); v22.w += vrmpy(v18.ub,r8.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v23.h = vsub(v19.h,v27.h); v19.b = vlut32(v28.b,v17.b,r1):nomatch; v24 = vmem(r3++#1) }
{ v27.ub = vlsr(v20.ub,r0); r7:6 = memd(r4++#8); v20.b = vlut32(v29.b,v17.b,r1):nomatch; v28 = vmem(r3++#1) }
{ v1:0.w += vmpy(v23.h,v26.h); v26.ub = vlsr(v29.ub,r0); v23.b = vlut32(v24.b,v17.b,r1):nomatch; r11:10 = memd(r4++#8) }
{ v21.w += vrmpy(v25.ub,r9.b); v22.w += vrmpy(v19.ub,r9.b); v19.b = vlut32(v27.b,v17.b,r1):nomatch; v24.ub = vlsr(v24.ub,r0) }
{ v25.b = vlut32(v26.b,v17.b,r1):nomatch; v26.ub = vlsr(v28.ub,r0); r9:8 = memd(r4++#8) }
{ v21.w += vrmpy(v18.ub,r6.b); v22.w += vrmpy(v19.ub,r6.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v19 = vmem(r3++#1) }
{ v21.w += vrmpy(v20.ub,r7.b); v22.w += vrmpy(v25.ub,r7.b); v20.b = vlut32(v26.b,v17.b,r1):nomatch; v24 = vmem(r3++#1) }
{ v21.w += vrmpy(v23.ub,r10.b); v22.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch; v23.ub = vlsr(v19.ub,r0) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v25.ub = vlsr(v24.ub,r0); v26 = vmem(r3++#1); r7:6 = memd(r5++#8) }
{ v21.w += vrmpy(v18.ub,r11.b); v22.w += vrmpy(v20.ub,r11.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v20 = vmem(r3++#1) }
{ v23.b = vlut32(v24.b,v17.b,r1):nomatch; v24.h = vmpy(v26.h,r6.h):<<1:rnd:sat; r11:10 = memd(r4++#8) }
{ v21.w += vrmpy(v19.ub,r8.b); v22.w += vrmpy(v18.ub,r8.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v19.ub = vlsr(v20.ub,r0) }
{ v27 = vsplat(r7); v20.b = vlut32(v20.b,v17.b,r1):nomatch; v26 = v16; v25 = vmem(r3++#1) }
{ v21.w += vrmpy(v23.ub,r9.b); v22.w += vrmpy(v18.ub,r9.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19 = vmem(r3++#1) }
{ v28 = v16; v25.ub = vlsr(v25.ub,r0); v23.b = vlut32(v25.b,v17.b,r1):nomatch; v29 = vmem(r3++#1) }
{ v20.h = vasr(v22.w,v21.w,r0); v26.w += vrmpy(v20.ub,r10.b); v28.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v20.h = vsub(v20.h,v27.h); v21.ub = vlsr(v19.ub,r0); v19.b = vlut32(v29.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v25.b = vlut32(v25.b,v17.b,r1):nomatch; r7:6 = memd(r4++#8); v27.ub = vlsr(v29.ub,r0) }
{ v1:0.w += vmpy(v20.h,v24.h); v20.b = vlut32(v21.b,v17.b,r1):nomatch; v21.ub = vlsr(v22.ub,r0); r9:8 = memd(r4++#8) }
{ v26.w += vrmpy(v23.ub,r11.b); v28.w += vrmpy(v25.ub,r11.b); v23.b = vlut32(v27.b,v17.b,r1):nomatch; v24 = vmem(r3++#1) }
{ v26.w += vrmpy(v18.ub,r6.b); v28.w += vrmpy(v20.ub,r6.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v20 = vmem(r3++#1) }
{ v26.w += vrmpy(v19.ub,r7.b); v28.w += vrmpy(v23.ub,r7.b); v19.b = vlut32(v21.b,v17.b,r1):nomatch; v21.ub = vlsr(v24.ub,r0) }
{ v22.b = vlut32(v24.b,v17.b,r1):nomatch; v23.ub = vlsr(v20.ub,r0); r11:10 = memd(r4++#8) }
{ v26.w += vrmpy(v18.ub,r8.b); v28.w += vrmpy(v19.ub,r8.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v19 = vmem(r3++#1) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v25 = vmem(r3++#1); r13:12 = memd(r5++#8) }
{ v26.w += vrmpy(v22.ub,r9.b); v28.w += vrmpy(v18.ub,r9.b); v24.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v19.ub,r0) }
.Lhvx_sum_iq4_tile:
{ v18 = vmem(r3++#1); v27.b = vlut32(v19.b,v17.b,r1):nomatch }
{ r7:6 = memd(r4++#8); v19 = v16; v20 = vmem(r3++#1); v29.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v22.ub = vlsr(v18.ub,r0); v21.b = vlut32(v18.b,v17.b,r1):nomatch; v18 = v16; v30 = vsplat(r13) }
{ v23.ub = vlsr(v20.ub,r0); v20.b = vlut32(v20.b,v17.b,r1):nomatch; v26.w += vrmpy(v24.ub,r10.b); v28.w += vrmpy(v23.ub,r10.b) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v24 = vmem(r3++#1); v26.w += vrmpy(v27.ub,r11.b); v28.w += vrmpy(v29.ub,r11.b) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v25 = vmem(r3++#1); v27.h = vmpy(v25.h,r12.h):<<1:rnd:sat }
{ v19.w += vrmpy(v21.ub,r6.b); v18.w += vrmpy(v22.ub,r6.b); v22.ub = vlsr(v24.ub,r0); v21.b = vlut32(v24.b,v17.b,r1):nomatch }
{ v19.w += vrmpy(v20.ub,r7.b); v18.w += vrmpy(v23.ub,r7.b); v23.ub = vlsr(v25.ub,r0); v20.b = vlut32(v25.b,v17.b,r1):nomatch }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; r7:6 = memd(r4++#8); v24 = vmem(r3++#1); v25.h = vasr(v28.w,v26.w,r0) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; r9:8 = memd(r4++#8); v25 = vmem(r3++#1); v26.h = vsub(v25.h,v30.h) }
{ v19.w += vrmpy(v21.ub,r6.b); v18.w += vrmpy(v22.ub,r6.b); v22.ub = vlsr(v24.ub,r0); v21.b = vlut32(v24.b,v17.b,r1):nomatch }
{ v19.w += vrmpy(v20.ub,r7.b); v18.w += vrmpy(v23.ub,r7.b); v20.ub = vlsr(v25.ub,r0); v23 = vmem(r3++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v24 = vmem(r3++#1); r7:6 = memd(r5++#8) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v26.ub = vlsr(v23.ub,r0); r11:10 = memd(r4++#8); v1:0.w += vmpy(v26.h,v27.h) }
{ v19.w += vrmpy(v21.ub,r8.b); v18.w += vrmpy(v22.ub,r8.b); v21.b = vlut32(v25.b,v17.b,r1):nomatch; v22.ub = vlsr(v24.ub,r0) }
{ v25.b = vlut32(v26.b,v17.b,r1):nomatch; v26 = vmem(r3++#1); v27 = vsplat(r7); v8.w += vasr(v0.w,r2) }
{ v19.w += vrmpy(v21.ub,r9.b); v18.w += vrmpy(v20.ub,r9.b); v20.b = vlut32(v23.b,v17.b,r1):nomatch; v21 = vmem(r3++#1) }
{ v24.b = vlut32(v24.b,v17.b,r1):nomatch; v26.h = vmpy(v26.h,r6.h):<<1:rnd:sat; v23 = v16 }
{ v19.w += vrmpy(v20.ub,r10.b); v18.w += vrmpy(v25.ub,r10.b); v20.b = vlut32(v22.b,v17.b,r1):nomatch; v22.ub = vlsr(v21.ub,r0) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; r7:6 = memd(r4++#8); v25 = vmem(r3++#1); v9.w += vasr(v1.w,r2) }
{ v19.w += vrmpy(v24.ub,r11.b); v18.w += vrmpy(v20.ub,r11.b); v20.b = vlut32(v22.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v24 = v16; v28.ub = vlsr(v25.ub,r0); v25.b = vlut32(v25.b,v17.b,r1):nomatch; v29 = vmem(r3++#1) }
{ v19.h = vasr(v18.w,v19.w,r0); v24.w += vrmpy(v21.ub,r6.b); v23.w += vrmpy(v20.ub,r6.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch }
{ v20.h = vsub(v19.h,v27.h); v19.b = vlut32(v28.b,v17.b,r1):nomatch; v21 = vmem(r3++#1) }
{ v27.ub = vlsr(v22.ub,r0); r9:8 = memd(r4++#8); v22.b = vlut32(v29.b,v17.b,r1):nomatch; v28 = vmem(r3++#1) }
{ v1:0.w = vmpy(v20.h,v26.h); v26.ub = vlsr(v29.ub,r0); v20.b = vlut32(v21.b,v17.b,r1):nomatch; r11:10 = memd(r4++#8) }
{ v24.w += vrmpy(v25.ub,r7.b); v23.w += vrmpy(v19.ub,r7.b); v19.b = vlut32(v27.b,v17.b,r1):nomatch; v21.ub = vlsr(v21.ub,r0) }
{ v25.b = vlut32(v26.b,v17.b,r1):nomatch; v26 = vmem(r3++#1); r7:6 = memd(r4++#8) }
{ v24.w += vrmpy(v18.ub,r8.b); v23.w += vrmpy(v19.ub,r8.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v19.ub = vlsr(v28.ub,r0) }
{ v24.w += vrmpy(v22.ub,r9.b); v23.w += vrmpy(v25.ub,r9.b); v21.b = vlut32(v28.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v24.w += vrmpy(v20.ub,r10.b); v23.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19.ub = vlsr(v26.ub,r0) }
{ v20.b = vlut32(v26.b,v17.b,r1):nomatch; v25.ub = vlsr(v22.ub,r0); v26 = vmem(r3++#1); r9:8 = memd(r5++#8) }
{ v24.w += vrmpy(v21.ub,r11.b); v23.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19 = vmem(r3++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v26.h = vmpy(v26.h,r8.h):<<1:rnd:sat; v21 = v16 }
{ v24.w += vrmpy(v20.ub,r6.b); v23.w += vrmpy(v18.ub,r6.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v20.ub = vlsr(v19.ub,r0) }
{ v27 = vsplat(r9); v19.b = vlut32(v19.b,v17.b,r1):nomatch; r9:8 = memd(r4++#8); v25 = vmem(r3++#1) }
{ v24.w += vrmpy(v22.ub,r7.b); v23.w += vrmpy(v18.ub,r7.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20 = vmem(r3++#1) }
{ v22 = v16; v28.ub = vlsr(v25.ub,r0); v25.b = vlut32(v25.b,v17.b,r1):nomatch; v29 = vmem(r3++#1) }
{ v19.h = vasr(v23.w,v24.w,r0); v21.w += vrmpy(v19.ub,r8.b); v22.w += vrmpy(v18.ub,r8.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v23.h = vsub(v19.h,v27.h); v19.b = vlut32(v28.b,v17.b,r1):nomatch; v24 = vmem(r3++#1) }
{ v27.ub = vlsr(v20.ub,r0); r7:6 = memd(r4++#8); v20.b = vlut32(v29.b,v17.b,r1):nomatch; v28 = vmem(r3++#1) }
{ v1:0.w += vmpy(v23.h,v26.h); v26.ub = vlsr(v29.ub,r0); v23.b = vlut32(v24.b,v17.b,r1):nomatch; r11:10 = memd(r4++#8) }
{ v21.w += vrmpy(v25.ub,r9.b); v22.w += vrmpy(v19.ub,r9.b); v19.b = vlut32(v27.b,v17.b,r1):nomatch; v24.ub = vlsr(v24.ub,r0) }
{ v25.b = vlut32(v26.b,v17.b,r1):nomatch; v26.ub = vlsr(v28.ub,r0); r9:8 = memd(r4++#8) }
{ v21.w += vrmpy(v18.ub,r6.b); v22.w += vrmpy(v19.ub,r6.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v19 = vmem(r3++#1) }
{ v21.w += vrmpy(v20.ub,r7.b); v22.w += vrmpy(v25.ub,r7.b); v20.b = vlut32(v26.b,v17.b,r1):nomatch; v24 = vmem(r3++#1) }
{ v21.w += vrmpy(v23.ub,r10.b); v22.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch; v23.ub = vlsr(v19.ub,r0) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v25.ub = vlsr(v24.ub,r0); v26 = vmem(r3++#1); r7:6 = memd(r5++#8) }
{ v21.w += vrmpy(v18.ub,r11.b); v22.w += vrmpy(v20.ub,r11.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v20 = vmem(r3++#1) }
{ v23.b = vlut32(v24.b,v17.b,r1):nomatch; v24.h = vmpy(v26.h,r6.h):<<1:rnd:sat; r11:10 = memd(r4++#8) }
{ v21.w += vrmpy(v19.ub,r8.b); v22.w += vrmpy(v18.ub,r8.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v19.ub = vlsr(v20.ub,r0) }
{ v27 = vsplat(r7); v20.b = vlut32(v20.b,v17.b,r1):nomatch; v26 = v16; v25 = vmem(r3++#1) }
{ v21.w += vrmpy(v23.ub,r9.b); v22.w += vrmpy(v18.ub,r9.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19 = vmem(r3++#1) }
{ v28 = v16; v25.ub = vlsr(v25.ub,r0); v23.b = vlut32(v25.b,v17.b,r1):nomatch; v29 = vmem(r3++#1) }
{ v20.h = vasr(v22.w,v21.w,r0); v26.w += vrmpy(v20.ub,r10.b); v28.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v20.h = vsub(v20.h,v27.h); v21.ub = vlsr(v19.ub,r0); v19.b = vlut32(v29.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v25.b = vlut32(v25.b,v17.b,r1):nomatch; r7:6 = memd(r4++#8); v27.ub = vlsr(v29.ub,r0) }
{ v1:0.w += vmpy(v20.h,v24.h); v20.b = vlut32(v21.b,v17.b,r1):nomatch; v21.ub = vlsr(v22.ub,r0); r9:8 = memd(r4++#8) }
{ v26.w += vrmpy(v23.ub,r11.b); v28.w += vrmpy(v25.ub,r11.b); v23.b = vlut32(v27.b,v17.b,r1):nomatch; v24 = vmem(r3++#1) }
{ v26.w += vrmpy(v18.ub,r6.b); v28.w += vrmpy(v20.ub,r6.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v20 = vmem(r3++#1) }
{ v26.w += vrmpy(v19.ub,r7.b); v28.w += vrmpy(v23.ub,r7.b); v19.b = vlut32(v21.b,v17.b,r1):nomatch; v21.ub = vlsr(v24.ub,r0) }
{ v22.b = vlut32(v24.b,v17.b,r1):nomatch; v23.ub = vlsr(v20.ub,r0); r11:10 = memd(r4++#8) }
{ v26.w += vrmpy(v18.ub,r8.b); v28.w += vrmpy(v19.ub,r8.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v19 = vmem(r3++#1) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v25 = vmem(r3++#1); r13:12 = memd(r5++#8) }
{ v26.w += vrmpy(v22.ub,r9.b); v28.w += vrmpy(v18.ub,r9.b); v24.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v19.ub,r0) }:endloop0
{ v27.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v29.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v30 = vsplat(r13) }
{ v26.w += vrmpy(v24.ub,r10.b); v28.w += vrmpy(v23.ub,r10.b) }
{ v26.w += vrmpy(v27.ub,r11.b); v28.w += vrmpy(v29.ub,r11.b) }
{ v27.h = vmpy(v25.h,r12.h):<<1:rnd:sat }
{ v25.h = vasr(v28.w,v26.w,r0) }
{ v26.h = vsub(v25.h,v30.h) }
{ v1:0.w += vmpy(v26.h,v27.h) }
{ v8.w += vasr(v0.w,r2) }
{ v9.w += vasr(v1.w,r2) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16) }
{ r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32) }
{ r27:26 = memd(r29+#40) }
{ dealloc_return }
.size hvx_sum_iq4_tile, .-hvx_sum_iq4_tile

// 257 packets (256 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_mxfp4_tiles
.hidden hvx_sum_mxfp4_tiles
.type hvx_sum_mxfp4_tiles,@function
hvx_sum_mxfp4_tiles:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); r0 = ##4 }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##8 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_mxfp4_tiles,r30); r27 = memw(r28+#60); v8 = vmem(r31+#0) }
{ v9 = vmem(r31+#1); memw(r29+#48) = r31; r1 = ##0 }
{ v10 = vmem(r31+#2); r3 = memw(r28+#0) }
{ v17 = vmem(r27+#0); r4 = memw(r28+#4) }
{ v11 = vmem(r31+#3); r5 = memw(r28+#8) }
{ v12 = vmem(r31+#4); r6 = memw(r28+#12) }
{ v13 = vmem(r31+#5); r7 = memw(r28+#16) }
{ v14 = vmem(r31+#6); r8 = memw(r28+#32) }
{ v15 = vmem(r31+#7); r2 = memw(r28+#52) }
{ v18 = vmem(r3++#1) }
{ v19 = vmem(r3++#1) }
{ v20.ub = vlsr(v18.ub,r0); v18.b = vlut32(v18.b,v17.b,r1):nomatch }
{ r11:10 = memd(r7++#8); v21.ub = vlsr(v19.ub,r0); v19.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v24 = v16; v21 = v16; v23.b = vlut32(v21.b,v17.b,r1):nomatch; v25 = vmem(r3++#1) }
{ v24.w += vrmpy(v18.ub,r10.b); v21.w += vrmpy(v20.ub,r10.b); v20.ub = vlsr(v22.ub,r0); v18.b = vlut32(v22.b,v17.b,r1):nomatch }
{ v24.w += vrmpy(v19.ub,r11.b); v21.w += vrmpy(v23.ub,r11.b); v22.ub = vlsr(v25.ub,r0); v19.b = vlut32(v25.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; r13:12 = memd(r7++#8); v23 = vmem(r3++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v25 = vmem(r3++#1) }
{ v24.w += vrmpy(v18.ub,r12.b); v21.w += vrmpy(v20.ub,r12.b); v20.ub = vlsr(v23.ub,r0); v18.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v24.w += vrmpy(v19.ub,r13.b); v21.w += vrmpy(v22.ub,r13.b); v19.ub = vlsr(v25.ub,r0); v22 = vmem(r3++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; r15:14 = memd(r7++#8); v23 = vmem(r3++#1) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v26 = vmem(r4++#1) }
{ v24.w += vrmpy(v18.ub,r14.b); v21.w += vrmpy(v20.ub,r14.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v20.ub = vlsr(v22.ub,r0) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v25 = vmem(r3++#1); r17:16 = memd(r8++#8) }
{ v24.w += vrmpy(v18.ub,r15.b); v21.w += vrmpy(v19.ub,r15.b); v19.ub = vlsr(v23.ub,r0); v18.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; r19:18 = memd(r7++#8); v23.h = vmpy(v25.h,r16.h):<<1:rnd:sat; v25.ub = vlsr(v26.ub,r0) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v27 = v16; v28 = vmem(r4++#1) }
{ v24.w += vrmpy(v22.ub,r18.b); v21.w += vrmpy(v20.ub,r18.b); v20.b = vlut32(v26.b,v17.b,r1):nomatch; v22 = vmem(r4++#1) }
{ v24.w += vrmpy(v18.ub,r19.b); v21.w += vrmpy(v19.ub,r19.b); v19.ub = vlsr(v28.ub,r0); v18.b = vlut32(v28.b,v17.b,r1):nomatch }
{ v26.b = vlut32(v25.b,v17.b,r1):nomatch; v25 = v16; v28.ub = vlsr(v22.ub,r0); v29 = vmem(r4++#1) }
{ v30 = vsplat(r17); v21.h = vasr(v21.w,v24.w,r0); v19.b = vlut32(v19.b,v17.b,r1):nomatch; v24 = vmem(r4++#1) }
{ v21.h = vsub(v21.h,v30.h); v27.w += vrmpy(v20.ub,r10.b); v25.w += vrmpy(v26.ub,r10.b); v20.b = vlut32(v22.b,v17.b,r1):nomatch }
{ v27.w += vrmpy(v18.ub,r11.b); v25.w += vrmpy(v19.ub,r11.b); v19.ub = vlsr(v29.ub,r0); v18.b = vlut32(v29.b,v17.b,r1):nomatch }
{ v1:0.w = vmpy(v21.h,v23.h); v21.b = vlut32(v28.b,v17.b,r1):nomatch; v22 = vmem(r4++#1) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v23.ub = vlsr(v24.ub,r0); v26 = vmem(r4++#1) }
{ v27.w += vrmpy(v20.ub,r12.b); v25.w += vrmpy(v21.ub,r12.b); v20.b = vlut32(v24.b,v17.b,r1):nomatch; v21.ub = vlsr(v22.ub,r0) }
{ v27.w += vrmpy(v18.ub,r13.b); v25.w += vrmpy(v19.ub,r13.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v19.ub = vlsr(v26.ub,r0) }
{ v22.b = vlut32(v23.b,v17.b,r1):nomatch; v23 = vmem(r4++#1) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v24 = vmem(r4++#1) }
{ v27.w += vrmpy(v20.ub,r14.b); v25.w += vrmpy(v22.ub,r14.b); v19.b = vlut32(v19.b,v17.b,r1):nomatch; v20 = vmem(r5++#1) }
{ v27.w += vrmpy(v18.ub,r15.b); v25.w += vrmpy(v21.ub,r15.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v21.ub = vlsr(v23.ub,r0) }
{ v22.b = vlut32(v23.b,v17.b,r1):nomatch; v23.h = vmpy(v24.h,r16.h):<<1:rnd:sat; v24 = vmem(r5++#1) }
{ v27.w += vrmpy(v18.ub,r18.b); v25.w += vrmpy(v19.ub,r18.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v19.ub = vlsr(v20.ub,r0) }
{ v21.b = vlut32(v20.b,v17.b,r1):nomatch; v20 = v16; v26 = vmem(r5++#1) }
{ v27.w += vrmpy(v22.ub,r19.b); v25.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19.ub = vlsr(v24.ub,r0) }
{ v22 = v16; v24.b = vlut32(v24.b,v17.b,r1):nomatch; v28.ub = vlsr(v26.ub,r0); v29 = vmem(r5++#1) }
{ v19.h = vasr(v25.w,v27.w,r0); v20.w += vrmpy(v21.ub,r10.b); v22.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v21.h = vsub(v19.h,v30.h); v19.b = vlut32(v26.b,v17.b,r1):nomatch; v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v24.ub,r11.b); v22.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch; v24.ub = vlsr(v29.ub,r0) }
{ v3:2.w = vmpy(v21.h,v23.h); v21.b = vlut32(v29.b,v17.b,r1):nomatch; v23 = vmem(r5++#1) }
{ v20.w += vrmpy(v19.ub,r12.b); v22.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v19.ub = vlsr(v25.ub,r0) }
{ v24.b = vlut32(v25.b,v17.b,r1):nomatch; v25.ub = vlsr(v23.ub,r0); v26 = vmem(r5++#1) }
{ v20.w += vrmpy(v21.ub,r13.b); v22.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19 = vmem(r5++#1) }
{ v21.b = vlut32(v23.b,v17.b,r1):nomatch; v23 = vmem(r6++#1) }
{ v20.w += vrmpy(v24.ub,r14.b); v22.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v24.ub = vlsr(v26.ub,r0) }
{ v25.b = vlut32(v26.b,v17.b,r1):nomatch; v26 = vmem(r5++#1) }
{ v20.w += vrmpy(v21.ub,r15.b); v22.w += vrmpy(v18.ub,r15.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v21.ub = vlsr(v19.ub,r0) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v24.h = vmpy(v26.h,r16.h):<<1:rnd:sat; v26.ub = vlsr(v23.ub,r0) }
{ v20.w += vrmpy(v25.ub,r18.b); v22.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v25.b = vlut32(v26.b,v17.b,r1):nomatch; v26 = v16; v27 = vmem(r6++#1) }
{ v20.w += vrmpy(v19.ub,r19.b); v22.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v19.ub = vlsr(v21.ub,r0) }
{ v21 = v16; v23.b = vlut32(v21.b,v17.b,r1):nomatch; v28.ub = vlsr(v27.ub,r0); v29 = vmem(r6++#1) }
{ v19.h = vasr(v22.w,v20.w,r0); v26.w += vrmpy(v18.ub,r10.b); v21.w += vrmpy(v25.ub,r10.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v20.h = vsub(v19.h,v30.h); v19.b = vlut32(v27.b,v17.b,r1):nomatch; v22.ub = vlsr(v29.ub,r0); v25 = vmem(r6++#1) }
{ v26.w += vrmpy(v23.ub,r11.b); v21.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch; v23 = vmem(r6++#1) }
{ v5:4.w = vmpy(v20.h,v24.h); v20.b = vlut32(v29.b,v17.b,r1):nomatch; v24.ub = vlsr(v25.ub,r0) }
{ v26.w += vrmpy(v19.ub,r12.b); v21.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v19 = vmem(r6++#1) }
{ v22.b = vlut32(v24.b,v17.b,r1):nomatch; v24 = vmem(r6++#1) }
{ v26.w += vrmpy(v20.ub,r13.b); v21.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v20.ub = vlsr(v19.ub,r0) }
{ v25.b = vlut32(v23.b,v17.b,r1):nomatch; v27 = vmem(r6++#1) }
{ v26.w += vrmpy(v18.ub,r14.b); v21.w += vrmpy(v22.ub,r14.b); v20.ub = vlsr(v23.ub,r0); v18.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v22.h = vmpy(v27.h,r16.h):<<1:rnd:sat; v23 = vmem(r3++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v27.ub = vlsr(v24.ub,r0) }
{ v24.b = vlut32(v24.b,v17.b,r1):nomatch; v28.ub = vlsr(v23.ub,r0); v29 = vmem(r3++#1) }
{ v26.w += vrmpy(v25.ub,r15.b); v21.w += vrmpy(v20.ub,r15.b); v20.b = vlut32(v27.b,v17.b,r1):nomatch; v25 = vmem(r3++#1) }
{ v26.w += vrmpy(v19.ub,r18.b); v21.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v19.ub = vlsr(v29.ub,r0) }
{ v26.w += vrmpy(v24.ub,r19.b); v21.w += vrmpy(v20.ub,r19.b); v20.b = vlut32(v28.b,v17.b,r1):nomatch; r11:10 = memd(r7++#8) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v23.ub = vlsr(v25.ub,r0); v24 = vmem(r3++#1) }
{ v25.h = vasr(v21.w,v26.w,r0); v20.w = vrmpy(v18.ub,r10.b); v18.w = vrmpy(v20.ub,r10.b); v21.b = vlut32(v25.b,v17.b,r1):nomatch }
{ v26.h = vsub(v25.h,v30.h); v25.b = vlut32(v29.b,v17.b,r1):nomatch; v27 = vmem(r3++#1) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; r13:12 = memd(r7++#8); v28.ub = vlsr(v24.ub,r0); v29 = vmem(r3++#1) }
{ v7:6.w = vmpy(v26.h,v22.h); v22.b = vlut32(v24.b,v17.b,r1):nomatch; v24.ub = vlsr(v27.ub,r0); r15:14 = memd(r7++#8) }
{ v20.w += vrmpy(v25.ub,r11.b); v18.w += vrmpy(v19.ub,r11.b); v19.b = vlut32(v28.b,v17.b,r1):nomatch; v25 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v18.w += vrmpy(v23.ub,r12.b); v21.b = vlut32(v24.b,v17.b,r1):nomatch; v23 = vmem(r3++#1) }
{ v20.w += vrmpy(v22.ub,r13.b); v18.w += vrmpy(v19.ub,r13.b); v19.b = vlut32(v27.b,v17.b,r1):nomatch; v22.ub = vlsr(v29.ub,r0) }
{ v24.b = vlut32(v29.b,v17.b,r1):nomatch; v26.ub = vlsr(v25.ub,r0); v27 = vmem(r3++#1); r17:16 = memd(r8++#8) }
{ v20.w += vrmpy(v19.ub,r14.b); v18.w += vrmpy(v21.ub,r14.b); v19.b = vlut32(v25.b,v17.b,r1):nomatch; v21 = vmem(r4++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v27.ub = vlsr(v23.ub,r0); v25.h = vmpy(v27.h,r16.h):<<1:rnd:sat }
{ v26.b = vlut32(v26.b,v17.b,r1):nomatch; r19:18 = memd(r7++#8); v28.ub = vlsr(v21.ub,r0) }
{ v20.w += vrmpy(v24.ub,r15.b); v18.w += vrmpy(v22.ub,r15.b); v22.b = vlut32(v23.b,v17.b,r1):nomatch; v23 = vmem(r4++#1) }
{ v20.w += vrmpy(v19.ub,r18.b); v18.w += vrmpy(v26.ub,r18.b); v19.b = vlut32(v27.b,v17.b,r1):nomatch }
{ v24.b = vlut32(v28.b,v17.b,r1):nomatch; v26.ub = vlsr(v23.ub,r0); v27 = vmem(r4++#1) }
{ v20.w += vrmpy(v22.ub,r19.b); v18.w += vrmpy(v19.ub,r19.b); v19.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = vmem(r4++#1) }
{ v29 = vsplat(r17); v22.b = vlut32(v23.b,v17.b,r1):nomatch; v23.ub = vlsr(v27.ub,r0); v28 = vmem(r4++#1) }
{ v24.h = vasr(v18.w,v20.w,r0); v19.w = vrmpy(v19.ub,r10.b); v18.w = vrmpy(v24.ub,r10.b); v20.b = vlut32(v27.b,v17.b,r1):nomatch }
{ v26.h = vsub(v24.h,v29.h); v24.b = vlut32(v26.b,v17.b,r1):nomatch }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v27.ub = vlsr(v28.ub,r0); v30 = vmem(r4++#1) }
{ v1:0.w += vmpy(v26.h,v25.h); v25.ub = vlsr(v21.ub,r0); v21.b = vlut32(v21.b,v17.b,r1):nomatch }
{ v19.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v24.ub,r11.b); v22.b = vlut32(v27.b,v17.b,r1):nomatch; v24 = vmem(r4++#1) }
{ v19.w += vrmpy(v20.ub,r12.b); v18.w += vrmpy(v23.ub,r12.b); v20.b = vlut32(v25.b,v17.b,r1):nomatch; v23.ub = vlsr(v30.ub,r0) }
{ v25.b = vlut32(v28.b,v17.b,r1):nomatch; v26.ub = vlsr(v24.ub,r0); v27 = vmem(r4++#1) }
{ v19.w += vrmpy(v21.ub,r13.b); v18.w += vrmpy(v20.ub,r13.b); v20.b = vlut32(v30.b,v17.b,r1):nomatch; v21 = vmem(r4++#1) }
{ v19.w += vrmpy(v25.ub,r14.b); v18.w += vrmpy(v22.ub,r14.b); v22.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v21.b = vlut32(v26.b,v17.b,r1):nomatch; v25.ub = vlsr(v27.ub,r0); v23.h = vmpy(v21.h,r16.h):<<1:rnd:sat }
{ v19.w += vrmpy(v20.ub,r15.b); v18.w += vrmpy(v22.ub,r15.b); v20.b = vlut32(v24.b,v17.b,r1):nomatch; v22 = vmem(r5++#1) }
{ v24.b = vlut32(v25.b,v17.b,r1):nomatch; v25 = vmem(r5++#1) }
{ v19.w += vrmpy(v20.ub,r18.b); v18.w += vrmpy(v21.ub,r18.b); v20.b = vlut32(v27.b,v17.b,r1):nomatch; v21.ub = vlsr(v22.ub,r0) }
{ v26.ub = vlsr(v25.ub,r0); v25.b = vlut32(v25.b,v17.b,r1):nomatch; v27 = vmem(r5++#1) }
{ v19.w += vrmpy(v20.ub,r19.b); v18.w += vrmpy(v24.ub,r19.b); v20.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = vmem(r5++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v24.ub = vlsr(v27.ub,r0); v28 = vmem(r5++#1) }
{ v19.h = vasr(v18.w,v19.w,r0); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v26 = vmem(r5++#1) }
{ v27.h = vsub(v19.h,v29.h); v20.w = vrmpy(v22.ub,r10.b); v19.w = vrmpy(v20.ub,r10.b); v22.b = vlut32(v27.b,v17.b,r1):nomatch }
{ v20.w += vrmpy(v25.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v25.ub = vlsr(v28.ub,r0) }
{ v3:2.w += vmpy(v27.h,v23.h); v21.b = vlut32(v24.b,v17.b,r1):nomatch; v23.ub = vlsr(v21.ub,r0) }
{ v24.b = vlut32(v25.b,v17.b,r1):nomatch; v25.ub = vlsr(v26.ub,r0) }
{ v20.w += vrmpy(v22.ub,r12.b); v19.w += vrmpy(v21.ub,r12.b); v21.b = vlut32(v28.b,v17.b,r1):nomatch; v22 = vmem(r5++#1) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v27 = vmem(r5++#1) }
{ v25.b = vlut32(v25.b,v17.b,r1):nomatch; v28 = vmem(r6++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v23.ub,r13.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v23.ub = vlsr(v22.ub,r0) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v24.ub,r14.b); v21.b = vlut32(v22.b,v17.b,r1):nomatch; v22 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v25.ub,r15.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v23.ub = vlsr(v27.ub,r0) }
{ v22.b = vlut32(v27.b,v17.b,r1):nomatch; v24.h = vmpy(v22.h,r16.h):<<1:rnd:sat; v25 = vmem(r6++#1) }
{ v20.w += vrmpy(v21.ub,r18.b); v19.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v21.ub = vlsr(v28.ub,r0) }
{ v23.b = vlut32(v28.b,v17.b,r1):nomatch; v26.ub = vlsr(v25.ub,r0); v27 = vmem(r6++#1) }
{ v20.w += vrmpy(v22.ub,r19.b); v19.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v22.b = vlut32(v26.b,v17.b,r1):nomatch; v26.ub = vlsr(v27.ub,r0); v28 = vmem(r6++#1) }
{ v23.h = vasr(v19.w,v20.w,r0); v19.w = vrmpy(v23.ub,r10.b); v18.w = vrmpy(v18.ub,r10.b); v20.b = vlut32(v27.b,v17.b,r1):nomatch }
{ v25.h = vsub(v23.h,v29.h); v23.b = vlut32(v25.b,v17.b,r1):nomatch; v27 = vmem(r6++#1) }
{ v26.b = vlut32(v26.b,v17.b,r1):nomatch; v30 = vmem(r6++#1) }
{ v5:4.w += vmpy(v25.h,v24.h); v24.ub = vlsr(v21.ub,r0); v21.b = vlut32(v21.b,v17.b,r1):nomatch }
{ v19.w += vrmpy(v23.ub,r11.b); v18.w += vrmpy(v22.ub,r11.b); v23.ub = vlsr(v28.ub,r0); v22.b = vlut32(v28.b,v17.b,r1):nomatch }
{ v19.w += vrmpy(v20.ub,r12.b); v18.w += vrmpy(v26.ub,r12.b); v20.b = vlut32(v24.b,v17.b,r1):nomatch; v24.ub = vlsr(v27.ub,r0) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v25.ub = vlsr(v30.ub,r0); v26 = vmem(r6++#1) }
{ v19.w += vrmpy(v21.ub,r13.b); v18.w += vrmpy(v20.ub,r13.b); v20.b = vlut32(v24.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v19.w += vrmpy(v22.ub,r14.b); v18.w += vrmpy(v23.ub,r14.b); v22.b = vlut32(v27.b,v17.b,r1):nomatch }
{ v21.b = vlut32(v25.b,v17.b,r1):nomatch; v23.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v24 = vmem(r3++#1) }
{ v19.w += vrmpy(v22.ub,r15.b); v18.w += vrmpy(v20.ub,r15.b); v20.b = vlut32(v30.b,v17.b,r1):nomatch; v22.ub = vlsr(v26.ub,r0) }
{ v26.b = vlut32(v26.b,v17.b,r1):nomatch; v27.ub = vlsr(v24.ub,r0); v25 = v16; v28 = vmem(r3++#1) }
{ v19.w += vrmpy(v20.ub,r18.b); v18.w += vrmpy(v21.ub,r18.b); v20.b = vlut32(v22.b,v17.b,r1):nomatch; r11:10 = memd(r7++#8) }
{ v22.b = vlut32(v27.b,v17.b,r1):nomatch; v21 = v16; v27.ub = vlsr(v28.ub,r0); v30 = vmem(r3++#1) }
{ v19.w += vrmpy(v26.ub,r19.b); v18.w += vrmpy(v20.ub,r19.b); v20.b = vlut32(v24.b,v17.b,r1):nomatch; v24 = vmem(r3++#1) }
{ v26.b = vlut32(v27.b,v17.b,r1):nomatch; v27.ub = vlsr(v30.ub,r0); r13:12 = memd(r7++#8); v31 = vmem(r3++#1) }
{ v19.h = vasr(v18.w,v19.w,r0); v25.w += vrmpy(v20.ub,r10.b); v21.w += vrmpy(v22.ub,r10.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch }
{ v20.h = vsub(v19.h,v29.h); v19.b = vlut32(v27.b,v17.b,r1):nomatch; v22.ub = vlsr(v24.ub,r0); v27 = vmem(r3++#1) }
{ v25.w += vrmpy(v18.ub,r11.b); v21.w += vrmpy(v26.ub,r11.b); v18.b = vlut32(v30.b,v17.b,r1):nomatch; v26.ub = vlsr(v31.ub,r0) }
{ v7:6.w += vmpy(v20.h,v23.h); v20.b = vlut32(v24.b,v17.b,r1):nomatch; r15:14 = memd(r7++#8); v23 = vmem(r3++#1) }
{ v25.w += vrmpy(v18.ub,r12.b); v21.w += vrmpy(v19.ub,r12.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v19 = vmem(r3++#1) }
{ v22.b = vlut32(v31.b,v17.b,r1):nomatch; v24 = vmem(r3++#1); r17:16 = memd(r8++#8) }
{ v25.w += vrmpy(v20.ub,r13.b); v21.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v20.ub = vlsr(v27.ub,r0) }
{ v24.b = vlut32(v27.b,v17.b,r1):nomatch; v26.h = vmpy(v24.h,r16.h):<<1:rnd:sat }
{ v25.w += vrmpy(v22.ub,r14.b); v21.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v23.ub,r0) }
{ v22.b = vlut32(v23.b,v17.b,r1):nomatch; r19:18 = memd(r7++#8); v23 = vmem(r4++#1) }
{ v25.w += vrmpy(v24.ub,r15.b); v21.w += vrmpy(v18.ub,r15.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v19.ub,r0) }
{ v24.b = vlut32(v19.b,v17.b,r1):nomatch; v19 = v16; v27 = vmem(r4++#1) }
{ v25.w += vrmpy(v22.ub,r18.b); v21.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v23.ub,r0) }
{ v29 = vsplat(r17); v22.b = vlut32(v23.b,v17.b,r1):nomatch; v23.ub = vlsr(v27.ub,r0); v28 = vmem(r4++#1) }
{ v25.w += vrmpy(v24.ub,r19.b); v21.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20 = vmem(r4++#1) }
{ v24 = v16; v27.b = vlut32(v27.b,v17.b,r1):nomatch; v30.ub = vlsr(v28.ub,r0); v31 = vmem(r4++#1) }
{ v21.h = vasr(v21.w,v25.w,r0); v24.w += vrmpy(v22.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v22.h = vsub(v21.h,v29.h); v21.b = vlut32(v30.b,v17.b,r1):nomatch; v23 = vmem(r4++#1) }
{ v24.w += vrmpy(v27.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch; v25.ub = vlsr(v20.ub,r0) }
{ v1:0.w += vmpy(v22.h,v26.h); v20.b = vlut32(v20.b,v17.b,r1):nomatch; v22.ub = vlsr(v31.ub,r0) }
{ v24.w += vrmpy(v18.ub,r12.b); v19.w += vrmpy(v21.ub,r12.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch }
{ v21.b = vlut32(v22.b,v17.b,r1):nomatch; v22.ub = vlsr(v23.ub,r0); v25 = vmem(r4++#1) }
{ v24.w += vrmpy(v20.ub,r13.b); v19.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v31.b,v17.b,r1):nomatch; v20 = vmem(r4++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v26.ub = vlsr(v25.ub,r0); v27 = vmem(r4++#1) }
{ v24.w += vrmpy(v18.ub,r14.b); v19.w += vrmpy(v21.ub,r14.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v21.b = vlut32(v26.b,v17.b,r1):nomatch; v23.h = vmpy(v27.h,r16.h):<<1:rnd:sat; v26 = vmem(r5++#1) }
{ v24.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v22.ub,r15.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v22.ub = vlsr(v20.ub,r0) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v25.ub = vlsr(v26.ub,r0) }
{ v24.w += vrmpy(v18.ub,r18.b); v19.w += vrmpy(v21.ub,r18.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v21 = vmem(r5++#1) }
{ v26.b = vlut32(v26.b,v17.b,r1):nomatch; v22 = v16; v27 = vmem(r5++#1) }
{ v24.w += vrmpy(v20.ub,r19.b); v19.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v20.ub = vlsr(v21.ub,r0) }
{ v21 = v16; v25.b = vlut32(v21.b,v17.b,r1):nomatch; v28.ub = vlsr(v27.ub,r0); v30 = vmem(r5++#1) }
{ v19.h = vasr(v19.w,v24.w,r0); v21.w += vrmpy(v26.ub,r10.b); v22.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v20.h = vsub(v19.h,v29.h); v19.b = vlut32(v27.b,v17.b,r1):nomatch; v24.ub = vlsr(v30.ub,r0); v26 = vmem(r5++#1) }
{ v21.w += vrmpy(v25.ub,r11.b); v22.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v30.b,v17.b,r1):nomatch; v25 = vmem(r5++#1) }
{ v3:2.w += vmpy(v20.h,v23.h); v20.b = vlut32(v28.b,v17.b,r1):nomatch; v23 = vmem(r5++#1) }
{ v24.b = vlut32(v24.b,v17.b,r1):nomatch; v27.ub = vlsr(v26.ub,r0); v28 = vmem(r5++#1) }
{ v21.w += vrmpy(v19.ub,r12.b); v22.w += vrmpy(v20.ub,r12.b); v19.b = vlut32(v26.b,v17.b,r1):nomatch; v20 = vmem(r5++#1) }
{ v21.w += vrmpy(v18.ub,r13.b); v22.w += vrmpy(v24.ub,r13.b); v18.b = vlut32(v27.b,v17.b,r1):nomatch; v24.ub = vlsr(v25.ub,r0) }
{ v20.b = vlut32(v25.b,v17.b,r1):nomatch; v25.h = vmpy(v20.h,r16.h):<<1:rnd:sat }
{ v21.w += vrmpy(v19.ub,r14.b); v22.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v19.ub = vlsr(v23.ub,r0) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v24 = vmem(r6++#1) }
{ v21.w += vrmpy(v20.ub,r15.b); v22.w += vrmpy(v18.ub,r15.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19.ub = vlsr(v28.ub,r0) }
{ v20.b = vlut32(v28.b,v17.b,r1):nomatch; v26.ub = vlsr(v24.ub,r0); v27 = vmem(r6++#1) }
{ v21.w += vrmpy(v23.ub,r18.b); v22.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19 = vmem(r6++#1) }
{ v24.b = vlut32(v24.b,v17.b,r1):nomatch; v23 = v16 }
{ v21.w += vrmpy(v20.ub,r19.b); v22.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v20.ub = vlsr(v19.ub,r0) }
{ v26 = v16; v28.ub = vlsr(v27.ub,r0); v27.b = vlut32(v27.b,v17.b,r1):nomatch; v30 = vmem(r6++#1) }
{ v20.h = vasr(v22.w,v21.w,r0); v26.w += vrmpy(v24.ub,r10.b); v23.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v21.h = vsub(v20.h,v29.h); v20.b = vlut32(v28.b,v17.b,r1):nomatch; v22 = vmem(r6++#1) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v24.ub = vlsr(v30.ub,r0); v28 = vmem(r6++#1) }
{ v5:4.w += vmpy(v21.h,v25.h); v21.b = vlut32(v30.b,v17.b,r1):nomatch; v25 = vmem(r6++#1) }
{ v26.w += vrmpy(v27.ub,r11.b); v23.w += vrmpy(v20.ub,r11.b); v20.b = vlut32(v22.b,v17.b,r1):nomatch; v27 = vmem(r6++#1) }
{ v26.w += vrmpy(v19.ub,r12.b); v23.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v19.ub = vlsr(v22.ub,r0) }
{ v24.ub = vlsr(v28.ub,r0); v22.b = vlut32(v28.b,v17.b,r1):nomatch; v28 = vmem(r6++#1) }
{ v26.w += vrmpy(v21.ub,r13.b); v23.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19.ub = vlsr(v25.ub,r0) }
{ v21.b = vlut32(v24.b,v17.b,r1):nomatch; v24.h = vmpy(v28.h,r16.h):<<1:rnd:sat }
{ v26.w += vrmpy(v20.ub,r14.b); v23.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19.ub = vlsr(v27.ub,r0) }
{ v26.w += vrmpy(v22.ub,r15.b); v23.w += vrmpy(v21.ub,r15.b); v20.b = vlut32(v25.b,v17.b,r1):nomatch; v21 = vmem(r3++#1) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v26.w += vrmpy(v20.ub,r18.b); v23.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v27.b,v17.b,r1):nomatch; v20.ub = vlsr(v21.ub,r0) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; r11:10 = memd(r7++#8); v25.ub = vlsr(v22.ub,r0); v27 = vmem(r3++#1) }
{ v26.w += vrmpy(v18.ub,r19.b); v23.w += vrmpy(v19.ub,r19.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v19 = vmem(r3++#1) }
{ v20.b = vlut32(v25.b,v17.b,r1):nomatch; v25.ub = vlsr(v27.ub,r0); r13:12 = memd(r7++#8); v28 = vmem(r3++#1) }
{ v23.h = vasr(v23.w,v26.w,r0); v21.w = vrmpy(v21.ub,r10.b); v18.w = vrmpy(v18.ub,r10.b); v22.b = vlut32(v22.b,v17.b,r1):nomatch }
{ v26.h = vsub(v23.h,v29.h); v23.b = vlut32(v27.b,v17.b,r1):nomatch; v27.ub = vlsr(v19.ub,r0); v29 = vmem(r3++#1) }
{ v21.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v20.ub,r11.b); v20.b = vlut32(v25.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v7:6.w += vmpy(v26.h,v24.h); v24.b = vlut32(v27.b,v17.b,r1):nomatch; v25.ub = vlsr(v28.ub,r0) }
{ v21.w += vrmpy(v23.ub,r12.b); v18.w += vrmpy(v20.ub,r12.b); v19.b = vlut32(v19.b,v17.b,r1):nomatch; v20 = vmem(r3++#1) }
{ v23.b = vlut32(v28.b,v17.b,r1):nomatch; v26.ub = vlsr(v29.ub,r0); v27 = vmem(r3++#1); r15:14 = memd(r8++#8) }
{ v21.w += vrmpy(v19.ub,r13.b); v18.w += vrmpy(v24.ub,r13.b); v19.b = vlut32(v25.b,v17.b,r1):nomatch; r17:16 = memd(r7++#8) }
{ v24.b = vlut32(v26.b,v17.b,r1):nomatch; v25.h = vmpy(v27.h,r14.h):<<1:rnd:sat }
{ v21.w += vrmpy(v23.ub,r16.b); v18.w += vrmpy(v19.ub,r16.b); v19.b = vlut32(v29.b,v17.b,r1):nomatch; v23.ub = vlsr(v22.ub,r0) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; r19:18 = memd(r7++#8); v26.ub = vlsr(v20.ub,r0) }
{ v21.w += vrmpy(v19.ub,r17.b); v18.w += vrmpy(v24.ub,r17.b); v19.b = vlut32(v23.b,v17.b,r1):nomatch; v23 = vmem(r4++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v24 = vmem(r4++#1) }
{ v21.w += vrmpy(v22.ub,r18.b); v18.w += vrmpy(v19.ub,r18.b); v19.b = vlut32(v26.b,v17.b,r1):nomatch; v22.ub = vlsr(v23.ub,r0) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v26.ub = vlsr(v24.ub,r0); v27 = vmem(r4++#1) }
{ v21.w += vrmpy(v20.ub,r19.b); v18.w += vrmpy(v19.ub,r19.b); v19.b = vlut32(v22.b,v17.b,r1):nomatch; v20 = vmem(r4++#1) }
{ v29 = vsplat(r15); v22.b = vlut32(v24.b,v17.b,r1):nomatch; v24.ub = vlsr(v27.ub,r0); v28 = vmem(r5++#1) }
{ v23.h = vasr(v18.w,v21.w,r0); v21.w = vrmpy(v23.ub,r10.b); v18.w = vrmpy(v19.ub,r10.b); v19.b = vlut32(v26.b,v17.b,r1):nomatch }
{ v24.h = vsub(v23.h,v29.h); v23.b = vlut32(v24.b,v17.b,r1):nomatch; v26.ub = vlsr(v20.ub,r0); v30 = vmem(r4++#1) }
{ v21.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v19.ub,r11.b); v19.b = vlut32(v27.b,v17.b,r1):nomatch; v22 = vmem(r4++#1) }
{ v1:0.w += vmpy(v24.h,v25.h); v20.b = vlut32(v20.b,v17.b,r1):nomatch; v24.ub = vlsr(v30.ub,r0) }
{ v21.w += vrmpy(v19.ub,r12.b); v18.w += vrmpy(v23.ub,r12.b); v19.b = vlut32(v26.b,v17.b,r1):nomatch; v23.ub = vlsr(v22.ub,r0) }
{ v9.w += vasr(v1.w,r2); v24.b = vlut32(v24.b,v17.b,r1):nomatch; v25 = vmem(r4++#1) }
{ v8.w += vasr(v0.w,r2); v21.w += vrmpy(v20.ub,r13.b); v18.w += vrmpy(v19.ub,r13.b); v19.b = vlut32(v30.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v22.b,v17.b,r1):nomatch; v22 = vmem(r4++#1) }
{ v21.w += vrmpy(v19.ub,r16.b); v18.w += vrmpy(v24.ub,r16.b); v19.b = vlut32(v23.b,v17.b,r1):nomatch; v23.ub = vlsr(v25.ub,r0) }
{ v24.b = vlut32(v25.b,v17.b,r1):nomatch; v25.ub = vlsr(v22.ub,r0); v26 = vmem(r4++#1) }
{ v21.w += vrmpy(v20.ub,r17.b); v18.w += vrmpy(v19.ub,r17.b); v19.b = vlut32(v23.b,v17.b,r1):nomatch; v20 = vmem(r5++#1) }
{ v23.b = vlut32(v25.b,v17.b,r1):nomatch; v25.h = vmpy(v26.h,r14.h):<<1:rnd:sat; v26.ub = vlsr(v28.ub,r0) }
{ v21.w += vrmpy(v24.ub,r18.b); v18.w += vrmpy(v19.ub,r18.b); v19.b = vlut32(v22.b,v17.b,r1):nomatch; v22 = vmem(r5++#1) }
{ v24.b = vlut32(v28.b,v17.b,r1):nomatch; v27.ub = vlsr(v20.ub,r0); v28 = vmem(r5++#1) }
{ v21.w += vrmpy(v19.ub,r19.b); v18.w += vrmpy(v23.ub,r19.b); v19.b = vlut32(v26.b,v17.b,r1):nomatch; v23 = vmem(r5++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v26.ub = vlsr(v22.ub,r0); v30 = vmem(r5++#1) }
{ v24.h = vasr(v18.w,v21.w,r0); v21.w = vrmpy(v24.ub,r10.b); v18.w = vrmpy(v19.ub,r10.b); v19.b = vlut32(v27.b,v17.b,r1):nomatch }
{ v24.h = vsub(v24.h,v29.h); v22.b = vlut32(v22.b,v17.b,r1):nomatch; v27.ub = vlsr(v28.ub,r0); v31 = vmem(r5++#1) }
{ v21.w += vrmpy(v20.ub,r11.b); v18.w += vrmpy(v19.ub,r11.b); v19.b = vlut32(v26.b,v17.b,r1):nomatch; v20.ub = vlsr(v23.ub,r0) }
{ v3:2.w += vmpy(v24.h,v25.h); v24.b = vlut32(v27.b,v17.b,r1):nomatch; v25.ub = vlsr(v30.ub,r0) }
{ v21.w += vrmpy(v22.ub,r12.b); v18.w += vrmpy(v19.ub,r12.b); v19.b = vlut32(v28.b,v17.b,r1):nomatch; v22 = vmem(r5++#1) }
{ v11.w += vasr(v3.w,r2); v26.b = vlut32(v30.b,v17.b,r1):nomatch; v27 = vmem(r5++#1) }
{ v10.w += vasr(v2.w,r2); v21.w += vrmpy(v19.ub,r13.b); v18.w += vrmpy(v24.ub,r13.b); v19.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v23.b = vlut32(v25.b,v17.b,r1):nomatch; v24.h = vmpy(v27.h,r14.h):<<1:rnd:sat }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v25.ub = vlsr(v31.ub,r0) }
{ v27.b = vlut32(v31.b,v17.b,r1):nomatch; v28.ub = vlsr(v22.ub,r0); v30 = vmem(r6++#1) }
{ v21.w += vrmpy(v19.ub,r16.b); v18.w += vrmpy(v20.ub,r16.b); v19.b = vlut32(v25.b,v17.b,r1):nomatch; v20 = vmem(r6++#1) }
{ v21.w += vrmpy(v26.ub,r17.b); v18.w += vrmpy(v23.ub,r17.b); v23.b = vlut32(v28.b,v17.b,r1):nomatch; v25.ub = vlsr(v30.ub,r0) }
{ v21.w += vrmpy(v27.ub,r18.b); v18.w += vrmpy(v19.ub,r18.b); v19.b = vlut32(v22.b,v17.b,r1):nomatch }
{ v22.b = vlut32(v25.b,v17.b,r1):nomatch; v25.ub = vlsr(v20.ub,r0); v26 = vmem(r6++#1) }
{ v21.w += vrmpy(v19.ub,r19.b); v18.w += vrmpy(v23.ub,r19.b); v19.b = vlut32(v30.b,v17.b,r1):nomatch; v23 = vmem(r6++#1) }
{ v25.b = vlut32(v25.b,v17.b,r1):nomatch; v27.ub = vlsr(v26.ub,r0); v28 = vmem(r6++#1) }
{ v19.h = vasr(v18.w,v21.w,r0); v30.w = vrmpy(v19.ub,r10.b); v26.w = vrmpy(v22.ub,r10.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch }
{ v20.h = vsub(v19.h,v29.h); v19.b = vlut32(v20.b,v17.b,r1):nomatch; v21.ub = vlsr(v23.ub,r0); v22 = vmem(r6++#1) }
{ v27.b = vlut32(v27.b,v17.b,r1):nomatch; v31.ub = vlsr(v28.ub,r0) }
{ v5:4.w += vmpy(v20.h,v24.h); v20.b = vlut32(v23.b,v17.b,r1):nomatch; v23.ub = vlsr(v22.ub,r0) }
{ v30.w += vrmpy(v19.ub,r11.b); v26.w += vrmpy(v25.ub,r11.b); v19.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v12.w += vasr(v4.w,r2); v30.w += vrmpy(v18.ub,r12.b); v26.w += vrmpy(v27.ub,r12.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch }
{ v13.w += vasr(v5.w,r2); v30.w += vrmpy(v20.ub,r13.b); v26.w += vrmpy(v19.ub,r13.b); v19.b = vlut32(v31.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v22.b,v17.b,r1):nomatch; v22 = vmem(r6++#1) }
{ v30.w += vrmpy(v18.ub,r16.b); v26.w += vrmpy(v19.ub,r16.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v19.ub = vlsr(v21.ub,r0) }
{ v23.b = vlut32(v21.b,v17.b,r1):nomatch; v21.ub = vlsr(v22.ub,r0) }
{ v30.w += vrmpy(v20.ub,r17.b); v26.w += vrmpy(v18.ub,r17.b); v24.b = vlut32(v19.b,v17.b,r1):nomatch; v20 = vmem(r6++#1) }
.Lhvx_sum_mxfp4_tiles:
{ v18 = vmem(r3++#1); v27.b = vlut32(v21.b,v17.b,r1):nomatch }
{ v19 = vmem(r3++#1); v28.b = vlut32(v22.b,v17.b,r1):nomatch }
{ v20.ub = vlsr(v18.ub,r0); v18.b = vlut32(v18.b,v17.b,r1):nomatch; v31.h = vmpy(v20.h,r14.h):<<1:rnd:sat }
{ r11:10 = memd(r7++#8); v21.ub = vlsr(v19.ub,r0); v19.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v22 = vmem(r3++#1); v30.w += vrmpy(v23.ub,r18.b); v26.w += vrmpy(v24.ub,r18.b) }
{ v24 = v16; v21 = v16; v23.b = vlut32(v21.b,v17.b,r1):nomatch; v25 = vmem(r3++#1) }
{ v24.w += vrmpy(v18.ub,r10.b); v21.w += vrmpy(v20.ub,r10.b); v20.ub = vlsr(v22.ub,r0); v18.b = vlut32(v22.b,v17.b,r1):nomatch }
{ v24.w += vrmpy(v19.ub,r11.b); v21.w += vrmpy(v23.ub,r11.b); v22.ub = vlsr(v25.ub,r0); v19.b = vlut32(v25.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; r13:12 = memd(r7++#8); v23 = vmem(r3++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v25 = vmem(r3++#1); v30.w += vrmpy(v28.ub,r19.b); v26.w += vrmpy(v27.ub,r19.b) }
{ v24.w += vrmpy(v18.ub,r12.b); v21.w += vrmpy(v20.ub,r12.b); v20.ub = vlsr(v23.ub,r0); v18.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v24.w += vrmpy(v19.ub,r13.b); v21.w += vrmpy(v22.ub,r13.b); v19.ub = vlsr(v25.ub,r0); v22 = vmem(r3++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; r15:14 = memd(r7++#8); v23 = vmem(r3++#1); v26.h = vasr(v26.w,v30.w,r0) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v26 = vmem(r4++#1); v27.h = vsub(v26.h,v29.h) }
{ v24.w += vrmpy(v18.ub,r14.b); v21.w += vrmpy(v20.ub,r14.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v20.ub = vlsr(v22.ub,r0) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v25 = vmem(r3++#1); r17:16 = memd(r8++#8); v7:6.w += vmpy(v27.h,v31.h) }
{ v24.w += vrmpy(v18.ub,r15.b); v21.w += vrmpy(v19.ub,r15.b); v19.ub = vlsr(v23.ub,r0); v18.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; r19:18 = memd(r7++#8); v23.h = vmpy(v25.h,r16.h):<<1:rnd:sat; v25.ub = vlsr(v26.ub,r0) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v27 = v16; v28 = vmem(r4++#1); v14.w += vasr(v6.w,r2) }
{ v24.w += vrmpy(v22.ub,r18.b); v21.w += vrmpy(v20.ub,r18.b); v20.b = vlut32(v26.b,v17.b,r1):nomatch; v22 = vmem(r4++#1) }
{ v24.w += vrmpy(v18.ub,r19.b); v21.w += vrmpy(v19.ub,r19.b); v19.ub = vlsr(v28.ub,r0); v18.b = vlut32(v28.b,v17.b,r1):nomatch }
{ v26.b = vlut32(v25.b,v17.b,r1):nomatch; v25 = v16; v28.ub = vlsr(v22.ub,r0); v29 = vmem(r4++#1) }
{ v30 = vsplat(r17); v21.h = vasr(v21.w,v24.w,r0); v19.b = vlut32(v19.b,v17.b,r1):nomatch; v24 = vmem(r4++#1) }
{ v21.h = vsub(v21.h,v30.h); v27.w += vrmpy(v20.ub,r10.b); v25.w += vrmpy(v26.ub,r10.b); v20.b = vlut32(v22.b,v17.b,r1):nomatch }
{ v27.w += vrmpy(v18.ub,r11.b); v25.w += vrmpy(v19.ub,r11.b); v19.ub = vlsr(v29.ub,r0); v18.b = vlut32(v29.b,v17.b,r1):nomatch }
{ v1:0.w = vmpy(v21.h,v23.h); v21.b = vlut32(v28.b,v17.b,r1):nomatch; v22 = vmem(r4++#1) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v23.ub = vlsr(v24.ub,r0); v26 = vmem(r4++#1) }
{ v27.w += vrmpy(v20.ub,r12.b); v25.w += vrmpy(v21.ub,r12.b); v20.b = vlut32(v24.b,v17.b,r1):nomatch; v21.ub = vlsr(v22.ub,r0) }
{ v27.w += vrmpy(v18.ub,r13.b); v25.w += vrmpy(v19.ub,r13.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v19.ub = vlsr(v26.ub,r0) }
{ v22.b = vlut32(v23.b,v17.b,r1):nomatch; v23 = vmem(r4++#1); v15.w += vasr(v7.w,r2) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v24 = vmem(r4++#1) }
{ v27.w += vrmpy(v20.ub,r14.b); v25.w += vrmpy(v22.ub,r14.b); v19.b = vlut32(v19.b,v17.b,r1):nomatch; v20 = vmem(r5++#1) }
{ v27.w += vrmpy(v18.ub,r15.b); v25.w += vrmpy(v21.ub,r15.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v21.ub = vlsr(v23.ub,r0) }
{ v22.b = vlut32(v23.b,v17.b,r1):nomatch; v23.h = vmpy(v24.h,r16.h):<<1:rnd:sat; v24 = vmem(r5++#1) }
{ v27.w += vrmpy(v18.ub,r18.b); v25.w += vrmpy(v19.ub,r18.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v19.ub = vlsr(v20.ub,r0) }
{ v21.b = vlut32(v20.b,v17.b,r1):nomatch; v20 = v16; v26 = vmem(r5++#1) }
{ v27.w += vrmpy(v22.ub,r19.b); v25.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19.ub = vlsr(v24.ub,r0) }
{ v22 = v16; v24.b = vlut32(v24.b,v17.b,r1):nomatch; v28.ub = vlsr(v26.ub,r0); v29 = vmem(r5++#1) }
{ v19.h = vasr(v25.w,v27.w,r0); v20.w += vrmpy(v21.ub,r10.b); v22.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v21.h = vsub(v19.h,v30.h); v19.b = vlut32(v26.b,v17.b,r1):nomatch; v25 = vmem(r5++#1) }
{ v20.w += vrmpy(v24.ub,r11.b); v22.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch; v24.ub = vlsr(v29.ub,r0) }
{ v3:2.w = vmpy(v21.h,v23.h); v21.b = vlut32(v29.b,v17.b,r1):nomatch; v23 = vmem(r5++#1) }
{ v20.w += vrmpy(v19.ub,r12.b); v22.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v19.ub = vlsr(v25.ub,r0) }
{ v24.b = vlut32(v25.b,v17.b,r1):nomatch; v25.ub = vlsr(v23.ub,r0); v26 = vmem(r5++#1) }
{ v20.w += vrmpy(v21.ub,r13.b); v22.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19 = vmem(r5++#1) }
{ v21.b = vlut32(v23.b,v17.b,r1):nomatch; v23 = vmem(r6++#1) }
{ v20.w += vrmpy(v24.ub,r14.b); v22.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v24.ub = vlsr(v26.ub,r0) }
{ v25.b = vlut32(v26.b,v17.b,r1):nomatch; v26 = vmem(r5++#1) }
{ v20.w += vrmpy(v21.ub,r15.b); v22.w += vrmpy(v18.ub,r15.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v21.ub = vlsr(v19.ub,r0) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v24.h = vmpy(v26.h,r16.h):<<1:rnd:sat; v26.ub = vlsr(v23.ub,r0) }
{ v20.w += vrmpy(v25.ub,r18.b); v22.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v25.b = vlut32(v26.b,v17.b,r1):nomatch; v26 = v16; v27 = vmem(r6++#1) }
{ v20.w += vrmpy(v19.ub,r19.b); v22.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v19.ub = vlsr(v21.ub,r0) }
{ v21 = v16; v23.b = vlut32(v21.b,v17.b,r1):nomatch; v28.ub = vlsr(v27.ub,r0); v29 = vmem(r6++#1) }
{ v19.h = vasr(v22.w,v20.w,r0); v26.w += vrmpy(v18.ub,r10.b); v21.w += vrmpy(v25.ub,r10.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v20.h = vsub(v19.h,v30.h); v19.b = vlut32(v27.b,v17.b,r1):nomatch; v22.ub = vlsr(v29.ub,r0); v25 = vmem(r6++#1) }
{ v26.w += vrmpy(v23.ub,r11.b); v21.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch; v23 = vmem(r6++#1) }
{ v5:4.w = vmpy(v20.h,v24.h); v20.b = vlut32(v29.b,v17.b,r1):nomatch; v24.ub = vlsr(v25.ub,r0) }
{ v26.w += vrmpy(v19.ub,r12.b); v21.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v19 = vmem(r6++#1) }
{ v22.b = vlut32(v24.b,v17.b,r1):nomatch; v24 = vmem(r6++#1) }
{ v26.w += vrmpy(v20.ub,r13.b); v21.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v20.ub = vlsr(v19.ub,r0) }
{ v25.b = vlut32(v23.b,v17.b,r1):nomatch; v27 = vmem(r6++#1) }
{ v26.w += vrmpy(v18.ub,r14.b); v21.w += vrmpy(v22.ub,r14.b); v20.ub = vlsr(v23.ub,r0); v18.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v22.h = vmpy(v27.h,r16.h):<<1:rnd:sat; v23 = vmem(r3++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v27.ub = vlsr(v24.ub,r0) }
{ v24.b = vlut32(v24.b,v17.b,r1):nomatch; v28.ub = vlsr(v23.ub,r0); v29 = vmem(r3++#1) }
{ v26.w += vrmpy(v25.ub,r15.b); v21.w += vrmpy(v20.ub,r15.b); v20.b = vlut32(v27.b,v17.b,r1):nomatch; v25 = vmem(r3++#1) }
{ v26.w += vrmpy(v19.ub,r18.b); v21.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v19.ub = vlsr(v29.ub,r0) }
{ v26.w += vrmpy(v24.ub,r19.b); v21.w += vrmpy(v20.ub,r19.b); v20.b = vlut32(v28.b,v17.b,r1):nomatch; r11:10 = memd(r7++#8) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v23.ub = vlsr(v25.ub,r0); v24 = vmem(r3++#1) }
{ v25.h = vasr(v21.w,v26.w,r0); v20.w = vrmpy(v18.ub,r10.b); v18.w = vrmpy(v20.ub,r10.b); v21.b = vlut32(v25.b,v17.b,r1):nomatch }
{ v26.h = vsub(v25.h,v30.h); v25.b = vlut32(v29.b,v17.b,r1):nomatch; v27 = vmem(r3++#1) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; r13:12 = memd(r7++#8); v28.ub = vlsr(v24.ub,r0); v29 = vmem(r3++#1) }
{ v7:6.w = vmpy(v26.h,v22.h); v22.b = vlut32(v24.b,v17.b,r1):nomatch; v24.ub = vlsr(v27.ub,r0); r15:14 = memd(r7++#8) }
{ v20.w += vrmpy(v25.ub,r11.b); v18.w += vrmpy(v19.ub,r11.b); v19.b = vlut32(v28.b,v17.b,r1):nomatch; v25 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r12.b); v18.w += vrmpy(v23.ub,r12.b); v21.b = vlut32(v24.b,v17.b,r1):nomatch; v23 = vmem(r3++#1) }
{ v20.w += vrmpy(v22.ub,r13.b); v18.w += vrmpy(v19.ub,r13.b); v19.b = vlut32(v27.b,v17.b,r1):nomatch; v22.ub = vlsr(v29.ub,r0) }
{ v24.b = vlut32(v29.b,v17.b,r1):nomatch; v26.ub = vlsr(v25.ub,r0); v27 = vmem(r3++#1); r17:16 = memd(r8++#8) }
{ v20.w += vrmpy(v19.ub,r14.b); v18.w += vrmpy(v21.ub,r14.b); v19.b = vlut32(v25.b,v17.b,r1):nomatch; v21 = vmem(r4++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v27.ub = vlsr(v23.ub,r0); v25.h = vmpy(v27.h,r16.h):<<1:rnd:sat }
{ v26.b = vlut32(v26.b,v17.b,r1):nomatch; r19:18 = memd(r7++#8); v28.ub = vlsr(v21.ub,r0) }
{ v20.w += vrmpy(v24.ub,r15.b); v18.w += vrmpy(v22.ub,r15.b); v22.b = vlut32(v23.b,v17.b,r1):nomatch; v23 = vmem(r4++#1) }
{ v20.w += vrmpy(v19.ub,r18.b); v18.w += vrmpy(v26.ub,r18.b); v19.b = vlut32(v27.b,v17.b,r1):nomatch }
{ v24.b = vlut32(v28.b,v17.b,r1):nomatch; v26.ub = vlsr(v23.ub,r0); v27 = vmem(r4++#1) }
{ v20.w += vrmpy(v22.ub,r19.b); v18.w += vrmpy(v19.ub,r19.b); v19.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = vmem(r4++#1) }
{ v29 = vsplat(r17); v22.b = vlut32(v23.b,v17.b,r1):nomatch; v23.ub = vlsr(v27.ub,r0); v28 = vmem(r4++#1) }
{ v24.h = vasr(v18.w,v20.w,r0); v19.w = vrmpy(v19.ub,r10.b); v18.w = vrmpy(v24.ub,r10.b); v20.b = vlut32(v27.b,v17.b,r1):nomatch }
{ v26.h = vsub(v24.h,v29.h); v24.b = vlut32(v26.b,v17.b,r1):nomatch }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v27.ub = vlsr(v28.ub,r0); v30 = vmem(r4++#1) }
{ v1:0.w += vmpy(v26.h,v25.h); v25.ub = vlsr(v21.ub,r0); v21.b = vlut32(v21.b,v17.b,r1):nomatch }
{ v19.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v24.ub,r11.b); v22.b = vlut32(v27.b,v17.b,r1):nomatch; v24 = vmem(r4++#1) }
{ v19.w += vrmpy(v20.ub,r12.b); v18.w += vrmpy(v23.ub,r12.b); v20.b = vlut32(v25.b,v17.b,r1):nomatch; v23.ub = vlsr(v30.ub,r0) }
{ v25.b = vlut32(v28.b,v17.b,r1):nomatch; v26.ub = vlsr(v24.ub,r0); v27 = vmem(r4++#1) }
{ v19.w += vrmpy(v21.ub,r13.b); v18.w += vrmpy(v20.ub,r13.b); v20.b = vlut32(v30.b,v17.b,r1):nomatch; v21 = vmem(r4++#1) }
{ v19.w += vrmpy(v25.ub,r14.b); v18.w += vrmpy(v22.ub,r14.b); v22.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v21.b = vlut32(v26.b,v17.b,r1):nomatch; v25.ub = vlsr(v27.ub,r0); v23.h = vmpy(v21.h,r16.h):<<1:rnd:sat }
{ v19.w += vrmpy(v20.ub,r15.b); v18.w += vrmpy(v22.ub,r15.b); v20.b = vlut32(v24.b,v17.b,r1):nomatch; v22 = vmem(r5++#1) }
{ v24.b = vlut32(v25.b,v17.b,r1):nomatch; v25 = vmem(r5++#1) }
{ v19.w += vrmpy(v20.ub,r18.b); v18.w += vrmpy(v21.ub,r18.b); v20.b = vlut32(v27.b,v17.b,r1):nomatch; v21.ub = vlsr(v22.ub,r0) }
{ v26.ub = vlsr(v25.ub,r0); v25.b = vlut32(v25.b,v17.b,r1):nomatch; v27 = vmem(r5++#1) }
{ v19.w += vrmpy(v20.ub,r19.b); v18.w += vrmpy(v24.ub,r19.b); v20.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = vmem(r5++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v24.ub = vlsr(v27.ub,r0); v28 = vmem(r5++#1) }
{ v19.h = vasr(v18.w,v19.w,r0); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v26 = vmem(r5++#1) }
{ v27.h = vsub(v19.h,v29.h); v20.w = vrmpy(v22.ub,r10.b); v19.w = vrmpy(v20.ub,r10.b); v22.b = vlut32(v27.b,v17.b,r1):nomatch }
{ v20.w += vrmpy(v25.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v25.ub = vlsr(v28.ub,r0) }
{ v3:2.w += vmpy(v27.h,v23.h); v21.b = vlut32(v24.b,v17.b,r1):nomatch; v23.ub = vlsr(v21.ub,r0) }
{ v24.b = vlut32(v25.b,v17.b,r1):nomatch; v25.ub = vlsr(v26.ub,r0) }
{ v20.w += vrmpy(v22.ub,r12.b); v19.w += vrmpy(v21.ub,r12.b); v21.b = vlut32(v28.b,v17.b,r1):nomatch; v22 = vmem(r5++#1) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v27 = vmem(r5++#1) }
{ v25.b = vlut32(v25.b,v17.b,r1):nomatch; v28 = vmem(r6++#1) }
{ v20.w += vrmpy(v18.ub,r13.b); v19.w += vrmpy(v23.ub,r13.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v23.ub = vlsr(v22.ub,r0) }
{ v20.w += vrmpy(v21.ub,r14.b); v19.w += vrmpy(v24.ub,r14.b); v21.b = vlut32(v22.b,v17.b,r1):nomatch; v22 = vmem(r5++#1) }
{ v20.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v25.ub,r15.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v23.ub = vlsr(v27.ub,r0) }
{ v22.b = vlut32(v27.b,v17.b,r1):nomatch; v24.h = vmpy(v22.h,r16.h):<<1:rnd:sat; v25 = vmem(r6++#1) }
{ v20.w += vrmpy(v21.ub,r18.b); v19.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v21.ub = vlsr(v28.ub,r0) }
{ v23.b = vlut32(v28.b,v17.b,r1):nomatch; v26.ub = vlsr(v25.ub,r0); v27 = vmem(r6++#1) }
{ v20.w += vrmpy(v22.ub,r19.b); v19.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v22.b = vlut32(v26.b,v17.b,r1):nomatch; v26.ub = vlsr(v27.ub,r0); v28 = vmem(r6++#1) }
{ v23.h = vasr(v19.w,v20.w,r0); v19.w = vrmpy(v23.ub,r10.b); v18.w = vrmpy(v18.ub,r10.b); v20.b = vlut32(v27.b,v17.b,r1):nomatch }
{ v25.h = vsub(v23.h,v29.h); v23.b = vlut32(v25.b,v17.b,r1):nomatch; v27 = vmem(r6++#1) }
{ v26.b = vlut32(v26.b,v17.b,r1):nomatch; v30 = vmem(r6++#1) }
{ v5:4.w += vmpy(v25.h,v24.h); v24.ub = vlsr(v21.ub,r0); v21.b = vlut32(v21.b,v17.b,r1):nomatch }
{ v19.w += vrmpy(v23.ub,r11.b); v18.w += vrmpy(v22.ub,r11.b); v23.ub = vlsr(v28.ub,r0); v22.b = vlut32(v28.b,v17.b,r1):nomatch }
{ v19.w += vrmpy(v20.ub,r12.b); v18.w += vrmpy(v26.ub,r12.b); v20.b = vlut32(v24.b,v17.b,r1):nomatch; v24.ub = vlsr(v27.ub,r0) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v25.ub = vlsr(v30.ub,r0); v26 = vmem(r6++#1) }
{ v19.w += vrmpy(v21.ub,r13.b); v18.w += vrmpy(v20.ub,r13.b); v20.b = vlut32(v24.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v19.w += vrmpy(v22.ub,r14.b); v18.w += vrmpy(v23.ub,r14.b); v22.b = vlut32(v27.b,v17.b,r1):nomatch }
{ v21.b = vlut32(v25.b,v17.b,r1):nomatch; v23.h = vmpy(v21.h,r16.h):<<1:rnd:sat; v24 = vmem(r3++#1) }
{ v19.w += vrmpy(v22.ub,r15.b); v18.w += vrmpy(v20.ub,r15.b); v20.b = vlut32(v30.b,v17.b,r1):nomatch; v22.ub = vlsr(v26.ub,r0) }
{ v26.b = vlut32(v26.b,v17.b,r1):nomatch; v27.ub = vlsr(v24.ub,r0); v25 = v16; v28 = vmem(r3++#1) }
{ v19.w += vrmpy(v20.ub,r18.b); v18.w += vrmpy(v21.ub,r18.b); v20.b = vlut32(v22.b,v17.b,r1):nomatch; r11:10 = memd(r7++#8) }
{ v22.b = vlut32(v27.b,v17.b,r1):nomatch; v21 = v16; v27.ub = vlsr(v28.ub,r0); v30 = vmem(r3++#1) }
{ v19.w += vrmpy(v26.ub,r19.b); v18.w += vrmpy(v20.ub,r19.b); v20.b = vlut32(v24.b,v17.b,r1):nomatch; v24 = vmem(r3++#1) }
{ v26.b = vlut32(v27.b,v17.b,r1):nomatch; v27.ub = vlsr(v30.ub,r0); r13:12 = memd(r7++#8); v31 = vmem(r3++#1) }
{ v19.h = vasr(v18.w,v19.w,r0); v25.w += vrmpy(v20.ub,r10.b); v21.w += vrmpy(v22.ub,r10.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch }
{ v20.h = vsub(v19.h,v29.h); v19.b = vlut32(v27.b,v17.b,r1):nomatch; v22.ub = vlsr(v24.ub,r0); v27 = vmem(r3++#1) }
{ v25.w += vrmpy(v18.ub,r11.b); v21.w += vrmpy(v26.ub,r11.b); v18.b = vlut32(v30.b,v17.b,r1):nomatch; v26.ub = vlsr(v31.ub,r0) }
{ v7:6.w += vmpy(v20.h,v23.h); v20.b = vlut32(v24.b,v17.b,r1):nomatch; r15:14 = memd(r7++#8); v23 = vmem(r3++#1) }
{ v25.w += vrmpy(v18.ub,r12.b); v21.w += vrmpy(v19.ub,r12.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v19 = vmem(r3++#1) }
{ v22.b = vlut32(v31.b,v17.b,r1):nomatch; v24 = vmem(r3++#1); r17:16 = memd(r8++#8) }
{ v25.w += vrmpy(v20.ub,r13.b); v21.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v20.ub = vlsr(v27.ub,r0) }
{ v24.b = vlut32(v27.b,v17.b,r1):nomatch; v26.h = vmpy(v24.h,r16.h):<<1:rnd:sat }
{ v25.w += vrmpy(v22.ub,r14.b); v21.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v23.ub,r0) }
{ v22.b = vlut32(v23.b,v17.b,r1):nomatch; r19:18 = memd(r7++#8); v23 = vmem(r4++#1) }
{ v25.w += vrmpy(v24.ub,r15.b); v21.w += vrmpy(v18.ub,r15.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v19.ub,r0) }
{ v24.b = vlut32(v19.b,v17.b,r1):nomatch; v19 = v16; v27 = vmem(r4++#1) }
{ v25.w += vrmpy(v22.ub,r18.b); v21.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20.ub = vlsr(v23.ub,r0) }
{ v29 = vsplat(r17); v22.b = vlut32(v23.b,v17.b,r1):nomatch; v23.ub = vlsr(v27.ub,r0); v28 = vmem(r4++#1) }
{ v25.w += vrmpy(v24.ub,r19.b); v21.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20 = vmem(r4++#1) }
{ v24 = v16; v27.b = vlut32(v27.b,v17.b,r1):nomatch; v30.ub = vlsr(v28.ub,r0); v31 = vmem(r4++#1) }
{ v21.h = vasr(v21.w,v25.w,r0); v24.w += vrmpy(v22.ub,r10.b); v19.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v22.h = vsub(v21.h,v29.h); v21.b = vlut32(v30.b,v17.b,r1):nomatch; v23 = vmem(r4++#1) }
{ v24.w += vrmpy(v27.ub,r11.b); v19.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch; v25.ub = vlsr(v20.ub,r0) }
{ v1:0.w += vmpy(v22.h,v26.h); v20.b = vlut32(v20.b,v17.b,r1):nomatch; v22.ub = vlsr(v31.ub,r0) }
{ v24.w += vrmpy(v18.ub,r12.b); v19.w += vrmpy(v21.ub,r12.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch }
{ v21.b = vlut32(v22.b,v17.b,r1):nomatch; v22.ub = vlsr(v23.ub,r0); v25 = vmem(r4++#1) }
{ v24.w += vrmpy(v20.ub,r13.b); v19.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v31.b,v17.b,r1):nomatch; v20 = vmem(r4++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v26.ub = vlsr(v25.ub,r0); v27 = vmem(r4++#1) }
{ v24.w += vrmpy(v18.ub,r14.b); v19.w += vrmpy(v21.ub,r14.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v21.b = vlut32(v26.b,v17.b,r1):nomatch; v23.h = vmpy(v27.h,r16.h):<<1:rnd:sat; v26 = vmem(r5++#1) }
{ v24.w += vrmpy(v18.ub,r15.b); v19.w += vrmpy(v22.ub,r15.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v22.ub = vlsr(v20.ub,r0) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v25.ub = vlsr(v26.ub,r0) }
{ v24.w += vrmpy(v18.ub,r18.b); v19.w += vrmpy(v21.ub,r18.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v21 = vmem(r5++#1) }
{ v26.b = vlut32(v26.b,v17.b,r1):nomatch; v22 = v16; v27 = vmem(r5++#1) }
{ v24.w += vrmpy(v20.ub,r19.b); v19.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v20.ub = vlsr(v21.ub,r0) }
{ v21 = v16; v25.b = vlut32(v21.b,v17.b,r1):nomatch; v28.ub = vlsr(v27.ub,r0); v30 = vmem(r5++#1) }
{ v19.h = vasr(v19.w,v24.w,r0); v21.w += vrmpy(v26.ub,r10.b); v22.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v20.h = vsub(v19.h,v29.h); v19.b = vlut32(v27.b,v17.b,r1):nomatch; v24.ub = vlsr(v30.ub,r0); v26 = vmem(r5++#1) }
{ v21.w += vrmpy(v25.ub,r11.b); v22.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v30.b,v17.b,r1):nomatch; v25 = vmem(r5++#1) }
{ v3:2.w += vmpy(v20.h,v23.h); v20.b = vlut32(v28.b,v17.b,r1):nomatch; v23 = vmem(r5++#1) }
{ v24.b = vlut32(v24.b,v17.b,r1):nomatch; v27.ub = vlsr(v26.ub,r0); v28 = vmem(r5++#1) }
{ v21.w += vrmpy(v19.ub,r12.b); v22.w += vrmpy(v20.ub,r12.b); v19.b = vlut32(v26.b,v17.b,r1):nomatch; v20 = vmem(r5++#1) }
{ v21.w += vrmpy(v18.ub,r13.b); v22.w += vrmpy(v24.ub,r13.b); v18.b = vlut32(v27.b,v17.b,r1):nomatch; v24.ub = vlsr(v25.ub,r0) }
{ v20.b = vlut32(v25.b,v17.b,r1):nomatch; v25.h = vmpy(v20.h,r16.h):<<1:rnd:sat }
{ v21.w += vrmpy(v19.ub,r14.b); v22.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v19.ub = vlsr(v23.ub,r0) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v24 = vmem(r6++#1) }
{ v21.w += vrmpy(v20.ub,r15.b); v22.w += vrmpy(v18.ub,r15.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19.ub = vlsr(v28.ub,r0) }
{ v20.b = vlut32(v28.b,v17.b,r1):nomatch; v26.ub = vlsr(v24.ub,r0); v27 = vmem(r6++#1) }
{ v21.w += vrmpy(v23.ub,r18.b); v22.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19 = vmem(r6++#1) }
{ v24.b = vlut32(v24.b,v17.b,r1):nomatch; v23 = v16 }
{ v21.w += vrmpy(v20.ub,r19.b); v22.w += vrmpy(v18.ub,r19.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch; v20.ub = vlsr(v19.ub,r0) }
{ v26 = v16; v28.ub = vlsr(v27.ub,r0); v27.b = vlut32(v27.b,v17.b,r1):nomatch; v30 = vmem(r6++#1) }
{ v20.h = vasr(v22.w,v21.w,r0); v26.w += vrmpy(v24.ub,r10.b); v23.w += vrmpy(v18.ub,r10.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch }
{ v21.h = vsub(v20.h,v29.h); v20.b = vlut32(v28.b,v17.b,r1):nomatch; v22 = vmem(r6++#1) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v24.ub = vlsr(v30.ub,r0); v28 = vmem(r6++#1) }
{ v5:4.w += vmpy(v21.h,v25.h); v21.b = vlut32(v30.b,v17.b,r1):nomatch; v25 = vmem(r6++#1) }
{ v26.w += vrmpy(v27.ub,r11.b); v23.w += vrmpy(v20.ub,r11.b); v20.b = vlut32(v22.b,v17.b,r1):nomatch; v27 = vmem(r6++#1) }
{ v26.w += vrmpy(v19.ub,r12.b); v23.w += vrmpy(v18.ub,r12.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch; v19.ub = vlsr(v22.ub,r0) }
{ v24.ub = vlsr(v28.ub,r0); v22.b = vlut32(v28.b,v17.b,r1):nomatch; v28 = vmem(r6++#1) }
{ v26.w += vrmpy(v21.ub,r13.b); v23.w += vrmpy(v18.ub,r13.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19.ub = vlsr(v25.ub,r0) }
{ v21.b = vlut32(v24.b,v17.b,r1):nomatch; v24.h = vmpy(v28.h,r16.h):<<1:rnd:sat }
{ v26.w += vrmpy(v20.ub,r14.b); v23.w += vrmpy(v18.ub,r14.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19.ub = vlsr(v27.ub,r0) }
{ v26.w += vrmpy(v22.ub,r15.b); v23.w += vrmpy(v21.ub,r15.b); v20.b = vlut32(v25.b,v17.b,r1):nomatch; v21 = vmem(r3++#1) }
{ v19.b = vlut32(v19.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v26.w += vrmpy(v20.ub,r18.b); v23.w += vrmpy(v18.ub,r18.b); v18.b = vlut32(v27.b,v17.b,r1):nomatch; v20.ub = vlsr(v21.ub,r0) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; r11:10 = memd(r7++#8); v25.ub = vlsr(v22.ub,r0); v27 = vmem(r3++#1) }
{ v26.w += vrmpy(v18.ub,r19.b); v23.w += vrmpy(v19.ub,r19.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v19 = vmem(r3++#1) }
{ v20.b = vlut32(v25.b,v17.b,r1):nomatch; v25.ub = vlsr(v27.ub,r0); r13:12 = memd(r7++#8); v28 = vmem(r3++#1) }
{ v23.h = vasr(v23.w,v26.w,r0); v21.w = vrmpy(v21.ub,r10.b); v18.w = vrmpy(v18.ub,r10.b); v22.b = vlut32(v22.b,v17.b,r1):nomatch }
{ v26.h = vsub(v23.h,v29.h); v23.b = vlut32(v27.b,v17.b,r1):nomatch; v27.ub = vlsr(v19.ub,r0); v29 = vmem(r3++#1) }
{ v21.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v20.ub,r11.b); v20.b = vlut32(v25.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v7:6.w += vmpy(v26.h,v24.h); v24.b = vlut32(v27.b,v17.b,r1):nomatch; v25.ub = vlsr(v28.ub,r0) }
{ v21.w += vrmpy(v23.ub,r12.b); v18.w += vrmpy(v20.ub,r12.b); v19.b = vlut32(v19.b,v17.b,r1):nomatch; v20 = vmem(r3++#1) }
{ v23.b = vlut32(v28.b,v17.b,r1):nomatch; v26.ub = vlsr(v29.ub,r0); v27 = vmem(r3++#1); r15:14 = memd(r8++#8) }
{ v21.w += vrmpy(v19.ub,r13.b); v18.w += vrmpy(v24.ub,r13.b); v19.b = vlut32(v25.b,v17.b,r1):nomatch; r17:16 = memd(r7++#8) }
{ v24.b = vlut32(v26.b,v17.b,r1):nomatch; v25.h = vmpy(v27.h,r14.h):<<1:rnd:sat }
{ v21.w += vrmpy(v23.ub,r16.b); v18.w += vrmpy(v19.ub,r16.b); v19.b = vlut32(v29.b,v17.b,r1):nomatch; v23.ub = vlsr(v22.ub,r0) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; r19:18 = memd(r7++#8); v26.ub = vlsr(v20.ub,r0) }
{ v21.w += vrmpy(v19.ub,r17.b); v18.w += vrmpy(v24.ub,r17.b); v19.b = vlut32(v23.b,v17.b,r1):nomatch; v23 = vmem(r4++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v24 = vmem(r4++#1) }
{ v21.w += vrmpy(v22.ub,r18.b); v18.w += vrmpy(v19.ub,r18.b); v19.b = vlut32(v26.b,v17.b,r1):nomatch; v22.ub = vlsr(v23.ub,r0) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v26.ub = vlsr(v24.ub,r0); v27 = vmem(r4++#1) }
{ v21.w += vrmpy(v20.ub,r19.b); v18.w += vrmpy(v19.ub,r19.b); v19.b = vlut32(v22.b,v17.b,r1):nomatch; v20 = vmem(r4++#1) }
{ v29 = vsplat(r15); v22.b = vlut32(v24.b,v17.b,r1):nomatch; v24.ub = vlsr(v27.ub,r0); v28 = vmem(r5++#1) }
{ v23.h = vasr(v18.w,v21.w,r0); v21.w = vrmpy(v23.ub,r10.b); v18.w = vrmpy(v19.ub,r10.b); v19.b = vlut32(v26.b,v17.b,r1):nomatch }
{ v24.h = vsub(v23.h,v29.h); v23.b = vlut32(v24.b,v17.b,r1):nomatch; v26.ub = vlsr(v20.ub,r0); v30 = vmem(r4++#1) }
{ v21.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v19.ub,r11.b); v19.b = vlut32(v27.b,v17.b,r1):nomatch; v22 = vmem(r4++#1) }
{ v1:0.w += vmpy(v24.h,v25.h); v20.b = vlut32(v20.b,v17.b,r1):nomatch; v24.ub = vlsr(v30.ub,r0) }
{ v21.w += vrmpy(v19.ub,r12.b); v18.w += vrmpy(v23.ub,r12.b); v19.b = vlut32(v26.b,v17.b,r1):nomatch; v23.ub = vlsr(v22.ub,r0) }
{ v9.w += vasr(v1.w,r2); v24.b = vlut32(v24.b,v17.b,r1):nomatch; v25 = vmem(r4++#1) }
{ v8.w += vasr(v0.w,r2); v21.w += vrmpy(v20.ub,r13.b); v18.w += vrmpy(v19.ub,r13.b); v19.b = vlut32(v30.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v22.b,v17.b,r1):nomatch; v22 = vmem(r4++#1) }
{ v21.w += vrmpy(v19.ub,r16.b); v18.w += vrmpy(v24.ub,r16.b); v19.b = vlut32(v23.b,v17.b,r1):nomatch; v23.ub = vlsr(v25.ub,r0) }
{ v24.b = vlut32(v25.b,v17.b,r1):nomatch; v25.ub = vlsr(v22.ub,r0); v26 = vmem(r4++#1) }
{ v21.w += vrmpy(v20.ub,r17.b); v18.w += vrmpy(v19.ub,r17.b); v19.b = vlut32(v23.b,v17.b,r1):nomatch; v20 = vmem(r5++#1) }
{ v23.b = vlut32(v25.b,v17.b,r1):nomatch; v25.h = vmpy(v26.h,r14.h):<<1:rnd:sat; v26.ub = vlsr(v28.ub,r0) }
{ v21.w += vrmpy(v24.ub,r18.b); v18.w += vrmpy(v19.ub,r18.b); v19.b = vlut32(v22.b,v17.b,r1):nomatch; v22 = vmem(r5++#1) }
{ v24.b = vlut32(v28.b,v17.b,r1):nomatch; v27.ub = vlsr(v20.ub,r0); v28 = vmem(r5++#1) }
{ v21.w += vrmpy(v19.ub,r19.b); v18.w += vrmpy(v23.ub,r19.b); v19.b = vlut32(v26.b,v17.b,r1):nomatch; v23 = vmem(r5++#1) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v26.ub = vlsr(v22.ub,r0); v30 = vmem(r5++#1) }
{ v24.h = vasr(v18.w,v21.w,r0); v21.w = vrmpy(v24.ub,r10.b); v18.w = vrmpy(v19.ub,r10.b); v19.b = vlut32(v27.b,v17.b,r1):nomatch }
{ v24.h = vsub(v24.h,v29.h); v22.b = vlut32(v22.b,v17.b,r1):nomatch; v27.ub = vlsr(v28.ub,r0); v31 = vmem(r5++#1) }
{ v21.w += vrmpy(v20.ub,r11.b); v18.w += vrmpy(v19.ub,r11.b); v19.b = vlut32(v26.b,v17.b,r1):nomatch; v20.ub = vlsr(v23.ub,r0) }
{ v3:2.w += vmpy(v24.h,v25.h); v24.b = vlut32(v27.b,v17.b,r1):nomatch; v25.ub = vlsr(v30.ub,r0) }
{ v21.w += vrmpy(v22.ub,r12.b); v18.w += vrmpy(v19.ub,r12.b); v19.b = vlut32(v28.b,v17.b,r1):nomatch; v22 = vmem(r5++#1) }
{ v11.w += vasr(v3.w,r2); v26.b = vlut32(v30.b,v17.b,r1):nomatch; v27 = vmem(r5++#1) }
{ v10.w += vasr(v2.w,r2); v21.w += vrmpy(v19.ub,r13.b); v18.w += vrmpy(v24.ub,r13.b); v19.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v23.b = vlut32(v25.b,v17.b,r1):nomatch; v24.h = vmpy(v27.h,r14.h):<<1:rnd:sat }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v25.ub = vlsr(v31.ub,r0) }
{ v27.b = vlut32(v31.b,v17.b,r1):nomatch; v28.ub = vlsr(v22.ub,r0); v30 = vmem(r6++#1) }
{ v21.w += vrmpy(v19.ub,r16.b); v18.w += vrmpy(v20.ub,r16.b); v19.b = vlut32(v25.b,v17.b,r1):nomatch; v20 = vmem(r6++#1) }
{ v21.w += vrmpy(v26.ub,r17.b); v18.w += vrmpy(v23.ub,r17.b); v23.b = vlut32(v28.b,v17.b,r1):nomatch; v25.ub = vlsr(v30.ub,r0) }
{ v21.w += vrmpy(v27.ub,r18.b); v18.w += vrmpy(v19.ub,r18.b); v19.b = vlut32(v22.b,v17.b,r1):nomatch }
{ v22.b = vlut32(v25.b,v17.b,r1):nomatch; v25.ub = vlsr(v20.ub,r0); v26 = vmem(r6++#1) }
{ v21.w += vrmpy(v19.ub,r19.b); v18.w += vrmpy(v23.ub,r19.b); v19.b = vlut32(v30.b,v17.b,r1):nomatch; v23 = vmem(r6++#1) }
{ v25.b = vlut32(v25.b,v17.b,r1):nomatch; v27.ub = vlsr(v26.ub,r0); v28 = vmem(r6++#1) }
{ v19.h = vasr(v18.w,v21.w,r0); v30.w = vrmpy(v19.ub,r10.b); v26.w = vrmpy(v22.ub,r10.b); v18.b = vlut32(v26.b,v17.b,r1):nomatch }
{ v20.h = vsub(v19.h,v29.h); v19.b = vlut32(v20.b,v17.b,r1):nomatch; v21.ub = vlsr(v23.ub,r0); v22 = vmem(r6++#1) }
{ v27.b = vlut32(v27.b,v17.b,r1):nomatch; v31.ub = vlsr(v28.ub,r0) }
{ v5:4.w += vmpy(v20.h,v24.h); v20.b = vlut32(v23.b,v17.b,r1):nomatch; v23.ub = vlsr(v22.ub,r0) }
{ v30.w += vrmpy(v19.ub,r11.b); v26.w += vrmpy(v25.ub,r11.b); v19.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = vmem(r6++#1) }
{ v12.w += vasr(v4.w,r2); v30.w += vrmpy(v18.ub,r12.b); v26.w += vrmpy(v27.ub,r12.b); v18.b = vlut32(v28.b,v17.b,r1):nomatch }
{ v13.w += vasr(v5.w,r2); v30.w += vrmpy(v20.ub,r13.b); v26.w += vrmpy(v19.ub,r13.b); v19.b = vlut32(v31.b,v17.b,r1):nomatch }
{ v20.b = vlut32(v22.b,v17.b,r1):nomatch; v22 = vmem(r6++#1) }
{ v30.w += vrmpy(v18.ub,r16.b); v26.w += vrmpy(v19.ub,r16.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch; v19.ub = vlsr(v21.ub,r0) }
{ v23.b = vlut32(v21.b,v17.b,r1):nomatch; v21.ub = vlsr(v22.ub,r0) }
{ v30.w += vrmpy(v20.ub,r17.b); v26.w += vrmpy(v18.ub,r17.b); v24.b = vlut32(v19.b,v17.b,r1):nomatch; v20 = vmem(r6++#1) }:endloop0
{ v27.b = vlut32(v21.b,v17.b,r1):nomatch }
{ v28.b = vlut32(v22.b,v17.b,r1):nomatch }
{ v31.h = vmpy(v20.h,r14.h):<<1:rnd:sat }
{ v30.w += vrmpy(v23.ub,r18.b); v26.w += vrmpy(v24.ub,r18.b) }
{ v30.w += vrmpy(v28.ub,r19.b); v26.w += vrmpy(v27.ub,r19.b) }
{ v26.h = vasr(v26.w,v30.w,r0) }
{ v27.h = vsub(v26.h,v29.h) }
{ v7:6.w += vmpy(v27.h,v31.h) }
{ v14.w += vasr(v6.w,r2) }
{ v15.w += vasr(v7.w,r2) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ vmem(r28+#2) = v10; r21:20 = memd(r29+#16) }
{ vmem(r28+#3) = v11; r23:22 = memd(r29+#24) }
{ vmem(r28+#4) = v12; r25:24 = memd(r29+#32) }
{ vmem(r28+#5) = v13; r27:26 = memd(r29+#40) }
{ vmem(r28+#6) = v14 }
{ vmem(r28+#7) = v15 }
{ dealloc_return }
.size hvx_sum_mxfp4_tiles, .-hvx_sum_mxfp4_tiles

// 65 packets (64 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_mxfp4_tile
.hidden hvx_sum_mxfp4_tile
.type hvx_sum_mxfp4_tile,@function
hvx_sum_mxfp4_tile:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); r0 = ##4 }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##8 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_mxfp4_tile,r30); r27 = memw(r28+#60); v8 = vmem(r31+#0) }
{ v9 = vmem(r31+#1); memw(r29+#48) = r31; r1 = ##0 }
{ r3 = memw(r28+#0); r4 = memw(r28+#16) }
{ v17 = vmem(r27+#0); r5 = memw(r28+#32) }
{ r2 = memw(r28+#52) }
{ v18 = vmem(r3++#1) }
{ v19 = v16; v20 = vmem(r3++#1) }
{ v22.ub = vlsr(v18.ub,r0); v21.b = vlut32(v18.b,v17.b,r1):nomatch; r7:6 = memd(r4++#8); v18 = v16 }
{ v23.ub = vlsr(v20.ub,r0); v20.b = vlut32(v20.b,v17.b,r1):nomatch; v24 = vmem(r3++#1); r9:8 = memd(r4++#8) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v25 = vmem(r3++#1) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v26.ub = vlsr(v24.ub,r0); v27 = vmem(r3++#1) }
{ v18.w += vrmpy(v21.ub,r6.b); v19.w += vrmpy(v22.ub,r6.b); v21.b = vlut32(v24.b,v17.b,r1):nomatch; v22.ub = vlsr(v25.ub,r0) }
{ v18.w += vrmpy(v20.ub,r7.b); v19.w += vrmpy(v23.ub,r7.b); v20.b = vlut32(v26.b,v17.b,r1):nomatch; v23.ub = vlsr(v27.ub,r0) }
{ v24.b = vlut32(v25.b,v17.b,r1):nomatch; v25 = vmem(r3++#1) }
{ v18.w += vrmpy(v21.ub,r8.b); v19.w += vrmpy(v20.ub,r8.b); v20.b = vlut32(v22.b,v17.b,r1):nomatch; r7:6 = memd(r4++#8) }
{ v21.b = vlut32(v23.b,v17.b,r1):nomatch; v22.ub = vlsr(v25.ub,r0); v23 = vmem(r3++#1) }
{ v18.w += vrmpy(v24.ub,r9.b); v19.w += vrmpy(v20.ub,r9.b); v20.b = vlut32(v27.b,v17.b,r1):nomatch; v24 = vmem(r3++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v26.ub = vlsr(v23.ub,r0) }
{ v18.w += vrmpy(v20.ub,r6.b); v19.w += vrmpy(v21.ub,r6.b); v20.b = vlut32(v25.b,v17.b,r1):nomatch; v21.ub = vlsr(v24.ub,r0) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; r9:8 = memd(r4++#8); v25 = vmem(r3++#1) }
{ v18.w += vrmpy(v20.ub,r7.b); v19.w += vrmpy(v22.ub,r7.b); v20.b = vlut32(v26.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; r7:6 = memd(r5++#8); v26 = vmem(r3++#1) }
{ v18.w += vrmpy(v23.ub,r8.b); v19.w += vrmpy(v20.ub,r8.b); v20.b = vlut32(v24.b,v17.b,r1):nomatch; v23.ub = vlsr(v22.ub,r0) }
{ v24.h = vmpy(v25.h,r6.h):<<1:rnd:sat; v22.b = vlut32(v22.b,v17.b,r1):nomatch; r11:10 = memd(r4++#8); v25.ub = vlsr(v26.ub,r0) }
{ v18.w += vrmpy(v20.ub,r9.b); v19.w += vrmpy(v21.ub,r9.b); v20.b = vlut32(v23.b,v17.b,r1):nomatch; v21 = vmem(r3++#1) }
{ v27 = vsplat(r7); v23.b = vlut32(v26.b,v17.b,r1):nomatch; v26 = vmem(r3++#1) }
{ v22.h = vasr(v19.w,v18.w,r0); v20.w = vrmpy(v22.ub,r10.b); v18.w = vrmpy(v20.ub,r10.b); v19.b = vlut32(v25.b,v17.b,r1):nomatch }
{ v22.h = vsub(v22.h,v27.h); v25.ub = vlsr(v21.ub,r0); v21.b = vlut32(v21.b,v17.b,r1):nomatch; v27 = vmem(r3++#1) }
{ v20.w += vrmpy(v23.ub,r11.b); v18.w += vrmpy(v19.ub,r11.b); v23.ub = vlsr(v26.ub,r0); v19.b = vlut32(v26.b,v17.b,r1):nomatch }
{ v1:0.w = vmpy(v22.h,v24.h); v22.b = vlut32(v25.b,v17.b,r1):nomatch; r7:6 = memd(r4++#8) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v24.ub = vlsr(v27.ub,r0); r9:8 = memd(r4++#8); v25 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r6.b); v18.w += vrmpy(v22.ub,r6.b); v21.b = vlut32(v27.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v20.w += vrmpy(v19.ub,r7.b); v18.w += vrmpy(v23.ub,r7.b); v19.b = vlut32(v24.b,v17.b,r1):nomatch; v23.ub = vlsr(v25.ub,r0) }
{ v24.b = vlut32(v25.b,v17.b,r1):nomatch; v25 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r8.b); v18.w += vrmpy(v19.ub,r8.b); v19.b = vlut32(v23.b,v17.b,r1):nomatch; v21.ub = vlsr(v22.ub,r0) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; r7:6 = memd(r4++#8); v23.ub = vlsr(v25.ub,r0); v26 = vmem(r3++#1) }
{ v20.w += vrmpy(v24.ub,r9.b); v18.w += vrmpy(v19.ub,r9.b); v19.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = vmem(r3++#1) }
{ v24.b = vlut32(v23.b,v17.b,r1):nomatch; r9:8 = memd(r5++#8); v27 = v16; v23 = v16 }
{ v20.w += vrmpy(v22.ub,r6.b); v18.w += vrmpy(v19.ub,r6.b); v19.b = vlut32(v25.b,v17.b,r1):nomatch; v22.ub = vlsr(v21.ub,r0) }
{ v25.h = vmpy(v26.h,r8.h):<<1:rnd:sat; v21.b = vlut32(v21.b,v17.b,r1):nomatch; r11:10 = memd(r4++#8); v26 = vmem(r3++#1) }
{ v20.w += vrmpy(v19.ub,r7.b); v18.w += vrmpy(v24.ub,r7.b); v19.b = vlut32(v22.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v29 = vsplat(r9); v26.ub = vlsr(v26.ub,r0); v24.b = vlut32(v26.b,v17.b,r1):nomatch; v28 = vmem(r3++#1) }
{ v19.h = vasr(v18.w,v20.w,r0); v27.w += vrmpy(v21.ub,r10.b); v23.w += vrmpy(v19.ub,r10.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch }
{ v20.h = vsub(v19.h,v29.h); v19.b = vlut32(v26.b,v17.b,r1):nomatch; v21.ub = vlsr(v22.ub,r0); v22 = vmem(r3++#1) }
{ r7:6 = memd(r4++#8); v28.ub = vlsr(v28.ub,r0); v26.b = vlut32(v28.b,v17.b,r1):nomatch; v29 = vmem(r3++#1) }
{ v1:0.w += vmpy(v20.h,v25.h); v20.b = vlut32(v21.b,v17.b,r1):nomatch; v21.ub = vlsr(v22.ub,r0); r9:8 = memd(r4++#8) }
{ v27.w += vrmpy(v24.ub,r11.b); v23.w += vrmpy(v19.ub,r11.b); v19.b = vlut32(v28.b,v17.b,r1):nomatch; v24.ub = vlsr(v29.ub,r0) }
{ v27.w += vrmpy(v18.ub,r6.b); v23.w += vrmpy(v20.ub,r6.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v20 = vmem(r3++#1) }
{ v27.w += vrmpy(v26.ub,r7.b); v23.w += vrmpy(v19.ub,r7.b); v19.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = vmem(r3++#1) }
{ v22.b = vlut32(v29.b,v17.b,r1):nomatch; v25.ub = vlsr(v20.ub,r0); v26 = vmem(r3++#1); r7:6 = memd(r5++#8) }
{ v27.w += vrmpy(v18.ub,r8.b); v23.w += vrmpy(v19.ub,r8.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch }
{ v19.b = vlut32(v25.b,v17.b,r1):nomatch; r11:10 = memd(r4++#8); v25.ub = vlsr(v21.ub,r0); v24.h = vmpy(v26.h,r6.h):<<1:rnd:sat }
{ v27.w += vrmpy(v22.ub,r9.b); v23.w += vrmpy(v18.ub,r9.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20 = vmem(r3++#1) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v26 = vsplat(r7); v22 = vmem(r3++#1) }
{ v27.w += vrmpy(v18.ub,r10.b); v23.w += vrmpy(v19.ub,r10.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v19.ub = vlsr(v20.ub,r0) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; r7:6 = memd(r4++#8); v25 = vmem(r3++#1) }
{ v27.w += vrmpy(v21.ub,r11.b); v23.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19.ub = vlsr(v22.ub,r0) }
{ v21.b = vlut32(v22.b,v17.b,r1):nomatch; v22.ub = vlsr(v25.ub,r0); r9:8 = memd(r4++#8); v28 = vmem(r3++#1) }
{ v19.h = vasr(v23.w,v27.w,r0); v30.w = vrmpy(v20.ub,r6.b); v29.w = vrmpy(v18.ub,r6.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v20.h = vsub(v19.h,v26.h); v19.b = vlut32(v25.b,v17.b,r1):nomatch; v23.ub = vlsr(v28.ub,r0); v25 = vmem(r3++#1) }
{ v30.w += vrmpy(v21.ub,r7.b); v29.w += vrmpy(v18.ub,r7.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v21 = vmem(r3++#1) }
{ v1:0.w += vmpy(v20.h,v24.h); v20.b = vlut32(v28.b,v17.b,r1):nomatch; v22.ub = vlsr(v25.ub,r0) }
{ v30.w += vrmpy(v19.ub,r8.b); v29.w += vrmpy(v18.ub,r8.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v19.b = vlut32(v22.b,v17.b,r1):nomatch; r7:6 = memd(r4++#8); v22.ub = vlsr(v21.ub,r0) }
{ v30.w += vrmpy(v20.ub,r9.b); v29.w += vrmpy(v18.ub,r9.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v20 = vmem(r3++#1) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v23 = vmem(r3++#1) }
{ v30.w += vrmpy(v18.ub,r6.b); v29.w += vrmpy(v19.ub,r6.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v19.ub = vlsr(v20.ub,r0) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v22 = vmem(r3++#1); r11:10 = memd(r5++#8) }
{ v30.w += vrmpy(v21.ub,r7.b); v29.w += vrmpy(v18.ub,r7.b); v19.b = vlut32(v19.b,v17.b,r1):nomatch; v18.ub = vlsr(v23.ub,r0) }
{ r13:12 = memd(r4++#8); v25.b = vlut32(v23.b,v17.b,r1):nomatch; v28.h = vmpy(v22.h,r10.h):<<1:rnd:sat }
.Lhvx_sum_mxfp4_tile:
{ v18 = vmem(r3++#1); v26.b = vlut32(v18.b,v17.b,r1):nomatch }
{ v19 = v16; v20 = vmem(r3++#1); v30.w += vrmpy(v20.ub,r12.b); v29.w += vrmpy(v19.ub,r12.b) }
{ v22.ub = vlsr(v18.ub,r0); v21.b = vlut32(v18.b,v17.b,r1):nomatch; r7:6 = memd(r4++#8); v18 = v16 }
{ v23.ub = vlsr(v20.ub,r0); v20.b = vlut32(v20.b,v17.b,r1):nomatch; v24 = vmem(r3++#1); r9:8 = memd(r4++#8) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v25 = vmem(r3++#1); v30.w += vrmpy(v25.ub,r13.b); v29.w += vrmpy(v26.ub,r13.b) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v26.ub = vlsr(v24.ub,r0); v27 = vmem(r3++#1); v31 = vsplat(r11) }
{ v18.w += vrmpy(v21.ub,r6.b); v19.w += vrmpy(v22.ub,r6.b); v21.b = vlut32(v24.b,v17.b,r1):nomatch; v22.ub = vlsr(v25.ub,r0) }
{ v18.w += vrmpy(v20.ub,r7.b); v19.w += vrmpy(v23.ub,r7.b); v20.b = vlut32(v26.b,v17.b,r1):nomatch; v23.ub = vlsr(v27.ub,r0) }
{ v24.b = vlut32(v25.b,v17.b,r1):nomatch; v25 = vmem(r3++#1); v26.h = vasr(v29.w,v30.w,r0) }
{ v18.w += vrmpy(v21.ub,r8.b); v19.w += vrmpy(v20.ub,r8.b); v20.b = vlut32(v22.b,v17.b,r1):nomatch; r7:6 = memd(r4++#8) }
{ v21.b = vlut32(v23.b,v17.b,r1):nomatch; v22.ub = vlsr(v25.ub,r0); v23 = vmem(r3++#1); v26.h = vsub(v26.h,v31.h) }
{ v18.w += vrmpy(v24.ub,r9.b); v19.w += vrmpy(v20.ub,r9.b); v20.b = vlut32(v27.b,v17.b,r1):nomatch; v24 = vmem(r3++#1) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; v26.ub = vlsr(v23.ub,r0); v1:0.w += vmpy(v26.h,v28.h) }
{ v18.w += vrmpy(v20.ub,r6.b); v19.w += vrmpy(v21.ub,r6.b); v20.b = vlut32(v25.b,v17.b,r1):nomatch; v21.ub = vlsr(v24.ub,r0) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; r9:8 = memd(r4++#8); v25 = vmem(r3++#1); v8.w += vasr(v0.w,r2) }
{ v18.w += vrmpy(v20.ub,r7.b); v19.w += vrmpy(v22.ub,r7.b); v20.b = vlut32(v26.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; r7:6 = memd(r5++#8); v26 = vmem(r3++#1) }
{ v18.w += vrmpy(v23.ub,r8.b); v19.w += vrmpy(v20.ub,r8.b); v20.b = vlut32(v24.b,v17.b,r1):nomatch; v23.ub = vlsr(v22.ub,r0) }
{ v24.h = vmpy(v25.h,r6.h):<<1:rnd:sat; v22.b = vlut32(v22.b,v17.b,r1):nomatch; r11:10 = memd(r4++#8); v25.ub = vlsr(v26.ub,r0) }
{ v18.w += vrmpy(v20.ub,r9.b); v19.w += vrmpy(v21.ub,r9.b); v20.b = vlut32(v23.b,v17.b,r1):nomatch; v21 = vmem(r3++#1) }
{ v27 = vsplat(r7); v23.b = vlut32(v26.b,v17.b,r1):nomatch; v26 = vmem(r3++#1); v9.w += vasr(v1.w,r2) }
{ v22.h = vasr(v19.w,v18.w,r0); v20.w = vrmpy(v22.ub,r10.b); v18.w = vrmpy(v20.ub,r10.b); v19.b = vlut32(v25.b,v17.b,r1):nomatch }
{ v22.h = vsub(v22.h,v27.h); v25.ub = vlsr(v21.ub,r0); v21.b = vlut32(v21.b,v17.b,r1):nomatch; v27 = vmem(r3++#1) }
{ v20.w += vrmpy(v23.ub,r11.b); v18.w += vrmpy(v19.ub,r11.b); v23.ub = vlsr(v26.ub,r0); v19.b = vlut32(v26.b,v17.b,r1):nomatch }
{ v1:0.w = vmpy(v22.h,v24.h); v22.b = vlut32(v25.b,v17.b,r1):nomatch; r7:6 = memd(r4++#8) }
{ v23.b = vlut32(v23.b,v17.b,r1):nomatch; v24.ub = vlsr(v27.ub,r0); r9:8 = memd(r4++#8); v25 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r6.b); v18.w += vrmpy(v22.ub,r6.b); v21.b = vlut32(v27.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v20.w += vrmpy(v19.ub,r7.b); v18.w += vrmpy(v23.ub,r7.b); v19.b = vlut32(v24.b,v17.b,r1):nomatch; v23.ub = vlsr(v25.ub,r0) }
{ v24.b = vlut32(v25.b,v17.b,r1):nomatch; v25 = vmem(r3++#1) }
{ v20.w += vrmpy(v21.ub,r8.b); v18.w += vrmpy(v19.ub,r8.b); v19.b = vlut32(v23.b,v17.b,r1):nomatch; v21.ub = vlsr(v22.ub,r0) }
{ v22.b = vlut32(v22.b,v17.b,r1):nomatch; r7:6 = memd(r4++#8); v23.ub = vlsr(v25.ub,r0); v26 = vmem(r3++#1) }
{ v20.w += vrmpy(v24.ub,r9.b); v18.w += vrmpy(v19.ub,r9.b); v19.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = vmem(r3++#1) }
{ v24.b = vlut32(v23.b,v17.b,r1):nomatch; r9:8 = memd(r5++#8); v27 = v16; v23 = v16 }
{ v20.w += vrmpy(v22.ub,r6.b); v18.w += vrmpy(v19.ub,r6.b); v19.b = vlut32(v25.b,v17.b,r1):nomatch; v22.ub = vlsr(v21.ub,r0) }
{ v25.h = vmpy(v26.h,r8.h):<<1:rnd:sat; v21.b = vlut32(v21.b,v17.b,r1):nomatch; r11:10 = memd(r4++#8); v26 = vmem(r3++#1) }
{ v20.w += vrmpy(v19.ub,r7.b); v18.w += vrmpy(v24.ub,r7.b); v19.b = vlut32(v22.b,v17.b,r1):nomatch; v22 = vmem(r3++#1) }
{ v29 = vsplat(r9); v26.ub = vlsr(v26.ub,r0); v24.b = vlut32(v26.b,v17.b,r1):nomatch; v28 = vmem(r3++#1) }
{ v19.h = vasr(v18.w,v20.w,r0); v27.w += vrmpy(v21.ub,r10.b); v23.w += vrmpy(v19.ub,r10.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch }
{ v20.h = vsub(v19.h,v29.h); v19.b = vlut32(v26.b,v17.b,r1):nomatch; v21.ub = vlsr(v22.ub,r0); v22 = vmem(r3++#1) }
{ r7:6 = memd(r4++#8); v28.ub = vlsr(v28.ub,r0); v26.b = vlut32(v28.b,v17.b,r1):nomatch; v29 = vmem(r3++#1) }
{ v1:0.w += vmpy(v20.h,v25.h); v20.b = vlut32(v21.b,v17.b,r1):nomatch; v21.ub = vlsr(v22.ub,r0); r9:8 = memd(r4++#8) }
{ v27.w += vrmpy(v24.ub,r11.b); v23.w += vrmpy(v19.ub,r11.b); v19.b = vlut32(v28.b,v17.b,r1):nomatch; v24.ub = vlsr(v29.ub,r0) }
{ v27.w += vrmpy(v18.ub,r6.b); v23.w += vrmpy(v20.ub,r6.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v20 = vmem(r3++#1) }
{ v27.w += vrmpy(v26.ub,r7.b); v23.w += vrmpy(v19.ub,r7.b); v19.b = vlut32(v21.b,v17.b,r1):nomatch; v21 = vmem(r3++#1) }
{ v22.b = vlut32(v29.b,v17.b,r1):nomatch; v25.ub = vlsr(v20.ub,r0); v26 = vmem(r3++#1); r7:6 = memd(r5++#8) }
{ v27.w += vrmpy(v18.ub,r8.b); v23.w += vrmpy(v19.ub,r8.b); v18.b = vlut32(v24.b,v17.b,r1):nomatch }
{ v19.b = vlut32(v25.b,v17.b,r1):nomatch; r11:10 = memd(r4++#8); v25.ub = vlsr(v21.ub,r0); v24.h = vmpy(v26.h,r6.h):<<1:rnd:sat }
{ v27.w += vrmpy(v22.ub,r9.b); v23.w += vrmpy(v18.ub,r9.b); v18.b = vlut32(v20.b,v17.b,r1):nomatch; v20 = vmem(r3++#1) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v26 = vsplat(r7); v22 = vmem(r3++#1) }
{ v27.w += vrmpy(v18.ub,r10.b); v23.w += vrmpy(v19.ub,r10.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v19.ub = vlsr(v20.ub,r0) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; r7:6 = memd(r4++#8); v25 = vmem(r3++#1) }
{ v27.w += vrmpy(v21.ub,r11.b); v23.w += vrmpy(v18.ub,r11.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch; v19.ub = vlsr(v22.ub,r0) }
{ v21.b = vlut32(v22.b,v17.b,r1):nomatch; v22.ub = vlsr(v25.ub,r0); r9:8 = memd(r4++#8); v28 = vmem(r3++#1) }
{ v19.h = vasr(v23.w,v27.w,r0); v30.w = vrmpy(v20.ub,r6.b); v29.w = vrmpy(v18.ub,r6.b); v18.b = vlut32(v19.b,v17.b,r1):nomatch }
{ v20.h = vsub(v19.h,v26.h); v19.b = vlut32(v25.b,v17.b,r1):nomatch; v23.ub = vlsr(v28.ub,r0); v25 = vmem(r3++#1) }
{ v30.w += vrmpy(v21.ub,r7.b); v29.w += vrmpy(v18.ub,r7.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v21 = vmem(r3++#1) }
{ v1:0.w += vmpy(v20.h,v24.h); v20.b = vlut32(v28.b,v17.b,r1):nomatch; v22.ub = vlsr(v25.ub,r0) }
{ v30.w += vrmpy(v19.ub,r8.b); v29.w += vrmpy(v18.ub,r8.b); v18.b = vlut32(v23.b,v17.b,r1):nomatch }
{ v19.b = vlut32(v22.b,v17.b,r1):nomatch; r7:6 = memd(r4++#8); v22.ub = vlsr(v21.ub,r0) }
{ v30.w += vrmpy(v20.ub,r9.b); v29.w += vrmpy(v18.ub,r9.b); v18.b = vlut32(v25.b,v17.b,r1):nomatch; v20 = vmem(r3++#1) }
{ v21.b = vlut32(v21.b,v17.b,r1):nomatch; v23 = vmem(r3++#1) }
{ v30.w += vrmpy(v18.ub,r6.b); v29.w += vrmpy(v19.ub,r6.b); v18.b = vlut32(v22.b,v17.b,r1):nomatch; v19.ub = vlsr(v20.ub,r0) }
{ v20.b = vlut32(v20.b,v17.b,r1):nomatch; v22 = vmem(r3++#1); r11:10 = memd(r5++#8) }
{ v30.w += vrmpy(v21.ub,r7.b); v29.w += vrmpy(v18.ub,r7.b); v19.b = vlut32(v19.b,v17.b,r1):nomatch; v18.ub = vlsr(v23.ub,r0) }
{ r13:12 = memd(r4++#8); v25.b = vlut32(v23.b,v17.b,r1):nomatch; v28.h = vmpy(v22.h,r10.h):<<1:rnd:sat }:endloop0
{ v26.b = vlut32(v18.b,v17.b,r1):nomatch }
{ v30.w += vrmpy(v20.ub,r12.b); v29.w += vrmpy(v19.ub,r12.b) }
{ v30.w += vrmpy(v25.ub,r13.b); v29.w += vrmpy(v26.ub,r13.b) }
{ v31 = vsplat(r11) }
{ v26.h = vasr(v29.w,v30.w,r0) }
{ v26.h = vsub(v26.h,v31.h) }
{ v1:0.w += vmpy(v26.h,v28.h) }
{ v8.w += vasr(v0.w,r2) }
{ v9.w += vasr(v1.w,r2) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16) }
{ r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32) }
{ r27:26 = memd(r29+#40) }
{ dealloc_return }
.size hvx_sum_mxfp4_tile, .-hvx_sum_mxfp4_tile

// 281 packets (268 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q5_0_tiles
.hidden hvx_sum_q5_0_tiles
.type hvx_sum_q5_0_tiles,@function
hvx_sum_q5_0_tiles:
{ allocframe(#56); r28 = r0 }
{ r30 = memw(r28+#48); memd(r29+#0) = r17:16; r16 = ##522133279 }
{ memd(r29+#8) = r19:18; memd(r29+#16) = r21:20; v8 = vsplat(r16) }
{ memd(r29+#24) = r23:22; memd(r29+#32) = r25:24; r17 = ##50529027 }
{ memd(r29+#40) = r27:26; r30 = add(r30,#-1); v9 = vsplat(r17); r6 = memw(r28+#0) }
{ loop0(.Lhvx_sum_q5_0_tiles,r30); r18 = ##202116108 }
{ v10 = vsplat(r18); r19 = ##808464432; r7 = memw(r28+#4) }
{ v11 = vsplat(r19); r20 = ##3233857728; r6 = add(r6,#512) }
{ v12 = vsplat(r20); r21 = ##1; r8 = memw(r28+#8) }
{ v13 = vsplat(r21); r22 = ##9; r7 = add(r7,#512) }
{ v14 = vsplat(r22); r0 = ##2; r9 = memw(r28+#12) }
{ r1 = ##3; r2 = ##4 }
{ r3 = ##6; r4 = ##1 }
{ r8 = add(r8,#512); r9 = add(r9,#512); r10 = memw(r28+#16); r11 = memw(r28+#32) }
{ r5 = memw(r28+#52); r12 = memw(r28+#56) }
{ v15 = v13; v16 = vmem(r6+#4) }
{ v17 = v14; r15:14 = memd(r10++#8); v19 = vmem(r6+#-4); v18 = vand(v16,v12) }
{ v20 = vand(v19,v8); v21 = vmem(r6+#-3); r17:16 = memd(r11++#8) }
{ v17.w += vrmpy(v19.ub,r14.b); v19 = vand(v16,v9); v23 = vand(v21,v8); v22 = vand(v16,v10) }
{ v15.w += vrmpy(v20.ub,r14.b); v17.w += vrmpy(v21.ub,r15.b); v20 = vmem(r6+#-2); v16 = vand(v16,v11) }
{ v15.w += vrmpy(v23.ub,r15.b); r19:18 = memd(r10++#8); v21 = vand(v20,v8); v23 = vmem(r6+#-1) }
{ v19.w = vrmpy(v19.ub,r14.b); v22.w = vrmpy(v22.ub,r15.b); v25 = vand(v23,v8); v24 = vmem(r6+#5) }
{ v17.w += vrmpy(v20.ub,r18.b); v15.w += vrmpy(v21.ub,r18.b); r21:20 = memd(r10++#8); v20 = vand(v24,v10) }
{ v17.w += vrmpy(v23.ub,r19.b); v15.w += vrmpy(v25.ub,r19.b); v23 = vmem(r6+#0); v21 = vand(v24,v9) }
{ v16.w = vrmpy(v16.ub,r18.b); v18.w = vrmpy(v18.ub,r19.b); v25 = vand(v23,v8); v26 = vmem(r6+#1) }
{ v17.w += vrmpy(v23.ub,r20.b); v23 = vand(v26,v8); r23:22 = memd(r10++#8); v27 = vmem(r6+#2) }
{ v15.w += vrmpy(v25.ub,r20.b); v17.w += vrmpy(v26.ub,r21.b); v25 = vand(v27,v8); v26 = vmem(r6+#3) }
{ v15.w += vrmpy(v23.ub,r21.b); v17.w += vrmpy(v27.ub,r22.b); v23 = vand(v24,v11); v24 = vand(v24,v12) }
{ v15.w += vrmpy(v25.ub,r22.b); v25 = vand(v26,v8); v17.w += vrmpy(v26.ub,r23.b); v26 = vmem(r6+#6) }
{ v19.w += vrmpy(v21.ub,r20.b); v22.w += vrmpy(v20.ub,r21.b); r6 = add(r6,#1408); v20 = v13 }
{ v15.w += vrmpy(v25.ub,r23.b); v19 = v19; v25 = vsplat(r17); v21 = vmem(r7+#4) }
{ v16.w += vrmpy(v23.ub,r22.b); v18.w += vrmpy(v24.ub,r23.b); v17.w = vsub(v17.w,v15.w); v23 = vmem(r7+#-4) }
{ v24 = v14; v27 = vand(v23,v8); v26.h = vmpy(v26.h,r16.h):<<1:rnd:sat }
{ v19.w += vasr(v17.w,r1); v24.w += vrmpy(v23.ub,r14.b); v17 = vand(v21,v9); v23 = vmem(r7+#-3) }
{ v19.w += vasr(v22.w,r0); v20.w += vrmpy(v27.ub,r14.b); v22 = vand(v23,v8); v27 = vmem(r7+#-2) }
{ v19.w += vasr(v16.w,r2); v24.w += vrmpy(v23.ub,r15.b); v16 = vand(v21,v10); v23 = vand(v27,v8) }
{ v19.w += vasr(v18.w,r3); v20.w += vrmpy(v22.ub,r15.b); v24.w += vrmpy(v27.ub,r18.b); v18 = vmem(r7+#-1) }
{ v20.w += vrmpy(v23.ub,r18.b); v27 = vand(v18,v8); v23 = vand(v21,v12); v22 = vmem(r7+#5) }
{ v17.h = vasr(v19.w,v15.w,r4); v15.w = vrmpy(v17.ub,r14.b); v16.w = vrmpy(v16.ub,r15.b); v19 = vmem(r7+#0) }
{ v17.h = vsub(v17.h,v25.h); v18 = vand(v21,v11); v24.w += vrmpy(v18.ub,r19.b); v20.w += vrmpy(v27.ub,r19.b) }
{ v21 = vand(v19,v8); v24.w += vrmpy(v19.ub,r20.b); v27 = vmem(r7+#1); v19 = vand(v22,v10) }
{ v1:0.w = vmpy(v17.h,v26.h); v17 = vand(v22,v9); v26 = vmem(r7+#2) }
{ v18.w = vrmpy(v18.ub,r18.b); v23.w = vrmpy(v23.ub,r19.b); v28 = vand(v27,v8); v29 = vmem(r7+#3) }
{ v20.w += vrmpy(v21.ub,r20.b); v24.w += vrmpy(v27.ub,r21.b); v21 = vand(v26,v8); v27 = vand(v29,v8) }
{ v15.w += vrmpy(v17.ub,r20.b); v16.w += vrmpy(v19.ub,r21.b); v17 = vand(v22,v12); v19 = vmem(r7+#6) }
{ v20.w += vrmpy(v28.ub,r21.b); v24.w += vrmpy(v26.ub,r22.b); v15 = v15; r7 = add(r7,#1408) }
{ v20.w += vrmpy(v21.ub,r22.b); v22 = vand(v22,v11); v24.w += vrmpy(v29.ub,r23.b); v21 = v13 }
{ v20.w += vrmpy(v27.ub,r23.b); v26 = v14; v27 = vmem(r8+#4) }
{ v18.w += vrmpy(v22.ub,r22.b); v23.w += vrmpy(v17.ub,r23.b); v17.w = vsub(v24.w,v20.w); v22 = vmem(r8+#-4) }
{ v24 = vand(v22,v8); v28 = vmem(r8+#-3); v19.h = vmpy(v19.h,r16.h):<<1:rnd:sat }
{ v15.w += vasr(v17.w,r1); v26.w += vrmpy(v22.ub,r14.b); v17 = vand(v27,v9); v22 = vand(v27,v10) }
{ v15.w += vasr(v16.w,r0); v21.w += vrmpy(v24.ub,r14.b); v16 = vand(v28,v8); v26.w += vrmpy(v28.ub,r15.b) }
{ v15.w += vasr(v18.w,r2); v17.w = vrmpy(v17.ub,r14.b); v18.w = vrmpy(v22.ub,r15.b); v22 = vand(v27,v11) }
{ v15.w += vasr(v23.w,r3); v21.w += vrmpy(v16.ub,r15.b); v23 = vmem(r8+#-2); v16 = vand(v27,v12) }
{ v24 = vand(v23,v8); v27 = vmem(r8+#-1) }
{ v15.h = vasr(v15.w,v20.w,r4); v26.w += vrmpy(v23.ub,r18.b); v23 = vand(v27,v8); v20 = vmem(r8+#5) }
{ v15.h = vsub(v15.h,v25.h); v21.w += vrmpy(v24.ub,r18.b); v26.w += vrmpy(v27.ub,r19.b); v24 = vmem(r8+#0) }
{ v21.w += vrmpy(v23.ub,r19.b); v27 = vand(v24,v8); v23 = vand(v20,v9); v28 = vmem(r8+#1) }
{ v3:2.w = vmpy(v15.h,v19.h); v15 = vand(v20,v10); v19 = vand(v20,v11) }
{ v16.w = vrmpy(v22.ub,r18.b); v22.w = vrmpy(v16.ub,r19.b); v29 = vand(v28,v8); v30 = vmem(r8+#2) }
{ v26.w += vrmpy(v24.ub,r20.b); v21.w += vrmpy(v27.ub,r20.b); v24 = vand(v30,v8); v27 = vmem(r8+#3) }
{ v17.w += vrmpy(v23.ub,r20.b); v18.w += vrmpy(v15.ub,r21.b); v20 = vand(v27,v8); v15 = vand(v20,v12) }
{ v26.w += vrmpy(v28.ub,r21.b); v21.w += vrmpy(v29.ub,r21.b); v17 = v17; v23 = vmem(r8+#6) }
{ v26.w += vrmpy(v30.ub,r22.b); v21.w += vrmpy(v24.ub,r22.b); r8 = add(r8,#1408); v24 = vmem(r9+#4) }
{ v26.w += vrmpy(v27.ub,r23.b); v21.w += vrmpy(v20.ub,r23.b); v20 = v13; v27 = vmem(r9+#-4) }
{ v16.w += vrmpy(v19.ub,r22.b); v22.w += vrmpy(v15.ub,r23.b); v15.w = vsub(v26.w,v21.w); v19 = vand(v27,v8) }
{ v23 = v14; v28 = vand(v24,v9); v26.h = vmpy(v23.h,r16.h):<<1:rnd:sat }
{ v17.w += vasr(v15.w,r1); v23.w += vrmpy(v27.ub,r14.b); v20.w += vrmpy(v19.ub,r14.b); v15 = vmem(r9+#-3) }
{ v17.w += vasr(v18.w,r0); v27 = vand(v15,v8); v18 = vand(v24,v10); v19 = vand(v24,v11) }
{ v17.w += vasr(v16.w,r2); v23.w += vrmpy(v15.ub,r15.b); v16 = vmem(r9+#-2); v15 = vand(v24,v12) }
{ v17.w += vasr(v22.w,r3); v20.w += vrmpy(v27.ub,r15.b); v22 = vand(v16,v8); v24 = vmem(r9+#-1) }
{ v18.w = vrmpy(v28.ub,r14.b); v27.w = vrmpy(v18.ub,r15.b); v29 = vand(v24,v8); v28 = vmem(r9+#5) }
{ v16.h = vasr(v17.w,v21.w,r4); v23.w += vrmpy(v16.ub,r18.b); v20.w += vrmpy(v22.ub,r18.b); v17 = vmem(r9+#0) }
{ v16.h = vsub(v16.h,v25.h); v23.w += vrmpy(v24.ub,r19.b); v20.w += vrmpy(v29.ub,r19.b); v21 = vand(v17,v8) }
{ v15.w = vrmpy(v19.ub,r18.b); v19.w = vrmpy(v15.ub,r19.b); v22 = vand(v28,v9); v24 = vmem(r9+#1) }
{ v5:4.w = vmpy(v16.h,v26.h); v26 = vand(v24,v8); v16 = vand(v28,v10); r15:14 = memd(r10++#8) }
{ v23.w += vrmpy(v17.ub,r20.b); v20.w += vrmpy(v21.ub,r20.b); v21 = vmem(r9+#2); v17 = vand(v28,v11) }
{ v23.w += vrmpy(v24.ub,r21.b); v20.w += vrmpy(v26.ub,r21.b); v26 = vand(v21,v8); v24 = vand(v28,v12) }
{ v23.w += vrmpy(v21.ub,r22.b); v29 = vmem(r9+#3); v21 = v13; v28 = v14 }
{ v20.w += vrmpy(v26.ub,r22.b); v30 = vand(v29,v8); v26 = vmem(r6+#4); r19:18 = memd(r10++#8) }
{ v18.w += vrmpy(v22.ub,r20.b); v27.w += vrmpy(v16.ub,r21.b); v22 = vmem(r9+#6); v16 = vand(v26,v10) }
{ v23.w += vrmpy(v29.ub,r23.b); v20.w += vrmpy(v30.ub,r23.b); v18 = v18; r9 = add(r9,#1408) }
{ v15.w += vrmpy(v17.ub,r22.b); v19.w += vrmpy(v24.ub,r23.b); v17.w = vsub(v23.w,v20.w); v23 = vmem(r6+#-4) }
{ v29 = vand(v23,v8); v24 = vand(v26,v9); v22.h = vmpy(v22.h,r16.h):<<1:rnd:sat; r17:16 = memd(r10++#8) }
{ v18.w += vasr(v17.w,r1); v28.w += vrmpy(v23.ub,r14.b); v23 = vmem(r6+#-3); v17 = vand(v26,v11) }
{ v18.w += vasr(v27.w,r0); v21.w += vrmpy(v29.ub,r14.b); v27 = vand(v23,v8); v29 = vmem(r6+#-2) }
{ v18.w += vasr(v15.w,r2); v28.w += vrmpy(v23.ub,r15.b); v23 = vand(v29,v8); v15 = vand(v26,v12) }
{ v18.w += vasr(v19.w,r3); v21.w += vrmpy(v27.ub,r15.b); v28.w += vrmpy(v29.ub,r18.b); v19 = vmem(r6+#-1) }
{ v16.w = vrmpy(v24.ub,r14.b); v24.w = vrmpy(v16.ub,r15.b); v27 = vand(v19,v8); v26 = vmem(r6+#5) }
{ v18.h = vasr(v18.w,v20.w,r4); v21.w += vrmpy(v23.ub,r18.b); v28.w += vrmpy(v19.ub,r19.b); v19 = vmem(r6+#0) }
{ v18.h = vsub(v18.h,v25.h); v15.w = vrmpy(v17.ub,r18.b); v17.w = vrmpy(v15.ub,r19.b); v20 = vand(v19,v8) }
{ v21.w += vrmpy(v27.ub,r19.b); v28.w += vrmpy(v19.ub,r16.b); v19 = vand(v26,v9); v23 = vmem(r6+#1) }
{ v7:6.w = vmpy(v18.h,v22.h); v22 = vand(v23,v8); v18 = vand(v26,v10); r21:20 = memd(r10++#8) }
{ v21.w += vrmpy(v20.ub,r16.b); v28.w += vrmpy(v23.ub,r17.b); v23 = vmem(r6+#2); v20 = vand(v26,v11) }
{ v16.w += vrmpy(v19.ub,r16.b); v24.w += vrmpy(v18.ub,r17.b); v18 = vand(v23,v8); v19 = vmem(r6+#3) }
{ v21.w += vrmpy(v22.ub,r17.b); v28.w += vrmpy(v23.ub,r20.b); v22 = vand(v19,v8); v16 = v16 }
{ v21.w += vrmpy(v18.ub,r20.b); v28.w += vrmpy(v19.ub,r21.b); v18 = vand(v26,v12); v19 = vmem(r6+#6) }
{ v21.w += vrmpy(v22.ub,r21.b); r23:22 = memd(r11++#8); v22 = vmem(r7+#4) }
{ v15.w += vrmpy(v20.ub,r20.b); v17.w += vrmpy(v18.ub,r21.b); v18.w = vsub(v28.w,v21.w); v20 = vmem(r7+#-4) }
{ r6 = add(r6,#1408); v19 = v14; v25 = vand(v20,v8); v23.h = vmpy(v19.h,r22.h):<<1:rnd:sat }
{ v16.w += vasr(v18.w,r1); v18 = v13; v19.w += vrmpy(v20.ub,r14.b); v20 = vand(v22,v9) }
{ v16.w += vasr(v24.w,r0); v18.w += vrmpy(v25.ub,r14.b); v25 = vmem(r7+#-3); v24 = vand(v22,v10) }
{ v16.w += vasr(v15.w,r2); v26 = vand(v25,v8); v15 = vand(v22,v11); v22 = vand(v22,v12) }
{ v16.w += vasr(v17.w,r3); v17.w = vrmpy(v20.ub,r14.b); v20.w = vrmpy(v24.ub,r15.b); v24 = vmem(r7+#-2) }
{ v19.w += vrmpy(v25.ub,r15.b); v18.w += vrmpy(v26.ub,r15.b); v25 = vand(v24,v8); v26 = vmem(r7+#-1) }
{ v24 = vsplat(r23); v16.h = vasr(v16.w,v21.w,r4); v19.w += vrmpy(v24.ub,r18.b); v21 = vand(v26,v8) }
{ v16.h = vsub(v16.h,v24.h); v18.w += vrmpy(v25.ub,r18.b); v19.w += vrmpy(v26.ub,r19.b); v25 = vmem(r7+#5) }
{ v15.w = vrmpy(v15.ub,r18.b); v22.w = vrmpy(v22.ub,r19.b); v27 = vmem(r7+#0); v26 = vand(v25,v9) }
{ v1:0.w += vmpy(v16.h,v23.h); v16 = vand(v27,v8); v23 = vmem(r7+#1) }
{ v18.w += vrmpy(v21.ub,r19.b); v19.w += vrmpy(v27.ub,r16.b); v27 = vand(v23,v8); v21 = vand(v25,v10) }
{ v18.w += vrmpy(v16.ub,r16.b); v19.w += vrmpy(v23.ub,r17.b); v23 = vmem(r7+#2); v16 = vand(v25,v12) }
{ v17.w += vrmpy(v26.ub,r16.b); v20.w += vrmpy(v21.ub,r17.b); v21 = vand(v23,v8); v26 = vmem(r7+#3) }
{ v18.w += vrmpy(v27.ub,r17.b); v19.w += vrmpy(v23.ub,r20.b); v23 = vand(v26,v8); v17 = v17 }
{ v18.w += vrmpy(v21.ub,r20.b); v21 = vand(v25,v11); v19.w += vrmpy(v26.ub,r21.b); v25 = vmem(r7+#6) }
{ v18.w += vrmpy(v23.ub,r21.b); r7 = add(r7,#1408); v23 = v13; v26 = vmem(r8+#4) }
{ v15.w += vrmpy(v21.ub,r20.b); v22.w += vrmpy(v16.ub,r21.b); v16.w = vsub(v19.w,v18.w); v19 = v14 }
{ v27 = vmem(r8+#-4); v25 = vand(v26,v9); v21.h = vmpy(v25.h,r22.h):<<1:rnd:sat }
{ v17.w += vasr(v16.w,r1); v28 = vand(v27,v8); v16 = vand(v26,v10) }
{ v17.w += vasr(v20.w,r0); v19.w += vrmpy(v27.ub,r14.b); v27 = vmem(r8+#-3); v20 = vand(v26,v11) }
{ v17.w += vasr(v15.w,r2); v23.w += vrmpy(v28.ub,r14.b); v15 = vand(v27,v8); v28 = vmem(r8+#-2) }
{ v17.w += vasr(v22.w,r3); v16.w = vrmpy(v25.ub,r14.b); v22.w = vrmpy(v16.ub,r15.b); v25 = vand(v28,v8) }
{ v19.w += vrmpy(v27.ub,r15.b); v23.w += vrmpy(v15.ub,r15.b); v15 = vmem(r8+#-1) }
{ v17.h = vasr(v17.w,v18.w,r4); v19.w += vrmpy(v28.ub,r18.b); v23.w += vrmpy(v25.ub,r18.b); v18 = vand(v26,v12) }
{ v15.h = vsub(v17.h,v24.h); v25 = vand(v15,v8); v19.w += vrmpy(v15.ub,r19.b); v17 = vmem(r8+#5) }
{ v18.w = vrmpy(v20.ub,r18.b); v20.w = vrmpy(v18.ub,r19.b); v27 = vmem(r8+#0); v26 = vand(v17,v9) }
{ v3:2.w += vmpy(v15.h,v21.h); v15 = vand(v27,v8); v21 = vmem(r8+#1) }
{ v23.w += vrmpy(v25.ub,r19.b); v19.w += vrmpy(v27.ub,r16.b); v27 = vand(v21,v8); v25 = vand(v17,v10) }
{ v23.w += vrmpy(v15.ub,r16.b); v19.w += vrmpy(v21.ub,r17.b); v21 = vmem(r8+#2); v15 = vand(v17,v11) }
{ v23.w += vrmpy(v27.ub,r17.b); v27 = vand(v21,v8); v28 = vmem(r8+#3); v17 = vand(v17,v12) }
{ v16.w += vrmpy(v26.ub,r16.b); v22.w += vrmpy(v25.ub,r17.b); v25 = vand(v28,v8); v26 = vmem(r8+#6) }
{ v19.w += vrmpy(v21.ub,r20.b); v23.w += vrmpy(v27.ub,r20.b); v16 = v16; r8 = add(r8,#1408) }
{ v19.w += vrmpy(v28.ub,r21.b); v23.w += vrmpy(v25.ub,r21.b); v21 = v13; v25 = v14 }
{ v18.w += vrmpy(v15.ub,r20.b); v20.w += vrmpy(v17.ub,r21.b); v15.w = vsub(v19.w,v23.w); v17 = vmem(r9+#4) }
{ v27 = vmem(r9+#-4); v26 = vand(v17,v9); v19.h = vmpy(v26.h,r22.h):<<1:rnd:sat }
{ v16.w += vasr(v15.w,r1); v29 = vand(v27,v8); v15 = vand(v17,v11); v28 = vand(v17,v12) }
{ v16.w += vasr(v22.w,r0); v25.w += vrmpy(v27.ub,r14.b); v22 = vmem(r9+#-3); v17 = vand(v17,v10) }
{ v16.w += vasr(v18.w,r2); v21.w += vrmpy(v29.ub,r14.b); v18 = vand(v22,v8); v27 = vmem(r9+#-2) }
{ v16.w += vasr(v20.w,r3); v25.w += vrmpy(v22.ub,r15.b); v20 = vand(v27,v8); v22 = vmem(r9+#-1) }
{ v21.w += vrmpy(v18.ub,r15.b); v25.w += vrmpy(v27.ub,r18.b); v27 = vand(v22,v8); v18 = vmem(r9+#5) }
{ v23.h = vasr(v16.w,v23.w,r4); v16.w = vrmpy(v26.ub,r14.b); v17.w = vrmpy(v17.ub,r15.b); v26 = vmem(r9+#0) }
{ v20.h = vsub(v23.h,v24.h); v21.w += vrmpy(v20.ub,r18.b); v25.w += vrmpy(v22.ub,r19.b); v22 = vand(v26,v8) }
{ v21.w += vrmpy(v27.ub,r19.b); v23 = vand(v18,v9); v29 = vmem(r9+#1); v27 = vand(v18,v10) }
{ v5:4.w += vmpy(v20.h,v19.h); v19 = vand(v29,v8); v20 = vmem(r9+#2); r15:14 = memd(r10++#8) }
{ v15.w = vrmpy(v15.ub,r18.b); v28.w = vrmpy(v28.ub,r19.b); v31 = vand(v20,v8); v30 = vand(v18,v11) }
{ v25.w += vrmpy(v26.ub,r16.b); v21.w += vrmpy(v22.ub,r16.b); v22 = vmem(r9+#3); v18 = vand(v18,v12) }
{ v25.w += vrmpy(v29.ub,r17.b); v21.w += vrmpy(v19.ub,r17.b); v19 = vand(v22,v8); v26 = vmem(r9+#6) }
{ v25.w += vrmpy(v20.ub,r20.b); v21.w += vrmpy(v31.ub,r20.b); r9 = add(r9,#1408); v20 = vmem(r6+#4) }
{ v16.w += vrmpy(v23.ub,r16.b); v17.w += vrmpy(v27.ub,r17.b); v23 = v13; v27 = vmem(r6+#-4) }
{ v25.w += vrmpy(v22.ub,r21.b); v21.w += vrmpy(v19.ub,r21.b); v16 = v16; v19 = vand(v27,v8) }
{ v15.w += vrmpy(v30.ub,r20.b); v28.w += vrmpy(v18.ub,r21.b); v18.w = vsub(v25.w,v21.w); v22 = v14 }
{ v22.w += vrmpy(v27.ub,r14.b); v23.w += vrmpy(v19.ub,r14.b); v19 = vmem(r6+#-3) }
{ v16.w += vasr(v18.w,r1); v18 = vand(v20,v9); v25 = vand(v19,v8) }
{ v16.w += vasr(v17.w,r0); v22.w += vrmpy(v19.ub,r15.b); v17 = vand(v20,v10); v19 = vand(v20,v12) }
{ v16.w += vasr(v15.w,r2); v23.w += vrmpy(v25.ub,r15.b); r17:16 = memd(r10++#8); v15 = vmem(r6+#-2) }
{ v16.w += vasr(v28.w,r3); v17.w = vrmpy(v18.ub,r14.b); v18.w = vrmpy(v17.ub,r15.b); v25 = vand(v15,v8) }
{ v20.h = vmpy(v26.h,r22.h):<<1:rnd:sat; v26 = vand(v20,v11); v27 = vmem(r6+#-1); r19:18 = memd(r10++#8) }
{ v15.h = vasr(v16.w,v21.w,r4); v22.w += vrmpy(v15.ub,r16.b); v23.w += vrmpy(v25.ub,r16.b); v16 = vand(v27,v8) }
{ v21.h = vsub(v15.h,v24.h); v15.w = vrmpy(v26.ub,r16.b); v19.w = vrmpy(v19.ub,r17.b); v24 = vmem(r6+#5) }
{ v22.w += vrmpy(v27.ub,r17.b); v23.w += vrmpy(v16.ub,r17.b); v16 = vmem(r6+#0); r21:20 = memd(r10++#8) }
{ v7:6.w += vmpy(v21.h,v20.h); v21 = vand(v16,v8); v20 = vand(v24,v10); r23:22 = memd(r11++#8) }
{ v22.w += vrmpy(v16.ub,r18.b); v26 = vmem(r6+#1); v16 = vand(v24,v11); v25 = vand(v24,v12) }
{ v23.w += vrmpy(v21.ub,r18.b); v21 = vand(v24,v9); v24 = vand(v26,v8); v27 = vmem(r6+#2) }
{ v22.w += vrmpy(v26.ub,r19.b); v28 = vmem(r6+#3); v29 = vsplat(r23); v26 = v13 }
{ v23.w += vrmpy(v24.ub,r19.b); v24 = vand(v27,v8); v22.w += vrmpy(v27.ub,r20.b); v27 = vmem(r6+#6) }
{ v17.w += vrmpy(v21.ub,r18.b); v18.w += vrmpy(v20.ub,r19.b); v20 = vand(v28,v8); r6 = add(r6,#1408) }
{ v23.w += vrmpy(v24.ub,r20.b); v22.w += vrmpy(v28.ub,r21.b); v17 = v17; v21 = vmem(r7+#4) }
{ v23.w += vrmpy(v20.ub,r21.b); v20 = v14; v28 = vmem(r7+#-4); v24 = vand(v21,v10) }
{ v15.w += vrmpy(v16.ub,r20.b); v19.w += vrmpy(v25.ub,r21.b); v16.w = vsub(v22.w,v23.w); v22 = vand(v28,v8) }
{ v20.w += vrmpy(v28.ub,r14.b); v30 = vmem(r7+#-3); v25 = vand(v21,v11); v28 = vand(v21,v12) }
{ v17.w += vasr(v16.w,r1); v26.w += vrmpy(v22.ub,r14.b); v16 = vand(v30,v8); v22 = vmem(r7+#-2) }
{ v17.w += vasr(v18.w,r0); v18 = vand(v21,v9); v20.w += vrmpy(v30.ub,r15.b); v21 = vmem(r7+#-1) }
{ v17.w += vasr(v15.w,r2); v26.w += vrmpy(v16.ub,r15.b); v15 = vand(v22,v8); v20.w += vrmpy(v22.ub,r16.b) }
{ v17.w += vasr(v19.w,r3); v16.w = vrmpy(v18.ub,r14.b); v18.w = vrmpy(v24.ub,r15.b); v19 = vmem(r7+#5) }
{ v22.h = vmpy(v27.h,r22.h):<<1:rnd:sat; v24 = vand(v21,v8); v27 = vmem(r7+#0) }
{ v15.h = vasr(v17.w,v23.w,r4); v26.w += vrmpy(v15.ub,r16.b); v20.w += vrmpy(v21.ub,r17.b); v17 = vand(v19,v10) }
{ v15.h = vsub(v15.h,v29.h); v26.w += vrmpy(v24.ub,r17.b); v21 = vand(v27,v8); v20.w += vrmpy(v27.ub,r18.b) }
{ v23.w = vrmpy(v25.ub,r16.b); v24.w = vrmpy(v28.ub,r17.b); v25 = vand(v19,v9); v27 = vmem(r7+#1) }
{ v1:0.w += vmpy(v15.h,v22.h); v15 = vand(v27,v8); v22 = vmem(r7+#2) }
{ v26.w += vrmpy(v21.ub,r18.b); v20.w += vrmpy(v27.ub,r19.b); v27 = vand(v22,v8); v21 = vand(v19,v11) }
{ v26.w += vrmpy(v15.ub,r19.b); v20.w += vrmpy(v22.ub,r20.b); v19 = vmem(r7+#3); v15 = vand(v19,v12) }
{ v16.w += vrmpy(v25.ub,r18.b); v18.w += vrmpy(v17.ub,r19.b); v17 = vand(v19,v8); v22 = vmem(r7+#6) }
{ v26.w += vrmpy(v27.ub,r20.b); v20.w += vrmpy(v19.ub,r21.b); v16 = v16; r7 = add(r7,#1408) }
{ v26.w += vrmpy(v17.ub,r21.b); v17 = v13; v19 = v14; v25 = vmem(r8+#4) }
{ v23.w += vrmpy(v21.ub,r20.b); v24.w += vrmpy(v15.ub,r21.b); v15.w = vsub(v20.w,v26.w); v20 = vmem(r8+#-4) }
{ v22 = vand(v20,v8); v27 = vmem(r8+#-3); v21.h = vmpy(v22.h,r22.h):<<1:rnd:sat }
{ v16.w += vasr(v15.w,r1); v19.w += vrmpy(v20.ub,r14.b); v15 = vand(v25,v9); v20 = vand(v27,v8) }
{ v16.w += vasr(v18.w,r0); v17.w += vrmpy(v22.ub,r14.b); v19.w += vrmpy(v27.ub,r15.b); v18 = vand(v25,v10) }
{ v16.w += vasr(v23.w,r2); v17.w += vrmpy(v20.ub,r15.b); v20 = vmem(r8+#-2) }
{ v16.w += vasr(v24.w,r3); v15.w = vrmpy(v15.ub,r14.b); v18.w = vrmpy(v18.ub,r15.b); v22 = vand(v20,v8) }
{ v19.w += vrmpy(v20.ub,r16.b); v20 = vand(v25,v11); v24 = vmem(r8+#-1); v23 = vand(v25,v12) }
{ v16.h = vasr(v16.w,v26.w,r4); v17.w += vrmpy(v22.ub,r16.b); v25 = vand(v24,v8); v22 = vmem(r8+#5) }
{ v23.h = vsub(v16.h,v29.h); v16.w = vrmpy(v20.ub,r16.b); v20.w = vrmpy(v23.ub,r17.b); v26 = vmem(r8+#0) }
{ v19.w += vrmpy(v24.ub,r17.b); v17.w += vrmpy(v25.ub,r17.b); v25 = vand(v26,v8); v24 = vand(v22,v9) }
{ v3:2.w += vmpy(v23.h,v21.h); v23 = vmem(r8+#1); v21 = vand(v22,v10) }
{ v19.w += vrmpy(v26.ub,r18.b); v17.w += vrmpy(v25.ub,r18.b); v25 = vand(v23,v8); v26 = vmem(r8+#2) }
{ v15.w += vrmpy(v24.ub,r18.b); v18.w += vrmpy(v21.ub,r19.b); v24 = vand(v26,v8); v21 = vand(v22,v11) }
{ v19.w += vrmpy(v23.ub,r19.b); v17.w += vrmpy(v25.ub,r19.b); v23 = vmem(r8+#3); v22 = vand(v22,v12) }
{ v19.w += vrmpy(v26.ub,r20.b); v17.w += vrmpy(v24.ub,r20.b); v24 = vand(v23,v8); v15 = v15 }
{ v19.w += vrmpy(v23.ub,r21.b); v23 = v13; v25 = v14; v26 = vmem(r9+#4) }
{ v17.w += vrmpy(v24.ub,r21.b); v28 = vmem(r8+#6); v24 = vand(v26,v9); v27 = vand(v26,v10) }
{ v16.w += vrmpy(v21.ub,r20.b); v20.w += vrmpy(v22.ub,r21.b); v19.w = vsub(v19.w,v17.w); r8 = add(r8,#1408) }
{ v28 = vmem(r9+#-4); v21.h = vmpy(v28.h,r22.h):<<1:rnd:sat; v22 = vand(v26,v11) }
{ v15.w += vasr(v19.w,r1); v27 = vand(v28,v8); v19.w = vrmpy(v24.ub,r14.b); v24.w = vrmpy(v27.ub,r15.b) }
{ v15.w += vasr(v18.w,r0); v25.w += vrmpy(v28.ub,r14.b); v26 = vmem(r9+#-3); v18 = vand(v26,v12) }
{ v15.w += vasr(v16.w,r2); v23.w += vrmpy(v27.ub,r14.b); v16 = vand(v26,v8); v27 = vmem(r9+#-2) }
{ v15.w += vasr(v20.w,r3); v25.w += vrmpy(v26.ub,r15.b); v20 = vand(v27,v8); v26 = vmem(r9+#-1) }
{ v23.w += vrmpy(v16.ub,r15.b); v25.w += vrmpy(v27.ub,r16.b); v27 = vand(v26,v8); v16 = vmem(r9+#5) }
{ v15.h = vasr(v15.w,v17.w,r4); v23.w += vrmpy(v20.ub,r16.b); v25.w += vrmpy(v26.ub,r17.b); v17 = vand(v16,v9) }
{ v15.h = vsub(v15.h,v29.h); v23.w += vrmpy(v27.ub,r17.b); v26 = vmem(r9+#0); v20 = vand(v16,v10) }
{ v18.w = vrmpy(v22.ub,r16.b); v22.w = vrmpy(v18.ub,r17.b); v27 = vand(v26,v8); v28 = vmem(r9+#1) }
{ v5:4.w += vmpy(v15.h,v21.h); v15 = vand(v28,v8); v21 = vmem(r9+#2); r15:14 = memd(r10++#8) }
{ v25.w += vrmpy(v26.ub,r18.b); v23.w += vrmpy(v27.ub,r18.b); v26 = vand(v21,v8); v27 = vmem(r9+#3) }
{ v25.w += vrmpy(v28.ub,r19.b); v23.w += vrmpy(v15.ub,r19.b); v28 = vand(v27,v8); v15 = vand(v16,v12) }
{ v25.w += vrmpy(v21.ub,r20.b); v23.w += vrmpy(v26.ub,r20.b); v16 = vand(v16,v11); v21 = vmem(r9+#6) }
{ v19.w += vrmpy(v17.ub,r18.b); v24.w += vrmpy(v20.ub,r19.b); r9 = add(r9,#1408); v17 = v14 }
{ v25.w += vrmpy(v27.ub,r21.b); v23.w += vrmpy(v28.ub,r21.b); v19 = v19; v20 = v13 }
{ v18.w += vrmpy(v16.ub,r20.b); v22.w += vrmpy(v15.ub,r21.b); v15.w = vsub(v25.w,v23.w); v16 = vmem(r6+#4) }
{ v26 = vmem(r6+#-4); v25 = vand(v16,v9); v21.h = vmpy(v21.h,r22.h):<<1:rnd:sat; r17:16 = memd(r10++#8) }
{ v19.w += vasr(v15.w,r1); v28 = vand(v26,v8); v15 = vand(v16,v11); v27 = vand(v16,v12) }
{ v19.w += vasr(v24.w,r0); v17.w += vrmpy(v26.ub,r14.b); v24 = vmem(r6+#-3); v16 = vand(v16,v10) }
{ v19.w += vasr(v18.w,r2); v20.w += vrmpy(v28.ub,r14.b); v18 = vand(v24,v8); v26 = vmem(r6+#-2) }
{ v19.w += vasr(v22.w,r3); v17.w += vrmpy(v24.ub,r15.b); v22 = vand(v26,v8); v24 = vmem(r6+#-1) }
{ v20.w += vrmpy(v18.ub,r15.b); v17.w += vrmpy(v26.ub,r16.b); v26 = vand(v24,v8); v18 = vmem(r6+#5) }
{ v23.h = vasr(v19.w,v23.w,r4); v16.w = vrmpy(v25.ub,r14.b); v19.w = vrmpy(v16.ub,r15.b); v25 = vmem(r6+#0) }
{ v22.h = vsub(v23.h,v29.h); v20.w += vrmpy(v22.ub,r16.b); v17.w += vrmpy(v24.ub,r17.b); v23 = vand(v25,v8) }
{ v20.w += vrmpy(v26.ub,r17.b); r19:18 = memd(r10++#8); v24 = vand(v18,v9); v26 = vmem(r6+#1) }
{ v7:6.w += vmpy(v22.h,v21.h); v22 = vand(v26,v8); v21 = vand(v18,v10); r21:20 = memd(r10++#8) }
{ v15.w = vrmpy(v15.ub,r16.b); v27.w = vrmpy(v27.ub,r17.b); v29 = vmem(r6+#2); v28 = vand(v18,v11) }
{ v17.w += vrmpy(v25.ub,r18.b); v20.w += vrmpy(v23.ub,r18.b); v23 = vand(v29,v8); v25 = vmem(r6+#3) }
{ v17.w += vrmpy(v26.ub,r19.b); v20.w += vrmpy(v22.ub,r19.b); v22 = vand(v25,v8); v18 = vand(v18,v12) }
{ v16.w += vrmpy(v24.ub,r18.b); v19.w += vrmpy(v21.ub,r19.b); v21 = vmem(r6+#6); r23:22 = memd(r11++#8) }
{ v17.w += vrmpy(v29.ub,r20.b); v20.w += vrmpy(v23.ub,r20.b); v16 = v16; r6 = add(r6,#1408) }
{ v17.w += vrmpy(v25.ub,r21.b); v20.w += vrmpy(v22.ub,r21.b); v22 = v13; v23 = v14 }
{ v15.w += vrmpy(v28.ub,r20.b); v27.w += vrmpy(v18.ub,r21.b); v17.w = vsub(v17.w,v20.w); v18 = vmem(r7+#4) }
{ v28 = vsplat(r23); v26 = vmem(r7+#-4); v24 = vand(v18,v9); v25 = vand(v18,v10) }
{ v16.w += vasr(v17.w,r1); v21 = vmem(r7+#-3); v17.h = vmpy(v21.h,r22.h):<<1:rnd:sat }
{ v16.w += vasr(v19.w,r0); v19 = vand(v26,v8); v23.w += vrmpy(v26.ub,r14.b); v26 = vand(v21,v8) }
{ v16.w += vasr(v15.w,r2); v23.w += vrmpy(v21.ub,r15.b); v21 = vmem(r7+#-2); v15 = vand(v18,v11) }
{ v16.w += vasr(v27.w,r3); v22.w += vrmpy(v19.ub,r14.b); v27 = vmem(r12+#1); v19 = vand(v21,v8) }
{ v18.w = vrmpy(v24.ub,r14.b); v24.w = vrmpy(v25.ub,r15.b); v29 = vmem(r12+#0); v25 = vand(v18,v12) }
{ v16.h = vasr(v16.w,v20.w,r4); v22.w += vrmpy(v26.ub,r15.b); v23.w += vrmpy(v21.ub,r16.b); v20 = vmem(r7+#-1) }
{ v16.h = vsub(v16.h,v28.h); v22.w += vrmpy(v19.ub,r16.b); v21 = vand(v20,v8); v19 = vmem(r7+#5) }
{ v23.w += vrmpy(v20.ub,r17.b); v30 = vmem(r7+#0); v20 = vand(v19,v9); v26 = vand(v19,v10) }
{ v1:0.w += vmpy(v16.h,v17.h); v16 = vand(v30,v8); v17 = vmem(r7+#1) }
{ v22.w += vrmpy(v21.ub,r17.b); v23.w += vrmpy(v30.ub,r18.b); v30 = vand(v17,v8); v21 = vand(v19,v11) }
{ v29.w += vasr(v0.w,r5); v15.w = vrmpy(v15.ub,r16.b); v25.w = vrmpy(v25.ub,r17.b); v31 = vmem(r7+#2) }
{ vmem(r12+#0) = v29; v27.w += vasr(v1.w,r5); v22.w += vrmpy(v16.ub,r18.b); v23.w += vrmpy(v17.ub,r19.b) }
{ vmem(r12+#1) = v27; v18.w += vrmpy(v20.ub,r18.b); v24.w += vrmpy(v26.ub,r19.b); v16 = vand(v31,v8) }
{ v22.w += vrmpy(v30.ub,r19.b); v23.w += vrmpy(v31.ub,r20.b); v19 = vmem(r7+#3); v17 = vand(v19,v12) }
{ v22.w += vrmpy(v16.ub,r20.b); v18 = vand(v19,v8); v16 = v18; v20 = vmem(r7+#6) }
{ v15.w += vrmpy(v21.ub,r20.b); v25.w += vrmpy(v17.ub,r21.b); r7 = add(r7,#1408); v17 = vmem(r8+#4) }
{ v23.w += vrmpy(v19.ub,r21.b); v22.w += vrmpy(v18.ub,r21.b); v18 = v13; v19 = vmem(r8+#-4) }
{ v21.w = vsub(v23.w,v22.w); v23 = v14; v26 = vand(v19,v8); v27 = vmem(r12+#2) }
{ v23.w += vrmpy(v19.ub,r14.b); v19 = vand(v17,v9); v30 = vmem(r8+#-3); v29 = vand(v17,v10) }
{ v16.w += vasr(v21.w,r1); v18.w += vrmpy(v26.ub,r14.b); v21 = vand(v30,v8); v26 = vmem(r12+#3) }
{ v16.w += vasr(v24.w,r0); v23.w += vrmpy(v30.ub,r15.b); v30 = vmem(r8+#-2); v24 = vand(v17,v11) }
{ v16.w += vasr(v15.w,r2); v15.w = vrmpy(v19.ub,r14.b); v19.w = vrmpy(v29.ub,r15.b); v29 = vand(v30,v8) }
{ v16.w += vasr(v25.w,r3); v18.w += vrmpy(v21.ub,r15.b); v23.w += vrmpy(v30.ub,r16.b); v21 = vmem(r8+#-1) }
{ v20.h = vmpy(v20.h,r22.h):<<1:rnd:sat; v25 = vand(v17,v12); v17 = vmem(r8+#5) }
{ v16.h = vasr(v16.w,v22.w,r4); v18.w += vrmpy(v29.ub,r16.b); v21 = vand(v21,v8); v23.w += vrmpy(v21.ub,r17.b) }
{ v24.h = vsub(v16.h,v28.h); v16.w = vrmpy(v24.ub,r16.b); v22.w = vrmpy(v25.ub,r17.b); v25 = vmem(r8+#0) }
{ v18.w += vrmpy(v21.ub,r17.b); v21 = vand(v17,v9); v30 = vmem(r8+#1); v29 = vand(v17,v10) }
{ v3:2.w += vmpy(v24.h,v20.h); v20 = vand(v25,v8); v24 = vand(v30,v8) }
{ v23.w += vrmpy(v25.ub,r18.b); v31 = vmem(r8+#2); v17 = vand(v17,v11); v25 = vand(v17,v12) }
{ v27.w += vasr(v2.w,r5); v18.w += vrmpy(v20.ub,r18.b); v23.w += vrmpy(v30.ub,r19.b); v20 = vmem(r8+#3) }
{ vmem(r12+#2) = v27; v26.w += vasr(v3.w,r5); v18.w += vrmpy(v24.ub,r19.b); v23.w += vrmpy(v31.ub,r20.b) }
{ vmem(r12+#3) = v26; v15.w += vrmpy(v21.ub,r18.b); v19.w += vrmpy(v29.ub,r19.b); v21 = vand(v31,v8) }
{ v20 = vand(v20,v8); v23.w += vrmpy(v20.ub,r21.b); v15 = v15; v24 = vmem(r8+#6) }
{ v18.w += vrmpy(v21.ub,r20.b); r8 = add(r8,#1408); v21 = vmem(r9+#4) }
{ v18.w += vrmpy(v20.ub,r21.b); v20 = v14; v26 = vmem(r9+#-4) }
{ v16.w += vrmpy(v17.ub,r20.b); v22.w += vrmpy(v25.ub,r21.b); v17.w = vsub(v23.w,v18.w); v23 = vand(v26,v8) }
{ v25 = v13; v20.w += vrmpy(v26.ub,r14.b); v26 = vmem(r9+#-3) }
{ v15.w += vasr(v17.w,r1); v25.w += vrmpy(v23.ub,r14.b); v17 = vand(v21,v9); v23 = vand(v26,v8) }
{ v15.w += vasr(v19.w,r0); v20.w += vrmpy(v26.ub,r15.b); v26 = vmem(r12+#4); v19 = vand(v21,v12) }
{ v15.w += vasr(v16.w,r2); v25.w += vrmpy(v23.ub,r15.b); v16 = vand(v21,v10); v23 = vmem(r9+#-2) }
{ v15.w += vasr(v22.w,r3); v22.h = vmpy(v24.h,r22.h):<<1:rnd:sat; v24 = vand(v23,v8) }
{ v16.w = vrmpy(v17.ub,r14.b); v17.w = vrmpy(v16.ub,r15.b); v21 = vand(v21,v11); v27 = vmem(r9+#-1) }
{ v15.h = vasr(v15.w,v18.w,r4); v18 = vmem(r12+#5); v20.w += vrmpy(v23.ub,r16.b); v25.w += vrmpy(v24.ub,r16.b) }
{ v15.h = vsub(v15.h,v28.h); v24 = vand(v27,v8); v20.w += vrmpy(v27.ub,r17.b); v23 = vmem(r9+#5) }
{ v19.w = vrmpy(v21.ub,r16.b); v21.w = vrmpy(v19.ub,r17.b); v29 = vmem(r9+#0); v27 = vand(v23,v10) }
{ v5:4.w += vmpy(v15.h,v22.h); v15 = vand(v29,v8); v22 = vmem(r9+#1) }
{ v25.w += vrmpy(v24.ub,r17.b); v20.w += vrmpy(v29.ub,r18.b); v24 = vand(v23,v9); v29 = vand(v22,v8) }
{ v26.w += vasr(v4.w,r5); v25.w += vrmpy(v15.ub,r18.b); v20.w += vrmpy(v22.ub,r19.b); v15 = vmem(r9+#2) }
{ vmem(r12+#4) = v26; v18.w += vasr(v5.w,r5); v25.w += vrmpy(v29.ub,r19.b); v22 = vand(v23,v12) }
{ vmem(r12+#5) = v18; v15 = vand(v15,v8); v20.w += vrmpy(v15.ub,r20.b); v18 = vmem(r9+#3) }
{ v16.w += vrmpy(v24.ub,r18.b); v17.w += vrmpy(v27.ub,r19.b); v23 = vand(v23,v11); v24 = vand(v18,v8) }
{ v25.w += vrmpy(v15.ub,r20.b); v20.w += vrmpy(v18.ub,r21.b); v15 = v16; v16 = vmem(r9+#6) }
{ v25.w += vrmpy(v24.ub,r21.b); r9 = add(r9,#1408) }
{ v19.w += vrmpy(v23.ub,r20.b); v21.w += vrmpy(v22.ub,r21.b); v18.w = vsub(v20.w,v25.w) }
{ v20.h = vmpy(v16.h,r22.h):<<1:rnd:sat }
{ v15.w += vasr(v18.w,r1) }
{ v15.w += vasr(v17.w,r0) }
{ v15.w += vasr(v19.w,r2) }
{ v15.w += vasr(v21.w,r3) }
{ v31 = vmem(r12+#6) }
.Lhvx_sum_q5_0_tiles:
{ v15.h = vasr(v15.w,v25.w,r4); v30 = vmem(r12+#7) }
{ v15 = v13; v16 = vmem(r6+#4); v21.h = vsub(v15.h,v28.h) }
{ v17 = v14; r15:14 = memd(r10++#8); v19 = vmem(r6+#-4); v18 = vand(v16,v12) }
{ v20 = vand(v19,v8); v21 = vmem(r6+#-3); r17:16 = memd(r11++#8); v7:6.w += vmpy(v21.h,v20.h) }
{ v17.w += vrmpy(v19.ub,r14.b); v19 = vand(v16,v9); v23 = vand(v21,v8); v22 = vand(v16,v10) }
{ v15.w += vrmpy(v20.ub,r14.b); v17.w += vrmpy(v21.ub,r15.b); v20 = vmem(r6+#-2); v16 = vand(v16,v11) }
{ v15.w += vrmpy(v23.ub,r15.b); r19:18 = memd(r10++#8); v21 = vand(v20,v8); v23 = vmem(r6+#-1) }
{ v19.w = vrmpy(v19.ub,r14.b); v22.w = vrmpy(v22.ub,r15.b); v25 = vand(v23,v8); v24 = vmem(r6+#5) }
{ v17.w += vrmpy(v20.ub,r18.b); v15.w += vrmpy(v21.ub,r18.b); r21:20 = memd(r10++#8); v20 = vand(v24,v10) }
{ v17.w += vrmpy(v23.ub,r19.b); v15.w += vrmpy(v25.ub,r19.b); v23 = vmem(r6+#0); v21 = vand(v24,v9) }
{ v16.w = vrmpy(v16.ub,r18.b); v18.w = vrmpy(v18.ub,r19.b); v25 = vand(v23,v8); v26 = vmem(r6+#1) }
{ v17.w += vrmpy(v23.ub,r20.b); v23 = vand(v26,v8); r23:22 = memd(r10++#8); v27 = vmem(r6+#2) }
{ v15.w += vrmpy(v25.ub,r20.b); v17.w += vrmpy(v26.ub,r21.b); v25 = vand(v27,v8); v26 = vmem(r6+#3) }
{ v15.w += vrmpy(v23.ub,r21.b); v17.w += vrmpy(v27.ub,r22.b); v23 = vand(v24,v11); v24 = vand(v24,v12) }
{ v15.w += vrmpy(v25.ub,r22.b); v25 = vand(v26,v8); v17.w += vrmpy(v26.ub,r23.b); v26 = vmem(r6+#6) }
{ v19.w += vrmpy(v21.ub,r20.b); v22.w += vrmpy(v20.ub,r21.b); r6 = add(r6,#1408); v20 = v13 }
{ v15.w += vrmpy(v25.ub,r23.b); v19 = v19; v25 = vsplat(r17); v21 = vmem(r7+#4) }
{ v16.w += vrmpy(v23.ub,r22.b); v18.w += vrmpy(v24.ub,r23.b); v17.w = vsub(v17.w,v15.w); v23 = vmem(r7+#-4) }
{ v24 = v14; v27 = vand(v23,v8); v26.h = vmpy(v26.h,r16.h):<<1:rnd:sat }
{ v19.w += vasr(v17.w,r1); v24.w += vrmpy(v23.ub,r14.b); v17 = vand(v21,v9); v23 = vmem(r7+#-3) }
{ v19.w += vasr(v22.w,r0); v20.w += vrmpy(v27.ub,r14.b); v22 = vand(v23,v8); v27 = vmem(r7+#-2) }
{ v19.w += vasr(v16.w,r2); v24.w += vrmpy(v23.ub,r15.b); v16 = vand(v21,v10); v23 = vand(v27,v8) }
{ v19.w += vasr(v18.w,r3); v20.w += vrmpy(v22.ub,r15.b); v24.w += vrmpy(v27.ub,r18.b); v18 = vmem(r7+#-1) }
{ v20.w += vrmpy(v23.ub,r18.b); v27 = vand(v18,v8); v23 = vand(v21,v12); v22 = vmem(r7+#5) }
{ v17.h = vasr(v19.w,v15.w,r4); v15.w = vrmpy(v17.ub,r14.b); v16.w = vrmpy(v16.ub,r15.b); v19 = vmem(r7+#0) }
{ v17.h = vsub(v17.h,v25.h); v18 = vand(v21,v11); v24.w += vrmpy(v18.ub,r19.b); v20.w += vrmpy(v27.ub,r19.b) }
{ v21 = vand(v19,v8); v24.w += vrmpy(v19.ub,r20.b); v27 = vmem(r7+#1); v19 = vand(v22,v10) }
{ v1:0.w = vmpy(v17.h,v26.h); v17 = vand(v22,v9); v26 = vmem(r7+#2) }
{ v18.w = vrmpy(v18.ub,r18.b); v23.w = vrmpy(v23.ub,r19.b); v28 = vand(v27,v8); v29 = vmem(r7+#3) }
{ v20.w += vrmpy(v21.ub,r20.b); v24.w += vrmpy(v27.ub,r21.b); v21 = vand(v26,v8); v27 = vand(v29,v8) }
{ v15.w += vrmpy(v17.ub,r20.b); v16.w += vrmpy(v19.ub,r21.b); v17 = vand(v22,v12); v19 = vmem(r7+#6) }
{ v20.w += vrmpy(v28.ub,r21.b); v24.w += vrmpy(v26.ub,r22.b); v15 = v15; r7 = add(r7,#1408) }
{ v20.w += vrmpy(v21.ub,r22.b); v22 = vand(v22,v11); v24.w += vrmpy(v29.ub,r23.b); v21 = v13 }
{ v20.w += vrmpy(v27.ub,r23.b); v26 = v14; v27 = vmem(r8+#4); v30.w += vasr(v7.w,r5) }
{ v18.w += vrmpy(v22.ub,r22.b); v23.w += vrmpy(v17.ub,r23.b); v17.w = vsub(v24.w,v20.w); v22 = vmem(r8+#-4) }
{ v24 = vand(v22,v8); v28 = vmem(r8+#-3); v19.h = vmpy(v19.h,r16.h):<<1:rnd:sat }
{ v15.w += vasr(v17.w,r1); v26.w += vrmpy(v22.ub,r14.b); v17 = vand(v27,v9); v22 = vand(v27,v10) }
{ v15.w += vasr(v16.w,r0); v21.w += vrmpy(v24.ub,r14.b); v16 = vand(v28,v8); v26.w += vrmpy(v28.ub,r15.b) }
{ v15.w += vasr(v18.w,r2); v17.w = vrmpy(v17.ub,r14.b); v18.w = vrmpy(v22.ub,r15.b); v22 = vand(v27,v11) }
{ v15.w += vasr(v23.w,r3); v21.w += vrmpy(v16.ub,r15.b); v23 = vmem(r8+#-2); v16 = vand(v27,v12) }
{ v24 = vand(v23,v8); v27 = vmem(r8+#-1); v31.w += vasr(v6.w,r5); vmem(r12+#7) = v30 }
{ v15.h = vasr(v15.w,v20.w,r4); v26.w += vrmpy(v23.ub,r18.b); v23 = vand(v27,v8); v20 = vmem(r8+#5) }
{ v15.h = vsub(v15.h,v25.h); v21.w += vrmpy(v24.ub,r18.b); v26.w += vrmpy(v27.ub,r19.b); v24 = vmem(r8+#0) }
{ v21.w += vrmpy(v23.ub,r19.b); v27 = vand(v24,v8); v23 = vand(v20,v9); v28 = vmem(r8+#1) }
{ v3:2.w = vmpy(v15.h,v19.h); v15 = vand(v20,v10); v19 = vand(v20,v11) }
{ v16.w = vrmpy(v22.ub,r18.b); v22.w = vrmpy(v16.ub,r19.b); v29 = vand(v28,v8); v30 = vmem(r8+#2) }
{ v26.w += vrmpy(v24.ub,r20.b); v21.w += vrmpy(v27.ub,r20.b); v24 = vand(v30,v8); v27 = vmem(r8+#3) }
{ v17.w += vrmpy(v23.ub,r20.b); v18.w += vrmpy(v15.ub,r21.b); v20 = vand(v27,v8); v15 = vand(v20,v12) }
{ v26.w += vrmpy(v28.ub,r21.b); v21.w += vrmpy(v29.ub,r21.b); v17 = v17; v23 = vmem(r8+#6) }
{ v26.w += vrmpy(v30.ub,r22.b); v21.w += vrmpy(v24.ub,r22.b); r8 = add(r8,#1408); v24 = vmem(r9+#4) }
{ v26.w += vrmpy(v27.ub,r23.b); v21.w += vrmpy(v20.ub,r23.b); v20 = v13; v27 = vmem(r9+#-4) }
{ v16.w += vrmpy(v19.ub,r22.b); v22.w += vrmpy(v15.ub,r23.b); v15.w = vsub(v26.w,v21.w); v19 = vand(v27,v8) }
{ v23 = v14; v28 = vand(v24,v9); v26.h = vmpy(v23.h,r16.h):<<1:rnd:sat }
{ v17.w += vasr(v15.w,r1); v23.w += vrmpy(v27.ub,r14.b); v20.w += vrmpy(v19.ub,r14.b); v15 = vmem(r9+#-3) }
{ v17.w += vasr(v18.w,r0); v27 = vand(v15,v8); v18 = vand(v24,v10); v19 = vand(v24,v11) }
{ v17.w += vasr(v16.w,r2); v23.w += vrmpy(v15.ub,r15.b); v16 = vmem(r9+#-2); v15 = vand(v24,v12) }
{ v17.w += vasr(v22.w,r3); v20.w += vrmpy(v27.ub,r15.b); v22 = vand(v16,v8); v24 = vmem(r9+#-1) }
{ v18.w = vrmpy(v28.ub,r14.b); v27.w = vrmpy(v18.ub,r15.b); v29 = vand(v24,v8); v28 = vmem(r9+#5) }
{ v16.h = vasr(v17.w,v21.w,r4); v23.w += vrmpy(v16.ub,r18.b); v20.w += vrmpy(v22.ub,r18.b); v17 = vmem(r9+#0) }
{ v16.h = vsub(v16.h,v25.h); v23.w += vrmpy(v24.ub,r19.b); v20.w += vrmpy(v29.ub,r19.b); v21 = vand(v17,v8) }
{ v15.w = vrmpy(v19.ub,r18.b); v19.w = vrmpy(v15.ub,r19.b); v22 = vand(v28,v9); v24 = vmem(r9+#1) }
{ v5:4.w = vmpy(v16.h,v26.h); v26 = vand(v24,v8); v16 = vand(v28,v10); r15:14 = memd(r10++#8) }
{ v23.w += vrmpy(v17.ub,r20.b); v20.w += vrmpy(v21.ub,r20.b); v21 = vmem(r9+#2); v17 = vand(v28,v11) }
{ v23.w += vrmpy(v24.ub,r21.b); v20.w += vrmpy(v26.ub,r21.b); v26 = vand(v21,v8); v24 = vand(v28,v12) }
{ v23.w += vrmpy(v21.ub,r22.b); v29 = vmem(r9+#3); v21 = v13; v28 = v14 }
{ v20.w += vrmpy(v26.ub,r22.b); v30 = vand(v29,v8); v26 = vmem(r6+#4); r19:18 = memd(r10++#8) }
{ v18.w += vrmpy(v22.ub,r20.b); v27.w += vrmpy(v16.ub,r21.b); v22 = vmem(r9+#6); v16 = vand(v26,v10) }
{ v23.w += vrmpy(v29.ub,r23.b); v20.w += vrmpy(v30.ub,r23.b); v18 = v18; r9 = add(r9,#1408) }
{ v15.w += vrmpy(v17.ub,r22.b); v19.w += vrmpy(v24.ub,r23.b); v17.w = vsub(v23.w,v20.w); v23 = vmem(r6+#-4) }
{ v29 = vand(v23,v8); v24 = vand(v26,v9); v22.h = vmpy(v22.h,r16.h):<<1:rnd:sat; r17:16 = memd(r10++#8) }
{ v18.w += vasr(v17.w,r1); v28.w += vrmpy(v23.ub,r14.b); v23 = vmem(r6+#-3); v17 = vand(v26,v11) }
{ v18.w += vasr(v27.w,r0); v21.w += vrmpy(v29.ub,r14.b); v27 = vand(v23,v8); v29 = vmem(r6+#-2) }
{ v18.w += vasr(v15.w,r2); v28.w += vrmpy(v23.ub,r15.b); v23 = vand(v29,v8); v15 = vand(v26,v12) }
{ v18.w += vasr(v19.w,r3); v21.w += vrmpy(v27.ub,r15.b); v28.w += vrmpy(v29.ub,r18.b); v19 = vmem(r6+#-1) }
{ v16.w = vrmpy(v24.ub,r14.b); v24.w = vrmpy(v16.ub,r15.b); v27 = vand(v19,v8); v26 = vmem(r6+#5) }
{ v18.h = vasr(v18.w,v20.w,r4); v21.w += vrmpy(v23.ub,r18.b); v28.w += vrmpy(v19.ub,r19.b); v19 = vmem(r6+#0) }
{ v18.h = vsub(v18.h,v25.h); v15.w = vrmpy(v17.ub,r18.b); v17.w = vrmpy(v15.ub,r19.b); v20 = vand(v19,v8) }
{ v21.w += vrmpy(v27.ub,r19.b); v28.w += vrmpy(v19.ub,r16.b); v19 = vand(v26,v9); v23 = vmem(r6+#1) }
{ v7:6.w = vmpy(v18.h,v22.h); v22 = vand(v23,v8); v18 = vand(v26,v10); r21:20 = memd(r10++#8) }
{ v21.w += vrmpy(v20.ub,r16.b); v28.w += vrmpy(v23.ub,r17.b); v23 = vmem(r6+#2); v20 = vand(v26,v11) }
{ v16.w += vrmpy(v19.ub,r16.b); v24.w += vrmpy(v18.ub,r17.b); v18 = vand(v23,v8); v19 = vmem(r6+#3) }
{ v21.w += vrmpy(v22.ub,r17.b); v28.w += vrmpy(v23.ub,r20.b); v22 = vand(v19,v8); v16 = v16 }
{ v21.w += vrmpy(v18.ub,r20.b); v28.w += vrmpy(v19.ub,r21.b); v18 = vand(v26,v12); v19 = vmem(r6+#6) }
{ v21.w += vrmpy(v22.ub,r21.b); r23:22 = memd(r11++#8); v22 = vmem(r7+#4) }
{ v15.w += vrmpy(v20.ub,r20.b); v17.w += vrmpy(v18.ub,r21.b); v18.w = vsub(v28.w,v21.w); v20 = vmem(r7+#-4) }
{ r6 = add(r6,#1408); v19 = v14; v25 = vand(v20,v8); v23.h = vmpy(v19.h,r22.h):<<1:rnd:sat }
{ v16.w += vasr(v18.w,r1); v18 = v13; v19.w += vrmpy(v20.ub,r14.b); v20 = vand(v22,v9) }
{ v16.w += vasr(v24.w,r0); v18.w += vrmpy(v25.ub,r14.b); v25 = vmem(r7+#-3); v24 = vand(v22,v10) }
{ v16.w += vasr(v15.w,r2); v26 = vand(v25,v8); v15 = vand(v22,v11); v22 = vand(v22,v12) }
{ v16.w += vasr(v17.w,r3); v17.w = vrmpy(v20.ub,r14.b); v20.w = vrmpy(v24.ub,r15.b); v24 = vmem(r7+#-2) }
{ v19.w += vrmpy(v25.ub,r15.b); v18.w += vrmpy(v26.ub,r15.b); v25 = vand(v24,v8); v26 = vmem(r7+#-1) }
{ v24 = vsplat(r23); v16.h = vasr(v16.w,v21.w,r4); v19.w += vrmpy(v24.ub,r18.b); v21 = vand(v26,v8) }
{ v16.h = vsub(v16.h,v24.h); v18.w += vrmpy(v25.ub,r18.b); v19.w += vrmpy(v26.ub,r19.b); v25 = vmem(r7+#5) }
{ v15.w = vrmpy(v15.ub,r18.b); v22.w = vrmpy(v22.ub,r19.b); v27 = vmem(r7+#0); v26 = vand(v25,v9) }
{ v1:0.w += vmpy(v16.h,v23.h); v16 = vand(v27,v8); v23 = vmem(r7+#1) }
{ v18.w += vrmpy(v21.ub,r19.b); v19.w += vrmpy(v27.ub,r16.b); v27 = vand(v23,v8); v21 = vand(v25,v10) }
{ v18.w += vrmpy(v16.ub,r16.b); v19.w += vrmpy(v23.ub,r17.b); v23 = vmem(r7+#2); v16 = vand(v25,v12) }
{ v17.w += vrmpy(v26.ub,r16.b); v20.w += vrmpy(v21.ub,r17.b); v21 = vand(v23,v8); v26 = vmem(r7+#3) }
{ v18.w += vrmpy(v27.ub,r17.b); v19.w += vrmpy(v23.ub,r20.b); v23 = vand(v26,v8); v17 = v17 }
{ v18.w += vrmpy(v21.ub,r20.b); v21 = vand(v25,v11); v19.w += vrmpy(v26.ub,r21.b); v25 = vmem(r7+#6) }
{ v18.w += vrmpy(v23.ub,r21.b); r7 = add(r7,#1408); v23 = v13; v26 = vmem(r8+#4) }
{ v15.w += vrmpy(v21.ub,r20.b); v22.w += vrmpy(v16.ub,r21.b); v16.w = vsub(v19.w,v18.w); v19 = v14 }
{ v27 = vmem(r8+#-4); v25 = vand(v26,v9); v21.h = vmpy(v25.h,r22.h):<<1:rnd:sat }
{ v17.w += vasr(v16.w,r1); v28 = vand(v27,v8); v16 = vand(v26,v10); vmem(r12+#6) = v31 }
{ v17.w += vasr(v20.w,r0); v19.w += vrmpy(v27.ub,r14.b); v27 = vmem(r8+#-3); v20 = vand(v26,v11) }
{ v17.w += vasr(v15.w,r2); v23.w += vrmpy(v28.ub,r14.b); v15 = vand(v27,v8); v28 = vmem(r8+#-2) }
{ v17.w += vasr(v22.w,r3); v16.w = vrmpy(v25.ub,r14.b); v22.w = vrmpy(v16.ub,r15.b); v25 = vand(v28,v8) }
{ v19.w += vrmpy(v27.ub,r15.b); v23.w += vrmpy(v15.ub,r15.b); v15 = vmem(r8+#-1) }
{ v17.h = vasr(v17.w,v18.w,r4); v19.w += vrmpy(v28.ub,r18.b); v23.w += vrmpy(v25.ub,r18.b); v18 = vand(v26,v12) }
{ v15.h = vsub(v17.h,v24.h); v25 = vand(v15,v8); v19.w += vrmpy(v15.ub,r19.b); v17 = vmem(r8+#5) }
{ v18.w = vrmpy(v20.ub,r18.b); v20.w = vrmpy(v18.ub,r19.b); v27 = vmem(r8+#0); v26 = vand(v17,v9) }
{ v3:2.w += vmpy(v15.h,v21.h); v15 = vand(v27,v8); v21 = vmem(r8+#1) }
{ v23.w += vrmpy(v25.ub,r19.b); v19.w += vrmpy(v27.ub,r16.b); v27 = vand(v21,v8); v25 = vand(v17,v10) }
{ v23.w += vrmpy(v15.ub,r16.b); v19.w += vrmpy(v21.ub,r17.b); v21 = vmem(r8+#2); v15 = vand(v17,v11) }
{ v23.w += vrmpy(v27.ub,r17.b); v27 = vand(v21,v8); v28 = vmem(r8+#3); v17 = vand(v17,v12) }
{ v16.w += vrmpy(v26.ub,r16.b); v22.w += vrmpy(v25.ub,r17.b); v25 = vand(v28,v8); v26 = vmem(r8+#6) }
{ v19.w += vrmpy(v21.ub,r20.b); v23.w += vrmpy(v27.ub,r20.b); v16 = v16; r8 = add(r8,#1408) }
{ v19.w += vrmpy(v28.ub,r21.b); v23.w += vrmpy(v25.ub,r21.b); v21 = v13; v25 = v14 }
{ v18.w += vrmpy(v15.ub,r20.b); v20.w += vrmpy(v17.ub,r21.b); v15.w = vsub(v19.w,v23.w); v17 = vmem(r9+#4) }
{ v27 = vmem(r9+#-4); v26 = vand(v17,v9); v19.h = vmpy(v26.h,r22.h):<<1:rnd:sat }
{ v16.w += vasr(v15.w,r1); v29 = vand(v27,v8); v15 = vand(v17,v11); v28 = vand(v17,v12) }
{ v16.w += vasr(v22.w,r0); v25.w += vrmpy(v27.ub,r14.b); v22 = vmem(r9+#-3); v17 = vand(v17,v10) }
{ v16.w += vasr(v18.w,r2); v21.w += vrmpy(v29.ub,r14.b); v18 = vand(v22,v8); v27 = vmem(r9+#-2) }
{ v16.w += vasr(v20.w,r3); v25.w += vrmpy(v22.ub,r15.b); v20 = vand(v27,v8); v22 = vmem(r9+#-1) }
{ v21.w += vrmpy(v18.ub,r15.b); v25.w += vrmpy(v27.ub,r18.b); v27 = vand(v22,v8); v18 = vmem(r9+#5) }
{ v23.h = vasr(v16.w,v23.w,r4); v16.w = vrmpy(v26.ub,r14.b); v17.w = vrmpy(v17.ub,r15.b); v26 = vmem(r9+#0) }
{ v20.h = vsub(v23.h,v24.h); v21.w += vrmpy(v20.ub,r18.b); v25.w += vrmpy(v22.ub,r19.b); v22 = vand(v26,v8) }
{ v21.w += vrmpy(v27.ub,r19.b); v23 = vand(v18,v9); v29 = vmem(r9+#1); v27 = vand(v18,v10) }
{ v5:4.w += vmpy(v20.h,v19.h); v19 = vand(v29,v8); v20 = vmem(r9+#2); r15:14 = memd(r10++#8) }
{ v15.w = vrmpy(v15.ub,r18.b); v28.w = vrmpy(v28.ub,r19.b); v31 = vand(v20,v8); v30 = vand(v18,v11) }
{ v25.w += vrmpy(v26.ub,r16.b); v21.w += vrmpy(v22.ub,r16.b); v22 = vmem(r9+#3); v18 = vand(v18,v12) }
{ v25.w += vrmpy(v29.ub,r17.b); v21.w += vrmpy(v19.ub,r17.b); v19 = vand(v22,v8); v26 = vmem(r9+#6) }
{ v25.w += vrmpy(v20.ub,r20.b); v21.w += vrmpy(v31.ub,r20.b); r9 = add(r9,#1408); v20 = vmem(r6+#4) }
{ v16.w += vrmpy(v23.ub,r16.b); v17.w += vrmpy(v27.ub,r17.b); v23 = v13; v27 = vmem(r6+#-4) }
{ v25.w += vrmpy(v22.ub,r21.b); v21.w += vrmpy(v19.ub,r21.b); v16 = v16; v19 = vand(v27,v8) }
{ v15.w += vrmpy(v30.ub,r20.b); v28.w += vrmpy(v18.ub,r21.b); v18.w = vsub(v25.w,v21.w); v22 = v14 }
{ v22.w += vrmpy(v27.ub,r14.b); v23.w += vrmpy(v19.ub,r14.b); v19 = vmem(r6+#-3) }
{ v16.w += vasr(v18.w,r1); v18 = vand(v20,v9); v25 = vand(v19,v8) }
{ v16.w += vasr(v17.w,r0); v22.w += vrmpy(v19.ub,r15.b); v17 = vand(v20,v10); v19 = vand(v20,v12) }
{ v16.w += vasr(v15.w,r2); v23.w += vrmpy(v25.ub,r15.b); r17:16 = memd(r10++#8); v15 = vmem(r6+#-2) }
{ v16.w += vasr(v28.w,r3); v17.w = vrmpy(v18.ub,r14.b); v18.w = vrmpy(v17.ub,r15.b); v25 = vand(v15,v8) }
{ v20.h = vmpy(v26.h,r22.h):<<1:rnd:sat; v26 = vand(v20,v11); v27 = vmem(r6+#-1); r19:18 = memd(r10++#8) }
{ v15.h = vasr(v16.w,v21.w,r4); v22.w += vrmpy(v15.ub,r16.b); v23.w += vrmpy(v25.ub,r16.b); v16 = vand(v27,v8) }
{ v21.h = vsub(v15.h,v24.h); v15.w = vrmpy(v26.ub,r16.b); v19.w = vrmpy(v19.ub,r17.b); v24 = vmem(r6+#5) }
{ v22.w += vrmpy(v27.ub,r17.b); v23.w += vrmpy(v16.ub,r17.b); v16 = vmem(r6+#0); r21:20 = memd(r10++#8) }
{ v7:6.w += vmpy(v21.h,v20.h); v21 = vand(v16,v8); v20 = vand(v24,v10); r23:22 = memd(r11++#8) }
{ v22.w += vrmpy(v16.ub,r18.b); v26 = vmem(r6+#1); v16 = vand(v24,v11); v25 = vand(v24,v12) }
{ v23.w += vrmpy(v21.ub,r18.b); v21 = vand(v24,v9); v24 = vand(v26,v8); v27 = vmem(r6+#2) }
{ v22.w += vrmpy(v26.ub,r19.b); v28 = vmem(r6+#3); v29 = vsplat(r23); v26 = v13 }
{ v23.w += vrmpy(v24.ub,r19.b); v24 = vand(v27,v8); v22.w += vrmpy(v27.ub,r20.b); v27 = vmem(r6+#6) }
{ v17.w += vrmpy(v21.ub,r18.b); v18.w += vrmpy(v20.ub,r19.b); v20 = vand(v28,v8); r6 = add(r6,#1408) }
{ v23.w += vrmpy(v24.ub,r20.b); v22.w += vrmpy(v28.ub,r21.b); v17 = v17; v21 = vmem(r7+#4) }
{ v23.w += vrmpy(v20.ub,r21.b); v20 = v14; v28 = vmem(r7+#-4); v24 = vand(v21,v10) }
{ v15.w += vrmpy(v16.ub,r20.b); v19.w += vrmpy(v25.ub,r21.b); v16.w = vsub(v22.w,v23.w); v22 = vand(v28,v8) }
{ v20.w += vrmpy(v28.ub,r14.b); v30 = vmem(r7+#-3); v25 = vand(v21,v11); v28 = vand(v21,v12) }
{ v17.w += vasr(v16.w,r1); v26.w += vrmpy(v22.ub,r14.b); v16 = vand(v30,v8); v22 = vmem(r7+#-2) }
{ v17.w += vasr(v18.w,r0); v18 = vand(v21,v9); v20.w += vrmpy(v30.ub,r15.b); v21 = vmem(r7+#-1) }
{ v17.w += vasr(v15.w,r2); v26.w += vrmpy(v16.ub,r15.b); v15 = vand(v22,v8); v20.w += vrmpy(v22.ub,r16.b) }
{ v17.w += vasr(v19.w,r3); v16.w = vrmpy(v18.ub,r14.b); v18.w = vrmpy(v24.ub,r15.b); v19 = vmem(r7+#5) }
{ v22.h = vmpy(v27.h,r22.h):<<1:rnd:sat; v24 = vand(v21,v8); v27 = vmem(r7+#0) }
{ v15.h = vasr(v17.w,v23.w,r4); v26.w += vrmpy(v15.ub,r16.b); v20.w += vrmpy(v21.ub,r17.b); v17 = vand(v19,v10) }
{ v15.h = vsub(v15.h,v29.h); v26.w += vrmpy(v24.ub,r17.b); v21 = vand(v27,v8); v20.w += vrmpy(v27.ub,r18.b) }
{ v23.w = vrmpy(v25.ub,r16.b); v24.w = vrmpy(v28.ub,r17.b); v25 = vand(v19,v9); v27 = vmem(r7+#1) }
{ v1:0.w += vmpy(v15.h,v22.h); v15 = vand(v27,v8); v22 = vmem(r7+#2) }
{ v26.w += vrmpy(v21.ub,r18.b); v20.w += vrmpy(v27.ub,r19.b); v27 = vand(v22,v8); v21 = vand(v19,v11) }
{ v26.w += vrmpy(v15.ub,r19.b); v20.w += vrmpy(v22.ub,r20.b); v19 = vmem(r7+#3); v15 = vand(v19,v12) }
{ v16.w += vrmpy(v25.ub,r18.b); v18.w += vrmpy(v17.ub,r19.b); v17 = vand(v19,v8); v22 = vmem(r7+#6) }
{ v26.w += vrmpy(v27.ub,r20.b); v20.w += vrmpy(v19.ub,r21.b); v16 = v16; r7 = add(r7,#1408) }
{ v26.w += vrmpy(v17.ub,r21.b); v17 = v13; v19 = v14; v25 = vmem(r8+#4) }
{ v23.w += vrmpy(v21.ub,r20.b); v24.w += vrmpy(v15.ub,r21.b); v15.w = vsub(v20.w,v26.w); v20 = vmem(r8+#-4) }
{ v22 = vand(v20,v8); v27 = vmem(r8+#-3); v21.h = vmpy(v22.h,r22.h):<<1:rnd:sat }
{ v16.w += vasr(v15.w,r1); v19.w += vrmpy(v20.ub,r14.b); v15 = vand(v25,v9); v20 = vand(v27,v8) }
{ v16.w += vasr(v18.w,r0); v17.w += vrmpy(v22.ub,r14.b); v19.w += vrmpy(v27.ub,r15.b); v18 = vand(v25,v10) }
{ v16.w += vasr(v23.w,r2); v17.w += vrmpy(v20.ub,r15.b); v20 = vmem(r8+#-2) }
{ v16.w += vasr(v24.w,r3); v15.w = vrmpy(v15.ub,r14.b); v18.w = vrmpy(v18.ub,r15.b); v22 = vand(v20,v8) }
{ v19.w += vrmpy(v20.ub,r16.b); v20 = vand(v25,v11); v24 = vmem(r8+#-1); v23 = vand(v25,v12) }
{ v16.h = vasr(v16.w,v26.w,r4); v17.w += vrmpy(v22.ub,r16.b); v25 = vand(v24,v8); v22 = vmem(r8+#5) }
{ v23.h = vsub(v16.h,v29.h); v16.w = vrmpy(v20.ub,r16.b); v20.w = vrmpy(v23.ub,r17.b); v26 = vmem(r8+#0) }
{ v19.w += vrmpy(v24.ub,r17.b); v17.w += vrmpy(v25.ub,r17.b); v25 = vand(v26,v8); v24 = vand(v22,v9) }
{ v3:2.w += vmpy(v23.h,v21.h); v23 = vmem(r8+#1); v21 = vand(v22,v10) }
{ v19.w += vrmpy(v26.ub,r18.b); v17.w += vrmpy(v25.ub,r18.b); v25 = vand(v23,v8); v26 = vmem(r8+#2) }
{ v15.w += vrmpy(v24.ub,r18.b); v18.w += vrmpy(v21.ub,r19.b); v24 = vand(v26,v8); v21 = vand(v22,v11) }
{ v19.w += vrmpy(v23.ub,r19.b); v17.w += vrmpy(v25.ub,r19.b); v23 = vmem(r8+#3); v22 = vand(v22,v12) }
{ v19.w += vrmpy(v26.ub,r20.b); v17.w += vrmpy(v24.ub,r20.b); v24 = vand(v23,v8); v15 = v15 }
{ v19.w += vrmpy(v23.ub,r21.b); v23 = v13; v25 = v14; v26 = vmem(r9+#4) }
{ v17.w += vrmpy(v24.ub,r21.b); v28 = vmem(r8+#6); v24 = vand(v26,v9); v27 = vand(v26,v10) }
{ v16.w += vrmpy(v21.ub,r20.b); v20.w += vrmpy(v22.ub,r21.b); v19.w = vsub(v19.w,v17.w); r8 = add(r8,#1408) }
{ v28 = vmem(r9+#-4); v21.h = vmpy(v28.h,r22.h):<<1:rnd:sat; v22 = vand(v26,v11) }
{ v15.w += vasr(v19.w,r1); v27 = vand(v28,v8); v19.w = vrmpy(v24.ub,r14.b); v24.w = vrmpy(v27.ub,r15.b) }
{ v15.w += vasr(v18.w,r0); v25.w += vrmpy(v28.ub,r14.b); v26 = vmem(r9+#-3); v18 = vand(v26,v12) }
{ v15.w += vasr(v16.w,r2); v23.w += vrmpy(v27.ub,r14.b); v16 = vand(v26,v8); v27 = vmem(r9+#-2) }
{ v15.w += vasr(v20.w,r3); v25.w += vrmpy(v26.ub,r15.b); v20 = vand(v27,v8); v26 = vmem(r9+#-1) }
{ v23.w += vrmpy(v16.ub,r15.b); v25.w += vrmpy(v27.ub,r16.b); v27 = vand(v26,v8); v16 = vmem(r9+#5) }
{ v15.h = vasr(v15.w,v17.w,r4); v23.w += vrmpy(v20.ub,r16.b); v25.w += vrmpy(v26.ub,r17.b); v17 = vand(v16,v9) }
{ v15.h = vsub(v15.h,v29.h); v23.w += vrmpy(v27.ub,r17.b); v26 = vmem(r9+#0); v20 = vand(v16,v10) }
{ v18.w = vrmpy(v22.ub,r16.b); v22.w = vrmpy(v18.ub,r17.b); v27 = vand(v26,v8); v28 = vmem(r9+#1) }
{ v5:4.w += vmpy(v15.h,v21.h); v15 = vand(v28,v8); v21 = vmem(r9+#2); r15:14 = memd(r10++#8) }
{ v25.w += vrmpy(v26.ub,r18.b); v23.w += vrmpy(v27.ub,r18.b); v26 = vand(v21,v8); v27 = vmem(r9+#3) }
{ v25.w += vrmpy(v28.ub,r19.b); v23.w += vrmpy(v15.ub,r19.b); v28 = vand(v27,v8); v15 = vand(v16,v12) }
{ v25.w += vrmpy(v21.ub,r20.b); v23.w += vrmpy(v26.ub,r20.b); v16 = vand(v16,v11); v21 = vmem(r9+#6) }
{ v19.w += vrmpy(v17.ub,r18.b); v24.w += vrmpy(v20.ub,r19.b); r9 = add(r9,#1408); v17 = v14 }
{ v25.w += vrmpy(v27.ub,r21.b); v23.w += vrmpy(v28.ub,r21.b); v19 = v19; v20 = v13 }
{ v18.w += vrmpy(v16.ub,r20.b); v22.w += vrmpy(v15.ub,r21.b); v15.w = vsub(v25.w,v23.w); v16 = vmem(r6+#4) }
{ v26 = vmem(r6+#-4); v25 = vand(v16,v9); v21.h = vmpy(v21.h,r22.h):<<1:rnd:sat; r17:16 = memd(r10++#8) }
{ v19.w += vasr(v15.w,r1); v28 = vand(v26,v8); v15 = vand(v16,v11); v27 = vand(v16,v12) }
{ v19.w += vasr(v24.w,r0); v17.w += vrmpy(v26.ub,r14.b); v24 = vmem(r6+#-3); v16 = vand(v16,v10) }
{ v19.w += vasr(v18.w,r2); v20.w += vrmpy(v28.ub,r14.b); v18 = vand(v24,v8); v26 = vmem(r6+#-2) }
{ v19.w += vasr(v22.w,r3); v17.w += vrmpy(v24.ub,r15.b); v22 = vand(v26,v8); v24 = vmem(r6+#-1) }
{ v20.w += vrmpy(v18.ub,r15.b); v17.w += vrmpy(v26.ub,r16.b); v26 = vand(v24,v8); v18 = vmem(r6+#5) }
{ v23.h = vasr(v19.w,v23.w,r4); v16.w = vrmpy(v25.ub,r14.b); v19.w = vrmpy(v16.ub,r15.b); v25 = vmem(r6+#0) }
{ v22.h = vsub(v23.h,v29.h); v20.w += vrmpy(v22.ub,r16.b); v17.w += vrmpy(v24.ub,r17.b); v23 = vand(v25,v8) }
{ v20.w += vrmpy(v26.ub,r17.b); r19:18 = memd(r10++#8); v24 = vand(v18,v9); v26 = vmem(r6+#1) }
{ v7:6.w += vmpy(v22.h,v21.h); v22 = vand(v26,v8); v21 = vand(v18,v10); r21:20 = memd(r10++#8) }
{ v15.w = vrmpy(v15.ub,r16.b); v27.w = vrmpy(v27.ub,r17.b); v29 = vmem(r6+#2); v28 = vand(v18,v11) }
{ v17.w += vrmpy(v25.ub,r18.b); v20.w += vrmpy(v23.ub,r18.b); v23 = vand(v29,v8); v25 = vmem(r6+#3) }
{ v17.w += vrmpy(v26.ub,r19.b); v20.w += vrmpy(v22.ub,r19.b); v22 = vand(v25,v8); v18 = vand(v18,v12) }
{ v16.w += vrmpy(v24.ub,r18.b); v19.w += vrmpy(v21.ub,r19.b); v21 = vmem(r6+#6); r23:22 = memd(r11++#8) }
{ v17.w += vrmpy(v29.ub,r20.b); v20.w += vrmpy(v23.ub,r20.b); v16 = v16; r6 = add(r6,#1408) }
{ v17.w += vrmpy(v25.ub,r21.b); v20.w += vrmpy(v22.ub,r21.b); v22 = v13; v23 = v14 }
{ v15.w += vrmpy(v28.ub,r20.b); v27.w += vrmpy(v18.ub,r21.b); v17.w = vsub(v17.w,v20.w); v18 = vmem(r7+#4) }
{ v28 = vsplat(r23); v26 = vmem(r7+#-4); v24 = vand(v18,v9); v25 = vand(v18,v10) }
{ v16.w += vasr(v17.w,r1); v21 = vmem(r7+#-3); v17.h = vmpy(v21.h,r22.h):<<1:rnd:sat }
{ v16.w += vasr(v19.w,r0); v19 = vand(v26,v8); v23.w += vrmpy(v26.ub,r14.b); v26 = vand(v21,v8) }
{ v16.w += vasr(v15.w,r2); v23.w += vrmpy(v21.ub,r15.b); v21 = vmem(r7+#-2); v15 = vand(v18,v11) }
{ v16.w += vasr(v27.w,r3); v22.w += vrmpy(v19.ub,r14.b); v27 = vmem(r12+#1); v19 = vand(v21,v8) }
{ v18.w = vrmpy(v24.ub,r14.b); v24.w = vrmpy(v25.ub,r15.b); v29 = vmem(r12+#0); v25 = vand(v18,v12) }
{ v16.h = vasr(v16.w,v20.w,r4); v22.w += vrmpy(v26.ub,r15.b); v23.w += vrmpy(v21.ub,r16.b); v20 = vmem(r7+#-1) }
{ v16.h = vsub(v16.h,v28.h); v22.w += vrmpy(v19.ub,r16.b); v21 = vand(v20,v8); v19 = vmem(r7+#5) }
{ v23.w += vrmpy(v20.ub,r17.b); v30 = vmem(r7+#0); v20 = vand(v19,v9); v26 = vand(v19,v10) }
{ v1:0.w += vmpy(v16.h,v17.h); v16 = vand(v30,v8); v17 = vmem(r7+#1) }
{ v22.w += vrmpy(v21.ub,r17.b); v23.w += vrmpy(v30.ub,r18.b); v30 = vand(v17,v8); v21 = vand(v19,v11) }
{ v29.w += vasr(v0.w,r5); v15.w = vrmpy(v15.ub,r16.b); v25.w = vrmpy(v25.ub,r17.b); v31 = vmem(r7+#2) }
{ vmem(r12+#0) = v29; v27.w += vasr(v1.w,r5); v22.w += vrmpy(v16.ub,r18.b); v23.w += vrmpy(v17.ub,r19.b) }
{ vmem(r12+#1) = v27; v18.w += vrmpy(v20.ub,r18.b); v24.w += vrmpy(v26.ub,r19.b); v16 = vand(v31,v8) }
{ v22.w += vrmpy(v30.ub,r19.b); v23.w += vrmpy(v31.ub,r20.b); v19 = vmem(r7+#3); v17 = vand(v19,v12) }
{ v22.w += vrmpy(v16.ub,r20.b); v18 = vand(v19,v8); v16 = v18; v20 = vmem(r7+#6) }
{ v15.w += vrmpy(v21.ub,r20.b); v25.w += vrmpy(v17.ub,r21.b); r7 = add(r7,#1408); v17 = vmem(r8+#4) }
{ v23.w += vrmpy(v19.ub,r21.b); v22.w += vrmpy(v18.ub,r21.b); v18 = v13; v19 = vmem(r8+#-4) }
{ v21.w = vsub(v23.w,v22.w); v23 = v14; v26 = vand(v19,v8); v27 = vmem(r12+#2) }
{ v23.w += vrmpy(v19.ub,r14.b); v19 = vand(v17,v9); v30 = vmem(r8+#-3); v29 = vand(v17,v10) }
{ v16.w += vasr(v21.w,r1); v18.w += vrmpy(v26.ub,r14.b); v21 = vand(v30,v8); v26 = vmem(r12+#3) }
{ v16.w += vasr(v24.w,r0); v23.w += vrmpy(v30.ub,r15.b); v30 = vmem(r8+#-2); v24 = vand(v17,v11) }
{ v16.w += vasr(v15.w,r2); v15.w = vrmpy(v19.ub,r14.b); v19.w = vrmpy(v29.ub,r15.b); v29 = vand(v30,v8) }
{ v16.w += vasr(v25.w,r3); v18.w += vrmpy(v21.ub,r15.b); v23.w += vrmpy(v30.ub,r16.b); v21 = vmem(r8+#-1) }
{ v20.h = vmpy(v20.h,r22.h):<<1:rnd:sat; v25 = vand(v17,v12); v17 = vmem(r8+#5) }
{ v16.h = vasr(v16.w,v22.w,r4); v18.w += vrmpy(v29.ub,r16.b); v21 = vand(v21,v8); v23.w += vrmpy(v21.ub,r17.b) }
{ v24.h = vsub(v16.h,v28.h); v16.w = vrmpy(v24.ub,r16.b); v22.w = vrmpy(v25.ub,r17.b); v25 = vmem(r8+#0) }
{ v18.w += vrmpy(v21.ub,r17.b); v21 = vand(v17,v9); v30 = vmem(r8+#1); v29 = vand(v17,v10) }
{ v3:2.w += vmpy(v24.h,v20.h); v20 = vand(v25,v8); v24 = vand(v30,v8) }
{ v23.w += vrmpy(v25.ub,r18.b); v31 = vmem(r8+#2); v17 = vand(v17,v11); v25 = vand(v17,v12) }
{ v27.w += vasr(v2.w,r5); v18.w += vrmpy(v20.ub,r18.b); v23.w += vrmpy(v30.ub,r19.b); v20 = vmem(r8+#3) }
{ vmem(r12+#2) = v27; v26.w += vasr(v3.w,r5); v18.w += vrmpy(v24.ub,r19.b); v23.w += vrmpy(v31.ub,r20.b) }
{ vmem(r12+#3) = v26; v15.w += vrmpy(v21.ub,r18.b); v19.w += vrmpy(v29.ub,r19.b); v21 = vand(v31,v8) }
{ v20 = vand(v20,v8); v23.w += vrmpy(v20.ub,r21.b); v15 = v15; v24 = vmem(r8+#6) }
{ v18.w += vrmpy(v21.ub,r20.b); r8 = add(r8,#1408); v21 = vmem(r9+#4) }
{ v18.w += vrmpy(v20.ub,r21.b); v20 = v14; v26 = vmem(r9+#-4) }
{ v16.w += vrmpy(v17.ub,r20.b); v22.w += vrmpy(v25.ub,r21.b); v17.w = vsub(v23.w,v18.w); v23 = vand(v26,v8) }
{ v25 = v13; v20.w += vrmpy(v26.ub,r14.b); v26 = vmem(r9+#-3) }
{ v15.w += vasr(v17.w,r1); v25.w += vrmpy(v23.ub,r14.b); v17 = vand(v21,v9); v23 = vand(v26,v8) }
{ v15.w += vasr(v19.w,r0); v20.w += vrmpy(v26.ub,r15.b); v26 = vmem(r12+#4); v19 = vand(v21,v12) }
{ v15.w += vasr(v16.w,r2); v25.w += vrmpy(v23.ub,r15.b); v16 = vand(v21,v10); v23 = vmem(r9+#-2) }
{ v15.w += vasr(v22.w,r3); v22.h = vmpy(v24.h,r22.h):<<1:rnd:sat; v24 = vand(v23,v8) }
{ v16.w = vrmpy(v17.ub,r14.b); v17.w = vrmpy(v16.ub,r15.b); v21 = vand(v21,v11); v27 = vmem(r9+#-1) }
{ v15.h = vasr(v15.w,v18.w,r4); v18 = vmem(r12+#5); v20.w += vrmpy(v23.ub,r16.b); v25.w += vrmpy(v24.ub,r16.b) }
{ v15.h = vsub(v15.h,v28.h); v24 = vand(v27,v8); v20.w += vrmpy(v27.ub,r17.b); v23 = vmem(r9+#5) }
{ v19.w = vrmpy(v21.ub,r16.b); v21.w = vrmpy(v19.ub,r17.b); v29 = vmem(r9+#0); v27 = vand(v23,v10) }
{ v5:4.w += vmpy(v15.h,v22.h); v15 = vand(v29,v8); v22 = vmem(r9+#1) }
{ v25.w += vrmpy(v24.ub,r17.b); v20.w += vrmpy(v29.ub,r18.b); v24 = vand(v23,v9); v29 = vand(v22,v8) }
{ v26.w += vasr(v4.w,r5); v25.w += vrmpy(v15.ub,r18.b); v20.w += vrmpy(v22.ub,r19.b); v15 = vmem(r9+#2) }
{ vmem(r12+#4) = v26; v18.w += vasr(v5.w,r5); v25.w += vrmpy(v29.ub,r19.b); v22 = vand(v23,v12) }
{ vmem(r12+#5) = v18; v15 = vand(v15,v8); v20.w += vrmpy(v15.ub,r20.b); v18 = vmem(r9+#3) }
{ v16.w += vrmpy(v24.ub,r18.b); v17.w += vrmpy(v27.ub,r19.b); v23 = vand(v23,v11); v24 = vand(v18,v8) }
{ v25.w += vrmpy(v15.ub,r20.b); v20.w += vrmpy(v18.ub,r21.b); v15 = v16; v16 = vmem(r9+#6) }
{ v25.w += vrmpy(v24.ub,r21.b); r9 = add(r9,#1408) }
{ v19.w += vrmpy(v23.ub,r20.b); v21.w += vrmpy(v22.ub,r21.b); v18.w = vsub(v20.w,v25.w) }
{ v20.h = vmpy(v16.h,r22.h):<<1:rnd:sat }
{ v15.w += vasr(v18.w,r1) }
{ v15.w += vasr(v17.w,r0) }
{ v15.w += vasr(v19.w,r2) }
{ v15.w += vasr(v21.w,r3) }
{ v31 = vmem(r12+#6) }:endloop0
{ v15.h = vasr(v15.w,v25.w,r4); v30 = vmem(r12+#7) }
{ v21.h = vsub(v15.h,v28.h) }
{ v7:6.w += vmpy(v21.h,v20.h) }
{ v30.w += vasr(v7.w,r5) }
{ v31.w += vasr(v6.w,r5); vmem(r12+#7) = v30 }
{ vmem(r12+#6) = v31 }
{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16); r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32); r27:26 = memd(r29+#40) }
{ r30 = add(r29,#56) }
{ dealloc_return }
.size hvx_sum_q5_0_tiles, .-hvx_sum_q5_0_tiles

// 76 packets (72 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q5_0_tile
.hidden hvx_sum_q5_0_tile
.type hvx_sum_q5_0_tile,@function
hvx_sum_q5_0_tile:
{ allocframe(#56); r28 = r0 }
{ r30 = memw(r28+#48); memd(r29+#0) = r17:16; r16 = ##522133279 }
{ memd(r29+#8) = r19:18; memd(r29+#16) = r21:20; v8 = vsplat(r16) }
{ memd(r29+#24) = r23:22; memd(r29+#32) = r25:24; r17 = ##50529027 }
{ memd(r29+#40) = r27:26; r30 = add(r30,#-1); v9 = vsplat(r17); r6 = memw(r28+#0) }
{ loop0(.Lhvx_sum_q5_0_tile,r30); r18 = ##202116108 }
{ v10 = vsplat(r18); r19 = ##808464432; r7 = memw(r28+#16) }
{ v11 = vsplat(r19); r20 = ##3233857728; r6 = add(r6,#512) }
{ v12 = vsplat(r20); r21 = ##1; r8 = memw(r28+#32) }
{ v13 = vsplat(r21); r22 = ##9; r5 = memw(r28+#52) }
{ v14 = vsplat(r22); r0 = ##2; r9 = memw(r28+#56) }
{ r1 = ##3; r2 = ##4 }
{ r3 = ##6; r4 = ##1 }
{ r11:10 = memd(r7++#8) }
{ v15 = v13; v16 = vmem(r6+#4); r13:12 = memd(r7++#8) }
{ v17 = v14; v20 = vmem(r6+#-4); v18 = vand(v16,v9); v19 = vand(v16,v12) }
{ v21 = vand(v20,v8); v22 = vmem(r6+#-3); r15:14 = memd(r7++#8) }
{ v17.w += vrmpy(v20.ub,r10.b); v23 = vand(v22,v8); v20 = vand(v16,v10); v24 = vmem(r6+#-2) }
{ v15.w += vrmpy(v21.ub,r10.b); v17.w += vrmpy(v22.ub,r11.b); v21 = vand(v24,v8); v16 = vand(v16,v11) }
{ v15.w += vrmpy(v23.ub,r11.b); v17.w += vrmpy(v24.ub,r12.b); v22 = vmem(r6+#-1); r17:16 = memd(r7++#8) }
{ v18.w = vrmpy(v18.ub,r10.b); v20.w = vrmpy(v20.ub,r11.b); v24 = vand(v22,v8); v23 = vmem(r6+#5) }
{ v15.w += vrmpy(v21.ub,r12.b); v17.w += vrmpy(v22.ub,r13.b); v22 = vmem(r6+#0); v21 = vand(v23,v9) }
{ v15.w += vrmpy(v24.ub,r13.b); v25 = vand(v22,v8); v26 = vmem(r6+#1); v24 = vand(v23,v10) }
{ v16.w = vrmpy(v16.ub,r12.b); v19.w = vrmpy(v19.ub,r13.b); v27 = vand(v26,v8); v28 = vmem(r6+#2) }
{ v17.w += vrmpy(v22.ub,r14.b); v15.w += vrmpy(v25.ub,r14.b); v25 = vand(v28,v8); v22 = vand(v23,v11) }
{ v17.w += vrmpy(v26.ub,r15.b); v15.w += vrmpy(v27.ub,r15.b); v26 = vmem(r6+#3); v23 = vand(v23,v12) }
{ v18.w += vrmpy(v21.ub,r14.b); v20.w += vrmpy(v24.ub,r15.b); v21 = vand(v26,v8); v24 = vmem(r6+#6) }
{ v17.w += vrmpy(v28.ub,r16.b); v15.w += vrmpy(v25.ub,r16.b); v18 = v18; r11:10 = memd(r8++#8) }
{ v17.w += vrmpy(v26.ub,r17.b); v15.w += vrmpy(v21.ub,r17.b); r6 = add(r6,#1408) }
{ v16.w += vrmpy(v22.ub,r16.b); v19.w += vrmpy(v23.ub,r17.b); v17.w = vsub(v17.w,v15.w); r13:12 = memd(r7++#8) }
{ v25 = vsplat(r11); v21 = v13; v22 = v14; v23 = vmem(r6+#4) }
{ v18.w += vasr(v17.w,r1); v24 = vmem(r6+#-4); v17.h = vmpy(v24.h,r10.h):<<1:rnd:sat; r11:10 = memd(r7++#8) }
{ v18.w += vasr(v20.w,r0); v26 = vand(v24,v8); v20 = vand(v23,v12); r15:14 = memd(r7++#8) }
{ v18.w += vasr(v16.w,r2); v22.w += vrmpy(v24.ub,r12.b); v24 = vmem(r6+#-3); v16 = vand(v23,v11) }
{ v18.w += vasr(v19.w,r3); v21.w += vrmpy(v26.ub,r12.b); v26 = vand(v24,v8); v19 = vand(v23,v10) }
{ v23 = vand(v23,v9); v22.w += vrmpy(v24.ub,r13.b); v24 = vmem(r6+#-2) }
{ v15.h = vasr(v18.w,v15.w,r4); v21.w += vrmpy(v26.ub,r13.b); v18 = vand(v24,v8); v26 = vmem(r6+#-1) }
{ v23.h = vsub(v15.h,v25.h); v15.w = vrmpy(v23.ub,r12.b); v19.w = vrmpy(v19.ub,r13.b); v25 = vand(v26,v8) }
{ v22.w += vrmpy(v24.ub,r10.b); v21.w += vrmpy(v18.ub,r10.b); v18 = vmem(r6+#5) }
{ v1:0.w = vmpy(v23.h,v17.h); v23 = vmem(r6+#0); v17 = vand(v18,v9); r13:12 = memd(r7++#8) }
{ v22.w += vrmpy(v26.ub,r11.b); v21.w += vrmpy(v25.ub,r11.b); v24 = vand(v23,v8); v25 = vmem(r6+#1) }
{ v16.w = vrmpy(v16.ub,r10.b); v20.w = vrmpy(v20.ub,r11.b); v27 = vand(v25,v8); v26 = vand(v18,v10) }
{ v22.w += vrmpy(v23.ub,r14.b); v21.w += vrmpy(v24.ub,r14.b); v24 = vmem(r6+#2); v23 = vand(v18,v11) }
{ v22.w += vrmpy(v25.ub,r15.b); v21.w += vrmpy(v27.ub,r15.b); v25 = vand(v24,v8); v27 = vmem(r6+#3) }
{ v15.w += vrmpy(v17.ub,r14.b); v19.w += vrmpy(v26.ub,r15.b); v18 = vand(v27,v8); v17 = vand(v18,v12) }
{ v22.w += vrmpy(v24.ub,r12.b); v21.w += vrmpy(v25.ub,r12.b); v15 = v15; v24 = vmem(r6+#6) }
{ v22.w += vrmpy(v27.ub,r13.b); v21.w += vrmpy(v18.ub,r13.b); r6 = add(r6,#1408); r11:10 = memd(r8++#8) }
{ v16.w += vrmpy(v23.ub,r12.b); v20.w += vrmpy(v17.ub,r13.b); v17.w = vsub(v22.w,v21.w); v18 = v13 }
{ v22 = v14; v23 = vmem(r6+#4); r13:12 = memd(r7++#8); v24.h = vmpy(v24.h,r10.h):<<1:rnd:sat }
{ v15.w += vasr(v17.w,r1); v26 = vsplat(r11); v25 = vmem(r6+#-4); v17 = vand(v23,v9) }
{ v15.w += vasr(v19.w,r0); v27 = vand(v25,v8); r11:10 = memd(r7++#8); v19 = vand(v23,v11) }
{ v15.w += vasr(v16.w,r2); v22.w += vrmpy(v25.ub,r12.b); v25 = vmem(r6+#-3); v16 = vand(v23,v10) }
{ v15.w += vasr(v20.w,r3); v18.w += vrmpy(v27.ub,r12.b); v20 = vand(v25,v8); v27 = vmem(r6+#-2) }
{ v22.w += vrmpy(v25.ub,r13.b); v25 = vand(v27,v8); v28 = vmem(r6+#-1); v23 = vand(v23,v12) }
{ v15.h = vasr(v15.w,v21.w,r4); v18.w += vrmpy(v20.ub,r13.b); v22.w += vrmpy(v27.ub,r10.b); v20 = vand(v28,v8) }
{ v17.h = vsub(v15.h,v26.h); v15.w = vrmpy(v17.ub,r12.b); v16.w = vrmpy(v16.ub,r13.b); v21 = vmem(r6+#5) }
{ v18.w += vrmpy(v25.ub,r10.b); v22.w += vrmpy(v28.ub,r11.b); r13:12 = memd(r7++#8); v25 = vmem(r6+#0) }
{ v1:0.w += vmpy(v17.h,v24.h); v17 = vand(v25,v8); v24 = vmem(r6+#1); r15:14 = memd(r7++#8) }
{ v18.w += vrmpy(v20.ub,r11.b); v22.w += vrmpy(v25.ub,r12.b); v20 = vand(v21,v9); v25 = vand(v24,v8) }
{ v19.w = vrmpy(v19.ub,r10.b); v23.w = vrmpy(v23.ub,r11.b); v26 = vand(v21,v10); v27 = vmem(r6+#2) }
{ v18.w += vrmpy(v17.ub,r12.b); v22.w += vrmpy(v24.ub,r13.b); v24 = vand(v27,v8); v17 = vand(v21,v11) }
{ v18.w += vrmpy(v25.ub,r13.b); v22.w += vrmpy(v27.ub,r14.b); v25 = vmem(r6+#3); v21 = vand(v21,v12) }
{ v15.w += vrmpy(v20.ub,r12.b); v16.w += vrmpy(v26.ub,r13.b); v20 = vand(v25,v8); v26 = vmem(r6+#6) }
{ v18.w += vrmpy(v24.ub,r14.b); v22.w += vrmpy(v25.ub,r15.b); v15 = v15; r6 = add(r6,#1408) }
{ v18.w += vrmpy(v20.ub,r15.b); r11:10 = memd(r8++#8); v20 = v13; v24 = vmem(r6+#4) }
{ v19.w += vrmpy(v17.ub,r14.b); v23.w += vrmpy(v21.ub,r15.b); v17.w = vsub(v22.w,v18.w); r13:12 = memd(r7++#8) }
{ v21 = v14; v25 = vmem(r6+#-4); v22.h = vmpy(v26.h,r10.h):<<1:rnd:sat; r15:14 = memd(r7++#8) }
{ v15.w += vasr(v17.w,r1); v27 = vsplat(r11); v26 = vand(v25,v8); v17 = vand(v24,v9) }
{ v15.w += vasr(v16.w,r0); v21.w += vrmpy(v25.ub,r12.b); v25 = vmem(r6+#-3); v16 = vand(v24,v10) }
{ v15.w += vasr(v19.w,r2); v20.w += vrmpy(v26.ub,r12.b); v19 = vand(v25,v8); v26 = vmem(r6+#-2) }
{ v15.w += vasr(v23.w,r3); v21.w += vrmpy(v25.ub,r13.b); v25 = vand(v26,v8); v23 = vand(v24,v11) }
{ v20.w += vrmpy(v19.ub,r13.b); v21.w += vrmpy(v26.ub,r14.b); v24 = vmem(r6+#-1); v19 = vand(v24,v12) }
{ v17.h = vasr(v15.w,v18.w,r4); v15.w = vrmpy(v17.ub,r12.b); v16.w = vrmpy(v16.ub,r13.b); v18 = vand(v24,v8) }
{ v17.h = vsub(v17.h,v27.h); v20.w += vrmpy(v25.ub,r14.b); v21.w += vrmpy(v24.ub,r15.b); v24 = vmem(r6+#5) }
{ v20.w += vrmpy(v18.ub,r15.b); r11:10 = memd(r7++#8); v25 = vmem(r6+#0); v18 = vand(v24,v9) }
{ v1:0.w += vmpy(v17.h,v22.h); v17 = vand(v25,v8); v22 = vmem(r6+#1); r13:12 = memd(r7++#8) }
{ v19.w = vrmpy(v23.ub,r14.b); v23.w = vrmpy(v19.ub,r15.b); v27 = vand(v22,v8); v26 = vand(v24,v10) }
{ v21.w += vrmpy(v25.ub,r10.b); v20.w += vrmpy(v17.ub,r10.b); v25 = vmem(r6+#2); v17 = vand(v24,v11) }
{ v21.w += vrmpy(v22.ub,r11.b); v20.w += vrmpy(v27.ub,r11.b); v22 = vand(v25,v8); v27 = vmem(r6+#3) }
{ v15.w += vrmpy(v18.ub,r10.b); v16.w += vrmpy(v26.ub,r11.b); v24 = vand(v27,v8); v18 = vand(v24,v12) }
{ v21.w += vrmpy(v25.ub,r12.b); v20.w += vrmpy(v22.ub,r12.b); v15 = v15; v22 = vmem(r6+#6) }
{ v21.w += vrmpy(v27.ub,r13.b); v20.w += vrmpy(v24.ub,r13.b); r6 = add(r6,#1408); r11:10 = memd(r8++#8) }
{ v19.w += vrmpy(v17.ub,r12.b); v23.w += vrmpy(v18.ub,r13.b); v17.w = vsub(v21.w,v20.w) }
{ v21.h = vmpy(v22.h,r10.h):<<1:rnd:sat }
{ v15.w += vasr(v17.w,r1); v17 = vsplat(r11) }
{ v15.w += vasr(v16.w,r0) }
{ v15.w += vasr(v19.w,r2) }
{ v15.w += vasr(v23.w,r3) }
{ v29 = vmem(r9+#0) }
.Lhvx_sum_q5_0_tile:
{ r11:10 = memd(r7++#8); v15.h = vasr(v15.w,v20.w,r4); v30 = vmem(r9+#1) }
{ v15 = v13; v16 = vmem(r6+#4); r13:12 = memd(r7++#8); v22.h = vsub(v15.h,v17.h) }
{ v17 = v14; v20 = vmem(r6+#-4); v18 = vand(v16,v9); v19 = vand(v16,v12) }
{ v21 = vand(v20,v8); v22 = vmem(r6+#-3); r15:14 = memd(r7++#8); v1:0.w += vmpy(v22.h,v21.h) }
{ v17.w += vrmpy(v20.ub,r10.b); v23 = vand(v22,v8); v20 = vand(v16,v10); v24 = vmem(r6+#-2) }
{ v15.w += vrmpy(v21.ub,r10.b); v17.w += vrmpy(v22.ub,r11.b); v21 = vand(v24,v8); v16 = vand(v16,v11) }
{ v15.w += vrmpy(v23.ub,r11.b); v17.w += vrmpy(v24.ub,r12.b); v22 = vmem(r6+#-1); r17:16 = memd(r7++#8) }
{ v18.w = vrmpy(v18.ub,r10.b); v20.w = vrmpy(v20.ub,r11.b); v24 = vand(v22,v8); v23 = vmem(r6+#5) }
{ v15.w += vrmpy(v21.ub,r12.b); v17.w += vrmpy(v22.ub,r13.b); v22 = vmem(r6+#0); v21 = vand(v23,v9) }
{ v15.w += vrmpy(v24.ub,r13.b); v25 = vand(v22,v8); v26 = vmem(r6+#1); v24 = vand(v23,v10) }
{ v16.w = vrmpy(v16.ub,r12.b); v19.w = vrmpy(v19.ub,r13.b); v27 = vand(v26,v8); v28 = vmem(r6+#2) }
{ v17.w += vrmpy(v22.ub,r14.b); v15.w += vrmpy(v25.ub,r14.b); v25 = vand(v28,v8); v22 = vand(v23,v11) }
{ v17.w += vrmpy(v26.ub,r15.b); v15.w += vrmpy(v27.ub,r15.b); v26 = vmem(r6+#3); v23 = vand(v23,v12) }
{ v18.w += vrmpy(v21.ub,r14.b); v20.w += vrmpy(v24.ub,r15.b); v21 = vand(v26,v8); v24 = vmem(r6+#6) }
{ v17.w += vrmpy(v28.ub,r16.b); v15.w += vrmpy(v25.ub,r16.b); v18 = v18; r11:10 = memd(r8++#8) }
{ v17.w += vrmpy(v26.ub,r17.b); v15.w += vrmpy(v21.ub,r17.b); r6 = add(r6,#1408) }
{ v16.w += vrmpy(v22.ub,r16.b); v19.w += vrmpy(v23.ub,r17.b); v17.w = vsub(v17.w,v15.w); r13:12 = memd(r7++#8) }
{ v25 = vsplat(r11); v21 = v13; v22 = v14; v23 = vmem(r6+#4) }
{ v18.w += vasr(v17.w,r1); v24 = vmem(r6+#-4); v17.h = vmpy(v24.h,r10.h):<<1:rnd:sat; r11:10 = memd(r7++#8) }
{ v18.w += vasr(v20.w,r0); v26 = vand(v24,v8); v20 = vand(v23,v12); r15:14 = memd(r7++#8) }
{ v18.w += vasr(v16.w,r2); v22.w += vrmpy(v24.ub,r12.b); v24 = vmem(r6+#-3); v16 = vand(v23,v11) }
{ v18.w += vasr(v19.w,r3); v21.w += vrmpy(v26.ub,r12.b); v26 = vand(v24,v8); v19 = vand(v23,v10) }
{ v23 = vand(v23,v9); v22.w += vrmpy(v24.ub,r13.b); v24 = vmem(r6+#-2); v29.w += vasr(v0.w,r5) }
{ v15.h = vasr(v18.w,v15.w,r4); v21.w += vrmpy(v26.ub,r13.b); v18 = vand(v24,v8); v26 = vmem(r6+#-1) }
{ v23.h = vsub(v15.h,v25.h); v15.w = vrmpy(v23.ub,r12.b); v19.w = vrmpy(v19.ub,r13.b); v25 = vand(v26,v8) }
{ v22.w += vrmpy(v24.ub,r10.b); v21.w += vrmpy(v18.ub,r10.b); v18 = vmem(r6+#5); v30.w += vasr(v1.w,r5) }
{ v1:0.w = vmpy(v23.h,v17.h); v23 = vmem(r6+#0); v17 = vand(v18,v9); r13:12 = memd(r7++#8) }
{ v22.w += vrmpy(v26.ub,r11.b); v21.w += vrmpy(v25.ub,r11.b); v24 = vand(v23,v8); v25 = vmem(r6+#1) }
{ v16.w = vrmpy(v16.ub,r10.b); v20.w = vrmpy(v20.ub,r11.b); v27 = vand(v25,v8); v26 = vand(v18,v10) }
{ v22.w += vrmpy(v23.ub,r14.b); v21.w += vrmpy(v24.ub,r14.b); v24 = vmem(r6+#2); v23 = vand(v18,v11) }
{ v22.w += vrmpy(v25.ub,r15.b); v21.w += vrmpy(v27.ub,r15.b); v25 = vand(v24,v8); v27 = vmem(r6+#3) }
{ v15.w += vrmpy(v17.ub,r14.b); v19.w += vrmpy(v26.ub,r15.b); v18 = vand(v27,v8); v17 = vand(v18,v12) }
{ v22.w += vrmpy(v24.ub,r12.b); v21.w += vrmpy(v25.ub,r12.b); v15 = v15; v24 = vmem(r6+#6) }
{ v22.w += vrmpy(v27.ub,r13.b); v21.w += vrmpy(v18.ub,r13.b); r6 = add(r6,#1408); r11:10 = memd(r8++#8) }
{ v16.w += vrmpy(v23.ub,r12.b); v20.w += vrmpy(v17.ub,r13.b); v17.w = vsub(v22.w,v21.w); v18 = v13 }
{ v22 = v14; v23 = vmem(r6+#4); r13:12 = memd(r7++#8); v24.h = vmpy(v24.h,r10.h):<<1:rnd:sat }
{ v15.w += vasr(v17.w,r1); v26 = vsplat(r11); v25 = vmem(r6+#-4); v17 = vand(v23,v9) }
{ v15.w += vasr(v19.w,r0); v27 = vand(v25,v8); r11:10 = memd(r7++#8); v19 = vand(v23,v11) }
{ v15.w += vasr(v16.w,r2); v22.w += vrmpy(v25.ub,r12.b); v25 = vmem(r6+#-3); v16 = vand(v23,v10) }
{ v15.w += vasr(v20.w,r3); v18.w += vrmpy(v27.ub,r12.b); v20 = vand(v25,v8); v27 = vmem(r6+#-2) }
{ v22.w += vrmpy(v25.ub,r13.b); v25 = vand(v27,v8); v28 = vmem(r6+#-1); v23 = vand(v23,v12) }
{ v15.h = vasr(v15.w,v21.w,r4); v18.w += vrmpy(v20.ub,r13.b); v22.w += vrmpy(v27.ub,r10.b); v20 = vand(v28,v8) }
{ v17.h = vsub(v15.h,v26.h); v15.w = vrmpy(v17.ub,r12.b); v16.w = vrmpy(v16.ub,r13.b); v21 = vmem(r6+#5) }
{ v18.w += vrmpy(v25.ub,r10.b); v22.w += vrmpy(v28.ub,r11.b); r13:12 = memd(r7++#8); v25 = vmem(r6+#0) }
{ v1:0.w += vmpy(v17.h,v24.h); v17 = vand(v25,v8); v24 = vmem(r6+#1); r15:14 = memd(r7++#8) }
{ v18.w += vrmpy(v20.ub,r11.b); v22.w += vrmpy(v25.ub,r12.b); v20 = vand(v21,v9); v25 = vand(v24,v8) }
{ v19.w = vrmpy(v19.ub,r10.b); v23.w = vrmpy(v23.ub,r11.b); v26 = vand(v21,v10); v27 = vmem(r6+#2) }
{ v18.w += vrmpy(v17.ub,r12.b); v22.w += vrmpy(v24.ub,r13.b); v24 = vand(v27,v8); v17 = vand(v21,v11) }
{ v18.w += vrmpy(v25.ub,r13.b); v22.w += vrmpy(v27.ub,r14.b); v25 = vmem(r6+#3); v21 = vand(v21,v12) }
{ v15.w += vrmpy(v20.ub,r12.b); v16.w += vrmpy(v26.ub,r13.b); v20 = vand(v25,v8); v26 = vmem(r6+#6) }
{ v18.w += vrmpy(v24.ub,r14.b); v22.w += vrmpy(v25.ub,r15.b); v15 = v15; r6 = add(r6,#1408) }
{ v18.w += vrmpy(v20.ub,r15.b); r11:10 = memd(r8++#8); v20 = v13; v24 = vmem(r6+#4) }
{ v19.w += vrmpy(v17.ub,r14.b); v23.w += vrmpy(v21.ub,r15.b); v17.w = vsub(v22.w,v18.w); r13:12 = memd(r7++#8) }
{ v21 = v14; v25 = vmem(r6+#-4); v22.h = vmpy(v26.h,r10.h):<<1:rnd:sat; r15:14 = memd(r7++#8) }
{ v15.w += vasr(v17.w,r1); v27 = vsplat(r11); v26 = vand(v25,v8); v17 = vand(v24,v9) }
{ v15.w += vasr(v16.w,r0); v21.w += vrmpy(v25.ub,r12.b); v25 = vmem(r6+#-3); v16 = vand(v24,v10) }
{ v15.w += vasr(v19.w,r2); v20.w += vrmpy(v26.ub,r12.b); v19 = vand(v25,v8); v26 = vmem(r6+#-2) }
{ v15.w += vasr(v23.w,r3); v21.w += vrmpy(v25.ub,r13.b); v25 = vand(v26,v8); v23 = vand(v24,v11) }
{ v20.w += vrmpy(v19.ub,r13.b); v21.w += vrmpy(v26.ub,r14.b); v24 = vmem(r6+#-1); v19 = vand(v24,v12) }
{ v17.h = vasr(v15.w,v18.w,r4); v15.w = vrmpy(v17.ub,r12.b); v16.w = vrmpy(v16.ub,r13.b); v18 = vand(v24,v8) }
{ v17.h = vsub(v17.h,v27.h); v20.w += vrmpy(v25.ub,r14.b); v21.w += vrmpy(v24.ub,r15.b); v24 = vmem(r6+#5) }
{ v20.w += vrmpy(v18.ub,r15.b); r11:10 = memd(r7++#8); v25 = vmem(r6+#0); v18 = vand(v24,v9) }
{ v1:0.w += vmpy(v17.h,v22.h); v17 = vand(v25,v8); v22 = vmem(r6+#1); r13:12 = memd(r7++#8) }
{ v19.w = vrmpy(v23.ub,r14.b); v23.w = vrmpy(v19.ub,r15.b); v27 = vand(v22,v8); v26 = vand(v24,v10) }
{ v21.w += vrmpy(v25.ub,r10.b); v20.w += vrmpy(v17.ub,r10.b); v25 = vmem(r6+#2); v17 = vand(v24,v11) }
{ v21.w += vrmpy(v22.ub,r11.b); v20.w += vrmpy(v27.ub,r11.b); v22 = vand(v25,v8); v27 = vmem(r6+#3) }
{ v15.w += vrmpy(v18.ub,r10.b); v16.w += vrmpy(v26.ub,r11.b); v24 = vand(v27,v8); v18 = vand(v24,v12) }
{ v21.w += vrmpy(v25.ub,r12.b); v20.w += vrmpy(v22.ub,r12.b); v15 = v15; v22 = vmem(r6+#6) }
{ v21.w += vrmpy(v27.ub,r13.b); v20.w += vrmpy(v24.ub,r13.b); r6 = add(r6,#1408); r11:10 = memd(r8++#8) }
{ v19.w += vrmpy(v17.ub,r12.b); v23.w += vrmpy(v18.ub,r13.b); v17.w = vsub(v21.w,v20.w) }
{ v21.h = vmpy(v22.h,r10.h):<<1:rnd:sat; vmem(r9+#1) = v30 }
{ v15.w += vasr(v17.w,r1); v17 = vsplat(r11); vmem(r9+#0) = v29 }
{ v15.w += vasr(v16.w,r0) }
{ v15.w += vasr(v19.w,r2) }
{ v15.w += vasr(v23.w,r3) }
{ v29 = vmem(r9+#0) }:endloop0
{ v15.h = vasr(v15.w,v20.w,r4); v30 = vmem(r9+#1) }
{ v22.h = vsub(v15.h,v17.h) }
{ v1:0.w += vmpy(v22.h,v21.h) }
{ v29.w += vasr(v0.w,r5) }
{ v30.w += vasr(v1.w,r5) }
{ vmem(r9+#1) = v30 }
{ vmem(r9+#0) = v29 }
{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16); r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32); r27:26 = memd(r29+#40) }
{ r30 = add(r29,#56) }
{ dealloc_return }
.size hvx_sum_q5_0_tile, .-hvx_sum_q5_0_tile

// 293 packets (275 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q5_1_tiles
.hidden hvx_sum_q5_1_tiles
.type hvx_sum_q5_1_tiles,@function
hvx_sum_q5_1_tiles:
{ allocframe(#56); r28 = r0 }
{ r30 = memw(r28+#48); memd(r29+#0) = r17:16; r16 = ##522133279 }
{ memd(r29+#8) = r19:18; memd(r29+#16) = r21:20; v8 = vsplat(r16) }
{ memd(r29+#24) = r23:22; memd(r29+#32) = r25:24; r17 = ##50529027 }
{ memd(r29+#40) = r27:26; r30 = add(r30,#-1); v9 = vsplat(r17); r6 = memw(r28+#0) }
{ loop0(.Lhvx_sum_q5_1_tiles,r30); r18 = ##202116108 }
{ v10 = vsplat(r18); r19 = ##808464432; r7 = memw(r28+#4) }
{ v11 = vsplat(r19); r20 = ##3233857728; r6 = add(r6,#512) }
{ v12 = vsplat(r20); r21 = ##1; r8 = memw(r28+#8) }
{ v13 = vsplat(r21); r22 = ##9; r7 = add(r7,#512) }
{ v14 = vsplat(r22); r0 = ##2; r9 = memw(r28+#12) }
{ r1 = ##3; r2 = ##4 }
{ r3 = ##6; r4 = ##1 }
{ r8 = add(r8,#512); r9 = add(r9,#512); r10 = memw(r28+#16); r11 = memw(r28+#32) }
{ r5 = memw(r28+#52); r12 = memw(r28+#56) }
{ v15 = vmem(r6+#4) }
{ v16 = vmem(r6+#-4) }
{ v17 = v13; v18 = v14; v19 = vand(v16,v8); v20 = vmem(r6+#-3) }
{ r15:14 = memd(r10++#8); v21 = vand(v15,v9); v22 = vand(v20,v8) }
{ v23 = vand(v15,v10); r17:16 = memd(r10++#8) }
{ v18.w += vrmpy(v16.ub,r14.b); v17.w += vrmpy(v19.ub,r14.b); v19 = vmem(r6+#-2); v16 = vand(v15,v11) }
{ v18.w += vrmpy(v20.ub,r15.b); v17.w += vrmpy(v22.ub,r15.b); v20 = vand(v19,v8); v22 = vmem(r6+#-1) }
{ v21.w = vrmpy(v21.ub,r14.b); v23.w = vrmpy(v23.ub,r15.b); v25 = vand(v22,v8); v24 = vmem(r6+#5) }
{ v18.w += vrmpy(v19.ub,r16.b); v17.w += vrmpy(v20.ub,r16.b); v15 = vand(v15,v12); v19 = vmem(r6+#0) }
{ v18.w += vrmpy(v22.ub,r17.b); v17.w += vrmpy(v25.ub,r17.b); v20 = vand(v19,v8); r19:18 = memd(r11++#8) }
{ v15.w = vrmpy(v16.ub,r16.b); v16.w = vrmpy(v15.ub,r17.b); r21:20 = memd(r10++#8); v22 = vmem(r6+#1) }
{ v25 = vand(v24,v9); v27 = vand(v22,v8); v26 = vand(v24,v10); r23:22 = memd(r10++#8) }
{ v18.w += vrmpy(v19.ub,r20.b); v17.w += vrmpy(v20.ub,r20.b); v20 = vmem(r6+#2); v19 = vand(v24,v12) }
{ v18.w += vrmpy(v22.ub,r21.b); v17.w += vrmpy(v27.ub,r21.b); v22 = vand(v20,v8); v27 = vmem(r6+#3) }
{ v21.w += vrmpy(v25.ub,r20.b); v23.w += vrmpy(v26.ub,r21.b); v24 = vand(v24,v11); v25 = vand(v27,v8) }
{ v18.w += vrmpy(v20.ub,r22.b); v17.w += vrmpy(v22.ub,r22.b); v20 = v21; v21 = vmem(r6+#6) }
{ v18.w += vrmpy(v27.ub,r23.b); v17.w += vrmpy(v25.ub,r23.b); v22 = vmem(r6+#7); r13 = combine(r19.h,r19.h) }
{ v15.w += vrmpy(v24.ub,r22.b); v16.w += vrmpy(v19.ub,r23.b); v18.w = vsub(v18.w,v17.w); r6 = add(r6,#1536) }
{ v25 = vsplat(r13); v19 = v14; v24 = vmem(r7+#4) }
{ v20.w += vasr(v18.w,r1); v21 = vmem(r7+#-4); v18.h = vmpy(v21.h,r18.h):<<1:rnd:sat }
{ v20.w += vasr(v23.w,r0); v23 = vand(v21,v8) }
{ v20.w += vasr(v15.w,r2); v15 = v13; v19.w += vrmpy(v21.ub,r14.b); v21 = vmem(r7+#-3) }
{ v20.w += vasr(v16.w,r3); v15.w += vrmpy(v23.ub,r14.b); v16 = vand(v21,v8); v23 = vmem(r7+#-2) }
{ v21 = vand(v24,v9); v19.w += vrmpy(v21.ub,r15.b); v26 = vand(v24,v10); v27 = vand(v23,v8) }
{ v16.h = vasr(v20.w,v17.w,r4); v15.w += vrmpy(v16.ub,r15.b); v19.w += vrmpy(v23.ub,r16.b); v17 = vand(v24,v11) }
{ v21.h = vsub(v16.h,v25.h); v16.w = vrmpy(v21.ub,r14.b); v20.w = vrmpy(v26.ub,r15.b); r13 = combine(r19.l,r19.l) }
{ v15.w += vrmpy(v27.ub,r16.b); v26 = vmem(r7+#-1); v24 = vand(v24,v12); v23 = v13 }
{ v1:0.w = vmpy(v21.h,v18.h); v21 = vand(v26,v8); v18 = vmem(r7+#5) }
{ v1:0.w += vmpy(v22.h,r13.h); v27 = vmem(r7+#0); v22 = vand(v18,v10) }
{ v19.w += vrmpy(v26.ub,r17.b); v15.w += vrmpy(v21.ub,r17.b); v21 = vand(v27,v8); v26 = vmem(r7+#1) }
{ v17.w = vrmpy(v17.ub,r16.b); v24.w = vrmpy(v24.ub,r17.b); v28 = vand(v26,v8); v29 = vmem(r7+#2) }
{ v19.w += vrmpy(v27.ub,r20.b); v15.w += vrmpy(v21.ub,r20.b); v27 = vand(v29,v8); v21 = vand(v18,v12) }
{ v26 = vand(v18,v9); v19.w += vrmpy(v26.ub,r21.b); v15.w += vrmpy(v28.ub,r21.b); v28 = vmem(r7+#3) }
{ v19.w += vrmpy(v29.ub,r22.b); v15.w += vrmpy(v27.ub,r22.b); v27 = vand(v28,v8); v29 = vmem(r7+#6) }
{ v16.w += vrmpy(v26.ub,r20.b); v20.w += vrmpy(v22.ub,r21.b); v18 = vand(v18,v11); v22 = vmem(r7+#7) }
{ v19.w += vrmpy(v28.ub,r23.b); v15.w += vrmpy(v27.ub,r23.b); v16 = v16; r7 = add(r7,#1536) }
{ v17.w += vrmpy(v18.ub,r22.b); v24.w += vrmpy(v21.ub,r23.b); v18.w = vsub(v19.w,v15.w); v19 = vmem(r8+#4) }
{ v21 = v14; v27 = vmem(r8+#-4); v26.h = vmpy(v29.h,r18.h):<<1:rnd:sat }
{ v16.w += vasr(v18.w,r1); v18 = vmem(r8+#-3) }
{ v16.w += vasr(v20.w,r0); v27 = vand(v27,v8); v21.w += vrmpy(v27.ub,r14.b); v20 = vand(v19,v9) }
{ v16.w += vasr(v17.w,r2); v17 = vand(v18,v8); v21.w += vrmpy(v18.ub,r15.b); v18 = vmem(r8+#-2) }
{ v16.w += vasr(v24.w,r3); v23.w += vrmpy(v27.ub,r14.b); v24 = vand(v19,v10); v27 = vand(v18,v8) }
{ v23.w += vrmpy(v17.ub,r15.b); v21.w += vrmpy(v18.ub,r16.b); v18 = vmem(r8+#-1); v17 = vand(v19,v12) }
{ v19.h = vasr(v16.w,v15.w,r4); v15.w = vrmpy(v20.ub,r14.b); v16.w = vrmpy(v24.ub,r15.b); v20 = vand(v19,v11) }
{ v18.h = vsub(v19.h,v25.h); v23.w += vrmpy(v27.ub,r16.b); v19 = vand(v18,v8); v21.w += vrmpy(v18.ub,r17.b) }
{ v17.w = vrmpy(v20.ub,r16.b); v20.w = vrmpy(v17.ub,r17.b); v24 = vmem(r8+#5) }
{ v3:2.w = vmpy(v18.h,v26.h); v26 = vmem(r8+#0); v18 = vand(v24,v9) }
{ v3:2.w += vmpy(v22.h,r13.h); v22 = vand(v26,v8); v27 = vmem(r8+#1) }
{ v23.w += vrmpy(v19.ub,r17.b); v21.w += vrmpy(v26.ub,r20.b); v19 = vand(v27,v8); v26 = vmem(r8+#2) }
{ v23.w += vrmpy(v22.ub,r20.b); v21.w += vrmpy(v27.ub,r21.b); v22 = vand(v24,v10); v27 = vand(v26,v8) }
{ v23.w += vrmpy(v19.ub,r21.b); v21.w += vrmpy(v26.ub,r22.b); v26 = vmem(r8+#3); v19 = vand(v24,v12) }
{ v15.w += vrmpy(v18.ub,r20.b); v16.w += vrmpy(v22.ub,r21.b); v18 = vand(v24,v11); v22 = vand(v26,v8) }
{ v23.w += vrmpy(v27.ub,r22.b); v21.w += vrmpy(v26.ub,r23.b); v15 = v15; v24 = vmem(r8+#6) }
{ v23.w += vrmpy(v22.ub,r23.b); v22 = vmem(r8+#7) }
{ v17.w += vrmpy(v18.ub,r22.b); v20.w += vrmpy(v19.ub,r23.b); v18.w = vsub(v21.w,v23.w); r8 = add(r8,#1536) }
{ v19 = vmem(r9+#4); v21.h = vmpy(v24.h,r18.h):<<1:rnd:sat }
{ v15.w += vasr(v18.w,r1); v18 = v14; v24 = vmem(r9+#-4) }
{ v15.w += vasr(v16.w,r0); v16 = v13; v26 = vand(v24,v8) }
{ v15.w += vasr(v17.w,r2); v18.w += vrmpy(v24.ub,r14.b); v17 = vand(v19,v9); v24 = vmem(r9+#-3) }
{ v15.w += vasr(v20.w,r3); v16.w += vrmpy(v26.ub,r14.b); v26 = vand(v24,v8); v20 = vand(v19,v10) }
{ v18.w += vrmpy(v24.ub,r15.b); v27 = vmem(r9+#-2); v19 = vand(v19,v11); v24 = vand(v19,v12) }
{ v20.h = vasr(v15.w,v23.w,r4); v15.w = vrmpy(v17.ub,r14.b); v17.w = vrmpy(v20.ub,r15.b); v23 = vand(v27,v8) }
{ v20.h = vsub(v20.h,v25.h); v16.w += vrmpy(v26.ub,r15.b); v18.w += vrmpy(v27.ub,r16.b); v26 = vmem(r9+#-1) }
{ v16.w += vrmpy(v23.ub,r16.b); v23 = vmem(r9+#5) }
{ v5:4.w = vmpy(v20.h,v21.h); v21 = vand(v26,v8); v20 = vand(v23,v9) }
{ v5:4.w += vmpy(v22.h,r13.h); v27 = vmem(r9+#0); v22 = vand(v23,v10); r15:14 = memd(r10++#8) }
{ v18.w += vrmpy(v26.ub,r17.b); v16.w += vrmpy(v21.ub,r17.b); v21 = vand(v27,v8); v26 = vmem(r9+#1) }
{ v19.w = vrmpy(v19.ub,r16.b); v24.w = vrmpy(v24.ub,r17.b); v28 = vand(v26,v8); v29 = vmem(r9+#2) }
{ v18.w += vrmpy(v27.ub,r20.b); v16.w += vrmpy(v21.ub,r20.b); v21 = vand(v29,v8); v27 = vmem(r9+#3) }
{ v15.w += vrmpy(v20.ub,r20.b); v17.w += vrmpy(v22.ub,r21.b); v20 = vand(v23,v11); v22 = vand(v27,v8) }
{ v18.w += vrmpy(v26.ub,r21.b); v16.w += vrmpy(v28.ub,r21.b); v15 = v15; v26 = vmem(r9+#6) }
{ v18.w += vrmpy(v29.ub,r22.b); v16.w += vrmpy(v21.ub,r22.b); v21 = vand(v23,v12); v23 = vmem(r9+#7) }
{ v18.w += vrmpy(v27.ub,r23.b); v16.w += vrmpy(v22.ub,r23.b); r9 = add(r9,#1536); r17:16 = memd(r10++#8) }
{ v19.w += vrmpy(v20.ub,r22.b); v24.w += vrmpy(v21.ub,r23.b); v18.w = vsub(v18.w,v16.w); v20 = vmem(r6+#4) }
{ v26 = vmem(r6+#-4); v22 = vand(v20,v9); v21.h = vmpy(v26.h,r18.h):<<1:rnd:sat; r19:18 = memd(r10++#8) }
{ v15.w += vasr(v18.w,r1); v27 = vand(v26,v8); v18 = vand(v20,v10) }
{ v15.w += vasr(v17.w,r0); v17.w = vrmpy(v26.ub,r14.b); v28 = vmem(r6+#-3); v26 = vand(v20,v12) }
{ v15.w += vasr(v19.w,r2); v22 = vand(v28,v8); v18.w = vrmpy(v22.ub,r14.b); v19.w = vrmpy(v18.ub,r15.b) }
{ v15.w += vasr(v24.w,r3); v24.w = vrmpy(v27.ub,r14.b); v17.w += vrmpy(v28.ub,r15.b); v27 = vmem(r6+#-2) }
{ v24.w += vrmpy(v22.ub,r15.b); v22 = vand(v27,v8); v20 = vand(v20,v11); v28 = vmem(r6+#-1) }
{ v15.h = vasr(v15.w,v16.w,r4); v17.w += vrmpy(v27.ub,r16.b); v27 = vand(v28,v8); v16 = vmem(r6+#5) }
{ v15.h = vsub(v15.h,v25.h); v24.w += vrmpy(v22.ub,r16.b); v17.w += vrmpy(v28.ub,r17.b); v22 = vmem(r6+#0) }
{ v20.w = vrmpy(v20.ub,r16.b); v25.w = vrmpy(v26.ub,r17.b); v26 = vand(v22,v8); v28 = vmem(r6+#1) }
{ v7:6.w = vmpy(v15.h,v21.h); v15 = vand(v16,v9); v21 = vand(v16,v10); r21:20 = memd(r10++#8) }
{ v7:6.w += vmpy(v23.h,r13.h); v23 = vand(v28,v8); v29 = vmem(r6+#2); r23:22 = memd(r11++#8) }
{ v24.w += vrmpy(v27.ub,r17.b); v17.w += vrmpy(v22.ub,r18.b); v27 = vand(v29,v8); v22 = vand(v16,v11) }
{ v24.w += vrmpy(v26.ub,r18.b); v17.w += vrmpy(v28.ub,r19.b); v26 = vmem(r6+#3); v16 = vand(v16,v12) }
{ v18.w += vrmpy(v15.ub,r18.b); v19.w += vrmpy(v21.ub,r19.b); v15 = vand(v26,v8); v21 = vmem(r6+#6) }
{ v24.w += vrmpy(v23.ub,r19.b); v17.w += vrmpy(v29.ub,r20.b); v18 = v18; v23 = vmem(r6+#7) }
{ v24.w += vrmpy(v27.ub,r20.b); v17.w += vrmpy(v26.ub,r21.b); r6 = add(r6,#1536); v26 = vmem(r7+#4) }
{ v24.w += vrmpy(v15.ub,r21.b); r13 = combine(r23.h,r23.h); v15 = vmem(r7+#-4) }
{ v20.w += vrmpy(v22.ub,r20.b); v25.w += vrmpy(v16.ub,r21.b); v16.w = vsub(v17.w,v24.w); v17 = vand(v15,v8) }
{ v27 = vsplat(r13); v15.w = vrmpy(v15.ub,r14.b); v22 = vmem(r7+#-3) }
{ v18.w += vasr(v16.w,r1); v16.w = vrmpy(v17.ub,r14.b); v28 = vand(v22,v8); v17 = vand(v26,v10) }
{ v18.w += vasr(v19.w,r0); v19 = vand(v26,v9); v15.w += vrmpy(v22.ub,r15.b); v22 = vmem(r7+#-2) }
{ v18.w += vasr(v20.w,r2); v16.w += vrmpy(v28.ub,r15.b); v28 = vand(v22,v8); v20 = vand(v26,v12) }
{ v18.w += vasr(v25.w,r3); v21.h = vmpy(v21.h,r22.h):<<1:rnd:sat; v25 = vmem(r7+#-1) }
{ v17.w = vrmpy(v19.ub,r14.b); v19.w = vrmpy(v17.ub,r15.b); v30 = vand(v25,v8); v29 = vmem(r7+#5) }
{ v18.h = vasr(v18.w,v24.w,r4); v15.w += vrmpy(v22.ub,r16.b); v16.w += vrmpy(v28.ub,r16.b); v22 = vmem(r7+#0) }
{ v18.h = vsub(v18.h,v27.h); r13 = combine(r23.l,r23.l); v15.w += vrmpy(v25.ub,r17.b); v16.w += vrmpy(v30.ub,r17.b) }
{ v22 = vand(v26,v11); v25 = vand(v22,v8); v15.w += vrmpy(v22.ub,r18.b); v24 = vand(v29,v11) }
{ v1:0.w += vmpy(v18.h,v21.h); v18 = vand(v29,v9); v21 = vmem(r7+#1) }
{ v1:0.w += vmpy(v23.h,r13.h); v23 = vand(v29,v10); v26 = vmem(r7+#2) }
{ v16.w += vrmpy(v25.ub,r18.b); v21 = vand(v21,v8); v15.w += vrmpy(v21.ub,r19.b); v25 = vmem(r7+#3) }
{ v20.w = vrmpy(v22.ub,r16.b); v22.w = vrmpy(v20.ub,r17.b); v28 = vand(v29,v12); v29 = vmem(r7+#6) }
{ v16.w += vrmpy(v21.ub,r19.b); v26 = vand(v26,v8); v15.w += vrmpy(v26.ub,r20.b); v21 = vmem(r8+#4) }
{ v17.w += vrmpy(v18.ub,r18.b); v19.w += vrmpy(v23.ub,r19.b); v18 = vand(v25,v8); v23 = vmem(r7+#7) }
{ v16.w += vrmpy(v26.ub,r20.b); v15.w += vrmpy(v25.ub,r21.b); v17 = v17; v25 = vmem(r8+#-4) }
{ v16.w += vrmpy(v18.ub,r21.b); r7 = add(r7,#1536); v18 = vand(v25,v8); v26 = vmem(r8+#-3) }
{ v20.w += vrmpy(v24.ub,r20.b); v22.w += vrmpy(v28.ub,r21.b); v15.w = vsub(v15.w,v16.w); v24 = vand(v26,v8) }
{ v25.w = vrmpy(v25.ub,r14.b); v18.w = vrmpy(v18.ub,r14.b); v28 = vand(v21,v9); v30 = vand(v21,v10) }
{ v17.w += vasr(v15.w,r1); v25.w += vrmpy(v26.ub,r15.b); v18.w += vrmpy(v24.ub,r15.b); v15 = vmem(r8+#-2) }
{ v17.w += vasr(v19.w,r0); v19.w = vrmpy(v28.ub,r14.b); v24.w = vrmpy(v30.ub,r15.b); v26 = vand(v15,v8) }
{ v17.w += vasr(v20.w,r2); v20.h = vmpy(v29.h,r22.h):<<1:rnd:sat; v28 = vmem(r8+#-1) }
{ v17.w += vasr(v22.w,r3); v25.w += vrmpy(v15.ub,r16.b); v18.w += vrmpy(v26.ub,r16.b); v15 = vand(v28,v8) }
{ v22 = vand(v21,v11); v25.w += vrmpy(v28.ub,r17.b); v26 = vand(v21,v12); v21 = vmem(r8+#5) }
{ v15.h = vasr(v17.w,v16.w,r4); v18.w += vrmpy(v15.ub,r17.b); v16 = vmem(r8+#0) }
{ v22.h = vsub(v15.h,v27.h); v15.w = vrmpy(v22.ub,r16.b); v17.w = vrmpy(v26.ub,r17.b) }
{ v26 = vand(v16,v8); v25.w += vrmpy(v16.ub,r18.b); v16 = vand(v21,v9); v28 = vmem(r8+#1) }
{ v3:2.w += vmpy(v22.h,v20.h); v22 = vmem(r8+#2); v20 = vand(v21,v11) }
{ v3:2.w += vmpy(v23.h,r13.h); v23 = vand(v28,v8); v29 = vmem(r8+#3) }
{ v18.w += vrmpy(v26.ub,r18.b); v25.w += vrmpy(v28.ub,r19.b); v28 = vand(v22,v8); v26 = vand(v21,v12) }
{ v18.w += vrmpy(v23.ub,r19.b); v21 = vand(v21,v10); v25.w += vrmpy(v22.ub,r20.b); v22 = vmem(r8+#6) }
{ v18.w += vrmpy(v28.ub,r20.b); v23 = vand(v29,v8); v25.w += vrmpy(v29.ub,r21.b); v28 = vmem(r8+#7) }
{ v19.w += vrmpy(v16.ub,r18.b); v24.w += vrmpy(v21.ub,r19.b); r8 = add(r8,#1536); v16 = vmem(r9+#4) }
{ v18.w += vrmpy(v23.ub,r21.b); v19 = v19; v23 = vmem(r9+#-4); v21 = vand(v16,v9) }
{ v15.w += vrmpy(v20.ub,r20.b); v17.w += vrmpy(v26.ub,r21.b); v20.w = vsub(v25.w,v18.w); v25 = vand(v23,v8) }
{ v23.w = vrmpy(v23.ub,r14.b); v30 = vmem(r9+#-3); v26 = vand(v16,v10); v29 = vand(v16,v11) }
{ v19.w += vasr(v20.w,r1); v20.w = vrmpy(v25.ub,r14.b); v25 = vand(v30,v8); v31 = vmem(r9+#-2) }
{ v19.w += vasr(v24.w,r0); v23.w += vrmpy(v30.ub,r15.b); v24 = vand(v31,v8); v30 = vmem(r9+#-1) }
{ v19.w += vasr(v15.w,r2); v15.h = vmpy(v22.h,r22.h):<<1:rnd:sat; v22 = vand(v30,v8) }
{ v19.w += vasr(v17.w,r3); v20.w += vrmpy(v25.ub,r15.b); v23.w += vrmpy(v31.ub,r16.b); v17 = vmem(r9+#5) }
{ v21.w = vrmpy(v21.ub,r14.b); v25.w = vrmpy(v26.ub,r15.b); v31 = vmem(r9+#0); v26 = vand(v17,v9) }
{ v18.h = vasr(v19.w,v18.w,r4); v20.w += vrmpy(v24.ub,r16.b); v23.w += vrmpy(v30.ub,r17.b); v19 = vand(v31,v8) }
{ v18.h = vsub(v18.h,v27.h); v20.w += vrmpy(v22.ub,r17.b); v23.w += vrmpy(v31.ub,r18.b); v22 = vmem(r9+#1) }
{ v16 = vand(v16,v12); v20.w += vrmpy(v19.ub,r18.b); v24 = vand(v22,v8); v19 = vand(v17,v10) }
{ v5:4.w += vmpy(v18.h,v15.h); v18 = vmem(r9+#2); v15 = vand(v17,v11); r15:14 = memd(r10++#8) }
{ v5:4.w += vmpy(v28.h,r13.h); v28 = vand(v18,v8); v30 = vmem(r9+#3); r25:24 = memd(r10++#8) }
{ v16.w = vrmpy(v29.ub,r16.b); v17.w = vrmpy(v16.ub,r17.b); v31 = vand(v30,v8); v29 = vand(v17,v12) }
{ v21.w += vrmpy(v26.ub,r18.b); v25.w += vrmpy(v19.ub,r19.b); v26 = vmem(r9+#6); v19 = v13 }
{ v23.w += vrmpy(v22.ub,r19.b); v20.w += vrmpy(v24.ub,r19.b); v21 = v21; v22 = vmem(r9+#7) }
{ v23.w += vrmpy(v18.ub,r20.b); v20.w += vrmpy(v28.ub,r20.b); r9 = add(r9,#1536); v18 = vmem(r6+#4) }
{ v23.w += vrmpy(v30.ub,r21.b); v20.w += vrmpy(v31.ub,r21.b); v24 = v14; v28 = vmem(r6+#-4) }
{ v16.w += vrmpy(v15.ub,r20.b); v17.w += vrmpy(v29.ub,r21.b); v15.w = vsub(v23.w,v20.w); v23 = vand(v28,v8) }
{ v24.w += vrmpy(v28.ub,r14.b); v28 = vand(v18,v9); v30 = vmem(r6+#-3); v29 = vand(v18,v10) }
{ v21.w += vasr(v15.w,r1); v19.w += vrmpy(v23.ub,r14.b); v15 = vand(v30,v8); v23 = vmem(r6+#-2) }
{ v21.w += vasr(v25.w,r0); v24.w += vrmpy(v30.ub,r15.b); v25 = vand(v23,v8); v30 = vmem(r6+#-1) }
{ v21.w += vasr(v16.w,r2); v19.w += vrmpy(v15.ub,r15.b); v24.w += vrmpy(v23.ub,r24.b); v15 = vand(v18,v11) }
{ v21.w += vasr(v17.w,r3); v16.h = vmpy(v26.h,r22.h):<<1:rnd:sat; v17 = vand(v18,v12); r17:16 = memd(r10++#8) }
{ v18.w = vrmpy(v28.ub,r14.b); v23.w = vrmpy(v29.ub,r15.b); v28 = vand(v30,v8); v26 = vmem(r6+#5) }
{ v20.h = vasr(v21.w,v20.w,r4); v19.w += vrmpy(v25.ub,r24.b); v24.w += vrmpy(v30.ub,r25.b); v21 = vmem(r6+#0) }
{ v20.h = vsub(v20.h,v27.h); v15.w = vrmpy(v15.ub,r24.b); v17.w = vrmpy(v17.ub,r25.b); v25 = vand(v21,v8) }
{ v19.w += vrmpy(v28.ub,r25.b); v24.w += vrmpy(v21.ub,r16.b); v27 = vmem(r6+#1); v21 = vand(v26,v10) }
{ v7:6.w += vmpy(v20.h,v16.h); v16 = vand(v26,v9); v20 = vand(v27,v8); r19:18 = memd(r10++#8) }
{ v7:6.w += vmpy(v22.h,r13.h); v28 = vmem(r6+#2); v22 = vand(v26,v11); r21:20 = memd(r11++#8) }
{ v19.w += vrmpy(v25.ub,r16.b); v24.w += vrmpy(v27.ub,r17.b); v25 = vand(v28,v8); v27 = vmem(r6+#3) }
{ v18.w += vrmpy(v16.ub,r16.b); v23.w += vrmpy(v21.ub,r17.b); v21 = vand(v27,v8); v16 = vand(v26,v12) }
{ v19.w += vrmpy(v20.ub,r17.b); v24.w += vrmpy(v28.ub,r18.b); v18 = v18; v20 = vmem(r6+#6) }
{ v19.w += vrmpy(v25.ub,r18.b); v24.w += vrmpy(v27.ub,r19.b); v25 = vmem(r6+#7); r13 = combine(r21.h,r21.h) }
{ v19.w += vrmpy(v21.ub,r19.b); r6 = add(r6,#1536); v26 = vsplat(r13); v21 = vmem(r7+#4) }
{ v15.w += vrmpy(v22.ub,r18.b); v17.w += vrmpy(v16.ub,r19.b); v16.w = vsub(v24.w,v19.w); v22 = vmem(r7+#-4) }
{ v20 = v14; v24.h = vmpy(v20.h,r20.h):<<1:rnd:sat; r13 = combine(r21.l,r21.l) }
{ v18.w += vasr(v16.w,r1); v16 = v13; v22 = vand(v22,v8); v20.w += vrmpy(v22.ub,r14.b) }
{ v18.w += vasr(v23.w,r0); v23 = vand(v21,v9); v28 = vmem(r7+#-3); v27 = vand(v21,v12) }
{ v18.w += vasr(v15.w,r2); v16.w += vrmpy(v22.ub,r14.b); v15 = vand(v28,v8); v22 = vmem(r7+#-2) }
{ v18.w += vasr(v17.w,r3); v20.w += vrmpy(v28.ub,r15.b); v17 = vand(v21,v10); v21 = vand(v21,v11) }
{ v16.w += vrmpy(v15.ub,r15.b); v15 = vand(v22,v8); v20.w += vrmpy(v22.ub,r24.b); v22 = vmem(r7+#-1) }
{ v19.h = vasr(v18.w,v19.w,r4); v17.w = vrmpy(v23.ub,r14.b); v18.w = vrmpy(v17.ub,r15.b); v23 = vand(v22,v8) }
{ v15.h = vsub(v19.h,v26.h); v16.w += vrmpy(v15.ub,r24.b); v20.w += vrmpy(v22.ub,r25.b); v19 = vmem(r7+#5) }
{ v16.w += vrmpy(v23.ub,r25.b); v28 = vmem(r7+#0); v22 = vand(v19,v9); v23 = vand(v19,v10) }
{ v1:0.w += vmpy(v15.h,v24.h); v15 = vand(v28,v8); v24 = vmem(r7+#1) }
{ v1:0.w += vmpy(v25.h,r13.h); v25 = vand(v24,v8); v29 = vmem(r7+#2) }
{ v21.w = vrmpy(v21.ub,r24.b); v27.w = vrmpy(v27.ub,r25.b); v30 = vand(v29,v8); v31 = vmem(r7+#3) }
{ v20.w += vrmpy(v28.ub,r16.b); v16.w += vrmpy(v15.ub,r16.b); v15 = vand(v19,v11); v28 = vand(v31,v8) }
{ v20.w += vrmpy(v24.ub,r17.b); v16.w += vrmpy(v25.ub,r17.b); v19 = vand(v19,v12); v24 = vmem(r7+#6) }
{ v20.w += vrmpy(v29.ub,r18.b); v16.w += vrmpy(v30.ub,r18.b); v29 = vmem(r7+#7); v25 = v13 }
{ v17.w += vrmpy(v22.ub,r16.b); v18.w += vrmpy(v23.ub,r17.b); r7 = add(r7,#1536); v22 = vmem(r8+#4) }
{ v20.w += vrmpy(v31.ub,r19.b); v16.w += vrmpy(v28.ub,r19.b); v17 = v17; v23 = v14 }
{ v21.w += vrmpy(v15.ub,r18.b); v27.w += vrmpy(v19.ub,r19.b); v15.w = vsub(v20.w,v16.w); v19 = vmem(r8+#-4) }
{ v24 = vand(v19,v8); v28 = vmem(r8+#-3); v20.h = vmpy(v24.h,r20.h):<<1:rnd:sat }
{ v17.w += vasr(v15.w,r1); v23.w += vrmpy(v19.ub,r14.b); v19 = vand(v28,v8); v15 = vand(v22,v10) }
{ v17.w += vasr(v18.w,r0); v25.w += vrmpy(v24.ub,r14.b); v18 = vand(v22,v9); v23.w += vrmpy(v28.ub,r15.b) }
{ v17.w += vasr(v21.w,r2); v25.w += vrmpy(v19.ub,r15.b); v19 = vmem(r8+#-2) }
{ v17.w += vasr(v27.w,r3); v15.w = vrmpy(v18.ub,r14.b); v18.w = vrmpy(v15.ub,r15.b); v21 = vmem(r8+#-1) }
{ v24 = vand(v19,v8); v23.w += vrmpy(v19.ub,r24.b); v19 = vand(v22,v11); v22 = vand(v22,v12) }
{ v16.h = vasr(v17.w,v16.w,r4); v23.w += vrmpy(v21.ub,r25.b); v17 = vmem(r8+#5) }
{ v22.h = vsub(v16.h,v26.h); v16.w = vrmpy(v19.ub,r24.b); v19.w = vrmpy(v22.ub,r25.b); v27 = vmem(r8+#0) }
{ v25.w += vrmpy(v24.ub,r24.b); v21 = vand(v21,v8); v24 = vmem(r8+#1) }
{ v3:2.w += vmpy(v22.h,v20.h); v22 = vand(v27,v8); v20 = vand(v17,v9) }
{ v3:2.w += vmpy(v29.h,r13.h); v28 = vand(v17,v10); v29 = vmem(r8+#2) }
{ v25.w += vrmpy(v21.ub,r25.b); v23.w += vrmpy(v27.ub,r16.b); v21 = vand(v24,v8); v27 = vmem(r8+#3) }
{ v25.w += vrmpy(v22.ub,r16.b); v23.w += vrmpy(v24.ub,r17.b); v24 = vand(v29,v8); v22 = vand(v17,v12) }
{ v25.w += vrmpy(v21.ub,r17.b); v23.w += vrmpy(v29.ub,r18.b); v17 = vand(v17,v11); v21 = vmem(r8+#6) }
{ v15.w += vrmpy(v20.ub,r16.b); v18.w += vrmpy(v28.ub,r17.b); v20 = vand(v27,v8); v28 = vmem(r8+#7) }
{ v25.w += vrmpy(v24.ub,r18.b); v23.w += vrmpy(v27.ub,r19.b); v15 = v15; r8 = add(r8,#1536) }
{ v25.w += vrmpy(v20.ub,r19.b); v20 = v13; v24 = v14; v27 = vmem(r9+#4) }
{ v16.w += vrmpy(v17.ub,r18.b); v19.w += vrmpy(v22.ub,r19.b); v17.w = vsub(v23.w,v25.w); v22 = vmem(r9+#-4) }
{ v23 = vand(v27,v9); v29 = vand(v27,v10); v21.h = vmpy(v21.h,r20.h):<<1:rnd:sat }
{ v15.w += vasr(v17.w,r1); v17 = vand(v22,v8); v24.w += vrmpy(v22.ub,r14.b); v22 = vmem(r9+#-3) }
{ v15.w += vasr(v18.w,r0); v29 = vand(v22,v8); v18.w = vrmpy(v23.ub,r14.b); v23.w = vrmpy(v29.ub,r15.b) }
{ v15.w += vasr(v16.w,r2); v20.w += vrmpy(v17.ub,r14.b); v24.w += vrmpy(v22.ub,r15.b); v16 = vmem(r9+#-2) }
{ v15.w += vasr(v19.w,r3); v20.w += vrmpy(v29.ub,r15.b); v17 = vand(v16,v8) }
{ v24.w += vrmpy(v16.ub,r24.b); v19 = vmem(r9+#-1); v16 = vand(v27,v12) }
{ v15.h = vasr(v15.w,v25.w,r4); v20.w += vrmpy(v17.ub,r24.b); v22 = vand(v19,v8); v17 = vmem(r9+#5) }
{ v15.h = vsub(v15.h,v26.h); v19 = vand(v27,v11); v24.w += vrmpy(v19.ub,r25.b); v25 = vmem(r9+#0) }
{ v20.w += vrmpy(v22.ub,r25.b); v22 = vand(v17,v9); v29 = vmem(r9+#1); v27 = vand(v17,v10) }
{ v5:4.w += vmpy(v15.h,v21.h); v21 = vand(v25,v8); v15 = vand(v17,v12) }
{ v5:4.w += vmpy(v28.h,r13.h); v28 = vmem(r9+#2); v17 = vand(v17,v11); r15:14 = memd(r10++#8) }
{ v24.w += vrmpy(v25.ub,r16.b); v20.w += vrmpy(v21.ub,r16.b); v21 = vand(v29,v8); v25 = vmem(r9+#3) }
{ v16.w = vrmpy(v19.ub,r24.b); v19.w = vrmpy(v16.ub,r25.b); v30 = vand(v28,v8); v31 = vmem(r9+#6) }
{ v24.w += vrmpy(v29.ub,r17.b); v20.w += vrmpy(v21.ub,r17.b); v21 = vand(v25,v8); v29 = vmem(r9+#7) }
{ v18.w += vrmpy(v22.ub,r16.b); v23.w += vrmpy(v27.ub,r17.b); r9 = add(r9,#1536); v22 = vmem(r6+#4) }
{ v24.w += vrmpy(v28.ub,r18.b); v20.w += vrmpy(v30.ub,r18.b); v18 = v18; v27 = vmem(r6+#-4) }
{ v24.w += vrmpy(v25.ub,r19.b); v20.w += vrmpy(v21.ub,r19.b); v25 = vand(v27,v8); v21 = vand(v22,v9) }
{ v16.w += vrmpy(v17.ub,r18.b); v19.w += vrmpy(v15.ub,r19.b); v15.w = vsub(v24.w,v20.w); v17 = vand(v22,v10) }
{ v25.w = vrmpy(v27.ub,r14.b); v24.w = vrmpy(v25.ub,r14.b); v28 = vmem(r6+#-3); v27 = vand(v22,v11) }
{ v18.w += vasr(v15.w,r1); v30 = vand(v28,v8); v15.h = vmpy(v31.h,r20.h):<<1:rnd:sat; r17:16 = memd(r10++#8) }
{ v18.w += vasr(v23.w,r0); v25.w += vrmpy(v28.ub,r15.b); v23 = vmem(r6+#-2); v22 = vand(v22,v12) }
{ v18.w += vasr(v16.w,r2); v24.w += vrmpy(v30.ub,r15.b); v16 = vand(v23,v8); v28 = vmem(r6+#-1) }
{ v18.w += vasr(v19.w,r3); v17.w = vrmpy(v21.ub,r14.b); v19.w = vrmpy(v17.ub,r15.b); v21 = vand(v28,v8) }
{ v25.w += vrmpy(v23.ub,r16.b); v24.w += vrmpy(v16.ub,r16.b); v16 = vmem(r6+#5); r19:18 = memd(r10++#8) }
{ v18.h = vasr(v18.w,v20.w,r4); v25.w += vrmpy(v28.ub,r17.b); v24.w += vrmpy(v21.ub,r17.b); v20 = vmem(r6+#0) }
{ v22.h = vsub(v18.h,v26.h); v18.w = vrmpy(v27.ub,r16.b); v21.w = vrmpy(v22.ub,r17.b) }
{ v23 = vand(v20,v8); v25.w += vrmpy(v20.ub,r18.b); v26 = vmem(r6+#1); v20 = vand(v16,v11) }
{ v7:6.w += vmpy(v22.h,v15.h); v15 = vand(v16,v9); r21:20 = memd(r10++#8); v22 = vmem(r6+#2) }
{ v7:6.w += vmpy(v29.h,r13.h); v27 = vand(v26,v8); v28 = vmem(r6+#3); r23:22 = memd(r11++#8) }
{ v24.w += vrmpy(v23.ub,r18.b); v25.w += vrmpy(v26.ub,r19.b); v16 = vand(v16,v10); v23 = vand(v16,v12) }
{ v24.w += vrmpy(v27.ub,r19.b); v22 = vand(v22,v8); v25.w += vrmpy(v22.ub,r20.b); v26 = vmem(r6+#6) }
{ v17.w += vrmpy(v15.ub,r18.b); v19.w += vrmpy(v16.ub,r19.b); v15 = vand(v28,v8); v16 = vmem(r6+#7) }
{ v24.w += vrmpy(v22.ub,r20.b); v25.w += vrmpy(v28.ub,r21.b); v17 = v17; r6 = add(r6,#1536) }
{ v18.w += vrmpy(v20.ub,r20.b); v21.w += vrmpy(v23.ub,r21.b); r13 = combine(r23.h,r23.h); v20 = vmem(r7+#4) }
{ v24.w += vrmpy(v15.ub,r21.b); v23 = vsplat(r13); v15 = vmem(r7+#-4) }
{ v22.w = vsub(v25.w,v24.w); v26 = vmem(r7+#-3); v25.h = vmpy(v26.h,r22.h):<<1:rnd:sat; r24 = combine(r23.l,r23.l) }
{ v28 = vand(v15,v8); v15.w = vrmpy(v15.ub,r14.b); v27 = vand(v20,v9); v29 = vand(v26,v8) }
{ v17.w += vasr(v22.w,r1); v15.w += vrmpy(v26.ub,r15.b); v22 = vand(v20,v10); v26 = vmem(r12+#0) }
{ v17.w += vasr(v19.w,r0); v19.w = vrmpy(v28.ub,r14.b); v30 = vmem(r12+#1); v28 = vand(v20,v12) }
{ v17.w += vasr(v18.w,r2); v18.w = vrmpy(v27.ub,r14.b); v22.w = vrmpy(v22.ub,r15.b); v27 = vmem(r7+#-2) }
{ v17.w += vasr(v21.w,r3); v19.w += vrmpy(v29.ub,r15.b); v21 = vand(v27,v8); v29 = vmem(r7+#-1) }
{ v15.w += vrmpy(v27.ub,r16.b); v27 = vand(v20,v11); v31 = vand(v29,v8); v20 = vmem(r7+#5) }
{ v17.h = vasr(v17.w,v24.w,r4); v19.w += vrmpy(v21.ub,r16.b); v15.w += vrmpy(v29.ub,r17.b); v21 = vmem(r7+#0) }
{ v27.h = vsub(v17.h,v23.h); v17.w = vrmpy(v27.ub,r16.b); v24.w = vrmpy(v28.ub,r17.b); v28 = vand(v21,v8) }
{ v19.w += vrmpy(v31.ub,r17.b); v15.w += vrmpy(v21.ub,r18.b); v21 = vand(v20,v9); v29 = vmem(r7+#1) }
{ v1:0.w += vmpy(v27.h,v25.h); v25 = vand(v29,v8); v27 = vmem(r7+#2) }
{ v1:0.w += vmpy(v16.h,r24.h); v16 = vand(v20,v10); v31 = vand(v27,v8) }
{ v19.w += vrmpy(v28.ub,r18.b); v15.w += vrmpy(v29.ub,r19.b); v20 = vand(v20,v11); v28 = vand(v20,v12) }
{ v26.w += vasr(v0.w,r5); v19.w += vrmpy(v25.ub,r19.b); v15.w += vrmpy(v27.ub,r20.b); v25 = vmem(r7+#3) }
{ vmem(r12+#0) = v26; v30.w += vasr(v1.w,r5); v19.w += vrmpy(v31.ub,r20.b); v26 = vand(v25,v8) }
{ vmem(r12+#1) = v30; v18.w += vrmpy(v21.ub,r18.b); v22.w += vrmpy(v16.ub,r19.b); v16 = vmem(r7+#6) }
{ v17.w += vrmpy(v20.ub,r20.b); v24.w += vrmpy(v28.ub,r21.b); v18 = v18; v20 = vmem(r7+#7) }
{ v15.w += vrmpy(v25.ub,r21.b); v19.w += vrmpy(v26.ub,r21.b); r7 = add(r7,#1536); v21 = vmem(r8+#4) }
{ v15.w = vsub(v15.w,v19.w); v25 = vmem(r8+#-4); v16.h = vmpy(v16.h,r22.h):<<1:rnd:sat }
{ v27 = vand(v25,v8); v26 = vand(v21,v9); v28 = vmem(r12+#2) }
{ v18.w += vasr(v15.w,r1); v15.w = vrmpy(v25.ub,r14.b); v29 = vmem(r8+#-3); v25 = vand(v21,v10) }
{ v18.w += vasr(v22.w,r0); v22.w = vrmpy(v27.ub,r14.b); v27 = vand(v29,v8); v30 = vmem(r12+#3) }
{ v18.w += vasr(v17.w,r2); v15.w += vrmpy(v29.ub,r15.b); v29 = vmem(r8+#-2); v17 = vand(v21,v11) }
{ v18.w += vasr(v24.w,r3); v22.w += vrmpy(v27.ub,r15.b); v24 = vand(v29,v8); v27 = vmem(r8+#-1) }
{ v21.w = vrmpy(v26.ub,r14.b); v25.w = vrmpy(v25.ub,r15.b); v31 = vand(v27,v8); v26 = vand(v21,v12) }
{ v18.h = vasr(v18.w,v19.w,r4); v15.w += vrmpy(v29.ub,r16.b); v22.w += vrmpy(v24.ub,r16.b); v19 = vmem(r8+#5) }
{ v18.h = vsub(v18.h,v23.h); v15.w += vrmpy(v27.ub,r17.b); v22.w += vrmpy(v31.ub,r17.b); v24 = vmem(r8+#0) }
{ v17.w = vrmpy(v17.ub,r16.b); v26.w = vrmpy(v26.ub,r17.b); v27 = vand(v19,v9); v29 = vand(v19,v10) }
{ v3:2.w += vmpy(v18.h,v16.h); v16 = vand(v24,v8); v18 = vmem(r8+#1) }
{ v3:2.w += vmpy(v20.h,r24.h); v20 = vand(v18,v8); v31 = vmem(r8+#2) }
{ v15.w += vrmpy(v24.ub,r18.b); v22.w += vrmpy(v16.ub,r18.b); v16 = vand(v31,v8); v24 = vmem(r8+#3) }
{ v28.w += vasr(v2.w,r5); v15.w += vrmpy(v18.ub,r19.b); v22.w += vrmpy(v20.ub,r19.b); v18 = vand(v19,v11) }
{ vmem(r12+#2) = v28; v30.w += vasr(v3.w,r5); v15.w += vrmpy(v31.ub,r20.b); v22.w += vrmpy(v16.ub,r20.b) }
{ vmem(r12+#3) = v30; v21.w += vrmpy(v27.ub,r18.b); v25.w += vrmpy(v29.ub,r19.b); v16 = vand(v24,v8) }
{ v15.w += vrmpy(v24.ub,r21.b); v21 = vand(v19,v12); v19 = v21; v20 = vmem(r9+#4) }
{ v22.w += vrmpy(v16.ub,r21.b); v16 = vmem(r9+#-4) }
{ v17.w += vrmpy(v18.ub,r20.b); v26.w += vrmpy(v21.ub,r21.b); v15.w = vsub(v15.w,v22.w); v18 = vmem(r8+#6) }
{ v27 = vmem(r8+#7); v24 = vand(v16,v8); v16.w = vrmpy(v16.ub,r14.b); v21 = vand(v20,v10) }
{ v19.w += vasr(v15.w,r1); r8 = add(r8,#1536); v18 = vand(v20,v9); v15.h = vmpy(v18.h,r22.h):<<1:rnd:sat }
{ v19.w += vasr(v25.w,r0); v24.w = vrmpy(v24.ub,r14.b); v28 = vmem(r9+#-3); v25 = vand(v20,v12) }
{ v19.w += vasr(v17.w,r2); v21 = vand(v28,v8); v17.w = vrmpy(v18.ub,r14.b); v18.w = vrmpy(v21.ub,r15.b) }
{ v19.w += vasr(v26.w,r3); v16.w += vrmpy(v28.ub,r15.b); v26 = vmem(r12+#4); v20 = vand(v20,v11) }
{ v24.w += vrmpy(v21.ub,r15.b); v21 = vmem(r9+#-2) }
{ v22.h = vasr(v19.w,v22.w,r4); v25 = vand(v21,v8); v19.w = vrmpy(v20.ub,r16.b); v20.w = vrmpy(v25.ub,r17.b) }
{ v21.h = vsub(v22.h,v23.h); v16.w += vrmpy(v21.ub,r16.b); v22 = vmem(r9+#-1) }
{ v24.w += vrmpy(v25.ub,r16.b); v25 = vmem(r9+#5) }
{ v5:4.w += vmpy(v21.h,v15.h); v15 = vand(v22,v8); v21 = vmem(r9+#0) }
{ v5:4.w += vmpy(v27.h,r24.h); v28 = vmem(r12+#5); v27 = vand(v21,v8) }
{ v16.w += vrmpy(v22.ub,r17.b); v24.w += vrmpy(v15.ub,r17.b); v22 = vmem(r9+#1); v15 = vand(v25,v10) }
{ v26.w += vasr(v4.w,r5); v16.w += vrmpy(v21.ub,r18.b); v24.w += vrmpy(v27.ub,r18.b); v21 = vand(v22,v8) }
{ vmem(r12+#4) = v26; v28.w += vasr(v5.w,r5); v16.w += vrmpy(v22.ub,r19.b); v22 = vmem(r9+#2) }
{ vmem(r12+#5) = v28; v24.w += vrmpy(v21.ub,r19.b); v21 = vand(v22,v8); v26 = vmem(r9+#3) }
{ v22 = vand(v25,v9); v16.w += vrmpy(v22.ub,r20.b); v27 = vand(v25,v12); v28 = vmem(r9+#6) }
{ v24.w += vrmpy(v21.ub,r20.b); v21 = vand(v25,v11); v16.w += vrmpy(v26.ub,r21.b); v30 = vmem(r9+#7) }
{ v17.w += vrmpy(v22.ub,r18.b); v18.w += vrmpy(v15.ub,r19.b); v15 = vand(v26,v8); r9 = add(r9,#1536) }
{ v19.w += vrmpy(v21.ub,r20.b); v20.w += vrmpy(v27.ub,r21.b); v21 = v17 }
{ v24.w += vrmpy(v15.ub,r21.b) }
{ v15.w = vsub(v16.w,v24.w); v28.h = vmpy(v28.h,r22.h):<<1:rnd:sat }
{ v21.w += vasr(v15.w,r1) }
.Lhvx_sum_q5_1_tiles:
{ v21.w += vasr(v18.w,r0) }
{ v15 = vmem(r6+#4); v21.w += vasr(v19.w,r2) }
{ v16 = vmem(r6+#-4); v21.w += vasr(v20.w,r3) }
{ v17 = v13; v18 = v14; v19 = vand(v16,v8); v20 = vmem(r6+#-3) }
{ r15:14 = memd(r10++#8); v21 = vand(v15,v9); v22 = vand(v20,v8); v24.h = vasr(v21.w,v24.w,r4) }
{ v23 = vand(v15,v10); r17:16 = memd(r10++#8); v29.h = vsub(v24.h,v23.h); v31 = vmem(r12+#6) }
{ v18.w += vrmpy(v16.ub,r14.b); v17.w += vrmpy(v19.ub,r14.b); v19 = vmem(r6+#-2); v16 = vand(v15,v11) }
{ v18.w += vrmpy(v20.ub,r15.b); v17.w += vrmpy(v22.ub,r15.b); v20 = vand(v19,v8); v22 = vmem(r6+#-1) }
{ v21.w = vrmpy(v21.ub,r14.b); v23.w = vrmpy(v23.ub,r15.b); v25 = vand(v22,v8); v24 = vmem(r6+#5) }
{ v18.w += vrmpy(v19.ub,r16.b); v17.w += vrmpy(v20.ub,r16.b); v15 = vand(v15,v12); v19 = vmem(r6+#0) }
{ v18.w += vrmpy(v22.ub,r17.b); v17.w += vrmpy(v25.ub,r17.b); v20 = vand(v19,v8); r19:18 = memd(r11++#8) }
{ v15.w = vrmpy(v16.ub,r16.b); v16.w = vrmpy(v15.ub,r17.b); r21:20 = memd(r10++#8); v22 = vmem(r6+#1) }
{ v25 = vand(v24,v9); v27 = vand(v22,v8); v26 = vand(v24,v10); r23:22 = memd(r10++#8) }
{ v18.w += vrmpy(v19.ub,r20.b); v17.w += vrmpy(v20.ub,r20.b); v20 = vmem(r6+#2); v19 = vand(v24,v12) }
{ v18.w += vrmpy(v22.ub,r21.b); v17.w += vrmpy(v27.ub,r21.b); v22 = vand(v20,v8); v27 = vmem(r6+#3) }
{ v21.w += vrmpy(v25.ub,r20.b); v23.w += vrmpy(v26.ub,r21.b); v24 = vand(v24,v11); v25 = vand(v27,v8) }
{ v18.w += vrmpy(v20.ub,r22.b); v17.w += vrmpy(v22.ub,r22.b); v20 = v21; v21 = vmem(r6+#6) }
{ v18.w += vrmpy(v27.ub,r23.b); v17.w += vrmpy(v25.ub,r23.b); v22 = vmem(r6+#7); r13 = combine(r19.h,r19.h) }
{ v15.w += vrmpy(v24.ub,r22.b); v16.w += vrmpy(v19.ub,r23.b); v18.w = vsub(v18.w,v17.w); r6 = add(r6,#1536) }
{ v25 = vsplat(r13); v19 = v14; v24 = vmem(r7+#4) }
{ v20.w += vasr(v18.w,r1); v21 = vmem(r7+#-4); v18.h = vmpy(v21.h,r18.h):<<1:rnd:sat }
{ v20.w += vasr(v23.w,r0); v23 = vand(v21,v8); v7:6.w += vmpy(v29.h,v28.h) }
{ v20.w += vasr(v15.w,r2); v15 = v13; v19.w += vrmpy(v21.ub,r14.b); v21 = vmem(r7+#-3) }
{ v20.w += vasr(v16.w,r3); v15.w += vrmpy(v23.ub,r14.b); v16 = vand(v21,v8); v23 = vmem(r7+#-2) }
{ v21 = vand(v24,v9); v19.w += vrmpy(v21.ub,r15.b); v26 = vand(v24,v10); v27 = vand(v23,v8) }
{ v16.h = vasr(v20.w,v17.w,r4); v15.w += vrmpy(v16.ub,r15.b); v19.w += vrmpy(v23.ub,r16.b); v17 = vand(v24,v11) }
{ v21.h = vsub(v16.h,v25.h); v16.w = vrmpy(v21.ub,r14.b); v20.w = vrmpy(v26.ub,r15.b); r13 = combine(r19.l,r19.l) }
{ v15.w += vrmpy(v27.ub,r16.b); v26 = vmem(r7+#-1); v24 = vand(v24,v12); v23 = v13 }
{ v1:0.w = vmpy(v21.h,v18.h); v21 = vand(v26,v8); v18 = vmem(r7+#5) }
{ v1:0.w += vmpy(v22.h,r13.h); v27 = vmem(r7+#0); v22 = vand(v18,v10) }
{ v19.w += vrmpy(v26.ub,r17.b); v15.w += vrmpy(v21.ub,r17.b); v21 = vand(v27,v8); v26 = vmem(r7+#1) }
{ v17.w = vrmpy(v17.ub,r16.b); v24.w = vrmpy(v24.ub,r17.b); v28 = vand(v26,v8); v29 = vmem(r7+#2) }
{ v19.w += vrmpy(v27.ub,r20.b); v15.w += vrmpy(v21.ub,r20.b); v27 = vand(v29,v8); v21 = vand(v18,v12) }
{ v26 = vand(v18,v9); v19.w += vrmpy(v26.ub,r21.b); v15.w += vrmpy(v28.ub,r21.b); v28 = vmem(r7+#3) }
{ v19.w += vrmpy(v29.ub,r22.b); v15.w += vrmpy(v27.ub,r22.b); v27 = vand(v28,v8); v29 = vmem(r7+#6) }
{ v16.w += vrmpy(v26.ub,r20.b); v20.w += vrmpy(v22.ub,r21.b); v18 = vand(v18,v11); v22 = vmem(r7+#7) }
{ v19.w += vrmpy(v28.ub,r23.b); v15.w += vrmpy(v27.ub,r23.b); v16 = v16; r7 = add(r7,#1536) }
{ v17.w += vrmpy(v18.ub,r22.b); v24.w += vrmpy(v21.ub,r23.b); v18.w = vsub(v19.w,v15.w); v19 = vmem(r8+#4) }
{ v21 = v14; v27 = vmem(r8+#-4); v26.h = vmpy(v29.h,r18.h):<<1:rnd:sat }
{ v16.w += vasr(v18.w,r1); v18 = vmem(r8+#-3); v7:6.w += vmpy(v30.h,r24.h) }
{ v16.w += vasr(v20.w,r0); v27 = vand(v27,v8); v21.w += vrmpy(v27.ub,r14.b); v20 = vand(v19,v9) }
{ v16.w += vasr(v17.w,r2); v17 = vand(v18,v8); v21.w += vrmpy(v18.ub,r15.b); v18 = vmem(r8+#-2) }
{ v16.w += vasr(v24.w,r3); v23.w += vrmpy(v27.ub,r14.b); v24 = vand(v19,v10); v27 = vand(v18,v8) }
{ v23.w += vrmpy(v17.ub,r15.b); v21.w += vrmpy(v18.ub,r16.b); v18 = vmem(r8+#-1); v17 = vand(v19,v12) }
{ v19.h = vasr(v16.w,v15.w,r4); v15.w = vrmpy(v20.ub,r14.b); v16.w = vrmpy(v24.ub,r15.b); v20 = vand(v19,v11) }
{ v18.h = vsub(v19.h,v25.h); v23.w += vrmpy(v27.ub,r16.b); v19 = vand(v18,v8); v21.w += vrmpy(v18.ub,r17.b) }
{ v17.w = vrmpy(v20.ub,r16.b); v20.w = vrmpy(v17.ub,r17.b); v24 = vmem(r8+#5) }
{ v3:2.w = vmpy(v18.h,v26.h); v26 = vmem(r8+#0); v18 = vand(v24,v9) }
{ v3:2.w += vmpy(v22.h,r13.h); v22 = vand(v26,v8); v27 = vmem(r8+#1) }
{ v23.w += vrmpy(v19.ub,r17.b); v21.w += vrmpy(v26.ub,r20.b); v19 = vand(v27,v8); v26 = vmem(r8+#2) }
{ v23.w += vrmpy(v22.ub,r20.b); v21.w += vrmpy(v27.ub,r21.b); v22 = vand(v24,v10); v27 = vand(v26,v8) }
{ v23.w += vrmpy(v19.ub,r21.b); v21.w += vrmpy(v26.ub,r22.b); v26 = vmem(r8+#3); v19 = vand(v24,v12) }
{ v15.w += vrmpy(v18.ub,r20.b); v16.w += vrmpy(v22.ub,r21.b); v18 = vand(v24,v11); v22 = vand(v26,v8) }
{ v23.w += vrmpy(v27.ub,r22.b); v21.w += vrmpy(v26.ub,r23.b); v15 = v15; v24 = vmem(r8+#6) }
{ v23.w += vrmpy(v22.ub,r23.b); v22 = vmem(r8+#7); v31.w += vasr(v6.w,r5) }
{ v17.w += vrmpy(v18.ub,r22.b); v20.w += vrmpy(v19.ub,r23.b); v18.w = vsub(v21.w,v23.w); r8 = add(r8,#1536) }
{ v19 = vmem(r9+#4); v21.h = vmpy(v24.h,r18.h):<<1:rnd:sat; vmem(r12+#6) = v31 }
{ v15.w += vasr(v18.w,r1); v18 = v14; v24 = vmem(r9+#-4) }
{ v15.w += vasr(v16.w,r0); v16 = v13; v26 = vand(v24,v8); v30 = vmem(r12+#7) }
{ v15.w += vasr(v17.w,r2); v18.w += vrmpy(v24.ub,r14.b); v17 = vand(v19,v9); v24 = vmem(r9+#-3) }
{ v15.w += vasr(v20.w,r3); v16.w += vrmpy(v26.ub,r14.b); v26 = vand(v24,v8); v20 = vand(v19,v10) }
{ v18.w += vrmpy(v24.ub,r15.b); v27 = vmem(r9+#-2); v19 = vand(v19,v11); v24 = vand(v19,v12) }
{ v20.h = vasr(v15.w,v23.w,r4); v15.w = vrmpy(v17.ub,r14.b); v17.w = vrmpy(v20.ub,r15.b); v23 = vand(v27,v8) }
{ v20.h = vsub(v20.h,v25.h); v16.w += vrmpy(v26.ub,r15.b); v18.w += vrmpy(v27.ub,r16.b); v26 = vmem(r9+#-1) }
{ v16.w += vrmpy(v23.ub,r16.b); v23 = vmem(r9+#5); v30.w += vasr(v7.w,r5) }
{ v5:4.w = vmpy(v20.h,v21.h); v21 = vand(v26,v8); v20 = vand(v23,v9) }
{ v5:4.w += vmpy(v22.h,r13.h); v27 = vmem(r9+#0); v22 = vand(v23,v10); r15:14 = memd(r10++#8) }
{ v18.w += vrmpy(v26.ub,r17.b); v16.w += vrmpy(v21.ub,r17.b); v21 = vand(v27,v8); v26 = vmem(r9+#1) }
{ v19.w = vrmpy(v19.ub,r16.b); v24.w = vrmpy(v24.ub,r17.b); v28 = vand(v26,v8); v29 = vmem(r9+#2) }
{ v18.w += vrmpy(v27.ub,r20.b); v16.w += vrmpy(v21.ub,r20.b); v21 = vand(v29,v8); v27 = vmem(r9+#3) }
{ v15.w += vrmpy(v20.ub,r20.b); v17.w += vrmpy(v22.ub,r21.b); v20 = vand(v23,v11); v22 = vand(v27,v8) }
{ v18.w += vrmpy(v26.ub,r21.b); v16.w += vrmpy(v28.ub,r21.b); v15 = v15; v26 = vmem(r9+#6) }
{ v18.w += vrmpy(v29.ub,r22.b); v16.w += vrmpy(v21.ub,r22.b); v21 = vand(v23,v12); v23 = vmem(r9+#7) }
{ v18.w += vrmpy(v27.ub,r23.b); v16.w += vrmpy(v22.ub,r23.b); r9 = add(r9,#1536); r17:16 = memd(r10++#8) }
{ v19.w += vrmpy(v20.ub,r22.b); v24.w += vrmpy(v21.ub,r23.b); v18.w = vsub(v18.w,v16.w); v20 = vmem(r6+#4) }
{ v26 = vmem(r6+#-4); v22 = vand(v20,v9); v21.h = vmpy(v26.h,r18.h):<<1:rnd:sat; r19:18 = memd(r10++#8) }
{ v15.w += vasr(v18.w,r1); v27 = vand(v26,v8); v18 = vand(v20,v10); vmem(r12+#7) = v30 }
{ v15.w += vasr(v17.w,r0); v17.w = vrmpy(v26.ub,r14.b); v28 = vmem(r6+#-3); v26 = vand(v20,v12) }
{ v15.w += vasr(v19.w,r2); v22 = vand(v28,v8); v18.w = vrmpy(v22.ub,r14.b); v19.w = vrmpy(v18.ub,r15.b) }
{ v15.w += vasr(v24.w,r3); v24.w = vrmpy(v27.ub,r14.b); v17.w += vrmpy(v28.ub,r15.b); v27 = vmem(r6+#-2) }
{ v24.w += vrmpy(v22.ub,r15.b); v22 = vand(v27,v8); v20 = vand(v20,v11); v28 = vmem(r6+#-1) }
{ v15.h = vasr(v15.w,v16.w,r4); v17.w += vrmpy(v27.ub,r16.b); v27 = vand(v28,v8); v16 = vmem(r6+#5) }
{ v15.h = vsub(v15.h,v25.h); v24.w += vrmpy(v22.ub,r16.b); v17.w += vrmpy(v28.ub,r17.b); v22 = vmem(r6+#0) }
{ v20.w = vrmpy(v20.ub,r16.b); v25.w = vrmpy(v26.ub,r17.b); v26 = vand(v22,v8); v28 = vmem(r6+#1) }
{ v7:6.w = vmpy(v15.h,v21.h); v15 = vand(v16,v9); v21 = vand(v16,v10); r21:20 = memd(r10++#8) }
{ v7:6.w += vmpy(v23.h,r13.h); v23 = vand(v28,v8); v29 = vmem(r6+#2); r23:22 = memd(r11++#8) }
{ v24.w += vrmpy(v27.ub,r17.b); v17.w += vrmpy(v22.ub,r18.b); v27 = vand(v29,v8); v22 = vand(v16,v11) }
{ v24.w += vrmpy(v26.ub,r18.b); v17.w += vrmpy(v28.ub,r19.b); v26 = vmem(r6+#3); v16 = vand(v16,v12) }
{ v18.w += vrmpy(v15.ub,r18.b); v19.w += vrmpy(v21.ub,r19.b); v15 = vand(v26,v8); v21 = vmem(r6+#6) }
{ v24.w += vrmpy(v23.ub,r19.b); v17.w += vrmpy(v29.ub,r20.b); v18 = v18; v23 = vmem(r6+#7) }
{ v24.w += vrmpy(v27.ub,r20.b); v17.w += vrmpy(v26.ub,r21.b); r6 = add(r6,#1536); v26 = vmem(r7+#4) }
{ v24.w += vrmpy(v15.ub,r21.b); r13 = combine(r23.h,r23.h); v15 = vmem(r7+#-4) }
{ v20.w += vrmpy(v22.ub,r20.b); v25.w += vrmpy(v16.ub,r21.b); v16.w = vsub(v17.w,v24.w); v17 = vand(v15,v8) }
{ v27 = vsplat(r13); v15.w = vrmpy(v15.ub,r14.b); v22 = vmem(r7+#-3) }
{ v18.w += vasr(v16.w,r1); v16.w = vrmpy(v17.ub,r14.b); v28 = vand(v22,v8); v17 = vand(v26,v10) }
{ v18.w += vasr(v19.w,r0); v19 = vand(v26,v9); v15.w += vrmpy(v22.ub,r15.b); v22 = vmem(r7+#-2) }
{ v18.w += vasr(v20.w,r2); v16.w += vrmpy(v28.ub,r15.b); v28 = vand(v22,v8); v20 = vand(v26,v12) }
{ v18.w += vasr(v25.w,r3); v21.h = vmpy(v21.h,r22.h):<<1:rnd:sat; v25 = vmem(r7+#-1) }
{ v17.w = vrmpy(v19.ub,r14.b); v19.w = vrmpy(v17.ub,r15.b); v30 = vand(v25,v8); v29 = vmem(r7+#5) }
{ v18.h = vasr(v18.w,v24.w,r4); v15.w += vrmpy(v22.ub,r16.b); v16.w += vrmpy(v28.ub,r16.b); v22 = vmem(r7+#0) }
{ v18.h = vsub(v18.h,v27.h); r13 = combine(r23.l,r23.l); v15.w += vrmpy(v25.ub,r17.b); v16.w += vrmpy(v30.ub,r17.b) }
{ v22 = vand(v26,v11); v25 = vand(v22,v8); v15.w += vrmpy(v22.ub,r18.b); v24 = vand(v29,v11) }
{ v1:0.w += vmpy(v18.h,v21.h); v18 = vand(v29,v9); v21 = vmem(r7+#1) }
{ v1:0.w += vmpy(v23.h,r13.h); v23 = vand(v29,v10); v26 = vmem(r7+#2) }
{ v16.w += vrmpy(v25.ub,r18.b); v21 = vand(v21,v8); v15.w += vrmpy(v21.ub,r19.b); v25 = vmem(r7+#3) }
{ v20.w = vrmpy(v22.ub,r16.b); v22.w = vrmpy(v20.ub,r17.b); v28 = vand(v29,v12); v29 = vmem(r7+#6) }
{ v16.w += vrmpy(v21.ub,r19.b); v26 = vand(v26,v8); v15.w += vrmpy(v26.ub,r20.b); v21 = vmem(r8+#4) }
{ v17.w += vrmpy(v18.ub,r18.b); v19.w += vrmpy(v23.ub,r19.b); v18 = vand(v25,v8); v23 = vmem(r7+#7) }
{ v16.w += vrmpy(v26.ub,r20.b); v15.w += vrmpy(v25.ub,r21.b); v17 = v17; v25 = vmem(r8+#-4) }
{ v16.w += vrmpy(v18.ub,r21.b); r7 = add(r7,#1536); v18 = vand(v25,v8); v26 = vmem(r8+#-3) }
{ v20.w += vrmpy(v24.ub,r20.b); v22.w += vrmpy(v28.ub,r21.b); v15.w = vsub(v15.w,v16.w); v24 = vand(v26,v8) }
{ v25.w = vrmpy(v25.ub,r14.b); v18.w = vrmpy(v18.ub,r14.b); v28 = vand(v21,v9); v30 = vand(v21,v10) }
{ v17.w += vasr(v15.w,r1); v25.w += vrmpy(v26.ub,r15.b); v18.w += vrmpy(v24.ub,r15.b); v15 = vmem(r8+#-2) }
{ v17.w += vasr(v19.w,r0); v19.w = vrmpy(v28.ub,r14.b); v24.w = vrmpy(v30.ub,r15.b); v26 = vand(v15,v8) }
{ v17.w += vasr(v20.w,r2); v20.h = vmpy(v29.h,r22.h):<<1:rnd:sat; v28 = vmem(r8+#-1) }
{ v17.w += vasr(v22.w,r3); v25.w += vrmpy(v15.ub,r16.b); v18.w += vrmpy(v26.ub,r16.b); v15 = vand(v28,v8) }
{ v22 = vand(v21,v11); v25.w += vrmpy(v28.ub,r17.b); v26 = vand(v21,v12); v21 = vmem(r8+#5) }
{ v15.h = vasr(v17.w,v16.w,r4); v18.w += vrmpy(v15.ub,r17.b); v16 = vmem(r8+#0) }
{ v22.h = vsub(v15.h,v27.h); v15.w = vrmpy(v22.ub,r16.b); v17.w = vrmpy(v26.ub,r17.b) }
{ v26 = vand(v16,v8); v25.w += vrmpy(v16.ub,r18.b); v16 = vand(v21,v9); v28 = vmem(r8+#1) }
{ v3:2.w += vmpy(v22.h,v20.h); v22 = vmem(r8+#2); v20 = vand(v21,v11) }
{ v3:2.w += vmpy(v23.h,r13.h); v23 = vand(v28,v8); v29 = vmem(r8+#3) }
{ v18.w += vrmpy(v26.ub,r18.b); v25.w += vrmpy(v28.ub,r19.b); v28 = vand(v22,v8); v26 = vand(v21,v12) }
{ v18.w += vrmpy(v23.ub,r19.b); v21 = vand(v21,v10); v25.w += vrmpy(v22.ub,r20.b); v22 = vmem(r8+#6) }
{ v18.w += vrmpy(v28.ub,r20.b); v23 = vand(v29,v8); v25.w += vrmpy(v29.ub,r21.b); v28 = vmem(r8+#7) }
{ v19.w += vrmpy(v16.ub,r18.b); v24.w += vrmpy(v21.ub,r19.b); r8 = add(r8,#1536); v16 = vmem(r9+#4) }
{ v18.w += vrmpy(v23.ub,r21.b); v19 = v19; v23 = vmem(r9+#-4); v21 = vand(v16,v9) }
{ v15.w += vrmpy(v20.ub,r20.b); v17.w += vrmpy(v26.ub,r21.b); v20.w = vsub(v25.w,v18.w); v25 = vand(v23,v8) }
{ v23.w = vrmpy(v23.ub,r14.b); v30 = vmem(r9+#-3); v26 = vand(v16,v10); v29 = vand(v16,v11) }
{ v19.w += vasr(v20.w,r1); v20.w = vrmpy(v25.ub,r14.b); v25 = vand(v30,v8); v31 = vmem(r9+#-2) }
{ v19.w += vasr(v24.w,r0); v23.w += vrmpy(v30.ub,r15.b); v24 = vand(v31,v8); v30 = vmem(r9+#-1) }
{ v19.w += vasr(v15.w,r2); v15.h = vmpy(v22.h,r22.h):<<1:rnd:sat; v22 = vand(v30,v8) }
{ v19.w += vasr(v17.w,r3); v20.w += vrmpy(v25.ub,r15.b); v23.w += vrmpy(v31.ub,r16.b); v17 = vmem(r9+#5) }
{ v21.w = vrmpy(v21.ub,r14.b); v25.w = vrmpy(v26.ub,r15.b); v31 = vmem(r9+#0); v26 = vand(v17,v9) }
{ v18.h = vasr(v19.w,v18.w,r4); v20.w += vrmpy(v24.ub,r16.b); v23.w += vrmpy(v30.ub,r17.b); v19 = vand(v31,v8) }
{ v18.h = vsub(v18.h,v27.h); v20.w += vrmpy(v22.ub,r17.b); v23.w += vrmpy(v31.ub,r18.b); v22 = vmem(r9+#1) }
{ v16 = vand(v16,v12); v20.w += vrmpy(v19.ub,r18.b); v24 = vand(v22,v8); v19 = vand(v17,v10) }
{ v5:4.w += vmpy(v18.h,v15.h); v18 = vmem(r9+#2); v15 = vand(v17,v11); r15:14 = memd(r10++#8) }
{ v5:4.w += vmpy(v28.h,r13.h); v28 = vand(v18,v8); v30 = vmem(r9+#3); r25:24 = memd(r10++#8) }
{ v16.w = vrmpy(v29.ub,r16.b); v17.w = vrmpy(v16.ub,r17.b); v31 = vand(v30,v8); v29 = vand(v17,v12) }
{ v21.w += vrmpy(v26.ub,r18.b); v25.w += vrmpy(v19.ub,r19.b); v26 = vmem(r9+#6); v19 = v13 }
{ v23.w += vrmpy(v22.ub,r19.b); v20.w += vrmpy(v24.ub,r19.b); v21 = v21; v22 = vmem(r9+#7) }
{ v23.w += vrmpy(v18.ub,r20.b); v20.w += vrmpy(v28.ub,r20.b); r9 = add(r9,#1536); v18 = vmem(r6+#4) }
{ v23.w += vrmpy(v30.ub,r21.b); v20.w += vrmpy(v31.ub,r21.b); v24 = v14; v28 = vmem(r6+#-4) }
{ v16.w += vrmpy(v15.ub,r20.b); v17.w += vrmpy(v29.ub,r21.b); v15.w = vsub(v23.w,v20.w); v23 = vand(v28,v8) }
{ v24.w += vrmpy(v28.ub,r14.b); v28 = vand(v18,v9); v30 = vmem(r6+#-3); v29 = vand(v18,v10) }
{ v21.w += vasr(v15.w,r1); v19.w += vrmpy(v23.ub,r14.b); v15 = vand(v30,v8); v23 = vmem(r6+#-2) }
{ v21.w += vasr(v25.w,r0); v24.w += vrmpy(v30.ub,r15.b); v25 = vand(v23,v8); v30 = vmem(r6+#-1) }
{ v21.w += vasr(v16.w,r2); v19.w += vrmpy(v15.ub,r15.b); v24.w += vrmpy(v23.ub,r24.b); v15 = vand(v18,v11) }
{ v21.w += vasr(v17.w,r3); v16.h = vmpy(v26.h,r22.h):<<1:rnd:sat; v17 = vand(v18,v12); r17:16 = memd(r10++#8) }
{ v18.w = vrmpy(v28.ub,r14.b); v23.w = vrmpy(v29.ub,r15.b); v28 = vand(v30,v8); v26 = vmem(r6+#5) }
{ v20.h = vasr(v21.w,v20.w,r4); v19.w += vrmpy(v25.ub,r24.b); v24.w += vrmpy(v30.ub,r25.b); v21 = vmem(r6+#0) }
{ v20.h = vsub(v20.h,v27.h); v15.w = vrmpy(v15.ub,r24.b); v17.w = vrmpy(v17.ub,r25.b); v25 = vand(v21,v8) }
{ v19.w += vrmpy(v28.ub,r25.b); v24.w += vrmpy(v21.ub,r16.b); v27 = vmem(r6+#1); v21 = vand(v26,v10) }
{ v7:6.w += vmpy(v20.h,v16.h); v16 = vand(v26,v9); v20 = vand(v27,v8); r19:18 = memd(r10++#8) }
{ v7:6.w += vmpy(v22.h,r13.h); v28 = vmem(r6+#2); v22 = vand(v26,v11); r21:20 = memd(r11++#8) }
{ v19.w += vrmpy(v25.ub,r16.b); v24.w += vrmpy(v27.ub,r17.b); v25 = vand(v28,v8); v27 = vmem(r6+#3) }
{ v18.w += vrmpy(v16.ub,r16.b); v23.w += vrmpy(v21.ub,r17.b); v21 = vand(v27,v8); v16 = vand(v26,v12) }
{ v19.w += vrmpy(v20.ub,r17.b); v24.w += vrmpy(v28.ub,r18.b); v18 = v18; v20 = vmem(r6+#6) }
{ v19.w += vrmpy(v25.ub,r18.b); v24.w += vrmpy(v27.ub,r19.b); v25 = vmem(r6+#7); r13 = combine(r21.h,r21.h) }
{ v19.w += vrmpy(v21.ub,r19.b); r6 = add(r6,#1536); v26 = vsplat(r13); v21 = vmem(r7+#4) }
{ v15.w += vrmpy(v22.ub,r18.b); v17.w += vrmpy(v16.ub,r19.b); v16.w = vsub(v24.w,v19.w); v22 = vmem(r7+#-4) }
{ v20 = v14; v24.h = vmpy(v20.h,r20.h):<<1:rnd:sat; r13 = combine(r21.l,r21.l) }
{ v18.w += vasr(v16.w,r1); v16 = v13; v22 = vand(v22,v8); v20.w += vrmpy(v22.ub,r14.b) }
{ v18.w += vasr(v23.w,r0); v23 = vand(v21,v9); v28 = vmem(r7+#-3); v27 = vand(v21,v12) }
{ v18.w += vasr(v15.w,r2); v16.w += vrmpy(v22.ub,r14.b); v15 = vand(v28,v8); v22 = vmem(r7+#-2) }
{ v18.w += vasr(v17.w,r3); v20.w += vrmpy(v28.ub,r15.b); v17 = vand(v21,v10); v21 = vand(v21,v11) }
{ v16.w += vrmpy(v15.ub,r15.b); v15 = vand(v22,v8); v20.w += vrmpy(v22.ub,r24.b); v22 = vmem(r7+#-1) }
{ v19.h = vasr(v18.w,v19.w,r4); v17.w = vrmpy(v23.ub,r14.b); v18.w = vrmpy(v17.ub,r15.b); v23 = vand(v22,v8) }
{ v15.h = vsub(v19.h,v26.h); v16.w += vrmpy(v15.ub,r24.b); v20.w += vrmpy(v22.ub,r25.b); v19 = vmem(r7+#5) }
{ v16.w += vrmpy(v23.ub,r25.b); v28 = vmem(r7+#0); v22 = vand(v19,v9); v23 = vand(v19,v10) }
{ v1:0.w += vmpy(v15.h,v24.h); v15 = vand(v28,v8); v24 = vmem(r7+#1) }
{ v1:0.w += vmpy(v25.h,r13.h); v25 = vand(v24,v8); v29 = vmem(r7+#2) }
{ v21.w = vrmpy(v21.ub,r24.b); v27.w = vrmpy(v27.ub,r25.b); v30 = vand(v29,v8); v31 = vmem(r7+#3) }
{ v20.w += vrmpy(v28.ub,r16.b); v16.w += vrmpy(v15.ub,r16.b); v15 = vand(v19,v11); v28 = vand(v31,v8) }
{ v20.w += vrmpy(v24.ub,r17.b); v16.w += vrmpy(v25.ub,r17.b); v19 = vand(v19,v12); v24 = vmem(r7+#6) }
{ v20.w += vrmpy(v29.ub,r18.b); v16.w += vrmpy(v30.ub,r18.b); v29 = vmem(r7+#7); v25 = v13 }
{ v17.w += vrmpy(v22.ub,r16.b); v18.w += vrmpy(v23.ub,r17.b); r7 = add(r7,#1536); v22 = vmem(r8+#4) }
{ v20.w += vrmpy(v31.ub,r19.b); v16.w += vrmpy(v28.ub,r19.b); v17 = v17; v23 = v14 }
{ v21.w += vrmpy(v15.ub,r18.b); v27.w += vrmpy(v19.ub,r19.b); v15.w = vsub(v20.w,v16.w); v19 = vmem(r8+#-4) }
{ v24 = vand(v19,v8); v28 = vmem(r8+#-3); v20.h = vmpy(v24.h,r20.h):<<1:rnd:sat }
{ v17.w += vasr(v15.w,r1); v23.w += vrmpy(v19.ub,r14.b); v19 = vand(v28,v8); v15 = vand(v22,v10) }
{ v17.w += vasr(v18.w,r0); v25.w += vrmpy(v24.ub,r14.b); v18 = vand(v22,v9); v23.w += vrmpy(v28.ub,r15.b) }
{ v17.w += vasr(v21.w,r2); v25.w += vrmpy(v19.ub,r15.b); v19 = vmem(r8+#-2) }
{ v17.w += vasr(v27.w,r3); v15.w = vrmpy(v18.ub,r14.b); v18.w = vrmpy(v15.ub,r15.b); v21 = vmem(r8+#-1) }
{ v24 = vand(v19,v8); v23.w += vrmpy(v19.ub,r24.b); v19 = vand(v22,v11); v22 = vand(v22,v12) }
{ v16.h = vasr(v17.w,v16.w,r4); v23.w += vrmpy(v21.ub,r25.b); v17 = vmem(r8+#5) }
{ v22.h = vsub(v16.h,v26.h); v16.w = vrmpy(v19.ub,r24.b); v19.w = vrmpy(v22.ub,r25.b); v27 = vmem(r8+#0) }
{ v25.w += vrmpy(v24.ub,r24.b); v21 = vand(v21,v8); v24 = vmem(r8+#1) }
{ v3:2.w += vmpy(v22.h,v20.h); v22 = vand(v27,v8); v20 = vand(v17,v9) }
{ v3:2.w += vmpy(v29.h,r13.h); v28 = vand(v17,v10); v29 = vmem(r8+#2) }
{ v25.w += vrmpy(v21.ub,r25.b); v23.w += vrmpy(v27.ub,r16.b); v21 = vand(v24,v8); v27 = vmem(r8+#3) }
{ v25.w += vrmpy(v22.ub,r16.b); v23.w += vrmpy(v24.ub,r17.b); v24 = vand(v29,v8); v22 = vand(v17,v12) }
{ v25.w += vrmpy(v21.ub,r17.b); v23.w += vrmpy(v29.ub,r18.b); v17 = vand(v17,v11); v21 = vmem(r8+#6) }
{ v15.w += vrmpy(v20.ub,r16.b); v18.w += vrmpy(v28.ub,r17.b); v20 = vand(v27,v8); v28 = vmem(r8+#7) }
{ v25.w += vrmpy(v24.ub,r18.b); v23.w += vrmpy(v27.ub,r19.b); v15 = v15; r8 = add(r8,#1536) }
{ v25.w += vrmpy(v20.ub,r19.b); v20 = v13; v24 = v14; v27 = vmem(r9+#4) }
{ v16.w += vrmpy(v17.ub,r18.b); v19.w += vrmpy(v22.ub,r19.b); v17.w = vsub(v23.w,v25.w); v22 = vmem(r9+#-4) }
{ v23 = vand(v27,v9); v29 = vand(v27,v10); v21.h = vmpy(v21.h,r20.h):<<1:rnd:sat }
{ v15.w += vasr(v17.w,r1); v17 = vand(v22,v8); v24.w += vrmpy(v22.ub,r14.b); v22 = vmem(r9+#-3) }
{ v15.w += vasr(v18.w,r0); v29 = vand(v22,v8); v18.w = vrmpy(v23.ub,r14.b); v23.w = vrmpy(v29.ub,r15.b) }
{ v15.w += vasr(v16.w,r2); v20.w += vrmpy(v17.ub,r14.b); v24.w += vrmpy(v22.ub,r15.b); v16 = vmem(r9+#-2) }
{ v15.w += vasr(v19.w,r3); v20.w += vrmpy(v29.ub,r15.b); v17 = vand(v16,v8) }
{ v24.w += vrmpy(v16.ub,r24.b); v19 = vmem(r9+#-1); v16 = vand(v27,v12) }
{ v15.h = vasr(v15.w,v25.w,r4); v20.w += vrmpy(v17.ub,r24.b); v22 = vand(v19,v8); v17 = vmem(r9+#5) }
{ v15.h = vsub(v15.h,v26.h); v19 = vand(v27,v11); v24.w += vrmpy(v19.ub,r25.b); v25 = vmem(r9+#0) }
{ v20.w += vrmpy(v22.ub,r25.b); v22 = vand(v17,v9); v29 = vmem(r9+#1); v27 = vand(v17,v10) }
{ v5:4.w += vmpy(v15.h,v21.h); v21 = vand(v25,v8); v15 = vand(v17,v12) }
{ v5:4.w += vmpy(v28.h,r13.h); v28 = vmem(r9+#2); v17 = vand(v17,v11); r15:14 = memd(r10++#8) }
{ v24.w += vrmpy(v25.ub,r16.b); v20.w += vrmpy(v21.ub,r16.b); v21 = vand(v29,v8); v25 = vmem(r9+#3) }
{ v16.w = vrmpy(v19.ub,r24.b); v19.w = vrmpy(v16.ub,r25.b); v30 = vand(v28,v8); v31 = vmem(r9+#6) }
{ v24.w += vrmpy(v29.ub,r17.b); v20.w += vrmpy(v21.ub,r17.b); v21 = vand(v25,v8); v29 = vmem(r9+#7) }
{ v18.w += vrmpy(v22.ub,r16.b); v23.w += vrmpy(v27.ub,r17.b); r9 = add(r9,#1536); v22 = vmem(r6+#4) }
{ v24.w += vrmpy(v28.ub,r18.b); v20.w += vrmpy(v30.ub,r18.b); v18 = v18; v27 = vmem(r6+#-4) }
{ v24.w += vrmpy(v25.ub,r19.b); v20.w += vrmpy(v21.ub,r19.b); v25 = vand(v27,v8); v21 = vand(v22,v9) }
{ v16.w += vrmpy(v17.ub,r18.b); v19.w += vrmpy(v15.ub,r19.b); v15.w = vsub(v24.w,v20.w); v17 = vand(v22,v10) }
{ v25.w = vrmpy(v27.ub,r14.b); v24.w = vrmpy(v25.ub,r14.b); v28 = vmem(r6+#-3); v27 = vand(v22,v11) }
{ v18.w += vasr(v15.w,r1); v30 = vand(v28,v8); v15.h = vmpy(v31.h,r20.h):<<1:rnd:sat; r17:16 = memd(r10++#8) }
{ v18.w += vasr(v23.w,r0); v25.w += vrmpy(v28.ub,r15.b); v23 = vmem(r6+#-2); v22 = vand(v22,v12) }
{ v18.w += vasr(v16.w,r2); v24.w += vrmpy(v30.ub,r15.b); v16 = vand(v23,v8); v28 = vmem(r6+#-1) }
{ v18.w += vasr(v19.w,r3); v17.w = vrmpy(v21.ub,r14.b); v19.w = vrmpy(v17.ub,r15.b); v21 = vand(v28,v8) }
{ v25.w += vrmpy(v23.ub,r16.b); v24.w += vrmpy(v16.ub,r16.b); v16 = vmem(r6+#5); r19:18 = memd(r10++#8) }
{ v18.h = vasr(v18.w,v20.w,r4); v25.w += vrmpy(v28.ub,r17.b); v24.w += vrmpy(v21.ub,r17.b); v20 = vmem(r6+#0) }
{ v22.h = vsub(v18.h,v26.h); v18.w = vrmpy(v27.ub,r16.b); v21.w = vrmpy(v22.ub,r17.b) }
{ v23 = vand(v20,v8); v25.w += vrmpy(v20.ub,r18.b); v26 = vmem(r6+#1); v20 = vand(v16,v11) }
{ v7:6.w += vmpy(v22.h,v15.h); v15 = vand(v16,v9); r21:20 = memd(r10++#8); v22 = vmem(r6+#2) }
{ v7:6.w += vmpy(v29.h,r13.h); v27 = vand(v26,v8); v28 = vmem(r6+#3); r23:22 = memd(r11++#8) }
{ v24.w += vrmpy(v23.ub,r18.b); v25.w += vrmpy(v26.ub,r19.b); v16 = vand(v16,v10); v23 = vand(v16,v12) }
{ v24.w += vrmpy(v27.ub,r19.b); v22 = vand(v22,v8); v25.w += vrmpy(v22.ub,r20.b); v26 = vmem(r6+#6) }
{ v17.w += vrmpy(v15.ub,r18.b); v19.w += vrmpy(v16.ub,r19.b); v15 = vand(v28,v8); v16 = vmem(r6+#7) }
{ v24.w += vrmpy(v22.ub,r20.b); v25.w += vrmpy(v28.ub,r21.b); v17 = v17; r6 = add(r6,#1536) }
{ v18.w += vrmpy(v20.ub,r20.b); v21.w += vrmpy(v23.ub,r21.b); r13 = combine(r23.h,r23.h); v20 = vmem(r7+#4) }
{ v24.w += vrmpy(v15.ub,r21.b); v23 = vsplat(r13); v15 = vmem(r7+#-4) }
{ v22.w = vsub(v25.w,v24.w); v26 = vmem(r7+#-3); v25.h = vmpy(v26.h,r22.h):<<1:rnd:sat; r24 = combine(r23.l,r23.l) }
{ v28 = vand(v15,v8); v15.w = vrmpy(v15.ub,r14.b); v27 = vand(v20,v9); v29 = vand(v26,v8) }
{ v17.w += vasr(v22.w,r1); v15.w += vrmpy(v26.ub,r15.b); v22 = vand(v20,v10); v26 = vmem(r12+#0) }
{ v17.w += vasr(v19.w,r0); v19.w = vrmpy(v28.ub,r14.b); v30 = vmem(r12+#1); v28 = vand(v20,v12) }
{ v17.w += vasr(v18.w,r2); v18.w = vrmpy(v27.ub,r14.b); v22.w = vrmpy(v22.ub,r15.b); v27 = vmem(r7+#-2) }
{ v17.w += vasr(v21.w,r3); v19.w += vrmpy(v29.ub,r15.b); v21 = vand(v27,v8); v29 = vmem(r7+#-1) }
{ v15.w += vrmpy(v27.ub,r16.b); v27 = vand(v20,v11); v31 = vand(v29,v8); v20 = vmem(r7+#5) }
{ v17.h = vasr(v17.w,v24.w,r4); v19.w += vrmpy(v21.ub,r16.b); v15.w += vrmpy(v29.ub,r17.b); v21 = vmem(r7+#0) }
{ v27.h = vsub(v17.h,v23.h); v17.w = vrmpy(v27.ub,r16.b); v24.w = vrmpy(v28.ub,r17.b); v28 = vand(v21,v8) }
{ v19.w += vrmpy(v31.ub,r17.b); v15.w += vrmpy(v21.ub,r18.b); v21 = vand(v20,v9); v29 = vmem(r7+#1) }
{ v1:0.w += vmpy(v27.h,v25.h); v25 = vand(v29,v8); v27 = vmem(r7+#2) }
{ v1:0.w += vmpy(v16.h,r24.h); v16 = vand(v20,v10); v31 = vand(v27,v8) }
{ v19.w += vrmpy(v28.ub,r18.b); v15.w += vrmpy(v29.ub,r19.b); v20 = vand(v20,v11); v28 = vand(v20,v12) }
{ v26.w += vasr(v0.w,r5); v19.w += vrmpy(v25.ub,r19.b); v15.w += vrmpy(v27.ub,r20.b); v25 = vmem(r7+#3) }
{ vmem(r12+#0) = v26; v30.w += vasr(v1.w,r5); v19.w += vrmpy(v31.ub,r20.b); v26 = vand(v25,v8) }
{ vmem(r12+#1) = v30; v18.w += vrmpy(v21.ub,r18.b); v22.w += vrmpy(v16.ub,r19.b); v16 = vmem(r7+#6) }
{ v17.w += vrmpy(v20.ub,r20.b); v24.w += vrmpy(v28.ub,r21.b); v18 = v18; v20 = vmem(r7+#7) }
{ v15.w += vrmpy(v25.ub,r21.b); v19.w += vrmpy(v26.ub,r21.b); r7 = add(r7,#1536); v21 = vmem(r8+#4) }
{ v15.w = vsub(v15.w,v19.w); v25 = vmem(r8+#-4); v16.h = vmpy(v16.h,r22.h):<<1:rnd:sat }
{ v27 = vand(v25,v8); v26 = vand(v21,v9); v28 = vmem(r12+#2) }
{ v18.w += vasr(v15.w,r1); v15.w = vrmpy(v25.ub,r14.b); v29 = vmem(r8+#-3); v25 = vand(v21,v10) }
{ v18.w += vasr(v22.w,r0); v22.w = vrmpy(v27.ub,r14.b); v27 = vand(v29,v8); v30 = vmem(r12+#3) }
{ v18.w += vasr(v17.w,r2); v15.w += vrmpy(v29.ub,r15.b); v29 = vmem(r8+#-2); v17 = vand(v21,v11) }
{ v18.w += vasr(v24.w,r3); v22.w += vrmpy(v27.ub,r15.b); v24 = vand(v29,v8); v27 = vmem(r8+#-1) }
{ v21.w = vrmpy(v26.ub,r14.b); v25.w = vrmpy(v25.ub,r15.b); v31 = vand(v27,v8); v26 = vand(v21,v12) }
{ v18.h = vasr(v18.w,v19.w,r4); v15.w += vrmpy(v29.ub,r16.b); v22.w += vrmpy(v24.ub,r16.b); v19 = vmem(r8+#5) }
{ v18.h = vsub(v18.h,v23.h); v15.w += vrmpy(v27.ub,r17.b); v22.w += vrmpy(v31.ub,r17.b); v24 = vmem(r8+#0) }
{ v17.w = vrmpy(v17.ub,r16.b); v26.w = vrmpy(v26.ub,r17.b); v27 = vand(v19,v9); v29 = vand(v19,v10) }
{ v3:2.w += vmpy(v18.h,v16.h); v16 = vand(v24,v8); v18 = vmem(r8+#1) }
{ v3:2.w += vmpy(v20.h,r24.h); v20 = vand(v18,v8); v31 = vmem(r8+#2) }
{ v15.w += vrmpy(v24.ub,r18.b); v22.w += vrmpy(v16.ub,r18.b); v16 = vand(v31,v8); v24 = vmem(r8+#3) }
{ v28.w += vasr(v2.w,r5); v15.w += vrmpy(v18.ub,r19.b); v22.w += vrmpy(v20.ub,r19.b); v18 = vand(v19,v11) }
{ vmem(r12+#2) = v28; v30.w += vasr(v3.w,r5); v15.w += vrmpy(v31.ub,r20.b); v22.w += vrmpy(v16.ub,r20.b) }
{ vmem(r12+#3) = v30; v21.w += vrmpy(v27.ub,r18.b); v25.w += vrmpy(v29.ub,r19.b); v16 = vand(v24,v8) }
{ v15.w += vrmpy(v24.ub,r21.b); v21 = vand(v19,v12); v19 = v21; v20 = vmem(r9+#4) }
{ v22.w += vrmpy(v16.ub,r21.b); v16 = vmem(r9+#-4) }
{ v17.w += vrmpy(v18.ub,r20.b); v26.w += vrmpy(v21.ub,r21.b); v15.w = vsub(v15.w,v22.w); v18 = vmem(r8+#6) }
{ v27 = vmem(r8+#7); v24 = vand(v16,v8); v16.w = vrmpy(v16.ub,r14.b); v21 = vand(v20,v10) }
{ v19.w += vasr(v15.w,r1); r8 = add(r8,#1536); v18 = vand(v20,v9); v15.h = vmpy(v18.h,r22.h):<<1:rnd:sat }
{ v19.w += vasr(v25.w,r0); v24.w = vrmpy(v24.ub,r14.b); v28 = vmem(r9+#-3); v25 = vand(v20,v12) }
{ v19.w += vasr(v17.w,r2); v21 = vand(v28,v8); v17.w = vrmpy(v18.ub,r14.b); v18.w = vrmpy(v21.ub,r15.b) }
{ v19.w += vasr(v26.w,r3); v16.w += vrmpy(v28.ub,r15.b); v26 = vmem(r12+#4); v20 = vand(v20,v11) }
{ v24.w += vrmpy(v21.ub,r15.b); v21 = vmem(r9+#-2) }
{ v22.h = vasr(v19.w,v22.w,r4); v25 = vand(v21,v8); v19.w = vrmpy(v20.ub,r16.b); v20.w = vrmpy(v25.ub,r17.b) }
{ v21.h = vsub(v22.h,v23.h); v16.w += vrmpy(v21.ub,r16.b); v22 = vmem(r9+#-1) }
{ v24.w += vrmpy(v25.ub,r16.b); v25 = vmem(r9+#5) }
{ v5:4.w += vmpy(v21.h,v15.h); v15 = vand(v22,v8); v21 = vmem(r9+#0) }
{ v5:4.w += vmpy(v27.h,r24.h); v28 = vmem(r12+#5); v27 = vand(v21,v8) }
{ v16.w += vrmpy(v22.ub,r17.b); v24.w += vrmpy(v15.ub,r17.b); v22 = vmem(r9+#1); v15 = vand(v25,v10) }
{ v26.w += vasr(v4.w,r5); v16.w += vrmpy(v21.ub,r18.b); v24.w += vrmpy(v27.ub,r18.b); v21 = vand(v22,v8) }
{ vmem(r12+#4) = v26; v28.w += vasr(v5.w,r5); v16.w += vrmpy(v22.ub,r19.b); v22 = vmem(r9+#2) }
{ vmem(r12+#5) = v28; v24.w += vrmpy(v21.ub,r19.b); v21 = vand(v22,v8); v26 = vmem(r9+#3) }
{ v22 = vand(v25,v9); v16.w += vrmpy(v22.ub,r20.b); v27 = vand(v25,v12); v28 = vmem(r9+#6) }
{ v24.w += vrmpy(v21.ub,r20.b); v21 = vand(v25,v11); v16.w += vrmpy(v26.ub,r21.b); v30 = vmem(r9+#7) }
{ v17.w += vrmpy(v22.ub,r18.b); v18.w += vrmpy(v15.ub,r19.b); v15 = vand(v26,v8); r9 = add(r9,#1536) }
{ v19.w += vrmpy(v21.ub,r20.b); v20.w += vrmpy(v27.ub,r21.b); v21 = v17 }
{ v24.w += vrmpy(v15.ub,r21.b) }
{ v15.w = vsub(v16.w,v24.w); v28.h = vmpy(v28.h,r22.h):<<1:rnd:sat }
{ nop }
{ v21.w += vasr(v15.w,r1) }:endloop0
{ v21.w += vasr(v18.w,r0) }
{ v21.w += vasr(v19.w,r2) }
{ v21.w += vasr(v20.w,r3) }
{ v24.h = vasr(v21.w,v24.w,r4) }
{ v29.h = vsub(v24.h,v23.h); v31 = vmem(r12+#6) }
{ v7:6.w += vmpy(v29.h,v28.h) }
{ v7:6.w += vmpy(v30.h,r24.h) }
{ v31.w += vasr(v6.w,r5) }
{ vmem(r12+#6) = v31 }
{ v30 = vmem(r12+#7) }
{ v30.w += vasr(v7.w,r5) }
{ vmem(r12+#7) = v30 }
{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16); r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32); r27:26 = memd(r29+#40) }
{ r30 = add(r29,#56) }
{ dealloc_return }
.size hvx_sum_q5_1_tiles, .-hvx_sum_q5_1_tiles

// 80 packets (75 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q5_1_tile
.hidden hvx_sum_q5_1_tile
.type hvx_sum_q5_1_tile,@function
hvx_sum_q5_1_tile:
{ allocframe(#56); r28 = r0 }
{ r30 = memw(r28+#48); memd(r29+#0) = r17:16; r16 = ##522133279 }
{ memd(r29+#8) = r19:18; memd(r29+#16) = r21:20; v8 = vsplat(r16) }
{ memd(r29+#24) = r23:22; memd(r29+#32) = r25:24; r17 = ##50529027 }
{ memd(r29+#40) = r27:26; r30 = add(r30,#-1); v9 = vsplat(r17); r6 = memw(r28+#0) }
{ loop0(.Lhvx_sum_q5_1_tile,r30); r18 = ##202116108 }
{ v10 = vsplat(r18); r19 = ##808464432; r7 = memw(r28+#16) }
{ v11 = vsplat(r19); r20 = ##3233857728; r6 = add(r6,#512) }
{ v12 = vsplat(r20); r21 = ##1; r8 = memw(r28+#32) }
{ v13 = vsplat(r21); r22 = ##9; r5 = memw(r28+#52) }
{ v14 = vsplat(r22); r0 = ##2; r9 = memw(r28+#56) }
{ r1 = ##3; r2 = ##4 }
{ r3 = ##6; r4 = ##1 }
{ v15 = v14 }
{ v16 = v13; v17 = vmem(r6+#4); r11:10 = memd(r7++#8) }
{ v20 = vmem(r6+#-4); v18 = vand(v17,v9); r13:12 = memd(r7++#8); v19 = vand(v17,v12) }
{ v21 = vand(v20,v8); v22 = vmem(r6+#-3) }
{ v15.w += vrmpy(v20.ub,r10.b); v23 = vand(v22,v8); v17 = vand(v17,v10); v20 = vand(v17,v11) }
{ v16.w += vrmpy(v21.ub,r10.b); v15.w += vrmpy(v22.ub,r11.b); v21 = vmem(r6+#-2); r15:14 = memd(r7++#8) }
{ v16.w += vrmpy(v23.ub,r11.b); v22 = vand(v21,v8); v23 = vmem(r6+#-1); r17:16 = memd(r7++#8) }
{ v17.w = vrmpy(v18.ub,r10.b); v18.w = vrmpy(v17.ub,r11.b); v25 = vand(v23,v8); v24 = vmem(r6+#5) }
{ v15.w += vrmpy(v21.ub,r12.b); v16.w += vrmpy(v22.ub,r12.b); v22 = vmem(r6+#0); v21 = vand(v24,v9) }
{ v15.w += vrmpy(v23.ub,r13.b); v16.w += vrmpy(v25.ub,r13.b); v23 = vand(v22,v8); v25 = vmem(r6+#1) }
{ v19.w = vrmpy(v20.ub,r12.b); v20.w = vrmpy(v19.ub,r13.b); v26 = vand(v25,v8); v27 = vmem(r6+#2) }
{ v15.w += vrmpy(v22.ub,r14.b); v16.w += vrmpy(v23.ub,r14.b); v22 = vand(v24,v10); v23 = vand(v24,v11) }
{ v15.w += vrmpy(v25.ub,r15.b); v16.w += vrmpy(v26.ub,r15.b); v25 = vand(v27,v8); v26 = vmem(r6+#3) }
{ v17.w += vrmpy(v21.ub,r14.b); v18.w += vrmpy(v22.ub,r15.b); v22 = vand(v26,v8); v21 = vand(v24,v12) }
{ v15.w += vrmpy(v27.ub,r16.b); v16.w += vrmpy(v25.ub,r16.b); v17 = v17; r11:10 = memd(r8++#8) }
{ v15.w += vrmpy(v26.ub,r17.b); v16.w += vrmpy(v22.ub,r17.b); v22 = vmem(r6+#6) }
{ v19.w += vrmpy(v23.ub,r16.b); v20.w += vrmpy(v21.ub,r17.b); v15.w = vsub(v15.w,v16.w); v21 = vmem(r6+#7) }
{ r6 = add(r6,#1536); r12 = combine(r11.h,r11.h); v22.h = vmpy(v22.h,r10.h):<<1:rnd:sat }
{ v17.w += vasr(v15.w,r1); v23 = vsplat(r12); v15 = vmem(r6+#4); r10 = combine(r11.l,r11.l) }
{ v17.w += vasr(v18.w,r0); r13:12 = memd(r7++#8); v18 = vmem(r6+#-4) }
{ v17.w += vasr(v19.w,r2); v19 = vand(v18,v8); r15:14 = memd(r7++#8) }
{ v17.w += vasr(v20.w,r3); v18.w = vrmpy(v18.ub,r12.b); v20 = vand(v15,v9); v24 = vand(v15,v10) }
{ v19.w = vrmpy(v19.ub,r12.b); v26 = vmem(r6+#-3); v25 = vand(v15,v12) }
{ v20.h = vasr(v17.w,v16.w,r4); v24 = vand(v26,v8); v16.w = vrmpy(v20.ub,r12.b); v17.w = vrmpy(v24.ub,r13.b) }
{ v20.h = vsub(v20.h,v23.h); v18.w += vrmpy(v26.ub,r13.b); v23 = vmem(r6+#-2) }
{ v19.w += vrmpy(v24.ub,r13.b); v15 = vand(v15,v11); v24 = vmem(r6+#-1) }
{ v1:0.w = vmpy(v20.h,v22.h); v22 = vand(v23,v8); v20 = vmem(r6+#5); r13:12 = memd(r7++#8) }
{ v1:0.w += vmpy(v21.h,r10.h); v21 = vand(v24,v8); v26 = vmem(r6+#0); r11:10 = memd(r7++#8) }
{ v18.w += vrmpy(v23.ub,r14.b); v19.w += vrmpy(v22.ub,r14.b); v22 = vand(v20,v9); v23 = vmem(r6+#1) }
{ v15.w = vrmpy(v15.ub,r14.b); v25.w = vrmpy(v25.ub,r15.b); v27 = vand(v26,v8); v28 = vand(v23,v8) }
{ v18.w += vrmpy(v24.ub,r15.b); v19.w += vrmpy(v21.ub,r15.b); v21 = vand(v20,v10); v24 = vmem(r6+#2) }
{ v18.w += vrmpy(v26.ub,r12.b); v19.w += vrmpy(v27.ub,r12.b); v26 = vand(v20,v11); v27 = vmem(r6+#3) }
{ v18.w += vrmpy(v23.ub,r13.b); v19.w += vrmpy(v28.ub,r13.b); v23 = vand(v24,v8); v20 = vand(v20,v12) }
{ v16.w += vrmpy(v22.ub,r12.b); v17.w += vrmpy(v21.ub,r13.b); v21 = vand(v27,v8); v22 = vmem(r6+#6) }
{ v18.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v23.ub,r10.b); v16 = v16; v23 = vmem(r6+#7) }
{ v18.w += vrmpy(v27.ub,r11.b); v19.w += vrmpy(v21.ub,r11.b); r6 = add(r6,#1536); r13:12 = memd(r8++#8) }
{ v15.w += vrmpy(v26.ub,r10.b); v25.w += vrmpy(v20.ub,r11.b); v18.w = vsub(v18.w,v19.w) }
{ v20 = v13; v21 = v14; v22.h = vmpy(v22.h,r12.h):<<1:rnd:sat }
{ v16.w += vasr(v18.w,r1); r10 = combine(r13.h,r13.h); v18 = vmem(r6+#4); r11 = combine(r13.l,r13.l) }
{ v16.w += vasr(v17.w,r0); v24 = vsplat(r10); r13:12 = memd(r7++#8); v17 = vmem(r6+#-4) }
{ v16.w += vasr(v15.w,r2); v27 = vand(v17,v8); v15 = vand(v18,v9); v26 = vand(v18,v10) }
{ v16.w += vasr(v25.w,r3); v21.w += vrmpy(v17.ub,r12.b); v25 = vmem(r6+#-3); v17 = vand(v18,v12) }
{ v20.w += vrmpy(v27.ub,r12.b); v27 = vand(v25,v8); r15:14 = memd(r7++#8); v28 = vmem(r6+#-2) }
{ v16.h = vasr(v16.w,v19.w,r4); v21.w += vrmpy(v25.ub,r13.b); v18 = vand(v18,v11); v19 = vmem(r6+#-1) }
{ v16.h = vsub(v16.h,v24.h); v20.w += vrmpy(v27.ub,r13.b); v21.w += vrmpy(v28.ub,r14.b); v24 = vmem(r6+#5) }
{ v15.w = vrmpy(v15.ub,r12.b); v25.w = vrmpy(v26.ub,r13.b); v27 = vand(v28,v8); v26 = vand(v24,v10) }
{ v1:0.w += vmpy(v16.h,v22.h); v16 = vand(v19,v8); r13:12 = memd(r7++#8); v22 = vmem(r6+#0) }
{ v1:0.w += vmpy(v23.h,r11.h); v23 = vand(v24,v9); v28 = vmem(r6+#1); r11:10 = memd(r7++#8) }
{ v20.w += vrmpy(v27.ub,r14.b); v21.w += vrmpy(v19.ub,r15.b); v19 = vand(v22,v8); v27 = vmem(r6+#2) }
{ v17.w = vrmpy(v18.ub,r14.b); v18.w = vrmpy(v17.ub,r15.b); v29 = vand(v28,v8); v30 = vmem(r6+#3) }
{ v20.w += vrmpy(v16.ub,r15.b); v21.w += vrmpy(v22.ub,r12.b); v16 = vand(v27,v8); v22 = vand(v30,v8) }
{ v20.w += vrmpy(v19.ub,r12.b); v21.w += vrmpy(v28.ub,r13.b); v19 = vand(v24,v12); v28 = vmem(r6+#6) }
{ v15.w += vrmpy(v23.ub,r12.b); v25.w += vrmpy(v26.ub,r13.b); v23 = vmem(r6+#7); r15:14 = memd(r8++#8) }
{ v20.w += vrmpy(v29.ub,r13.b); v21.w += vrmpy(v27.ub,r10.b); v15 = v15; r6 = add(r6,#1536) }
{ v20.w += vrmpy(v16.ub,r10.b); v24 = vand(v24,v11); v21.w += vrmpy(v30.ub,r11.b); v16 = vmem(r6+#4) }
{ v20.w += vrmpy(v22.ub,r11.b); r12 = combine(r15.h,r15.h); r17:16 = memd(r7++#8); v22 = vmem(r6+#-4) }
{ v17.w += vrmpy(v24.ub,r10.b); v18.w += vrmpy(v19.ub,r11.b); v19.w = vsub(v21.w,v20.w); v21 = vand(v22,v8) }
{ v26 = vsplat(r12); v22.w = vrmpy(v22.ub,r16.b); v24 = vmem(r6+#-3) }
{ v15.w += vasr(v19.w,r1); v19.w = vrmpy(v21.ub,r16.b); v21 = vand(v16,v9); v27 = vand(v24,v8) }
{ v15.w += vasr(v25.w,r0); v22.w += vrmpy(v24.ub,r17.b); v24 = vand(v16,v10); v25 = vmem(r6+#-2) }
{ v15.w += vasr(v17.w,r2); v19.w += vrmpy(v27.ub,r17.b); r11:10 = memd(r7++#8); v17 = vand(v25,v8) }
{ v15.w += vasr(v18.w,r3); v18.w = vrmpy(v21.ub,r16.b); v21.w = vrmpy(v24.ub,r17.b); v24 = vand(v16,v11) }
{ v16.h = vmpy(v28.h,r14.h):<<1:rnd:sat; r12 = combine(r15.l,r15.l); v28 = vmem(r6+#-1); v27 = vand(v16,v12) }
{ v15.h = vasr(v15.w,v20.w,r4); v22.w += vrmpy(v25.ub,r10.b); v19.w += vrmpy(v17.ub,r10.b); v17 = vand(v28,v8) }
{ v24.h = vsub(v15.h,v26.h); v15.w = vrmpy(v24.ub,r10.b); v20.w = vrmpy(v27.ub,r11.b); v25 = vmem(r6+#5) }
{ v22.w += vrmpy(v28.ub,r11.b); v19.w += vrmpy(v17.ub,r11.b); v26 = vmem(r6+#0); v17 = vand(v25,v9) }
{ v1:0.w += vmpy(v24.h,v16.h); r11:10 = memd(r7++#8); v16 = vand(v26,v8); v24 = vmem(r6+#1) }
{ v1:0.w += vmpy(v23.h,r12.h); v23 = vand(v24,v8); r13:12 = memd(r7++#8); r15:14 = memd(r8++#8) }
{ v22.w += vrmpy(v26.ub,r10.b); v19.w += vrmpy(v16.ub,r10.b); v16 = vand(v25,v10); v26 = vmem(r6+#2) }
{ v22.w += vrmpy(v24.ub,r11.b); v19.w += vrmpy(v23.ub,r11.b); v23 = vand(v26,v8); v24 = vmem(r6+#3) }
{ v18.w += vrmpy(v17.ub,r10.b); v21.w += vrmpy(v16.ub,r11.b); v17 = vand(v24,v8); v16 = vand(v25,v12) }
{ v22.w += vrmpy(v26.ub,r12.b); v19.w += vrmpy(v23.ub,r12.b); v23 = vand(v25,v11); v18 = v18 }
{ v22.w += vrmpy(v24.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r6+#6); r10 = combine(r15.h,r15.h) }
{ v15.w += vrmpy(v23.ub,r12.b); v20.w += vrmpy(v16.ub,r13.b); v16.w = vsub(v22.w,v19.w); v28 = vmem(r6+#7) }
{ r6 = add(r6,#1536); v22 = vsplat(r10) }
{ v18.w += vasr(v16.w,r1); v23.h = vmpy(v17.h,r14.h):<<1:rnd:sat }
{ v18.w += vasr(v21.w,r0) }
{ v18.w += vasr(v15.w,r2) }
{ v18.w += vasr(v20.w,r3) }
{ v29 = vmem(r9+#0) }
.Lhvx_sum_q5_1_tile:
{ v15 = v14; v16.h = vasr(v18.w,v19.w,r4); v31 = vmem(r9+#1) }
{ v16 = v13; v17 = vmem(r6+#4); r11:10 = memd(r7++#8); v21.h = vsub(v16.h,v22.h) }
{ v20 = vmem(r6+#-4); v18 = vand(v17,v9); r13:12 = memd(r7++#8); v19 = vand(v17,v12) }
{ v21 = vand(v20,v8); v22 = vmem(r6+#-3); v1:0.w += vmpy(v21.h,v23.h); r18 = combine(r15.l,r15.l) }
{ v15.w += vrmpy(v20.ub,r10.b); v23 = vand(v22,v8); v17 = vand(v17,v10); v20 = vand(v17,v11) }
{ v16.w += vrmpy(v21.ub,r10.b); v15.w += vrmpy(v22.ub,r11.b); v21 = vmem(r6+#-2); r15:14 = memd(r7++#8) }
{ v16.w += vrmpy(v23.ub,r11.b); v22 = vand(v21,v8); v23 = vmem(r6+#-1); r17:16 = memd(r7++#8) }
{ v17.w = vrmpy(v18.ub,r10.b); v18.w = vrmpy(v17.ub,r11.b); v25 = vand(v23,v8); v24 = vmem(r6+#5) }
{ v15.w += vrmpy(v21.ub,r12.b); v16.w += vrmpy(v22.ub,r12.b); v22 = vmem(r6+#0); v21 = vand(v24,v9) }
{ v15.w += vrmpy(v23.ub,r13.b); v16.w += vrmpy(v25.ub,r13.b); v23 = vand(v22,v8); v25 = vmem(r6+#1) }
{ v19.w = vrmpy(v20.ub,r12.b); v20.w = vrmpy(v19.ub,r13.b); v26 = vand(v25,v8); v27 = vmem(r6+#2) }
{ v15.w += vrmpy(v22.ub,r14.b); v16.w += vrmpy(v23.ub,r14.b); v22 = vand(v24,v10); v23 = vand(v24,v11) }
{ v15.w += vrmpy(v25.ub,r15.b); v16.w += vrmpy(v26.ub,r15.b); v25 = vand(v27,v8); v26 = vmem(r6+#3) }
{ v17.w += vrmpy(v21.ub,r14.b); v18.w += vrmpy(v22.ub,r15.b); v22 = vand(v26,v8); v21 = vand(v24,v12) }
{ v15.w += vrmpy(v27.ub,r16.b); v16.w += vrmpy(v25.ub,r16.b); v17 = v17; r11:10 = memd(r8++#8) }
{ v15.w += vrmpy(v26.ub,r17.b); v16.w += vrmpy(v22.ub,r17.b); v22 = vmem(r6+#6) }
{ v19.w += vrmpy(v23.ub,r16.b); v20.w += vrmpy(v21.ub,r17.b); v15.w = vsub(v15.w,v16.w); v21 = vmem(r6+#7) }
{ r6 = add(r6,#1536); r12 = combine(r11.h,r11.h); v22.h = vmpy(v22.h,r10.h):<<1:rnd:sat }
{ v17.w += vasr(v15.w,r1); v23 = vsplat(r12); v15 = vmem(r6+#4); r10 = combine(r11.l,r11.l) }
{ v17.w += vasr(v18.w,r0); r13:12 = memd(r7++#8); v18 = vmem(r6+#-4) }
{ v17.w += vasr(v19.w,r2); v19 = vand(v18,v8); r15:14 = memd(r7++#8); v1:0.w += vmpy(v28.h,r18.h) }
{ v17.w += vasr(v20.w,r3); v18.w = vrmpy(v18.ub,r12.b); v20 = vand(v15,v9); v24 = vand(v15,v10) }
{ v19.w = vrmpy(v19.ub,r12.b); v26 = vmem(r6+#-3); v25 = vand(v15,v12); v29.w += vasr(v0.w,r5) }
{ v20.h = vasr(v17.w,v16.w,r4); v24 = vand(v26,v8); v16.w = vrmpy(v20.ub,r12.b); v17.w = vrmpy(v24.ub,r13.b) }
{ v20.h = vsub(v20.h,v23.h); v18.w += vrmpy(v26.ub,r13.b); v23 = vmem(r6+#-2); v31.w += vasr(v1.w,r5) }
{ v19.w += vrmpy(v24.ub,r13.b); v15 = vand(v15,v11); v24 = vmem(r6+#-1); vmem(r9+#0) = v29 }
{ v1:0.w = vmpy(v20.h,v22.h); v22 = vand(v23,v8); v20 = vmem(r6+#5); r13:12 = memd(r7++#8) }
{ v1:0.w += vmpy(v21.h,r10.h); v21 = vand(v24,v8); v26 = vmem(r6+#0); r11:10 = memd(r7++#8) }
{ v18.w += vrmpy(v23.ub,r14.b); v19.w += vrmpy(v22.ub,r14.b); v22 = vand(v20,v9); v23 = vmem(r6+#1) }
{ v15.w = vrmpy(v15.ub,r14.b); v25.w = vrmpy(v25.ub,r15.b); v27 = vand(v26,v8); v28 = vand(v23,v8) }
{ v18.w += vrmpy(v24.ub,r15.b); v19.w += vrmpy(v21.ub,r15.b); v21 = vand(v20,v10); v24 = vmem(r6+#2) }
{ v18.w += vrmpy(v26.ub,r12.b); v19.w += vrmpy(v27.ub,r12.b); v26 = vand(v20,v11); v27 = vmem(r6+#3) }
{ v18.w += vrmpy(v23.ub,r13.b); v19.w += vrmpy(v28.ub,r13.b); v23 = vand(v24,v8); v20 = vand(v20,v12) }
{ v16.w += vrmpy(v22.ub,r12.b); v17.w += vrmpy(v21.ub,r13.b); v21 = vand(v27,v8); v22 = vmem(r6+#6) }
{ v18.w += vrmpy(v24.ub,r10.b); v19.w += vrmpy(v23.ub,r10.b); v16 = v16; v23 = vmem(r6+#7) }
{ v18.w += vrmpy(v27.ub,r11.b); v19.w += vrmpy(v21.ub,r11.b); r6 = add(r6,#1536); r13:12 = memd(r8++#8) }
{ v15.w += vrmpy(v26.ub,r10.b); v25.w += vrmpy(v20.ub,r11.b); v18.w = vsub(v18.w,v19.w) }
{ v20 = v13; v21 = v14; v22.h = vmpy(v22.h,r12.h):<<1:rnd:sat }
{ v16.w += vasr(v18.w,r1); r10 = combine(r13.h,r13.h); v18 = vmem(r6+#4); r11 = combine(r13.l,r13.l) }
{ v16.w += vasr(v17.w,r0); v24 = vsplat(r10); r13:12 = memd(r7++#8); v17 = vmem(r6+#-4) }
{ v16.w += vasr(v15.w,r2); v27 = vand(v17,v8); v15 = vand(v18,v9); v26 = vand(v18,v10) }
{ v16.w += vasr(v25.w,r3); v21.w += vrmpy(v17.ub,r12.b); v25 = vmem(r6+#-3); v17 = vand(v18,v12) }
{ v20.w += vrmpy(v27.ub,r12.b); v27 = vand(v25,v8); r15:14 = memd(r7++#8); v28 = vmem(r6+#-2) }
{ v16.h = vasr(v16.w,v19.w,r4); v21.w += vrmpy(v25.ub,r13.b); v18 = vand(v18,v11); v19 = vmem(r6+#-1) }
{ v16.h = vsub(v16.h,v24.h); v20.w += vrmpy(v27.ub,r13.b); v21.w += vrmpy(v28.ub,r14.b); v24 = vmem(r6+#5) }
{ v15.w = vrmpy(v15.ub,r12.b); v25.w = vrmpy(v26.ub,r13.b); v27 = vand(v28,v8); v26 = vand(v24,v10) }
{ v1:0.w += vmpy(v16.h,v22.h); v16 = vand(v19,v8); r13:12 = memd(r7++#8); v22 = vmem(r6+#0) }
{ v1:0.w += vmpy(v23.h,r11.h); v23 = vand(v24,v9); v28 = vmem(r6+#1); r11:10 = memd(r7++#8) }
{ v20.w += vrmpy(v27.ub,r14.b); v21.w += vrmpy(v19.ub,r15.b); v19 = vand(v22,v8); v27 = vmem(r6+#2) }
{ v17.w = vrmpy(v18.ub,r14.b); v18.w = vrmpy(v17.ub,r15.b); v29 = vand(v28,v8); v30 = vmem(r6+#3) }
{ v20.w += vrmpy(v16.ub,r15.b); v21.w += vrmpy(v22.ub,r12.b); v16 = vand(v27,v8); v22 = vand(v30,v8) }
{ v20.w += vrmpy(v19.ub,r12.b); v21.w += vrmpy(v28.ub,r13.b); v19 = vand(v24,v12); v28 = vmem(r6+#6) }
{ v15.w += vrmpy(v23.ub,r12.b); v25.w += vrmpy(v26.ub,r13.b); v23 = vmem(r6+#7); r15:14 = memd(r8++#8) }
{ v20.w += vrmpy(v29.ub,r13.b); v21.w += vrmpy(v27.ub,r10.b); v15 = v15; r6 = add(r6,#1536) }
{ v20.w += vrmpy(v16.ub,r10.b); v24 = vand(v24,v11); v21.w += vrmpy(v30.ub,r11.b); v16 = vmem(r6+#4) }
{ v20.w += vrmpy(v22.ub,r11.b); r12 = combine(r15.h,r15.h); r17:16 = memd(r7++#8); v22 = vmem(r6+#-4) }
{ v17.w += vrmpy(v24.ub,r10.b); v18.w += vrmpy(v19.ub,r11.b); v19.w = vsub(v21.w,v20.w); v21 = vand(v22,v8) }
{ v26 = vsplat(r12); v22.w = vrmpy(v22.ub,r16.b); v24 = vmem(r6+#-3) }
{ v15.w += vasr(v19.w,r1); v19.w = vrmpy(v21.ub,r16.b); v21 = vand(v16,v9); v27 = vand(v24,v8) }
{ v15.w += vasr(v25.w,r0); v22.w += vrmpy(v24.ub,r17.b); v24 = vand(v16,v10); v25 = vmem(r6+#-2) }
{ v15.w += vasr(v17.w,r2); v19.w += vrmpy(v27.ub,r17.b); r11:10 = memd(r7++#8); v17 = vand(v25,v8) }
{ v15.w += vasr(v18.w,r3); v18.w = vrmpy(v21.ub,r16.b); v21.w = vrmpy(v24.ub,r17.b); v24 = vand(v16,v11) }
{ v16.h = vmpy(v28.h,r14.h):<<1:rnd:sat; r12 = combine(r15.l,r15.l); v28 = vmem(r6+#-1); v27 = vand(v16,v12) }
{ v15.h = vasr(v15.w,v20.w,r4); v22.w += vrmpy(v25.ub,r10.b); v19.w += vrmpy(v17.ub,r10.b); v17 = vand(v28,v8) }
{ v24.h = vsub(v15.h,v26.h); v15.w = vrmpy(v24.ub,r10.b); v20.w = vrmpy(v27.ub,r11.b); v25 = vmem(r6+#5) }
{ v22.w += vrmpy(v28.ub,r11.b); v19.w += vrmpy(v17.ub,r11.b); v26 = vmem(r6+#0); v17 = vand(v25,v9) }
{ v1:0.w += vmpy(v24.h,v16.h); r11:10 = memd(r7++#8); v16 = vand(v26,v8); v24 = vmem(r6+#1) }
{ v1:0.w += vmpy(v23.h,r12.h); v23 = vand(v24,v8); r13:12 = memd(r7++#8); r15:14 = memd(r8++#8) }
{ v22.w += vrmpy(v26.ub,r10.b); v19.w += vrmpy(v16.ub,r10.b); v16 = vand(v25,v10); v26 = vmem(r6+#2) }
{ v22.w += vrmpy(v24.ub,r11.b); v19.w += vrmpy(v23.ub,r11.b); v23 = vand(v26,v8); v24 = vmem(r6+#3) }
{ v18.w += vrmpy(v17.ub,r10.b); v21.w += vrmpy(v16.ub,r11.b); v17 = vand(v24,v8); v16 = vand(v25,v12) }
{ v22.w += vrmpy(v26.ub,r12.b); v19.w += vrmpy(v23.ub,r12.b); v23 = vand(v25,v11); v18 = v18 }
{ v22.w += vrmpy(v24.ub,r13.b); v19.w += vrmpy(v17.ub,r13.b); v17 = vmem(r6+#6); r10 = combine(r15.h,r15.h) }
{ v15.w += vrmpy(v23.ub,r12.b); v20.w += vrmpy(v16.ub,r13.b); v16.w = vsub(v22.w,v19.w); v28 = vmem(r6+#7) }
{ r6 = add(r6,#1536); v22 = vsplat(r10); vmem(r9+#1) = v31 }
{ v18.w += vasr(v16.w,r1); v23.h = vmpy(v17.h,r14.h):<<1:rnd:sat }
{ v18.w += vasr(v21.w,r0) }
{ v18.w += vasr(v15.w,r2) }
{ v18.w += vasr(v20.w,r3) }
{ v29 = vmem(r9+#0) }:endloop0
{ v16.h = vasr(v18.w,v19.w,r4); v31 = vmem(r9+#1) }
{ v21.h = vsub(v16.h,v22.h) }
{ v1:0.w += vmpy(v21.h,v23.h); r18 = combine(r15.l,r15.l) }
{ v1:0.w += vmpy(v28.h,r18.h) }
{ v29.w += vasr(v0.w,r5) }
{ v31.w += vasr(v1.w,r5) }
{ vmem(r9+#0) = v29 }
{ vmem(r9+#1) = v31 }
{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16); r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32); r27:26 = memd(r29+#40) }
{ r30 = add(r29,#56) }
{ dealloc_return }
.size hvx_sum_q5_1_tile, .-hvx_sum_q5_1_tile

// 272 packets (263 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q5_k_tiles
.hidden hvx_sum_q5_k_tiles
.type hvx_sum_q5_k_tiles,@function
hvx_sum_q5_k_tiles:
{ allocframe(#56); r28 = r0 }
{ r30 = memw(r28+#48); memd(r29+#0) = r17:16; r16 = ##522133279 }
{ memd(r29+#8) = r19:18; memd(r29+#16) = r21:20; v8 = vsplat(r16); p0 = cmp.gt(r28,r28) }
{ memd(r29+#24) = r23:22; memd(r29+#32) = r25:24; r17 = ##50529027 }
{ memd(r29+#40) = r27:26; r30 = add(r30,#-1); v9 = vsplat(r17); p1 = cmp.gt(r28,r28) }
{ loop0(.Lhvx_sum_q5_k_tiles,r30); r18 = ##202116108 }
{ v10 = vsplat(r18); r19 = ##808464432; p2 = cmp.gt(r28,r28) }
{ v11 = vsplat(r19); r20 = ##3233857728; p3 = cmp.gt(r28,r28) }
{ v12 = vsplat(r20); r21 = ##2; r7 = memw(r28+#0) }
{ v13 = vsplat(r21); r22 = ##18; r8 = memw(r28+#4) }
{ v14 = vsplat(r22); r0 = ##2; r9 = memw(r28+#8) }
{ r1 = ##3; r2 = ##4 }
{ r3 = ##6; r4 = ##2 }
{ r5 = ##640; r7 = add(r7,#512); r8 = add(r8,#512) }
{ r9 = add(r9,#512); r10 = memw(r28+#12); r11 = memw(r28+#16) }
{ r12 = memw(r28+#32); r6 = memw(r28+#52) }
{ r13 = memw(r28+#56) }
{ r10 = add(r10,#512) }
{ v15 = vmem(r7+#4) }
{ v16 = v14; r15:14 = memd(r11++#8); v17 = vmem(r7+#-4) }
{ v18 = v13; v19 = vand(v17,v8); v20 = vmem(r7+#-3) }
{ v16.w += vrmpy(v17.ub,r14.b); v17 = vand(v15,v9); v22 = vand(v20,v8); v21 = vand(v15,v10) }
{ v18.w += vrmpy(v19.ub,r14.b); v16.w += vrmpy(v20.ub,r15.b); r17:16 = memd(r11++#8); v19 = vmem(r7+#-2) }
{ v18.w += vrmpy(v22.ub,r15.b); v22 = vand(v19,v8); v20 = vand(v15,v11); v23 = vmem(r7+#-1) }
{ v17.w = vrmpy(v17.ub,r14.b); v21.w = vrmpy(v21.ub,r15.b); v25 = vand(v23,v8); v24 = vmem(r7+#5) }
{ v16.w += vrmpy(v19.ub,r16.b); v18.w += vrmpy(v22.ub,r16.b); v15 = vand(v15,v12); v19 = vmem(r7+#0) }
{ v16.w += vrmpy(v23.ub,r17.b); v18.w += vrmpy(v25.ub,r17.b); r19:18 = memd(r11++#8); v22 = vand(v19,v8) }
{ v15.w = vrmpy(v20.ub,r16.b); v20.w = vrmpy(v15.ub,r17.b); v25 = vmem(r7+#1); v23 = vand(v24,v10) }
{ v16.w += vrmpy(v19.ub,r18.b); v18.w += vrmpy(v22.ub,r18.b); v19 = vand(v24,v9); v22 = vmem(r7+#2) }
{ v25 = vand(v25,v8); v16.w += vrmpy(v25.ub,r19.b); r21:20 = memd(r11++#8); v26 = vand(v22,v8) }
{ v17.w += vrmpy(v19.ub,r18.b); v21.w += vrmpy(v23.ub,r19.b); v23 = vmem(r7+#3); v19 = vand(v24,v12) }
{ v18.w += vrmpy(v25.ub,r19.b); v16.w += vrmpy(v22.ub,r20.b); v22 = vand(v23,v8); v17 = v17 }
{ v18.w += vrmpy(v26.ub,r20.b); v23 = vand(v24,v11); v16.w += vrmpy(v23.ub,r21.b) }
{ v18.w += vrmpy(v22.ub,r21.b); v22 = vmem(r7+#6); r23:22 = memd(r12++#8) }
{ v15.w += vrmpy(v23.ub,r20.b); v20.w += vrmpy(v19.ub,r21.b); v16.w = vsub(v16.w,v18.w); r7 = add(r7,#1408) }
{ v19 = v13; v22 = vmem(r8+#4); v23.h = vmpy(v22.h,r22.h):<<1:rnd:sat }
{ v17.w += vasr(v16.w,r1); v16 = vmem(r8+#-4) }
{ v17.w += vasr(v21.w,r0); v21 = v14; v24 = vand(v16,v8) }
{ v17.w += vasr(v15.w,r2); v21.w += vrmpy(v16.ub,r14.b); v16 = vmem(r8+#-3); v15 = vand(v22,v10) }
{ v17.w += vasr(v20.w,r3); v19.w += vrmpy(v24.ub,r14.b); v20 = vand(v16,v8); v24 = vmem(r8+#-2) }
{ v16 = vand(v22,v9); v21.w += vrmpy(v16.ub,r15.b); v26 = vand(v24,v8); v25 = vand(v22,v11) }
{ v17.h = vasr(v17.w,v18.w,r4); v19.w += vrmpy(v20.ub,r15.b); v21.w += vrmpy(v24.ub,r16.b); v18 = vand(v22,v12) }
{ v15.w = vrmpy(v16.ub,r14.b); v16.w = vrmpy(v15.ub,r15.b); v22 = vmem(r8+#-1); v20 = v14 }
{ v19.w += vrmpy(v26.ub,r16.b); v27 = vand(v22,v8); v26 = vmem(r8+#5); v24 = v13 }
{ v1:0.w = vmpy(v17.h,v23.h); v23 = vmem(r8+#0); v17 = vand(v26,v9) }
{ v18.w = vrmpy(v25.ub,r16.b); v25.w = vrmpy(v18.ub,r17.b); v28 = vand(v23,v8); v29 = vmem(r8+#1) }
{ v21.w += vrmpy(v22.ub,r17.b); v19.w += vrmpy(v27.ub,r17.b); v27 = vand(v29,v8); v22 = vand(v26,v10) }
{ v21.w += vrmpy(v23.ub,r18.b); v19.w += vrmpy(v28.ub,r18.b); v28 = vmem(r8+#2); v23 = vand(v26,v11) }
{ v21.w += vrmpy(v29.ub,r19.b); v19.w += vrmpy(v27.ub,r19.b); v27 = vand(v28,v8); v29 = vmem(r8+#3) }
{ v15.w += vrmpy(v17.ub,r18.b); v16.w += vrmpy(v22.ub,r19.b); v22 = vand(v29,v8); v17 = vand(v26,v12) }
{ v21.w += vrmpy(v28.ub,r20.b); v19.w += vrmpy(v27.ub,r20.b); v15 = v15; v26 = vmem(r8+#6) }
{ v21.w += vrmpy(v29.ub,r21.b); v19.w += vrmpy(v22.ub,r21.b); r8 = add(r8,#1408); v22 = vmem(r9+#4) }
{ v18.w += vrmpy(v23.ub,r20.b); v25.w += vrmpy(v17.ub,r21.b); v17.w = vsub(v21.w,v19.w); v21 = vmem(r9+#-4) }
{ v26 = vand(v21,v8); v27 = vmem(r9+#-3); v23.h = vmpy(v26.h,r22.h):<<1:rnd:sat }
{ v15.w += vasr(v17.w,r1); v20.w += vrmpy(v21.ub,r14.b); v17 = vand(v22,v9); v21 = vand(v27,v8) }
{ v15.w += vasr(v16.w,r0); v24.w += vrmpy(v26.ub,r14.b); v20.w += vrmpy(v27.ub,r15.b); v16 = vand(v22,v10) }
{ v15.w += vasr(v18.w,r2); v24.w += vrmpy(v21.ub,r15.b); v21 = vmem(r9+#-2); v18 = vand(v22,v11) }
{ v15.w += vasr(v25.w,r3); v16.w = vrmpy(v17.ub,r14.b); v17.w = vrmpy(v16.ub,r15.b); v25 = vand(v21,v8) }
{ v20.w += vrmpy(v21.ub,r16.b); v22 = vmem(r9+#-1); v21 = vand(v22,v12) }
{ v15.h = vasr(v15.w,v19.w,r4); v24.w += vrmpy(v25.ub,r16.b); v25 = vand(v22,v8); v19 = vmem(r9+#5) }
{ v20.w += vrmpy(v22.ub,r17.b); v27 = vmem(r9+#0); v22 = vand(v19,v9); v26 = vand(v19,v10) }
{ v3:2.w = vmpy(v15.h,v23.h); v15 = vand(v27,v8); v23 = vmem(r9+#1) }
{ v24.w += vrmpy(v25.ub,r17.b); v20.w += vrmpy(v27.ub,r18.b); v25 = vand(v23,v8); v27 = vmem(r9+#2) }
{ v18.w = vrmpy(v18.ub,r16.b); v21.w = vrmpy(v21.ub,r17.b); v29 = vand(v27,v8); v28 = vand(v19,v11) }
{ v24.w += vrmpy(v15.ub,r18.b); v20.w += vrmpy(v23.ub,r19.b); v19 = vmem(r9+#3); v15 = vand(v19,v12) }
{ v24.w += vrmpy(v25.ub,r19.b); v20.w += vrmpy(v27.ub,r20.b); v25 = vand(v19,v8); v23 = v13 }
{ v16.w += vrmpy(v22.ub,r18.b); v17.w += vrmpy(v26.ub,r19.b); v26 = vmem(r9+#6); v22 = v14 }
{ v24.w += vrmpy(v29.ub,r20.b); v20.w += vrmpy(v19.ub,r21.b); v16 = v16; r9 = add(r9,#1408) }
{ v24.w += vrmpy(v25.ub,r21.b); v19 = vmem(r10+#4) }
{ v18.w += vrmpy(v28.ub,r20.b); v21.w += vrmpy(v15.ub,r21.b); v15.w = vsub(v20.w,v24.w); v20 = vmem(r10+#-4) }
{ v26 = vand(v20,v8); v27 = vmem(r10+#-3); v25.h = vmpy(v26.h,r22.h):<<1:rnd:sat }
{ v16.w += vasr(v15.w,r1); v22.w += vrmpy(v20.ub,r14.b); v15 = vand(v19,v9); v20 = vand(v27,v8) }
{ v16.w += vasr(v17.w,r0); v23.w += vrmpy(v26.ub,r14.b); v22.w += vrmpy(v27.ub,r15.b); v17 = vand(v19,v10) }
{ v16.w += vasr(v18.w,r2); v23.w += vrmpy(v20.ub,r15.b); v20 = vmem(r10+#-2); v18 = vand(v19,v11) }
{ v16.w += vasr(v21.w,r3); v15.w = vrmpy(v15.ub,r14.b); v17.w = vrmpy(v17.ub,r15.b); v21 = vand(v20,v8) }
{ v22.w += vrmpy(v20.ub,r16.b); v26 = vmem(r10+#-1); v20 = vand(v19,v12); v19 = v13 }
{ v16.h = vasr(v16.w,v24.w,r4); v23.w += vrmpy(v21.ub,r16.b); v24 = vand(v26,v8); v21 = vmem(r10+#5) }
{ v22.w += vrmpy(v26.ub,r17.b); v28 = vmem(r10+#0); v26 = vand(v21,v9); v27 = vand(v21,v10) }
{ v5:4.w = vmpy(v16.h,v25.h); v16 = vand(v28,v8); v25 = vmem(r10+#1); r15:14 = memd(r11++#8) }
{ v23.w += vrmpy(v24.ub,r17.b); v22.w += vrmpy(v28.ub,r18.b); v24 = vand(v25,v8); v28 = vmem(r10+#2) }
{ v23.w += vrmpy(v16.ub,r18.b); v22.w += vrmpy(v25.ub,r19.b); v16 = vand(v28,v8); v25 = vmem(r10+#3) }
{ v18.w = vrmpy(v18.ub,r16.b); v20.w = vrmpy(v20.ub,r17.b); v29 = vand(v21,v11); v30 = vand(v25,v8) }
{ v15.w += vrmpy(v26.ub,r18.b); v17.w += vrmpy(v27.ub,r19.b); v21 = vand(v21,v12); v26 = vmem(r10+#6) }
{ v23.w += vrmpy(v24.ub,r19.b); v22.w += vrmpy(v28.ub,r20.b); v15 = v15; v24 = v14 }
{ v23.w += vrmpy(v16.ub,r20.b); v22.w += vrmpy(v25.ub,r21.b); r10 = add(r10,#1408); v16 = vmem(r7+#4) }
{ v23.w += vrmpy(v30.ub,r21.b); v27 = vmem(r7+#-4); v25 = vand(v16,v9); r17:16 = memd(r11++#8) }
{ v18.w += vrmpy(v29.ub,r20.b); v20.w += vrmpy(v21.ub,r21.b); v21.w = vsub(v22.w,v23.w); v22 = vand(v27,v8) }
{ v29 = vmem(r7+#-3); v28 = vand(v16,v10); v26.h = vmpy(v26.h,r22.h):<<1:rnd:sat; r19:18 = memd(r11++#8) }
{ v15.w += vasr(v21.w,r1); v24.w += vrmpy(v27.ub,r14.b); v19.w += vrmpy(v22.ub,r14.b); v21 = vand(v29,v8) }
{ v15.w += vasr(v17.w,r0); v24.w += vrmpy(v29.ub,r15.b); v22 = vmem(r7+#-2); v17 = vand(v16,v11) }
{ v15.w += vasr(v18.w,r2); v19.w += vrmpy(v21.ub,r15.b); v18 = vand(v22,v8); v16 = vand(v16,v12) }
{ v15.w += vasr(v20.w,r3); v20.w = vrmpy(v25.ub,r14.b); v21.w = vrmpy(v28.ub,r15.b); v25 = vmem(r7+#-1) }
{ v24.w += vrmpy(v22.ub,r16.b); v19.w += vrmpy(v18.ub,r16.b); v22 = vand(v25,v8); v18 = vmem(r7+#5) }
{ v15.h = vasr(v15.w,v23.w,r4); v24.w += vrmpy(v25.ub,r17.b); v25 = vmem(r7+#0); v23 = vand(v18,v9) }
{ v16.w = vrmpy(v17.ub,r16.b); v17.w = vrmpy(v16.ub,r17.b); v27 = vand(v25,v8); v28 = vmem(r7+#1) }
{ v7:6.w = vmpy(v15.h,v26.h); v26 = vand(v28,v8); v15 = vand(v18,v10); r21:20 = memd(r11++#8) }
{ v19.w += vrmpy(v22.ub,r17.b); v24.w += vrmpy(v25.ub,r18.b); v25 = vmem(r7+#2); v22 = vand(v18,v11) }
{ v19.w += vrmpy(v27.ub,r18.b); v24.w += vrmpy(v28.ub,r19.b); v27 = vand(v25,v8); v28 = vmem(r7+#3) }
{ v19.w += vrmpy(v26.ub,r19.b); v24.w += vrmpy(v25.ub,r20.b); v25 = vand(v28,v8); v18 = vand(v18,v12) }
{ v20.w += vrmpy(v23.ub,r18.b); v21.w += vrmpy(v15.ub,r19.b); v23 = vmem(r7+#6); v15 = v13 }
{ v19.w += vrmpy(v27.ub,r20.b); v24.w += vrmpy(v28.ub,r21.b); v20 = v20; r7 = add(r7,#1408) }
{ v19.w += vrmpy(v25.ub,r21.b); r23:22 = memd(r12++#8); v25 = v14; v26 = vmem(r8+#4) }
{ v16.w += vrmpy(v22.ub,r20.b); v17.w += vrmpy(v18.ub,r21.b); v18.w = vsub(v24.w,v19.w); v22 = vmem(r8+#-4) }
{ v27 = vand(v22,v8); v24 = vand(v26,v9); v23.h = vmpy(v23.h,r22.h):<<1:rnd:sat }
{ v20.w += vasr(v18.w,r1); v25.w += vrmpy(v22.ub,r14.b); v22 = vmem(r8+#-3); v18 = vand(v26,v10) }
{ v20.w += vasr(v21.w,r0); v15.w += vrmpy(v27.ub,r14.b); v21 = vand(v22,v8); v27 = vmem(r8+#-2) }
{ v20.w += vasr(v16.w,r2); v25.w += vrmpy(v22.ub,r15.b); v16 = vand(v26,v11); v22 = vmem(r8+#-1) }
{ v20.w += vasr(v17.w,r3); v15.w += vrmpy(v21.ub,r15.b); v17 = vand(v27,v8); v25.w += vrmpy(v27.ub,r16.b) }
{ v18.w = vrmpy(v24.ub,r14.b); v21.w = vrmpy(v18.ub,r15.b); v27 = vand(v22,v8); v24 = vmem(r8+#5) }
{ v17.h = vasr(v20.w,v19.w,r4); v15.w += vrmpy(v17.ub,r16.b); v25.w += vrmpy(v22.ub,r17.b); v19 = vand(v26,v12) }
{ v15.w += vrmpy(v27.ub,r17.b); v26 = vmem(r8+#0); v20 = vand(v24,v9); v22 = vand(v24,v10) }
{ v1:0.w += vmpy(v17.h,v23.h); v17 = vand(v26,v8); v23 = vmem(r8+#1) }
{ v16.w = vrmpy(v16.ub,r16.b); v19.w = vrmpy(v19.ub,r17.b); v28 = vand(v23,v8); v27 = vand(v24,v11) }
{ v25.w += vrmpy(v26.ub,r18.b); v15.w += vrmpy(v17.ub,r18.b); v24 = vmem(r8+#2); v17 = vand(v24,v12) }
{ v25.w += vrmpy(v23.ub,r19.b); v15.w += vrmpy(v28.ub,r19.b); v23 = vand(v24,v8); v26 = vmem(r8+#3) }
{ v25.w += vrmpy(v24.ub,r20.b); v29 = vand(v26,v8); v24 = v13; v28 = vmem(r9+#4) }
{ v18.w += vrmpy(v20.ub,r18.b); v21.w += vrmpy(v22.ub,r19.b); v22 = vmem(r8+#6); v20 = vand(v28,v9) }
{ v15.w += vrmpy(v23.ub,r20.b); v25.w += vrmpy(v26.ub,r21.b); v18 = v18; r8 = add(r8,#1408) }
{ v15.w += vrmpy(v29.ub,r21.b); v23 = v14; v29 = vmem(r9+#-4); v26 = vand(v28,v10) }
{ v16.w += vrmpy(v27.ub,r20.b); v19.w += vrmpy(v17.ub,r21.b); v17.w = vsub(v25.w,v15.w); v25 = vand(v29,v8) }
{ v23.w += vrmpy(v29.ub,r14.b); v29 = vmem(r9+#-3); v27 = vand(v28,v11); v28 = vand(v28,v12) }
{ v18.w += vasr(v17.w,r1); v24.w += vrmpy(v25.ub,r14.b); v17 = vand(v29,v8); v25 = vmem(r9+#-2) }
{ v18.w += vasr(v21.w,r0); v20.w = vrmpy(v20.ub,r14.b); v21.w = vrmpy(v26.ub,r15.b); v26 = vand(v25,v8) }
{ v18.w += vasr(v16.w,r2); v23.w += vrmpy(v29.ub,r15.b); v24.w += vrmpy(v17.ub,r15.b); v16 = vmem(r9+#-1) }
{ v18.w += vasr(v19.w,r3); v17.h = vmpy(v22.h,r22.h):<<1:rnd:sat; v19 = vand(v16,v8) }
{ v23.w += vrmpy(v25.ub,r16.b); v24.w += vrmpy(v26.ub,r16.b); v25 = vmem(r9+#5); v22 = v14 }
{ v15.h = vasr(v18.w,v15.w,r4); v23.w += vrmpy(v16.ub,r17.b); v24.w += vrmpy(v19.ub,r17.b); v16 = vmem(r9+#0) }
{ v18.w = vrmpy(v27.ub,r16.b); v19.w = vrmpy(v28.ub,r17.b); v27 = vmem(r9+#1); v26 = vand(v25,v10) }
{ v3:2.w += vmpy(v15.h,v17.h); v15 = vand(v16,v8); v17 = vand(v27,v8) }
{ v23.w += vrmpy(v16.ub,r18.b); v16 = vand(v25,v9); v29 = vmem(r9+#2); v28 = vand(v25,v11) }
{ v24.w += vrmpy(v15.ub,r18.b); v23.w += vrmpy(v27.ub,r19.b); v15 = vand(v29,v8); v27 = vmem(r9+#3) }
{ v24.w += vrmpy(v17.ub,r19.b); v23.w += vrmpy(v29.ub,r20.b); v25 = vand(v27,v8); v17 = vand(v25,v12) }
{ v20.w += vrmpy(v16.ub,r18.b); v21.w += vrmpy(v26.ub,r19.b); v26 = vmem(r9+#6); v16 = v13 }
{ v24.w += vrmpy(v15.ub,r20.b); v23.w += vrmpy(v27.ub,r21.b); v15 = v20; v20 = vmem(r10+#4) }
{ v24.w += vrmpy(v25.ub,r21.b); r9 = add(r9,#1408); v27 = vmem(r10+#-4); v25 = vand(v20,v9) }
{ v18.w += vrmpy(v28.ub,r20.b); v19.w += vrmpy(v17.ub,r21.b); v17.w = vsub(v23.w,v24.w); v23 = vand(v27,v8) }
{ v22.w += vrmpy(v27.ub,r14.b); v29 = vmem(r10+#-3); v27 = vand(v20,v10); v28 = vand(v20,v12) }
{ v15.w += vasr(v17.w,r1); v16.w += vrmpy(v23.ub,r14.b); v17 = vand(v29,v8); v23 = vmem(r10+#-2) }
{ v15.w += vasr(v21.w,r0); v21.h = vmpy(v26.h,r22.h):<<1:rnd:sat; v26 = vand(v23,v8) }
{ v15.w += vasr(v18.w,r2); v22.w += vrmpy(v29.ub,r15.b); v16.w += vrmpy(v17.ub,r15.b); v17 = vmem(r10+#-1) }
{ v15.w += vasr(v19.w,r3); v18.w = vrmpy(v25.ub,r14.b); v19.w = vrmpy(v27.ub,r15.b); v25 = vand(v17,v8) }
{ v22.w += vrmpy(v23.ub,r16.b); v16.w += vrmpy(v26.ub,r16.b); v23 = vand(v20,v11); v20 = vmem(r10+#5) }
{ v15.h = vasr(v15.w,v24.w,r4); v22.w += vrmpy(v17.ub,r17.b); v16.w += vrmpy(v25.ub,r17.b); v17 = vmem(r10+#0) }
{ v23.w = vrmpy(v23.ub,r16.b); v24.w = vrmpy(v28.ub,r17.b); v26 = vand(v17,v8); v25 = vand(v20,v9) }
{ v5:4.w += vmpy(v15.h,v21.h); v21 = vmem(r10+#1); v15 = vand(v20,v10); r15:14 = memd(r11++#8) }
{ v22.w += vrmpy(v17.ub,r18.b); v16.w += vrmpy(v26.ub,r18.b); v17 = vand(v21,v8); v26 = vmem(r10+#2) }
{ v22.w += vrmpy(v21.ub,r19.b); v27 = vand(v26,v8); v21 = vand(v20,v11); v28 = vmem(r10+#3) }
{ v16.w += vrmpy(v17.ub,r19.b); v22.w += vrmpy(v26.ub,r20.b); v20 = vand(v28,v8); v17 = vand(v20,v12) }
{ v18.w += vrmpy(v25.ub,r18.b); v19.w += vrmpy(v15.ub,r19.b); v25 = vmem(r10+#6); v15 = v14 }
{ v16.w += vrmpy(v27.ub,r20.b); v22.w += vrmpy(v28.ub,r21.b); v18 = v18; r10 = add(r10,#1408) }
{ v16.w += vrmpy(v20.ub,r21.b); v20 = v13; v26 = vmem(r7+#4); r17:16 = memd(r11++#8) }
{ v23.w += vrmpy(v21.ub,r20.b); v24.w += vrmpy(v17.ub,r21.b); v17.w = vsub(v22.w,v16.w); v21 = vmem(r7+#-4) }
{ v25 = vand(v21,v8); v27 = vmem(r7+#-3); v22.h = vmpy(v25.h,r22.h):<<1:rnd:sat; r19:18 = memd(r11++#8) }
{ v18.w += vasr(v17.w,r1); v15.w += vrmpy(v21.ub,r14.b); v17 = vand(v26,v9); v21 = vand(v26,v10) }
{ v18.w += vasr(v19.w,r0); v20.w += vrmpy(v25.ub,r14.b); v19 = vand(v27,v8); v15.w += vrmpy(v27.ub,r15.b) }
{ v18.w += vasr(v23.w,r2); v17.w = vrmpy(v17.ub,r14.b); v21.w = vrmpy(v21.ub,r15.b); v23 = vmem(r7+#-2) }
{ v18.w += vasr(v24.w,r3); v20.w += vrmpy(v19.ub,r15.b); v19 = vand(v26,v11); v24 = vmem(r7+#-1) }
{ v25 = vand(v23,v8); v15.w += vrmpy(v23.ub,r16.b); v26 = vand(v24,v8); v23 = vand(v26,v12) }
{ v16.h = vasr(v18.w,v16.w,r4); v15.w += vrmpy(v24.ub,r17.b); v18 = vmem(r7+#5); r21:20 = memd(r11++#8) }
{ v19.w = vrmpy(v19.ub,r16.b); v23.w = vrmpy(v23.ub,r17.b); v27 = vmem(r7+#0); v24 = vand(v18,v9) }
{ v7:6.w += vmpy(v16.h,v22.h); v16 = vand(v27,v8); v22 = vmem(r7+#1); r23:22 = memd(r12++#8) }
{ v20.w += vrmpy(v25.ub,r16.b); v15.w += vrmpy(v27.ub,r18.b); v27 = vand(v22,v8); v25 = vand(v18,v10) }
{ v20.w += vrmpy(v26.ub,r17.b); v15.w += vrmpy(v22.ub,r19.b); v26 = vmem(r7+#2); v22 = vand(v18,v11) }
{ v17.w += vrmpy(v24.ub,r18.b); v21.w += vrmpy(v25.ub,r19.b); v24 = vand(v26,v8); v18 = vand(v18,v12) }
{ v20.w += vrmpy(v16.ub,r18.b); v15.w += vrmpy(v26.ub,r20.b); v17 = vmem(r7+#3); v16 = v17 }
{ v20.w += vrmpy(v27.ub,r19.b); v26 = vand(v17,v8); v27 = vmem(r7+#6); v25 = v14 }
{ v20.w += vrmpy(v24.ub,r20.b); v15.w += vrmpy(v17.ub,r21.b); r7 = add(r7,#1408); v17 = vmem(r8+#4) }
{ v19.w += vrmpy(v22.ub,r20.b); v23.w += vrmpy(v18.ub,r21.b); v22 = vmem(r8+#-4); v18 = vand(v17,v9) }
{ v20.w += vrmpy(v26.ub,r21.b); v24 = v13; v26 = vand(v22,v8); v28 = vmem(r8+#-3) }
{ v15.w = vsub(v15.w,v20.w); v25.w += vrmpy(v22.ub,r14.b); v29 = vand(v28,v8); v22 = vand(v17,v10) }
{ v24.w += vrmpy(v26.ub,r14.b); v25.w += vrmpy(v28.ub,r15.b); v28 = vmem(r8+#-2); v26 = vand(v17,v11) }
{ v16.w += vasr(v15.w,r1); v24.w += vrmpy(v29.ub,r15.b); v17 = vand(v28,v8); v15 = vand(v17,v12) }
{ v16.w += vasr(v21.w,r0); v21.h = vmpy(v27.h,r22.h):<<1:rnd:sat; v27 = vmem(r8+#-1) }
{ v16.w += vasr(v19.w,r2); v18.w = vrmpy(v18.ub,r14.b); v19.w = vrmpy(v22.ub,r15.b); v22 = vand(v27,v8) }
{ v16.w += vasr(v23.w,r3); v25.w += vrmpy(v28.ub,r16.b); v24.w += vrmpy(v17.ub,r16.b); v17 = vmem(r8+#5) }
{ v25.w += vrmpy(v27.ub,r17.b); v24.w += vrmpy(v22.ub,r17.b); v23 = vmem(r8+#0); v22 = vand(v17,v9) }
{ v20.h = vasr(v16.w,v20.w,r4); v15.w = vrmpy(v26.ub,r16.b); v16.w = vrmpy(v15.ub,r17.b); v26 = vmem(r8+#1) }
{ v27 = vand(v23,v8); v25.w += vrmpy(v23.ub,r18.b); v28 = vand(v26,v8); v23 = vand(v17,v10) }
{ v1:0.w += vmpy(v20.h,v21.h); v21 = vmem(r8+#2); v20 = vand(v17,v12) }
{ v24.w += vrmpy(v27.ub,r18.b); v25.w += vrmpy(v26.ub,r19.b); v26 = vand(v21,v8); v27 = vmem(r8+#3) }
{ v24.w += vrmpy(v28.ub,r19.b); v25.w += vrmpy(v21.ub,r20.b); v17 = vand(v17,v11); v21 = vand(v27,v8) }
{ v18.w += vrmpy(v22.ub,r18.b); v19.w += vrmpy(v23.ub,r19.b); v23 = vmem(r8+#6); v22 = v13 }
{ v24.w += vrmpy(v26.ub,r20.b); v25.w += vrmpy(v27.ub,r21.b); v18 = v18; r8 = add(r8,#1408) }
{ v15.w += vrmpy(v17.ub,r20.b); v16.w += vrmpy(v20.ub,r21.b); v17 = v14; v20 = vmem(r9+#4) }
{ v24.w += vrmpy(v21.ub,r21.b); v27 = vmem(r9+#-4); v21 = vand(v20,v9); v26 = vand(v20,v10) }
{ v23.w = vsub(v25.w,v24.w); v28 = vmem(r9+#-3); v25.h = vmpy(v23.h,r22.h):<<1:rnd:sat }
{ v27 = vand(v27,v8); v17.w += vrmpy(v27.ub,r14.b); v29 = vand(v28,v8); v30 = vmem(r9+#-2) }
{ v18.w += vasr(v23.w,r1); v17.w += vrmpy(v28.ub,r15.b); v23 = vand(v30,v8); v28 = vmem(r9+#-1) }
{ v18.w += vasr(v19.w,r0); v22.w += vrmpy(v27.ub,r14.b); v17.w += vrmpy(v30.ub,r16.b); v19 = vand(v20,v11) }
{ v18.w += vasr(v15.w,r2); v22.w += vrmpy(v29.ub,r15.b); v20 = vand(v28,v8); v15 = vand(v20,v12) }
{ v18.w += vasr(v16.w,r3); v16.w = vrmpy(v21.ub,r14.b); v21.w = vrmpy(v26.ub,r15.b); v26 = vmem(r9+#5) }
{ v22.w += vrmpy(v23.ub,r16.b); v17.w += vrmpy(v28.ub,r17.b); v27 = vmem(r9+#0); v23 = vand(v26,v9) }
{ v18.h = vasr(v18.w,v24.w,r4); v22.w += vrmpy(v20.ub,r17.b); v24 = vand(v27,v8); v20 = vand(v26,v10) }
{ v15.w = vrmpy(v19.ub,r16.b); v19.w = vrmpy(v15.ub,r17.b); v29 = vmem(r9+#1); v28 = vand(v26,v11) }
{ v3:2.w += vmpy(v18.h,v25.h); v18 = vand(v29,v8); v25 = vmem(r9+#2) }
{ v17.w += vrmpy(v27.ub,r18.b); v22.w += vrmpy(v24.ub,r18.b); v24 = vand(v25,v8); v27 = vmem(r9+#3) }
{ v16.w += vrmpy(v23.ub,r18.b); v21.w += vrmpy(v20.ub,r19.b); v23 = vand(v27,v8); v20 = vand(v26,v12) }
{ v17.w += vrmpy(v29.ub,r19.b); v22.w += vrmpy(v18.ub,r19.b); v16 = v16; v18 = vmem(r9+#6) }
{ v17.w += vrmpy(v25.ub,r20.b); v22.w += vrmpy(v24.ub,r20.b); v24 = v14; v25 = vmem(r10+#4) }
{ v17.w += vrmpy(v27.ub,r21.b); v22.w += vrmpy(v23.ub,r21.b); r9 = add(r9,#1408); v23 = vmem(r10+#-4) }
{ v15.w += vrmpy(v28.ub,r20.b); v19.w += vrmpy(v20.ub,r21.b); v17.w = vsub(v17.w,v22.w); v20 = vand(v25,v9) }
{ v23 = v13; v26 = vand(v23,v8); v24.w += vrmpy(v23.ub,r14.b); v27 = vmem(r10+#-3) }
{ v16.w += vasr(v17.w,r1); v18 = vand(v27,v8); v17.h = vmpy(v18.h,r22.h):<<1:rnd:sat }
{ v16.w += vasr(v21.w,r0); v23.w += vrmpy(v26.ub,r14.b); v24.w += vrmpy(v27.ub,r15.b); v21 = vand(v25,v10) }
{ v16.w += vasr(v15.w,r2); v23.w += vrmpy(v18.ub,r15.b); v15 = vmem(r10+#-2) }
{ v16.w += vasr(v19.w,r3); v18.w = vrmpy(v20.ub,r14.b); v19.w = vrmpy(v21.ub,r15.b); v20 = vand(v15,v8) }
{ v24.w += vrmpy(v15.ub,r16.b); v21 = vmem(r10+#-1); v15 = vand(v25,v12) }
{ v16.h = vasr(v16.w,v22.w,r4); v23.w += vrmpy(v20.ub,r16.b); v22 = vand(v25,v11); v20 = vmem(r10+#5) }
{ v25 = vand(v21,v8); v24.w += vrmpy(v21.ub,r17.b); v26 = vmem(r10+#0); v21 = vand(v20,v9) }
{ v5:4.w += vmpy(v16.h,v17.h); v17 = vmem(r10+#1); v16 = vand(v20,v10); r15:14 = memd(r11++#8) }
{ v15.w = vrmpy(v22.ub,r16.b); v22.w = vrmpy(v15.ub,r17.b); v27 = vand(v26,v8); v28 = vmem(r10+#2) }
{ v23.w += vrmpy(v25.ub,r17.b); v24.w += vrmpy(v26.ub,r18.b); v26 = vand(v17,v8); v25 = vand(v20,v12) }
{ v23.w += vrmpy(v27.ub,r18.b); v24.w += vrmpy(v17.ub,r19.b); v17 = vand(v20,v11); v20 = vmem(r10+#3) }
{ v18.w += vrmpy(v21.ub,r18.b); v19.w += vrmpy(v16.ub,r19.b); v16 = vand(v28,v8); v21 = vmem(r10+#6) }
{ v23.w += vrmpy(v26.ub,r19.b); v24.w += vrmpy(v28.ub,r20.b); v18 = v18; r10 = add(r10,#1408) }
{ v23.w += vrmpy(v16.ub,r20.b); v20 = vand(v20,v8); v24.w += vrmpy(v20.ub,r21.b); v16 = vmem(r7+#4) }
{ v15.w += vrmpy(v17.ub,r20.b); v22.w += vrmpy(v25.ub,r21.b); v17 = vmem(r7+#-4); r17:16 = memd(r11++#8) }
{ v23.w += vrmpy(v20.ub,r21.b); v25 = vand(v17,v8); v20 = vand(v16,v9); v26 = vmem(r7+#-3) }
{ v17.w = vsub(v24.w,v23.w); v24.w = vrmpy(v17.ub,r14.b); v27 = vand(v26,v8); v28 = vmem(r7+#-2) }
{ v25.w = vrmpy(v25.ub,r14.b); v24.w += vrmpy(v26.ub,r15.b); v26 = vand(v16,v10); v29 = vmem(r7+#-1) }
{ v18.w += vasr(v17.w,r1); v25.w += vrmpy(v27.ub,r15.b); v17 = vand(v28,v8); v24.w += vrmpy(v28.ub,r16.b) }
{ v18.w += vasr(v19.w,r0); v19.h = vmpy(v21.h,r22.h):<<1:rnd:sat; v21 = vand(v29,v8); r19:18 = memd(r11++#8) }
{ v18.w += vasr(v15.w,r2); v15.w = vrmpy(v20.ub,r14.b); v20.w = vrmpy(v26.ub,r15.b); v26 = vmem(r7+#5) }
{ v18.w += vasr(v22.w,r3); v25.w += vrmpy(v17.ub,r16.b); v24.w += vrmpy(v29.ub,r17.b); v17 = vmem(r7+#0) }
{ v16 = vand(v16,v11); v25.w += vrmpy(v21.ub,r17.b); v21 = vand(v16,v12); v22 = vand(v26,v9) }
{ v17.h = vasr(v18.w,v23.w,r4); v23 = vand(v17,v8); v24.w += vrmpy(v17.ub,r18.b); v18 = vand(v26,v10) }
{ v16.w = vrmpy(v16.ub,r16.b); v21.w = vrmpy(v21.ub,r17.b); v27 = vmem(r7+#1); r21:20 = memd(r11++#8) }
{ v7:6.w += vmpy(v17.h,v19.h); v17 = vand(v27,v8); v19 = vmem(r7+#2); r23:22 = memd(r12++#8) }
{ v25.w += vrmpy(v23.ub,r18.b); v24.w += vrmpy(v27.ub,r19.b); v23 = vand(v26,v11); v27 = vmem(r7+#3) }
{ v25.w += vrmpy(v17.ub,r19.b); v19 = vand(v19,v8); v24.w += vrmpy(v19.ub,r20.b); v17 = vand(v26,v12) }
{ v15.w += vrmpy(v22.ub,r18.b); v20.w += vrmpy(v18.ub,r19.b); v18 = vand(v27,v8); v22 = vmem(r7+#6) }
{ v25.w += vrmpy(v19.ub,r20.b); v24.w += vrmpy(v27.ub,r21.b); v15 = v15; v19 = vmem(r8+#4) }
{ v25.w += vrmpy(v18.ub,r21.b); r7 = add(r7,#1408); v26 = vmem(r8+#-4); v18 = vand(v19,v10) }
{ v16.w += vrmpy(v23.ub,r20.b); v21.w += vrmpy(v17.ub,r21.b); v17.w = vsub(v24.w,v25.w); v23 = vmem(r8+#-3) }
{ if (p0) r7 = add(r7,r5); p0 = not(p0); v24.w = vrmpy(v26.ub,r14.b); v27 = vand(v19,v9) }
{ v15.w += vasr(v17.w,r1); v17 = vand(v23,v8); v24.w += vrmpy(v23.ub,r15.b); v23 = vmem(r13+#1) }
{ v15.w += vasr(v20.w,r0); v26 = vand(v26,v8); v18.w = vrmpy(v27.ub,r14.b); v20.w = vrmpy(v18.ub,r15.b) }
{ v15.w += vasr(v16.w,r2); v16.h = vmpy(v22.h,r22.h):<<1:rnd:sat; v22 = vmem(r13+#0) }
{ v15.w += vasr(v21.w,r3); v21.w = vrmpy(v26.ub,r14.b); v27 = vmem(r8+#-2); v26 = vand(v19,v12) }
{ v21.w += vrmpy(v17.ub,r15.b); v19 = vand(v27,v8); v17 = vand(v19,v11); v28 = vmem(r8+#-1) }
{ v15.h = vasr(v15.w,v25.w,r4); v24.w += vrmpy(v27.ub,r16.b); v27 = vand(v28,v8); v25 = vmem(r8+#5) }
{ v21.w += vrmpy(v19.ub,r16.b); v24.w += vrmpy(v28.ub,r17.b); v28 = vmem(r8+#0); v19 = vand(v25,v10) }
{ v1:0.w += vmpy(v15.h,v16.h); v15 = vand(v28,v8); v16 = vmem(r8+#1) }
{ v21.w += vrmpy(v27.ub,r17.b); v24.w += vrmpy(v28.ub,r18.b); v27 = vand(v25,v9); v28 = vand(v16,v8) }
{ v22.w += vasr(v0.w,r6); v17.w = vrmpy(v17.ub,r16.b); v26.w = vrmpy(v26.ub,r17.b); v29 = vand(v25,v11) }
{ vmem(r13+#0) = v22; v23.w += vasr(v1.w,r6); v21.w += vrmpy(v15.ub,r18.b); v24.w += vrmpy(v16.ub,r19.b) }
{ vmem(r13+#1) = v23; v21.w += vrmpy(v28.ub,r19.b); v16 = vmem(r8+#2); v15 = vand(v25,v12) }
{ v18.w += vrmpy(v27.ub,r18.b); v20.w += vrmpy(v19.ub,r19.b); v19 = vand(v16,v8); v22 = vmem(r8+#3) }
{ v24.w += vrmpy(v16.ub,r20.b); v18 = vand(v22,v8); v16 = v18; v23 = vmem(r8+#6) }
{ v21.w += vrmpy(v19.ub,r20.b); v24.w += vrmpy(v22.ub,r21.b); r8 = add(r8,#1408); v19 = vmem(r9+#4) }
{ v17.w += vrmpy(v29.ub,r20.b); v26.w += vrmpy(v15.ub,r21.b); v22 = vmem(r9+#-4); v15 = vand(v19,v9) }
{ v21.w += vrmpy(v18.ub,r21.b); if (p1) r8 = add(r8,r5); p1 = not(p1); v18 = vand(v22,v8) }
{ v22.w = vsub(v24.w,v21.w); v24.w = vrmpy(v22.ub,r14.b); v27 = vmem(r9+#-3); v25 = vand(v19,v10) }
{ v18.w = vrmpy(v18.ub,r14.b); v28 = vand(v27,v8); v29 = vmem(r13+#3) }
{ v16.w += vasr(v22.w,r1); v15.w = vrmpy(v15.ub,r14.b); v22.w = vrmpy(v25.ub,r15.b); v25 = vmem(r13+#2) }
{ v16.w += vasr(v20.w,r0); v24.w += vrmpy(v27.ub,r15.b); v18.w += vrmpy(v28.ub,r15.b); v20 = vmem(r9+#-2) }
{ v16.w += vasr(v17.w,r2); v17.h = vmpy(v23.h,r22.h):<<1:rnd:sat; v23 = vand(v20,v8) }
{ v16.w += vasr(v26.w,r3); v24.w += vrmpy(v20.ub,r16.b); v26 = vmem(r9+#-1); v20 = vand(v19,v12) }
{ v18.w += vrmpy(v23.ub,r16.b); v23 = vand(v19,v11); v27 = vand(v26,v8); v19 = vmem(r9+#5) }
{ v16.h = vasr(v16.w,v21.w,r4); v24.w += vrmpy(v26.ub,r17.b); v26 = vmem(r9+#0); v21 = vand(v19,v9) }
{ v18.w += vrmpy(v27.ub,r17.b); v28 = vand(v26,v8); v30 = vmem(r9+#1); v27 = vand(v19,v10) }
{ v3:2.w += vmpy(v16.h,v17.h); v16 = vand(v30,v8); v17 = vmem(r9+#2) }
{ v24.w += vrmpy(v26.ub,r18.b); v18.w += vrmpy(v28.ub,r18.b); v28 = vand(v17,v8); v26 = vand(v19,v12) }
{ v25.w += vasr(v2.w,r6); v20.w = vrmpy(v23.ub,r16.b); v23.w = vrmpy(v20.ub,r17.b); v31 = vmem(r9+#3) }
{ vmem(r13+#2) = v25; v29.w += vasr(v3.w,r6); v24.w += vrmpy(v30.ub,r19.b); v18.w += vrmpy(v16.ub,r19.b) }
{ vmem(r13+#3) = v29; v15.w += vrmpy(v21.ub,r18.b); v22.w += vrmpy(v27.ub,r19.b); v16 = vand(v31,v8) }
{ v24.w += vrmpy(v17.ub,r20.b); v18.w += vrmpy(v28.ub,r20.b); v17 = vand(v19,v11); v19 = vmem(r9+#6) }
{ v24.w += vrmpy(v31.ub,r21.b); v18.w += vrmpy(v16.ub,r21.b); v15 = v15; r9 = add(r9,#1408) }
{ v20.w += vrmpy(v17.ub,r20.b); v23.w += vrmpy(v26.ub,r21.b); v16.w = vsub(v24.w,v18.w) }
{ if (p2) r9 = add(r9,r5); p2 = not(p2); v17 = vmem(r10+#4); v19.h = vmpy(v19.h,r22.h):<<1:rnd:sat }
{ v15.w += vasr(v16.w,r1); v16 = vmem(r10+#-4) }
{ v15.w += vasr(v22.w,r0); v21 = vand(v16,v8); v22 = vmem(r13+#4) }
{ v15.w += vasr(v20.w,r2); v16.w = vrmpy(v16.ub,r14.b); v20 = vand(v17,v9); v24 = vmem(r10+#-3) }
{ v15.w += vasr(v23.w,r3); v27.w = vrmpy(v21.ub,r14.b); v21 = vand(v24,v8); v23 = vmem(r10+#-2) }
{ v16.w += vrmpy(v24.ub,r15.b); v24 = vand(v17,v10); v26 = vand(v23,v8); v25 = vand(v17,v11) }
{ v15.h = vasr(v15.w,v18.w,r4); v27.w += vrmpy(v21.ub,r15.b); v18 = vmem(r13+#5); v16.w += vrmpy(v23.ub,r16.b) }
{ v17.w = vrmpy(v20.ub,r14.b); v20.w = vrmpy(v24.ub,r15.b); v23 = vmem(r10+#-1); v21 = vand(v17,v12) }
{ v5:4.w += vmpy(v15.h,v19.h); v19 = vand(v23,v8); v15 = vmem(r10+#5) }
{ v27.w += vrmpy(v26.ub,r16.b); v16.w += vrmpy(v23.ub,r17.b); v24 = vmem(r10+#0); v23 = vand(v15,v9) }
{ v22.w += vasr(v4.w,r6); v27.w += vrmpy(v19.ub,r17.b); v19 = vand(v24,v8); v26 = vmem(r10+#1) }
{ vmem(r13+#4) = v22; v18.w += vasr(v5.w,r6); v21.w = vrmpy(v25.ub,r16.b); v22.w = vrmpy(v21.ub,r17.b) }
{ vmem(r13+#5) = v18; v16.w += vrmpy(v24.ub,r18.b); v27.w += vrmpy(v19.ub,r18.b); v18 = vand(v26,v8) }
{ v16.w += vrmpy(v26.ub,r19.b); v19 = vand(v15,v10); v25 = vmem(r10+#2); v24 = vand(v15,v12) }
{ v27.w += vrmpy(v18.ub,r19.b); v18 = vand(v25,v8); v15 = vand(v15,v11); v26 = vmem(r10+#3) }
{ v17.w += vrmpy(v23.ub,r18.b); v20.w += vrmpy(v19.ub,r19.b); v19 = vand(v26,v8); v23 = vmem(r10+#6) }
{ v16.w += vrmpy(v25.ub,r20.b); v27.w += vrmpy(v18.ub,r20.b); v28 = v17; r10 = add(r10,#1408) }
{ v16.w += vrmpy(v26.ub,r21.b); v27.w += vrmpy(v19.ub,r21.b) }
{ v21.w += vrmpy(v15.ub,r20.b); v22.w += vrmpy(v24.ub,r21.b); v15.w = vsub(v16.w,v27.w) }
{ if (p3) r10 = add(r10,r5); p3 = not(p3); v29.h = vmpy(v23.h,r22.h):<<1:rnd:sat }
.Lhvx_sum_q5_k_tiles:
{ v28.w += vasr(v15.w,r1); v30 = vmem(r13+#6) }
{ v15 = vmem(r7+#4); v28.w += vasr(v20.w,r0) }
{ v16 = v14; r15:14 = memd(r11++#8); v17 = vmem(r7+#-4); v28.w += vasr(v21.w,r2) }
{ v18 = v13; v19 = vand(v17,v8); v20 = vmem(r7+#-3); v28.w += vasr(v22.w,r3) }
{ v16.w += vrmpy(v17.ub,r14.b); v17 = vand(v15,v9); v22 = vand(v20,v8); v21 = vand(v15,v10) }
{ v18.w += vrmpy(v19.ub,r14.b); v16.w += vrmpy(v20.ub,r15.b); r17:16 = memd(r11++#8); v19 = vmem(r7+#-2) }
{ v18.w += vrmpy(v22.ub,r15.b); v22 = vand(v19,v8); v20 = vand(v15,v11); v23 = vmem(r7+#-1) }
{ v17.w = vrmpy(v17.ub,r14.b); v21.w = vrmpy(v21.ub,r15.b); v25 = vand(v23,v8); v24 = vmem(r7+#5) }
{ v16.w += vrmpy(v19.ub,r16.b); v18.w += vrmpy(v22.ub,r16.b); v15 = vand(v15,v12); v19 = vmem(r7+#0) }
{ v16.w += vrmpy(v23.ub,r17.b); v18.w += vrmpy(v25.ub,r17.b); r19:18 = memd(r11++#8); v22 = vand(v19,v8) }
{ v15.w = vrmpy(v20.ub,r16.b); v20.w = vrmpy(v15.ub,r17.b); v25 = vmem(r7+#1); v23 = vand(v24,v10) }
{ v16.w += vrmpy(v19.ub,r18.b); v18.w += vrmpy(v22.ub,r18.b); v19 = vand(v24,v9); v22 = vmem(r7+#2) }
{ v25 = vand(v25,v8); v16.w += vrmpy(v25.ub,r19.b); r21:20 = memd(r11++#8); v26 = vand(v22,v8) }
{ v17.w += vrmpy(v19.ub,r18.b); v21.w += vrmpy(v23.ub,r19.b); v23 = vmem(r7+#3); v19 = vand(v24,v12) }
{ v18.w += vrmpy(v25.ub,r19.b); v16.w += vrmpy(v22.ub,r20.b); v22 = vand(v23,v8); v17 = v17 }
{ v18.w += vrmpy(v26.ub,r20.b); v23 = vand(v24,v11); v16.w += vrmpy(v23.ub,r21.b) }
{ v18.w += vrmpy(v22.ub,r21.b); v22 = vmem(r7+#6); r23:22 = memd(r12++#8); v24.h = vasr(v28.w,v27.w,r4) }
{ v15.w += vrmpy(v23.ub,r20.b); v20.w += vrmpy(v19.ub,r21.b); v16.w = vsub(v16.w,v18.w); r7 = add(r7,#1408) }
{ v19 = v13; v22 = vmem(r8+#4); v23.h = vmpy(v22.h,r22.h):<<1:rnd:sat }
{ v17.w += vasr(v16.w,r1); v16 = vmem(r8+#-4); v7:6.w += vmpy(v24.h,v29.h) }
{ v17.w += vasr(v21.w,r0); v21 = v14; v24 = vand(v16,v8); v31 = vmem(r13+#7) }
{ v17.w += vasr(v15.w,r2); v21.w += vrmpy(v16.ub,r14.b); v16 = vmem(r8+#-3); v15 = vand(v22,v10) }
{ v17.w += vasr(v20.w,r3); v19.w += vrmpy(v24.ub,r14.b); v20 = vand(v16,v8); v24 = vmem(r8+#-2) }
{ v16 = vand(v22,v9); v21.w += vrmpy(v16.ub,r15.b); v26 = vand(v24,v8); v25 = vand(v22,v11) }
{ v17.h = vasr(v17.w,v18.w,r4); v19.w += vrmpy(v20.ub,r15.b); v21.w += vrmpy(v24.ub,r16.b); v18 = vand(v22,v12) }
{ v15.w = vrmpy(v16.ub,r14.b); v16.w = vrmpy(v15.ub,r15.b); v22 = vmem(r8+#-1); v20 = v14 }
{ v19.w += vrmpy(v26.ub,r16.b); v27 = vand(v22,v8); v26 = vmem(r8+#5); v24 = v13 }
{ v1:0.w = vmpy(v17.h,v23.h); v23 = vmem(r8+#0); v17 = vand(v26,v9) }
{ v18.w = vrmpy(v25.ub,r16.b); v25.w = vrmpy(v18.ub,r17.b); v28 = vand(v23,v8); v29 = vmem(r8+#1) }
{ v21.w += vrmpy(v22.ub,r17.b); v19.w += vrmpy(v27.ub,r17.b); v27 = vand(v29,v8); v22 = vand(v26,v10) }
{ v21.w += vrmpy(v23.ub,r18.b); v19.w += vrmpy(v28.ub,r18.b); v28 = vmem(r8+#2); v23 = vand(v26,v11) }
{ v21.w += vrmpy(v29.ub,r19.b); v19.w += vrmpy(v27.ub,r19.b); v27 = vand(v28,v8); v29 = vmem(r8+#3) }
{ v15.w += vrmpy(v17.ub,r18.b); v16.w += vrmpy(v22.ub,r19.b); v22 = vand(v29,v8); v17 = vand(v26,v12) }
{ v21.w += vrmpy(v28.ub,r20.b); v19.w += vrmpy(v27.ub,r20.b); v15 = v15; v26 = vmem(r8+#6) }
{ v21.w += vrmpy(v29.ub,r21.b); v19.w += vrmpy(v22.ub,r21.b); r8 = add(r8,#1408); v22 = vmem(r9+#4) }
{ v18.w += vrmpy(v23.ub,r20.b); v25.w += vrmpy(v17.ub,r21.b); v17.w = vsub(v21.w,v19.w); v21 = vmem(r9+#-4) }
{ v26 = vand(v21,v8); v27 = vmem(r9+#-3); v23.h = vmpy(v26.h,r22.h):<<1:rnd:sat }
{ v15.w += vasr(v17.w,r1); v20.w += vrmpy(v21.ub,r14.b); v17 = vand(v22,v9); v21 = vand(v27,v8) }
{ v15.w += vasr(v16.w,r0); v24.w += vrmpy(v26.ub,r14.b); v20.w += vrmpy(v27.ub,r15.b); v16 = vand(v22,v10) }
{ v15.w += vasr(v18.w,r2); v24.w += vrmpy(v21.ub,r15.b); v21 = vmem(r9+#-2); v18 = vand(v22,v11) }
{ v15.w += vasr(v25.w,r3); v16.w = vrmpy(v17.ub,r14.b); v17.w = vrmpy(v16.ub,r15.b); v25 = vand(v21,v8) }
{ v20.w += vrmpy(v21.ub,r16.b); v22 = vmem(r9+#-1); v21 = vand(v22,v12); v30.w += vasr(v6.w,r6) }
{ v15.h = vasr(v15.w,v19.w,r4); v24.w += vrmpy(v25.ub,r16.b); v25 = vand(v22,v8); v19 = vmem(r9+#5) }
{ v20.w += vrmpy(v22.ub,r17.b); v27 = vmem(r9+#0); v22 = vand(v19,v9); v26 = vand(v19,v10) }
{ v3:2.w = vmpy(v15.h,v23.h); v15 = vand(v27,v8); v23 = vmem(r9+#1) }
{ v24.w += vrmpy(v25.ub,r17.b); v20.w += vrmpy(v27.ub,r18.b); v25 = vand(v23,v8); v27 = vmem(r9+#2) }
{ v18.w = vrmpy(v18.ub,r16.b); v21.w = vrmpy(v21.ub,r17.b); v29 = vand(v27,v8); v28 = vand(v19,v11) }
{ v24.w += vrmpy(v15.ub,r18.b); v20.w += vrmpy(v23.ub,r19.b); v19 = vmem(r9+#3); v15 = vand(v19,v12) }
{ v24.w += vrmpy(v25.ub,r19.b); v20.w += vrmpy(v27.ub,r20.b); v25 = vand(v19,v8); v23 = v13 }
{ v16.w += vrmpy(v22.ub,r18.b); v17.w += vrmpy(v26.ub,r19.b); v26 = vmem(r9+#6); v22 = v14 }
{ v24.w += vrmpy(v29.ub,r20.b); v20.w += vrmpy(v19.ub,r21.b); v16 = v16; r9 = add(r9,#1408) }
{ v24.w += vrmpy(v25.ub,r21.b); v19 = vmem(r10+#4); vmem(r13+#6) = v30; v31.w += vasr(v7.w,r6) }
{ v18.w += vrmpy(v28.ub,r20.b); v21.w += vrmpy(v15.ub,r21.b); v15.w = vsub(v20.w,v24.w); v20 = vmem(r10+#-4) }
{ v26 = vand(v20,v8); v27 = vmem(r10+#-3); v25.h = vmpy(v26.h,r22.h):<<1:rnd:sat }
{ v16.w += vasr(v15.w,r1); v22.w += vrmpy(v20.ub,r14.b); v15 = vand(v19,v9); v20 = vand(v27,v8) }
{ v16.w += vasr(v17.w,r0); v23.w += vrmpy(v26.ub,r14.b); v22.w += vrmpy(v27.ub,r15.b); v17 = vand(v19,v10) }
{ v16.w += vasr(v18.w,r2); v23.w += vrmpy(v20.ub,r15.b); v20 = vmem(r10+#-2); v18 = vand(v19,v11) }
{ v16.w += vasr(v21.w,r3); v15.w = vrmpy(v15.ub,r14.b); v17.w = vrmpy(v17.ub,r15.b); v21 = vand(v20,v8) }
{ v22.w += vrmpy(v20.ub,r16.b); v26 = vmem(r10+#-1); v20 = vand(v19,v12); v19 = v13 }
{ v16.h = vasr(v16.w,v24.w,r4); v23.w += vrmpy(v21.ub,r16.b); v24 = vand(v26,v8); v21 = vmem(r10+#5) }
{ v22.w += vrmpy(v26.ub,r17.b); v28 = vmem(r10+#0); v26 = vand(v21,v9); v27 = vand(v21,v10) }
{ v5:4.w = vmpy(v16.h,v25.h); v16 = vand(v28,v8); v25 = vmem(r10+#1); r15:14 = memd(r11++#8) }
{ v23.w += vrmpy(v24.ub,r17.b); v22.w += vrmpy(v28.ub,r18.b); v24 = vand(v25,v8); v28 = vmem(r10+#2) }
{ v23.w += vrmpy(v16.ub,r18.b); v22.w += vrmpy(v25.ub,r19.b); v16 = vand(v28,v8); v25 = vmem(r10+#3) }
{ v18.w = vrmpy(v18.ub,r16.b); v20.w = vrmpy(v20.ub,r17.b); v29 = vand(v21,v11); v30 = vand(v25,v8) }
{ v15.w += vrmpy(v26.ub,r18.b); v17.w += vrmpy(v27.ub,r19.b); v21 = vand(v21,v12); v26 = vmem(r10+#6) }
{ v23.w += vrmpy(v24.ub,r19.b); v22.w += vrmpy(v28.ub,r20.b); v15 = v15; v24 = v14 }
{ v23.w += vrmpy(v16.ub,r20.b); v22.w += vrmpy(v25.ub,r21.b); r10 = add(r10,#1408); v16 = vmem(r7+#4) }
{ v23.w += vrmpy(v30.ub,r21.b); v27 = vmem(r7+#-4); v25 = vand(v16,v9); r17:16 = memd(r11++#8) }
{ v18.w += vrmpy(v29.ub,r20.b); v20.w += vrmpy(v21.ub,r21.b); v21.w = vsub(v22.w,v23.w); v22 = vand(v27,v8) }
{ v29 = vmem(r7+#-3); v28 = vand(v16,v10); v26.h = vmpy(v26.h,r22.h):<<1:rnd:sat; r19:18 = memd(r11++#8) }
{ v15.w += vasr(v21.w,r1); v24.w += vrmpy(v27.ub,r14.b); v19.w += vrmpy(v22.ub,r14.b); v21 = vand(v29,v8) }
{ v15.w += vasr(v17.w,r0); v24.w += vrmpy(v29.ub,r15.b); v22 = vmem(r7+#-2); v17 = vand(v16,v11) }
{ v15.w += vasr(v18.w,r2); v19.w += vrmpy(v21.ub,r15.b); v18 = vand(v22,v8); v16 = vand(v16,v12) }
{ v15.w += vasr(v20.w,r3); v20.w = vrmpy(v25.ub,r14.b); v21.w = vrmpy(v28.ub,r15.b); v25 = vmem(r7+#-1) }
{ v24.w += vrmpy(v22.ub,r16.b); v19.w += vrmpy(v18.ub,r16.b); v22 = vand(v25,v8); v18 = vmem(r7+#5) }
{ v15.h = vasr(v15.w,v23.w,r4); v24.w += vrmpy(v25.ub,r17.b); v25 = vmem(r7+#0); v23 = vand(v18,v9) }
{ v16.w = vrmpy(v17.ub,r16.b); v17.w = vrmpy(v16.ub,r17.b); v27 = vand(v25,v8); v28 = vmem(r7+#1) }
{ v7:6.w = vmpy(v15.h,v26.h); v26 = vand(v28,v8); v15 = vand(v18,v10); r21:20 = memd(r11++#8) }
{ v19.w += vrmpy(v22.ub,r17.b); v24.w += vrmpy(v25.ub,r18.b); v25 = vmem(r7+#2); v22 = vand(v18,v11) }
{ v19.w += vrmpy(v27.ub,r18.b); v24.w += vrmpy(v28.ub,r19.b); v27 = vand(v25,v8); v28 = vmem(r7+#3) }
{ v19.w += vrmpy(v26.ub,r19.b); v24.w += vrmpy(v25.ub,r20.b); v25 = vand(v28,v8); v18 = vand(v18,v12) }
{ v20.w += vrmpy(v23.ub,r18.b); v21.w += vrmpy(v15.ub,r19.b); v23 = vmem(r7+#6); v15 = v13 }
{ v19.w += vrmpy(v27.ub,r20.b); v24.w += vrmpy(v28.ub,r21.b); v20 = v20; r7 = add(r7,#1408) }
{ v19.w += vrmpy(v25.ub,r21.b); r23:22 = memd(r12++#8); v25 = v14; v26 = vmem(r8+#4) }
{ v16.w += vrmpy(v22.ub,r20.b); v17.w += vrmpy(v18.ub,r21.b); v18.w = vsub(v24.w,v19.w); v22 = vmem(r8+#-4) }
{ v27 = vand(v22,v8); v24 = vand(v26,v9); v23.h = vmpy(v23.h,r22.h):<<1:rnd:sat }
{ v20.w += vasr(v18.w,r1); v25.w += vrmpy(v22.ub,r14.b); v22 = vmem(r8+#-3); v18 = vand(v26,v10) }
{ v20.w += vasr(v21.w,r0); v15.w += vrmpy(v27.ub,r14.b); v21 = vand(v22,v8); v27 = vmem(r8+#-2) }
{ v20.w += vasr(v16.w,r2); v25.w += vrmpy(v22.ub,r15.b); v16 = vand(v26,v11); v22 = vmem(r8+#-1) }
{ v20.w += vasr(v17.w,r3); v15.w += vrmpy(v21.ub,r15.b); v17 = vand(v27,v8); v25.w += vrmpy(v27.ub,r16.b) }
{ v18.w = vrmpy(v24.ub,r14.b); v21.w = vrmpy(v18.ub,r15.b); v27 = vand(v22,v8); v24 = vmem(r8+#5) }
{ v17.h = vasr(v20.w,v19.w,r4); v15.w += vrmpy(v17.ub,r16.b); v25.w += vrmpy(v22.ub,r17.b); v19 = vand(v26,v12) }
{ v15.w += vrmpy(v27.ub,r17.b); v26 = vmem(r8+#0); v20 = vand(v24,v9); v22 = vand(v24,v10) }
{ v1:0.w += vmpy(v17.h,v23.h); v17 = vand(v26,v8); v23 = vmem(r8+#1) }
{ v16.w = vrmpy(v16.ub,r16.b); v19.w = vrmpy(v19.ub,r17.b); v28 = vand(v23,v8); v27 = vand(v24,v11) }
{ v25.w += vrmpy(v26.ub,r18.b); v15.w += vrmpy(v17.ub,r18.b); v24 = vmem(r8+#2); v17 = vand(v24,v12) }
{ v25.w += vrmpy(v23.ub,r19.b); v15.w += vrmpy(v28.ub,r19.b); v23 = vand(v24,v8); v26 = vmem(r8+#3) }
{ v25.w += vrmpy(v24.ub,r20.b); v29 = vand(v26,v8); v24 = v13; v28 = vmem(r9+#4) }
{ v18.w += vrmpy(v20.ub,r18.b); v21.w += vrmpy(v22.ub,r19.b); v22 = vmem(r8+#6); v20 = vand(v28,v9) }
{ v15.w += vrmpy(v23.ub,r20.b); v25.w += vrmpy(v26.ub,r21.b); v18 = v18; r8 = add(r8,#1408) }
{ v15.w += vrmpy(v29.ub,r21.b); v23 = v14; v29 = vmem(r9+#-4); v26 = vand(v28,v10) }
{ v16.w += vrmpy(v27.ub,r20.b); v19.w += vrmpy(v17.ub,r21.b); v17.w = vsub(v25.w,v15.w); v25 = vand(v29,v8) }
{ v23.w += vrmpy(v29.ub,r14.b); v29 = vmem(r9+#-3); v27 = vand(v28,v11); v28 = vand(v28,v12) }
{ v18.w += vasr(v17.w,r1); v24.w += vrmpy(v25.ub,r14.b); v17 = vand(v29,v8); v25 = vmem(r9+#-2) }
{ v18.w += vasr(v21.w,r0); v20.w = vrmpy(v20.ub,r14.b); v21.w = vrmpy(v26.ub,r15.b); v26 = vand(v25,v8) }
{ v18.w += vasr(v16.w,r2); v23.w += vrmpy(v29.ub,r15.b); v24.w += vrmpy(v17.ub,r15.b); v16 = vmem(r9+#-1) }
{ v18.w += vasr(v19.w,r3); v17.h = vmpy(v22.h,r22.h):<<1:rnd:sat; v19 = vand(v16,v8) }
{ v23.w += vrmpy(v25.ub,r16.b); v24.w += vrmpy(v26.ub,r16.b); v25 = vmem(r9+#5); v22 = v14 }
{ v15.h = vasr(v18.w,v15.w,r4); v23.w += vrmpy(v16.ub,r17.b); v24.w += vrmpy(v19.ub,r17.b); v16 = vmem(r9+#0) }
{ v18.w = vrmpy(v27.ub,r16.b); v19.w = vrmpy(v28.ub,r17.b); v27 = vmem(r9+#1); v26 = vand(v25,v10) }
{ v3:2.w += vmpy(v15.h,v17.h); v15 = vand(v16,v8); v17 = vand(v27,v8) }
{ v23.w += vrmpy(v16.ub,r18.b); v16 = vand(v25,v9); v29 = vmem(r9+#2); v28 = vand(v25,v11) }
{ v24.w += vrmpy(v15.ub,r18.b); v23.w += vrmpy(v27.ub,r19.b); v15 = vand(v29,v8); v27 = vmem(r9+#3) }
{ v24.w += vrmpy(v17.ub,r19.b); v23.w += vrmpy(v29.ub,r20.b); v25 = vand(v27,v8); v17 = vand(v25,v12) }
{ v20.w += vrmpy(v16.ub,r18.b); v21.w += vrmpy(v26.ub,r19.b); v26 = vmem(r9+#6); v16 = v13 }
{ v24.w += vrmpy(v15.ub,r20.b); v23.w += vrmpy(v27.ub,r21.b); v15 = v20; v20 = vmem(r10+#4) }
{ v24.w += vrmpy(v25.ub,r21.b); r9 = add(r9,#1408); v27 = vmem(r10+#-4); v25 = vand(v20,v9) }
{ v18.w += vrmpy(v28.ub,r20.b); v19.w += vrmpy(v17.ub,r21.b); v17.w = vsub(v23.w,v24.w); v23 = vand(v27,v8) }
{ v22.w += vrmpy(v27.ub,r14.b); v29 = vmem(r10+#-3); v27 = vand(v20,v10); v28 = vand(v20,v12) }
{ v15.w += vasr(v17.w,r1); v16.w += vrmpy(v23.ub,r14.b); v17 = vand(v29,v8); v23 = vmem(r10+#-2) }
{ v15.w += vasr(v21.w,r0); v21.h = vmpy(v26.h,r22.h):<<1:rnd:sat; v26 = vand(v23,v8) }
{ v15.w += vasr(v18.w,r2); v22.w += vrmpy(v29.ub,r15.b); v16.w += vrmpy(v17.ub,r15.b); v17 = vmem(r10+#-1) }
{ v15.w += vasr(v19.w,r3); v18.w = vrmpy(v25.ub,r14.b); v19.w = vrmpy(v27.ub,r15.b); v25 = vand(v17,v8) }
{ v22.w += vrmpy(v23.ub,r16.b); v16.w += vrmpy(v26.ub,r16.b); v23 = vand(v20,v11); v20 = vmem(r10+#5) }
{ v15.h = vasr(v15.w,v24.w,r4); v22.w += vrmpy(v17.ub,r17.b); v16.w += vrmpy(v25.ub,r17.b); v17 = vmem(r10+#0) }
{ v23.w = vrmpy(v23.ub,r16.b); v24.w = vrmpy(v28.ub,r17.b); v26 = vand(v17,v8); v25 = vand(v20,v9) }
{ v5:4.w += vmpy(v15.h,v21.h); v21 = vmem(r10+#1); v15 = vand(v20,v10); r15:14 = memd(r11++#8) }
{ v22.w += vrmpy(v17.ub,r18.b); v16.w += vrmpy(v26.ub,r18.b); v17 = vand(v21,v8); v26 = vmem(r10+#2) }
{ v22.w += vrmpy(v21.ub,r19.b); v27 = vand(v26,v8); v21 = vand(v20,v11); v28 = vmem(r10+#3) }
{ v16.w += vrmpy(v17.ub,r19.b); v22.w += vrmpy(v26.ub,r20.b); v20 = vand(v28,v8); v17 = vand(v20,v12) }
{ v18.w += vrmpy(v25.ub,r18.b); v19.w += vrmpy(v15.ub,r19.b); v25 = vmem(r10+#6); v15 = v14 }
{ v16.w += vrmpy(v27.ub,r20.b); v22.w += vrmpy(v28.ub,r21.b); v18 = v18; r10 = add(r10,#1408) }
{ v16.w += vrmpy(v20.ub,r21.b); v20 = v13; v26 = vmem(r7+#4); r17:16 = memd(r11++#8) }
{ v23.w += vrmpy(v21.ub,r20.b); v24.w += vrmpy(v17.ub,r21.b); v17.w = vsub(v22.w,v16.w); v21 = vmem(r7+#-4) }
{ v25 = vand(v21,v8); v27 = vmem(r7+#-3); v22.h = vmpy(v25.h,r22.h):<<1:rnd:sat; r19:18 = memd(r11++#8) }
{ v18.w += vasr(v17.w,r1); v15.w += vrmpy(v21.ub,r14.b); v17 = vand(v26,v9); v21 = vand(v26,v10) }
{ v18.w += vasr(v19.w,r0); v20.w += vrmpy(v25.ub,r14.b); v19 = vand(v27,v8); v15.w += vrmpy(v27.ub,r15.b) }
{ v18.w += vasr(v23.w,r2); v17.w = vrmpy(v17.ub,r14.b); v21.w = vrmpy(v21.ub,r15.b); v23 = vmem(r7+#-2) }
{ v18.w += vasr(v24.w,r3); v20.w += vrmpy(v19.ub,r15.b); v19 = vand(v26,v11); v24 = vmem(r7+#-1) }
{ v25 = vand(v23,v8); v15.w += vrmpy(v23.ub,r16.b); v26 = vand(v24,v8); v23 = vand(v26,v12) }
{ v16.h = vasr(v18.w,v16.w,r4); v15.w += vrmpy(v24.ub,r17.b); v18 = vmem(r7+#5); r21:20 = memd(r11++#8) }
{ v19.w = vrmpy(v19.ub,r16.b); v23.w = vrmpy(v23.ub,r17.b); v27 = vmem(r7+#0); v24 = vand(v18,v9) }
{ v7:6.w += vmpy(v16.h,v22.h); v16 = vand(v27,v8); v22 = vmem(r7+#1); r23:22 = memd(r12++#8) }
{ v20.w += vrmpy(v25.ub,r16.b); v15.w += vrmpy(v27.ub,r18.b); v27 = vand(v22,v8); v25 = vand(v18,v10) }
{ v20.w += vrmpy(v26.ub,r17.b); v15.w += vrmpy(v22.ub,r19.b); v26 = vmem(r7+#2); v22 = vand(v18,v11) }
{ v17.w += vrmpy(v24.ub,r18.b); v21.w += vrmpy(v25.ub,r19.b); v24 = vand(v26,v8); v18 = vand(v18,v12) }
{ v20.w += vrmpy(v16.ub,r18.b); v15.w += vrmpy(v26.ub,r20.b); v17 = vmem(r7+#3); v16 = v17 }
{ v20.w += vrmpy(v27.ub,r19.b); v26 = vand(v17,v8); v27 = vmem(r7+#6); v25 = v14 }
{ v20.w += vrmpy(v24.ub,r20.b); v15.w += vrmpy(v17.ub,r21.b); r7 = add(r7,#1408); v17 = vmem(r8+#4) }
{ v19.w += vrmpy(v22.ub,r20.b); v23.w += vrmpy(v18.ub,r21.b); v22 = vmem(r8+#-4); v18 = vand(v17,v9) }
{ v20.w += vrmpy(v26.ub,r21.b); v24 = v13; v26 = vand(v22,v8); v28 = vmem(r8+#-3) }
{ v15.w = vsub(v15.w,v20.w); v25.w += vrmpy(v22.ub,r14.b); v29 = vand(v28,v8); v22 = vand(v17,v10) }
{ v24.w += vrmpy(v26.ub,r14.b); v25.w += vrmpy(v28.ub,r15.b); v28 = vmem(r8+#-2); v26 = vand(v17,v11) }
{ v16.w += vasr(v15.w,r1); v24.w += vrmpy(v29.ub,r15.b); v17 = vand(v28,v8); v15 = vand(v17,v12) }
{ v16.w += vasr(v21.w,r0); v21.h = vmpy(v27.h,r22.h):<<1:rnd:sat; v27 = vmem(r8+#-1) }
{ v16.w += vasr(v19.w,r2); v18.w = vrmpy(v18.ub,r14.b); v19.w = vrmpy(v22.ub,r15.b); v22 = vand(v27,v8) }
{ v16.w += vasr(v23.w,r3); v25.w += vrmpy(v28.ub,r16.b); v24.w += vrmpy(v17.ub,r16.b); v17 = vmem(r8+#5) }
{ v25.w += vrmpy(v27.ub,r17.b); v24.w += vrmpy(v22.ub,r17.b); v23 = vmem(r8+#0); v22 = vand(v17,v9) }
{ v20.h = vasr(v16.w,v20.w,r4); v15.w = vrmpy(v26.ub,r16.b); v16.w = vrmpy(v15.ub,r17.b); v26 = vmem(r8+#1) }
{ v27 = vand(v23,v8); v25.w += vrmpy(v23.ub,r18.b); v28 = vand(v26,v8); v23 = vand(v17,v10) }
{ v1:0.w += vmpy(v20.h,v21.h); v21 = vmem(r8+#2); v20 = vand(v17,v12) }
{ v24.w += vrmpy(v27.ub,r18.b); v25.w += vrmpy(v26.ub,r19.b); v26 = vand(v21,v8); v27 = vmem(r8+#3) }
{ v24.w += vrmpy(v28.ub,r19.b); v25.w += vrmpy(v21.ub,r20.b); v17 = vand(v17,v11); v21 = vand(v27,v8) }
{ v18.w += vrmpy(v22.ub,r18.b); v19.w += vrmpy(v23.ub,r19.b); v23 = vmem(r8+#6); v22 = v13 }
{ v24.w += vrmpy(v26.ub,r20.b); v25.w += vrmpy(v27.ub,r21.b); v18 = v18; r8 = add(r8,#1408) }
{ v15.w += vrmpy(v17.ub,r20.b); v16.w += vrmpy(v20.ub,r21.b); v17 = v14; v20 = vmem(r9+#4) }
{ v24.w += vrmpy(v21.ub,r21.b); v27 = vmem(r9+#-4); v21 = vand(v20,v9); v26 = vand(v20,v10) }
{ v23.w = vsub(v25.w,v24.w); v28 = vmem(r9+#-3); v25.h = vmpy(v23.h,r22.h):<<1:rnd:sat }
{ v27 = vand(v27,v8); v17.w += vrmpy(v27.ub,r14.b); v29 = vand(v28,v8); v30 = vmem(r9+#-2) }
{ v18.w += vasr(v23.w,r1); v17.w += vrmpy(v28.ub,r15.b); v23 = vand(v30,v8); v28 = vmem(r9+#-1) }
{ v18.w += vasr(v19.w,r0); v22.w += vrmpy(v27.ub,r14.b); v17.w += vrmpy(v30.ub,r16.b); v19 = vand(v20,v11) }
{ v18.w += vasr(v15.w,r2); v22.w += vrmpy(v29.ub,r15.b); v20 = vand(v28,v8); v15 = vand(v20,v12) }
{ v18.w += vasr(v16.w,r3); v16.w = vrmpy(v21.ub,r14.b); v21.w = vrmpy(v26.ub,r15.b); v26 = vmem(r9+#5) }
{ v22.w += vrmpy(v23.ub,r16.b); v17.w += vrmpy(v28.ub,r17.b); v27 = vmem(r9+#0); v23 = vand(v26,v9) }
{ v18.h = vasr(v18.w,v24.w,r4); v22.w += vrmpy(v20.ub,r17.b); v24 = vand(v27,v8); v20 = vand(v26,v10) }
{ v15.w = vrmpy(v19.ub,r16.b); v19.w = vrmpy(v15.ub,r17.b); v29 = vmem(r9+#1); v28 = vand(v26,v11) }
{ v3:2.w += vmpy(v18.h,v25.h); v18 = vand(v29,v8); v25 = vmem(r9+#2) }
{ v17.w += vrmpy(v27.ub,r18.b); v22.w += vrmpy(v24.ub,r18.b); v24 = vand(v25,v8); v27 = vmem(r9+#3) }
{ v16.w += vrmpy(v23.ub,r18.b); v21.w += vrmpy(v20.ub,r19.b); v23 = vand(v27,v8); v20 = vand(v26,v12) }
{ v17.w += vrmpy(v29.ub,r19.b); v22.w += vrmpy(v18.ub,r19.b); v16 = v16; v18 = vmem(r9+#6) }
{ v17.w += vrmpy(v25.ub,r20.b); v22.w += vrmpy(v24.ub,r20.b); v24 = v14; v25 = vmem(r10+#4) }
{ v17.w += vrmpy(v27.ub,r21.b); v22.w += vrmpy(v23.ub,r21.b); r9 = add(r9,#1408); v23 = vmem(r10+#-4) }
{ v15.w += vrmpy(v28.ub,r20.b); v19.w += vrmpy(v20.ub,r21.b); v17.w = vsub(v17.w,v22.w); v20 = vand(v25,v9) }
{ v23 = v13; v26 = vand(v23,v8); v24.w += vrmpy(v23.ub,r14.b); v27 = vmem(r10+#-3) }
{ v16.w += vasr(v17.w,r1); v18 = vand(v27,v8); v17.h = vmpy(v18.h,r22.h):<<1:rnd:sat }
{ v16.w += vasr(v21.w,r0); v23.w += vrmpy(v26.ub,r14.b); v24.w += vrmpy(v27.ub,r15.b); v21 = vand(v25,v10) }
{ v16.w += vasr(v15.w,r2); v23.w += vrmpy(v18.ub,r15.b); v15 = vmem(r10+#-2) }
{ v16.w += vasr(v19.w,r3); v18.w = vrmpy(v20.ub,r14.b); v19.w = vrmpy(v21.ub,r15.b); v20 = vand(v15,v8) }
{ v24.w += vrmpy(v15.ub,r16.b); v21 = vmem(r10+#-1); v15 = vand(v25,v12); vmem(r13+#7) = v31 }
{ v16.h = vasr(v16.w,v22.w,r4); v23.w += vrmpy(v20.ub,r16.b); v22 = vand(v25,v11); v20 = vmem(r10+#5) }
{ v25 = vand(v21,v8); v24.w += vrmpy(v21.ub,r17.b); v26 = vmem(r10+#0); v21 = vand(v20,v9) }
{ v5:4.w += vmpy(v16.h,v17.h); v17 = vmem(r10+#1); v16 = vand(v20,v10); r15:14 = memd(r11++#8) }
{ v15.w = vrmpy(v22.ub,r16.b); v22.w = vrmpy(v15.ub,r17.b); v27 = vand(v26,v8); v28 = vmem(r10+#2) }
{ v23.w += vrmpy(v25.ub,r17.b); v24.w += vrmpy(v26.ub,r18.b); v26 = vand(v17,v8); v25 = vand(v20,v12) }
{ v23.w += vrmpy(v27.ub,r18.b); v24.w += vrmpy(v17.ub,r19.b); v17 = vand(v20,v11); v20 = vmem(r10+#3) }
{ v18.w += vrmpy(v21.ub,r18.b); v19.w += vrmpy(v16.ub,r19.b); v16 = vand(v28,v8); v21 = vmem(r10+#6) }
{ v23.w += vrmpy(v26.ub,r19.b); v24.w += vrmpy(v28.ub,r20.b); v18 = v18; r10 = add(r10,#1408) }
{ v23.w += vrmpy(v16.ub,r20.b); v20 = vand(v20,v8); v24.w += vrmpy(v20.ub,r21.b); v16 = vmem(r7+#4) }
{ v15.w += vrmpy(v17.ub,r20.b); v22.w += vrmpy(v25.ub,r21.b); v17 = vmem(r7+#-4); r17:16 = memd(r11++#8) }
{ v23.w += vrmpy(v20.ub,r21.b); v25 = vand(v17,v8); v20 = vand(v16,v9); v26 = vmem(r7+#-3) }
{ v17.w = vsub(v24.w,v23.w); v24.w = vrmpy(v17.ub,r14.b); v27 = vand(v26,v8); v28 = vmem(r7+#-2) }
{ v25.w = vrmpy(v25.ub,r14.b); v24.w += vrmpy(v26.ub,r15.b); v26 = vand(v16,v10); v29 = vmem(r7+#-1) }
{ v18.w += vasr(v17.w,r1); v25.w += vrmpy(v27.ub,r15.b); v17 = vand(v28,v8); v24.w += vrmpy(v28.ub,r16.b) }
{ v18.w += vasr(v19.w,r0); v19.h = vmpy(v21.h,r22.h):<<1:rnd:sat; v21 = vand(v29,v8); r19:18 = memd(r11++#8) }
{ v18.w += vasr(v15.w,r2); v15.w = vrmpy(v20.ub,r14.b); v20.w = vrmpy(v26.ub,r15.b); v26 = vmem(r7+#5) }
{ v18.w += vasr(v22.w,r3); v25.w += vrmpy(v17.ub,r16.b); v24.w += vrmpy(v29.ub,r17.b); v17 = vmem(r7+#0) }
{ v16 = vand(v16,v11); v25.w += vrmpy(v21.ub,r17.b); v21 = vand(v16,v12); v22 = vand(v26,v9) }
{ v17.h = vasr(v18.w,v23.w,r4); v23 = vand(v17,v8); v24.w += vrmpy(v17.ub,r18.b); v18 = vand(v26,v10) }
{ v16.w = vrmpy(v16.ub,r16.b); v21.w = vrmpy(v21.ub,r17.b); v27 = vmem(r7+#1); r21:20 = memd(r11++#8) }
{ v7:6.w += vmpy(v17.h,v19.h); v17 = vand(v27,v8); v19 = vmem(r7+#2); r23:22 = memd(r12++#8) }
{ v25.w += vrmpy(v23.ub,r18.b); v24.w += vrmpy(v27.ub,r19.b); v23 = vand(v26,v11); v27 = vmem(r7+#3) }
{ v25.w += vrmpy(v17.ub,r19.b); v19 = vand(v19,v8); v24.w += vrmpy(v19.ub,r20.b); v17 = vand(v26,v12) }
{ v15.w += vrmpy(v22.ub,r18.b); v20.w += vrmpy(v18.ub,r19.b); v18 = vand(v27,v8); v22 = vmem(r7+#6) }
{ v25.w += vrmpy(v19.ub,r20.b); v24.w += vrmpy(v27.ub,r21.b); v15 = v15; v19 = vmem(r8+#4) }
{ v25.w += vrmpy(v18.ub,r21.b); r7 = add(r7,#1408); v26 = vmem(r8+#-4); v18 = vand(v19,v10) }
{ v16.w += vrmpy(v23.ub,r20.b); v21.w += vrmpy(v17.ub,r21.b); v17.w = vsub(v24.w,v25.w); v23 = vmem(r8+#-3) }
{ if (p0) r7 = add(r7,r5); p0 = not(p0); v24.w = vrmpy(v26.ub,r14.b); v27 = vand(v19,v9) }
{ v15.w += vasr(v17.w,r1); v17 = vand(v23,v8); v24.w += vrmpy(v23.ub,r15.b); v23 = vmem(r13+#1) }
{ v15.w += vasr(v20.w,r0); v26 = vand(v26,v8); v18.w = vrmpy(v27.ub,r14.b); v20.w = vrmpy(v18.ub,r15.b) }
{ v15.w += vasr(v16.w,r2); v16.h = vmpy(v22.h,r22.h):<<1:rnd:sat; v22 = vmem(r13+#0) }
{ v15.w += vasr(v21.w,r3); v21.w = vrmpy(v26.ub,r14.b); v27 = vmem(r8+#-2); v26 = vand(v19,v12) }
{ v21.w += vrmpy(v17.ub,r15.b); v19 = vand(v27,v8); v17 = vand(v19,v11); v28 = vmem(r8+#-1) }
{ v15.h = vasr(v15.w,v25.w,r4); v24.w += vrmpy(v27.ub,r16.b); v27 = vand(v28,v8); v25 = vmem(r8+#5) }
{ v21.w += vrmpy(v19.ub,r16.b); v24.w += vrmpy(v28.ub,r17.b); v28 = vmem(r8+#0); v19 = vand(v25,v10) }
{ v1:0.w += vmpy(v15.h,v16.h); v15 = vand(v28,v8); v16 = vmem(r8+#1) }
{ v21.w += vrmpy(v27.ub,r17.b); v24.w += vrmpy(v28.ub,r18.b); v27 = vand(v25,v9); v28 = vand(v16,v8) }
{ v22.w += vasr(v0.w,r6); v17.w = vrmpy(v17.ub,r16.b); v26.w = vrmpy(v26.ub,r17.b); v29 = vand(v25,v11) }
{ vmem(r13+#0) = v22; v23.w += vasr(v1.w,r6); v21.w += vrmpy(v15.ub,r18.b); v24.w += vrmpy(v16.ub,r19.b) }
{ vmem(r13+#1) = v23; v21.w += vrmpy(v28.ub,r19.b); v16 = vmem(r8+#2); v15 = vand(v25,v12) }
{ v18.w += vrmpy(v27.ub,r18.b); v20.w += vrmpy(v19.ub,r19.b); v19 = vand(v16,v8); v22 = vmem(r8+#3) }
{ v24.w += vrmpy(v16.ub,r20.b); v18 = vand(v22,v8); v16 = v18; v23 = vmem(r8+#6) }
{ v21.w += vrmpy(v19.ub,r20.b); v24.w += vrmpy(v22.ub,r21.b); r8 = add(r8,#1408); v19 = vmem(r9+#4) }
{ v17.w += vrmpy(v29.ub,r20.b); v26.w += vrmpy(v15.ub,r21.b); v22 = vmem(r9+#-4); v15 = vand(v19,v9) }
{ v21.w += vrmpy(v18.ub,r21.b); if (p1) r8 = add(r8,r5); p1 = not(p1); v18 = vand(v22,v8) }
{ v22.w = vsub(v24.w,v21.w); v24.w = vrmpy(v22.ub,r14.b); v27 = vmem(r9+#-3); v25 = vand(v19,v10) }
{ v18.w = vrmpy(v18.ub,r14.b); v28 = vand(v27,v8); v29 = vmem(r13+#3) }
{ v16.w += vasr(v22.w,r1); v15.w = vrmpy(v15.ub,r14.b); v22.w = vrmpy(v25.ub,r15.b); v25 = vmem(r13+#2) }
{ v16.w += vasr(v20.w,r0); v24.w += vrmpy(v27.ub,r15.b); v18.w += vrmpy(v28.ub,r15.b); v20 = vmem(r9+#-2) }
{ v16.w += vasr(v17.w,r2); v17.h = vmpy(v23.h,r22.h):<<1:rnd:sat; v23 = vand(v20,v8) }
{ v16.w += vasr(v26.w,r3); v24.w += vrmpy(v20.ub,r16.b); v26 = vmem(r9+#-1); v20 = vand(v19,v12) }
{ v18.w += vrmpy(v23.ub,r16.b); v23 = vand(v19,v11); v27 = vand(v26,v8); v19 = vmem(r9+#5) }
{ v16.h = vasr(v16.w,v21.w,r4); v24.w += vrmpy(v26.ub,r17.b); v26 = vmem(r9+#0); v21 = vand(v19,v9) }
{ v18.w += vrmpy(v27.ub,r17.b); v28 = vand(v26,v8); v30 = vmem(r9+#1); v27 = vand(v19,v10) }
{ v3:2.w += vmpy(v16.h,v17.h); v16 = vand(v30,v8); v17 = vmem(r9+#2) }
{ v24.w += vrmpy(v26.ub,r18.b); v18.w += vrmpy(v28.ub,r18.b); v28 = vand(v17,v8); v26 = vand(v19,v12) }
{ v25.w += vasr(v2.w,r6); v20.w = vrmpy(v23.ub,r16.b); v23.w = vrmpy(v20.ub,r17.b); v31 = vmem(r9+#3) }
{ vmem(r13+#2) = v25; v29.w += vasr(v3.w,r6); v24.w += vrmpy(v30.ub,r19.b); v18.w += vrmpy(v16.ub,r19.b) }
{ vmem(r13+#3) = v29; v15.w += vrmpy(v21.ub,r18.b); v22.w += vrmpy(v27.ub,r19.b); v16 = vand(v31,v8) }
{ v24.w += vrmpy(v17.ub,r20.b); v18.w += vrmpy(v28.ub,r20.b); v17 = vand(v19,v11); v19 = vmem(r9+#6) }
{ v24.w += vrmpy(v31.ub,r21.b); v18.w += vrmpy(v16.ub,r21.b); v15 = v15; r9 = add(r9,#1408) }
{ v20.w += vrmpy(v17.ub,r20.b); v23.w += vrmpy(v26.ub,r21.b); v16.w = vsub(v24.w,v18.w) }
{ if (p2) r9 = add(r9,r5); p2 = not(p2); v17 = vmem(r10+#4); v19.h = vmpy(v19.h,r22.h):<<1:rnd:sat }
{ v15.w += vasr(v16.w,r1); v16 = vmem(r10+#-4) }
{ v15.w += vasr(v22.w,r0); v21 = vand(v16,v8); v22 = vmem(r13+#4) }
{ v15.w += vasr(v20.w,r2); v16.w = vrmpy(v16.ub,r14.b); v20 = vand(v17,v9); v24 = vmem(r10+#-3) }
{ v15.w += vasr(v23.w,r3); v27.w = vrmpy(v21.ub,r14.b); v21 = vand(v24,v8); v23 = vmem(r10+#-2) }
{ v16.w += vrmpy(v24.ub,r15.b); v24 = vand(v17,v10); v26 = vand(v23,v8); v25 = vand(v17,v11) }
{ v15.h = vasr(v15.w,v18.w,r4); v27.w += vrmpy(v21.ub,r15.b); v18 = vmem(r13+#5); v16.w += vrmpy(v23.ub,r16.b) }
{ v17.w = vrmpy(v20.ub,r14.b); v20.w = vrmpy(v24.ub,r15.b); v23 = vmem(r10+#-1); v21 = vand(v17,v12) }
{ v5:4.w += vmpy(v15.h,v19.h); v19 = vand(v23,v8); v15 = vmem(r10+#5) }
{ v27.w += vrmpy(v26.ub,r16.b); v16.w += vrmpy(v23.ub,r17.b); v24 = vmem(r10+#0); v23 = vand(v15,v9) }
{ v22.w += vasr(v4.w,r6); v27.w += vrmpy(v19.ub,r17.b); v19 = vand(v24,v8); v26 = vmem(r10+#1) }
{ vmem(r13+#4) = v22; v18.w += vasr(v5.w,r6); v21.w = vrmpy(v25.ub,r16.b); v22.w = vrmpy(v21.ub,r17.b) }
{ vmem(r13+#5) = v18; v16.w += vrmpy(v24.ub,r18.b); v27.w += vrmpy(v19.ub,r18.b); v18 = vand(v26,v8) }
{ v16.w += vrmpy(v26.ub,r19.b); v19 = vand(v15,v10); v25 = vmem(r10+#2); v24 = vand(v15,v12) }
{ v27.w += vrmpy(v18.ub,r19.b); v18 = vand(v25,v8); v15 = vand(v15,v11); v26 = vmem(r10+#3) }
{ v17.w += vrmpy(v23.ub,r18.b); v20.w += vrmpy(v19.ub,r19.b); v19 = vand(v26,v8); v23 = vmem(r10+#6) }
{ v16.w += vrmpy(v25.ub,r20.b); v27.w += vrmpy(v18.ub,r20.b); v28 = v17; r10 = add(r10,#1408) }
{ v16.w += vrmpy(v26.ub,r21.b); v27.w += vrmpy(v19.ub,r21.b) }
{ v21.w += vrmpy(v15.ub,r20.b); v22.w += vrmpy(v24.ub,r21.b); v15.w = vsub(v16.w,v27.w) }
{ if (p3) r10 = add(r10,r5); p3 = not(p3); v29.h = vmpy(v23.h,r22.h):<<1:rnd:sat }:endloop0
{ v28.w += vasr(v15.w,r1); v30 = vmem(r13+#6) }
{ v28.w += vasr(v20.w,r0) }
{ v28.w += vasr(v21.w,r2) }
{ v28.w += vasr(v22.w,r3) }
{ v24.h = vasr(v28.w,v27.w,r4) }
{ v7:6.w += vmpy(v24.h,v29.h) }
{ v31 = vmem(r13+#7) }
{ v30.w += vasr(v6.w,r6) }
{ vmem(r13+#6) = v30; v31.w += vasr(v7.w,r6) }
{ vmem(r13+#7) = v31 }
{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16); r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32); r27:26 = memd(r29+#40) }
{ r30 = add(r29,#56) }
{ dealloc_return }
.size hvx_sum_q5_k_tiles, .-hvx_sum_q5_k_tiles

// 72 packets (70 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q5_k_tile
.hidden hvx_sum_q5_k_tile
.type hvx_sum_q5_k_tile,@function
hvx_sum_q5_k_tile:
{ allocframe(#56); r28 = r0 }
{ r30 = memw(r28+#48); memd(r29+#0) = r17:16; r16 = ##522133279 }
{ memd(r29+#8) = r19:18; memd(r29+#16) = r21:20; v8 = vsplat(r16); p0 = cmp.gt(r28,r28) }
{ memd(r29+#24) = r23:22; memd(r29+#32) = r25:24; r17 = ##50529027 }
{ memd(r29+#40) = r27:26; r30 = add(r30,#-1); v9 = vsplat(r17); r7 = memw(r28+#0) }
{ loop0(.Lhvx_sum_q5_k_tile,r30); r18 = ##202116108 }
{ v10 = vsplat(r18); r19 = ##808464432; r8 = memw(r28+#16) }
{ v11 = vsplat(r19); r20 = ##3233857728; r7 = add(r7,#512) }
{ v12 = vsplat(r20); r21 = ##2; r9 = memw(r28+#32) }
{ v13 = vsplat(r21); r22 = ##18; r6 = memw(r28+#52) }
{ v14 = vsplat(r22); r0 = ##2; r10 = memw(r28+#56) }
{ r1 = ##3; r2 = ##4 }
{ r3 = ##6; r4 = ##2 }
{ r5 = ##640 }
{ v15 = v14; v16 = vmem(r7+#4) }
{ v17 = v13; r13:12 = memd(r8++#8); v19 = vmem(r7+#-4); v18 = vand(v16,v11) }
{ v21 = vand(v19,v8); v22 = vmem(r7+#-3); v20 = vand(v16,v12) }
{ v15.w += vrmpy(v19.ub,r12.b); v16 = vand(v16,v9); v23 = vand(v22,v8); v19 = vand(v16,v10) }
{ v17.w += vrmpy(v21.ub,r12.b); v15.w += vrmpy(v22.ub,r13.b); r15:14 = memd(r8++#8); v21 = vmem(r7+#-2) }
{ v17.w += vrmpy(v23.ub,r13.b); v22 = vand(v21,v8); v23 = vmem(r7+#-1); r17:16 = memd(r8++#8) }
{ v16.w = vrmpy(v16.ub,r12.b); v19.w = vrmpy(v19.ub,r13.b); v25 = vand(v23,v8); v24 = vmem(r7+#5) }
{ v15.w += vrmpy(v21.ub,r14.b); v17.w += vrmpy(v22.ub,r14.b); v22 = vmem(r7+#0); v21 = vand(v24,v9) }
{ v15.w += vrmpy(v23.ub,r15.b); v17.w += vrmpy(v25.ub,r15.b); v23 = vand(v22,v8); v25 = vmem(r7+#1) }
{ v18.w = vrmpy(v18.ub,r14.b); v20.w = vrmpy(v20.ub,r15.b); v27 = vand(v25,v8); v26 = vand(v24,v10) }
{ v15.w += vrmpy(v22.ub,r16.b); v17.w += vrmpy(v23.ub,r16.b); r13:12 = memd(r8++#8); v22 = vmem(r7+#2) }
{ v15.w += vrmpy(v25.ub,r17.b); v17.w += vrmpy(v27.ub,r17.b); v23 = vand(v22,v8); v25 = vmem(r7+#3) }
{ v16.w += vrmpy(v21.ub,r16.b); v19.w += vrmpy(v26.ub,r17.b); v21 = vand(v24,v11); v26 = vand(v25,v8) }
{ v15.w += vrmpy(v22.ub,r12.b); v17.w += vrmpy(v23.ub,r12.b); v22 = vand(v24,v12); v16 = v16 }
{ v15.w += vrmpy(v25.ub,r13.b); v17.w += vrmpy(v26.ub,r13.b); v23 = vmem(r7+#6); r15:14 = memd(r9++#8) }
{ v18.w += vrmpy(v21.ub,r12.b); v20.w += vrmpy(v22.ub,r13.b); v15.w = vsub(v15.w,v17.w); r7 = add(r7,#1408) }
{ v21 = vmem(r7+#4); v22.h = vmpy(v23.h,r14.h):<<1:rnd:sat }
{ v16.w += vasr(v15.w,r1); v15 = v13; v23 = v14; v24 = vand(v21,v11) }
{ v16.w += vasr(v19.w,r0); r13:12 = memd(r8++#8); v19 = vmem(r7+#-4) }
{ v16.w += vasr(v18.w,r2); v25 = vand(v19,v8); v18 = vand(v21,v9) }
{ v16.w += vasr(v20.w,r3); v23.w += vrmpy(v19.ub,r12.b); v19 = vand(v21,v10); v20 = vand(v21,v12) }
{ v15.w += vrmpy(v25.ub,r12.b); v21 = vmem(r7+#-3); r15:14 = memd(r8++#8) }
{ v18.h = vasr(v16.w,v17.w,r4); v19 = vand(v21,v8); v16.w = vrmpy(v18.ub,r12.b); v17.w = vrmpy(v19.ub,r13.b) }
{ v23.w += vrmpy(v21.ub,r13.b); v21 = vmem(r7+#-2); r17:16 = memd(r8++#8) }
{ v15.w += vrmpy(v19.ub,r13.b); v19 = vand(v21,v8); v25 = vmem(r7+#-1); r13:12 = memd(r8++#8) }
{ v1:0.w = vmpy(v18.h,v22.h); v22 = vand(v25,v8); v18 = vmem(r7+#5); r19:18 = memd(r9++#8) }
{ v23.w += vrmpy(v21.ub,r14.b); v15.w += vrmpy(v19.ub,r14.b); v19 = vmem(r7+#0); r21:20 = memd(r8++#8) }
{ v23.w += vrmpy(v25.ub,r15.b); v15.w += vrmpy(v22.ub,r15.b); v21 = vand(v19,v8); v22 = vmem(r7+#1) }
{ v20.w = vrmpy(v24.ub,r14.b); v24.w = vrmpy(v20.ub,r15.b); v25 = vand(v18,v9); v26 = vand(v22,v8) }
{ v23.w += vrmpy(v19.ub,r16.b); v15.w += vrmpy(v21.ub,r16.b); v19 = vand(v18,v10); v21 = vmem(r7+#2) }
{ v23.w += vrmpy(v22.ub,r17.b); v15.w += vrmpy(v26.ub,r17.b); v22 = vand(v21,v8); v26 = vmem(r7+#3) }
{ v16.w += vrmpy(v25.ub,r16.b); v17.w += vrmpy(v19.ub,r17.b); v25 = vand(v26,v8); v19 = vand(v18,v12) }
{ v23.w += vrmpy(v21.ub,r12.b); v15.w += vrmpy(v22.ub,r12.b); v18 = vand(v18,v11); v16 = v16 }
{ v23.w += vrmpy(v26.ub,r13.b); v15.w += vrmpy(v25.ub,r13.b); v22 = vmem(r7+#6); v21 = v14 }
{ v20.w += vrmpy(v18.ub,r12.b); v24.w += vrmpy(v19.ub,r13.b); v18.w = vsub(v23.w,v15.w); r7 = add(r7,#1408) }
{ v19 = v13; v22 = vmem(r7+#4); v23.h = vmpy(v22.h,r18.h):<<1:rnd:sat; r13:12 = memd(r8++#8) }
{ v16.w += vasr(v18.w,r1); v25 = vmem(r7+#-4); v18 = vand(v22,v11); r15:14 = memd(r8++#8) }
{ v16.w += vasr(v17.w,r0); v17 = vand(v25,v8); r17:16 = memd(r8++#8) }
{ v16.w += vasr(v20.w,r2); v21.w += vrmpy(v25.ub,r20.b); v20 = vand(v22,v9); v25 = vand(v22,v10) }
{ v16.w += vasr(v24.w,r3); v19.w += vrmpy(v17.ub,r20.b); v22 = vmem(r7+#-3); v17 = vand(v22,v12) }
{ v25 = vand(v22,v8); v20.w = vrmpy(v20.ub,r20.b); v24.w = vrmpy(v25.ub,r21.b); v26 = vmem(r7+#-2) }
{ v15.h = vasr(v16.w,v15.w,r4); v21.w += vrmpy(v22.ub,r21.b); v16 = vand(v26,v8); v22 = vmem(r7+#-1) }
{ v19.w += vrmpy(v25.ub,r21.b); v21.w += vrmpy(v26.ub,r12.b); v26 = vand(v22,v8); v25 = vmem(r7+#5) }
{ v1:0.w += vmpy(v15.h,v23.h); v23 = vmem(r7+#0); v15 = vand(v25,v9); r19:18 = memd(r8++#8) }
{ v19.w += vrmpy(v16.ub,r12.b); v21.w += vrmpy(v22.ub,r13.b); v22 = vand(v23,v8); v16 = vand(v25,v10) }
{ v17.w = vrmpy(v18.ub,r12.b); v18.w = vrmpy(v17.ub,r13.b); v28 = vmem(r7+#1); v27 = vand(v25,v11) }
{ v19.w += vrmpy(v26.ub,r13.b); v21.w += vrmpy(v23.ub,r14.b); v23 = vand(v28,v8); v26 = vmem(r7+#2) }
{ v19.w += vrmpy(v22.ub,r14.b); v21.w += vrmpy(v28.ub,r15.b); v22 = vand(v26,v8); v28 = vmem(r7+#3) }
{ v20.w += vrmpy(v15.ub,r14.b); v24.w += vrmpy(v16.ub,r15.b); v16 = vand(v28,v8); v15 = vand(v25,v12) }
{ v19.w += vrmpy(v23.ub,r15.b); v21.w += vrmpy(v26.ub,r16.b); v20 = v20; v23 = vmem(r7+#6) }
{ v19.w += vrmpy(v22.ub,r16.b); v21.w += vrmpy(v28.ub,r17.b); r7 = add(r7,#1408); r13:12 = memd(r9++#8) }
{ v19.w += vrmpy(v16.ub,r17.b); v16 = vmem(r7+#4); r15:14 = memd(r8++#8) }
{ v17.w += vrmpy(v27.ub,r16.b); v18.w += vrmpy(v15.ub,r17.b); v15.w = vsub(v21.w,v19.w); v21 = vmem(r7+#-4) }
{ v23 = vand(v21,v8); v22.h = vmpy(v23.h,r12.h):<<1:rnd:sat; r13:12 = memd(r8++#8) }
{ v20.w += vasr(v15.w,r1); v15.w = vrmpy(v21.ub,r18.b); v21 = vand(v16,v9); v25 = vmem(r7+#-3) }
{ v20.w += vasr(v24.w,r0); v28.w = vrmpy(v23.ub,r18.b); v24 = vand(v25,v8); v23 = vand(v16,v10) }
{ v20.w += vasr(v17.w,r2); v15.w += vrmpy(v25.ub,r19.b); v25 = vmem(r7+#-2); v17 = vand(v16,v12) }
{ v20.w += vasr(v18.w,r3); v28.w += vrmpy(v24.ub,r19.b); v18 = vand(v25,v8); v24 = vmem(r7+#-1) }
{ v16.w = vrmpy(v21.ub,r18.b); v21.w = vrmpy(v23.ub,r19.b); v23 = vand(v16,v11); v26 = vand(v24,v8) }
{ v18.h = vasr(v20.w,v19.w,r4); v15.w += vrmpy(v25.ub,r14.b); v28.w += vrmpy(v18.ub,r14.b); v19 = vmem(r7+#5) }
{ v15.w += vrmpy(v24.ub,r15.b); v28.w += vrmpy(v26.ub,r15.b); v24 = vmem(r7+#0); v20 = vand(v19,v10) }
{ v1:0.w += vmpy(v18.h,v22.h); v18 = vand(v24,v8); v22 = vmem(r7+#1); r17:16 = memd(r8++#8) }
{ v17.w = vrmpy(v23.ub,r14.b); v23.w = vrmpy(v17.ub,r15.b); v25 = vand(v22,v8); v26 = vmem(r7+#2) }
{ v15.w += vrmpy(v24.ub,r12.b); v28.w += vrmpy(v18.ub,r12.b); v18 = vand(v19,v9); v24 = vmem(r7+#3) }
{ v15.w += vrmpy(v22.ub,r13.b); v28.w += vrmpy(v25.ub,r13.b); v22 = vand(v26,v8); v25 = vand(v24,v8) }
{ v16.w += vrmpy(v18.ub,r12.b); v21.w += vrmpy(v20.ub,r13.b); v18 = vand(v19,v11); v19 = vand(v19,v12) }
{ v15.w += vrmpy(v26.ub,r16.b); v28.w += vrmpy(v22.ub,r16.b); v29 = v16; v16 = vmem(r7+#6) }
{ v15.w += vrmpy(v24.ub,r17.b); v28.w += vrmpy(v25.ub,r17.b); r7 = add(r7,#1408); r13:12 = memd(r9++#8) }
{ v17.w += vrmpy(v18.ub,r16.b); v23.w += vrmpy(v19.ub,r17.b); v15.w = vsub(v15.w,v28.w) }
{ if (p0) r7 = add(r7,r5); p0 = not(p0); v30.h = vmpy(v16.h,r12.h):<<1:rnd:sat }
{ v29.w += vasr(v15.w,r1) }
.Lhvx_sum_q5_k_tile:
{ v29.w += vasr(v21.w,r0); v31 = vmem(r10+#0) }
{ v15 = v14; v16 = vmem(r7+#4); v29.w += vasr(v17.w,r2) }
{ v17 = v13; r13:12 = memd(r8++#8); v19 = vmem(r7+#-4); v18 = vand(v16,v11) }
{ v21 = vand(v19,v8); v22 = vmem(r7+#-3); v20 = vand(v16,v12); v29.w += vasr(v23.w,r3) }
{ v15.w += vrmpy(v19.ub,r12.b); v16 = vand(v16,v9); v23 = vand(v22,v8); v19 = vand(v16,v10) }
{ v17.w += vrmpy(v21.ub,r12.b); v15.w += vrmpy(v22.ub,r13.b); r15:14 = memd(r8++#8); v21 = vmem(r7+#-2) }
{ v17.w += vrmpy(v23.ub,r13.b); v22 = vand(v21,v8); v23 = vmem(r7+#-1); r17:16 = memd(r8++#8) }
{ v16.w = vrmpy(v16.ub,r12.b); v19.w = vrmpy(v19.ub,r13.b); v25 = vand(v23,v8); v24 = vmem(r7+#5) }
{ v15.w += vrmpy(v21.ub,r14.b); v17.w += vrmpy(v22.ub,r14.b); v22 = vmem(r7+#0); v21 = vand(v24,v9) }
{ v15.w += vrmpy(v23.ub,r15.b); v17.w += vrmpy(v25.ub,r15.b); v23 = vand(v22,v8); v25 = vmem(r7+#1) }
{ v18.w = vrmpy(v18.ub,r14.b); v20.w = vrmpy(v20.ub,r15.b); v27 = vand(v25,v8); v26 = vand(v24,v10) }
{ v15.w += vrmpy(v22.ub,r16.b); v17.w += vrmpy(v23.ub,r16.b); r13:12 = memd(r8++#8); v22 = vmem(r7+#2) }
{ v15.w += vrmpy(v25.ub,r17.b); v17.w += vrmpy(v27.ub,r17.b); v23 = vand(v22,v8); v25 = vmem(r7+#3) }
{ v16.w += vrmpy(v21.ub,r16.b); v19.w += vrmpy(v26.ub,r17.b); v21 = vand(v24,v11); v26 = vand(v25,v8) }
{ v15.w += vrmpy(v22.ub,r12.b); v17.w += vrmpy(v23.ub,r12.b); v22 = vand(v24,v12); v16 = v16 }
{ v15.w += vrmpy(v25.ub,r13.b); v17.w += vrmpy(v26.ub,r13.b); v23 = vmem(r7+#6); r15:14 = memd(r9++#8) }
{ v18.w += vrmpy(v21.ub,r12.b); v20.w += vrmpy(v22.ub,r13.b); v15.w = vsub(v15.w,v17.w); r7 = add(r7,#1408) }
{ v21 = vmem(r7+#4); v22.h = vmpy(v23.h,r14.h):<<1:rnd:sat; v25.h = vasr(v29.w,v28.w,r4) }
{ v16.w += vasr(v15.w,r1); v15 = v13; v23 = v14; v24 = vand(v21,v11) }
{ v16.w += vasr(v19.w,r0); r13:12 = memd(r8++#8); v19 = vmem(r7+#-4); v1:0.w += vmpy(v25.h,v30.h) }
{ v16.w += vasr(v18.w,r2); v25 = vand(v19,v8); v18 = vand(v21,v9); v27 = vmem(r10+#1) }
{ v16.w += vasr(v20.w,r3); v23.w += vrmpy(v19.ub,r12.b); v19 = vand(v21,v10); v20 = vand(v21,v12) }
{ v15.w += vrmpy(v25.ub,r12.b); v21 = vmem(r7+#-3); r15:14 = memd(r8++#8); v27.w += vasr(v1.w,r6) }
{ v18.h = vasr(v16.w,v17.w,r4); v19 = vand(v21,v8); v16.w = vrmpy(v18.ub,r12.b); v17.w = vrmpy(v19.ub,r13.b) }
{ v23.w += vrmpy(v21.ub,r13.b); v21 = vmem(r7+#-2); r17:16 = memd(r8++#8); v31.w += vasr(v0.w,r6) }
{ v15.w += vrmpy(v19.ub,r13.b); v19 = vand(v21,v8); v25 = vmem(r7+#-1); r13:12 = memd(r8++#8) }
{ v1:0.w = vmpy(v18.h,v22.h); v22 = vand(v25,v8); v18 = vmem(r7+#5); r19:18 = memd(r9++#8) }
{ v23.w += vrmpy(v21.ub,r14.b); v15.w += vrmpy(v19.ub,r14.b); v19 = vmem(r7+#0); r21:20 = memd(r8++#8) }
{ v23.w += vrmpy(v25.ub,r15.b); v15.w += vrmpy(v22.ub,r15.b); v21 = vand(v19,v8); v22 = vmem(r7+#1) }
{ v20.w = vrmpy(v24.ub,r14.b); v24.w = vrmpy(v20.ub,r15.b); v25 = vand(v18,v9); v26 = vand(v22,v8) }
{ v23.w += vrmpy(v19.ub,r16.b); v15.w += vrmpy(v21.ub,r16.b); v19 = vand(v18,v10); v21 = vmem(r7+#2) }
{ v23.w += vrmpy(v22.ub,r17.b); v15.w += vrmpy(v26.ub,r17.b); v22 = vand(v21,v8); v26 = vmem(r7+#3) }
{ v16.w += vrmpy(v25.ub,r16.b); v17.w += vrmpy(v19.ub,r17.b); v25 = vand(v26,v8); v19 = vand(v18,v12) }
{ v23.w += vrmpy(v21.ub,r12.b); v15.w += vrmpy(v22.ub,r12.b); v18 = vand(v18,v11); v16 = v16 }
{ v23.w += vrmpy(v26.ub,r13.b); v15.w += vrmpy(v25.ub,r13.b); v22 = vmem(r7+#6); v21 = v14 }
{ v20.w += vrmpy(v18.ub,r12.b); v24.w += vrmpy(v19.ub,r13.b); v18.w = vsub(v23.w,v15.w); r7 = add(r7,#1408) }
{ v19 = v13; v22 = vmem(r7+#4); v23.h = vmpy(v22.h,r18.h):<<1:rnd:sat; r13:12 = memd(r8++#8) }
{ v16.w += vasr(v18.w,r1); v25 = vmem(r7+#-4); v18 = vand(v22,v11); r15:14 = memd(r8++#8) }
{ v16.w += vasr(v17.w,r0); v17 = vand(v25,v8); r17:16 = memd(r8++#8); vmem(r10+#1) = v27 }
{ v16.w += vasr(v20.w,r2); v21.w += vrmpy(v25.ub,r20.b); v20 = vand(v22,v9); v25 = vand(v22,v10) }
{ v16.w += vasr(v24.w,r3); v19.w += vrmpy(v17.ub,r20.b); v22 = vmem(r7+#-3); v17 = vand(v22,v12) }
{ v25 = vand(v22,v8); v20.w = vrmpy(v20.ub,r20.b); v24.w = vrmpy(v25.ub,r21.b); v26 = vmem(r7+#-2) }
{ v15.h = vasr(v16.w,v15.w,r4); v21.w += vrmpy(v22.ub,r21.b); v16 = vand(v26,v8); v22 = vmem(r7+#-1) }
{ v19.w += vrmpy(v25.ub,r21.b); v21.w += vrmpy(v26.ub,r12.b); v26 = vand(v22,v8); v25 = vmem(r7+#5) }
{ v1:0.w += vmpy(v15.h,v23.h); v23 = vmem(r7+#0); v15 = vand(v25,v9); r19:18 = memd(r8++#8) }
{ v19.w += vrmpy(v16.ub,r12.b); v21.w += vrmpy(v22.ub,r13.b); v22 = vand(v23,v8); v16 = vand(v25,v10) }
{ v17.w = vrmpy(v18.ub,r12.b); v18.w = vrmpy(v17.ub,r13.b); v28 = vmem(r7+#1); v27 = vand(v25,v11) }
{ v19.w += vrmpy(v26.ub,r13.b); v21.w += vrmpy(v23.ub,r14.b); v23 = vand(v28,v8); v26 = vmem(r7+#2) }
{ v19.w += vrmpy(v22.ub,r14.b); v21.w += vrmpy(v28.ub,r15.b); v22 = vand(v26,v8); v28 = vmem(r7+#3) }
{ v20.w += vrmpy(v15.ub,r14.b); v24.w += vrmpy(v16.ub,r15.b); v16 = vand(v28,v8); v15 = vand(v25,v12) }
{ v19.w += vrmpy(v23.ub,r15.b); v21.w += vrmpy(v26.ub,r16.b); v20 = v20; v23 = vmem(r7+#6) }
{ v19.w += vrmpy(v22.ub,r16.b); v21.w += vrmpy(v28.ub,r17.b); r7 = add(r7,#1408); r13:12 = memd(r9++#8) }
{ v19.w += vrmpy(v16.ub,r17.b); v16 = vmem(r7+#4); r15:14 = memd(r8++#8) }
{ v17.w += vrmpy(v27.ub,r16.b); v18.w += vrmpy(v15.ub,r17.b); v15.w = vsub(v21.w,v19.w); v21 = vmem(r7+#-4) }
{ v23 = vand(v21,v8); v22.h = vmpy(v23.h,r12.h):<<1:rnd:sat; r13:12 = memd(r8++#8) }
{ v20.w += vasr(v15.w,r1); v15.w = vrmpy(v21.ub,r18.b); v21 = vand(v16,v9); v25 = vmem(r7+#-3) }
{ v20.w += vasr(v24.w,r0); v28.w = vrmpy(v23.ub,r18.b); v24 = vand(v25,v8); v23 = vand(v16,v10) }
{ v20.w += vasr(v17.w,r2); v15.w += vrmpy(v25.ub,r19.b); v25 = vmem(r7+#-2); v17 = vand(v16,v12) }
{ v20.w += vasr(v18.w,r3); v28.w += vrmpy(v24.ub,r19.b); v18 = vand(v25,v8); v24 = vmem(r7+#-1) }
{ v16.w = vrmpy(v21.ub,r18.b); v21.w = vrmpy(v23.ub,r19.b); v23 = vand(v16,v11); v26 = vand(v24,v8) }
{ v18.h = vasr(v20.w,v19.w,r4); v15.w += vrmpy(v25.ub,r14.b); v28.w += vrmpy(v18.ub,r14.b); v19 = vmem(r7+#5) }
{ v15.w += vrmpy(v24.ub,r15.b); v28.w += vrmpy(v26.ub,r15.b); v24 = vmem(r7+#0); v20 = vand(v19,v10) }
{ v1:0.w += vmpy(v18.h,v22.h); v18 = vand(v24,v8); v22 = vmem(r7+#1); r17:16 = memd(r8++#8) }
{ v17.w = vrmpy(v23.ub,r14.b); v23.w = vrmpy(v17.ub,r15.b); v25 = vand(v22,v8); v26 = vmem(r7+#2) }
{ v15.w += vrmpy(v24.ub,r12.b); v28.w += vrmpy(v18.ub,r12.b); v18 = vand(v19,v9); v24 = vmem(r7+#3) }
{ v15.w += vrmpy(v22.ub,r13.b); v28.w += vrmpy(v25.ub,r13.b); v22 = vand(v26,v8); v25 = vand(v24,v8) }
{ v16.w += vrmpy(v18.ub,r12.b); v21.w += vrmpy(v20.ub,r13.b); v18 = vand(v19,v11); v19 = vand(v19,v12) }
{ v15.w += vrmpy(v26.ub,r16.b); v28.w += vrmpy(v22.ub,r16.b); v29 = v16; v16 = vmem(r7+#6) }
{ v15.w += vrmpy(v24.ub,r17.b); v28.w += vrmpy(v25.ub,r17.b); r7 = add(r7,#1408); r13:12 = memd(r9++#8) }
{ v17.w += vrmpy(v18.ub,r16.b); v23.w += vrmpy(v19.ub,r17.b); v15.w = vsub(v15.w,v28.w); vmem(r10+#0) = v31 }
{ if (p0) r7 = add(r7,r5); p0 = not(p0); v30.h = vmpy(v16.h,r12.h):<<1:rnd:sat }
{ v29.w += vasr(v15.w,r1) }:endloop0
{ v29.w += vasr(v21.w,r0); v31 = vmem(r10+#0) }
{ v29.w += vasr(v17.w,r2) }
{ v29.w += vasr(v23.w,r3) }
{ v25.h = vasr(v29.w,v28.w,r4) }
{ v1:0.w += vmpy(v25.h,v30.h) }
{ v27 = vmem(r10+#1) }
{ v27.w += vasr(v1.w,r6) }
{ v31.w += vasr(v0.w,r6) }
{ vmem(r10+#1) = v27 }
{ vmem(r10+#0) = v31 }
{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16); r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32); r27:26 = memd(r29+#40) }
{ r30 = add(r29,#56) }
{ dealloc_return }
.size hvx_sum_q5_k_tile, .-hvx_sum_q5_k_tile

// 134 packets (130 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q2_k_tiles
.hidden hvx_sum_q2_k_tiles
.type hvx_sum_q2_k_tiles,@function
hvx_sum_q2_k_tiles:
{ allocframe(#56); r28 = r0 }
{ r30 = memw(r28+#48); memd(r29+#0) = r17:16; r16 = ##50529027 }
{ memd(r29+#8) = r19:18; memd(r29+#16) = r21:20; v8 = vsplat(r16) }
{ memd(r29+#24) = r23:22; memd(r29+#32) = r25:24; r17 = ##202116108 }
{ memd(r29+#40) = r27:26; r30 = add(r30,#-1); v9 = vsplat(r17); r6 = memw(r28+#0) }
{ loop0(.Lhvx_sum_q2_k_tiles,r30); r18 = ##808464432 }
{ v10 = vsplat(r18); r19 = ##3233857728; r7 = memw(r28+#4) }
{ v11 = vsplat(r19); r20 = ##2013296640; r8 = memw(r28+#8) }
{ v12 = vsplat(r20); r0 = ##2; r9 = memw(r28+#12) }
{ r1 = ##3; r2 = ##4 }
{ r3 = ##11; r4 = ##-256 }
{ r10 = memw(r28+#16); r11 = memw(r28+#32) }
{ r5 = memw(r28+#52); r12 = memw(r28+#56) }
{ r13 = add(r6,r4) }
{ v13 = vmem(r13+#0); r15:14 = memd(r11++#8) }
{ v14 = vmem(r6+#4); r17:16 = memd(r10++#8) }
{ v15 = vmem(r6+#0); r19:18 = memd(r10++#8) }
{ v15 = vand(v15,v8); v16 = vand(v15,v9); v17 = vand(v15,v10); v18 = vand(v15,v11) }
{ v19 = vmem(r6+#1); r21:20 = memd(r10++#8); r13 = add(r7,r4) }
{ v15.w = vrmpy(v15.ub,r16.b); v16.w = vrmpy(v16.ub,r16.b); v20 = vand(v19,v10); v21.h = vasl(v14.h,r3) }
{ v17.w = vrmpy(v17.ub,r17.b); v18.w = vrmpy(v18.ub,r17.b); v22 = vand(v19,v9); v23 = vand(v19,v11) }
{ v14 = vand(v19,v8); v19 = vand(v21,v12); v21 = vmem(r6+#2); v24.h = vasl(v14.h,r1) }
{ v17.w += vrmpy(v20.ub,r19.b); v18.w += vrmpy(v23.ub,r19.b); v20 = vand(v21,v10); v23 = vand(v21,v11) }
{ v15.w += vrmpy(v14.ub,r18.b); v16.w += vrmpy(v22.ub,r18.b); v14 = vand(v21,v8); v21 = vand(v21,v9) }
{ v16.w += vasr(v18.w,r2); v18.h = vmpy(v13.h,v19.h):<<1:rnd:sat; v19 = vmem(r6+#3); r23:22 = memd(r10++#8) }
{ v15.w += vasr(v17.w,r2); v14.w = vrmpy(v14.ub,r20.b); v17.w = vrmpy(v21.ub,r20.b); v21 = vand(v19,v10) }
{ v16.w = vasr(v16.w,r0); v22.h = vmpy(v18.h,r14.h):<<1:rnd:sat; v18 = vand(v19,v9); r6 = add(r6,#640) }
{ v19.w = vrmpy(v20.ub,r21.b); v20.w = vrmpy(v23.ub,r21.b); v23 = vand(v19,v8); v25 = vand(v19,v11) }
{ v15.h = vshuffe(v16.h,v15.h); v24 = vand(v24,v12); v16 = vmem(r13+#0) }
{ v14.w += vrmpy(v23.ub,r22.b); v17.w += vrmpy(v18.ub,r22.b); v18 = vmem(r7+#4) }
{ v1:0.w = vmpy(v15.h,v22.h); v15 = vmem(r7+#0) }
{ v19.w += vrmpy(v21.ub,r23.b); v20.w += vrmpy(v25.ub,r23.b); v21 = vand(v15,v8); v22 = vand(v15,v9) }
{ r25:24 = memd(r11++#8); v13 = vand(v15,v10); v23.h = vmpy(v13.h,v24.h):<<1:rnd:sat; v24 = vmem(r7+#1) }
{ v14.w += vasr(v19.w,r2); v21 = vand(v15,v11); v15.w = vrmpy(v21.ub,r16.b); v19.w = vrmpy(v22.ub,r16.b) }
{ v17.w += vasr(v20.w,r2); v22.h = vmpy(v23.h,r24.h):<<1:rnd:sat; v20 = vand(v24,v11) }
{ v13.w = vrmpy(v13.ub,r17.b); v21.w = vrmpy(v21.ub,r17.b); v23 = vand(v24,v8); v25 = vand(v24,v9) }
{ v17.w = vasr(v17.w,r0); v24 = vand(v24,v10); v26 = vmem(r7+#2) }
{ v15.w += vrmpy(v23.ub,r18.b); v19.w += vrmpy(v25.ub,r18.b); v23 = vand(v26,v8); v25 = vand(v26,v9) }
{ v14.h = vshuffe(v17.h,v14.h); v13.w += vrmpy(v24.ub,r19.b); v21.w += vrmpy(v20.ub,r19.b); v17 = vand(v26,v10) }
{ v25.h = vasl(v18.h,r3); v24 = vand(v26,v11); v20.w = vrmpy(v23.ub,r20.b); v23.w = vrmpy(v25.ub,r20.b) }
{ v1:0.w += vmpy(v14.h,v22.h); v15.w += vasr(v13.w,r2); v13 = vand(v25,v12); r13 = add(r8,r4) }
{ v19.w += vasr(v21.w,r2); v14.w = vrmpy(v17.ub,r21.b); v17.w = vrmpy(v24.ub,r21.b); v21 = vmem(r7+#3) }
{ v24.h = vmpy(v16.h,v13.h):<<1:rnd:sat; v13 = vand(v21,v9); v22 = vand(v21,v10); r7 = add(r7,#640) }
{ v19.w = vasr(v19.w,r0); v21 = vand(v21,v8); v25 = vand(v21,v11); v26 = vmem(r13+#0) }
{ v18.h = vmpy(v24.h,r14.h):<<1:rnd:sat; v24.h = vasl(v18.h,r1); v27 = vmem(r8+#4) }
{ v15.h = vshuffe(v19.h,v15.h); v14.w += vrmpy(v22.ub,r23.b); v17.w += vrmpy(v25.ub,r23.b); v19 = vand(v24,v12) }
{ v20.w += vrmpy(v21.ub,r22.b); v23.w += vrmpy(v13.ub,r22.b); v13 = vmem(r8+#0); v21.h = vasl(v27.h,r3) }
{ v3:2.w = vmpy(v15.h,v18.h); v20.w += vasr(v14.w,r2); v14 = vand(v13,v8) }
{ v23.w += vasr(v17.w,r2); v15 = vand(v13,v9); v16.h = vmpy(v16.h,v19.h):<<1:rnd:sat }
{ v13 = vand(v13,v10); v17 = vand(v13,v11); v19 = vmem(r8+#1); v18 = vand(v21,v12) }
{ v21.w = vasr(v23.w,r0); v14.w = vrmpy(v14.ub,r16.b); v15.w = vrmpy(v15.ub,r16.b); v22 = vand(v19,v8) }
{ v13.w = vrmpy(v13.ub,r17.b); v17.w = vrmpy(v17.ub,r17.b); v23 = vand(v19,v9); v24 = vmem(r8+#2) }
{ v16.h = vshuffe(v21.h,v20.h); v21.h = vmpy(v16.h,r24.h):<<1:rnd:sat; v20 = vand(v19,v11) }
{ v19 = vand(v19,v10); v14.w += vrmpy(v22.ub,r18.b); v15.w += vrmpy(v23.ub,r18.b); v22 = vand(v24,v10) }
{ v3:2.w += vmpy(v16.h,v21.h); v16 = vand(v24,v9); v21 = vmem(r8+#3); r13 = add(r9,r4) }
{ v13.w += vrmpy(v19.ub,r19.b); v17.w += vrmpy(v20.ub,r19.b); v19 = vand(v21,v10); v20 = vand(v21,v11) }
{ v18 = vand(v24,v8); v23 = vand(v24,v11); v24.h = vmpy(v26.h,v18.h):<<1:rnd:sat; r8 = add(r8,#640) }
{ v15.w += vasr(v17.w,r2); v17 = vand(v21,v8); v21 = vand(v21,v9); v25 = vmem(r13+#0) }
{ v14.w += vasr(v13.w,r2); v13.w = vrmpy(v18.ub,r20.b); v16.w = vrmpy(v16.ub,r20.b); v18 = vmem(r9+#4) }
{ v23.w = vasr(v15.w,r0); v15.w = vrmpy(v22.ub,r21.b); v22.w = vrmpy(v23.ub,r21.b); v28 = vmem(r9+#0) }
{ v27.h = vmpy(v24.h,r14.h):<<1:rnd:sat; v29.h = vasl(v27.h,r1); v24 = vand(v28,v9) }
{ v14.h = vshuffe(v23.h,v14.h); v13.w += vrmpy(v17.ub,r22.b); v16.w += vrmpy(v21.ub,r22.b); v17 = vand(v29,v12) }
{ v15.w += vrmpy(v19.ub,r23.b); v22.w += vrmpy(v20.ub,r23.b); v19 = vand(v28,v10); v20 = vand(v28,v11) }
{ v5:4.w = vmpy(v14.h,v27.h); v14 = vand(v28,v8); v21 = vmem(r9+#1) }
{ v16.w += vasr(v22.w,r2); v19.w = vrmpy(v19.ub,r17.b); v20.w = vrmpy(v20.ub,r17.b); v22 = vand(v21,v8) }
{ v13.w += vasr(v15.w,r2); v17.h = vmpy(v26.h,v17.h):<<1:rnd:sat; v15 = vand(v21,v11) }
{ v23.w = vasr(v16.w,r0); v14.w = vrmpy(v14.ub,r16.b); v16.w = vrmpy(v24.ub,r16.b); v24 = vand(v21,v9) }
{ v21.h = vmpy(v17.h,r24.h):<<1:rnd:sat; v17 = vand(v21,v10); v26 = vmem(r9+#2); r13 = add(r6,r4) }
{ v13.h = vshuffe(v23.h,v13.h); v14.w += vrmpy(v22.ub,r18.b); v16.w += vrmpy(v24.ub,r18.b); v22 = vand(v26,v10) }
{ v19.w += vrmpy(v17.ub,r19.b); v20.w += vrmpy(v15.ub,r19.b); v15 = vand(v26,v8); v17 = vand(v26,v9) }
{ v5:4.w += vmpy(v13.h,v21.h); v21.h = vasl(v18.h,r3); v13 = vmem(r9+#3); r17:16 = memd(r10++#8) }
{ v14.w += vasr(v19.w,r2); v23 = vand(v21,v12); v19 = vand(v13,v8); v21 = vand(v13,v11) }
{ v16.w += vasr(v20.w,r2); v20 = vand(v26,v11); v15.w = vrmpy(v15.ub,r20.b); v17.w = vrmpy(v17.ub,r20.b) }
{ v23.h = vmpy(v25.h,v23.h):<<1:rnd:sat; v18 = vand(v13,v9); v24.h = vasl(v18.h,r1); r9 = add(r9,#640) }
{ v20.w = vasr(v16.w,r0); v13.w = vrmpy(v22.ub,r21.b); v16.w = vrmpy(v20.ub,r21.b); v22 = vand(v13,v10) }
{ v24.h = vmpy(v23.h,r14.h):<<1:rnd:sat; v26 = vand(v24,v12); v23 = vmem(r13+#-5); r15:14 = memd(r10++#8) }
{ v14.h = vshuffe(v20.h,v14.h); v15.w += vrmpy(v19.ub,r22.b); v17.w += vrmpy(v18.ub,r22.b); v18 = vmem(r6+#4) }
{ v13.w += vrmpy(v22.ub,r23.b); v16.w += vrmpy(v21.ub,r23.b); v19 = vmem(r6+#0); r19:18 = memd(r11++#8) }
{ v7:6.w = vmpy(v14.h,v24.h); p0 = cmp.eq(r4,##-4096); v14 = vand(v19,v8) }
{ v15.w += vasr(v13.w,r2); r13 = mux(p0,##256,#0); v13 = vand(v19,v9) }
{ v17.w += vasr(v16.w,r2); v16 = vand(v19,v10); v19 = vand(v19,v11); v20 = vmem(r6+#1) }
{ v13.w = vrmpy(v14.ub,r16.b); v14.w = vrmpy(v13.ub,r16.b); v21 = vand(v20,v8); v22 = vand(v20,v11) }
{ v19.w = vasr(v17.w,r0); v16.w = vrmpy(v16.ub,r17.b); v17.w = vrmpy(v19.ub,r17.b); v24 = vand(v20,v10) }
{ v25.h = vmpy(v25.h,v26.h):<<1:rnd:sat; v20 = vand(v20,v9); v26 = vmem(r6+#2); r21:20 = memd(r10++#8) }
{ v15.h = vshuffe(v19.h,v15.h); v16.w += vrmpy(v24.ub,r15.b); v17.w += vrmpy(v22.ub,r15.b); v19 = vand(v26,v10) }
{ v24.h = vmpy(v25.h,r24.h):<<1:rnd:sat; v25.h = vasl(v18.h,r3); v22 = vand(v26,v8); r23:22 = memd(r10++#8) }
{ v13.w += vrmpy(v21.ub,r14.b); v14.w += vrmpy(v20.ub,r14.b); v21 = vand(v25,v12); v20 = vand(v26,v11) }
{ v7:6.w += vmpy(v15.h,v24.h); v13.w += vasr(v16.w,r2); v15 = vand(v26,v9); r24 = add(r7,r4) }
{ v14.w += vasr(v17.w,r2); v16.w = vrmpy(v19.ub,r21.b); v17.w = vrmpy(v20.ub,r21.b); v19 = vmem(r6+#3) }
{ v19 = vand(v19,v8); v20 = vand(v19,v9); v24 = vand(v19,v10); v25 = vand(v19,v11) }
{ v22.w = vasr(v14.w,r0); v14.w = vrmpy(v22.ub,r20.b); v15.w = vrmpy(v15.ub,r20.b); v26 = vmem(r7+#4) }
{ v21.h = vmpy(v23.h,v21.h):<<1:rnd:sat; v27.h = vasl(v18.h,r1); r6 = add(r6,#640); v18 = vmem(r24+#-5) }
{ v13.h = vshuffe(v22.h,v13.h); v16.w += vrmpy(v24.ub,r23.b); v17.w += vrmpy(v25.ub,r23.b); v22 = vand(v27,v12) }
{ v21.h = vmpy(v21.h,r18.h):<<1:rnd:sat; r6 = add(r6,r13); v24 = vmem(r7+#0); v25.h = vasl(v26.h,r3) }
{ v14.w += vrmpy(v19.ub,r22.b); v15.w += vrmpy(v20.ub,r22.b); v19 = vand(v24,v8); v20 = vand(v24,v11) }
{ v1:0.w += vmpy(v13.h,v21.h); v14.w += vasr(v16.w,r2); v13 = vand(v24,v9) }
{ v15.w += vasr(v17.w,r2); r25:24 = memd(r11++#8); v16.h = vmpy(v23.h,v22.h):<<1:rnd:sat; v17 = vmem(r12+#0) }
{ v21 = vand(v24,v10); v13.w = vrmpy(v19.ub,r16.b); v19.w = vrmpy(v13.ub,r16.b); v22 = vmem(r12+#1) }
{ v15.w = vasr(v15.w,r0); v16.h = vmpy(v16.h,r24.h):<<1:rnd:sat; v23 = vmem(r7+#1) }
{ v20.w = vrmpy(v21.ub,r17.b); v21.w = vrmpy(v20.ub,r17.b); v24 = vand(v23,v8); v27 = vand(v23,v10) }
{ v14.h = vshuffe(v15.h,v14.h); v15 = vand(v23,v9); v23 = vand(v23,v11); v28 = vmem(r7+#2) }
{ v31 = vand(v25,v12); v25 = vand(v28,v8); v29 = vand(v28,v9); v30 = vand(v28,v11) }
{ v1:0.w += vmpy(v14.h,v16.h); v14 = vand(v28,v10); v16 = vmem(r7+#3); r26 = add(r8,r4) }
{ v13.w += vrmpy(v24.ub,r14.b); v19.w += vrmpy(v15.ub,r14.b); v15 = vand(v16,v8); v24 = vand(v16,v10) }
{ v17.w += vasr(v0.w,r5); v20.w += vrmpy(v27.ub,r15.b); v21.w += vrmpy(v23.ub,r15.b); v23 = vand(v16,v9) }
{ vmem(r12+#0) = v17; v22.w += vasr(v1.w,r5); v17.h = vmpy(v18.h,v31.h):<<1:rnd:sat; r7 = add(r7,#640) }
{ vmem(r12+#1) = v22; v13.w += vasr(v20.w,r2); v14.w = vrmpy(v14.ub,r21.b); v20.w = vrmpy(v30.ub,r21.b) }
{ v19.w += vasr(v21.w,r2); v17.h = vmpy(v17.h,r18.h):<<1:rnd:sat; v16 = vand(v16,v11); r7 = add(r7,r13) }
{ v21.w = vrmpy(v25.ub,r20.b); v22.w = vrmpy(v29.ub,r20.b); v26.h = vasl(v26.h,r1); v25 = vmem(r26+#-5) }
{ v15.w = vasr(v19.w,r0); v21.w += vrmpy(v15.ub,r22.b); v22.w += vrmpy(v23.ub,r22.b); v19 = vand(v26,v12) }
{ v14.w += vrmpy(v24.ub,r23.b); v20.w += vrmpy(v16.ub,r23.b); v16 = vmem(r8+#4) }
{ v13.h = vshuffe(v15.h,v13.h); v18 = vmem(r8+#0); v15.h = vmpy(v18.h,v19.h):<<1:rnd:sat }
{ v22.w += vasr(v20.w,r2); v19 = vand(v18,v8); v20 = vand(v18,v9); v23 = vand(v18,v10) }
{ v3:2.w += vmpy(v13.h,v17.h); v21.w += vasr(v14.w,r2); v13 = vand(v18,v11) }
{ v18.w = vasr(v22.w,r0); v14.w = vrmpy(v19.ub,r16.b); v17.w = vrmpy(v20.ub,r16.b); v19 = vmem(r8+#1) }
{ v13.w = vrmpy(v23.ub,r17.b); v20.w = vrmpy(v13.ub,r17.b); v23 = vmem(r12+#2); v22 = vand(v19,v9) }
{ v15.h = vshuffe(v18.h,v21.h); v18.h = vmpy(v15.h,r24.h):<<1:rnd:sat; v21 = vmem(r12+#3); r26 = add(r9,r4) }
{ v19 = vand(v19,v8); v24 = vand(v19,v10); v26 = vand(v19,v11); v27.h = vasl(v16.h,r3) }
{ v3:2.w += vmpy(v15.h,v18.h); v15 = vand(v27,v12); v18 = vmem(r8+#2); r4 = add(r4,#-1280) }
{ v14.w += vrmpy(v19.ub,r14.b); v17.w += vrmpy(v22.ub,r14.b); v19 = vand(v18,v8); v22 = vand(v18,v11) }
{ v23.w += vasr(v2.w,r5); v13.w += vrmpy(v24.ub,r15.b); v20.w += vrmpy(v26.ub,r15.b); v24 = vand(v18,v10) }
{ vmem(r12+#2) = v23; v21.w += vasr(v3.w,r5); v15.h = vmpy(v25.h,v15.h):<<1:rnd:sat }
{ vmem(r12+#3) = v21; v17.w += vasr(v20.w,r2); v18 = vand(v18,v9); v20 = vmem(r8+#3) }
{ v14.w += vasr(v13.w,r2); v15.h = vmpy(v15.h,r18.h):<<1:rnd:sat; v13 = vand(v20,v8); r8 = add(r8,#640) }
{ v19.w = vasr(v17.w,r0); v17.w = vrmpy(v19.ub,r20.b); v18.w = vrmpy(v18.ub,r20.b); v21 = vand(v20,v10) }
{ v20.w = vrmpy(v24.ub,r21.b); v22.w = vrmpy(v22.ub,r21.b); v23 = vand(v20,v9); v24 = vand(v20,v11) }
{ v14.h = vshuffe(v19.h,v14.h); v19.h = vasl(v16.h,r1); r8 = add(r8,r13); v16 = vmem(r26+#-5) }
{ v20.w += vrmpy(v21.ub,r23.b); v22.w += vrmpy(v24.ub,r23.b); v19 = vand(v19,v12); v21 = vmem(r9+#4) }
{ v5:4.w += vmpy(v14.h,v15.h); r4 = mux(p0,##-256,r4); v14 = vmem(r9+#0) }
{ v17.w += vrmpy(v13.ub,r22.b); v18.w += vrmpy(v23.ub,r22.b); v13 = vand(v14,v9); v15 = vand(v14,v11) }
{ v17.w += vasr(v20.w,r2); v14 = vand(v14,v8); v20 = vand(v14,v10); v23 = vmem(r12+#5) }
{ v18.w += vasr(v22.w,r2); v19.h = vmpy(v25.h,v19.h):<<1:rnd:sat; v22 = vmem(r12+#4) }
{ v13.w = vrmpy(v14.ub,r16.b); v14.w = vrmpy(v13.ub,r16.b); v24 = vmem(r9+#1); v25.h = vasl(v21.h,r3) }
{ v20.w = vasr(v18.w,r0); v15.w = vrmpy(v20.ub,r17.b); v18.w = vrmpy(v15.ub,r17.b); v26 = vand(v24,v9) }
{ v27.h = vmpy(v19.h,r24.h):<<1:rnd:sat; v19 = vand(v24,v8); v28 = vmem(r9+#2) }
{ v17.h = vshuffe(v20.h,v17.h); v20 = vand(v24,v10); v24 = vand(v24,v11); v29 = vand(v28,v10) }
{ v13.w += vrmpy(v19.ub,r14.b); v14.w += vrmpy(v26.ub,r14.b); v25 = vand(v25,v12); v19 = vand(v28,v8) }
{ v5:4.w += vmpy(v17.h,v27.h); v17 = vand(v28,v11); v26 = vmem(r9+#3) }
{ v15.w += vrmpy(v20.ub,r15.b); v18.w += vrmpy(v24.ub,r15.b); v20 = vand(v28,v9); v24 = vand(v26,v10) }
{ v22.w += vasr(v4.w,r5); v27 = vand(v26,v8); v28 = vand(v26,v11); r9 = add(r9,#640) }
{ vmem(r12+#4) = v22; v23.w += vasr(v5.w,r5); v19.w = vrmpy(v19.ub,r20.b); v20.w = vrmpy(v20.ub,r20.b) }
{ vmem(r12+#5) = v23; v13.w += vasr(v15.w,r2); v15.w = vrmpy(v29.ub,r21.b); v17.w = vrmpy(v17.ub,r21.b) }
{ v14.w += vasr(v18.w,r2); v18 = vand(v26,v9); v15.w += vrmpy(v24.ub,r23.b); v17.w += vrmpy(v28.ub,r23.b) }
{ v21.h = vmpy(v16.h,v25.h):<<1:rnd:sat; v22.h = vasl(v21.h,r1); r9 = add(r9,r13); v26 = vmem(r12+#7) }
{ v14.w = vasr(v14.w,r0); v19.w += vrmpy(v27.ub,r22.b); v20.w += vrmpy(v18.ub,r22.b); v18 = vand(v22,v12) }
{ v15.h = vmpy(v21.h,r18.h):<<1:rnd:sat; v19.w += vasr(v15.w,r2); v27 = vmem(r12+#6) }
{ v13.h = vshuffe(v14.h,v13.h); v20.w += vasr(v17.w,r2); v14.h = vmpy(v16.h,v18.h):<<1:rnd:sat }
.Lhvx_sum_q2_k_tiles:
{ r13 = add(r6,r4) }
{ v13 = vmem(r13+#0); r15:14 = memd(r11++#8); v7:6.w += vmpy(v13.h,v15.h); v15.w = vasr(v20.w,r0) }
{ v14 = vmem(r6+#4); r17:16 = memd(r10++#8); v20.h = vmpy(v14.h,r24.h):<<1:rnd:sat }
{ v15 = vmem(r6+#0); r19:18 = memd(r10++#8); v19.h = vshuffe(v15.h,v19.h) }
{ v15 = vand(v15,v8); v16 = vand(v15,v9); v17 = vand(v15,v10); v18 = vand(v15,v11) }
{ v19 = vmem(r6+#1); r21:20 = memd(r10++#8); r13 = add(r7,r4); v7:6.w += vmpy(v19.h,v20.h) }
{ v15.w = vrmpy(v15.ub,r16.b); v16.w = vrmpy(v16.ub,r16.b); v20 = vand(v19,v10); v21.h = vasl(v14.h,r3) }
{ v17.w = vrmpy(v17.ub,r17.b); v18.w = vrmpy(v18.ub,r17.b); v22 = vand(v19,v9); v23 = vand(v19,v11) }
{ v14 = vand(v19,v8); v19 = vand(v21,v12); v21 = vmem(r6+#2); v24.h = vasl(v14.h,r1) }
{ v17.w += vrmpy(v20.ub,r19.b); v18.w += vrmpy(v23.ub,r19.b); v20 = vand(v21,v10); v23 = vand(v21,v11) }
{ v15.w += vrmpy(v14.ub,r18.b); v16.w += vrmpy(v22.ub,r18.b); v14 = vand(v21,v8); v21 = vand(v21,v9) }
{ v16.w += vasr(v18.w,r2); v18.h = vmpy(v13.h,v19.h):<<1:rnd:sat; v19 = vmem(r6+#3); r23:22 = memd(r10++#8) }
{ v15.w += vasr(v17.w,r2); v14.w = vrmpy(v14.ub,r20.b); v17.w = vrmpy(v21.ub,r20.b); v21 = vand(v19,v10) }
{ v16.w = vasr(v16.w,r0); v22.h = vmpy(v18.h,r14.h):<<1:rnd:sat; v18 = vand(v19,v9); r6 = add(r6,#640) }
{ v19.w = vrmpy(v20.ub,r21.b); v20.w = vrmpy(v23.ub,r21.b); v23 = vand(v19,v8); v25 = vand(v19,v11) }
{ v15.h = vshuffe(v16.h,v15.h); v24 = vand(v24,v12); v16 = vmem(r13+#0); v26.w += vasr(v7.w,r5) }
{ v14.w += vrmpy(v23.ub,r22.b); v17.w += vrmpy(v18.ub,r22.b); v18 = vmem(r7+#4); vmem(r12+#7) = v26 }
{ v1:0.w = vmpy(v15.h,v22.h); v15 = vmem(r7+#0); v27.w += vasr(v6.w,r5) }
{ v19.w += vrmpy(v21.ub,r23.b); v20.w += vrmpy(v25.ub,r23.b); v21 = vand(v15,v8); v22 = vand(v15,v9) }
{ r25:24 = memd(r11++#8); v13 = vand(v15,v10); v23.h = vmpy(v13.h,v24.h):<<1:rnd:sat; v24 = vmem(r7+#1) }
{ v14.w += vasr(v19.w,r2); v21 = vand(v15,v11); v15.w = vrmpy(v21.ub,r16.b); v19.w = vrmpy(v22.ub,r16.b) }
{ v17.w += vasr(v20.w,r2); v22.h = vmpy(v23.h,r24.h):<<1:rnd:sat; v20 = vand(v24,v11) }
{ v13.w = vrmpy(v13.ub,r17.b); v21.w = vrmpy(v21.ub,r17.b); v23 = vand(v24,v8); v25 = vand(v24,v9) }
{ v17.w = vasr(v17.w,r0); v24 = vand(v24,v10); v26 = vmem(r7+#2); vmem(r12+#6) = v27 }
{ v15.w += vrmpy(v23.ub,r18.b); v19.w += vrmpy(v25.ub,r18.b); v23 = vand(v26,v8); v25 = vand(v26,v9) }
{ v14.h = vshuffe(v17.h,v14.h); v13.w += vrmpy(v24.ub,r19.b); v21.w += vrmpy(v20.ub,r19.b); v17 = vand(v26,v10) }
{ v25.h = vasl(v18.h,r3); v24 = vand(v26,v11); v20.w = vrmpy(v23.ub,r20.b); v23.w = vrmpy(v25.ub,r20.b) }
{ v1:0.w += vmpy(v14.h,v22.h); v15.w += vasr(v13.w,r2); v13 = vand(v25,v12); r13 = add(r8,r4) }
{ v19.w += vasr(v21.w,r2); v14.w = vrmpy(v17.ub,r21.b); v17.w = vrmpy(v24.ub,r21.b); v21 = vmem(r7+#3) }
{ v24.h = vmpy(v16.h,v13.h):<<1:rnd:sat; v13 = vand(v21,v9); v22 = vand(v21,v10); r7 = add(r7,#640) }
{ v19.w = vasr(v19.w,r0); v21 = vand(v21,v8); v25 = vand(v21,v11); v26 = vmem(r13+#0) }
{ v18.h = vmpy(v24.h,r14.h):<<1:rnd:sat; v24.h = vasl(v18.h,r1); v27 = vmem(r8+#4) }
{ v15.h = vshuffe(v19.h,v15.h); v14.w += vrmpy(v22.ub,r23.b); v17.w += vrmpy(v25.ub,r23.b); v19 = vand(v24,v12) }
{ v20.w += vrmpy(v21.ub,r22.b); v23.w += vrmpy(v13.ub,r22.b); v13 = vmem(r8+#0); v21.h = vasl(v27.h,r3) }
{ v3:2.w = vmpy(v15.h,v18.h); v20.w += vasr(v14.w,r2); v14 = vand(v13,v8) }
{ v23.w += vasr(v17.w,r2); v15 = vand(v13,v9); v16.h = vmpy(v16.h,v19.h):<<1:rnd:sat }
{ v13 = vand(v13,v10); v17 = vand(v13,v11); v19 = vmem(r8+#1); v18 = vand(v21,v12) }
{ v21.w = vasr(v23.w,r0); v14.w = vrmpy(v14.ub,r16.b); v15.w = vrmpy(v15.ub,r16.b); v22 = vand(v19,v8) }
{ v13.w = vrmpy(v13.ub,r17.b); v17.w = vrmpy(v17.ub,r17.b); v23 = vand(v19,v9); v24 = vmem(r8+#2) }
{ v16.h = vshuffe(v21.h,v20.h); v21.h = vmpy(v16.h,r24.h):<<1:rnd:sat; v20 = vand(v19,v11) }
{ v19 = vand(v19,v10); v14.w += vrmpy(v22.ub,r18.b); v15.w += vrmpy(v23.ub,r18.b); v22 = vand(v24,v10) }
{ v3:2.w += vmpy(v16.h,v21.h); v16 = vand(v24,v9); v21 = vmem(r8+#3); r13 = add(r9,r4) }
{ v13.w += vrmpy(v19.ub,r19.b); v17.w += vrmpy(v20.ub,r19.b); v19 = vand(v21,v10); v20 = vand(v21,v11) }
{ v18 = vand(v24,v8); v23 = vand(v24,v11); v24.h = vmpy(v26.h,v18.h):<<1:rnd:sat; r8 = add(r8,#640) }
{ v15.w += vasr(v17.w,r2); v17 = vand(v21,v8); v21 = vand(v21,v9); v25 = vmem(r13+#0) }
{ v14.w += vasr(v13.w,r2); v13.w = vrmpy(v18.ub,r20.b); v16.w = vrmpy(v16.ub,r20.b); v18 = vmem(r9+#4) }
{ v23.w = vasr(v15.w,r0); v15.w = vrmpy(v22.ub,r21.b); v22.w = vrmpy(v23.ub,r21.b); v28 = vmem(r9+#0) }
{ v27.h = vmpy(v24.h,r14.h):<<1:rnd:sat; v29.h = vasl(v27.h,r1); v24 = vand(v28,v9) }
{ v14.h = vshuffe(v23.h,v14.h); v13.w += vrmpy(v17.ub,r22.b); v16.w += vrmpy(v21.ub,r22.b); v17 = vand(v29,v12) }
{ v15.w += vrmpy(v19.ub,r23.b); v22.w += vrmpy(v20.ub,r23.b); v19 = vand(v28,v10); v20 = vand(v28,v11) }
{ v5:4.w = vmpy(v14.h,v27.h); v14 = vand(v28,v8); v21 = vmem(r9+#1) }
{ v16.w += vasr(v22.w,r2); v19.w = vrmpy(v19.ub,r17.b); v20.w = vrmpy(v20.ub,r17.b); v22 = vand(v21,v8) }
{ v13.w += vasr(v15.w,r2); v17.h = vmpy(v26.h,v17.h):<<1:rnd:sat; v15 = vand(v21,v11) }
{ v23.w = vasr(v16.w,r0); v14.w = vrmpy(v14.ub,r16.b); v16.w = vrmpy(v24.ub,r16.b); v24 = vand(v21,v9) }
{ v21.h = vmpy(v17.h,r24.h):<<1:rnd:sat; v17 = vand(v21,v10); v26 = vmem(r9+#2); r13 = add(r6,r4) }
{ v13.h = vshuffe(v23.h,v13.h); v14.w += vrmpy(v22.ub,r18.b); v16.w += vrmpy(v24.ub,r18.b); v22 = vand(v26,v10) }
{ v19.w += vrmpy(v17.ub,r19.b); v20.w += vrmpy(v15.ub,r19.b); v15 = vand(v26,v8); v17 = vand(v26,v9) }
{ v5:4.w += vmpy(v13.h,v21.h); v21.h = vasl(v18.h,r3); v13 = vmem(r9+#3); r17:16 = memd(r10++#8) }
{ v14.w += vasr(v19.w,r2); v23 = vand(v21,v12); v19 = vand(v13,v8); v21 = vand(v13,v11) }
{ v16.w += vasr(v20.w,r2); v20 = vand(v26,v11); v15.w = vrmpy(v15.ub,r20.b); v17.w = vrmpy(v17.ub,r20.b) }
{ v23.h = vmpy(v25.h,v23.h):<<1:rnd:sat; v18 = vand(v13,v9); v24.h = vasl(v18.h,r1); r9 = add(r9,#640) }
{ v20.w = vasr(v16.w,r0); v13.w = vrmpy(v22.ub,r21.b); v16.w = vrmpy(v20.ub,r21.b); v22 = vand(v13,v10) }
{ v24.h = vmpy(v23.h,r14.h):<<1:rnd:sat; v26 = vand(v24,v12); v23 = vmem(r13+#-5); r15:14 = memd(r10++#8) }
{ v14.h = vshuffe(v20.h,v14.h); v15.w += vrmpy(v19.ub,r22.b); v17.w += vrmpy(v18.ub,r22.b); v18 = vmem(r6+#4) }
{ v13.w += vrmpy(v22.ub,r23.b); v16.w += vrmpy(v21.ub,r23.b); v19 = vmem(r6+#0); r19:18 = memd(r11++#8) }
{ v7:6.w = vmpy(v14.h,v24.h); p0 = cmp.eq(r4,##-4096); v14 = vand(v19,v8) }
{ v15.w += vasr(v13.w,r2); r13 = mux(p0,##256,#0); v13 = vand(v19,v9) }
{ v17.w += vasr(v16.w,r2); v16 = vand(v19,v10); v19 = vand(v19,v11); v20 = vmem(r6+#1) }
{ v13.w = vrmpy(v14.ub,r16.b); v14.w = vrmpy(v13.ub,r16.b); v21 = vand(v20,v8); v22 = vand(v20,v11) }
{ v19.w = vasr(v17.w,r0); v16.w = vrmpy(v16.ub,r17.b); v17.w = vrmpy(v19.ub,r17.b); v24 = vand(v20,v10) }
{ v25.h = vmpy(v25.h,v26.h):<<1:rnd:sat; v20 = vand(v20,v9); v26 = vmem(r6+#2); r21:20 = memd(r10++#8) }
{ v15.h = vshuffe(v19.h,v15.h); v16.w += vrmpy(v24.ub,r15.b); v17.w += vrmpy(v22.ub,r15.b); v19 = vand(v26,v10) }
{ v24.h = vmpy(v25.h,r24.h):<<1:rnd:sat; v25.h = vasl(v18.h,r3); v22 = vand(v26,v8); r23:22 = memd(r10++#8) }
{ v13.w += vrmpy(v21.ub,r14.b); v14.w += vrmpy(v20.ub,r14.b); v21 = vand(v25,v12); v20 = vand(v26,v11) }
{ v7:6.w += vmpy(v15.h,v24.h); v13.w += vasr(v16.w,r2); v15 = vand(v26,v9); r24 = add(r7,r4) }
{ v14.w += vasr(v17.w,r2); v16.w = vrmpy(v19.ub,r21.b); v17.w = vrmpy(v20.ub,r21.b); v19 = vmem(r6+#3) }
{ v19 = vand(v19,v8); v20 = vand(v19,v9); v24 = vand(v19,v10); v25 = vand(v19,v11) }
{ v22.w = vasr(v14.w,r0); v14.w = vrmpy(v22.ub,r20.b); v15.w = vrmpy(v15.ub,r20.b); v26 = vmem(r7+#4) }
{ v21.h = vmpy(v23.h,v21.h):<<1:rnd:sat; v27.h = vasl(v18.h,r1); r6 = add(r6,#640); v18 = vmem(r24+#-5) }
{ v13.h = vshuffe(v22.h,v13.h); v16.w += vrmpy(v24.ub,r23.b); v17.w += vrmpy(v25.ub,r23.b); v22 = vand(v27,v12) }
{ v21.h = vmpy(v21.h,r18.h):<<1:rnd:sat; r6 = add(r6,r13); v24 = vmem(r7+#0); v25.h = vasl(v26.h,r3) }
{ v14.w += vrmpy(v19.ub,r22.b); v15.w += vrmpy(v20.ub,r22.b); v19 = vand(v24,v8); v20 = vand(v24,v11) }
{ v1:0.w += vmpy(v13.h,v21.h); v14.w += vasr(v16.w,r2); v13 = vand(v24,v9) }
{ v15.w += vasr(v17.w,r2); r25:24 = memd(r11++#8); v16.h = vmpy(v23.h,v22.h):<<1:rnd:sat; v17 = vmem(r12+#0) }
{ v21 = vand(v24,v10); v13.w = vrmpy(v19.ub,r16.b); v19.w = vrmpy(v13.ub,r16.b); v22 = vmem(r12+#1) }
{ v15.w = vasr(v15.w,r0); v16.h = vmpy(v16.h,r24.h):<<1:rnd:sat; v23 = vmem(r7+#1) }
{ v20.w = vrmpy(v21.ub,r17.b); v21.w = vrmpy(v20.ub,r17.b); v24 = vand(v23,v8); v27 = vand(v23,v10) }
{ v14.h = vshuffe(v15.h,v14.h); v15 = vand(v23,v9); v23 = vand(v23,v11); v28 = vmem(r7+#2) }
{ v31 = vand(v25,v12); v25 = vand(v28,v8); v29 = vand(v28,v9); v30 = vand(v28,v11) }
{ v1:0.w += vmpy(v14.h,v16.h); v14 = vand(v28,v10); v16 = vmem(r7+#3); r26 = add(r8,r4) }
{ v13.w += vrmpy(v24.ub,r14.b); v19.w += vrmpy(v15.ub,r14.b); v15 = vand(v16,v8); v24 = vand(v16,v10) }
{ v17.w += vasr(v0.w,r5); v20.w += vrmpy(v27.ub,r15.b); v21.w += vrmpy(v23.ub,r15.b); v23 = vand(v16,v9) }
{ vmem(r12+#0) = v17; v22.w += vasr(v1.w,r5); v17.h = vmpy(v18.h,v31.h):<<1:rnd:sat; r7 = add(r7,#640) }
{ vmem(r12+#1) = v22; v13.w += vasr(v20.w,r2); v14.w = vrmpy(v14.ub,r21.b); v20.w = vrmpy(v30.ub,r21.b) }
{ v19.w += vasr(v21.w,r2); v17.h = vmpy(v17.h,r18.h):<<1:rnd:sat; v16 = vand(v16,v11); r7 = add(r7,r13) }
{ v21.w = vrmpy(v25.ub,r20.b); v22.w = vrmpy(v29.ub,r20.b); v26.h = vasl(v26.h,r1); v25 = vmem(r26+#-5) }
{ v15.w = vasr(v19.w,r0); v21.w += vrmpy(v15.ub,r22.b); v22.w += vrmpy(v23.ub,r22.b); v19 = vand(v26,v12) }
{ v14.w += vrmpy(v24.ub,r23.b); v20.w += vrmpy(v16.ub,r23.b); v16 = vmem(r8+#4) }
{ v13.h = vshuffe(v15.h,v13.h); v18 = vmem(r8+#0); v15.h = vmpy(v18.h,v19.h):<<1:rnd:sat }
{ v22.w += vasr(v20.w,r2); v19 = vand(v18,v8); v20 = vand(v18,v9); v23 = vand(v18,v10) }
{ v3:2.w += vmpy(v13.h,v17.h); v21.w += vasr(v14.w,r2); v13 = vand(v18,v11) }
{ v18.w = vasr(v22.w,r0); v14.w = vrmpy(v19.ub,r16.b); v17.w = vrmpy(v20.ub,r16.b); v19 = vmem(r8+#1) }
{ v13.w = vrmpy(v23.ub,r17.b); v20.w = vrmpy(v13.ub,r17.b); v23 = vmem(r12+#2); v22 = vand(v19,v9) }
{ v15.h = vshuffe(v18.h,v21.h); v18.h = vmpy(v15.h,r24.h):<<1:rnd:sat; v21 = vmem(r12+#3); r26 = add(r9,r4) }
{ v19 = vand(v19,v8); v24 = vand(v19,v10); v26 = vand(v19,v11); v27.h = vasl(v16.h,r3) }
{ v3:2.w += vmpy(v15.h,v18.h); v15 = vand(v27,v12); v18 = vmem(r8+#2); r4 = add(r4,#-1280) }
{ v14.w += vrmpy(v19.ub,r14.b); v17.w += vrmpy(v22.ub,r14.b); v19 = vand(v18,v8); v22 = vand(v18,v11) }
{ v23.w += vasr(v2.w,r5); v13.w += vrmpy(v24.ub,r15.b); v20.w += vrmpy(v26.ub,r15.b); v24 = vand(v18,v10) }
{ vmem(r12+#2) = v23; v21.w += vasr(v3.w,r5); v15.h = vmpy(v25.h,v15.h):<<1:rnd:sat }
{ vmem(r12+#3) = v21; v17.w += vasr(v20.w,r2); v18 = vand(v18,v9); v20 = vmem(r8+#3) }
{ v14.w += vasr(v13.w,r2); v15.h = vmpy(v15.h,r18.h):<<1:rnd:sat; v13 = vand(v20,v8); r8 = add(r8,#640) }
{ v19.w = vasr(v17.w,r0); v17.w = vrmpy(v19.ub,r20.b); v18.w = vrmpy(v18.ub,r20.b); v21 = vand(v20,v10) }
{ v20.w = vrmpy(v24.ub,r21.b); v22.w = vrmpy(v22.ub,r21.b); v23 = vand(v20,v9); v24 = vand(v20,v11) }
{ v14.h = vshuffe(v19.h,v14.h); v19.h = vasl(v16.h,r1); r8 = add(r8,r13); v16 = vmem(r26+#-5) }
{ v20.w += vrmpy(v21.ub,r23.b); v22.w += vrmpy(v24.ub,r23.b); v19 = vand(v19,v12); v21 = vmem(r9+#4) }
{ v5:4.w += vmpy(v14.h,v15.h); r4 = mux(p0,##-256,r4); v14 = vmem(r9+#0) }
{ v17.w += vrmpy(v13.ub,r22.b); v18.w += vrmpy(v23.ub,r22.b); v13 = vand(v14,v9); v15 = vand(v14,v11) }
{ v17.w += vasr(v20.w,r2); v14 = vand(v14,v8); v20 = vand(v14,v10); v23 = vmem(r12+#5) }
{ v18.w += vasr(v22.w,r2); v19.h = vmpy(v25.h,v19.h):<<1:rnd:sat; v22 = vmem(r12+#4) }
{ v13.w = vrmpy(v14.ub,r16.b); v14.w = vrmpy(v13.ub,r16.b); v24 = vmem(r9+#1); v25.h = vasl(v21.h,r3) }
{ v20.w = vasr(v18.w,r0); v15.w = vrmpy(v20.ub,r17.b); v18.w = vrmpy(v15.ub,r17.b); v26 = vand(v24,v9) }
{ v27.h = vmpy(v19.h,r24.h):<<1:rnd:sat; v19 = vand(v24,v8); v28 = vmem(r9+#2) }
{ v17.h = vshuffe(v20.h,v17.h); v20 = vand(v24,v10); v24 = vand(v24,v11); v29 = vand(v28,v10) }
{ v13.w += vrmpy(v19.ub,r14.b); v14.w += vrmpy(v26.ub,r14.b); v25 = vand(v25,v12); v19 = vand(v28,v8) }
{ v5:4.w += vmpy(v17.h,v27.h); v17 = vand(v28,v11); v26 = vmem(r9+#3) }
{ v15.w += vrmpy(v20.ub,r15.b); v18.w += vrmpy(v24.ub,r15.b); v20 = vand(v28,v9); v24 = vand(v26,v10) }
{ v22.w += vasr(v4.w,r5); v27 = vand(v26,v8); v28 = vand(v26,v11); r9 = add(r9,#640) }
{ vmem(r12+#4) = v22; v23.w += vasr(v5.w,r5); v19.w = vrmpy(v19.ub,r20.b); v20.w = vrmpy(v20.ub,r20.b) }
{ vmem(r12+#5) = v23; v13.w += vasr(v15.w,r2); v15.w = vrmpy(v29.ub,r21.b); v17.w = vrmpy(v17.ub,r21.b) }
{ v14.w += vasr(v18.w,r2); v18 = vand(v26,v9); v15.w += vrmpy(v24.ub,r23.b); v17.w += vrmpy(v28.ub,r23.b) }
{ v21.h = vmpy(v16.h,v25.h):<<1:rnd:sat; v22.h = vasl(v21.h,r1); r9 = add(r9,r13); v26 = vmem(r12+#7) }
{ v14.w = vasr(v14.w,r0); v19.w += vrmpy(v27.ub,r22.b); v20.w += vrmpy(v18.ub,r22.b); v18 = vand(v22,v12) }
{ v15.h = vmpy(v21.h,r18.h):<<1:rnd:sat; v19.w += vasr(v15.w,r2); v27 = vmem(r12+#6) }
{ v13.h = vshuffe(v14.h,v13.h); v20.w += vasr(v17.w,r2); v14.h = vmpy(v16.h,v18.h):<<1:rnd:sat }:endloop0
{ v7:6.w += vmpy(v13.h,v15.h); v15.w = vasr(v20.w,r0) }
{ v20.h = vmpy(v14.h,r24.h):<<1:rnd:sat }
{ v19.h = vshuffe(v15.h,v19.h) }
{ v7:6.w += vmpy(v19.h,v20.h) }
{ v26.w += vasr(v7.w,r5) }
{ vmem(r12+#7) = v26 }
{ v27.w += vasr(v6.w,r5) }
{ vmem(r12+#6) = v27 }
{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16); r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32); r27:26 = memd(r29+#40) }
{ r30 = add(r29,#56) }
{ dealloc_return }
.size hvx_sum_q2_k_tiles, .-hvx_sum_q2_k_tiles

// 37 packets (36 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q2_k_tile
.hidden hvx_sum_q2_k_tile
.type hvx_sum_q2_k_tile,@function
hvx_sum_q2_k_tile:
{ allocframe(#56); r28 = r0 }
{ r30 = memw(r28+#48); memd(r29+#0) = r17:16; r16 = ##50529027 }
{ memd(r29+#8) = r19:18; memd(r29+#16) = r21:20; v8 = vsplat(r16) }
{ memd(r29+#24) = r23:22; memd(r29+#32) = r25:24; r17 = ##202116108 }
{ memd(r29+#40) = r27:26; r30 = add(r30,#-1); v9 = vsplat(r17); r6 = memw(r28+#0) }
{ loop0(.Lhvx_sum_q2_k_tile,r30); r18 = ##808464432 }
{ v10 = vsplat(r18); r19 = ##3233857728; r7 = memw(r28+#16) }
{ v11 = vsplat(r19); r20 = ##2013296640; r8 = memw(r28+#32) }
{ v12 = vsplat(r20); r0 = ##2; r5 = memw(r28+#52) }
{ r1 = ##3; r2 = ##4 }
{ r3 = ##11; r4 = ##-256 }
{ r9 = memw(r28+#56) }
{ r10 = add(r6,r4) }
{ v13 = vmem(r10+#0) }
{ v14 = vmem(r6+#4); r11:10 = memd(r7++#8) }
{ v15 = vmem(r6+#0); r13:12 = memd(r7++#8) }
{ v16 = vand(v15,v8); v17 = vand(v15,v9); r15:14 = memd(r8++#8); r17:16 = memd(r7++#8) }
{ v15 = vand(v15,v10); v18 = vand(v15,v11); r19:18 = memd(r8++#8) }
{ v16.w = vrmpy(v16.ub,r10.b); v17.w = vrmpy(v17.ub,r10.b); v19 = vmem(r6+#1); v20.h = vasl(v14.h,r3) }
{ v15.w = vrmpy(v15.ub,r11.b); v18.w = vrmpy(v18.ub,r11.b); v21 = vand(v19,v8); v22 = vand(v19,v10) }
{ v19 = vand(v19,v9); v23 = vand(v19,v11) }
{ v20 = vand(v20,v12); v24 = vmem(r6+#2) }
{ v15.w += vrmpy(v22.ub,r13.b); v18.w += vrmpy(v23.ub,r13.b); v22 = vand(v24,v10); v23 = vand(v24,v11) }
{ v16.w += vrmpy(v21.ub,r12.b); v17.w += vrmpy(v19.ub,r12.b); v19 = vand(v24,v8); v21 = vand(v24,v9) }
{ v17.w += vasr(v18.w,r2); v18.h = vmpy(v13.h,v20.h):<<1:rnd:sat; v20 = vmem(r6+#3); r11:10 = memd(r7++#8) }
{ v16.w += vasr(v15.w,r2); v15.w = vrmpy(v22.ub,r17.b); v22.w = vrmpy(v23.ub,r17.b); v23 = vand(v20,v9) }
{ v21.w = vasr(v17.w,r0); v17.w = vrmpy(v19.ub,r16.b); v19.w = vrmpy(v21.ub,r16.b); v24 = vand(v20,v11) }
{ v25.h = vmpy(v18.h,r14.h):<<1:rnd:sat; v18 = vand(v20,v8); v20 = vand(v20,v10); r6 = add(r6,#640) }
{ v14.h = vshuffe(v21.h,v16.h); v16.h = vasl(v14.h,r1); p0 = cmp.eq(r4,##-4096) }
{ v17.w += vrmpy(v18.ub,r10.b); v19.w += vrmpy(v23.ub,r10.b); v16 = vand(v16,v12); r12 = add(r6,r4) }
{ v1:0.w = vmpy(v14.h,v25.h); v14 = vmem(r12+#-5); r13:12 = memd(r7++#8) }
{ v15.w += vrmpy(v20.ub,r11.b); v22.w += vrmpy(v24.ub,r11.b); r4 = add(r4,#-1280); v18 = vmem(r6+#4) }
{ r4 = mux(p0,##-256,r4); v16 = vmem(r6+#0); v13.h = vmpy(v13.h,v16.h):<<1:rnd:sat }
{ v17.w += vasr(v15.w,r2); r10 = mux(p0,##256,#0); v15 = vmem(r6+#1) }
{ v19.w += vasr(v22.w,r2); v13 = vand(v16,v10); v20.h = vmpy(v13.h,r18.h):<<1:rnd:sat; r15:14 = memd(r7++#8) }
{ v16 = vand(v16,v8); v21 = vand(v16,v9); v22 = vand(v16,v11); r17:16 = memd(r8++#8) }
{ v19.w = vasr(v19.w,r0); v23 = vand(v15,v8); v24 = vand(v15,v10); v25 = vand(v15,v11) }
{ v13.w = vrmpy(v13.ub,r13.b); v22.w = vrmpy(v22.ub,r13.b); v27.h = vasl(v18.h,r3); v26 = vmem(r6+#2) }
{ v19.h = vshuffe(v19.h,v17.h); v16.w = vrmpy(v16.ub,r12.b); v17.w = vrmpy(v21.ub,r12.b); v21 = vand(v27,v12) }
{ v15 = vand(v15,v9); v13.w += vrmpy(v24.ub,r15.b); v22.w += vrmpy(v25.ub,r15.b); v24 = vand(v26,v8) }
{ v1:0.w += vmpy(v19.h,v20.h); v19 = vand(v26,v9); v20 = vand(v26,v10); r13:12 = memd(r7++#8) }
{ v16.w += vrmpy(v23.ub,r14.b); v17.w += vrmpy(v15.ub,r14.b); v15 = vand(v26,v11); v23 = vmem(r6+#3) }
{ v16.w += vasr(v13.w,r2); v13.h = vmpy(v14.h,v21.h):<<1:rnd:sat; r15:14 = memd(r7++#8); r6 = add(r6,#640) }
{ v17.w += vasr(v22.w,r2); v19.w = vrmpy(v24.ub,r12.b); v21.w = vrmpy(v19.ub,r12.b); v22 = vand(v23,v10) }
{ v15.w = vrmpy(v20.ub,r13.b); v20.w = vrmpy(v15.ub,r13.b); v24 = vand(v23,v9); v25 = vand(v23,v11) }
{ v13.w = vasr(v17.w,r0); v23.h = vmpy(v13.h,r16.h):<<1:rnd:sat; v17 = vand(v23,v8); r6 = add(r6,r10) }
{ v15.w += vrmpy(v22.ub,r15.b); v20.w += vrmpy(v25.ub,r15.b); r13:12 = memd(r8++#8); v18.h = vasl(v18.h,r1) }
{ v13.h = vshuffe(v13.h,v16.h); v19.w += vrmpy(v17.ub,r14.b); v21.w += vrmpy(v24.ub,r14.b); v16 = vand(v18,v12) }
{ v21.w += vasr(v20.w,r2); v24 = vmem(r9+#0) }
.Lhvx_sum_q2_k_tile:
{ r10 = add(r6,r4); v1:0.w += vmpy(v13.h,v23.h); v19.w += vasr(v15.w,r2) }
{ v13 = vmem(r10+#0); v15.w = vasr(v21.w,r0); v16.h = vmpy(v14.h,v16.h):<<1:rnd:sat }
{ v14 = vmem(r6+#4); r11:10 = memd(r7++#8) }
{ v15 = vmem(r6+#0); r13:12 = memd(r7++#8); v18.h = vshuffe(v15.h,v19.h); v19.h = vmpy(v16.h,r12.h):<<1:rnd:sat }
{ v16 = vand(v15,v8); v17 = vand(v15,v9); r15:14 = memd(r8++#8); r17:16 = memd(r7++#8) }
{ v15 = vand(v15,v10); v18 = vand(v15,v11); r19:18 = memd(r8++#8); v1:0.w += vmpy(v18.h,v19.h) }
{ v16.w = vrmpy(v16.ub,r10.b); v17.w = vrmpy(v17.ub,r10.b); v19 = vmem(r6+#1); v20.h = vasl(v14.h,r3) }
{ v15.w = vrmpy(v15.ub,r11.b); v18.w = vrmpy(v18.ub,r11.b); v21 = vand(v19,v8); v22 = vand(v19,v10) }
{ v19 = vand(v19,v9); v23 = vand(v19,v11); v24.w += vasr(v0.w,r5); v28 = vmem(r9+#1) }
{ v20 = vand(v20,v12); v24 = vmem(r6+#2); vmem(r9+#0) = v24; v28.w += vasr(v1.w,r5) }
{ v15.w += vrmpy(v22.ub,r13.b); v18.w += vrmpy(v23.ub,r13.b); v22 = vand(v24,v10); v23 = vand(v24,v11) }
{ v16.w += vrmpy(v21.ub,r12.b); v17.w += vrmpy(v19.ub,r12.b); v19 = vand(v24,v8); v21 = vand(v24,v9) }
{ v17.w += vasr(v18.w,r2); v18.h = vmpy(v13.h,v20.h):<<1:rnd:sat; v20 = vmem(r6+#3); r11:10 = memd(r7++#8) }
{ v16.w += vasr(v15.w,r2); v15.w = vrmpy(v22.ub,r17.b); v22.w = vrmpy(v23.ub,r17.b); v23 = vand(v20,v9) }
{ v21.w = vasr(v17.w,r0); v17.w = vrmpy(v19.ub,r16.b); v19.w = vrmpy(v21.ub,r16.b); v24 = vand(v20,v11) }
{ v25.h = vmpy(v18.h,r14.h):<<1:rnd:sat; v18 = vand(v20,v8); v20 = vand(v20,v10); r6 = add(r6,#640) }
{ v14.h = vshuffe(v21.h,v16.h); v16.h = vasl(v14.h,r1); p0 = cmp.eq(r4,##-4096) }
{ v17.w += vrmpy(v18.ub,r10.b); v19.w += vrmpy(v23.ub,r10.b); v16 = vand(v16,v12); r12 = add(r6,r4) }
{ v1:0.w = vmpy(v14.h,v25.h); v14 = vmem(r12+#-5); r13:12 = memd(r7++#8) }
{ v15.w += vrmpy(v20.ub,r11.b); v22.w += vrmpy(v24.ub,r11.b); r4 = add(r4,#-1280); v18 = vmem(r6+#4) }
{ r4 = mux(p0,##-256,r4); v16 = vmem(r6+#0); v13.h = vmpy(v13.h,v16.h):<<1:rnd:sat }
{ v17.w += vasr(v15.w,r2); r10 = mux(p0,##256,#0); v15 = vmem(r6+#1) }
{ v19.w += vasr(v22.w,r2); v13 = vand(v16,v10); v20.h = vmpy(v13.h,r18.h):<<1:rnd:sat; r15:14 = memd(r7++#8) }
{ v16 = vand(v16,v8); v21 = vand(v16,v9); v22 = vand(v16,v11); r17:16 = memd(r8++#8) }
{ v19.w = vasr(v19.w,r0); v23 = vand(v15,v8); v24 = vand(v15,v10); v25 = vand(v15,v11) }
{ v13.w = vrmpy(v13.ub,r13.b); v22.w = vrmpy(v22.ub,r13.b); v27.h = vasl(v18.h,r3); v26 = vmem(r6+#2) }
{ v19.h = vshuffe(v19.h,v17.h); v16.w = vrmpy(v16.ub,r12.b); v17.w = vrmpy(v21.ub,r12.b); v21 = vand(v27,v12) }
{ v15 = vand(v15,v9); v13.w += vrmpy(v24.ub,r15.b); v22.w += vrmpy(v25.ub,r15.b); v24 = vand(v26,v8) }
{ v1:0.w += vmpy(v19.h,v20.h); v19 = vand(v26,v9); v20 = vand(v26,v10); r13:12 = memd(r7++#8) }
{ v16.w += vrmpy(v23.ub,r14.b); v17.w += vrmpy(v15.ub,r14.b); v15 = vand(v26,v11); v23 = vmem(r6+#3) }
{ v16.w += vasr(v13.w,r2); v13.h = vmpy(v14.h,v21.h):<<1:rnd:sat; r15:14 = memd(r7++#8); r6 = add(r6,#640) }
{ v17.w += vasr(v22.w,r2); v19.w = vrmpy(v24.ub,r12.b); v21.w = vrmpy(v19.ub,r12.b); v22 = vand(v23,v10) }
{ v15.w = vrmpy(v20.ub,r13.b); v20.w = vrmpy(v15.ub,r13.b); v24 = vand(v23,v9); v25 = vand(v23,v11) }
{ v13.w = vasr(v17.w,r0); v23.h = vmpy(v13.h,r16.h):<<1:rnd:sat; v17 = vand(v23,v8); r6 = add(r6,r10) }
{ v15.w += vrmpy(v22.ub,r15.b); v20.w += vrmpy(v25.ub,r15.b); r13:12 = memd(r8++#8); v18.h = vasl(v18.h,r1) }
{ v13.h = vshuffe(v13.h,v16.h); v19.w += vrmpy(v17.ub,r14.b); v21.w += vrmpy(v24.ub,r14.b); v16 = vand(v18,v12) }
{ v21.w += vasr(v20.w,r2); v24 = vmem(r9+#0); vmem(r9+#1) = v28 }:endloop0
{ v1:0.w += vmpy(v13.h,v23.h); v19.w += vasr(v15.w,r2) }
{ v15.w = vasr(v21.w,r0); v16.h = vmpy(v14.h,v16.h):<<1:rnd:sat }
{ v18.h = vshuffe(v15.h,v19.h); v19.h = vmpy(v16.h,r12.h):<<1:rnd:sat }
{ v1:0.w += vmpy(v18.h,v19.h) }
{ v24.w += vasr(v0.w,r5); v28 = vmem(r9+#1) }
{ vmem(r9+#0) = v24; v28.w += vasr(v1.w,r5) }
{ vmem(r9+#1) = v28 }
{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16); r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32); r27:26 = memd(r29+#40) }
{ r30 = add(r29,#56) }
{ dealloc_return }
.size hvx_sum_q2_k_tile, .-hvx_sum_q2_k_tile

// 152 packets (145 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q3_k_tiles
.hidden hvx_sum_q3_k_tiles
.type hvx_sum_q3_k_tiles,@function
hvx_sum_q3_k_tiles:
{ allocframe(#56); r28 = r0 }
{ r30 = memw(r28+#48); memd(r29+#0) = r17:16; r16 = ##117901063 }
{ memd(r29+#8) = r19:18; memd(r29+#16) = r21:20; v8 = vsplat(r16) }
{ memd(r29+#24) = r23:22; memd(r29+#32) = r25:24; r17 = ##943208504 }
{ memd(r29+#40) = r27:26; r30 = add(r30,#-1); v9 = vsplat(r17); r8 = memw(r28+#0) }
{ loop0(.Lhvx_sum_q3_k_tiles,r30); r18 = ##1077952576 }
{ v10 = vsplat(r18); r19 = ##4227922944; r9 = memw(r28+#4) }
{ v11 = vsplat(r19); r0 = ##2; r10 = memw(r28+#8) }
{ r1 = ##3; r2 = ##4 }
{ r3 = ##6; r4 = ##7 }
{ r5 = ##10; r6 = ##-128 }
{ r11 = memw(r28+#12); r12 = memw(r28+#16) }
{ r13 = memw(r28+#32); r7 = memw(r28+#52) }
{ r14 = memw(r28+#56) }
{ r15 = add(r8,r6); r19:18 = memd(r12++#8); r17:16 = memd(r13++#8) }
{ v12 = vmem(r8+#6); r21:20 = memd(r12++#8) }
{ v13 = vmem(r8+#0); r23:22 = memd(r12++#8) }
{ v14 = vmem(r15+#0); v16 = vand(v13,v8); v15 = vand(v13,v9); v17 = vsplat(r17) }
{ v13.ub = vlsr(v13.ub,r3); v18 = vmem(r8+#1); r25:24 = memd(r12++#8) }
{ v16.w = vrmpy(v16.ub,r18.b); v15.w = vrmpy(v15.ub,r18.b); v20 = vand(v18,v8); v19 = vand(v18,v9) }
{ v18.ub = vlsr(v18.ub,r3); v21 = vmem(r8+#2); r27:26 = memd(r13++#8); r15 = add(r9,r6) }
{ v23 = vand(v21,v8); v22 = vand(v21,v9); v24 = vand(v21,v10); v25 = vmem(r8+#3) }
{ v16.w += vrmpy(v20.ub,r19.b); v15.w += vrmpy(v19.ub,r19.b); v20.ub = vlsr(v21.ub,r4); v19 = vand(v25,v8) }
{ v16.w += vrmpy(v23.ub,r20.b); v15.w += vrmpy(v22.ub,r20.b); v13.h += vasr(v24.h,r2); v21 = vand(v25,v9) }
{ v18.h += vasl(v20.h,r0); v20 = vmem(r8+#4); v22 = vsplat(r27) }
{ v25.ub = vlsr(v25.ub,r3); v24 = vand(v20,v8); v23 = vand(v20,v9); v26 = vmem(r8+#5) }
{ v16.w += vrmpy(v13.ub,r21.b); v13.w = vrmpy(v18.ub,r21.b); v27.h = vasl(v12.h,r5); v18 = vand(v26,v10) }
{ v13.w += vasr(v15.w,r1); v19.w = vrmpy(v19.ub,r22.b); v15.w = vrmpy(v21.ub,r22.b); v21 = vand(v26,v8) }
{ v23.ub = vlsr(v20.ub,r3); v19.w += vrmpy(v24.ub,r23.b); v15.w += vrmpy(v23.ub,r23.b); v20 = vand(v26,v9) }
{ v13.h = vshuffe(v13.h,v16.h); v16.h = vmpy(v14.h,v27.h):<<1:rnd:sat; v24.ub = vlsr(v26.ub,r4); r8 = add(r8,#896) }
{ v13.h = vsub(v13.h,v17.h); v19.w += vrmpy(v21.ub,r24.b); v15.w += vrmpy(v20.ub,r24.b); v25.h += vasr(v18.h,r2) }
{ v18.h = vmpy(v16.h,r16.h):<<1:rnd:sat; v23.h += vasl(v24.h,r0); v16 = vmem(r15+#0) }
{ v12.h = vasl(v12.h,r0); v20 = vmem(r9+#6) }
{ v1:0.w = vmpy(v13.h,v18.h); v12 = vand(v12,v11); v13 = vmem(r9+#0) }
{ v19.w += vrmpy(v25.ub,r25.b); v18.w = vrmpy(v23.ub,r25.b); v23 = vand(v13,v8); v21 = vand(v13,v9) }
{ v18.w += vasr(v15.w,r1); v14 = vmem(r9+#1); v12.h = vmpy(v14.h,v12.h):<<1:rnd:sat }
{ v23.ub = vlsr(v13.ub,r3); v15.w = vrmpy(v23.ub,r18.b); v13.w = vrmpy(v21.ub,r18.b); v21 = vand(v14,v8) }
{ v14.h = vshuffe(v18.h,v19.h); v18 = vand(v14,v9); v19.ub = vlsr(v14.ub,r3); v24 = vmem(r9+#2) }
{ v12.h = vsub(v14.h,v22.h); v14.h = vmpy(v12.h,r26.h):<<1:rnd:sat; v25 = vand(v24,v10) }
{ v15.w += vrmpy(v21.ub,r19.b); v13.w += vrmpy(v18.ub,r19.b); v18 = vand(v24,v8); v21.ub = vlsr(v24.ub,r4) }
{ v1:0.w += vmpy(v12.h,v14.h); v12 = vand(v24,v9); v14.h = vasl(v20.h,r5) }
{ v19.h += vasl(v21.h,r0); v21 = vmem(r9+#3) }
{ v15.w += vrmpy(v18.ub,r20.b); v13.w += vrmpy(v12.ub,r20.b); v23.h += vasr(v25.h,r2); v12 = vand(v21,v9) }
{ v14 = vand(v21,v8); v24 = vmem(r9+#4); v18.h = vmpy(v16.h,v14.h):<<1:rnd:sat }
{ v15.w += vrmpy(v23.ub,r21.b); v19.w = vrmpy(v19.ub,r21.b); v23.ub = vlsr(v21.ub,r3); v21 = vand(v24,v9) }
{ v19.w += vasr(v13.w,r1); v13.w = vrmpy(v14.ub,r22.b); v12.w = vrmpy(v12.ub,r22.b); v14 = vand(v24,v8) }
{ v24.ub = vlsr(v24.ub,r3); v18.h = vmpy(v18.h,r16.h):<<1:rnd:sat; v25 = vmem(r9+#5) }
{ v14.h = vshuffe(v19.h,v15.h); v13.w += vrmpy(v14.ub,r23.b); v12.w += vrmpy(v21.ub,r23.b); r15 = add(r10,r6) }
{ v14.h = vsub(v14.h,v17.h); v15 = vand(v25,v9); v19 = vand(v25,v10); v21.ub = vlsr(v25.ub,r4) }
{ v25 = vand(v25,v8); v26.h = vasl(v20.h,r0); r9 = add(r9,#896); v20 = vmem(r15+#0) }
{ v3:2.w = vmpy(v14.h,v18.h); v23.h += vasr(v19.h,r2); v14 = vand(v26,v11) }
{ v13.w += vrmpy(v25.ub,r24.b); v12.w += vrmpy(v15.ub,r24.b); v24.h += vasl(v21.h,r0); v15 = vmem(r10+#6) }
{ v16 = vmem(r10+#0); v14.h = vmpy(v16.h,v14.h):<<1:rnd:sat }
{ v13.w += vrmpy(v23.ub,r25.b); v18.w = vrmpy(v24.ub,r25.b); v21 = vand(v16,v8); v19 = vand(v16,v9) }
{ v18.w += vasr(v12.w,r1); v14 = vmem(r10+#1); v12.h = vmpy(v14.h,r26.h):<<1:rnd:sat }
{ v23.ub = vlsr(v16.ub,r3); v19.w = vrmpy(v21.ub,r18.b); v16.w = vrmpy(v19.ub,r18.b); v21 = vand(v14,v9) }
{ v13.h = vshuffe(v18.h,v13.h); v14 = vand(v14,v8); v18.ub = vlsr(v14.ub,r3); v24 = vmem(r10+#2) }
{ v13.h = vsub(v13.h,v22.h); v26 = vand(v24,v8); v25 = vand(v24,v9); v27 = vand(v24,v10) }
{ v19.w += vrmpy(v14.ub,r19.b); v16.w += vrmpy(v21.ub,r19.b); v14.ub = vlsr(v24.ub,r4); v21 = vmem(r10+#3) }
{ v19.w += vrmpy(v26.ub,r20.b); v16.w += vrmpy(v25.ub,r20.b); v25.h = vasl(v15.h,r5); v24 = vand(v21,v9) }
{ v3:2.w += vmpy(v13.h,v12.h); v18.h += vasl(v14.h,r0); v12 = vmem(r10+#4) }
{ v14 = vand(v21,v8); v26.ub = vlsr(v21.ub,r3); v21 = vand(v12,v8); v13 = vand(v12,v9) }
{ v23.h += vasr(v27.h,r2); v25.h = vmpy(v20.h,v25.h):<<1:rnd:sat; v27 = vmem(r10+#5); r15 = add(r11,r6) }
{ v14.w = vrmpy(v14.ub,r22.b); v12.w = vrmpy(v24.ub,r22.b); v28.ub = vlsr(v12.ub,r3); v24 = vand(v27,v9) }
{ v19.w += vrmpy(v23.ub,r21.b); v18.w = vrmpy(v18.ub,r21.b); v23 = vand(v27,v10); v29.ub = vlsr(v27.ub,r4) }
{ v18.w += vasr(v16.w,r1); v16.h = vmpy(v25.h,r16.h):<<1:rnd:sat; v25 = vand(v27,v8); r10 = add(r10,#896) }
{ v14.w += vrmpy(v21.ub,r23.b); v12.w += vrmpy(v13.ub,r23.b); v26.h += vasr(v23.h,r2); v13 = vmem(r11+#6) }
{ v18.h = vshuffe(v18.h,v19.h); v14.w += vrmpy(v25.ub,r24.b); v12.w += vrmpy(v24.ub,r24.b); v28.h += vasl(v29.h,r0) }
{ v15.h = vsub(v18.h,v17.h); v19.h = vasl(v15.h,r0); v18 = vmem(r15+#0) }
{ v14.w += vrmpy(v26.ub,r25.b); v19.w = vrmpy(v28.ub,r25.b); v21 = vand(v19,v11); v23 = vmem(r11+#0) }
{ v5:4.w = vmpy(v15.h,v16.h); v19.w += vasr(v12.w,r1); v12 = vmem(r11+#1) }
{ v16 = vand(v23,v8); v15 = vand(v23,v9); v24.ub = vlsr(v23.ub,r3); v23 = vand(v12,v8) }
{ v14.h = vshuffe(v19.h,v14.h); v19 = vand(v12,v9); v20.h = vmpy(v20.h,v21.h):<<1:rnd:sat }
{ v16.h = vsub(v14.h,v22.h); v15.w = vrmpy(v16.ub,r18.b); v14.w = vrmpy(v15.ub,r18.b); v21 = vmem(r11+#2) }
{ v19.ub = vlsr(v12.ub,r3); v15.w += vrmpy(v23.ub,r19.b); v14.w += vrmpy(v19.ub,r19.b); v12 = vand(v21,v9) }
{ v20.h = vmpy(v20.h,r26.h):<<1:rnd:sat; v23 = vand(v21,v8); v25 = vand(v21,v10) }
{ v27.h = vasl(v13.h,r5); v26 = vmem(r11+#3); p0 = cmp.eq(r6,##-5504) }
{ v5:4.w += vmpy(v16.h,v20.h); v24.h += vasr(v25.h,r2); v16 = vand(v26,v9); r15 = add(r8,r6) }
{ v20.ub = vlsr(v21.ub,r4); v15.w += vrmpy(v23.ub,r20.b); v14.w += vrmpy(v12.ub,r20.b); v12 = vand(v26,v8) }
{ v23.ub = vlsr(v26.ub,r3); v25 = vmem(r11+#4); v21.h = vmpy(v18.h,v27.h):<<1:rnd:sat; r19:18 = memd(r12++#8) }
{ v19.h += vasl(v20.h,r0); v16.w = vrmpy(v12.ub,r22.b); v12.w = vrmpy(v16.ub,r22.b); v20 = vand(v25,v8) }
{ v25 = vand(v25,v9); v26.ub = vlsr(v25.ub,r3); v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; r17:16 = memd(r12++#8) }
{ v15.w += vrmpy(v24.ub,r21.b); v13.w = vrmpy(v19.ub,r21.b); v19 = vmem(r11+#5); v24.h = vasl(v13.h,r0) }
{ v13.w += vasr(v14.w,r1); v16.w += vrmpy(v20.ub,r23.b); v12.w += vrmpy(v25.ub,r23.b); v14 = vand(v19,v9) }
{ v19 = vand(v19,v8); v20 = vand(v19,v10); v25.ub = vlsr(v19.ub,r4); r11 = add(r11,#896) }
{ v13.h = vshuffe(v13.h,v15.h); v15 = vand(v24,v11); r20 = mux(p0,##128,#0) }
{ v13.h = vsub(v13.h,v17.h); v16.w += vrmpy(v19.ub,r24.b); v12.w += vrmpy(v14.ub,r24.b); v23.h += vasr(v20.h,r2) }
{ v26.h += vasl(v25.h,r0); v14 = vmem(r15+#-7); v15.h = vmpy(v18.h,v15.h):<<1:rnd:sat; r23:22 = memd(r13++#8) }
{ v7:6.w = vmpy(v13.h,v21.h); v13 = vmem(r8+#6); r31:30 = memd(r12++#8) }
{ v16.w += vrmpy(v23.ub,r25.b); v17.w = vrmpy(v26.ub,r25.b); v18 = vmem(r8+#0); r25:24 = memd(r12++#8) }
{ v17.w += vasr(v12.w,r1); v19 = vand(v18,v8); v12 = vand(v18,v9); v20 = vmem(r8+#1) }
{ v23.ub = vlsr(v18.ub,r3); v21 = vand(v20,v8); v18 = vand(v20,v9); v24 = vmem(r8+#2) }
{ v17.h = vshuffe(v17.h,v16.h); v16.w = vrmpy(v19.ub,r18.b); v12.w = vrmpy(v12.ub,r18.b); v19.ub = vlsr(v20.ub,r3) }
{ v17.h = vsub(v17.h,v22.h); v16.w += vrmpy(v21.ub,r19.b); v12.w += vrmpy(v18.ub,r19.b); v18.ub = vlsr(v24.ub,r4) }
{ v15.h = vmpy(v15.h,r26.h):<<1:rnd:sat; v20 = vand(v24,v9); v21 = vand(v24,v10); r15 = add(r9,r6) }
{ v18 = vand(v24,v8); v19.h += vasl(v18.h,r0); v24 = vsplat(r23); v22 = vmem(r8+#3) }
{ v7:6.w += vmpy(v17.h,v15.h); v23.h += vasr(v21.h,r2); v15 = vand(v22,v8); r27:26 = memd(r13++#8) }
{ v16.w += vrmpy(v18.ub,r16.b); v12.w += vrmpy(v20.ub,r16.b); v18.h = vasl(v13.h,r5); v17 = vand(v22,v9) }
{ v16.w += vrmpy(v23.ub,r17.b); v19.w = vrmpy(v19.ub,r17.b); v20.ub = vlsr(v22.ub,r3); v21 = vmem(r8+#4) }
{ v19.w += vasr(v12.w,r1); v22 = vand(v21,v8); v12 = vand(v21,v9); v23 = vmem(r8+#5) }
{ v17.w = vrmpy(v15.ub,r30.b); v15.w = vrmpy(v17.ub,r30.b); v25.ub = vlsr(v21.ub,r3); v21 = vand(v23,v9) }
{ v16.h = vshuffe(v19.h,v16.h); v19.h = vmpy(v14.h,v18.h):<<1:rnd:sat; v18 = vand(v23,v8); r8 = add(r8,#896) }
{ v12.h = vsub(v16.h,v24.h); v17.w += vrmpy(v22.ub,r31.b); v15.w += vrmpy(v12.ub,r31.b); v16 = vand(v23,v10) }
{ v22.h = vmpy(v19.h,r22.h):<<1:rnd:sat; v23.ub = vlsr(v23.ub,r4); r8 = add(r8,r20); v19 = vmem(r15+#-7) }
{ v17.w += vrmpy(v18.ub,r24.b); v15.w += vrmpy(v21.ub,r24.b); v20.h += vasr(v16.h,r2); v16 = vmem(r9+#6) }
{ v1:0.w += vmpy(v12.h,v22.h); v25.h += vasl(v23.h,r0); v12 = vmem(r9+#0) }
{ v26 = vsplat(r27); v21.h = vasl(v13.h,r0); v13 = vand(v12,v9); v18 = vmem(r9+#1) }
{ v17.w += vrmpy(v20.ub,r25.b); v20.w = vrmpy(v25.ub,r25.b); v22 = vand(v21,v11); v21 = vand(v12,v8) }
{ v20.w += vasr(v15.w,r1); v23 = vand(v18,v8); v15 = vand(v18,v9); v25 = vmem(r14+#0) }
{ v22.ub = vlsr(v12.ub,r3); v12.h = vmpy(v14.h,v22.h):<<1:rnd:sat; v14 = vmem(r14+#1) }
{ v18.h = vshuffe(v20.h,v17.h); v17.w = vrmpy(v21.ub,r18.b); v13.w = vrmpy(v13.ub,r18.b); v20.ub = vlsr(v18.ub,r3) }
{ v15.h = vsub(v18.h,v26.h); v17.w += vrmpy(v23.ub,r19.b); v13.w += vrmpy(v15.ub,r19.b); v18 = vmem(r9+#2) }
{ v12.h = vmpy(v12.h,r26.h):<<1:rnd:sat; v23 = vand(v18,v8); v21 = vand(v18,v9) }
{ v18 = vand(v18,v10); v27.ub = vlsr(v18.ub,r4); v28 = vmem(r9+#3) }
{ v1:0.w += vmpy(v15.h,v12.h); v15.h = vasl(v16.h,r5); v12 = vand(v28,v9) }
{ v17.w += vrmpy(v23.ub,r16.b); v13.w += vrmpy(v21.ub,r16.b); v22.h += vasr(v18.h,r2); v18 = vand(v28,v8) }
{ v25.w += vasr(v0.w,r7); v21 = vmem(r9+#4); v15.h = vmpy(v19.h,v15.h):<<1:rnd:sat; r15 = add(r10,r6) }
{ vmem(r14+#0) = v25; v14.w += vasr(v1.w,r7); v18.w = vrmpy(v18.ub,r30.b); v12.w = vrmpy(v12.ub,r30.b) }
{ vmem(r14+#1) = v14; v20.h += vasl(v27.h,r0); v14 = vand(v21,v9); v23 = vmem(r9+#5) }
{ v29.ub = vlsr(v28.ub,r3); v25 = vand(v21,v8); v27 = vand(v23,v8); v28 = vand(v23,v10) }
{ v17.w += vrmpy(v22.ub,r17.b); v20.w = vrmpy(v20.ub,r17.b); v22.ub = vlsr(v21.ub,r3); v21 = vand(v23,v9) }
{ v20.w += vasr(v13.w,r1); v18.w += vrmpy(v25.ub,r31.b); v12.w += vrmpy(v14.ub,r31.b); r9 = add(r9,#896) }
{ v13.h = vmpy(v15.h,r22.h):<<1:rnd:sat; v14.ub = vlsr(v23.ub,r4); r9 = add(r9,r20); v15 = vmem(r10+#6) }
{ v17.h = vshuffe(v20.h,v17.h); v18.w += vrmpy(v27.ub,r24.b); v12.w += vrmpy(v21.ub,r24.b); v29.h += vasr(v28.h,r2) }
{ v14.h = vsub(v17.h,v24.h); v22.h += vasl(v14.h,r0); v17 = vmem(r15+#-7) }
{ v20.h = vasl(v16.h,r0); v16 = vmem(r14+#2) }
{ v3:2.w += vmpy(v14.h,v13.h); v13 = vand(v20,v11); v14 = vmem(r10+#0) }
{ v18.w += vrmpy(v29.ub,r25.b); v20.w = vrmpy(v22.ub,r25.b); v22 = vand(v14,v8); v21 = vand(v14,v9) }
{ v20.w += vasr(v12.w,r1); v13 = vmem(r10+#1); v12.h = vmpy(v19.h,v13.h):<<1:rnd:sat }
{ v22.ub = vlsr(v14.ub,r3); v19.w = vrmpy(v22.ub,r18.b); v14.w = vrmpy(v21.ub,r18.b); v21 = vand(v13,v8) }
{ v13.h = vshuffe(v20.h,v18.h); v18 = vand(v13,v9); v23.ub = vlsr(v13.ub,r3); v20 = vmem(r14+#3) }
{ v12.h = vsub(v13.h,v26.h); v13.h = vmpy(v12.h,r26.h):<<1:rnd:sat; v25 = vmem(r10+#2) }
{ v19.w += vrmpy(v21.ub,r19.b); v14.w += vrmpy(v18.ub,r19.b); v21 = vand(v25,v8); v18 = vand(v25,v9) }
{ v3:2.w += vmpy(v12.h,v13.h); v12 = vand(v25,v10); v13.ub = vlsr(v25.ub,r4); r15 = add(r11,r6) }
{ v19.w += vrmpy(v21.ub,r16.b); v14.w += vrmpy(v18.ub,r16.b); v21.h = vasl(v15.h,r5); v18 = vmem(r10+#3) }
{ v20.w += vasr(v3.w,r7); v27 = vand(v18,v8); v25 = vand(v18,v9); v28 = vmem(r10+#4) }
{ v16.w += vasr(v2.w,r7); vmem(r14+#3) = v20; v20.h = vmpy(v17.h,v21.h):<<1:rnd:sat; r6 = add(r6,#-1792) }
{ vmem(r14+#2) = v16; v23.h += vasl(v13.h,r0); v16.w = vrmpy(v27.ub,r30.b); v13.w = vrmpy(v25.ub,r30.b) }
{ v22.h += vasr(v12.h,r2); v21 = vand(v28,v8); v12 = vand(v28,v9); v25 = vmem(r10+#5) }
{ v27.ub = vlsr(v18.ub,r3); v18.h = vmpy(v20.h,r22.h):<<1:rnd:sat; v20 = vand(v25,v8); r10 = add(r10,#896) }
{ v19.w += vrmpy(v22.ub,r17.b); v22.w = vrmpy(v23.ub,r17.b); v28.ub = vlsr(v28.ub,r3); v23 = vand(v25,v10) }
{ v22.w += vasr(v14.w,r1); v16.w += vrmpy(v21.ub,r31.b); v13.w += vrmpy(v12.ub,r31.b); v12 = vand(v25,v9) }
{ v14.ub = vlsr(v25.ub,r4); r10 = add(r10,r20); v21 = vmem(r11+#6) }
{ v12.h = vshuffe(v22.h,v19.h); v16.w += vrmpy(v20.ub,r24.b); v13.w += vrmpy(v12.ub,r24.b); v27.h += vasr(v23.h,r2) }
{ v12.h = vsub(v12.h,v24.h); v28.h += vasl(v14.h,r0); v14 = vmem(r11+#0) }
{ v22.h = vasl(v15.h,r0); v15 = vmem(r15+#-7); v20 = vand(v14,v8); v19 = vand(v14,v9) }
{ v5:4.w += vmpy(v12.h,v18.h); v12 = vand(v22,v11); r6 = mux(p0,##-128,r6) }
{ v16.w += vrmpy(v27.ub,r25.b); v14.w = vrmpy(v28.ub,r25.b); v18.ub = vlsr(v14.ub,r3); v22 = vmem(r11+#1) }
{ v14.w += vasr(v13.w,r1); v23 = vand(v22,v8); v13 = vand(v22,v9) }
{ v20.w = vrmpy(v20.ub,r18.b); v19.w = vrmpy(v19.ub,r18.b); v22.ub = vlsr(v22.ub,r3); v25 = vmem(r11+#2) }
{ v13.h = vshuffe(v14.h,v16.h); v20.w += vrmpy(v23.ub,r19.b); v19.w += vrmpy(v13.ub,r19.b); v14 = vand(v25,v9) }
{ v12.h = vsub(v13.h,v26.h); v13.h = vmpy(v17.h,v12.h):<<1:rnd:sat; v16 = vmem(r14+#4) }
{ v27 = vmem(r14+#5); v17 = vand(v25,v8); v23 = vand(v25,v10); v25.ub = vlsr(v25.ub,r4) }
{ v13.h = vmpy(v13.h,r26.h):<<1:rnd:sat; v29.h = vasl(v21.h,r5); v28 = vmem(r11+#3) }
{ v20.w += vrmpy(v17.ub,r16.b); v19.w += vrmpy(v14.ub,r16.b); v22.h += vasl(v25.h,r0); v14 = vmem(r11+#4) }
{ v5:4.w += vmpy(v12.h,v13.h); v18.h += vasr(v23.h,r2); v12 = vand(v28,v8) }
{ v13 = vand(v28,v9); v25.ub = vlsr(v28.ub,r3); v23 = vand(v14,v8); v17 = vand(v14,v9) }
{ v16.w += vasr(v4.w,r7); v20.w += vrmpy(v18.ub,r17.b); v18.w = vrmpy(v22.ub,r17.b); v22 = vmem(r11+#5) }
{ vmem(r14+#4) = v16; v27.w += vasr(v5.w,r7); v28.w = vrmpy(v12.ub,r30.b); v13.w = vrmpy(v13.ub,r30.b) }
{ vmem(r14+#5) = v27; v18.w += vasr(v19.w,r1); v28.w += vrmpy(v23.ub,r31.b); v13.w += vrmpy(v17.ub,r31.b) }
{ v16.ub = vlsr(v14.ub,r3); v14.h = vmpy(v15.h,v29.h):<<1:rnd:sat; v12 = vand(v22,v8) }
{ v17.h = vshuffe(v18.h,v20.h); v18 = vand(v22,v9); v19 = vand(v22,v10); v20.ub = vlsr(v22.ub,r4) }
{ v14.h = vsub(v17.h,v24.h); v17.h = vmpy(v14.h,r22.h):<<1:rnd:sat; v21.h = vasl(v21.h,r0) }
{ v28.w += vrmpy(v12.ub,r24.b); v13.w += vrmpy(v18.ub,r24.b); v25.h += vasr(v19.h,r2); v12 = vand(v21,v11) }
{ v7:6.w += vmpy(v14.h,v17.h); v16.h += vasl(v20.h,r0); v30 = vmem(r14+#6) }
{ r11 = add(r11,#896); v14.h = vmpy(v15.h,v12.h):<<1:rnd:sat; v31 = vmem(r14+#7) }
.Lhvx_sum_q3_k_tiles:
{ r15 = add(r8,r6); r19:18 = memd(r12++#8); r17:16 = memd(r13++#8); r11 = add(r11,r20) }
{ v12 = vmem(r8+#6); r21:20 = memd(r12++#8); v28.w += vrmpy(v25.ub,r25.b); v18.w = vrmpy(v16.ub,r25.b) }
{ v13 = vmem(r8+#0); r23:22 = memd(r12++#8); v18.w += vasr(v13.w,r1); v29.h = vmpy(v14.h,r26.h):<<1:rnd:sat }
{ v14 = vmem(r15+#0); v16 = vand(v13,v8); v15 = vand(v13,v9); v17 = vsplat(r17) }
{ v13.ub = vlsr(v13.ub,r3); v18 = vmem(r8+#1); r25:24 = memd(r12++#8); v27.h = vshuffe(v18.h,v28.h) }
{ v16.w = vrmpy(v16.ub,r18.b); v15.w = vrmpy(v15.ub,r18.b); v20 = vand(v18,v8); v19 = vand(v18,v9) }
{ v18.ub = vlsr(v18.ub,r3); v21 = vmem(r8+#2); r27:26 = memd(r13++#8); r15 = add(r9,r6) }
{ v23 = vand(v21,v8); v22 = vand(v21,v9); v24 = vand(v21,v10); v25 = vmem(r8+#3) }
{ v16.w += vrmpy(v20.ub,r19.b); v15.w += vrmpy(v19.ub,r19.b); v20.ub = vlsr(v21.ub,r4); v19 = vand(v25,v8) }
{ v16.w += vrmpy(v23.ub,r20.b); v15.w += vrmpy(v22.ub,r20.b); v13.h += vasr(v24.h,r2); v21 = vand(v25,v9) }
{ v18.h += vasl(v20.h,r0); v20 = vmem(r8+#4); v22 = vsplat(r27); v28.h = vsub(v27.h,v26.h) }
{ v25.ub = vlsr(v25.ub,r3); v24 = vand(v20,v8); v23 = vand(v20,v9); v26 = vmem(r8+#5) }
{ v16.w += vrmpy(v13.ub,r21.b); v13.w = vrmpy(v18.ub,r21.b); v27.h = vasl(v12.h,r5); v18 = vand(v26,v10) }
{ v13.w += vasr(v15.w,r1); v19.w = vrmpy(v19.ub,r22.b); v15.w = vrmpy(v21.ub,r22.b); v21 = vand(v26,v8) }
{ v23.ub = vlsr(v20.ub,r3); v19.w += vrmpy(v24.ub,r23.b); v15.w += vrmpy(v23.ub,r23.b); v20 = vand(v26,v9) }
{ v13.h = vshuffe(v13.h,v16.h); v16.h = vmpy(v14.h,v27.h):<<1:rnd:sat; v24.ub = vlsr(v26.ub,r4); r8 = add(r8,#896) }
{ v13.h = vsub(v13.h,v17.h); v19.w += vrmpy(v21.ub,r24.b); v15.w += vrmpy(v20.ub,r24.b); v25.h += vasr(v18.h,r2) }
{ v18.h = vmpy(v16.h,r16.h):<<1:rnd:sat; v23.h += vasl(v24.h,r0); v16 = vmem(r15+#0) }
{ v12.h = vasl(v12.h,r0); v20 = vmem(r9+#6); v7:6.w += vmpy(v28.h,v29.h) }
{ v1:0.w = vmpy(v13.h,v18.h); v12 = vand(v12,v11); v13 = vmem(r9+#0) }
{ v19.w += vrmpy(v25.ub,r25.b); v18.w = vrmpy(v23.ub,r25.b); v23 = vand(v13,v8); v21 = vand(v13,v9) }
{ v18.w += vasr(v15.w,r1); v14 = vmem(r9+#1); v12.h = vmpy(v14.h,v12.h):<<1:rnd:sat }
{ v23.ub = vlsr(v13.ub,r3); v15.w = vrmpy(v23.ub,r18.b); v13.w = vrmpy(v21.ub,r18.b); v21 = vand(v14,v8) }
{ v14.h = vshuffe(v18.h,v19.h); v18 = vand(v14,v9); v19.ub = vlsr(v14.ub,r3); v24 = vmem(r9+#2) }
{ v12.h = vsub(v14.h,v22.h); v14.h = vmpy(v12.h,r26.h):<<1:rnd:sat; v25 = vand(v24,v10) }
{ v15.w += vrmpy(v21.ub,r19.b); v13.w += vrmpy(v18.ub,r19.b); v18 = vand(v24,v8); v21.ub = vlsr(v24.ub,r4) }
{ v1:0.w += vmpy(v12.h,v14.h); v12 = vand(v24,v9); v14.h = vasl(v20.h,r5) }
{ v19.h += vasl(v21.h,r0); v21 = vmem(r9+#3) }
{ v15.w += vrmpy(v18.ub,r20.b); v13.w += vrmpy(v12.ub,r20.b); v23.h += vasr(v25.h,r2); v12 = vand(v21,v9) }
{ v14 = vand(v21,v8); v24 = vmem(r9+#4); v18.h = vmpy(v16.h,v14.h):<<1:rnd:sat }
{ v15.w += vrmpy(v23.ub,r21.b); v19.w = vrmpy(v19.ub,r21.b); v23.ub = vlsr(v21.ub,r3); v21 = vand(v24,v9) }
{ v19.w += vasr(v13.w,r1); v13.w = vrmpy(v14.ub,r22.b); v12.w = vrmpy(v12.ub,r22.b); v14 = vand(v24,v8) }
{ v24.ub = vlsr(v24.ub,r3); v18.h = vmpy(v18.h,r16.h):<<1:rnd:sat; v25 = vmem(r9+#5) }
{ v14.h = vshuffe(v19.h,v15.h); v13.w += vrmpy(v14.ub,r23.b); v12.w += vrmpy(v21.ub,r23.b); r15 = add(r10,r6) }
{ v14.h = vsub(v14.h,v17.h); v15 = vand(v25,v9); v19 = vand(v25,v10); v21.ub = vlsr(v25.ub,r4) }
{ v25 = vand(v25,v8); v26.h = vasl(v20.h,r0); r9 = add(r9,#896); v20 = vmem(r15+#0) }
{ v3:2.w = vmpy(v14.h,v18.h); v23.h += vasr(v19.h,r2); v14 = vand(v26,v11) }
{ v13.w += vrmpy(v25.ub,r24.b); v12.w += vrmpy(v15.ub,r24.b); v24.h += vasl(v21.h,r0); v15 = vmem(r10+#6) }
{ v16 = vmem(r10+#0); v14.h = vmpy(v16.h,v14.h):<<1:rnd:sat; v31.w += vasr(v7.w,r7) }
{ v13.w += vrmpy(v23.ub,r25.b); v18.w = vrmpy(v24.ub,r25.b); v21 = vand(v16,v8); v19 = vand(v16,v9) }
{ v18.w += vasr(v12.w,r1); v14 = vmem(r10+#1); v12.h = vmpy(v14.h,r26.h):<<1:rnd:sat }
{ v23.ub = vlsr(v16.ub,r3); v19.w = vrmpy(v21.ub,r18.b); v16.w = vrmpy(v19.ub,r18.b); v21 = vand(v14,v9) }
{ v13.h = vshuffe(v18.h,v13.h); v14 = vand(v14,v8); v18.ub = vlsr(v14.ub,r3); v24 = vmem(r10+#2) }
{ v13.h = vsub(v13.h,v22.h); v26 = vand(v24,v8); v25 = vand(v24,v9); v27 = vand(v24,v10) }
{ v19.w += vrmpy(v14.ub,r19.b); v16.w += vrmpy(v21.ub,r19.b); v14.ub = vlsr(v24.ub,r4); v21 = vmem(r10+#3) }
{ v19.w += vrmpy(v26.ub,r20.b); v16.w += vrmpy(v25.ub,r20.b); v25.h = vasl(v15.h,r5); v24 = vand(v21,v9) }
{ v3:2.w += vmpy(v13.h,v12.h); v18.h += vasl(v14.h,r0); v12 = vmem(r10+#4) }
{ v14 = vand(v21,v8); v26.ub = vlsr(v21.ub,r3); v21 = vand(v12,v8); v13 = vand(v12,v9) }
{ v23.h += vasr(v27.h,r2); v25.h = vmpy(v20.h,v25.h):<<1:rnd:sat; v27 = vmem(r10+#5); r15 = add(r11,r6) }
{ v14.w = vrmpy(v14.ub,r22.b); v12.w = vrmpy(v24.ub,r22.b); v28.ub = vlsr(v12.ub,r3); v24 = vand(v27,v9) }
{ v19.w += vrmpy(v23.ub,r21.b); v18.w = vrmpy(v18.ub,r21.b); v23 = vand(v27,v10); v29.ub = vlsr(v27.ub,r4) }
{ v18.w += vasr(v16.w,r1); v16.h = vmpy(v25.h,r16.h):<<1:rnd:sat; v25 = vand(v27,v8); r10 = add(r10,#896) }
{ v14.w += vrmpy(v21.ub,r23.b); v12.w += vrmpy(v13.ub,r23.b); v26.h += vasr(v23.h,r2); v13 = vmem(r11+#6) }
{ v18.h = vshuffe(v18.h,v19.h); v14.w += vrmpy(v25.ub,r24.b); v12.w += vrmpy(v24.ub,r24.b); v28.h += vasl(v29.h,r0) }
{ v15.h = vsub(v18.h,v17.h); v19.h = vasl(v15.h,r0); v18 = vmem(r15+#0); vmem(r14+#7) = v31 }
{ v14.w += vrmpy(v26.ub,r25.b); v19.w = vrmpy(v28.ub,r25.b); v21 = vand(v19,v11); v23 = vmem(r11+#0) }
{ v5:4.w = vmpy(v15.h,v16.h); v19.w += vasr(v12.w,r1); v12 = vmem(r11+#1) }
{ v16 = vand(v23,v8); v15 = vand(v23,v9); v24.ub = vlsr(v23.ub,r3); v23 = vand(v12,v8) }
{ v14.h = vshuffe(v19.h,v14.h); v19 = vand(v12,v9); v20.h = vmpy(v20.h,v21.h):<<1:rnd:sat }
{ v16.h = vsub(v14.h,v22.h); v15.w = vrmpy(v16.ub,r18.b); v14.w = vrmpy(v15.ub,r18.b); v21 = vmem(r11+#2) }
{ v19.ub = vlsr(v12.ub,r3); v15.w += vrmpy(v23.ub,r19.b); v14.w += vrmpy(v19.ub,r19.b); v12 = vand(v21,v9) }
{ v20.h = vmpy(v20.h,r26.h):<<1:rnd:sat; v23 = vand(v21,v8); v25 = vand(v21,v10) }
{ v27.h = vasl(v13.h,r5); v26 = vmem(r11+#3); p0 = cmp.eq(r6,##-5504) }
{ v5:4.w += vmpy(v16.h,v20.h); v24.h += vasr(v25.h,r2); v16 = vand(v26,v9); r15 = add(r8,r6) }
{ v20.ub = vlsr(v21.ub,r4); v15.w += vrmpy(v23.ub,r20.b); v14.w += vrmpy(v12.ub,r20.b); v12 = vand(v26,v8) }
{ v23.ub = vlsr(v26.ub,r3); v25 = vmem(r11+#4); v21.h = vmpy(v18.h,v27.h):<<1:rnd:sat; r19:18 = memd(r12++#8) }
{ v19.h += vasl(v20.h,r0); v16.w = vrmpy(v12.ub,r22.b); v12.w = vrmpy(v16.ub,r22.b); v20 = vand(v25,v8) }
{ v25 = vand(v25,v9); v26.ub = vlsr(v25.ub,r3); v21.h = vmpy(v21.h,r16.h):<<1:rnd:sat; r17:16 = memd(r12++#8) }
{ v15.w += vrmpy(v24.ub,r21.b); v13.w = vrmpy(v19.ub,r21.b); v19 = vmem(r11+#5); v24.h = vasl(v13.h,r0) }
{ v13.w += vasr(v14.w,r1); v16.w += vrmpy(v20.ub,r23.b); v12.w += vrmpy(v25.ub,r23.b); v14 = vand(v19,v9) }
{ v19 = vand(v19,v8); v20 = vand(v19,v10); v25.ub = vlsr(v19.ub,r4); r11 = add(r11,#896) }
{ v13.h = vshuffe(v13.h,v15.h); v15 = vand(v24,v11); r20 = mux(p0,##128,#0) }
{ v13.h = vsub(v13.h,v17.h); v16.w += vrmpy(v19.ub,r24.b); v12.w += vrmpy(v14.ub,r24.b); v23.h += vasr(v20.h,r2) }
{ v26.h += vasl(v25.h,r0); v14 = vmem(r15+#-7); v15.h = vmpy(v18.h,v15.h):<<1:rnd:sat; r23:22 = memd(r13++#8) }
{ v7:6.w = vmpy(v13.h,v21.h); v13 = vmem(r8+#6); r31:30 = memd(r12++#8); v30.w += vasr(v6.w,r7) }
{ v16.w += vrmpy(v23.ub,r25.b); v17.w = vrmpy(v26.ub,r25.b); v18 = vmem(r8+#0); r25:24 = memd(r12++#8) }
{ v17.w += vasr(v12.w,r1); v19 = vand(v18,v8); v12 = vand(v18,v9); v20 = vmem(r8+#1) }
{ v23.ub = vlsr(v18.ub,r3); v21 = vand(v20,v8); v18 = vand(v20,v9); v24 = vmem(r8+#2) }
{ v17.h = vshuffe(v17.h,v16.h); v16.w = vrmpy(v19.ub,r18.b); v12.w = vrmpy(v12.ub,r18.b); v19.ub = vlsr(v20.ub,r3) }
{ v17.h = vsub(v17.h,v22.h); v16.w += vrmpy(v21.ub,r19.b); v12.w += vrmpy(v18.ub,r19.b); v18.ub = vlsr(v24.ub,r4) }
{ v15.h = vmpy(v15.h,r26.h):<<1:rnd:sat; v20 = vand(v24,v9); v21 = vand(v24,v10); r15 = add(r9,r6) }
{ v18 = vand(v24,v8); v19.h += vasl(v18.h,r0); v24 = vsplat(r23); v22 = vmem(r8+#3) }
{ v7:6.w += vmpy(v17.h,v15.h); v23.h += vasr(v21.h,r2); v15 = vand(v22,v8); r27:26 = memd(r13++#8) }
{ v16.w += vrmpy(v18.ub,r16.b); v12.w += vrmpy(v20.ub,r16.b); v18.h = vasl(v13.h,r5); v17 = vand(v22,v9) }
{ v16.w += vrmpy(v23.ub,r17.b); v19.w = vrmpy(v19.ub,r17.b); v20.ub = vlsr(v22.ub,r3); v21 = vmem(r8+#4) }
{ v19.w += vasr(v12.w,r1); v22 = vand(v21,v8); v12 = vand(v21,v9); v23 = vmem(r8+#5) }
{ v17.w = vrmpy(v15.ub,r30.b); v15.w = vrmpy(v17.ub,r30.b); v25.ub = vlsr(v21.ub,r3); v21 = vand(v23,v9) }
{ v16.h = vshuffe(v19.h,v16.h); v19.h = vmpy(v14.h,v18.h):<<1:rnd:sat; v18 = vand(v23,v8); r8 = add(r8,#896) }
{ v12.h = vsub(v16.h,v24.h); v17.w += vrmpy(v22.ub,r31.b); v15.w += vrmpy(v12.ub,r31.b); v16 = vand(v23,v10) }
{ v22.h = vmpy(v19.h,r22.h):<<1:rnd:sat; v23.ub = vlsr(v23.ub,r4); r8 = add(r8,r20); v19 = vmem(r15+#-7) }
{ v17.w += vrmpy(v18.ub,r24.b); v15.w += vrmpy(v21.ub,r24.b); v20.h += vasr(v16.h,r2); v16 = vmem(r9+#6) }
{ v1:0.w += vmpy(v12.h,v22.h); v25.h += vasl(v23.h,r0); v12 = vmem(r9+#0) }
{ v26 = vsplat(r27); v21.h = vasl(v13.h,r0); v13 = vand(v12,v9); v18 = vmem(r9+#1) }
{ v17.w += vrmpy(v20.ub,r25.b); v20.w = vrmpy(v25.ub,r25.b); v22 = vand(v21,v11); v21 = vand(v12,v8) }
{ v20.w += vasr(v15.w,r1); v23 = vand(v18,v8); v15 = vand(v18,v9); v25 = vmem(r14+#0) }
{ v22.ub = vlsr(v12.ub,r3); v12.h = vmpy(v14.h,v22.h):<<1:rnd:sat; v14 = vmem(r14+#1) }
{ v18.h = vshuffe(v20.h,v17.h); v17.w = vrmpy(v21.ub,r18.b); v13.w = vrmpy(v13.ub,r18.b); v20.ub = vlsr(v18.ub,r3) }
{ v15.h = vsub(v18.h,v26.h); v17.w += vrmpy(v23.ub,r19.b); v13.w += vrmpy(v15.ub,r19.b); v18 = vmem(r9+#2) }
{ v12.h = vmpy(v12.h,r26.h):<<1:rnd:sat; v23 = vand(v18,v8); v21 = vand(v18,v9) }
{ v18 = vand(v18,v10); v27.ub = vlsr(v18.ub,r4); v28 = vmem(r9+#3); vmem(r14+#6) = v30 }
{ v1:0.w += vmpy(v15.h,v12.h); v15.h = vasl(v16.h,r5); v12 = vand(v28,v9) }
{ v17.w += vrmpy(v23.ub,r16.b); v13.w += vrmpy(v21.ub,r16.b); v22.h += vasr(v18.h,r2); v18 = vand(v28,v8) }
{ v25.w += vasr(v0.w,r7); v21 = vmem(r9+#4); v15.h = vmpy(v19.h,v15.h):<<1:rnd:sat; r15 = add(r10,r6) }
{ vmem(r14+#0) = v25; v14.w += vasr(v1.w,r7); v18.w = vrmpy(v18.ub,r30.b); v12.w = vrmpy(v12.ub,r30.b) }
{ vmem(r14+#1) = v14; v20.h += vasl(v27.h,r0); v14 = vand(v21,v9); v23 = vmem(r9+#5) }
{ v29.ub = vlsr(v28.ub,r3); v25 = vand(v21,v8); v27 = vand(v23,v8); v28 = vand(v23,v10) }
{ v17.w += vrmpy(v22.ub,r17.b); v20.w = vrmpy(v20.ub,r17.b); v22.ub = vlsr(v21.ub,r3); v21 = vand(v23,v9) }
{ v20.w += vasr(v13.w,r1); v18.w += vrmpy(v25.ub,r31.b); v12.w += vrmpy(v14.ub,r31.b); r9 = add(r9,#896) }
{ v13.h = vmpy(v15.h,r22.h):<<1:rnd:sat; v14.ub = vlsr(v23.ub,r4); r9 = add(r9,r20); v15 = vmem(r10+#6) }
{ v17.h = vshuffe(v20.h,v17.h); v18.w += vrmpy(v27.ub,r24.b); v12.w += vrmpy(v21.ub,r24.b); v29.h += vasr(v28.h,r2) }
{ v14.h = vsub(v17.h,v24.h); v22.h += vasl(v14.h,r0); v17 = vmem(r15+#-7) }
{ v20.h = vasl(v16.h,r0); v16 = vmem(r14+#2) }
{ v3:2.w += vmpy(v14.h,v13.h); v13 = vand(v20,v11); v14 = vmem(r10+#0) }
{ v18.w += vrmpy(v29.ub,r25.b); v20.w = vrmpy(v22.ub,r25.b); v22 = vand(v14,v8); v21 = vand(v14,v9) }
{ v20.w += vasr(v12.w,r1); v13 = vmem(r10+#1); v12.h = vmpy(v19.h,v13.h):<<1:rnd:sat }
{ v22.ub = vlsr(v14.ub,r3); v19.w = vrmpy(v22.ub,r18.b); v14.w = vrmpy(v21.ub,r18.b); v21 = vand(v13,v8) }
{ v13.h = vshuffe(v20.h,v18.h); v18 = vand(v13,v9); v23.ub = vlsr(v13.ub,r3); v20 = vmem(r14+#3) }
{ v12.h = vsub(v13.h,v26.h); v13.h = vmpy(v12.h,r26.h):<<1:rnd:sat; v25 = vmem(r10+#2) }
{ v19.w += vrmpy(v21.ub,r19.b); v14.w += vrmpy(v18.ub,r19.b); v21 = vand(v25,v8); v18 = vand(v25,v9) }
{ v3:2.w += vmpy(v12.h,v13.h); v12 = vand(v25,v10); v13.ub = vlsr(v25.ub,r4); r15 = add(r11,r6) }
{ v19.w += vrmpy(v21.ub,r16.b); v14.w += vrmpy(v18.ub,r16.b); v21.h = vasl(v15.h,r5); v18 = vmem(r10+#3) }
{ v20.w += vasr(v3.w,r7); v27 = vand(v18,v8); v25 = vand(v18,v9); v28 = vmem(r10+#4) }
{ v16.w += vasr(v2.w,r7); vmem(r14+#3) = v20; v20.h = vmpy(v17.h,v21.h):<<1:rnd:sat; r6 = add(r6,#-1792) }
{ vmem(r14+#2) = v16; v23.h += vasl(v13.h,r0); v16.w = vrmpy(v27.ub,r30.b); v13.w = vrmpy(v25.ub,r30.b) }
{ v22.h += vasr(v12.h,r2); v21 = vand(v28,v8); v12 = vand(v28,v9); v25 = vmem(r10+#5) }
{ v27.ub = vlsr(v18.ub,r3); v18.h = vmpy(v20.h,r22.h):<<1:rnd:sat; v20 = vand(v25,v8); r10 = add(r10,#896) }
{ v19.w += vrmpy(v22.ub,r17.b); v22.w = vrmpy(v23.ub,r17.b); v28.ub = vlsr(v28.ub,r3); v23 = vand(v25,v10) }
{ v22.w += vasr(v14.w,r1); v16.w += vrmpy(v21.ub,r31.b); v13.w += vrmpy(v12.ub,r31.b); v12 = vand(v25,v9) }
{ v14.ub = vlsr(v25.ub,r4); r10 = add(r10,r20); v21 = vmem(r11+#6) }
{ v12.h = vshuffe(v22.h,v19.h); v16.w += vrmpy(v20.ub,r24.b); v13.w += vrmpy(v12.ub,r24.b); v27.h += vasr(v23.h,r2) }
{ v12.h = vsub(v12.h,v24.h); v28.h += vasl(v14.h,r0); v14 = vmem(r11+#0) }
{ v22.h = vasl(v15.h,r0); v15 = vmem(r15+#-7); v20 = vand(v14,v8); v19 = vand(v14,v9) }
{ v5:4.w += vmpy(v12.h,v18.h); v12 = vand(v22,v11); r6 = mux(p0,##-128,r6) }
{ v16.w += vrmpy(v27.ub,r25.b); v14.w = vrmpy(v28.ub,r25.b); v18.ub = vlsr(v14.ub,r3); v22 = vmem(r11+#1) }
{ v14.w += vasr(v13.w,r1); v23 = vand(v22,v8); v13 = vand(v22,v9) }
{ v20.w = vrmpy(v20.ub,r18.b); v19.w = vrmpy(v19.ub,r18.b); v22.ub = vlsr(v22.ub,r3); v25 = vmem(r11+#2) }
{ v13.h = vshuffe(v14.h,v16.h); v20.w += vrmpy(v23.ub,r19.b); v19.w += vrmpy(v13.ub,r19.b); v14 = vand(v25,v9) }
{ v12.h = vsub(v13.h,v26.h); v13.h = vmpy(v17.h,v12.h):<<1:rnd:sat; v16 = vmem(r14+#4) }
{ v27 = vmem(r14+#5); v17 = vand(v25,v8); v23 = vand(v25,v10); v25.ub = vlsr(v25.ub,r4) }
{ v13.h = vmpy(v13.h,r26.h):<<1:rnd:sat; v29.h = vasl(v21.h,r5); v28 = vmem(r11+#3) }
{ v20.w += vrmpy(v17.ub,r16.b); v19.w += vrmpy(v14.ub,r16.b); v22.h += vasl(v25.h,r0); v14 = vmem(r11+#4) }
{ v5:4.w += vmpy(v12.h,v13.h); v18.h += vasr(v23.h,r2); v12 = vand(v28,v8) }
{ v13 = vand(v28,v9); v25.ub = vlsr(v28.ub,r3); v23 = vand(v14,v8); v17 = vand(v14,v9) }
{ v16.w += vasr(v4.w,r7); v20.w += vrmpy(v18.ub,r17.b); v18.w = vrmpy(v22.ub,r17.b); v22 = vmem(r11+#5) }
{ vmem(r14+#4) = v16; v27.w += vasr(v5.w,r7); v28.w = vrmpy(v12.ub,r30.b); v13.w = vrmpy(v13.ub,r30.b) }
{ vmem(r14+#5) = v27; v18.w += vasr(v19.w,r1); v28.w += vrmpy(v23.ub,r31.b); v13.w += vrmpy(v17.ub,r31.b) }
{ v16.ub = vlsr(v14.ub,r3); v14.h = vmpy(v15.h,v29.h):<<1:rnd:sat; v12 = vand(v22,v8) }
{ v17.h = vshuffe(v18.h,v20.h); v18 = vand(v22,v9); v19 = vand(v22,v10); v20.ub = vlsr(v22.ub,r4) }
{ v14.h = vsub(v17.h,v24.h); v17.h = vmpy(v14.h,r22.h):<<1:rnd:sat; v21.h = vasl(v21.h,r0) }
{ v28.w += vrmpy(v12.ub,r24.b); v13.w += vrmpy(v18.ub,r24.b); v25.h += vasr(v19.h,r2); v12 = vand(v21,v11) }
{ v7:6.w += vmpy(v14.h,v17.h); v16.h += vasl(v20.h,r0); v30 = vmem(r14+#6) }
{ r11 = add(r11,#896); v14.h = vmpy(v15.h,v12.h):<<1:rnd:sat; v31 = vmem(r14+#7) }:endloop0
{ r11 = add(r11,r20) }
{ v28.w += vrmpy(v25.ub,r25.b); v18.w = vrmpy(v16.ub,r25.b) }
{ v18.w += vasr(v13.w,r1); v29.h = vmpy(v14.h,r26.h):<<1:rnd:sat }
{ v27.h = vshuffe(v18.h,v28.h) }
{ v28.h = vsub(v27.h,v26.h) }
{ v7:6.w += vmpy(v28.h,v29.h) }
{ v31.w += vasr(v7.w,r7) }
{ vmem(r14+#7) = v31 }
{ v30.w += vasr(v6.w,r7) }
{ vmem(r14+#6) = v30 }
{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16); r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32); r27:26 = memd(r29+#40) }
{ r30 = add(r29,#56) }
{ dealloc_return }
.size hvx_sum_q3_k_tiles, .-hvx_sum_q3_k_tiles

// 43 packets (40 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_q3_k_tile
.hidden hvx_sum_q3_k_tile
.type hvx_sum_q3_k_tile,@function
hvx_sum_q3_k_tile:
{ allocframe(#56); r28 = r0 }
{ r30 = memw(r28+#48); memd(r29+#0) = r17:16; r16 = ##117901063 }
{ memd(r29+#8) = r19:18; memd(r29+#16) = r21:20; v8 = vsplat(r16) }
{ memd(r29+#24) = r23:22; memd(r29+#32) = r25:24; r17 = ##943208504 }
{ memd(r29+#40) = r27:26; r30 = add(r30,#-1); v9 = vsplat(r17); r8 = memw(r28+#0) }
{ loop0(.Lhvx_sum_q3_k_tile,r30); r18 = ##1077952576 }
{ v10 = vsplat(r18); r19 = ##4227922944; r9 = memw(r28+#16) }
{ v11 = vsplat(r19); r0 = ##2; r10 = memw(r28+#32) }
{ r1 = ##3; r2 = ##4 }
{ r3 = ##6; r4 = ##7 }
{ r5 = ##10; r6 = ##-128 }
{ r7 = memw(r28+#52); r11 = memw(r28+#56) }
{ r12 = add(r8,r6) }
{ v12 = vmem(r12+#0) }
{ v13 = vmem(r8+#6) }
{ v14 = vmem(r8+#0) }
{ v15 = vmem(r8+#1); v16.h = vasl(v13.h,r5) }
{ r13:12 = memd(r9++#8); v17 = vand(v14,v8); v19.ub = vlsr(v14.ub,r3); v18 = vand(v15,v8) }
{ v14 = vand(v14,v9); v16 = vand(v15,v9); r15:14 = memd(r9++#8); v20.h = vmpy(v12.h,v16.h):<<1:rnd:sat }
{ v15.ub = vlsr(v15.ub,r3); v21 = vmem(r8+#2); r17:16 = memd(r10++#8) }
{ v17.w = vrmpy(v17.ub,r12.b); v14.w = vrmpy(v14.ub,r12.b); v23 = vand(v21,v8); v22 = vand(v21,v9) }
{ v17.w += vrmpy(v18.ub,r13.b); v14.w += vrmpy(v16.ub,r13.b); v16 = vand(v21,v10); v18.ub = vlsr(v21.ub,r4) }
{ v17.w += vrmpy(v23.ub,r14.b); v14.w += vrmpy(v22.ub,r14.b); r13:12 = memd(r9++#8) }
{ v19.h += vasr(v16.h,r2); v20 = vmem(r8+#3); v16.h = vmpy(v20.h,r16.h):<<1:rnd:sat; r19:18 = memd(r9++#8) }
{ v15.h += vasl(v18.h,r0); v22 = vsplat(r17); v18 = vand(v20,v9); v21 = vmem(r8+#4) }
{ v24.ub = vlsr(v20.ub,r3); v23 = vand(v21,v9); p0 = cmp.eq(r6,##-5504) }
{ v17.w += vrmpy(v19.ub,r15.b); v15.w = vrmpy(v15.ub,r15.b); v19 = vand(v20,v8); v20.ub = vlsr(v21.ub,r3) }
{ v15.w += vasr(v14.w,r1); v14 = vand(v21,v8); r14 = mux(p0,##128,#0) }
{ v18.w = vrmpy(v19.ub,r12.b); v13.w = vrmpy(v18.ub,r12.b); r17:16 = memd(r10++#8); v19.h = vasl(v13.h,r0) }
{ v14.h = vshuffe(v15.h,v17.h); v18.w += vrmpy(v14.ub,r13.b); v13.w += vrmpy(v23.ub,r13.b); v15 = vmem(r8+#5) }
{ v14.h = vsub(v14.h,v22.h); v17 = vand(v15,v8); r13:12 = memd(r9++#8) }
{ v15 = vand(v15,v9); v21 = vand(v15,v10); v22.ub = vlsr(v15.ub,r4) }
{ v1:0.w = vmpy(v14.h,v16.h); v14 = vand(v19,v11); r8 = add(r8,#896) }
{ v18.w += vrmpy(v17.ub,r18.b); v13.w += vrmpy(v15.ub,r18.b); v20.h += vasl(v22.h,r0); r15 = add(r8,r6) }
{ v24.h += vasr(v21.h,r2); v12 = vmem(r15+#-7); v14.h = vmpy(v12.h,v14.h):<<1:rnd:sat; r21:20 = memd(r9++#8) }
{ v15 = vsplat(r17); r6 = add(r6,#-1792); v16 = vmem(r8+#6); r23:22 = memd(r10++#8) }
{ v18.w += vrmpy(v24.ub,r19.b); v17.w = vrmpy(v20.ub,r19.b); v19 = vmem(r8+#0); r19:18 = memd(r9++#8) }
{ v17.w += vasr(v13.w,r1); v20 = vand(v19,v8); v13 = vand(v19,v9); v21 = vmem(r8+#1) }
{ r6 = mux(p0,##-128,r6); v14.h = vmpy(v14.h,r16.h):<<1:rnd:sat; v22 = vmem(r8+#2) }
{ v18.h = vshuffe(v17.h,v18.h); v19.ub = vlsr(v19.ub,r3); v17.w = vrmpy(v20.ub,r12.b); v13.w = vrmpy(v13.ub,r12.b) }
{ v15.h = vsub(v18.h,v15.h); v20.ub = vlsr(v21.ub,r3); v18 = vand(v22,v10); v23 = vsplat(r23) }
{ v25 = vand(v21,v8); v21 = vand(v21,v9); v24 = vand(v22,v9); v26.h = vasl(v16.h,r5) }
{ v1:0.w += vmpy(v15.h,v14.h); v14 = vand(v22,v8); v15.ub = vlsr(v22.ub,r4); r17:16 = memd(r9++#8) }
{ v17.w += vrmpy(v25.ub,r13.b); v13.w += vrmpy(v21.ub,r13.b); v19.h += vasr(v18.h,r2); v18 = vmem(r8+#3) }
{ v17.w += vrmpy(v14.ub,r20.b); v13.w += vrmpy(v24.ub,r20.b); v20.h += vasl(v15.h,r0); v14 = vmem(r8+#4) }
{ v21 = vand(v18,v8); v15 = vand(v18,v9); v22.ub = vlsr(v18.ub,r3); v18 = vand(v14,v9) }
{ v17.w += vrmpy(v19.ub,r21.b); v14.w = vrmpy(v20.ub,r21.b); v19 = vand(v14,v8); v20.ub = vlsr(v14.ub,r3) }
{ v14.w += vasr(v13.w,r1); v15.w = vrmpy(v21.ub,r18.b); v13.w = vrmpy(v15.ub,r18.b); v21 = vmem(r8+#5) }
{ v25.h = vmpy(v12.h,v26.h):<<1:rnd:sat; v24 = vand(v21,v8); v26 = vand(v21,v10); r8 = add(r8,#896) }
{ v14.h = vshuffe(v14.h,v17.h); v15.w += vrmpy(v19.ub,r19.b); v13.w += vrmpy(v18.ub,r19.b); v17 = vand(v21,v9) }
{ v14.h = vsub(v14.h,v23.h); v18.h = vmpy(v25.h,r22.h):<<1:rnd:sat; v22.h += vasr(v26.h,r2); r8 = add(r8,r14) }
{ v17.ub = vlsr(v21.ub,r4); v15.w += vrmpy(v24.ub,r16.b); v13.w += vrmpy(v17.ub,r16.b) }
{ v1:0.w += vmpy(v14.h,v18.h); v14.h = vasl(v16.h,r0) }
{ v20.h += vasl(v17.h,r0); v14 = vand(v14,v11); v25 = vmem(r11+#1) }
{ r15:14 = memd(r10++#8); v26 = vmem(r11+#0) }
.Lhvx_sum_q3_k_tile:
{ r12 = add(r8,r6); v15.w += vrmpy(v22.ub,r17.b); v16.w = vrmpy(v20.ub,r17.b) }
{ v12 = vmem(r12+#0); v16.w += vasr(v13.w,r1); v14.h = vmpy(v12.h,v14.h):<<1:rnd:sat }
{ v13 = vmem(r8+#6); v17 = vsplat(r15) }
{ v14 = vmem(r8+#0); v15.h = vshuffe(v16.h,v15.h); v21.h = vmpy(v14.h,r14.h):<<1:rnd:sat }
{ v15 = vmem(r8+#1); v16.h = vasl(v13.h,r5); v22.h = vsub(v15.h,v17.h) }
{ r13:12 = memd(r9++#8); v17 = vand(v14,v8); v19.ub = vlsr(v14.ub,r3); v18 = vand(v15,v8) }
{ v14 = vand(v14,v9); v16 = vand(v15,v9); r15:14 = memd(r9++#8); v20.h = vmpy(v12.h,v16.h):<<1:rnd:sat }
{ v15.ub = vlsr(v15.ub,r3); v21 = vmem(r8+#2); r17:16 = memd(r10++#8); v1:0.w += vmpy(v22.h,v21.h) }
{ v17.w = vrmpy(v17.ub,r12.b); v14.w = vrmpy(v14.ub,r12.b); v23 = vand(v21,v8); v22 = vand(v21,v9) }
{ v17.w += vrmpy(v18.ub,r13.b); v14.w += vrmpy(v16.ub,r13.b); v16 = vand(v21,v10); v18.ub = vlsr(v21.ub,r4) }
{ v17.w += vrmpy(v23.ub,r14.b); v14.w += vrmpy(v22.ub,r14.b); r13:12 = memd(r9++#8); v25.w += vasr(v1.w,r7) }
{ v19.h += vasr(v16.h,r2); v20 = vmem(r8+#3); v16.h = vmpy(v20.h,r16.h):<<1:rnd:sat; r19:18 = memd(r9++#8) }
{ v15.h += vasl(v18.h,r0); v22 = vsplat(r17); v18 = vand(v20,v9); v21 = vmem(r8+#4) }
{ v24.ub = vlsr(v20.ub,r3); v23 = vand(v21,v9); p0 = cmp.eq(r6,##-5504) }
{ v17.w += vrmpy(v19.ub,r15.b); v15.w = vrmpy(v15.ub,r15.b); v19 = vand(v20,v8); v20.ub = vlsr(v21.ub,r3) }
{ v15.w += vasr(v14.w,r1); v14 = vand(v21,v8); r14 = mux(p0,##128,#0) }
{ v18.w = vrmpy(v19.ub,r12.b); v13.w = vrmpy(v18.ub,r12.b); r17:16 = memd(r10++#8); v19.h = vasl(v13.h,r0) }
{ v14.h = vshuffe(v15.h,v17.h); v18.w += vrmpy(v14.ub,r13.b); v13.w += vrmpy(v23.ub,r13.b); v15 = vmem(r8+#5) }
{ v14.h = vsub(v14.h,v22.h); v17 = vand(v15,v8); r13:12 = memd(r9++#8); v26.w += vasr(v0.w,r7) }
{ v15 = vand(v15,v9); v21 = vand(v15,v10); v22.ub = vlsr(v15.ub,r4); vmem(r11+#1) = v25 }
{ v1:0.w = vmpy(v14.h,v16.h); v14 = vand(v19,v11); r8 = add(r8,#896); vmem(r11+#0) = v26 }
{ v18.w += vrmpy(v17.ub,r18.b); v13.w += vrmpy(v15.ub,r18.b); v20.h += vasl(v22.h,r0); r15 = add(r8,r6) }
{ v24.h += vasr(v21.h,r2); v12 = vmem(r15+#-7); v14.h = vmpy(v12.h,v14.h):<<1:rnd:sat; r21:20 = memd(r9++#8) }
{ v15 = vsplat(r17); r6 = add(r6,#-1792); v16 = vmem(r8+#6); r23:22 = memd(r10++#8) }
{ v18.w += vrmpy(v24.ub,r19.b); v17.w = vrmpy(v20.ub,r19.b); v19 = vmem(r8+#0); r19:18 = memd(r9++#8) }
{ v17.w += vasr(v13.w,r1); v20 = vand(v19,v8); v13 = vand(v19,v9); v21 = vmem(r8+#1) }
{ r6 = mux(p0,##-128,r6); v14.h = vmpy(v14.h,r16.h):<<1:rnd:sat; v22 = vmem(r8+#2) }
{ v18.h = vshuffe(v17.h,v18.h); v19.ub = vlsr(v19.ub,r3); v17.w = vrmpy(v20.ub,r12.b); v13.w = vrmpy(v13.ub,r12.b) }
{ v15.h = vsub(v18.h,v15.h); v20.ub = vlsr(v21.ub,r3); v18 = vand(v22,v10); v23 = vsplat(r23) }
{ v25 = vand(v21,v8); v21 = vand(v21,v9); v24 = vand(v22,v9); v26.h = vasl(v16.h,r5) }
{ v1:0.w += vmpy(v15.h,v14.h); v14 = vand(v22,v8); v15.ub = vlsr(v22.ub,r4); r17:16 = memd(r9++#8) }
{ v17.w += vrmpy(v25.ub,r13.b); v13.w += vrmpy(v21.ub,r13.b); v19.h += vasr(v18.h,r2); v18 = vmem(r8+#3) }
{ v17.w += vrmpy(v14.ub,r20.b); v13.w += vrmpy(v24.ub,r20.b); v20.h += vasl(v15.h,r0); v14 = vmem(r8+#4) }
{ v21 = vand(v18,v8); v15 = vand(v18,v9); v22.ub = vlsr(v18.ub,r3); v18 = vand(v14,v9) }
{ v17.w += vrmpy(v19.ub,r21.b); v14.w = vrmpy(v20.ub,r21.b); v19 = vand(v14,v8); v20.ub = vlsr(v14.ub,r3) }
{ v14.w += vasr(v13.w,r1); v15.w = vrmpy(v21.ub,r18.b); v13.w = vrmpy(v15.ub,r18.b); v21 = vmem(r8+#5) }
{ v25.h = vmpy(v12.h,v26.h):<<1:rnd:sat; v24 = vand(v21,v8); v26 = vand(v21,v10); r8 = add(r8,#896) }
{ v14.h = vshuffe(v14.h,v17.h); v15.w += vrmpy(v19.ub,r19.b); v13.w += vrmpy(v18.ub,r19.b); v17 = vand(v21,v9) }
{ v14.h = vsub(v14.h,v23.h); v18.h = vmpy(v25.h,r22.h):<<1:rnd:sat; v22.h += vasr(v26.h,r2); r8 = add(r8,r14) }
{ v17.ub = vlsr(v21.ub,r4); v15.w += vrmpy(v24.ub,r16.b); v13.w += vrmpy(v17.ub,r16.b) }
{ v1:0.w += vmpy(v14.h,v18.h); v14.h = vasl(v16.h,r0) }
{ v20.h += vasl(v17.h,r0); v14 = vand(v14,v11); v25 = vmem(r11+#1) }
{ r15:14 = memd(r10++#8); v26 = vmem(r11+#0) }:endloop0
{ v15.w += vrmpy(v22.ub,r17.b); v16.w = vrmpy(v20.ub,r17.b) }
{ v16.w += vasr(v13.w,r1); v14.h = vmpy(v12.h,v14.h):<<1:rnd:sat }
{ v17 = vsplat(r15) }
{ v15.h = vshuffe(v16.h,v15.h); v21.h = vmpy(v14.h,r14.h):<<1:rnd:sat }
{ v22.h = vsub(v15.h,v17.h) }
{ v1:0.w += vmpy(v22.h,v21.h) }
{ v25.w += vasr(v1.w,r7) }
{ v26.w += vasr(v0.w,r7) }
{ vmem(r11+#1) = v25 }
{ vmem(r11+#0) = v26 }
{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
{ r21:20 = memd(r29+#16); r23:22 = memd(r29+#24) }
{ r25:24 = memd(r29+#32); r27:26 = memd(r29+#40) }
{ r30 = add(r29,#56) }
{ dealloc_return }
.size hvx_sum_q3_k_tile, .-hvx_sum_q3_k_tile

// 165 packets (164 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_expanded_odd_rows
.hidden hvx_sum_expanded_odd_rows
.type hvx_sum_expanded_odd_rows,@function
hvx_sum_expanded_odd_rows:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); r0 = ##4 }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##8 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_expanded_odd_rows,r30); v8 = vmem(r31+#0); memw(r29+#48) = r31 }
{ v9 = vmem(r31+#1); r2 = memw(r28+#0) }
{ v10 = vmem(r31+#2); r3 = memw(r28+#16) }
{ v11 = vmem(r31+#3); r4 = memw(r28+#20) }
{ v12 = vmem(r31+#4); r5 = memw(r28+#24) }
{ v13 = vmem(r31+#5); r6 = memw(r28+#28) }
{ v14 = vmem(r31+#6); r7 = memw(r28+#32) }
{ v15 = vmem(r31+#7); r8 = memw(r28+#36) }
{ r9 = memw(r28+#40); r10 = memw(r28+#44) }
{ r1 = memw(r28+#52) }
{ v17 = v16 }
{ v19 = v16; v18 = v16 }
{ v21 = vmem(r2++#1); v20 = v16 }
{ v22 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ r15:14 = memd(r4++#8); v23 = v16 }
{ v19.w += vrmpy(v21.ub,r12.b); v18.w += vrmpy(v22.ub,r12.b); r17:16 = memd(r5++#8); v24 = v16 }
{ v20.w += vrmpy(v21.ub,r14.b); v17.w += vrmpy(v22.ub,r14.b); v25 = v16; r19:18 = memd(r6++#8) }
{ v25.w += vrmpy(v21.ub,r16.b); v23.w += vrmpy(v22.ub,r16.b); v26 = v16; v27 = vmem(r2++#1) }
{ v26.w += vrmpy(v21.ub,r18.b); v24.w += vrmpy(v22.ub,r18.b); v21 = vmem(r2++#1) }
{ v19.w += vrmpy(v27.ub,r13.b); v18.w += vrmpy(v21.ub,r13.b) }
{ v20.w += vrmpy(v27.ub,r15.b); v17.w += vrmpy(v21.ub,r15.b); v22 = vmem(r2++#1) }
{ v26.w += vrmpy(v27.ub,r19.b); v24.w += vrmpy(v21.ub,r19.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v25.w += vrmpy(v27.ub,r17.b); v23.w += vrmpy(v21.ub,r17.b); r15:14 = memd(r4++#8) }
{ v19.w += vrmpy(v22.ub,r12.b); v18.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r5++#8); v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v22.ub,r14.b); v17.w += vrmpy(v28.ub,r14.b); v27 = vmem(r2++#1) }
{ v25.w += vrmpy(v22.ub,r16.b); v23.w += vrmpy(v28.ub,r16.b); r19:18 = memd(r6++#8) }
{ v19.w += vrmpy(v21.ub,r13.b); v18.w += vrmpy(v27.ub,r13.b) }
{ v26.w += vrmpy(v22.ub,r18.b); v24.w += vrmpy(v28.ub,r18.b) }
{ v26.w += vrmpy(v21.ub,r19.b); v24.w += vrmpy(v27.ub,r19.b); v22 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r15.b); v17.w += vrmpy(v27.ub,r15.b); v28 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v25.w += vrmpy(v21.ub,r17.b); v23.w += vrmpy(v27.ub,r17.b); r15:14 = memd(r3++#8); r17:16 = memd(r5++#8) }
{ v20.w += vrmpy(v22.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b); v21 = vmem(r2++#1) }
{ v19.w += vrmpy(v22.ub,r14.b); v18.w += vrmpy(v28.ub,r14.b); v27 = vmem(r2++#1) }
{ v25.w += vrmpy(v22.ub,r16.b); v23.w += vrmpy(v28.ub,r16.b); r19:18 = memd(r6++#8) }
{ v20.w += vrmpy(v21.ub,r13.b); v17.w += vrmpy(v27.ub,r13.b) }
{ v26.w += vrmpy(v22.ub,r18.b); v24.w += vrmpy(v28.ub,r18.b) }
{ v26.w += vrmpy(v21.ub,r19.b); v24.w += vrmpy(v27.ub,r19.b); v22 = vmem(r2++#1) }
{ v25.w += vrmpy(v21.ub,r17.b); v23.w += vrmpy(v27.ub,r17.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v19.w += vrmpy(v21.ub,r15.b); v18.w += vrmpy(v27.ub,r15.b); r15:14 = memd(r6++#8) }
{ v19.w += vrmpy(v22.ub,r12.b); v18.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r4++#8); v21 = vmem(r2++#1) }
{ v26.w += vrmpy(v22.ub,r14.b); v24.w += vrmpy(v28.ub,r14.b); v27 = vmem(r2++#1) }
{ v20.w += vrmpy(v22.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b); r19:18 = memd(r5++#8) }
{ v19.w += vrmpy(v21.ub,r13.b); v18.w += vrmpy(v27.ub,r13.b); r13:12 = memd(r7++#8); r21:20 = memd(r8++#8) }
{ v25.w += vrmpy(v22.ub,r18.b); v23.w += vrmpy(v28.ub,r18.b); r23:22 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v26.w += vrmpy(v21.ub,r15.b); v24.w += vrmpy(v27.ub,r15.b); v18.h = vasr(v18.w,v19.w,r0) }
{ v25.w += vrmpy(v21.ub,r19.b); v23.w += vrmpy(v27.ub,r19.b); v19 = vmem(r2++#1); r11 = combine(r21.l,r13.l) }
{ v20.w += vrmpy(v21.ub,r17.b); v17.w += vrmpy(v27.ub,r17.b); r14 = combine(r25.l,r23.l); v21.h = vasr(v24.w,v26.w,r0) }
{ v23 = vsplat(r11); v24 = vsplat(r14); v22.h = vasr(v23.w,v25.w,r0) }
{ v17.h = vasr(v17.w,v20.w,r0); v20.h = vmpy(v19.h,r22.h):<<1:rnd:sat }
{ v26.h = vshuffo(v23.h,v23.h); v25.h = vmpy(v19.h,r20.h):<<1:rnd:sat }
{ v26.h = vshuffe(v23.h,v23.h); v23.h = vmpy(v19.h,r12.h):<<1:rnd:sat; v17.h = vsub(v17.h,v26.h) }
{ v26.h = vshuffo(v24.h,v24.h); v18.h = vsub(v18.h,v26.h); v19.h = vmpy(v19.h,r24.h):<<1:rnd:sat }
{ v21.h = vshuffe(v24.h,v24.h); v3:2.w = vmpy(v17.h,v25.h); v17.h = vsub(v21.h,v26.h) }
{ v1:0.w = vmpy(v18.h,v23.h); v21.h = vsub(v22.h,v21.h); v18 = vmem(r2++#1) }
{ v7:6.w = vmpy(v17.h,v19.h); v17 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v5:4.w = vmpy(v21.h,v20.h); r15:14 = memd(r3++#8); v19 = vmem(r2++#1) }
{ v22.w = vrmpy(v18.ub,r12.b); v20.w = vrmpy(v17.ub,r12.b); v21 = vmem(r2++#1) }
{ v24.w = vrmpy(v18.ub,r14.b); v23.w = vrmpy(v17.ub,r14.b); r17:16 = memd(r5++#8) }
{ v24.w += vrmpy(v19.ub,r15.b); v23.w += vrmpy(v21.ub,r15.b) }
{ v26.w = vrmpy(v18.ub,r16.b); v25.w = vrmpy(v17.ub,r16.b); r15:14 = memd(r6++#8) }
{ v26.w += vrmpy(v19.ub,r17.b); v25.w += vrmpy(v21.ub,r17.b) }
{ v18.w = vrmpy(v18.ub,r14.b); v17.w = vrmpy(v17.ub,r14.b); v27 = vmem(r2++#1) }
{ v22.w += vrmpy(v19.ub,r13.b); v20.w += vrmpy(v21.ub,r13.b); v28 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v18.w += vrmpy(v19.ub,r15.b); v17.w += vrmpy(v21.ub,r15.b); r15:14 = memd(r3++#8); v19 = vmem(r2++#1) }
{ v22.w += vrmpy(v27.ub,r12.b); v20.w += vrmpy(v28.ub,r12.b); v21 = vmem(r2++#1) }
{ v24.w += vrmpy(v27.ub,r14.b); v23.w += vrmpy(v28.ub,r14.b) }
{ r13:12 = memd(r6++#8); v22.w += vrmpy(v19.ub,r13.b); v20.w += vrmpy(v21.ub,r13.b) }
{ v24.w += vrmpy(v19.ub,r15.b); v23.w += vrmpy(v21.ub,r15.b) }
{ r15:14 = memd(r5++#8); v18.w += vrmpy(v27.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b) }
{ v18.w += vrmpy(v19.ub,r13.b); v17.w += vrmpy(v21.ub,r13.b); v29 = vmem(r2++#1) }
{ v26.w += vrmpy(v27.ub,r14.b); v25.w += vrmpy(v28.ub,r14.b); v27 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v26.w += vrmpy(v19.ub,r15.b); v25.w += vrmpy(v21.ub,r15.b); r15:14 = memd(r5++#8) }
{ v24.w += vrmpy(v29.ub,r12.b); v23.w += vrmpy(v27.ub,r12.b); r17:16 = memd(r4++#8); v19 = vmem(r2++#1) }
{ v26.w += vrmpy(v29.ub,r14.b); v25.w += vrmpy(v27.ub,r14.b); v21 = vmem(r2++#1) }
{ v22.w += vrmpy(v29.ub,r16.b); v20.w += vrmpy(v27.ub,r16.b); r19:18 = memd(r6++#8) }
{ v24.w += vrmpy(v19.ub,r13.b); v23.w += vrmpy(v21.ub,r13.b) }
{ v18.w += vrmpy(v29.ub,r18.b); v17.w += vrmpy(v27.ub,r18.b) }
{ v26.w += vrmpy(v19.ub,r15.b); v25.w += vrmpy(v21.ub,r15.b); v27 = vmem(r2++#1) }
{ v22.w += vrmpy(v19.ub,r17.b); v20.w += vrmpy(v21.ub,r17.b); v28 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v18.w += vrmpy(v19.ub,r19.b); v17.w += vrmpy(v21.ub,r19.b); r15:14 = memd(r3++#8) }
{ v22.w += vrmpy(v27.ub,r12.b); v20.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r6++#8) }
{ v24.w += vrmpy(v27.ub,r14.b); v23.w += vrmpy(v28.ub,r14.b); r19:18 = memd(r5++#8); v19 = vmem(r2++#1) }
{ v18.w += vrmpy(v27.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b); v21 = vmem(r2++#1) }
{ v26.w += vrmpy(v27.ub,r18.b); v25.w += vrmpy(v28.ub,r18.b); r21:20 = memd(r9++#8); r23:22 = memd(r10++#8) }
{ v18.w += vrmpy(v19.ub,r17.b); v17.w += vrmpy(v21.ub,r17.b); r17:16 = memd(r7++#8); r25:24 = memd(r8++#8) }
{ v22.w += vrmpy(v19.ub,r13.b); v20.w += vrmpy(v21.ub,r13.b); v27 = vmem(r2++#1) }
{ v26.w += vrmpy(v19.ub,r19.b); v25.w += vrmpy(v21.ub,r19.b); r11 = combine(r23.l,r21.l); v17.h = vasr(v17.w,v18.w,r0) }
{ v24.w += vrmpy(v19.ub,r15.b); v23.w += vrmpy(v21.ub,r15.b); r12 = combine(r25.l,r17.l); v18.h = vasr(v20.w,v22.w,r0) }
{ v20 = vsplat(r12); v21 = vsplat(r11); v19.h = vasr(v25.w,v26.w,r0) }
{ v22.h = vasr(v23.w,v24.w,r0); v23.h = vmpy(v27.h,r16.h):<<1:rnd:sat }
{ v26.h = vshuffe(v20.h,v20.h); v25.h = vmpy(v27.h,r20.h):<<1:rnd:sat; v24 = v16 }
{ v26.h = vshuffo(v20.h,v20.h); v20.h = vsub(v22.h,v26.h); v22.h = vmpy(v27.h,r22.h):<<1:rnd:sat }
{ v27.h = vshuffe(v21.h,v21.h); v18.h = vsub(v18.h,v26.h); v26.h = vmpy(v27.h,r24.h):<<1:rnd:sat }
{ v20.h = vshuffo(v21.h,v21.h); v1:0.w += vmpy(v20.h,v23.h); v19.h = vsub(v19.h,v27.h) }
{ v3:2.w += vmpy(v18.h,v26.h); v18.h = vsub(v17.h,v20.h); v17 = vmem(r2++#1); r13:12 = memd(r5++#8) }
{ v5:4.w += vmpy(v19.h,v25.h); v20 = vmem(r2++#1); r15:14 = memd(r3++#8); v19 = v16 }
{ v7:6.w += vmpy(v18.h,v22.h); v18 = v16; r17:16 = memd(r4++#8); v21 = v16 }
{ v24.w += vrmpy(v17.ub,r14.b); v18.w += vrmpy(v20.ub,r14.b); v22 = v16; v23 = vmem(r2++#1) }
{ v21.w += vrmpy(v17.ub,r16.b); v19.w += vrmpy(v20.ub,r16.b); v25 = v16; v26 = vmem(r2++#1) }
{ v22.w += vrmpy(v17.ub,r12.b); v25.w += vrmpy(v20.ub,r12.b); r19:18 = memd(r6++#8) }
{ v28 = v16; v27 = v16; v24.w += vrmpy(v23.ub,r15.b); v18.w += vrmpy(v26.ub,r15.b) }
{ v28.w += vrmpy(v17.ub,r18.b); v27.w += vrmpy(v20.ub,r18.b) }
{ v22.w += vrmpy(v23.ub,r13.b); v25.w += vrmpy(v26.ub,r13.b); v17 = vmem(r2++#1) }
{ v28.w += vrmpy(v23.ub,r19.b); v27.w += vrmpy(v26.ub,r19.b); v20 = vmem(r2++#1); r13:12 = memd(r6++#8) }
{ v21.w += vrmpy(v23.ub,r17.b); v19.w += vrmpy(v26.ub,r17.b); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r3++#8); v28.w += vrmpy(v17.ub,r12.b); v27.w += vrmpy(v20.ub,r12.b) }
{ v21.w += vrmpy(v17.ub,r14.b); v19.w += vrmpy(v20.ub,r14.b); r19:18 = memd(r5++#8); v23 = vmem(r2++#1) }
{ v24.w += vrmpy(v17.ub,r16.b); v18.w += vrmpy(v20.ub,r16.b); v26 = vmem(r2++#1) }
{ v22.w += vrmpy(v17.ub,r18.b); v25.w += vrmpy(v20.ub,r18.b) }
{ v24.w += vrmpy(v23.ub,r17.b); v18.w += vrmpy(v26.ub,r17.b); v17 = vmem(r2++#1) }
{ v22.w += vrmpy(v23.ub,r19.b); v25.w += vrmpy(v26.ub,r19.b); v20 = vmem(r2++#1); r17:16 = memd(r3++#8) }
{ v21.w += vrmpy(v23.ub,r15.b); v19.w += vrmpy(v26.ub,r15.b); r15:14 = memd(r4++#8) }
{ v24.w += vrmpy(v17.ub,r16.b); v18.w += vrmpy(v20.ub,r16.b) }
{ v21.w += vrmpy(v17.ub,r14.b); v19.w += vrmpy(v20.ub,r14.b); r19:18 = memd(r5++#8); v29 = vmem(r2++#1) }
{ v28.w += vrmpy(v23.ub,r13.b); v27.w += vrmpy(v26.ub,r13.b); v23 = vmem(r2++#1) }
{ v22.w += vrmpy(v17.ub,r18.b); v25.w += vrmpy(v20.ub,r18.b) }
{ r13:12 = memd(r6++#8); v21.w += vrmpy(v29.ub,r15.b); v19.w += vrmpy(v23.ub,r15.b) }
{ v24.w += vrmpy(v29.ub,r17.b); v18.w += vrmpy(v23.ub,r17.b) }
{ v28.w += vrmpy(v17.ub,r12.b); v27.w += vrmpy(v20.ub,r12.b); v17 = vmem(r2++#1) }
{ v28.w += vrmpy(v29.ub,r13.b); v27.w += vrmpy(v23.ub,r13.b); v20 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v22.w += vrmpy(v29.ub,r19.b); v25.w += vrmpy(v23.ub,r19.b); r15:14 = memd(r5++#8) }
{ v24.w += vrmpy(v17.ub,r12.b); v18.w += vrmpy(v20.ub,r12.b); r17:16 = memd(r4++#8) }
{ v22.w += vrmpy(v17.ub,r14.b); v25.w += vrmpy(v20.ub,r14.b); r19:18 = memd(r6++#8); v23 = vmem(r2++#1) }
{ v21.w += vrmpy(v17.ub,r16.b); v19.w += vrmpy(v20.ub,r16.b); v26 = vmem(r2++#1) }
{ v28.w += vrmpy(v17.ub,r18.b); v27.w += vrmpy(v20.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v24.w += vrmpy(v23.ub,r13.b); v18.w += vrmpy(v26.ub,r13.b); r13:12 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v28.w += vrmpy(v23.ub,r19.b); v27.w += vrmpy(v26.ub,r19.b); v17 = vmem(r2++#1) }
{ v22.w += vrmpy(v23.ub,r15.b); v25.w += vrmpy(v26.ub,r15.b); r11 = combine(r23.l,r21.l); v18.h = vasr(v18.w,v24.w,r0) }
{ v21.w += vrmpy(v23.ub,r17.b); v19.w += vrmpy(v26.ub,r17.b); r14 = combine(r25.l,r13.l); v20.h = vasr(v27.w,v28.w,r0) }
{ v23 = vsplat(r11); v24 = vsplat(r14); v22.h = vasr(v25.w,v22.w,r0) }
{ v21.h = vmpy(v17.h,r20.h):<<1:rnd:sat; v19.h = vasr(v19.w,v21.w,r0) }
{ v26.h = vshuffo(v23.h,v23.h); v25.h = vmpy(v17.h,r12.h):<<1:rnd:sat }
{ v26.h = vshuffe(v23.h,v23.h); v19.h = vsub(v19.h,v26.h); v23.h = vmpy(v17.h,r22.h):<<1:rnd:sat }
{ v26.h = vshuffo(v24.h,v24.h); v17.h = vsub(v18.h,v26.h); v18.h = vmpy(v17.h,r24.h):<<1:rnd:sat }
{ v20.h = vshuffe(v24.h,v24.h); v3:2.w += vmpy(v19.h,v23.h); v19.h = vsub(v20.h,v26.h) }
{ v1:0.w += vmpy(v17.h,v21.h); v20.h = vsub(v22.h,v20.h); v17 = vmem(r2++#1) }
{ v7:6.w += vmpy(v19.h,v18.h); v18 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v5:4.w += vmpy(v20.h,v25.h); r15:14 = memd(r5++#8) }
{ v20.w = vrmpy(v17.ub,r12.b); v19.w = vrmpy(v18.ub,r12.b); r17:16 = memd(r6++#8) }
{ r19:18 = memd(r4++#8); v22.w = vrmpy(v17.ub,r14.b); v21.w = vrmpy(v18.ub,r14.b); v23 = vmem(r2++#1) }
{ v26.w = vrmpy(v17.ub,r16.b); v24.w = vrmpy(v18.ub,r16.b); v25 = vmem(r2++#1) }
{ v18.w = vrmpy(v17.ub,r18.b); v17.w = vrmpy(v18.ub,r18.b) }
{ v18.w += vrmpy(v23.ub,r19.b); v17.w += vrmpy(v25.ub,r19.b); v27 = vmem(r2++#1) }
{ v20.w += vrmpy(v23.ub,r13.b); v19.w += vrmpy(v25.ub,r13.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v26.w += vrmpy(v23.ub,r17.b); v24.w += vrmpy(v25.ub,r17.b) }
{ v20.w += vrmpy(v27.ub,r12.b); v19.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r6++#8) }
{ v22.w += vrmpy(v23.ub,r15.b); v21.w += vrmpy(v25.ub,r15.b); r15:14 = memd(r4++#8) }
{ r19:18 = memd(r5++#8); v26.w += vrmpy(v27.ub,r16.b); v24.w += vrmpy(v28.ub,r16.b); v23 = vmem(r2++#1) }
{ v18.w += vrmpy(v27.ub,r14.b); v17.w += vrmpy(v28.ub,r14.b); v25 = vmem(r2++#1) }
{ v22.w += vrmpy(v27.ub,r18.b); v21.w += vrmpy(v28.ub,r18.b) }
{ v22.w += vrmpy(v23.ub,r19.b); v21.w += vrmpy(v25.ub,r19.b) }
{ v20.w += vrmpy(v23.ub,r13.b); v19.w += vrmpy(v25.ub,r13.b); v27 = vmem(r2++#1) }
{ v26.w += vrmpy(v23.ub,r17.b); v24.w += vrmpy(v25.ub,r17.b); v28 = vmem(r2++#1); r13:12 = memd(r5++#8) }
{ v18.w += vrmpy(v23.ub,r15.b); v17.w += vrmpy(v25.ub,r15.b); r15:14 = memd(r3++#8) }
{ r17:16 = memd(r4++#8); v22.w += vrmpy(v27.ub,r12.b); v21.w += vrmpy(v28.ub,r12.b); v23 = vmem(r2++#1) }
{ v20.w += vrmpy(v27.ub,r14.b); v19.w += vrmpy(v28.ub,r14.b); v25 = vmem(r2++#1) }
{ v18.w += vrmpy(v27.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b) }
{ v22.w += vrmpy(v23.ub,r13.b); v21.w += vrmpy(v25.ub,r13.b) }
{ r15:14 = memd(r6++#8); v20.w += vrmpy(v23.ub,r15.b); v19.w += vrmpy(v25.ub,r15.b); r13:12 = memd(r3++#8) }
{ v18.w += vrmpy(v23.ub,r17.b); v17.w += vrmpy(v25.ub,r17.b); v29 = vmem(r2++#1); r17:16 = memd(r4++#8) }
{ v26.w += vrmpy(v27.ub,r14.b); v24.w += vrmpy(v28.ub,r14.b); v27 = vmem(r2++#1); r19:18 = memd(r5++#8) }
{ v26.w += vrmpy(v23.ub,r15.b); v24.w += vrmpy(v25.ub,r15.b); r15:14 = memd(r7++#8); r21:20 = memd(r10++#8) }
{ v20.w += vrmpy(v29.ub,r12.b); v19.w += vrmpy(v27.ub,r12.b); r23:22 = memd(r8++#8); r25:24 = memd(r9++#8) }
{ v18.w += vrmpy(v29.ub,r16.b); v17.w += vrmpy(v27.ub,r16.b); r27:26 = memd(r6++#8); v23 = vmem(r2++#1) }
{ v22.w += vrmpy(v29.ub,r18.b); v21.w += vrmpy(v27.ub,r18.b); v25 = vmem(r2++#1) }
{ v26.w += vrmpy(v29.ub,r26.b); v24.w += vrmpy(v27.ub,r26.b); r11 = combine(r23.l,r15.l); r28 = combine(r21.l,r25.l) }
{ v27 = vsplat(r11); v28 = vsplat(r28) }
{ v22.w += vrmpy(v23.ub,r19.b); v21.w += vrmpy(v25.ub,r19.b) }
{ v20.w += vrmpy(v23.ub,r13.b); v19.w += vrmpy(v25.ub,r13.b); v29 = vmem(r2++#1); v30.h = vshuffo(v27.h,v27.h) }
{ v18.w += vrmpy(v23.ub,r17.b); v17.w += vrmpy(v25.ub,r17.b); v22.h = vshuffe(v27.h,v27.h); v21.h = vasr(v21.w,v22.w,r0) }
{ v26.w += vrmpy(v23.ub,r27.b); v24.w += vrmpy(v25.ub,r27.b); v20.h = vshuffe(v28.h,v28.h); v19.h = vasr(v19.w,v20.w,r0) }
{ v23.h = vshuffo(v28.h,v28.h); v19.h = vsub(v19.h,v22.h); v22.h = vmpy(v29.h,r24.h):<<1:rnd:sat }
{ v18.h = vmpy(v29.h,r14.h):<<1:rnd:sat; v17.h = vasr(v17.w,v18.w,r0); v25.h = vsub(v21.h,v20.h) }
{ v21.h = vsub(v17.h,v30.h); v24.h = vmpy(v29.h,r22.h):<<1:rnd:sat; v20.h = vasr(v24.w,v26.w,r0) }
.Lhvx_sum_expanded_odd_rows:
{ v17 = v16; v1:0.w += vmpy(v19.h,v18.h) }
{ v19 = v16; v18 = v16; v3:2.w += vmpy(v21.h,v24.h) }
{ v21 = vmem(r2++#1); v20 = v16; v9.w += vasr(v1.w,r1); v28.h = vsub(v20.h,v23.h) }
{ v22 = vmem(r2++#1); r13:12 = memd(r3++#8); v8.w += vasr(v0.w,r1); v5:4.w += vmpy(v25.h,v22.h) }
{ r15:14 = memd(r4++#8); v23 = v16; v11.w += vasr(v3.w,r1); v29.h = vmpy(v29.h,r20.h):<<1:rnd:sat }
{ v19.w += vrmpy(v21.ub,r12.b); v18.w += vrmpy(v22.ub,r12.b); r17:16 = memd(r5++#8); v24 = v16 }
{ v20.w += vrmpy(v21.ub,r14.b); v17.w += vrmpy(v22.ub,r14.b); v25 = v16; r19:18 = memd(r6++#8) }
{ v25.w += vrmpy(v21.ub,r16.b); v23.w += vrmpy(v22.ub,r16.b); v26 = v16; v27 = vmem(r2++#1) }
{ v26.w += vrmpy(v21.ub,r18.b); v24.w += vrmpy(v22.ub,r18.b); v21 = vmem(r2++#1) }
{ v10.w += vasr(v2.w,r1); v7:6.w += vmpy(v28.h,v29.h) }
{ v19.w += vrmpy(v27.ub,r13.b); v18.w += vrmpy(v21.ub,r13.b) }
{ v20.w += vrmpy(v27.ub,r15.b); v17.w += vrmpy(v21.ub,r15.b); v22 = vmem(r2++#1) }
{ v26.w += vrmpy(v27.ub,r19.b); v24.w += vrmpy(v21.ub,r19.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v25.w += vrmpy(v27.ub,r17.b); v23.w += vrmpy(v21.ub,r17.b); r15:14 = memd(r4++#8) }
{ v19.w += vrmpy(v22.ub,r12.b); v18.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r5++#8); v21 = vmem(r2++#1) }
{ v20.w += vrmpy(v22.ub,r14.b); v17.w += vrmpy(v28.ub,r14.b); v27 = vmem(r2++#1) }
{ v25.w += vrmpy(v22.ub,r16.b); v23.w += vrmpy(v28.ub,r16.b); r19:18 = memd(r6++#8) }
{ v19.w += vrmpy(v21.ub,r13.b); v18.w += vrmpy(v27.ub,r13.b) }
{ v26.w += vrmpy(v22.ub,r18.b); v24.w += vrmpy(v28.ub,r18.b) }
{ v26.w += vrmpy(v21.ub,r19.b); v24.w += vrmpy(v27.ub,r19.b); v22 = vmem(r2++#1) }
{ v20.w += vrmpy(v21.ub,r15.b); v17.w += vrmpy(v27.ub,r15.b); v28 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v25.w += vrmpy(v21.ub,r17.b); v23.w += vrmpy(v27.ub,r17.b); r15:14 = memd(r3++#8); r17:16 = memd(r5++#8) }
{ v20.w += vrmpy(v22.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b); v21 = vmem(r2++#1); v12.w += vasr(v4.w,r1) }
{ v19.w += vrmpy(v22.ub,r14.b); v18.w += vrmpy(v28.ub,r14.b); v27 = vmem(r2++#1); v13.w += vasr(v5.w,r1) }
{ v25.w += vrmpy(v22.ub,r16.b); v23.w += vrmpy(v28.ub,r16.b); r19:18 = memd(r6++#8); v15.w += vasr(v7.w,r1) }
{ v20.w += vrmpy(v21.ub,r13.b); v17.w += vrmpy(v27.ub,r13.b); v14.w += vasr(v6.w,r1) }
{ v26.w += vrmpy(v22.ub,r18.b); v24.w += vrmpy(v28.ub,r18.b) }
{ v26.w += vrmpy(v21.ub,r19.b); v24.w += vrmpy(v27.ub,r19.b); v22 = vmem(r2++#1) }
{ v25.w += vrmpy(v21.ub,r17.b); v23.w += vrmpy(v27.ub,r17.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v19.w += vrmpy(v21.ub,r15.b); v18.w += vrmpy(v27.ub,r15.b); r15:14 = memd(r6++#8) }
{ v19.w += vrmpy(v22.ub,r12.b); v18.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r4++#8); v21 = vmem(r2++#1) }
{ v26.w += vrmpy(v22.ub,r14.b); v24.w += vrmpy(v28.ub,r14.b); v27 = vmem(r2++#1) }
{ v20.w += vrmpy(v22.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b); r19:18 = memd(r5++#8) }
{ v19.w += vrmpy(v21.ub,r13.b); v18.w += vrmpy(v27.ub,r13.b); r13:12 = memd(r7++#8); r21:20 = memd(r8++#8) }
{ v25.w += vrmpy(v22.ub,r18.b); v23.w += vrmpy(v28.ub,r18.b); r23:22 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v26.w += vrmpy(v21.ub,r15.b); v24.w += vrmpy(v27.ub,r15.b); v18.h = vasr(v18.w,v19.w,r0) }
{ v25.w += vrmpy(v21.ub,r19.b); v23.w += vrmpy(v27.ub,r19.b); v19 = vmem(r2++#1); r11 = combine(r21.l,r13.l) }
{ v20.w += vrmpy(v21.ub,r17.b); v17.w += vrmpy(v27.ub,r17.b); r14 = combine(r25.l,r23.l); v21.h = vasr(v24.w,v26.w,r0) }
{ v23 = vsplat(r11); v24 = vsplat(r14); v22.h = vasr(v23.w,v25.w,r0) }
{ v17.h = vasr(v17.w,v20.w,r0); v20.h = vmpy(v19.h,r22.h):<<1:rnd:sat }
{ v26.h = vshuffo(v23.h,v23.h); v25.h = vmpy(v19.h,r20.h):<<1:rnd:sat }
{ v26.h = vshuffe(v23.h,v23.h); v23.h = vmpy(v19.h,r12.h):<<1:rnd:sat; v17.h = vsub(v17.h,v26.h) }
{ v26.h = vshuffo(v24.h,v24.h); v18.h = vsub(v18.h,v26.h); v19.h = vmpy(v19.h,r24.h):<<1:rnd:sat }
{ v21.h = vshuffe(v24.h,v24.h); v3:2.w = vmpy(v17.h,v25.h); v17.h = vsub(v21.h,v26.h) }
{ v1:0.w = vmpy(v18.h,v23.h); v21.h = vsub(v22.h,v21.h); v18 = vmem(r2++#1) }
{ v7:6.w = vmpy(v17.h,v19.h); v17 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v5:4.w = vmpy(v21.h,v20.h); r15:14 = memd(r3++#8); v19 = vmem(r2++#1) }
{ v22.w = vrmpy(v18.ub,r12.b); v20.w = vrmpy(v17.ub,r12.b); v21 = vmem(r2++#1) }
{ v24.w = vrmpy(v18.ub,r14.b); v23.w = vrmpy(v17.ub,r14.b); r17:16 = memd(r5++#8) }
{ v24.w += vrmpy(v19.ub,r15.b); v23.w += vrmpy(v21.ub,r15.b) }
{ v26.w = vrmpy(v18.ub,r16.b); v25.w = vrmpy(v17.ub,r16.b); r15:14 = memd(r6++#8) }
{ v26.w += vrmpy(v19.ub,r17.b); v25.w += vrmpy(v21.ub,r17.b) }
{ v18.w = vrmpy(v18.ub,r14.b); v17.w = vrmpy(v17.ub,r14.b); v27 = vmem(r2++#1) }
{ v22.w += vrmpy(v19.ub,r13.b); v20.w += vrmpy(v21.ub,r13.b); v28 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v18.w += vrmpy(v19.ub,r15.b); v17.w += vrmpy(v21.ub,r15.b); r15:14 = memd(r3++#8); v19 = vmem(r2++#1) }
{ v22.w += vrmpy(v27.ub,r12.b); v20.w += vrmpy(v28.ub,r12.b); v21 = vmem(r2++#1) }
{ v24.w += vrmpy(v27.ub,r14.b); v23.w += vrmpy(v28.ub,r14.b) }
{ r13:12 = memd(r6++#8); v22.w += vrmpy(v19.ub,r13.b); v20.w += vrmpy(v21.ub,r13.b) }
{ v24.w += vrmpy(v19.ub,r15.b); v23.w += vrmpy(v21.ub,r15.b) }
{ r15:14 = memd(r5++#8); v18.w += vrmpy(v27.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b) }
{ v18.w += vrmpy(v19.ub,r13.b); v17.w += vrmpy(v21.ub,r13.b); v29 = vmem(r2++#1) }
{ v26.w += vrmpy(v27.ub,r14.b); v25.w += vrmpy(v28.ub,r14.b); v27 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v26.w += vrmpy(v19.ub,r15.b); v25.w += vrmpy(v21.ub,r15.b); r15:14 = memd(r5++#8) }
{ v24.w += vrmpy(v29.ub,r12.b); v23.w += vrmpy(v27.ub,r12.b); r17:16 = memd(r4++#8); v19 = vmem(r2++#1) }
{ v26.w += vrmpy(v29.ub,r14.b); v25.w += vrmpy(v27.ub,r14.b); v21 = vmem(r2++#1) }
{ v22.w += vrmpy(v29.ub,r16.b); v20.w += vrmpy(v27.ub,r16.b); r19:18 = memd(r6++#8) }
{ v24.w += vrmpy(v19.ub,r13.b); v23.w += vrmpy(v21.ub,r13.b) }
{ v18.w += vrmpy(v29.ub,r18.b); v17.w += vrmpy(v27.ub,r18.b) }
{ v26.w += vrmpy(v19.ub,r15.b); v25.w += vrmpy(v21.ub,r15.b); v27 = vmem(r2++#1) }
{ v22.w += vrmpy(v19.ub,r17.b); v20.w += vrmpy(v21.ub,r17.b); v28 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v18.w += vrmpy(v19.ub,r19.b); v17.w += vrmpy(v21.ub,r19.b); r15:14 = memd(r3++#8) }
{ v22.w += vrmpy(v27.ub,r12.b); v20.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r6++#8) }
{ v24.w += vrmpy(v27.ub,r14.b); v23.w += vrmpy(v28.ub,r14.b); r19:18 = memd(r5++#8); v19 = vmem(r2++#1) }
{ v18.w += vrmpy(v27.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b); v21 = vmem(r2++#1) }
{ v26.w += vrmpy(v27.ub,r18.b); v25.w += vrmpy(v28.ub,r18.b); r21:20 = memd(r9++#8); r23:22 = memd(r10++#8) }
{ v18.w += vrmpy(v19.ub,r17.b); v17.w += vrmpy(v21.ub,r17.b); r17:16 = memd(r7++#8); r25:24 = memd(r8++#8) }
{ v22.w += vrmpy(v19.ub,r13.b); v20.w += vrmpy(v21.ub,r13.b); v27 = vmem(r2++#1) }
{ v26.w += vrmpy(v19.ub,r19.b); v25.w += vrmpy(v21.ub,r19.b); r11 = combine(r23.l,r21.l); v17.h = vasr(v17.w,v18.w,r0) }
{ v24.w += vrmpy(v19.ub,r15.b); v23.w += vrmpy(v21.ub,r15.b); r12 = combine(r25.l,r17.l); v18.h = vasr(v20.w,v22.w,r0) }
{ v20 = vsplat(r12); v21 = vsplat(r11); v19.h = vasr(v25.w,v26.w,r0) }
{ v22.h = vasr(v23.w,v24.w,r0); v23.h = vmpy(v27.h,r16.h):<<1:rnd:sat }
{ v26.h = vshuffe(v20.h,v20.h); v25.h = vmpy(v27.h,r20.h):<<1:rnd:sat; v24 = v16 }
{ v26.h = vshuffo(v20.h,v20.h); v20.h = vsub(v22.h,v26.h); v22.h = vmpy(v27.h,r22.h):<<1:rnd:sat }
{ v27.h = vshuffe(v21.h,v21.h); v18.h = vsub(v18.h,v26.h); v26.h = vmpy(v27.h,r24.h):<<1:rnd:sat }
{ v20.h = vshuffo(v21.h,v21.h); v1:0.w += vmpy(v20.h,v23.h); v19.h = vsub(v19.h,v27.h) }
{ v3:2.w += vmpy(v18.h,v26.h); v18.h = vsub(v17.h,v20.h); v17 = vmem(r2++#1); r13:12 = memd(r5++#8) }
{ v5:4.w += vmpy(v19.h,v25.h); v20 = vmem(r2++#1); r15:14 = memd(r3++#8); v19 = v16 }
{ v7:6.w += vmpy(v18.h,v22.h); v18 = v16; r17:16 = memd(r4++#8); v21 = v16 }
{ v24.w += vrmpy(v17.ub,r14.b); v18.w += vrmpy(v20.ub,r14.b); v22 = v16; v23 = vmem(r2++#1) }
{ v21.w += vrmpy(v17.ub,r16.b); v19.w += vrmpy(v20.ub,r16.b); v25 = v16; v26 = vmem(r2++#1) }
{ v22.w += vrmpy(v17.ub,r12.b); v25.w += vrmpy(v20.ub,r12.b); r19:18 = memd(r6++#8) }
{ v28 = v16; v27 = v16; v24.w += vrmpy(v23.ub,r15.b); v18.w += vrmpy(v26.ub,r15.b) }
{ v28.w += vrmpy(v17.ub,r18.b); v27.w += vrmpy(v20.ub,r18.b) }
{ v22.w += vrmpy(v23.ub,r13.b); v25.w += vrmpy(v26.ub,r13.b); v17 = vmem(r2++#1) }
{ v28.w += vrmpy(v23.ub,r19.b); v27.w += vrmpy(v26.ub,r19.b); v20 = vmem(r2++#1); r13:12 = memd(r6++#8) }
{ v21.w += vrmpy(v23.ub,r17.b); v19.w += vrmpy(v26.ub,r17.b); r15:14 = memd(r4++#8) }
{ r17:16 = memd(r3++#8); v28.w += vrmpy(v17.ub,r12.b); v27.w += vrmpy(v20.ub,r12.b) }
{ v21.w += vrmpy(v17.ub,r14.b); v19.w += vrmpy(v20.ub,r14.b); r19:18 = memd(r5++#8); v23 = vmem(r2++#1) }
{ v24.w += vrmpy(v17.ub,r16.b); v18.w += vrmpy(v20.ub,r16.b); v26 = vmem(r2++#1) }
{ v22.w += vrmpy(v17.ub,r18.b); v25.w += vrmpy(v20.ub,r18.b) }
{ v24.w += vrmpy(v23.ub,r17.b); v18.w += vrmpy(v26.ub,r17.b); v17 = vmem(r2++#1) }
{ v22.w += vrmpy(v23.ub,r19.b); v25.w += vrmpy(v26.ub,r19.b); v20 = vmem(r2++#1); r17:16 = memd(r3++#8) }
{ v21.w += vrmpy(v23.ub,r15.b); v19.w += vrmpy(v26.ub,r15.b); r15:14 = memd(r4++#8) }
{ v24.w += vrmpy(v17.ub,r16.b); v18.w += vrmpy(v20.ub,r16.b) }
{ v21.w += vrmpy(v17.ub,r14.b); v19.w += vrmpy(v20.ub,r14.b); r19:18 = memd(r5++#8); v29 = vmem(r2++#1) }
{ v28.w += vrmpy(v23.ub,r13.b); v27.w += vrmpy(v26.ub,r13.b); v23 = vmem(r2++#1) }
{ v22.w += vrmpy(v17.ub,r18.b); v25.w += vrmpy(v20.ub,r18.b) }
{ r13:12 = memd(r6++#8); v21.w += vrmpy(v29.ub,r15.b); v19.w += vrmpy(v23.ub,r15.b) }
{ v24.w += vrmpy(v29.ub,r17.b); v18.w += vrmpy(v23.ub,r17.b) }
{ v28.w += vrmpy(v17.ub,r12.b); v27.w += vrmpy(v20.ub,r12.b); v17 = vmem(r2++#1) }
{ v28.w += vrmpy(v29.ub,r13.b); v27.w += vrmpy(v23.ub,r13.b); v20 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v22.w += vrmpy(v29.ub,r19.b); v25.w += vrmpy(v23.ub,r19.b); r15:14 = memd(r5++#8) }
{ v24.w += vrmpy(v17.ub,r12.b); v18.w += vrmpy(v20.ub,r12.b); r17:16 = memd(r4++#8) }
{ v22.w += vrmpy(v17.ub,r14.b); v25.w += vrmpy(v20.ub,r14.b); r19:18 = memd(r6++#8); v23 = vmem(r2++#1) }
{ v21.w += vrmpy(v17.ub,r16.b); v19.w += vrmpy(v20.ub,r16.b); v26 = vmem(r2++#1) }
{ v28.w += vrmpy(v17.ub,r18.b); v27.w += vrmpy(v20.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v24.w += vrmpy(v23.ub,r13.b); v18.w += vrmpy(v26.ub,r13.b); r13:12 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v28.w += vrmpy(v23.ub,r19.b); v27.w += vrmpy(v26.ub,r19.b); v17 = vmem(r2++#1) }
{ v22.w += vrmpy(v23.ub,r15.b); v25.w += vrmpy(v26.ub,r15.b); r11 = combine(r23.l,r21.l); v18.h = vasr(v18.w,v24.w,r0) }
{ v21.w += vrmpy(v23.ub,r17.b); v19.w += vrmpy(v26.ub,r17.b); r14 = combine(r25.l,r13.l); v20.h = vasr(v27.w,v28.w,r0) }
{ v23 = vsplat(r11); v24 = vsplat(r14); v22.h = vasr(v25.w,v22.w,r0) }
{ v21.h = vmpy(v17.h,r20.h):<<1:rnd:sat; v19.h = vasr(v19.w,v21.w,r0) }
{ v26.h = vshuffo(v23.h,v23.h); v25.h = vmpy(v17.h,r12.h):<<1:rnd:sat }
{ v26.h = vshuffe(v23.h,v23.h); v19.h = vsub(v19.h,v26.h); v23.h = vmpy(v17.h,r22.h):<<1:rnd:sat }
{ v26.h = vshuffo(v24.h,v24.h); v17.h = vsub(v18.h,v26.h); v18.h = vmpy(v17.h,r24.h):<<1:rnd:sat }
{ v20.h = vshuffe(v24.h,v24.h); v3:2.w += vmpy(v19.h,v23.h); v19.h = vsub(v20.h,v26.h) }
{ v1:0.w += vmpy(v17.h,v21.h); v20.h = vsub(v22.h,v20.h); v17 = vmem(r2++#1) }
{ v7:6.w += vmpy(v19.h,v18.h); v18 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v5:4.w += vmpy(v20.h,v25.h); r15:14 = memd(r5++#8) }
{ v20.w = vrmpy(v17.ub,r12.b); v19.w = vrmpy(v18.ub,r12.b); r17:16 = memd(r6++#8) }
{ r19:18 = memd(r4++#8); v22.w = vrmpy(v17.ub,r14.b); v21.w = vrmpy(v18.ub,r14.b); v23 = vmem(r2++#1) }
{ v26.w = vrmpy(v17.ub,r16.b); v24.w = vrmpy(v18.ub,r16.b); v25 = vmem(r2++#1) }
{ v18.w = vrmpy(v17.ub,r18.b); v17.w = vrmpy(v18.ub,r18.b) }
{ v18.w += vrmpy(v23.ub,r19.b); v17.w += vrmpy(v25.ub,r19.b); v27 = vmem(r2++#1) }
{ v20.w += vrmpy(v23.ub,r13.b); v19.w += vrmpy(v25.ub,r13.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v26.w += vrmpy(v23.ub,r17.b); v24.w += vrmpy(v25.ub,r17.b) }
{ v20.w += vrmpy(v27.ub,r12.b); v19.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r6++#8) }
{ v22.w += vrmpy(v23.ub,r15.b); v21.w += vrmpy(v25.ub,r15.b); r15:14 = memd(r4++#8) }
{ r19:18 = memd(r5++#8); v26.w += vrmpy(v27.ub,r16.b); v24.w += vrmpy(v28.ub,r16.b); v23 = vmem(r2++#1) }
{ v18.w += vrmpy(v27.ub,r14.b); v17.w += vrmpy(v28.ub,r14.b); v25 = vmem(r2++#1) }
{ v22.w += vrmpy(v27.ub,r18.b); v21.w += vrmpy(v28.ub,r18.b) }
{ v22.w += vrmpy(v23.ub,r19.b); v21.w += vrmpy(v25.ub,r19.b) }
{ v20.w += vrmpy(v23.ub,r13.b); v19.w += vrmpy(v25.ub,r13.b); v27 = vmem(r2++#1) }
{ v26.w += vrmpy(v23.ub,r17.b); v24.w += vrmpy(v25.ub,r17.b); v28 = vmem(r2++#1); r13:12 = memd(r5++#8) }
{ v18.w += vrmpy(v23.ub,r15.b); v17.w += vrmpy(v25.ub,r15.b); r15:14 = memd(r3++#8) }
{ r17:16 = memd(r4++#8); v22.w += vrmpy(v27.ub,r12.b); v21.w += vrmpy(v28.ub,r12.b); v23 = vmem(r2++#1) }
{ v20.w += vrmpy(v27.ub,r14.b); v19.w += vrmpy(v28.ub,r14.b); v25 = vmem(r2++#1) }
{ v18.w += vrmpy(v27.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b) }
{ v22.w += vrmpy(v23.ub,r13.b); v21.w += vrmpy(v25.ub,r13.b) }
{ r15:14 = memd(r6++#8); v20.w += vrmpy(v23.ub,r15.b); v19.w += vrmpy(v25.ub,r15.b); r13:12 = memd(r3++#8) }
{ v18.w += vrmpy(v23.ub,r17.b); v17.w += vrmpy(v25.ub,r17.b); v29 = vmem(r2++#1); r17:16 = memd(r4++#8) }
{ v26.w += vrmpy(v27.ub,r14.b); v24.w += vrmpy(v28.ub,r14.b); v27 = vmem(r2++#1); r19:18 = memd(r5++#8) }
{ v26.w += vrmpy(v23.ub,r15.b); v24.w += vrmpy(v25.ub,r15.b); r15:14 = memd(r7++#8); r21:20 = memd(r10++#8) }
{ v20.w += vrmpy(v29.ub,r12.b); v19.w += vrmpy(v27.ub,r12.b); r23:22 = memd(r8++#8); r25:24 = memd(r9++#8) }
{ v18.w += vrmpy(v29.ub,r16.b); v17.w += vrmpy(v27.ub,r16.b); r27:26 = memd(r6++#8); v23 = vmem(r2++#1) }
{ v22.w += vrmpy(v29.ub,r18.b); v21.w += vrmpy(v27.ub,r18.b); v25 = vmem(r2++#1) }
{ v26.w += vrmpy(v29.ub,r26.b); v24.w += vrmpy(v27.ub,r26.b); r11 = combine(r23.l,r15.l); r28 = combine(r21.l,r25.l) }
{ v27 = vsplat(r11); v28 = vsplat(r28) }
{ v22.w += vrmpy(v23.ub,r19.b); v21.w += vrmpy(v25.ub,r19.b) }
{ v20.w += vrmpy(v23.ub,r13.b); v19.w += vrmpy(v25.ub,r13.b); v29 = vmem(r2++#1); v30.h = vshuffo(v27.h,v27.h) }
{ v18.w += vrmpy(v23.ub,r17.b); v17.w += vrmpy(v25.ub,r17.b); v22.h = vshuffe(v27.h,v27.h); v21.h = vasr(v21.w,v22.w,r0) }
{ v26.w += vrmpy(v23.ub,r27.b); v24.w += vrmpy(v25.ub,r27.b); v20.h = vshuffe(v28.h,v28.h); v19.h = vasr(v19.w,v20.w,r0) }
{ v23.h = vshuffo(v28.h,v28.h); v19.h = vsub(v19.h,v22.h); v22.h = vmpy(v29.h,r24.h):<<1:rnd:sat }
{ v18.h = vmpy(v29.h,r14.h):<<1:rnd:sat; v17.h = vasr(v17.w,v18.w,r0); v25.h = vsub(v21.h,v20.h) }
{ v21.h = vsub(v17.h,v30.h); v24.h = vmpy(v29.h,r22.h):<<1:rnd:sat; v20.h = vasr(v24.w,v26.w,r0) }:endloop0
{ v1:0.w += vmpy(v19.h,v18.h) }
{ v3:2.w += vmpy(v21.h,v24.h) }
{ v9.w += vasr(v1.w,r1); v28.h = vsub(v20.h,v23.h) }
{ v8.w += vasr(v0.w,r1); v5:4.w += vmpy(v25.h,v22.h) }
{ v11.w += vasr(v3.w,r1); v29.h = vmpy(v29.h,r20.h):<<1:rnd:sat }
{ v10.w += vasr(v2.w,r1); v7:6.w += vmpy(v28.h,v29.h) }
{ v12.w += vasr(v4.w,r1) }
{ v13.w += vasr(v5.w,r1) }
{ v15.w += vasr(v7.w,r1) }
{ v14.w += vasr(v6.w,r1) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ vmem(r28+#2) = v10; r21:20 = memd(r29+#16) }
{ vmem(r28+#3) = v11; r23:22 = memd(r29+#24) }
{ vmem(r28+#4) = v12; r25:24 = memd(r29+#32) }
{ vmem(r28+#5) = v13; r27:26 = memd(r29+#40) }
{ vmem(r28+#6) = v14 }
{ vmem(r28+#7) = v15 }
{ dealloc_return }
.size hvx_sum_expanded_odd_rows, .-hvx_sum_expanded_odd_rows

// 165 packets (164 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_expanded_fourth_rows
.hidden hvx_sum_expanded_fourth_rows
.type hvx_sum_expanded_fourth_rows,@function
hvx_sum_expanded_fourth_rows:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); r0 = ##4 }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##8 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_expanded_fourth_rows,r30); v8 = vmem(r31+#0); memw(r29+#48) = r31 }
{ v9 = vmem(r31+#1); r2 = memw(r28+#0) }
{ v10 = vmem(r31+#2); r3 = memw(r28+#16) }
{ v11 = vmem(r31+#3); r4 = memw(r28+#20) }
{ v12 = vmem(r31+#4); r5 = memw(r28+#24) }
{ v13 = vmem(r31+#5); r6 = memw(r28+#28) }
{ v14 = vmem(r31+#6); r7 = memw(r28+#32) }
{ v15 = vmem(r31+#7); r8 = memw(r28+#36) }
{ r9 = memw(r28+#40); r10 = memw(r28+#44) }
{ r1 = memw(r28+#52) }
{ v18 = v16; v17 = v16 }
{ v19 = v16 }
{ v20 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v22 = vmem(r2++#1); v21 = v16 }
{ r15:14 = memd(r3++#8); v23 = v16 }
{ v23.w += vrmpy(v20.ub,r12.b); v21.w += vrmpy(v22.ub,r12.b); r17:16 = memd(r5++#8); v24 = v16 }
{ v18.w += vrmpy(v20.ub,r14.b); v17.w += vrmpy(v22.ub,r14.b); r19:18 = memd(r6++#8); v25 = vmem(r2++#1) }
{ v24.w += vrmpy(v20.ub,r16.b); v19.w += vrmpy(v22.ub,r16.b); v27 = v16; v26 = v16 }
{ v27.w += vrmpy(v20.ub,r18.b); v26.w += vrmpy(v22.ub,r18.b); v20 = vmem(r2++#1) }
{ v24.w += vrmpy(v25.ub,r17.b); v19.w += vrmpy(v20.ub,r17.b) }
{ v27.w += vrmpy(v25.ub,r19.b); v26.w += vrmpy(v20.ub,r19.b); v22 = vmem(r2++#1) }
{ v23.w += vrmpy(v25.ub,r13.b); v21.w += vrmpy(v20.ub,r13.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v18.w += vrmpy(v25.ub,r15.b); v17.w += vrmpy(v20.ub,r15.b); r15:14 = memd(r5++#8) }
{ v18.w += vrmpy(v22.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r4++#8) }
{ v24.w += vrmpy(v22.ub,r14.b); v19.w += vrmpy(v28.ub,r14.b); r19:18 = memd(r6++#8); v20 = vmem(r2++#1) }
{ v23.w += vrmpy(v22.ub,r16.b); v21.w += vrmpy(v28.ub,r16.b); v25 = vmem(r2++#1) }
{ v27.w += vrmpy(v22.ub,r18.b); v26.w += vrmpy(v28.ub,r18.b) }
{ v24.w += vrmpy(v20.ub,r15.b); v19.w += vrmpy(v25.ub,r15.b); v22 = vmem(r2++#1) }
{ v18.w += vrmpy(v20.ub,r13.b); v17.w += vrmpy(v25.ub,r13.b); v28 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v23.w += vrmpy(v20.ub,r17.b); v21.w += vrmpy(v25.ub,r17.b) }
{ r15:14 = memd(r3++#8); v23.w += vrmpy(v22.ub,r12.b); v21.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r5++#8) }
{ v27.w += vrmpy(v20.ub,r19.b); v26.w += vrmpy(v25.ub,r19.b); r19:18 = memd(r6++#8) }
{ v18.w += vrmpy(v22.ub,r14.b); v17.w += vrmpy(v28.ub,r14.b); v20 = vmem(r2++#1) }
{ v27.w += vrmpy(v22.ub,r18.b); v26.w += vrmpy(v28.ub,r18.b); v25 = vmem(r2++#1) }
{ v24.w += vrmpy(v22.ub,r16.b); v19.w += vrmpy(v28.ub,r16.b) }
{ v27.w += vrmpy(v20.ub,r19.b); v26.w += vrmpy(v25.ub,r19.b) }
{ v23.w += vrmpy(v20.ub,r13.b); v21.w += vrmpy(v25.ub,r13.b); v22 = vmem(r2++#1) }
{ v18.w += vrmpy(v20.ub,r15.b); v17.w += vrmpy(v25.ub,r15.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v24.w += vrmpy(v20.ub,r17.b); v19.w += vrmpy(v25.ub,r17.b); r15:14 = memd(r4++#8); v20 = vmem(r2++#1) }
{ v18.w += vrmpy(v22.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b); v25 = vmem(r2++#1) }
{ v23.w += vrmpy(v22.ub,r14.b); v21.w += vrmpy(v28.ub,r14.b) }
{ r13:12 = memd(r5++#8); r17:16 = memd(r6++#8); v18.w += vrmpy(v20.ub,r13.b); v17.w += vrmpy(v25.ub,r13.b) }
{ v23.w += vrmpy(v20.ub,r15.b); v21.w += vrmpy(v25.ub,r15.b); r15:14 = memd(r7++#8); r19:18 = memd(r10++#8) }
{ v24.w += vrmpy(v22.ub,r12.b); v19.w += vrmpy(v28.ub,r12.b); r21:20 = memd(r8++#8); v17.h = vasr(v17.w,v18.w,r0) }
{ v24.w += vrmpy(v20.ub,r13.b); v19.w += vrmpy(v25.ub,r13.b); r13:12 = memd(r9++#8); v18.h = vasr(v21.w,v23.w,r0) }
{ v27.w += vrmpy(v22.ub,r16.b); v26.w += vrmpy(v28.ub,r16.b); v21 = vmem(r2++#1) }
{ v27.w += vrmpy(v20.ub,r17.b); v26.w += vrmpy(v25.ub,r17.b); v19.h = vasr(v19.w,v24.w,r0) }
{ r11 = combine(r21.l,r15.l); r14 = combine(r19.l,r13.l); v20.h = vmpy(v21.h,r14.h):<<1:rnd:sat }
{ v24 = vsplat(r11); v25 = vsplat(r14); v23.h = vasr(v26.w,v27.w,r0); v22 = vmem(r2++#1) }
{ v28.h = vmpy(v21.h,r20.h):<<1:rnd:sat; v27 = vmem(r2++#1); v26 = v16 }
{ v31.h = vshuffe(v25.h,v25.h); v30.h = vmpy(v21.h,r12.h):<<1:rnd:sat; r13:12 = memd(r4++#8); v29 = v16 }
{ v31.h = vshuffo(v24.h,v24.h); v19.h = vsub(v19.h,v31.h); v21.h = vmpy(v21.h,r18.h):<<1:rnd:sat }
{ v24.h = vshuffe(v24.h,v24.h); v18.h = vsub(v18.h,v31.h); v29.w += vrmpy(v22.ub,r12.b); v26.w += vrmpy(v27.ub,r12.b) }
{ v19.h = vshuffo(v25.h,v25.h); v17.h = vsub(v17.h,v24.h); v5:4.w = vmpy(v19.h,v30.h) }
{ v3:2.w = vmpy(v18.h,v28.h); v18.h = vsub(v23.h,v19.h) }
{ v1:0.w = vmpy(v17.h,v20.h); r15:14 = memd(r3++#8); v17 = v16; v19 = vmem(r2++#1) }
{ v7:6.w = vmpy(v18.h,v21.h); v18 = v16; v20 = vmem(r2++#1) }
{ v17.w += vrmpy(v22.ub,r14.b); v18.w += vrmpy(v27.ub,r14.b); r17:16 = memd(r5++#8) }
{ v23 = v16; v21 = v16; v29.w += vrmpy(v19.ub,r13.b); v26.w += vrmpy(v20.ub,r13.b) }
{ v23.w += vrmpy(v22.ub,r16.b); v21.w += vrmpy(v27.ub,r16.b); r13:12 = memd(r6++#8) }
{ v25 = v16; v24 = v16; v23.w += vrmpy(v19.ub,r17.b); v21.w += vrmpy(v20.ub,r17.b) }
{ v25.w += vrmpy(v22.ub,r12.b); v24.w += vrmpy(v27.ub,r12.b); v22 = vmem(r2++#1) }
{ v25.w += vrmpy(v19.ub,r13.b); v24.w += vrmpy(v20.ub,r13.b); v27 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v17.w += vrmpy(v19.ub,r15.b); v18.w += vrmpy(v20.ub,r15.b); r15:14 = memd(r3++#8); v19 = vmem(r2++#1) }
{ v29.w += vrmpy(v22.ub,r12.b); v26.w += vrmpy(v27.ub,r12.b); v20 = vmem(r2++#1) }
{ v17.w += vrmpy(v22.ub,r14.b); v18.w += vrmpy(v27.ub,r14.b) }
{ r13:12 = memd(r5++#8); v29.w += vrmpy(v19.ub,r13.b); v26.w += vrmpy(v20.ub,r13.b) }
{ v17.w += vrmpy(v19.ub,r15.b); v18.w += vrmpy(v20.ub,r15.b) }
{ v23.w += vrmpy(v22.ub,r12.b); v21.w += vrmpy(v27.ub,r12.b); r15:14 = memd(r6++#8) }
{ v23.w += vrmpy(v19.ub,r13.b); v21.w += vrmpy(v20.ub,r13.b); v28 = vmem(r2++#1) }
{ v25.w += vrmpy(v22.ub,r14.b); v24.w += vrmpy(v27.ub,r14.b); v22 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v25.w += vrmpy(v19.ub,r15.b); v24.w += vrmpy(v20.ub,r15.b); r15:14 = memd(r3++#8) }
{ v29.w += vrmpy(v28.ub,r12.b); v26.w += vrmpy(v22.ub,r12.b); r17:16 = memd(r6++#8) }
{ v17.w += vrmpy(v28.ub,r14.b); v18.w += vrmpy(v22.ub,r14.b); r19:18 = memd(r5++#8); v19 = vmem(r2++#1) }
{ v25.w += vrmpy(v28.ub,r16.b); v24.w += vrmpy(v22.ub,r16.b); v20 = vmem(r2++#1) }
{ v23.w += vrmpy(v28.ub,r18.b); v21.w += vrmpy(v22.ub,r18.b) }
{ v29.w += vrmpy(v19.ub,r13.b); v26.w += vrmpy(v20.ub,r13.b) }
{ v17.w += vrmpy(v19.ub,r15.b); v18.w += vrmpy(v20.ub,r15.b); v22 = vmem(r2++#1) }
{ v25.w += vrmpy(v19.ub,r17.b); v24.w += vrmpy(v20.ub,r17.b); v27 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v23.w += vrmpy(v19.ub,r19.b); v21.w += vrmpy(v20.ub,r19.b); r15:14 = memd(r3++#8) }
{ v29.w += vrmpy(v22.ub,r12.b); v26.w += vrmpy(v27.ub,r12.b); r17:16 = memd(r6++#8) }
{ v17.w += vrmpy(v22.ub,r14.b); v18.w += vrmpy(v27.ub,r14.b); r19:18 = memd(r5++#8); v19 = vmem(r2++#1) }
{ v25.w += vrmpy(v22.ub,r16.b); v24.w += vrmpy(v27.ub,r16.b); v20 = vmem(r2++#1) }
{ v23.w += vrmpy(v22.ub,r18.b); v21.w += vrmpy(v27.ub,r18.b) }
{ v23.w += vrmpy(v19.ub,r19.b); v21.w += vrmpy(v20.ub,r19.b); r19:18 = memd(r7++#8); r21:20 = memd(r9++#8) }
{ v29.w += vrmpy(v19.ub,r13.b); v26.w += vrmpy(v20.ub,r13.b); r13:12 = memd(r8++#8); r23:22 = memd(r10++#8) }
{ v17.w += vrmpy(v19.ub,r15.b); v18.w += vrmpy(v20.ub,r15.b); v22 = vmem(r2++#1); v21.h = vasr(v21.w,v23.w,r0) }
{ v25.w += vrmpy(v19.ub,r17.b); v24.w += vrmpy(v20.ub,r17.b); v19.h = vasr(v26.w,v29.w,r0) }
{ r11 = combine(r13.l,r19.l); r12 = combine(r23.l,r21.l); v17.h = vasr(v18.w,v17.w,r0); v18.h = vmpy(v22.h,r12.h):<<1:rnd:sat }
{ v24 = vsplat(r11); v25 = vsplat(r12); v23.h = vasr(v24.w,v25.w,r0); v20 = vmem(r2++#1) }
{ v28.h = vmpy(v22.h,r18.h):<<1:rnd:sat; v27 = vmem(r2++#1); v26 = v16 }
{ v31.h = vshuffe(v24.h,v24.h); v30.h = vmpy(v22.h,r20.h):<<1:rnd:sat; r13:12 = memd(r3++#8); v29 = v16 }
{ v24.h = vshuffo(v24.h,v24.h); v17.h = vsub(v17.h,v31.h); v22.h = vmpy(v22.h,r22.h):<<1:rnd:sat }
{ v24.h = vshuffo(v25.h,v25.h); v19.h = vsub(v19.h,v24.h); v29.w += vrmpy(v20.ub,r12.b); v26.w += vrmpy(v27.ub,r12.b) }
{ v23.h = vshuffe(v25.h,v25.h); v1:0.w += vmpy(v17.h,v28.h); v17.h = vsub(v23.h,v24.h) }
{ v3:2.w += vmpy(v19.h,v18.h); v18.h = vsub(v21.h,v23.h) }
{ v7:6.w += vmpy(v17.h,v22.h); v17 = v16; r15:14 = memd(r5++#8); v19 = v16 }
{ v5:4.w += vmpy(v18.h,v30.h); r17:16 = memd(r4++#8); v18 = v16; v21 = vmem(r2++#1) }
{ v22 = v16; v19.w += vrmpy(v20.ub,r14.b); v18.w += vrmpy(v27.ub,r14.b); v23 = vmem(r2++#1) }
{ v17.w += vrmpy(v20.ub,r16.b); v22.w += vrmpy(v27.ub,r16.b); r19:18 = memd(r6++#8) }
{ v25 = v16; v24 = v16; v19.w += vrmpy(v21.ub,r15.b); v18.w += vrmpy(v23.ub,r15.b) }
{ v25.w += vrmpy(v20.ub,r18.b); v24.w += vrmpy(v27.ub,r18.b); v20 = vmem(r2++#1) }
{ v25.w += vrmpy(v21.ub,r19.b); v24.w += vrmpy(v23.ub,r19.b); v27 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v29.w += vrmpy(v21.ub,r13.b); v26.w += vrmpy(v23.ub,r13.b) }
{ v29.w += vrmpy(v20.ub,r14.b); v26.w += vrmpy(v27.ub,r14.b); r13:12 = memd(r4++#8) }
{ v17.w += vrmpy(v21.ub,r17.b); v22.w += vrmpy(v23.ub,r17.b); r17:16 = memd(r5++#8); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v20.ub,r12.b); v22.w += vrmpy(v27.ub,r12.b); v23 = vmem(r2++#1) }
{ v19.w += vrmpy(v20.ub,r16.b); v18.w += vrmpy(v27.ub,r16.b) }
{ v19.w += vrmpy(v21.ub,r17.b); v18.w += vrmpy(v23.ub,r17.b) }
{ r13:12 = memd(r6++#8); v17.w += vrmpy(v21.ub,r13.b); v22.w += vrmpy(v23.ub,r13.b) }
{ v29.w += vrmpy(v21.ub,r15.b); v26.w += vrmpy(v23.ub,r15.b); v28 = vmem(r2++#1) }
{ v25.w += vrmpy(v20.ub,r12.b); v24.w += vrmpy(v27.ub,r12.b); v20 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v25.w += vrmpy(v21.ub,r13.b); v24.w += vrmpy(v23.ub,r13.b); r13:12 = memd(r6++#8) }
{ v29.w += vrmpy(v28.ub,r14.b); v26.w += vrmpy(v20.ub,r14.b); r17:16 = memd(r4++#8) }
{ r19:18 = memd(r5++#8); v25.w += vrmpy(v28.ub,r12.b); v24.w += vrmpy(v20.ub,r12.b); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v28.ub,r16.b); v22.w += vrmpy(v20.ub,r16.b); v23 = vmem(r2++#1) }
{ v19.w += vrmpy(v28.ub,r18.b); v18.w += vrmpy(v20.ub,r18.b) }
{ v19.w += vrmpy(v21.ub,r19.b); v18.w += vrmpy(v23.ub,r19.b) }
{ v29.w += vrmpy(v21.ub,r15.b); v26.w += vrmpy(v23.ub,r15.b); v20 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r17.b); v22.w += vrmpy(v23.ub,r17.b); v27 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v25.w += vrmpy(v21.ub,r13.b); v24.w += vrmpy(v23.ub,r13.b); r13:12 = memd(r4++#8) }
{ v29.w += vrmpy(v20.ub,r14.b); v26.w += vrmpy(v27.ub,r14.b); r17:16 = memd(r5++#8); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v20.ub,r12.b); v22.w += vrmpy(v27.ub,r12.b); v23 = vmem(r2++#1) }
{ v19.w += vrmpy(v20.ub,r16.b); v18.w += vrmpy(v27.ub,r16.b); r19:18 = memd(r6++#8) }
{ v29.w += vrmpy(v21.ub,r15.b); v26.w += vrmpy(v23.ub,r15.b); r15:14 = memd(r9++#8) }
{ v25.w += vrmpy(v20.ub,r18.b); v24.w += vrmpy(v27.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v19.w += vrmpy(v21.ub,r17.b); v18.w += vrmpy(v23.ub,r17.b); r17:16 = memd(r10++#8); v20.h = vasr(v26.w,v29.w,r0) }
{ v25.w += vrmpy(v21.ub,r19.b); v24.w += vrmpy(v23.ub,r19.b); v26 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r13.b); v22.w += vrmpy(v23.ub,r13.b); v18.h = vasr(v18.w,v19.w,r0) }
{ r11 = combine(r23.l,r21.l); r12 = combine(r17.l,r15.l); v21.h = vmpy(v26.h,r20.h):<<1:rnd:sat; v19.h = vasr(v24.w,v25.w,r0) }
{ v22 = vsplat(r11); v23 = vsplat(r12); v17.h = vasr(v22.w,v17.w,r0) }
{ v25.h = vmpy(v26.h,r22.h):<<1:rnd:sat; v24 = vmem(r2++#1) }
{ v29.h = vshuffo(v22.h,v22.h); v28.h = vmpy(v26.h,r14.h):<<1:rnd:sat; v27 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v29.h = vshuffe(v23.h,v23.h); v17.h = vsub(v17.h,v29.h); v26.h = vmpy(v26.h,r16.h):<<1:rnd:sat }
{ v30.h = vshuffo(v23.h,v23.h); v29.h = vsub(v18.h,v29.h); v23.w = vrmpy(v24.ub,r12.b); v18.w = vrmpy(v27.ub,r12.b) }
{ v19.h = vshuffe(v22.h,v22.h); v3:2.w += vmpy(v17.h,v25.h); v17.h = vsub(v19.h,v30.h) }
{ v19.h = vsub(v20.h,v19.h); v5:4.w += vmpy(v29.h,v28.h) }
{ v7:6.w += vmpy(v17.h,v26.h); r15:14 = memd(r3++#8) }
{ v1:0.w += vmpy(v19.h,v21.h); r17:16 = memd(r6++#8) }
{ v19.w = vrmpy(v24.ub,r14.b); v17.w = vrmpy(v27.ub,r14.b); r19:18 = memd(r5++#8); v20 = vmem(r2++#1) }
{ v25.w = vrmpy(v24.ub,r16.b); v21.w = vrmpy(v27.ub,r16.b); v22 = vmem(r2++#1) }
{ v26.w = vrmpy(v24.ub,r18.b); v24.w = vrmpy(v27.ub,r18.b) }
{ v19.w += vrmpy(v20.ub,r15.b); v17.w += vrmpy(v22.ub,r15.b); v27 = vmem(r2++#1) }
{ v25.w += vrmpy(v20.ub,r17.b); v21.w += vrmpy(v22.ub,r17.b); v28 = vmem(r2++#1); r15:14 = memd(r5++#8) }
{ v26.w += vrmpy(v20.ub,r19.b); v24.w += vrmpy(v22.ub,r19.b) }
{ r17:16 = memd(r3++#8); v26.w += vrmpy(v27.ub,r14.b); v24.w += vrmpy(v28.ub,r14.b) }
{ v23.w += vrmpy(v20.ub,r13.b); v18.w += vrmpy(v22.ub,r13.b); r13:12 = memd(r4++#8) }
{ v19.w += vrmpy(v27.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b); r19:18 = memd(r6++#8); v20 = vmem(r2++#1) }
{ v23.w += vrmpy(v27.ub,r12.b); v18.w += vrmpy(v28.ub,r12.b); v22 = vmem(r2++#1) }
{ v25.w += vrmpy(v27.ub,r18.b); v21.w += vrmpy(v28.ub,r18.b) }
{ v26.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v22.ub,r15.b) }
{ v25.w += vrmpy(v20.ub,r19.b); v21.w += vrmpy(v22.ub,r19.b); v27 = vmem(r2++#1) }
{ v23.w += vrmpy(v20.ub,r13.b); v18.w += vrmpy(v22.ub,r13.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v19.w += vrmpy(v20.ub,r17.b); v17.w += vrmpy(v22.ub,r17.b); r15:14 = memd(r5++#8) }
{ v19.w += vrmpy(v27.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r4++#8); v20 = vmem(r2++#1) }
{ v26.w += vrmpy(v27.ub,r14.b); v24.w += vrmpy(v28.ub,r14.b); v22 = vmem(r2++#1) }
{ v23.w += vrmpy(v27.ub,r16.b); v18.w += vrmpy(v28.ub,r16.b); r19:18 = memd(r6++#8) }
{ v26.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v22.ub,r15.b) }
{ v25.w += vrmpy(v27.ub,r18.b); v21.w += vrmpy(v28.ub,r18.b); v27 = vmem(r2++#1) }
{ v19.w += vrmpy(v20.ub,r13.b); v17.w += vrmpy(v22.ub,r13.b); r13:12 = memd(r4++#8); r15:14 = memd(r5++#8) }
{ v23.w += vrmpy(v20.ub,r17.b); v18.w += vrmpy(v22.ub,r17.b); v28 = vmem(r2++#1); r17:16 = memd(r3++#8) }
{ v25.w += vrmpy(v20.ub,r19.b); v21.w += vrmpy(v22.ub,r19.b); r19:18 = memd(r7++#8); r21:20 = memd(r8++#8) }
{ v19.w += vrmpy(v27.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b); r23:22 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v23.w += vrmpy(v27.ub,r12.b); v18.w += vrmpy(v28.ub,r12.b); r27:26 = memd(r6++#8) }
{ v26.w += vrmpy(v27.ub,r14.b); v24.w += vrmpy(v28.ub,r14.b); v20 = vmem(r2++#1); r11 = combine(r21.l,r19.l) }
{ v25.w += vrmpy(v27.ub,r26.b); v21.w += vrmpy(v28.ub,r26.b); v22 = vmem(r2++#1); r28 = combine(r25.l,r23.l) }
{ v27 = vsplat(r11); v28 = vsplat(r28) }
{ v23.w += vrmpy(v20.ub,r13.b); v18.w += vrmpy(v22.ub,r13.b) }
{ v25.w += vrmpy(v20.ub,r27.b); v21.w += vrmpy(v22.ub,r27.b); v29 = vmem(r2++#1); v30.h = vshuffo(v27.h,v27.h) }
{ v19.w += vrmpy(v20.ub,r17.b); v17.w += vrmpy(v22.ub,r17.b); v23.h = vshuffe(v27.h,v27.h); v18.h = vasr(v18.w,v23.w,r0) }
{ v26.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v22.ub,r15.b); v18.h = vshuffe(v28.h,v28.h); v20.h = vsub(v18.h,v30.h) }
{ v22.h = vshuffo(v28.h,v28.h); v17.h = vasr(v17.w,v19.w,r0); v19.h = vmpy(v29.h,r18.h):<<1:rnd:sat }
{ v23.h = vsub(v17.h,v23.h); v24.h = vmpy(v29.h,r20.h):<<1:rnd:sat; v17.h = vasr(v24.w,v26.w,r0) }
{ v26.h = vsub(v17.h,v18.h); v27.h = vmpy(v29.h,r22.h):<<1:rnd:sat }
.Lhvx_sum_expanded_fourth_rows:
{ v18 = v16; v17 = v16; v1:0.w += vmpy(v23.h,v19.h) }
{ v19 = v16; v3:2.w += vmpy(v20.h,v24.h); v21.h = vasr(v21.w,v25.w,r0) }
{ v20 = vmem(r2++#1); r13:12 = memd(r4++#8); v9.w += vasr(v1.w,r1); v5:4.w += vmpy(v26.h,v27.h) }
{ v22 = vmem(r2++#1); v21 = v16; v8.w += vasr(v0.w,r1); v28.h = vsub(v21.h,v22.h) }
{ r15:14 = memd(r3++#8); v23 = v16; v10.w += vasr(v2.w,r1); v29.h = vmpy(v29.h,r24.h):<<1:rnd:sat }
{ v23.w += vrmpy(v20.ub,r12.b); v21.w += vrmpy(v22.ub,r12.b); r17:16 = memd(r5++#8); v24 = v16 }
{ v18.w += vrmpy(v20.ub,r14.b); v17.w += vrmpy(v22.ub,r14.b); r19:18 = memd(r6++#8); v25 = vmem(r2++#1) }
{ v24.w += vrmpy(v20.ub,r16.b); v19.w += vrmpy(v22.ub,r16.b); v27 = v16; v26 = v16 }
{ v27.w += vrmpy(v20.ub,r18.b); v26.w += vrmpy(v22.ub,r18.b); v20 = vmem(r2++#1) }
{ v11.w += vasr(v3.w,r1); v7:6.w += vmpy(v28.h,v29.h) }
{ v24.w += vrmpy(v25.ub,r17.b); v19.w += vrmpy(v20.ub,r17.b) }
{ v27.w += vrmpy(v25.ub,r19.b); v26.w += vrmpy(v20.ub,r19.b); v22 = vmem(r2++#1) }
{ v23.w += vrmpy(v25.ub,r13.b); v21.w += vrmpy(v20.ub,r13.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v18.w += vrmpy(v25.ub,r15.b); v17.w += vrmpy(v20.ub,r15.b); r15:14 = memd(r5++#8) }
{ v18.w += vrmpy(v22.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r4++#8) }
{ v24.w += vrmpy(v22.ub,r14.b); v19.w += vrmpy(v28.ub,r14.b); r19:18 = memd(r6++#8); v20 = vmem(r2++#1) }
{ v23.w += vrmpy(v22.ub,r16.b); v21.w += vrmpy(v28.ub,r16.b); v25 = vmem(r2++#1) }
{ v27.w += vrmpy(v22.ub,r18.b); v26.w += vrmpy(v28.ub,r18.b) }
{ v24.w += vrmpy(v20.ub,r15.b); v19.w += vrmpy(v25.ub,r15.b); v22 = vmem(r2++#1) }
{ v18.w += vrmpy(v20.ub,r13.b); v17.w += vrmpy(v25.ub,r13.b); v28 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v23.w += vrmpy(v20.ub,r17.b); v21.w += vrmpy(v25.ub,r17.b) }
{ r15:14 = memd(r3++#8); v23.w += vrmpy(v22.ub,r12.b); v21.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r5++#8) }
{ v27.w += vrmpy(v20.ub,r19.b); v26.w += vrmpy(v25.ub,r19.b); r19:18 = memd(r6++#8); v13.w += vasr(v5.w,r1) }
{ v18.w += vrmpy(v22.ub,r14.b); v17.w += vrmpy(v28.ub,r14.b); v20 = vmem(r2++#1); v12.w += vasr(v4.w,r1) }
{ v27.w += vrmpy(v22.ub,r18.b); v26.w += vrmpy(v28.ub,r18.b); v25 = vmem(r2++#1); v14.w += vasr(v6.w,r1) }
{ v24.w += vrmpy(v22.ub,r16.b); v19.w += vrmpy(v28.ub,r16.b) }
{ v27.w += vrmpy(v20.ub,r19.b); v26.w += vrmpy(v25.ub,r19.b) }
{ v23.w += vrmpy(v20.ub,r13.b); v21.w += vrmpy(v25.ub,r13.b); v22 = vmem(r2++#1) }
{ v18.w += vrmpy(v20.ub,r15.b); v17.w += vrmpy(v25.ub,r15.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v24.w += vrmpy(v20.ub,r17.b); v19.w += vrmpy(v25.ub,r17.b); r15:14 = memd(r4++#8); v20 = vmem(r2++#1) }
{ v18.w += vrmpy(v22.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b); v25 = vmem(r2++#1) }
{ v23.w += vrmpy(v22.ub,r14.b); v21.w += vrmpy(v28.ub,r14.b) }
{ r13:12 = memd(r5++#8); r17:16 = memd(r6++#8); v18.w += vrmpy(v20.ub,r13.b); v17.w += vrmpy(v25.ub,r13.b) }
{ v23.w += vrmpy(v20.ub,r15.b); v21.w += vrmpy(v25.ub,r15.b); r15:14 = memd(r7++#8); r19:18 = memd(r10++#8) }
{ v24.w += vrmpy(v22.ub,r12.b); v19.w += vrmpy(v28.ub,r12.b); r21:20 = memd(r8++#8); v17.h = vasr(v17.w,v18.w,r0) }
{ v24.w += vrmpy(v20.ub,r13.b); v19.w += vrmpy(v25.ub,r13.b); r13:12 = memd(r9++#8); v18.h = vasr(v21.w,v23.w,r0) }
{ v27.w += vrmpy(v22.ub,r16.b); v26.w += vrmpy(v28.ub,r16.b); v21 = vmem(r2++#1) }
{ v27.w += vrmpy(v20.ub,r17.b); v26.w += vrmpy(v25.ub,r17.b); v19.h = vasr(v19.w,v24.w,r0) }
{ r11 = combine(r21.l,r15.l); r14 = combine(r19.l,r13.l); v20.h = vmpy(v21.h,r14.h):<<1:rnd:sat; v15.w += vasr(v7.w,r1) }
{ v24 = vsplat(r11); v25 = vsplat(r14); v23.h = vasr(v26.w,v27.w,r0); v22 = vmem(r2++#1) }
{ v28.h = vmpy(v21.h,r20.h):<<1:rnd:sat; v27 = vmem(r2++#1); v26 = v16 }
{ v31.h = vshuffe(v25.h,v25.h); v30.h = vmpy(v21.h,r12.h):<<1:rnd:sat; r13:12 = memd(r4++#8); v29 = v16 }
{ v31.h = vshuffo(v24.h,v24.h); v19.h = vsub(v19.h,v31.h); v21.h = vmpy(v21.h,r18.h):<<1:rnd:sat }
{ v24.h = vshuffe(v24.h,v24.h); v18.h = vsub(v18.h,v31.h); v29.w += vrmpy(v22.ub,r12.b); v26.w += vrmpy(v27.ub,r12.b) }
{ v19.h = vshuffo(v25.h,v25.h); v17.h = vsub(v17.h,v24.h); v5:4.w = vmpy(v19.h,v30.h) }
{ v3:2.w = vmpy(v18.h,v28.h); v18.h = vsub(v23.h,v19.h) }
{ v1:0.w = vmpy(v17.h,v20.h); r15:14 = memd(r3++#8); v17 = v16; v19 = vmem(r2++#1) }
{ v7:6.w = vmpy(v18.h,v21.h); v18 = v16; v20 = vmem(r2++#1) }
{ v17.w += vrmpy(v22.ub,r14.b); v18.w += vrmpy(v27.ub,r14.b); r17:16 = memd(r5++#8) }
{ v23 = v16; v21 = v16; v29.w += vrmpy(v19.ub,r13.b); v26.w += vrmpy(v20.ub,r13.b) }
{ v23.w += vrmpy(v22.ub,r16.b); v21.w += vrmpy(v27.ub,r16.b); r13:12 = memd(r6++#8) }
{ v25 = v16; v24 = v16; v23.w += vrmpy(v19.ub,r17.b); v21.w += vrmpy(v20.ub,r17.b) }
{ v25.w += vrmpy(v22.ub,r12.b); v24.w += vrmpy(v27.ub,r12.b); v22 = vmem(r2++#1) }
{ v25.w += vrmpy(v19.ub,r13.b); v24.w += vrmpy(v20.ub,r13.b); v27 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v17.w += vrmpy(v19.ub,r15.b); v18.w += vrmpy(v20.ub,r15.b); r15:14 = memd(r3++#8); v19 = vmem(r2++#1) }
{ v29.w += vrmpy(v22.ub,r12.b); v26.w += vrmpy(v27.ub,r12.b); v20 = vmem(r2++#1) }
{ v17.w += vrmpy(v22.ub,r14.b); v18.w += vrmpy(v27.ub,r14.b) }
{ r13:12 = memd(r5++#8); v29.w += vrmpy(v19.ub,r13.b); v26.w += vrmpy(v20.ub,r13.b) }
{ v17.w += vrmpy(v19.ub,r15.b); v18.w += vrmpy(v20.ub,r15.b) }
{ v23.w += vrmpy(v22.ub,r12.b); v21.w += vrmpy(v27.ub,r12.b); r15:14 = memd(r6++#8) }
{ v23.w += vrmpy(v19.ub,r13.b); v21.w += vrmpy(v20.ub,r13.b); v28 = vmem(r2++#1) }
{ v25.w += vrmpy(v22.ub,r14.b); v24.w += vrmpy(v27.ub,r14.b); v22 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v25.w += vrmpy(v19.ub,r15.b); v24.w += vrmpy(v20.ub,r15.b); r15:14 = memd(r3++#8) }
{ v29.w += vrmpy(v28.ub,r12.b); v26.w += vrmpy(v22.ub,r12.b); r17:16 = memd(r6++#8) }
{ v17.w += vrmpy(v28.ub,r14.b); v18.w += vrmpy(v22.ub,r14.b); r19:18 = memd(r5++#8); v19 = vmem(r2++#1) }
{ v25.w += vrmpy(v28.ub,r16.b); v24.w += vrmpy(v22.ub,r16.b); v20 = vmem(r2++#1) }
{ v23.w += vrmpy(v28.ub,r18.b); v21.w += vrmpy(v22.ub,r18.b) }
{ v29.w += vrmpy(v19.ub,r13.b); v26.w += vrmpy(v20.ub,r13.b) }
{ v17.w += vrmpy(v19.ub,r15.b); v18.w += vrmpy(v20.ub,r15.b); v22 = vmem(r2++#1) }
{ v25.w += vrmpy(v19.ub,r17.b); v24.w += vrmpy(v20.ub,r17.b); v27 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v23.w += vrmpy(v19.ub,r19.b); v21.w += vrmpy(v20.ub,r19.b); r15:14 = memd(r3++#8) }
{ v29.w += vrmpy(v22.ub,r12.b); v26.w += vrmpy(v27.ub,r12.b); r17:16 = memd(r6++#8) }
{ v17.w += vrmpy(v22.ub,r14.b); v18.w += vrmpy(v27.ub,r14.b); r19:18 = memd(r5++#8); v19 = vmem(r2++#1) }
{ v25.w += vrmpy(v22.ub,r16.b); v24.w += vrmpy(v27.ub,r16.b); v20 = vmem(r2++#1) }
{ v23.w += vrmpy(v22.ub,r18.b); v21.w += vrmpy(v27.ub,r18.b) }
{ v23.w += vrmpy(v19.ub,r19.b); v21.w += vrmpy(v20.ub,r19.b); r19:18 = memd(r7++#8); r21:20 = memd(r9++#8) }
{ v29.w += vrmpy(v19.ub,r13.b); v26.w += vrmpy(v20.ub,r13.b); r13:12 = memd(r8++#8); r23:22 = memd(r10++#8) }
{ v17.w += vrmpy(v19.ub,r15.b); v18.w += vrmpy(v20.ub,r15.b); v22 = vmem(r2++#1); v21.h = vasr(v21.w,v23.w,r0) }
{ v25.w += vrmpy(v19.ub,r17.b); v24.w += vrmpy(v20.ub,r17.b); v19.h = vasr(v26.w,v29.w,r0) }
{ r11 = combine(r13.l,r19.l); r12 = combine(r23.l,r21.l); v17.h = vasr(v18.w,v17.w,r0); v18.h = vmpy(v22.h,r12.h):<<1:rnd:sat }
{ v24 = vsplat(r11); v25 = vsplat(r12); v23.h = vasr(v24.w,v25.w,r0); v20 = vmem(r2++#1) }
{ v28.h = vmpy(v22.h,r18.h):<<1:rnd:sat; v27 = vmem(r2++#1); v26 = v16 }
{ v31.h = vshuffe(v24.h,v24.h); v30.h = vmpy(v22.h,r20.h):<<1:rnd:sat; r13:12 = memd(r3++#8); v29 = v16 }
{ v24.h = vshuffo(v24.h,v24.h); v17.h = vsub(v17.h,v31.h); v22.h = vmpy(v22.h,r22.h):<<1:rnd:sat }
{ v24.h = vshuffo(v25.h,v25.h); v19.h = vsub(v19.h,v24.h); v29.w += vrmpy(v20.ub,r12.b); v26.w += vrmpy(v27.ub,r12.b) }
{ v23.h = vshuffe(v25.h,v25.h); v1:0.w += vmpy(v17.h,v28.h); v17.h = vsub(v23.h,v24.h) }
{ v3:2.w += vmpy(v19.h,v18.h); v18.h = vsub(v21.h,v23.h) }
{ v7:6.w += vmpy(v17.h,v22.h); v17 = v16; r15:14 = memd(r5++#8); v19 = v16 }
{ v5:4.w += vmpy(v18.h,v30.h); r17:16 = memd(r4++#8); v18 = v16; v21 = vmem(r2++#1) }
{ v22 = v16; v19.w += vrmpy(v20.ub,r14.b); v18.w += vrmpy(v27.ub,r14.b); v23 = vmem(r2++#1) }
{ v17.w += vrmpy(v20.ub,r16.b); v22.w += vrmpy(v27.ub,r16.b); r19:18 = memd(r6++#8) }
{ v25 = v16; v24 = v16; v19.w += vrmpy(v21.ub,r15.b); v18.w += vrmpy(v23.ub,r15.b) }
{ v25.w += vrmpy(v20.ub,r18.b); v24.w += vrmpy(v27.ub,r18.b); v20 = vmem(r2++#1) }
{ v25.w += vrmpy(v21.ub,r19.b); v24.w += vrmpy(v23.ub,r19.b); v27 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v29.w += vrmpy(v21.ub,r13.b); v26.w += vrmpy(v23.ub,r13.b) }
{ v29.w += vrmpy(v20.ub,r14.b); v26.w += vrmpy(v27.ub,r14.b); r13:12 = memd(r4++#8) }
{ v17.w += vrmpy(v21.ub,r17.b); v22.w += vrmpy(v23.ub,r17.b); r17:16 = memd(r5++#8); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v20.ub,r12.b); v22.w += vrmpy(v27.ub,r12.b); v23 = vmem(r2++#1) }
{ v19.w += vrmpy(v20.ub,r16.b); v18.w += vrmpy(v27.ub,r16.b) }
{ v19.w += vrmpy(v21.ub,r17.b); v18.w += vrmpy(v23.ub,r17.b) }
{ r13:12 = memd(r6++#8); v17.w += vrmpy(v21.ub,r13.b); v22.w += vrmpy(v23.ub,r13.b) }
{ v29.w += vrmpy(v21.ub,r15.b); v26.w += vrmpy(v23.ub,r15.b); v28 = vmem(r2++#1) }
{ v25.w += vrmpy(v20.ub,r12.b); v24.w += vrmpy(v27.ub,r12.b); v20 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v25.w += vrmpy(v21.ub,r13.b); v24.w += vrmpy(v23.ub,r13.b); r13:12 = memd(r6++#8) }
{ v29.w += vrmpy(v28.ub,r14.b); v26.w += vrmpy(v20.ub,r14.b); r17:16 = memd(r4++#8) }
{ r19:18 = memd(r5++#8); v25.w += vrmpy(v28.ub,r12.b); v24.w += vrmpy(v20.ub,r12.b); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v28.ub,r16.b); v22.w += vrmpy(v20.ub,r16.b); v23 = vmem(r2++#1) }
{ v19.w += vrmpy(v28.ub,r18.b); v18.w += vrmpy(v20.ub,r18.b) }
{ v19.w += vrmpy(v21.ub,r19.b); v18.w += vrmpy(v23.ub,r19.b) }
{ v29.w += vrmpy(v21.ub,r15.b); v26.w += vrmpy(v23.ub,r15.b); v20 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r17.b); v22.w += vrmpy(v23.ub,r17.b); v27 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v25.w += vrmpy(v21.ub,r13.b); v24.w += vrmpy(v23.ub,r13.b); r13:12 = memd(r4++#8) }
{ v29.w += vrmpy(v20.ub,r14.b); v26.w += vrmpy(v27.ub,r14.b); r17:16 = memd(r5++#8); v21 = vmem(r2++#1) }
{ v17.w += vrmpy(v20.ub,r12.b); v22.w += vrmpy(v27.ub,r12.b); v23 = vmem(r2++#1) }
{ v19.w += vrmpy(v20.ub,r16.b); v18.w += vrmpy(v27.ub,r16.b); r19:18 = memd(r6++#8) }
{ v29.w += vrmpy(v21.ub,r15.b); v26.w += vrmpy(v23.ub,r15.b); r15:14 = memd(r9++#8) }
{ v25.w += vrmpy(v20.ub,r18.b); v24.w += vrmpy(v27.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v19.w += vrmpy(v21.ub,r17.b); v18.w += vrmpy(v23.ub,r17.b); r17:16 = memd(r10++#8); v20.h = vasr(v26.w,v29.w,r0) }
{ v25.w += vrmpy(v21.ub,r19.b); v24.w += vrmpy(v23.ub,r19.b); v26 = vmem(r2++#1) }
{ v17.w += vrmpy(v21.ub,r13.b); v22.w += vrmpy(v23.ub,r13.b); v18.h = vasr(v18.w,v19.w,r0) }
{ r11 = combine(r23.l,r21.l); r12 = combine(r17.l,r15.l); v21.h = vmpy(v26.h,r20.h):<<1:rnd:sat; v19.h = vasr(v24.w,v25.w,r0) }
{ v22 = vsplat(r11); v23 = vsplat(r12); v17.h = vasr(v22.w,v17.w,r0) }
{ v25.h = vmpy(v26.h,r22.h):<<1:rnd:sat; v24 = vmem(r2++#1) }
{ v29.h = vshuffo(v22.h,v22.h); v28.h = vmpy(v26.h,r14.h):<<1:rnd:sat; v27 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v29.h = vshuffe(v23.h,v23.h); v17.h = vsub(v17.h,v29.h); v26.h = vmpy(v26.h,r16.h):<<1:rnd:sat }
{ v30.h = vshuffo(v23.h,v23.h); v29.h = vsub(v18.h,v29.h); v23.w = vrmpy(v24.ub,r12.b); v18.w = vrmpy(v27.ub,r12.b) }
{ v19.h = vshuffe(v22.h,v22.h); v3:2.w += vmpy(v17.h,v25.h); v17.h = vsub(v19.h,v30.h) }
{ v19.h = vsub(v20.h,v19.h); v5:4.w += vmpy(v29.h,v28.h) }
{ v7:6.w += vmpy(v17.h,v26.h); r15:14 = memd(r3++#8) }
{ v1:0.w += vmpy(v19.h,v21.h); r17:16 = memd(r6++#8) }
{ v19.w = vrmpy(v24.ub,r14.b); v17.w = vrmpy(v27.ub,r14.b); r19:18 = memd(r5++#8); v20 = vmem(r2++#1) }
{ v25.w = vrmpy(v24.ub,r16.b); v21.w = vrmpy(v27.ub,r16.b); v22 = vmem(r2++#1) }
{ v26.w = vrmpy(v24.ub,r18.b); v24.w = vrmpy(v27.ub,r18.b) }
{ v19.w += vrmpy(v20.ub,r15.b); v17.w += vrmpy(v22.ub,r15.b); v27 = vmem(r2++#1) }
{ v25.w += vrmpy(v20.ub,r17.b); v21.w += vrmpy(v22.ub,r17.b); v28 = vmem(r2++#1); r15:14 = memd(r5++#8) }
{ v26.w += vrmpy(v20.ub,r19.b); v24.w += vrmpy(v22.ub,r19.b) }
{ r17:16 = memd(r3++#8); v26.w += vrmpy(v27.ub,r14.b); v24.w += vrmpy(v28.ub,r14.b) }
{ v23.w += vrmpy(v20.ub,r13.b); v18.w += vrmpy(v22.ub,r13.b); r13:12 = memd(r4++#8) }
{ v19.w += vrmpy(v27.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b); r19:18 = memd(r6++#8); v20 = vmem(r2++#1) }
{ v23.w += vrmpy(v27.ub,r12.b); v18.w += vrmpy(v28.ub,r12.b); v22 = vmem(r2++#1) }
{ v25.w += vrmpy(v27.ub,r18.b); v21.w += vrmpy(v28.ub,r18.b) }
{ v26.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v22.ub,r15.b) }
{ v25.w += vrmpy(v20.ub,r19.b); v21.w += vrmpy(v22.ub,r19.b); v27 = vmem(r2++#1) }
{ v23.w += vrmpy(v20.ub,r13.b); v18.w += vrmpy(v22.ub,r13.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v19.w += vrmpy(v20.ub,r17.b); v17.w += vrmpy(v22.ub,r17.b); r15:14 = memd(r5++#8) }
{ v19.w += vrmpy(v27.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r4++#8); v20 = vmem(r2++#1) }
{ v26.w += vrmpy(v27.ub,r14.b); v24.w += vrmpy(v28.ub,r14.b); v22 = vmem(r2++#1) }
{ v23.w += vrmpy(v27.ub,r16.b); v18.w += vrmpy(v28.ub,r16.b); r19:18 = memd(r6++#8) }
{ v26.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v22.ub,r15.b) }
{ v25.w += vrmpy(v27.ub,r18.b); v21.w += vrmpy(v28.ub,r18.b); v27 = vmem(r2++#1) }
{ v19.w += vrmpy(v20.ub,r13.b); v17.w += vrmpy(v22.ub,r13.b); r13:12 = memd(r4++#8); r15:14 = memd(r5++#8) }
{ v23.w += vrmpy(v20.ub,r17.b); v18.w += vrmpy(v22.ub,r17.b); v28 = vmem(r2++#1); r17:16 = memd(r3++#8) }
{ v25.w += vrmpy(v20.ub,r19.b); v21.w += vrmpy(v22.ub,r19.b); r19:18 = memd(r7++#8); r21:20 = memd(r8++#8) }
{ v19.w += vrmpy(v27.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b); r23:22 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v23.w += vrmpy(v27.ub,r12.b); v18.w += vrmpy(v28.ub,r12.b); r27:26 = memd(r6++#8) }
{ v26.w += vrmpy(v27.ub,r14.b); v24.w += vrmpy(v28.ub,r14.b); v20 = vmem(r2++#1); r11 = combine(r21.l,r19.l) }
{ v25.w += vrmpy(v27.ub,r26.b); v21.w += vrmpy(v28.ub,r26.b); v22 = vmem(r2++#1); r28 = combine(r25.l,r23.l) }
{ v27 = vsplat(r11); v28 = vsplat(r28) }
{ v23.w += vrmpy(v20.ub,r13.b); v18.w += vrmpy(v22.ub,r13.b) }
{ v25.w += vrmpy(v20.ub,r27.b); v21.w += vrmpy(v22.ub,r27.b); v29 = vmem(r2++#1); v30.h = vshuffo(v27.h,v27.h) }
{ v19.w += vrmpy(v20.ub,r17.b); v17.w += vrmpy(v22.ub,r17.b); v23.h = vshuffe(v27.h,v27.h); v18.h = vasr(v18.w,v23.w,r0) }
{ v26.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v22.ub,r15.b); v18.h = vshuffe(v28.h,v28.h); v20.h = vsub(v18.h,v30.h) }
{ v22.h = vshuffo(v28.h,v28.h); v17.h = vasr(v17.w,v19.w,r0); v19.h = vmpy(v29.h,r18.h):<<1:rnd:sat }
{ v23.h = vsub(v17.h,v23.h); v24.h = vmpy(v29.h,r20.h):<<1:rnd:sat; v17.h = vasr(v24.w,v26.w,r0) }
{ v26.h = vsub(v17.h,v18.h); v27.h = vmpy(v29.h,r22.h):<<1:rnd:sat }:endloop0
{ v1:0.w += vmpy(v23.h,v19.h) }
{ v3:2.w += vmpy(v20.h,v24.h); v21.h = vasr(v21.w,v25.w,r0) }
{ v9.w += vasr(v1.w,r1); v5:4.w += vmpy(v26.h,v27.h) }
{ v8.w += vasr(v0.w,r1); v28.h = vsub(v21.h,v22.h) }
{ v10.w += vasr(v2.w,r1); v29.h = vmpy(v29.h,r24.h):<<1:rnd:sat }
{ v11.w += vasr(v3.w,r1); v7:6.w += vmpy(v28.h,v29.h) }
{ v13.w += vasr(v5.w,r1) }
{ v12.w += vasr(v4.w,r1) }
{ v14.w += vasr(v6.w,r1) }
{ v15.w += vasr(v7.w,r1) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ vmem(r28+#2) = v10; r21:20 = memd(r29+#16) }
{ vmem(r28+#3) = v11; r23:22 = memd(r29+#24) }
{ vmem(r28+#4) = v12; r25:24 = memd(r29+#32) }
{ vmem(r28+#5) = v13; r27:26 = memd(r29+#40) }
{ vmem(r28+#6) = v14 }
{ vmem(r28+#7) = v15 }
{ dealloc_return }
.size hvx_sum_expanded_fourth_rows, .-hvx_sum_expanded_fourth_rows

// 180 packets (180 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_expanded_minimums_rows
.hidden hvx_sum_expanded_minimums_rows
.type hvx_sum_expanded_minimums_rows,@function
hvx_sum_expanded_minimums_rows:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48); r0 = ##4 }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18; r16 = ##8 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22; v16 = vsplat(r16) }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_expanded_minimums_rows,r30); v8 = vmem(r31+#0); memw(r29+#48) = r31 }
{ v9 = vmem(r31+#1); r2 = memw(r28+#0) }
{ v10 = vmem(r31+#2); r3 = memw(r28+#16) }
{ v11 = vmem(r31+#3); r4 = memw(r28+#20) }
{ v12 = vmem(r31+#4); r5 = memw(r28+#24) }
{ v13 = vmem(r31+#5); r6 = memw(r28+#28) }
{ v14 = vmem(r31+#6); r7 = memw(r28+#32) }
{ v15 = vmem(r31+#7); r8 = memw(r28+#36) }
{ r9 = memw(r28+#40); r10 = memw(r28+#44) }
{ r1 = memw(r28+#52) }
{ v18 = v16; v17 = v16 }
{ v19 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v20 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v21 = v16; r17:16 = memd(r5++#8) }
{ v18.w += vrmpy(v19.ub,r14.b); v17.w += vrmpy(v20.ub,r14.b); v22 = v16; v23 = v16 }
{ v21.w += vrmpy(v19.ub,r12.b); v22.w += vrmpy(v20.ub,r12.b); v25 = v16; v24 = v16 }
{ v25.w += vrmpy(v19.ub,r16.b); v24.w += vrmpy(v20.ub,r16.b); r19:18 = memd(r6++#8); v26 = v16 }
{ v27 = vmem(r2++#1) }
{ v26.w += vrmpy(v19.ub,r18.b); v23.w += vrmpy(v20.ub,r18.b); v19 = vmem(r2++#1) }
{ v18.w += vrmpy(v27.ub,r15.b); v17.w += vrmpy(v19.ub,r15.b); v20 = vmem(r2++#1) }
{ v25.w += vrmpy(v27.ub,r17.b); v24.w += vrmpy(v19.ub,r17.b); v28 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v26.w += vrmpy(v27.ub,r19.b); v23.w += vrmpy(v19.ub,r19.b) }
{ v18.w += vrmpy(v20.ub,r14.b); v17.w += vrmpy(v28.ub,r14.b); r17:16 = memd(r6++#8) }
{ v21.w += vrmpy(v27.ub,r13.b); v22.w += vrmpy(v19.ub,r13.b); r13:12 = memd(r5++#8) }
{ r19:18 = memd(r4++#8); v26.w += vrmpy(v20.ub,r16.b); v23.w += vrmpy(v28.ub,r16.b); v19 = vmem(r2++#1) }
{ v25.w += vrmpy(v20.ub,r12.b); v24.w += vrmpy(v28.ub,r12.b); v27 = vmem(r2++#1) }
{ v21.w += vrmpy(v20.ub,r18.b); v22.w += vrmpy(v28.ub,r18.b) }
{ v18.w += vrmpy(v19.ub,r15.b); v17.w += vrmpy(v27.ub,r15.b); r15:14 = memd(r4++#8) }
{ v21.w += vrmpy(v19.ub,r19.b); v22.w += vrmpy(v27.ub,r19.b); v20 = vmem(r2++#1) }
{ v26.w += vrmpy(v19.ub,r17.b); v23.w += vrmpy(v27.ub,r17.b); v28 = vmem(r2++#1) }
{ v25.w += vrmpy(v19.ub,r13.b); v24.w += vrmpy(v27.ub,r13.b); r13:12 = memd(r3++#8) }
{ v21.w += vrmpy(v20.ub,r14.b); v22.w += vrmpy(v28.ub,r14.b); r17:16 = memd(r6++#8) }
{ v18.w += vrmpy(v20.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b); r19:18 = memd(r5++#8); v19 = vmem(r2++#1) }
{ v26.w += vrmpy(v20.ub,r16.b); v23.w += vrmpy(v28.ub,r16.b); v27 = vmem(r2++#1) }
{ v25.w += vrmpy(v20.ub,r18.b); v24.w += vrmpy(v28.ub,r18.b) }
{ v21.w += vrmpy(v19.ub,r15.b); v22.w += vrmpy(v27.ub,r15.b) }
{ v25.w += vrmpy(v19.ub,r19.b); v24.w += vrmpy(v27.ub,r19.b); v20 = vmem(r2++#1) }
{ v18.w += vrmpy(v19.ub,r13.b); v17.w += vrmpy(v27.ub,r13.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v26.w += vrmpy(v19.ub,r17.b); v23.w += vrmpy(v27.ub,r17.b); r15:14 = memd(r4++#8); v19 = vmem(r2++#1) }
{ v18.w += vrmpy(v20.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b); v27 = vmem(r2++#1) }
{ v21.w += vrmpy(v20.ub,r14.b); v22.w += vrmpy(v28.ub,r14.b); r17:16 = memd(r5++#8) }
{ r19:18 = memd(r6++#8); v18.w += vrmpy(v19.ub,r13.b); v17.w += vrmpy(v27.ub,r13.b); r13:12 = memd(r7++#8) }
{ v21.w += vrmpy(v19.ub,r15.b); v22.w += vrmpy(v27.ub,r15.b); r15:14 = memd(r9++#8); r21:20 = memd(r10++#8) }
{ v26.w += vrmpy(v20.ub,r18.b); v23.w += vrmpy(v28.ub,r18.b); r23:22 = memd(r8++#8); v17.h = vasr(v17.w,v18.w,r0) }
{ v26.w += vrmpy(v19.ub,r19.b); v23.w += vrmpy(v27.ub,r19.b); v18.h = vasr(v22.w,v21.w,r0) }
{ v25.w += vrmpy(v20.ub,r16.b); v24.w += vrmpy(v28.ub,r16.b); v20 = vmem(r2++#1); r11 = combine(r21.h,r15.h) }
{ v25.w += vrmpy(v19.ub,r17.b); v24.w += vrmpy(v27.ub,r17.b); r16 = combine(r23.h,r13.h); v19.h = vasr(v23.w,v26.w,r0) }
{ v21 = vmem(r2++#1); v22 = vsplat(r16); v23 = vsplat(r11) }
{ v26.h = vmpy(v20.h,r12.h):<<1:rnd:sat; v25.h = vasr(v24.w,v25.w,r0); v24 = vmem(r2++#1) }
{ v29.h = vshuffo(v23.h,v23.h); v28.h = vmpy(v20.h,r14.h):<<1:rnd:sat; v27 = vmem(r2++#1) }
{ v30.h = vshuffe(v22.h,v22.h); v29.h = vmpy(v20.h,r22.h):<<1:rnd:sat; v19.h = vsub(v19.h,v29.h); r17:16 = memd(r5++#8) }
{ v22.h = vshuffo(v22.h,v22.h); v17.h = vsub(v17.h,v30.h); r11 = combine(r13.l,r13.l); v20.h = vmpy(v20.h,r20.h):<<1:rnd:sat }
{ v30.h = vshuffe(v23.h,v23.h); v23.h = vsub(v18.h,v22.h); v22.w = vrmpy(v24.ub,r16.b); v18.w = vrmpy(v27.ub,r16.b) }
{ v1:0.w = vmpy(v17.h,v26.h); v17.h = vsub(v25.h,v30.h) }
{ v1:0.w += vmpy(v21.h,r11.h); r11 = combine(r23.l,r23.l) }
{ v3:2.w = vmpy(v23.h,v29.h) }
{ v3:2.w += vmpy(v21.h,r11.h); r11 = combine(r15.l,r15.l) }
{ v5:4.w = vmpy(v17.h,v28.h) }
{ v5:4.w += vmpy(v21.h,r11.h); r11 = combine(r21.l,r21.l) }
{ v7:6.w = vmpy(v19.h,v20.h); r13:12 = memd(r4++#8) }
{ v7:6.w += vmpy(v21.h,r11.h); r15:14 = memd(r3++#8) }
{ v19.w = vrmpy(v24.ub,r12.b); v17.w = vrmpy(v27.ub,r12.b); r19:18 = memd(r6++#8); v20 = vmem(r2++#1) }
{ v25.w = vrmpy(v24.ub,r14.b); v21.w = vrmpy(v27.ub,r14.b); v23 = vmem(r2++#1) }
{ v26.w = vrmpy(v24.ub,r18.b); v24.w = vrmpy(v27.ub,r18.b) }
{ v19.w += vrmpy(v20.ub,r13.b); v17.w += vrmpy(v23.ub,r13.b); v27 = vmem(r2++#1) }
{ v25.w += vrmpy(v20.ub,r15.b); v21.w += vrmpy(v23.ub,r15.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v26.w += vrmpy(v20.ub,r19.b); v24.w += vrmpy(v23.ub,r19.b) }
{ v25.w += vrmpy(v27.ub,r12.b); v21.w += vrmpy(v28.ub,r12.b); r15:14 = memd(r5++#8) }
{ v22.w += vrmpy(v20.ub,r17.b); v18.w += vrmpy(v23.ub,r17.b); r17:16 = memd(r4++#8) }
{ v22.w += vrmpy(v27.ub,r14.b); v18.w += vrmpy(v28.ub,r14.b); r19:18 = memd(r6++#8); v20 = vmem(r2++#1) }
{ v19.w += vrmpy(v27.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b); v23 = vmem(r2++#1) }
{ v26.w += vrmpy(v27.ub,r18.b); v24.w += vrmpy(v28.ub,r18.b) }
{ v19.w += vrmpy(v20.ub,r17.b); v17.w += vrmpy(v23.ub,r17.b); v27 = vmem(r2++#1) }
{ v22.w += vrmpy(v20.ub,r15.b); v18.w += vrmpy(v23.ub,r15.b); v28 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v25.w += vrmpy(v20.ub,r13.b); v21.w += vrmpy(v23.ub,r13.b) }
{ v25.w += vrmpy(v27.ub,r14.b); v21.w += vrmpy(v28.ub,r14.b); r13:12 = memd(r5++#8) }
{ v26.w += vrmpy(v20.ub,r19.b); v24.w += vrmpy(v23.ub,r19.b); r17:16 = memd(r6++#8); v20 = vmem(r2++#1) }
{ v22.w += vrmpy(v27.ub,r12.b); v18.w += vrmpy(v28.ub,r12.b); v23 = vmem(r2++#1) }
{ r19:18 = memd(r4++#8); v26.w += vrmpy(v27.ub,r16.b); v24.w += vrmpy(v28.ub,r16.b) }
{ v25.w += vrmpy(v20.ub,r15.b); v21.w += vrmpy(v23.ub,r15.b) }
{ v19.w += vrmpy(v27.ub,r18.b); v17.w += vrmpy(v28.ub,r18.b) }
{ v22.w += vrmpy(v20.ub,r13.b); v18.w += vrmpy(v23.ub,r13.b); v27 = vmem(r2++#1) }
{ v19.w += vrmpy(v20.ub,r19.b); v17.w += vrmpy(v23.ub,r19.b); v28 = vmem(r2++#1); r13:12 = memd(r5++#8) }
{ v26.w += vrmpy(v20.ub,r17.b); v24.w += vrmpy(v23.ub,r17.b); r15:14 = memd(r3++#8) }
{ r17:16 = memd(r4++#8); v22.w += vrmpy(v27.ub,r12.b); v18.w += vrmpy(v28.ub,r12.b) }
{ v25.w += vrmpy(v27.ub,r14.b); v21.w += vrmpy(v28.ub,r14.b); r19:18 = memd(r6++#8); v20 = vmem(r2++#1) }
{ v19.w += vrmpy(v27.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b); v23 = vmem(r2++#1) }
{ v26.w += vrmpy(v27.ub,r18.b); v24.w += vrmpy(v28.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v25.w += vrmpy(v20.ub,r15.b); v21.w += vrmpy(v23.ub,r15.b); r15:14 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v22.w += vrmpy(v20.ub,r13.b); v18.w += vrmpy(v23.ub,r13.b); v27 = vmem(r2++#1) }
{ v19.w += vrmpy(v20.ub,r17.b); v17.w += vrmpy(v23.ub,r17.b); r11 = combine(r23.h,r21.h); v21.h = vasr(v21.w,v25.w,r0) }
{ v26.w += vrmpy(v20.ub,r19.b); v24.w += vrmpy(v23.ub,r19.b); r12 = combine(r25.h,r15.h); v18.h = vasr(v18.w,v22.w,r0) }
{ v19 = vsplat(r11); v20 = vsplat(r12); v17.h = vasr(v17.w,v19.w,r0) }
{ v23.h = vmpy(v27.h,r20.h):<<1:rnd:sat; v22.h = vasr(v24.w,v26.w,r0) }
{ v25 = vmem(r2++#1); v26.h = vshuffe(v19.h,v19.h); v24.h = vmpy(v27.h,r22.h):<<1:rnd:sat }
{ v26.h = vshuffo(v19.h,v19.h); v19.h = vsub(v21.h,v26.h); v21.h = vmpy(v27.h,r14.h):<<1:rnd:sat }
{ v27.h = vshuffo(v20.h,v20.h); r11 = combine(r21.l,r21.l); v17.h = vsub(v17.h,v26.h); v26.h = vmpy(v27.h,r24.h):<<1:rnd:sat }
{ v20.h = vshuffe(v20.h,v20.h); v1:0.w += vmpy(v19.h,v23.h); v19.h = vsub(v22.h,v27.h) }
{ v1:0.w += vmpy(v25.h,r11.h); r11 = combine(r23.l,r23.l); v18.h = vsub(v18.h,v20.h) }
{ v3:2.w += vmpy(v17.h,v24.h) }
{ v3:2.w += vmpy(v25.h,r11.h); r11 = combine(r15.l,r15.l) }
{ v5:4.w += vmpy(v18.h,v21.h); r12 = combine(r25.l,r25.l); v17 = vmem(r2++#1) }
{ v5:4.w += vmpy(v25.h,r11.h); v18 = vmem(r2++#1); r15:14 = memd(r3++#8); v20 = v16 }
{ v7:6.w += vmpy(v19.h,v26.h); r17:16 = memd(r4++#8); v21 = v16; v19 = v16 }
{ v7:6.w += vmpy(v25.h,r12.h); v22 = v16; r13:12 = memd(r5++#8); r19:18 = memd(r6++#8) }
{ v20.w += vrmpy(v17.ub,r14.b); v22.w += vrmpy(v18.ub,r14.b); v24 = v16; v23 = v16 }
{ v24.w += vrmpy(v17.ub,r12.b); v23.w += vrmpy(v18.ub,r12.b); v25 = v16; v26 = vmem(r2++#1) }
{ v21.w += vrmpy(v17.ub,r16.b); v19.w += vrmpy(v18.ub,r16.b); v28 = v16; v27 = vmem(r2++#1) }
{ v28.w += vrmpy(v17.ub,r18.b); v25.w += vrmpy(v18.ub,r18.b) }
{ v24.w += vrmpy(v26.ub,r13.b); v23.w += vrmpy(v27.ub,r13.b) }
{ v20.w += vrmpy(v26.ub,r15.b); v22.w += vrmpy(v27.ub,r15.b); v17 = vmem(r2++#1) }
{ v21.w += vrmpy(v26.ub,r17.b); v19.w += vrmpy(v27.ub,r17.b); v18 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v28.w += vrmpy(v26.ub,r19.b); v25.w += vrmpy(v27.ub,r19.b); r15:14 = memd(r5++#8) }
{ v20.w += vrmpy(v17.ub,r12.b); v22.w += vrmpy(v18.ub,r12.b); r17:16 = memd(r6++#8) }
{ r19:18 = memd(r4++#8); v24.w += vrmpy(v17.ub,r14.b); v23.w += vrmpy(v18.ub,r14.b); v26 = vmem(r2++#1) }
{ v28.w += vrmpy(v17.ub,r16.b); v25.w += vrmpy(v18.ub,r16.b); v27 = vmem(r2++#1) }
{ v21.w += vrmpy(v17.ub,r18.b); v19.w += vrmpy(v18.ub,r18.b) }
{ v20.w += vrmpy(v26.ub,r13.b); v22.w += vrmpy(v27.ub,r13.b) }
{ v21.w += vrmpy(v26.ub,r19.b); v19.w += vrmpy(v27.ub,r19.b); v17 = vmem(r2++#1) }
{ v28.w += vrmpy(v26.ub,r17.b); v25.w += vrmpy(v27.ub,r17.b); v18 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v24.w += vrmpy(v26.ub,r15.b); v23.w += vrmpy(v27.ub,r15.b); r15:14 = memd(r3++#8) }
{ v21.w += vrmpy(v17.ub,r12.b); v19.w += vrmpy(v18.ub,r12.b); r17:16 = memd(r6++#8) }
{ v20.w += vrmpy(v17.ub,r14.b); v22.w += vrmpy(v18.ub,r14.b); r19:18 = memd(r5++#8); v26 = vmem(r2++#1) }
{ v28.w += vrmpy(v17.ub,r16.b); v25.w += vrmpy(v18.ub,r16.b); v27 = vmem(r2++#1) }
{ v24.w += vrmpy(v17.ub,r18.b); v23.w += vrmpy(v18.ub,r18.b) }
{ v20.w += vrmpy(v26.ub,r15.b); v22.w += vrmpy(v27.ub,r15.b) }
{ v21.w += vrmpy(v26.ub,r13.b); v19.w += vrmpy(v27.ub,r13.b); v17 = vmem(r2++#1) }
{ v28.w += vrmpy(v26.ub,r17.b); v25.w += vrmpy(v27.ub,r17.b); v18 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v24.w += vrmpy(v26.ub,r19.b); v23.w += vrmpy(v27.ub,r19.b); r15:14 = memd(r5++#8) }
{ v20.w += vrmpy(v17.ub,r12.b); v22.w += vrmpy(v18.ub,r12.b); r17:16 = memd(r4++#8); v26 = vmem(r2++#1) }
{ v24.w += vrmpy(v17.ub,r14.b); v23.w += vrmpy(v18.ub,r14.b); v27 = vmem(r2++#1) }
{ v21.w += vrmpy(v17.ub,r16.b); v19.w += vrmpy(v18.ub,r16.b); r19:18 = memd(r6++#8) }
{ v20.w += vrmpy(v26.ub,r13.b); v22.w += vrmpy(v27.ub,r13.b); r13:12 = memd(r8++#8); r21:20 = memd(r9++#8) }
{ v21.w += vrmpy(v26.ub,r17.b); v19.w += vrmpy(v27.ub,r17.b); r17:16 = memd(r7++#8); r23:22 = memd(r10++#8) }
{ v28.w += vrmpy(v17.ub,r18.b); v25.w += vrmpy(v18.ub,r18.b); v17.h = vasr(v22.w,v20.w,r0) }
{ v24.w += vrmpy(v26.ub,r15.b); v23.w += vrmpy(v27.ub,r15.b); v19 = vmem(r2++#1); v18.h = vasr(v19.w,v21.w,r0) }
{ v28.w += vrmpy(v26.ub,r19.b); v25.w += vrmpy(v27.ub,r19.b); r11 = combine(r13.h,r17.h); r14 = combine(r23.h,r21.h) }
{ v21 = vsplat(r11); v22 = vsplat(r14); v20.h = vasr(v23.w,v24.w,r0) }
{ v24.h = vmpy(v19.h,r16.h):<<1:rnd:sat; v23.h = vasr(v25.w,v28.w,r0) }
{ v26 = vmem(r2++#1); v27.h = vshuffe(v21.h,v21.h); v25.h = vmpy(v19.h,r12.h):<<1:rnd:sat }
{ v27.h = vshuffo(v21.h,v21.h); v17.h = vsub(v17.h,v27.h); v21.h = vmpy(v19.h,r20.h):<<1:rnd:sat }
{ v27.h = vshuffe(v22.h,v22.h); r11 = combine(r17.l,r17.l); v18.h = vsub(v18.h,v27.h); v19.h = vmpy(v19.h,r22.h):<<1:rnd:sat }
{ v20.h = vshuffo(v22.h,v22.h); v1:0.w += vmpy(v17.h,v24.h); v17.h = vsub(v20.h,v27.h) }
{ v1:0.w += vmpy(v26.h,r11.h); r11 = combine(r13.l,r13.l); v20.h = vsub(v23.h,v20.h) }
{ v3:2.w += vmpy(v18.h,v25.h) }
{ v3:2.w += vmpy(v26.h,r11.h); r11 = combine(r21.l,r21.l) }
{ v5:4.w += vmpy(v17.h,v21.h) }
{ v5:4.w += vmpy(v26.h,r11.h); r11 = combine(r23.l,r23.l); v17 = vmem(r2++#1) }
{ v7:6.w += vmpy(v20.h,v19.h); v18 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v7:6.w += vmpy(v26.h,r11.h); r15:14 = memd(r4++#8) }
{ v20.w = vrmpy(v17.ub,r12.b); v19.w = vrmpy(v18.ub,r12.b); r17:16 = memd(r5++#8) }
{ v22.w = vrmpy(v17.ub,r14.b); v21.w = vrmpy(v18.ub,r14.b); r19:18 = memd(r6++#8); v23 = vmem(r2++#1) }
{ v26.w = vrmpy(v17.ub,r16.b); v24.w = vrmpy(v18.ub,r16.b); v25 = vmem(r2++#1) }
{ v18.w = vrmpy(v17.ub,r18.b); v17.w = vrmpy(v18.ub,r18.b) }
{ v20.w += vrmpy(v23.ub,r13.b); v19.w += vrmpy(v25.ub,r13.b) }
{ v22.w += vrmpy(v23.ub,r15.b); v21.w += vrmpy(v25.ub,r15.b); v27 = vmem(r2++#1) }
{ v26.w += vrmpy(v23.ub,r17.b); v24.w += vrmpy(v25.ub,r17.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v18.w += vrmpy(v23.ub,r19.b); v17.w += vrmpy(v25.ub,r19.b); r15:14 = memd(r5++#8) }
{ v20.w += vrmpy(v27.ub,r12.b); v19.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r4++#8); v23 = vmem(r2++#1) }
{ v26.w += vrmpy(v27.ub,r14.b); v24.w += vrmpy(v28.ub,r14.b); v25 = vmem(r2++#1) }
{ v22.w += vrmpy(v27.ub,r16.b); v21.w += vrmpy(v28.ub,r16.b); r19:18 = memd(r6++#8) }
{ v22.w += vrmpy(v23.ub,r17.b); v21.w += vrmpy(v25.ub,r17.b) }
{ v18.w += vrmpy(v27.ub,r18.b); v17.w += vrmpy(v28.ub,r18.b); v27 = vmem(r2++#1) }
{ v20.w += vrmpy(v23.ub,r13.b); v19.w += vrmpy(v25.ub,r13.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v26.w += vrmpy(v23.ub,r15.b); v24.w += vrmpy(v25.ub,r15.b); r15:14 = memd(r4++#8) }
{ v20.w += vrmpy(v27.ub,r12.b); v19.w += vrmpy(v28.ub,r12.b) }
{ v22.w += vrmpy(v27.ub,r14.b); v21.w += vrmpy(v28.ub,r14.b); r17:16 = memd(r5++#8); v29 = vmem(r2++#1) }
{ v18.w += vrmpy(v23.ub,r19.b); v17.w += vrmpy(v25.ub,r19.b); v23 = vmem(r2++#1) }
{ v26.w += vrmpy(v27.ub,r16.b); v24.w += vrmpy(v28.ub,r16.b) }
{ r15:14 = memd(r6++#8); v22.w += vrmpy(v29.ub,r15.b); v21.w += vrmpy(v23.ub,r15.b) }
{ v26.w += vrmpy(v29.ub,r17.b); v24.w += vrmpy(v23.ub,r17.b) }
{ v18.w += vrmpy(v27.ub,r14.b); v17.w += vrmpy(v28.ub,r14.b); v25 = vmem(r2++#1) }
{ v18.w += vrmpy(v29.ub,r15.b); v17.w += vrmpy(v23.ub,r15.b); v27 = vmem(r2++#1); r15:14 = memd(r4++#8) }
{ v20.w += vrmpy(v29.ub,r13.b); v19.w += vrmpy(v23.ub,r13.b); r13:12 = memd(r3++#8) }
{ v22.w += vrmpy(v25.ub,r14.b); v21.w += vrmpy(v27.ub,r14.b); r17:16 = memd(r5++#8) }
{ v20.w += vrmpy(v25.ub,r12.b); v19.w += vrmpy(v27.ub,r12.b); r19:18 = memd(r6++#8); v23 = vmem(r2++#1) }
{ v26.w += vrmpy(v25.ub,r16.b); v24.w += vrmpy(v27.ub,r16.b); v28 = vmem(r2++#1) }
{ v18.w += vrmpy(v25.ub,r18.b); v17.w += vrmpy(v27.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v22.w += vrmpy(v23.ub,r15.b); v21.w += vrmpy(v28.ub,r15.b); r15:14 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v20.w += vrmpy(v23.ub,r13.b); v19.w += vrmpy(v28.ub,r13.b); v25 = vmem(r2++#1) }
{ v18.w += vrmpy(v23.ub,r19.b); v17.w += vrmpy(v28.ub,r19.b); r11 = combine(r23.h,r21.h); v21.h = vasr(v21.w,v22.w,r0) }
{ v26.w += vrmpy(v23.ub,r17.b); v24.w += vrmpy(v28.ub,r17.b); r12 = combine(r25.h,r15.h); v19.h = vasr(v19.w,v20.w,r0) }
{ v18 = vsplat(r11); v20 = vsplat(r12); v17.h = vasr(v17.w,v18.w,r0) }
{ v23.h = vmpy(v25.h,r20.h):<<1:rnd:sat; v22.h = vasr(v24.w,v26.w,r0) }
{ v28 = vmem(r2++#1); v26.h = vshuffe(v18.h,v18.h); v24.h = vmpy(v25.h,r22.h):<<1:rnd:sat }
{ v19.h = vshuffo(v18.h,v18.h); v18.h = vsub(v19.h,v26.h); v26.h = vmpy(v25.h,r14.h):<<1:rnd:sat }
{ v21.h = vshuffo(v20.h,v20.h); r11 = combine(r21.l,r21.l); v19.h = vsub(v21.h,v19.h); v27.h = vmpy(v25.h,r24.h):<<1:rnd:sat }
{ v17.h = vshuffe(v20.h,v20.h); v1:0.w += vmpy(v18.h,v23.h); v29.h = vsub(v17.h,v21.h) }
{ v1:0.w += vmpy(v28.h,r11.h); r11 = combine(r23.l,r23.l); v20.h = vsub(v22.h,v17.h); r16 = combine(r15.l,r15.l) }
.Lhvx_sum_expanded_minimums_rows:
{ v18 = v16; v17 = v16; v3:2.w += vmpy(v19.h,v24.h); r20 = combine(r25.l,r25.l) }
{ v19 = vmem(r2++#1); r13:12 = memd(r4++#8); v9.w += vasr(v1.w,r1); v3:2.w += vmpy(v28.h,r11.h) }
{ v20 = vmem(r2++#1); r15:14 = memd(r3++#8); v8.w += vasr(v0.w,r1); v5:4.w += vmpy(v20.h,v26.h) }
{ v21 = v16; r17:16 = memd(r5++#8); v10.w += vasr(v2.w,r1); v5:4.w += vmpy(v28.h,r16.h) }
{ v18.w += vrmpy(v19.ub,r14.b); v17.w += vrmpy(v20.ub,r14.b); v22 = v16; v23 = v16 }
{ v21.w += vrmpy(v19.ub,r12.b); v22.w += vrmpy(v20.ub,r12.b); v25 = v16; v24 = v16 }
{ v25.w += vrmpy(v19.ub,r16.b); v24.w += vrmpy(v20.ub,r16.b); r19:18 = memd(r6++#8); v26 = v16 }
{ v27 = vmem(r2++#1); v11.w += vasr(v3.w,r1); v7:6.w += vmpy(v29.h,v27.h) }
{ v26.w += vrmpy(v19.ub,r18.b); v23.w += vrmpy(v20.ub,r18.b); v19 = vmem(r2++#1) }
{ v12.w += vasr(v4.w,r1); v7:6.w += vmpy(v28.h,r20.h) }
{ v18.w += vrmpy(v27.ub,r15.b); v17.w += vrmpy(v19.ub,r15.b); v20 = vmem(r2++#1) }
{ v25.w += vrmpy(v27.ub,r17.b); v24.w += vrmpy(v19.ub,r17.b); v28 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v26.w += vrmpy(v27.ub,r19.b); v23.w += vrmpy(v19.ub,r19.b) }
{ v18.w += vrmpy(v20.ub,r14.b); v17.w += vrmpy(v28.ub,r14.b); r17:16 = memd(r6++#8) }
{ v21.w += vrmpy(v27.ub,r13.b); v22.w += vrmpy(v19.ub,r13.b); r13:12 = memd(r5++#8) }
{ r19:18 = memd(r4++#8); v26.w += vrmpy(v20.ub,r16.b); v23.w += vrmpy(v28.ub,r16.b); v19 = vmem(r2++#1) }
{ v25.w += vrmpy(v20.ub,r12.b); v24.w += vrmpy(v28.ub,r12.b); v27 = vmem(r2++#1) }
{ v21.w += vrmpy(v20.ub,r18.b); v22.w += vrmpy(v28.ub,r18.b) }
{ v18.w += vrmpy(v19.ub,r15.b); v17.w += vrmpy(v27.ub,r15.b); r15:14 = memd(r4++#8) }
{ v21.w += vrmpy(v19.ub,r19.b); v22.w += vrmpy(v27.ub,r19.b); v20 = vmem(r2++#1); v13.w += vasr(v5.w,r1) }
{ v26.w += vrmpy(v19.ub,r17.b); v23.w += vrmpy(v27.ub,r17.b); v28 = vmem(r2++#1); v15.w += vasr(v7.w,r1) }
{ v25.w += vrmpy(v19.ub,r13.b); v24.w += vrmpy(v27.ub,r13.b); r13:12 = memd(r3++#8); v14.w += vasr(v6.w,r1) }
{ v21.w += vrmpy(v20.ub,r14.b); v22.w += vrmpy(v28.ub,r14.b); r17:16 = memd(r6++#8) }
{ v18.w += vrmpy(v20.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b); r19:18 = memd(r5++#8); v19 = vmem(r2++#1) }
{ v26.w += vrmpy(v20.ub,r16.b); v23.w += vrmpy(v28.ub,r16.b); v27 = vmem(r2++#1) }
{ v25.w += vrmpy(v20.ub,r18.b); v24.w += vrmpy(v28.ub,r18.b) }
{ v21.w += vrmpy(v19.ub,r15.b); v22.w += vrmpy(v27.ub,r15.b) }
{ v25.w += vrmpy(v19.ub,r19.b); v24.w += vrmpy(v27.ub,r19.b); v20 = vmem(r2++#1) }
{ v18.w += vrmpy(v19.ub,r13.b); v17.w += vrmpy(v27.ub,r13.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v26.w += vrmpy(v19.ub,r17.b); v23.w += vrmpy(v27.ub,r17.b); r15:14 = memd(r4++#8); v19 = vmem(r2++#1) }
{ v18.w += vrmpy(v20.ub,r12.b); v17.w += vrmpy(v28.ub,r12.b); v27 = vmem(r2++#1) }
{ v21.w += vrmpy(v20.ub,r14.b); v22.w += vrmpy(v28.ub,r14.b); r17:16 = memd(r5++#8) }
{ r19:18 = memd(r6++#8); v18.w += vrmpy(v19.ub,r13.b); v17.w += vrmpy(v27.ub,r13.b); r13:12 = memd(r7++#8) }
{ v21.w += vrmpy(v19.ub,r15.b); v22.w += vrmpy(v27.ub,r15.b); r15:14 = memd(r9++#8); r21:20 = memd(r10++#8) }
{ v26.w += vrmpy(v20.ub,r18.b); v23.w += vrmpy(v28.ub,r18.b); r23:22 = memd(r8++#8); v17.h = vasr(v17.w,v18.w,r0) }
{ v26.w += vrmpy(v19.ub,r19.b); v23.w += vrmpy(v27.ub,r19.b); v18.h = vasr(v22.w,v21.w,r0) }
{ v25.w += vrmpy(v20.ub,r16.b); v24.w += vrmpy(v28.ub,r16.b); v20 = vmem(r2++#1); r11 = combine(r21.h,r15.h) }
{ v25.w += vrmpy(v19.ub,r17.b); v24.w += vrmpy(v27.ub,r17.b); r16 = combine(r23.h,r13.h); v19.h = vasr(v23.w,v26.w,r0) }
{ v21 = vmem(r2++#1); v22 = vsplat(r16); v23 = vsplat(r11) }
{ v26.h = vmpy(v20.h,r12.h):<<1:rnd:sat; v25.h = vasr(v24.w,v25.w,r0); v24 = vmem(r2++#1) }
{ v29.h = vshuffo(v23.h,v23.h); v28.h = vmpy(v20.h,r14.h):<<1:rnd:sat; v27 = vmem(r2++#1) }
{ v30.h = vshuffe(v22.h,v22.h); v29.h = vmpy(v20.h,r22.h):<<1:rnd:sat; v19.h = vsub(v19.h,v29.h); r17:16 = memd(r5++#8) }
{ v22.h = vshuffo(v22.h,v22.h); v17.h = vsub(v17.h,v30.h); r11 = combine(r13.l,r13.l); v20.h = vmpy(v20.h,r20.h):<<1:rnd:sat }
{ v30.h = vshuffe(v23.h,v23.h); v23.h = vsub(v18.h,v22.h); v22.w = vrmpy(v24.ub,r16.b); v18.w = vrmpy(v27.ub,r16.b) }
{ v1:0.w = vmpy(v17.h,v26.h); v17.h = vsub(v25.h,v30.h) }
{ v1:0.w += vmpy(v21.h,r11.h); r11 = combine(r23.l,r23.l) }
{ v3:2.w = vmpy(v23.h,v29.h) }
{ v3:2.w += vmpy(v21.h,r11.h); r11 = combine(r15.l,r15.l) }
{ v5:4.w = vmpy(v17.h,v28.h) }
{ v5:4.w += vmpy(v21.h,r11.h); r11 = combine(r21.l,r21.l) }
{ v7:6.w = vmpy(v19.h,v20.h); r13:12 = memd(r4++#8) }
{ v7:6.w += vmpy(v21.h,r11.h); r15:14 = memd(r3++#8) }
{ v19.w = vrmpy(v24.ub,r12.b); v17.w = vrmpy(v27.ub,r12.b); r19:18 = memd(r6++#8); v20 = vmem(r2++#1) }
{ v25.w = vrmpy(v24.ub,r14.b); v21.w = vrmpy(v27.ub,r14.b); v23 = vmem(r2++#1) }
{ v26.w = vrmpy(v24.ub,r18.b); v24.w = vrmpy(v27.ub,r18.b) }
{ v19.w += vrmpy(v20.ub,r13.b); v17.w += vrmpy(v23.ub,r13.b); v27 = vmem(r2++#1) }
{ v25.w += vrmpy(v20.ub,r15.b); v21.w += vrmpy(v23.ub,r15.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v26.w += vrmpy(v20.ub,r19.b); v24.w += vrmpy(v23.ub,r19.b) }
{ v25.w += vrmpy(v27.ub,r12.b); v21.w += vrmpy(v28.ub,r12.b); r15:14 = memd(r5++#8) }
{ v22.w += vrmpy(v20.ub,r17.b); v18.w += vrmpy(v23.ub,r17.b); r17:16 = memd(r4++#8) }
{ v22.w += vrmpy(v27.ub,r14.b); v18.w += vrmpy(v28.ub,r14.b); r19:18 = memd(r6++#8); v20 = vmem(r2++#1) }
{ v19.w += vrmpy(v27.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b); v23 = vmem(r2++#1) }
{ v26.w += vrmpy(v27.ub,r18.b); v24.w += vrmpy(v28.ub,r18.b) }
{ v19.w += vrmpy(v20.ub,r17.b); v17.w += vrmpy(v23.ub,r17.b); v27 = vmem(r2++#1) }
{ v22.w += vrmpy(v20.ub,r15.b); v18.w += vrmpy(v23.ub,r15.b); v28 = vmem(r2++#1); r15:14 = memd(r3++#8) }
{ v25.w += vrmpy(v20.ub,r13.b); v21.w += vrmpy(v23.ub,r13.b) }
{ v25.w += vrmpy(v27.ub,r14.b); v21.w += vrmpy(v28.ub,r14.b); r13:12 = memd(r5++#8) }
{ v26.w += vrmpy(v20.ub,r19.b); v24.w += vrmpy(v23.ub,r19.b); r17:16 = memd(r6++#8); v20 = vmem(r2++#1) }
{ v22.w += vrmpy(v27.ub,r12.b); v18.w += vrmpy(v28.ub,r12.b); v23 = vmem(r2++#1) }
{ r19:18 = memd(r4++#8); v26.w += vrmpy(v27.ub,r16.b); v24.w += vrmpy(v28.ub,r16.b) }
{ v25.w += vrmpy(v20.ub,r15.b); v21.w += vrmpy(v23.ub,r15.b) }
{ v19.w += vrmpy(v27.ub,r18.b); v17.w += vrmpy(v28.ub,r18.b) }
{ v22.w += vrmpy(v20.ub,r13.b); v18.w += vrmpy(v23.ub,r13.b); v27 = vmem(r2++#1) }
{ v19.w += vrmpy(v20.ub,r19.b); v17.w += vrmpy(v23.ub,r19.b); v28 = vmem(r2++#1); r13:12 = memd(r5++#8) }
{ v26.w += vrmpy(v20.ub,r17.b); v24.w += vrmpy(v23.ub,r17.b); r15:14 = memd(r3++#8) }
{ r17:16 = memd(r4++#8); v22.w += vrmpy(v27.ub,r12.b); v18.w += vrmpy(v28.ub,r12.b) }
{ v25.w += vrmpy(v27.ub,r14.b); v21.w += vrmpy(v28.ub,r14.b); r19:18 = memd(r6++#8); v20 = vmem(r2++#1) }
{ v19.w += vrmpy(v27.ub,r16.b); v17.w += vrmpy(v28.ub,r16.b); v23 = vmem(r2++#1) }
{ v26.w += vrmpy(v27.ub,r18.b); v24.w += vrmpy(v28.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v25.w += vrmpy(v20.ub,r15.b); v21.w += vrmpy(v23.ub,r15.b); r15:14 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v22.w += vrmpy(v20.ub,r13.b); v18.w += vrmpy(v23.ub,r13.b); v27 = vmem(r2++#1) }
{ v19.w += vrmpy(v20.ub,r17.b); v17.w += vrmpy(v23.ub,r17.b); r11 = combine(r23.h,r21.h); v21.h = vasr(v21.w,v25.w,r0) }
{ v26.w += vrmpy(v20.ub,r19.b); v24.w += vrmpy(v23.ub,r19.b); r12 = combine(r25.h,r15.h); v18.h = vasr(v18.w,v22.w,r0) }
{ v19 = vsplat(r11); v20 = vsplat(r12); v17.h = vasr(v17.w,v19.w,r0) }
{ v23.h = vmpy(v27.h,r20.h):<<1:rnd:sat; v22.h = vasr(v24.w,v26.w,r0) }
{ v25 = vmem(r2++#1); v26.h = vshuffe(v19.h,v19.h); v24.h = vmpy(v27.h,r22.h):<<1:rnd:sat }
{ v26.h = vshuffo(v19.h,v19.h); v19.h = vsub(v21.h,v26.h); v21.h = vmpy(v27.h,r14.h):<<1:rnd:sat }
{ v27.h = vshuffo(v20.h,v20.h); r11 = combine(r21.l,r21.l); v17.h = vsub(v17.h,v26.h); v26.h = vmpy(v27.h,r24.h):<<1:rnd:sat }
{ v20.h = vshuffe(v20.h,v20.h); v1:0.w += vmpy(v19.h,v23.h); v19.h = vsub(v22.h,v27.h) }
{ v1:0.w += vmpy(v25.h,r11.h); r11 = combine(r23.l,r23.l); v18.h = vsub(v18.h,v20.h) }
{ v3:2.w += vmpy(v17.h,v24.h) }
{ v3:2.w += vmpy(v25.h,r11.h); r11 = combine(r15.l,r15.l) }
{ v5:4.w += vmpy(v18.h,v21.h); r12 = combine(r25.l,r25.l); v17 = vmem(r2++#1) }
{ v5:4.w += vmpy(v25.h,r11.h); v18 = vmem(r2++#1); r15:14 = memd(r3++#8); v20 = v16 }
{ v7:6.w += vmpy(v19.h,v26.h); r17:16 = memd(r4++#8); v21 = v16; v19 = v16 }
{ v7:6.w += vmpy(v25.h,r12.h); v22 = v16; r13:12 = memd(r5++#8); r19:18 = memd(r6++#8) }
{ v20.w += vrmpy(v17.ub,r14.b); v22.w += vrmpy(v18.ub,r14.b); v24 = v16; v23 = v16 }
{ v24.w += vrmpy(v17.ub,r12.b); v23.w += vrmpy(v18.ub,r12.b); v25 = v16; v26 = vmem(r2++#1) }
{ v21.w += vrmpy(v17.ub,r16.b); v19.w += vrmpy(v18.ub,r16.b); v28 = v16; v27 = vmem(r2++#1) }
{ v28.w += vrmpy(v17.ub,r18.b); v25.w += vrmpy(v18.ub,r18.b) }
{ v24.w += vrmpy(v26.ub,r13.b); v23.w += vrmpy(v27.ub,r13.b) }
{ v20.w += vrmpy(v26.ub,r15.b); v22.w += vrmpy(v27.ub,r15.b); v17 = vmem(r2++#1) }
{ v21.w += vrmpy(v26.ub,r17.b); v19.w += vrmpy(v27.ub,r17.b); v18 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v28.w += vrmpy(v26.ub,r19.b); v25.w += vrmpy(v27.ub,r19.b); r15:14 = memd(r5++#8) }
{ v20.w += vrmpy(v17.ub,r12.b); v22.w += vrmpy(v18.ub,r12.b); r17:16 = memd(r6++#8) }
{ r19:18 = memd(r4++#8); v24.w += vrmpy(v17.ub,r14.b); v23.w += vrmpy(v18.ub,r14.b); v26 = vmem(r2++#1) }
{ v28.w += vrmpy(v17.ub,r16.b); v25.w += vrmpy(v18.ub,r16.b); v27 = vmem(r2++#1) }
{ v21.w += vrmpy(v17.ub,r18.b); v19.w += vrmpy(v18.ub,r18.b) }
{ v20.w += vrmpy(v26.ub,r13.b); v22.w += vrmpy(v27.ub,r13.b) }
{ v21.w += vrmpy(v26.ub,r19.b); v19.w += vrmpy(v27.ub,r19.b); v17 = vmem(r2++#1) }
{ v28.w += vrmpy(v26.ub,r17.b); v25.w += vrmpy(v27.ub,r17.b); v18 = vmem(r2++#1); r13:12 = memd(r4++#8) }
{ v24.w += vrmpy(v26.ub,r15.b); v23.w += vrmpy(v27.ub,r15.b); r15:14 = memd(r3++#8) }
{ v21.w += vrmpy(v17.ub,r12.b); v19.w += vrmpy(v18.ub,r12.b); r17:16 = memd(r6++#8) }
{ v20.w += vrmpy(v17.ub,r14.b); v22.w += vrmpy(v18.ub,r14.b); r19:18 = memd(r5++#8); v26 = vmem(r2++#1) }
{ v28.w += vrmpy(v17.ub,r16.b); v25.w += vrmpy(v18.ub,r16.b); v27 = vmem(r2++#1) }
{ v24.w += vrmpy(v17.ub,r18.b); v23.w += vrmpy(v18.ub,r18.b) }
{ v20.w += vrmpy(v26.ub,r15.b); v22.w += vrmpy(v27.ub,r15.b) }
{ v21.w += vrmpy(v26.ub,r13.b); v19.w += vrmpy(v27.ub,r13.b); v17 = vmem(r2++#1) }
{ v28.w += vrmpy(v26.ub,r17.b); v25.w += vrmpy(v27.ub,r17.b); v18 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v24.w += vrmpy(v26.ub,r19.b); v23.w += vrmpy(v27.ub,r19.b); r15:14 = memd(r5++#8) }
{ v20.w += vrmpy(v17.ub,r12.b); v22.w += vrmpy(v18.ub,r12.b); r17:16 = memd(r4++#8); v26 = vmem(r2++#1) }
{ v24.w += vrmpy(v17.ub,r14.b); v23.w += vrmpy(v18.ub,r14.b); v27 = vmem(r2++#1) }
{ v21.w += vrmpy(v17.ub,r16.b); v19.w += vrmpy(v18.ub,r16.b); r19:18 = memd(r6++#8) }
{ v20.w += vrmpy(v26.ub,r13.b); v22.w += vrmpy(v27.ub,r13.b); r13:12 = memd(r8++#8); r21:20 = memd(r9++#8) }
{ v21.w += vrmpy(v26.ub,r17.b); v19.w += vrmpy(v27.ub,r17.b); r17:16 = memd(r7++#8); r23:22 = memd(r10++#8) }
{ v28.w += vrmpy(v17.ub,r18.b); v25.w += vrmpy(v18.ub,r18.b); v17.h = vasr(v22.w,v20.w,r0) }
{ v24.w += vrmpy(v26.ub,r15.b); v23.w += vrmpy(v27.ub,r15.b); v19 = vmem(r2++#1); v18.h = vasr(v19.w,v21.w,r0) }
{ v28.w += vrmpy(v26.ub,r19.b); v25.w += vrmpy(v27.ub,r19.b); r11 = combine(r13.h,r17.h); r14 = combine(r23.h,r21.h) }
{ v21 = vsplat(r11); v22 = vsplat(r14); v20.h = vasr(v23.w,v24.w,r0) }
{ v24.h = vmpy(v19.h,r16.h):<<1:rnd:sat; v23.h = vasr(v25.w,v28.w,r0) }
{ v26 = vmem(r2++#1); v27.h = vshuffe(v21.h,v21.h); v25.h = vmpy(v19.h,r12.h):<<1:rnd:sat }
{ v27.h = vshuffo(v21.h,v21.h); v17.h = vsub(v17.h,v27.h); v21.h = vmpy(v19.h,r20.h):<<1:rnd:sat }
{ v27.h = vshuffe(v22.h,v22.h); r11 = combine(r17.l,r17.l); v18.h = vsub(v18.h,v27.h); v19.h = vmpy(v19.h,r22.h):<<1:rnd:sat }
{ v20.h = vshuffo(v22.h,v22.h); v1:0.w += vmpy(v17.h,v24.h); v17.h = vsub(v20.h,v27.h) }
{ v1:0.w += vmpy(v26.h,r11.h); r11 = combine(r13.l,r13.l); v20.h = vsub(v23.h,v20.h) }
{ v3:2.w += vmpy(v18.h,v25.h) }
{ v3:2.w += vmpy(v26.h,r11.h); r11 = combine(r21.l,r21.l) }
{ v5:4.w += vmpy(v17.h,v21.h) }
{ v5:4.w += vmpy(v26.h,r11.h); r11 = combine(r23.l,r23.l); v17 = vmem(r2++#1) }
{ v7:6.w += vmpy(v20.h,v19.h); v18 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v7:6.w += vmpy(v26.h,r11.h); r15:14 = memd(r4++#8) }
{ v20.w = vrmpy(v17.ub,r12.b); v19.w = vrmpy(v18.ub,r12.b); r17:16 = memd(r5++#8) }
{ v22.w = vrmpy(v17.ub,r14.b); v21.w = vrmpy(v18.ub,r14.b); r19:18 = memd(r6++#8); v23 = vmem(r2++#1) }
{ v26.w = vrmpy(v17.ub,r16.b); v24.w = vrmpy(v18.ub,r16.b); v25 = vmem(r2++#1) }
{ v18.w = vrmpy(v17.ub,r18.b); v17.w = vrmpy(v18.ub,r18.b) }
{ v20.w += vrmpy(v23.ub,r13.b); v19.w += vrmpy(v25.ub,r13.b) }
{ v22.w += vrmpy(v23.ub,r15.b); v21.w += vrmpy(v25.ub,r15.b); v27 = vmem(r2++#1) }
{ v26.w += vrmpy(v23.ub,r17.b); v24.w += vrmpy(v25.ub,r17.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v18.w += vrmpy(v23.ub,r19.b); v17.w += vrmpy(v25.ub,r19.b); r15:14 = memd(r5++#8) }
{ v20.w += vrmpy(v27.ub,r12.b); v19.w += vrmpy(v28.ub,r12.b); r17:16 = memd(r4++#8); v23 = vmem(r2++#1) }
{ v26.w += vrmpy(v27.ub,r14.b); v24.w += vrmpy(v28.ub,r14.b); v25 = vmem(r2++#1) }
{ v22.w += vrmpy(v27.ub,r16.b); v21.w += vrmpy(v28.ub,r16.b); r19:18 = memd(r6++#8) }
{ v22.w += vrmpy(v23.ub,r17.b); v21.w += vrmpy(v25.ub,r17.b) }
{ v18.w += vrmpy(v27.ub,r18.b); v17.w += vrmpy(v28.ub,r18.b); v27 = vmem(r2++#1) }
{ v20.w += vrmpy(v23.ub,r13.b); v19.w += vrmpy(v25.ub,r13.b); v28 = vmem(r2++#1); r13:12 = memd(r3++#8) }
{ v26.w += vrmpy(v23.ub,r15.b); v24.w += vrmpy(v25.ub,r15.b); r15:14 = memd(r4++#8) }
{ v20.w += vrmpy(v27.ub,r12.b); v19.w += vrmpy(v28.ub,r12.b) }
{ v22.w += vrmpy(v27.ub,r14.b); v21.w += vrmpy(v28.ub,r14.b); r17:16 = memd(r5++#8); v29 = vmem(r2++#1) }
{ v18.w += vrmpy(v23.ub,r19.b); v17.w += vrmpy(v25.ub,r19.b); v23 = vmem(r2++#1) }
{ v26.w += vrmpy(v27.ub,r16.b); v24.w += vrmpy(v28.ub,r16.b) }
{ r15:14 = memd(r6++#8); v22.w += vrmpy(v29.ub,r15.b); v21.w += vrmpy(v23.ub,r15.b) }
{ v26.w += vrmpy(v29.ub,r17.b); v24.w += vrmpy(v23.ub,r17.b) }
{ v18.w += vrmpy(v27.ub,r14.b); v17.w += vrmpy(v28.ub,r14.b); v25 = vmem(r2++#1) }
{ v18.w += vrmpy(v29.ub,r15.b); v17.w += vrmpy(v23.ub,r15.b); v27 = vmem(r2++#1); r15:14 = memd(r4++#8) }
{ v20.w += vrmpy(v29.ub,r13.b); v19.w += vrmpy(v23.ub,r13.b); r13:12 = memd(r3++#8) }
{ v22.w += vrmpy(v25.ub,r14.b); v21.w += vrmpy(v27.ub,r14.b); r17:16 = memd(r5++#8) }
{ v20.w += vrmpy(v25.ub,r12.b); v19.w += vrmpy(v27.ub,r12.b); r19:18 = memd(r6++#8); v23 = vmem(r2++#1) }
{ v26.w += vrmpy(v25.ub,r16.b); v24.w += vrmpy(v27.ub,r16.b); v28 = vmem(r2++#1) }
{ v18.w += vrmpy(v25.ub,r18.b); v17.w += vrmpy(v27.ub,r18.b); r21:20 = memd(r7++#8); r23:22 = memd(r8++#8) }
{ v22.w += vrmpy(v23.ub,r15.b); v21.w += vrmpy(v28.ub,r15.b); r15:14 = memd(r9++#8); r25:24 = memd(r10++#8) }
{ v20.w += vrmpy(v23.ub,r13.b); v19.w += vrmpy(v28.ub,r13.b); v25 = vmem(r2++#1) }
{ v18.w += vrmpy(v23.ub,r19.b); v17.w += vrmpy(v28.ub,r19.b); r11 = combine(r23.h,r21.h); v21.h = vasr(v21.w,v22.w,r0) }
{ v26.w += vrmpy(v23.ub,r17.b); v24.w += vrmpy(v28.ub,r17.b); r12 = combine(r25.h,r15.h); v19.h = vasr(v19.w,v20.w,r0) }
{ v18 = vsplat(r11); v20 = vsplat(r12); v17.h = vasr(v17.w,v18.w,r0) }
{ v23.h = vmpy(v25.h,r20.h):<<1:rnd:sat; v22.h = vasr(v24.w,v26.w,r0) }
{ v28 = vmem(r2++#1); v26.h = vshuffe(v18.h,v18.h); v24.h = vmpy(v25.h,r22.h):<<1:rnd:sat }
{ v19.h = vshuffo(v18.h,v18.h); v18.h = vsub(v19.h,v26.h); v26.h = vmpy(v25.h,r14.h):<<1:rnd:sat }
{ v21.h = vshuffo(v20.h,v20.h); r11 = combine(r21.l,r21.l); v19.h = vsub(v21.h,v19.h); v27.h = vmpy(v25.h,r24.h):<<1:rnd:sat }
{ v17.h = vshuffe(v20.h,v20.h); v1:0.w += vmpy(v18.h,v23.h); v29.h = vsub(v17.h,v21.h) }
{ v1:0.w += vmpy(v28.h,r11.h); r11 = combine(r23.l,r23.l); v20.h = vsub(v22.h,v17.h); r16 = combine(r15.l,r15.l) }:endloop0
{ v3:2.w += vmpy(v19.h,v24.h); r20 = combine(r25.l,r25.l) }
{ v9.w += vasr(v1.w,r1); v3:2.w += vmpy(v28.h,r11.h) }
{ v8.w += vasr(v0.w,r1); v5:4.w += vmpy(v20.h,v26.h) }
{ v10.w += vasr(v2.w,r1); v5:4.w += vmpy(v28.h,r16.h) }
{ v11.w += vasr(v3.w,r1); v7:6.w += vmpy(v29.h,v27.h) }
{ v12.w += vasr(v4.w,r1); v7:6.w += vmpy(v28.h,r20.h) }
{ v13.w += vasr(v5.w,r1) }
{ v15.w += vasr(v7.w,r1) }
{ v14.w += vasr(v6.w,r1) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ vmem(r28+#2) = v10; r21:20 = memd(r29+#16) }
{ vmem(r28+#3) = v11; r23:22 = memd(r29+#24) }
{ vmem(r28+#4) = v12; r25:24 = memd(r29+#32) }
{ vmem(r28+#5) = v13; r27:26 = memd(r29+#40) }
{ vmem(r28+#6) = v14 }
{ vmem(r28+#7) = v15 }
{ dealloc_return }
.size hvx_sum_expanded_minimums_rows, .-hvx_sum_expanded_minimums_rows

// 96 packets (96 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_expanded_halves_rows
.hidden hvx_sum_expanded_halves_rows
.type hvx_sum_expanded_halves_rows,@function
hvx_sum_expanded_halves_rows:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48) }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22 }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_expanded_halves_rows,r30); v8 = vmem(r31+#0); memw(r29+#48) = r31 }
{ v9 = vmem(r31+#1); r1 = memw(r28+#0) }
{ v10 = vmem(r31+#2); r2 = memw(r28+#16) }
{ v11 = vmem(r31+#3); r3 = memw(r28+#20) }
{ v12 = vmem(r31+#4); r4 = memw(r28+#24) }
{ v13 = vmem(r31+#5); r5 = memw(r28+#28) }
{ v14 = vmem(r31+#6); r6 = memw(r28+#32) }
{ v15 = vmem(r31+#7); r7 = memw(r28+#36) }
{ r8 = memw(r28+#40); r9 = memw(r28+#44) }
{ r0 = memw(r28+#52) }
{ v16 = vmem(r1++#1) }
{ v17 = vmem(r1++#1); r11:10 = memd(r3++#8) }
{ r13:12 = memd(r4++#8) }
{ r15:14 = memd(r2++#8); v19.w = vrmpy(v16.ub,r10.b); v18.w = vrmpy(v17.ub,r10.b); v20 = vmem(r1++#1) }
{ v23.w = vrmpy(v16.ub,r12.b); v21.w = vrmpy(v17.ub,r12.b); v22 = vmem(r1++#1) }
{ v25.w = vrmpy(v16.ub,r14.b); v24.w = vrmpy(v17.ub,r14.b); r17:16 = memd(r5++#8); v26 = vmem(r1++#1) }
{ v25.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v22.ub,r15.b); v27 = vmem(r1++#1); r15:14 = memd(r2++#8) }
{ v17.w = vrmpy(v16.ub,r16.b); v16.w = vrmpy(v17.ub,r16.b) }
{ v25.w += vrmpy(v26.ub,r14.b); v24.w += vrmpy(v27.ub,r14.b); r19:18 = memd(r3++#8) }
{ v19.w += vrmpy(v20.ub,r11.b); v18.w += vrmpy(v22.ub,r11.b) }
{ v19.w += vrmpy(v26.ub,r18.b); v18.w += vrmpy(v27.ub,r18.b); r11:10 = memd(r4++#8) }
{ v23.w += vrmpy(v20.ub,r13.b); v21.w += vrmpy(v22.ub,r13.b); v28 = vmem(r1++#1) }
{ v23.w += vrmpy(v26.ub,r10.b); v21.w += vrmpy(v27.ub,r10.b); v29 = vmem(r1++#1) }
{ v17.w += vrmpy(v20.ub,r17.b); v16.w += vrmpy(v22.ub,r17.b) }
{ v25.w += vrmpy(v28.ub,r15.b); v24.w += vrmpy(v29.ub,r15.b) }
{ r11:10 = memd(r5++#8); v23.w += vrmpy(v28.ub,r11.b); v21.w += vrmpy(v29.ub,r11.b) }
{ v19.w += vrmpy(v28.ub,r19.b); v18.w += vrmpy(v29.ub,r19.b); r13:12 = memd(r7++#8); v20.h = vshuffe(v24.h,v25.h) }
{ v17.w += vrmpy(v26.ub,r10.b); v16.w += vrmpy(v27.ub,r10.b); v22 = vmem(r1++#1); v21.h = vshuffe(v21.h,v23.h) }
{ v17.w += vrmpy(v28.ub,r11.b); v16.w += vrmpy(v29.ub,r11.b); r11:10 = memd(r8++#8); v18.h = vshuffe(v18.h,v19.h) }
{ r13:12 = memd(r6++#8); v19.h = vmpy(v22.h,r12.h):<<1:rnd:sat }
{ r11:10 = memd(r9++#8); v17.h = vmpy(v22.h,r10.h):<<1:rnd:sat; v16.h = vshuffe(v16.h,v17.h) }
{ v23.h = vmpy(v22.h,r12.h):<<1:rnd:sat }
{ v22.h = vmpy(v22.h,r10.h):<<1:rnd:sat }
{ v1:0.w = vmpy(v20.h,v23.h) }
{ v7:6.w = vmpy(v16.h,v22.h); v16 = vmem(r1++#1) }
{ v3:2.w = vmpy(v18.h,v19.h); v18 = vmem(r1++#1); r11:10 = memd(r2++#8) }
{ v5:4.w = vmpy(v21.h,v17.h); r13:12 = memd(r3++#8) }
{ v19.w = vrmpy(v16.ub,r10.b); v17.w = vrmpy(v18.ub,r10.b); r15:14 = memd(r4++#8); v20 = vmem(r1++#1) }
{ v23.w = vrmpy(v16.ub,r12.b); v21.w = vrmpy(v18.ub,r12.b); v22 = vmem(r1++#1) }
{ v25.w = vrmpy(v16.ub,r14.b); v24.w = vrmpy(v18.ub,r14.b) }
{ r11:10 = memd(r5++#8); v19.w += vrmpy(v20.ub,r11.b); v17.w += vrmpy(v22.ub,r11.b) }
{ v23.w += vrmpy(v20.ub,r13.b); v21.w += vrmpy(v22.ub,r13.b) }
{ v18.w = vrmpy(v16.ub,r10.b); v16.w = vrmpy(v18.ub,r10.b); v26 = vmem(r1++#1) }
{ v18.w += vrmpy(v20.ub,r11.b); v16.w += vrmpy(v22.ub,r11.b); v27 = vmem(r1++#1); r11:10 = memd(r4++#8) }
{ v25.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v22.ub,r15.b); r13:12 = memd(r2++#8) }
{ v25.w += vrmpy(v26.ub,r10.b); v24.w += vrmpy(v27.ub,r10.b); r15:14 = memd(r5++#8); v20 = vmem(r1++#1) }
{ v19.w += vrmpy(v26.ub,r12.b); v17.w += vrmpy(v27.ub,r12.b); v22 = vmem(r1++#1) }
{ v18.w += vrmpy(v26.ub,r14.b); v16.w += vrmpy(v27.ub,r14.b) }
{ r15:14 = memd(r3++#8); v18.w += vrmpy(v20.ub,r15.b); v16.w += vrmpy(v22.ub,r15.b) }
{ v19.w += vrmpy(v20.ub,r13.b); v17.w += vrmpy(v22.ub,r13.b) }
{ v23.w += vrmpy(v26.ub,r14.b); v21.w += vrmpy(v27.ub,r14.b); v18 = vmem(r1++#1); v16.h = vshuffe(v16.h,v18.h) }
{ v25.w += vrmpy(v20.ub,r11.b); v24.w += vrmpy(v22.ub,r11.b); r11:10 = memd(r6++#8); v17.h = vshuffe(v17.h,v19.h) }
{ v23.w += vrmpy(v20.ub,r15.b); v21.w += vrmpy(v22.ub,r15.b); r13:12 = memd(r7++#8) }
{ v20.h = vmpy(v18.h,r10.h):<<1:rnd:sat; v19.h = vshuffe(v24.h,v25.h) }
{ v21.h = vshuffe(v21.h,v23.h); v22.h = vmpy(v18.h,r12.h):<<1:rnd:sat }
{ r11:10 = memd(r8++#8); v1:0.w += vmpy(v17.h,v20.h); v17 = vmem(r1++#1) }
{ v3:2.w += vmpy(v21.h,v22.h); v20 = vmem(r1++#1); r13:12 = memd(r2++#8) }
{ v21.h = vmpy(v18.h,r10.h):<<1:rnd:sat }
{ r11:10 = memd(r9++#8); v23.w = vrmpy(v17.ub,r12.b); v22.w = vrmpy(v20.ub,r12.b) }
{ v5:4.w += vmpy(v19.h,v21.h); r15:14 = memd(r3++#8) }
{ v18.h = vmpy(v18.h,r10.h):<<1:rnd:sat }
{ v21.w = vrmpy(v17.ub,r14.b); v19.w = vrmpy(v20.ub,r14.b); r11:10 = memd(r5++#8) }
{ v7:6.w += vmpy(v16.h,v18.h); r17:16 = memd(r4++#8); v16 = vmem(r1++#1) }
{ v25.w = vrmpy(v17.ub,r10.b); v18.w = vrmpy(v20.ub,r10.b); v24 = vmem(r1++#1) }
{ v20.w = vrmpy(v17.ub,r16.b); v17.w = vrmpy(v20.ub,r16.b) }
{ v23.w += vrmpy(v16.ub,r13.b); v22.w += vrmpy(v24.ub,r13.b) }
{ v21.w += vrmpy(v16.ub,r15.b); v19.w += vrmpy(v24.ub,r15.b); v26 = vmem(r1++#1) }
{ v25.w += vrmpy(v16.ub,r11.b); v18.w += vrmpy(v24.ub,r11.b); v27 = vmem(r1++#1); r11:10 = memd(r2++#8) }
{ v20.w += vrmpy(v16.ub,r17.b); v17.w += vrmpy(v24.ub,r17.b); r13:12 = memd(r5++#8) }
{ v23.w += vrmpy(v26.ub,r10.b); v22.w += vrmpy(v27.ub,r10.b); r15:14 = memd(r3++#8) }
{ r17:16 = memd(r4++#8); v25.w += vrmpy(v26.ub,r12.b); v18.w += vrmpy(v27.ub,r12.b); v16 = vmem(r1++#1) }
{ v21.w += vrmpy(v26.ub,r14.b); v19.w += vrmpy(v27.ub,r14.b); v24 = vmem(r1++#1) }
{ v20.w += vrmpy(v26.ub,r16.b); v17.w += vrmpy(v27.ub,r16.b) }
{ v23.w += vrmpy(v16.ub,r11.b); v22.w += vrmpy(v24.ub,r11.b) }
{ v20.w += vrmpy(v16.ub,r17.b); v17.w += vrmpy(v24.ub,r17.b); v26 = vmem(r1++#1); r11:10 = memd(r6++#8) }
{ v21.w += vrmpy(v16.ub,r15.b); v19.w += vrmpy(v24.ub,r15.b); v22.h = vshuffe(v22.h,v23.h) }
{ r11:10 = memd(r8++#8); v20.h = vmpy(v26.h,r10.h):<<1:rnd:sat; v17.h = vshuffe(v17.h,v20.h) }
{ v25.w += vrmpy(v16.ub,r13.b); v18.w += vrmpy(v24.ub,r13.b); r13:12 = memd(r7++#8); v16.h = vshuffe(v19.h,v21.h) }
{ v19.h = vmpy(v26.h,r10.h):<<1:rnd:sat }
{ v21.h = vmpy(v26.h,r12.h):<<1:rnd:sat; v18.h = vshuffe(v18.h,v25.h) }
{ r11:10 = memd(r9++#8); v1:0.w += vmpy(v22.h,v20.h); v20 = vmem(r1++#1) }
{ v3:2.w += vmpy(v16.h,v21.h); v16 = vmem(r1++#1); r13:12 = memd(r2++#8) }
{ v21.h = vmpy(v26.h,r10.h):<<1:rnd:sat }
{ v23.w = vrmpy(v20.ub,r12.b); v22.w = vrmpy(v16.ub,r12.b); r11:10 = memd(r3++#8) }
{ v7:6.w += vmpy(v18.h,v21.h) }
{ v21.w = vrmpy(v20.ub,r10.b); v18.w = vrmpy(v16.ub,r10.b); r15:14 = memd(r4++#8) }
{ v5:4.w += vmpy(v17.h,v19.h); r17:16 = memd(r5++#8); v17 = vmem(r1++#1) }
{ v25.w = vrmpy(v20.ub,r14.b); v19.w = vrmpy(v16.ub,r14.b); v24 = vmem(r1++#1) }
{ v20.w = vrmpy(v20.ub,r16.b); v16.w = vrmpy(v16.ub,r16.b) }
{ v23.w += vrmpy(v17.ub,r13.b); v22.w += vrmpy(v24.ub,r13.b) }
{ v25.w += vrmpy(v17.ub,r15.b); v19.w += vrmpy(v24.ub,r15.b); v26 = vmem(r1++#1) }
{ v21.w += vrmpy(v17.ub,r11.b); v18.w += vrmpy(v24.ub,r11.b); v27 = vmem(r1++#1); r11:10 = memd(r4++#8) }
{ v20.w += vrmpy(v17.ub,r17.b); v16.w += vrmpy(v24.ub,r17.b); r13:12 = memd(r2++#8) }
{ v25.w += vrmpy(v26.ub,r10.b); v19.w += vrmpy(v27.ub,r10.b); r15:14 = memd(r5++#8) }
{ v23.w += vrmpy(v26.ub,r12.b); v22.w += vrmpy(v27.ub,r12.b); r17:16 = memd(r3++#8); v17 = vmem(r1++#1) }
{ v20.w += vrmpy(v26.ub,r14.b); v16.w += vrmpy(v27.ub,r14.b); v24 = vmem(r1++#1) }
{ v21.w += vrmpy(v26.ub,r16.b); v18.w += vrmpy(v27.ub,r16.b) }
{ v23.w += vrmpy(v17.ub,r13.b); v22.w += vrmpy(v24.ub,r13.b) }
{ v21.w += vrmpy(v17.ub,r17.b); v18.w += vrmpy(v24.ub,r17.b); r13:12 = memd(r7++#8) }
{ v25.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v24.ub,r11.b); v23 = vmem(r1++#1); v22.h = vshuffe(v22.h,v23.h) }
{ v20.w += vrmpy(v17.ub,r15.b); v16.w += vrmpy(v24.ub,r15.b); r11:10 = memd(r6++#8); v17.h = vshuffe(v18.h,v21.h) }
{ v19.h = vmpy(v23.h,r12.h):<<1:rnd:sat; v18.h = vshuffe(v19.h,v25.h) }
{ v16.h = vmpy(v23.h,r10.h):<<1:rnd:sat; v20.h = vshuffe(v16.h,v20.h) }
{ r11:10 = memd(r9++#8); v3:2.w += vmpy(v17.h,v19.h) }
{ r13:12 = memd(r8++#8); v1:0.w += vmpy(v22.h,v16.h) }
.Lhvx_sum_expanded_halves_rows:
{ v11.w += vasr(v3.w,r0); v17.h = vmpy(v23.h,r10.h):<<1:rnd:sat }
{ v16 = vmem(r1++#1); v10.w += vasr(v2.w,r0); v19.h = vmpy(v23.h,r12.h):<<1:rnd:sat }
{ v17 = vmem(r1++#1); r11:10 = memd(r3++#8); v8.w += vasr(v0.w,r0); v7:6.w += vmpy(v20.h,v17.h) }
{ r13:12 = memd(r4++#8); v9.w += vasr(v1.w,r0); v5:4.w += vmpy(v18.h,v19.h) }
{ r15:14 = memd(r2++#8); v19.w = vrmpy(v16.ub,r10.b); v18.w = vrmpy(v17.ub,r10.b); v20 = vmem(r1++#1) }
{ v23.w = vrmpy(v16.ub,r12.b); v21.w = vrmpy(v17.ub,r12.b); v22 = vmem(r1++#1) }
{ v25.w = vrmpy(v16.ub,r14.b); v24.w = vrmpy(v17.ub,r14.b); r17:16 = memd(r5++#8); v26 = vmem(r1++#1) }
{ v25.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v22.ub,r15.b); v27 = vmem(r1++#1); r15:14 = memd(r2++#8) }
{ v17.w = vrmpy(v16.ub,r16.b); v16.w = vrmpy(v17.ub,r16.b) }
{ v25.w += vrmpy(v26.ub,r14.b); v24.w += vrmpy(v27.ub,r14.b); r19:18 = memd(r3++#8) }
{ v19.w += vrmpy(v20.ub,r11.b); v18.w += vrmpy(v22.ub,r11.b) }
{ v19.w += vrmpy(v26.ub,r18.b); v18.w += vrmpy(v27.ub,r18.b); r11:10 = memd(r4++#8) }
{ v23.w += vrmpy(v20.ub,r13.b); v21.w += vrmpy(v22.ub,r13.b); v28 = vmem(r1++#1) }
{ v23.w += vrmpy(v26.ub,r10.b); v21.w += vrmpy(v27.ub,r10.b); v29 = vmem(r1++#1) }
{ v17.w += vrmpy(v20.ub,r17.b); v16.w += vrmpy(v22.ub,r17.b) }
{ v25.w += vrmpy(v28.ub,r15.b); v24.w += vrmpy(v29.ub,r15.b) }
{ r11:10 = memd(r5++#8); v23.w += vrmpy(v28.ub,r11.b); v21.w += vrmpy(v29.ub,r11.b) }
{ v19.w += vrmpy(v28.ub,r19.b); v18.w += vrmpy(v29.ub,r19.b); r13:12 = memd(r7++#8); v20.h = vshuffe(v24.h,v25.h) }
{ v17.w += vrmpy(v26.ub,r10.b); v16.w += vrmpy(v27.ub,r10.b); v22 = vmem(r1++#1); v21.h = vshuffe(v21.h,v23.h) }
{ v17.w += vrmpy(v28.ub,r11.b); v16.w += vrmpy(v29.ub,r11.b); r11:10 = memd(r8++#8); v18.h = vshuffe(v18.h,v19.h) }
{ r13:12 = memd(r6++#8); v19.h = vmpy(v22.h,r12.h):<<1:rnd:sat; v12.w += vasr(v4.w,r0) }
{ r11:10 = memd(r9++#8); v17.h = vmpy(v22.h,r10.h):<<1:rnd:sat; v16.h = vshuffe(v16.h,v17.h); v13.w += vasr(v5.w,r0) }
{ v23.h = vmpy(v22.h,r12.h):<<1:rnd:sat; v15.w += vasr(v7.w,r0) }
{ v22.h = vmpy(v22.h,r10.h):<<1:rnd:sat; v14.w += vasr(v6.w,r0) }
{ v1:0.w = vmpy(v20.h,v23.h) }
{ v7:6.w = vmpy(v16.h,v22.h); v16 = vmem(r1++#1) }
{ v3:2.w = vmpy(v18.h,v19.h); v18 = vmem(r1++#1); r11:10 = memd(r2++#8) }
{ v5:4.w = vmpy(v21.h,v17.h); r13:12 = memd(r3++#8) }
{ v19.w = vrmpy(v16.ub,r10.b); v17.w = vrmpy(v18.ub,r10.b); r15:14 = memd(r4++#8); v20 = vmem(r1++#1) }
{ v23.w = vrmpy(v16.ub,r12.b); v21.w = vrmpy(v18.ub,r12.b); v22 = vmem(r1++#1) }
{ v25.w = vrmpy(v16.ub,r14.b); v24.w = vrmpy(v18.ub,r14.b) }
{ r11:10 = memd(r5++#8); v19.w += vrmpy(v20.ub,r11.b); v17.w += vrmpy(v22.ub,r11.b) }
{ v23.w += vrmpy(v20.ub,r13.b); v21.w += vrmpy(v22.ub,r13.b) }
{ v18.w = vrmpy(v16.ub,r10.b); v16.w = vrmpy(v18.ub,r10.b); v26 = vmem(r1++#1) }
{ v18.w += vrmpy(v20.ub,r11.b); v16.w += vrmpy(v22.ub,r11.b); v27 = vmem(r1++#1); r11:10 = memd(r4++#8) }
{ v25.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v22.ub,r15.b); r13:12 = memd(r2++#8) }
{ v25.w += vrmpy(v26.ub,r10.b); v24.w += vrmpy(v27.ub,r10.b); r15:14 = memd(r5++#8); v20 = vmem(r1++#1) }
{ v19.w += vrmpy(v26.ub,r12.b); v17.w += vrmpy(v27.ub,r12.b); v22 = vmem(r1++#1) }
{ v18.w += vrmpy(v26.ub,r14.b); v16.w += vrmpy(v27.ub,r14.b) }
{ r15:14 = memd(r3++#8); v18.w += vrmpy(v20.ub,r15.b); v16.w += vrmpy(v22.ub,r15.b) }
{ v19.w += vrmpy(v20.ub,r13.b); v17.w += vrmpy(v22.ub,r13.b) }
{ v23.w += vrmpy(v26.ub,r14.b); v21.w += vrmpy(v27.ub,r14.b); v18 = vmem(r1++#1); v16.h = vshuffe(v16.h,v18.h) }
{ v25.w += vrmpy(v20.ub,r11.b); v24.w += vrmpy(v22.ub,r11.b); r11:10 = memd(r6++#8); v17.h = vshuffe(v17.h,v19.h) }
{ v23.w += vrmpy(v20.ub,r15.b); v21.w += vrmpy(v22.ub,r15.b); r13:12 = memd(r7++#8) }
{ v20.h = vmpy(v18.h,r10.h):<<1:rnd:sat; v19.h = vshuffe(v24.h,v25.h) }
{ v21.h = vshuffe(v21.h,v23.h); v22.h = vmpy(v18.h,r12.h):<<1:rnd:sat }
{ r11:10 = memd(r8++#8); v1:0.w += vmpy(v17.h,v20.h); v17 = vmem(r1++#1) }
{ v3:2.w += vmpy(v21.h,v22.h); v20 = vmem(r1++#1); r13:12 = memd(r2++#8) }
{ v21.h = vmpy(v18.h,r10.h):<<1:rnd:sat }
{ r11:10 = memd(r9++#8); v23.w = vrmpy(v17.ub,r12.b); v22.w = vrmpy(v20.ub,r12.b) }
{ v5:4.w += vmpy(v19.h,v21.h); r15:14 = memd(r3++#8) }
{ v18.h = vmpy(v18.h,r10.h):<<1:rnd:sat }
{ v21.w = vrmpy(v17.ub,r14.b); v19.w = vrmpy(v20.ub,r14.b); r11:10 = memd(r5++#8) }
{ v7:6.w += vmpy(v16.h,v18.h); r17:16 = memd(r4++#8); v16 = vmem(r1++#1) }
{ v25.w = vrmpy(v17.ub,r10.b); v18.w = vrmpy(v20.ub,r10.b); v24 = vmem(r1++#1) }
{ v20.w = vrmpy(v17.ub,r16.b); v17.w = vrmpy(v20.ub,r16.b) }
{ v23.w += vrmpy(v16.ub,r13.b); v22.w += vrmpy(v24.ub,r13.b) }
{ v21.w += vrmpy(v16.ub,r15.b); v19.w += vrmpy(v24.ub,r15.b); v26 = vmem(r1++#1) }
{ v25.w += vrmpy(v16.ub,r11.b); v18.w += vrmpy(v24.ub,r11.b); v27 = vmem(r1++#1); r11:10 = memd(r2++#8) }
{ v20.w += vrmpy(v16.ub,r17.b); v17.w += vrmpy(v24.ub,r17.b); r13:12 = memd(r5++#8) }
{ v23.w += vrmpy(v26.ub,r10.b); v22.w += vrmpy(v27.ub,r10.b); r15:14 = memd(r3++#8) }
{ r17:16 = memd(r4++#8); v25.w += vrmpy(v26.ub,r12.b); v18.w += vrmpy(v27.ub,r12.b); v16 = vmem(r1++#1) }
{ v21.w += vrmpy(v26.ub,r14.b); v19.w += vrmpy(v27.ub,r14.b); v24 = vmem(r1++#1) }
{ v20.w += vrmpy(v26.ub,r16.b); v17.w += vrmpy(v27.ub,r16.b) }
{ v23.w += vrmpy(v16.ub,r11.b); v22.w += vrmpy(v24.ub,r11.b) }
{ v20.w += vrmpy(v16.ub,r17.b); v17.w += vrmpy(v24.ub,r17.b); v26 = vmem(r1++#1); r11:10 = memd(r6++#8) }
{ v21.w += vrmpy(v16.ub,r15.b); v19.w += vrmpy(v24.ub,r15.b); v22.h = vshuffe(v22.h,v23.h) }
{ r11:10 = memd(r8++#8); v20.h = vmpy(v26.h,r10.h):<<1:rnd:sat; v17.h = vshuffe(v17.h,v20.h) }
{ v25.w += vrmpy(v16.ub,r13.b); v18.w += vrmpy(v24.ub,r13.b); r13:12 = memd(r7++#8); v16.h = vshuffe(v19.h,v21.h) }
{ v19.h = vmpy(v26.h,r10.h):<<1:rnd:sat }
{ v21.h = vmpy(v26.h,r12.h):<<1:rnd:sat; v18.h = vshuffe(v18.h,v25.h) }
{ r11:10 = memd(r9++#8); v1:0.w += vmpy(v22.h,v20.h); v20 = vmem(r1++#1) }
{ v3:2.w += vmpy(v16.h,v21.h); v16 = vmem(r1++#1); r13:12 = memd(r2++#8) }
{ v21.h = vmpy(v26.h,r10.h):<<1:rnd:sat }
{ v23.w = vrmpy(v20.ub,r12.b); v22.w = vrmpy(v16.ub,r12.b); r11:10 = memd(r3++#8) }
{ v7:6.w += vmpy(v18.h,v21.h) }
{ v21.w = vrmpy(v20.ub,r10.b); v18.w = vrmpy(v16.ub,r10.b); r15:14 = memd(r4++#8) }
{ v5:4.w += vmpy(v17.h,v19.h); r17:16 = memd(r5++#8); v17 = vmem(r1++#1) }
{ v25.w = vrmpy(v20.ub,r14.b); v19.w = vrmpy(v16.ub,r14.b); v24 = vmem(r1++#1) }
{ v20.w = vrmpy(v20.ub,r16.b); v16.w = vrmpy(v16.ub,r16.b) }
{ v23.w += vrmpy(v17.ub,r13.b); v22.w += vrmpy(v24.ub,r13.b) }
{ v25.w += vrmpy(v17.ub,r15.b); v19.w += vrmpy(v24.ub,r15.b); v26 = vmem(r1++#1) }
{ v21.w += vrmpy(v17.ub,r11.b); v18.w += vrmpy(v24.ub,r11.b); v27 = vmem(r1++#1); r11:10 = memd(r4++#8) }
{ v20.w += vrmpy(v17.ub,r17.b); v16.w += vrmpy(v24.ub,r17.b); r13:12 = memd(r2++#8) }
{ v25.w += vrmpy(v26.ub,r10.b); v19.w += vrmpy(v27.ub,r10.b); r15:14 = memd(r5++#8) }
{ v23.w += vrmpy(v26.ub,r12.b); v22.w += vrmpy(v27.ub,r12.b); r17:16 = memd(r3++#8); v17 = vmem(r1++#1) }
{ v20.w += vrmpy(v26.ub,r14.b); v16.w += vrmpy(v27.ub,r14.b); v24 = vmem(r1++#1) }
{ v21.w += vrmpy(v26.ub,r16.b); v18.w += vrmpy(v27.ub,r16.b) }
{ v23.w += vrmpy(v17.ub,r13.b); v22.w += vrmpy(v24.ub,r13.b) }
{ v21.w += vrmpy(v17.ub,r17.b); v18.w += vrmpy(v24.ub,r17.b); r13:12 = memd(r7++#8) }
{ v25.w += vrmpy(v17.ub,r11.b); v19.w += vrmpy(v24.ub,r11.b); v23 = vmem(r1++#1); v22.h = vshuffe(v22.h,v23.h) }
{ v20.w += vrmpy(v17.ub,r15.b); v16.w += vrmpy(v24.ub,r15.b); r11:10 = memd(r6++#8); v17.h = vshuffe(v18.h,v21.h) }
{ v19.h = vmpy(v23.h,r12.h):<<1:rnd:sat; v18.h = vshuffe(v19.h,v25.h) }
{ v16.h = vmpy(v23.h,r10.h):<<1:rnd:sat; v20.h = vshuffe(v16.h,v20.h) }
{ r11:10 = memd(r9++#8); v3:2.w += vmpy(v17.h,v19.h) }
{ r13:12 = memd(r8++#8); v1:0.w += vmpy(v22.h,v16.h) }:endloop0
{ v11.w += vasr(v3.w,r0); v17.h = vmpy(v23.h,r10.h):<<1:rnd:sat }
{ v10.w += vasr(v2.w,r0); v19.h = vmpy(v23.h,r12.h):<<1:rnd:sat }
{ v8.w += vasr(v0.w,r0); v7:6.w += vmpy(v20.h,v17.h) }
{ v9.w += vasr(v1.w,r0); v5:4.w += vmpy(v18.h,v19.h) }
{ v12.w += vasr(v4.w,r0) }
{ v13.w += vasr(v5.w,r0) }
{ v15.w += vasr(v7.w,r0) }
{ v14.w += vasr(v6.w,r0) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ vmem(r28+#2) = v10; r21:20 = memd(r29+#16) }
{ vmem(r28+#3) = v11; r23:22 = memd(r29+#24) }
{ vmem(r28+#4) = v12; r25:24 = memd(r29+#32) }
{ vmem(r28+#5) = v13; r27:26 = memd(r29+#40) }
{ vmem(r28+#6) = v14 }
{ vmem(r28+#7) = v15 }
{ dealloc_return }
.size hvx_sum_expanded_halves_rows, .-hvx_sum_expanded_halves_rows

// 100 packets (100 at least) for four groups, 2 stages
.p2align 6
.globl hvx_sum_expanded_biased_rows
.hidden hvx_sum_expanded_biased_rows
.type hvx_sum_expanded_biased_rows,@function
hvx_sum_expanded_biased_rows:
{ allocframe(#56); r28 = r0 }
{ r31 = memw(r0+#56); r30 = memw(r28+#48) }
{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18 }
{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22 }
{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r30 = add(r30,#-1) }
{ loop0(.Lhvx_sum_expanded_biased_rows,r30); v8 = vmem(r31+#0); memw(r29+#48) = r31 }
{ v9 = vmem(r31+#1); r1 = memw(r28+#0) }
{ v10 = vmem(r31+#2); r2 = memw(r28+#16) }
{ v11 = vmem(r31+#3); r3 = memw(r28+#20) }
{ v12 = vmem(r31+#4); r4 = memw(r28+#24) }
{ v13 = vmem(r31+#5); r5 = memw(r28+#28) }
{ v14 = vmem(r31+#6); r6 = memw(r28+#32) }
{ v15 = vmem(r31+#7); r7 = memw(r28+#36) }
{ r8 = memw(r28+#40); r9 = memw(r28+#44) }
{ r0 = memw(r28+#52) }
{ v16 = vmem(r1++#1) }
{ v17 = vmem(r1++#1); r11:10 = memd(r2++#8) }
{ r13:12 = memd(r3++#8) }
{ v19.w = vrmpy(v16.ub,r10.b); v18.w = vrmpy(v17.ub,r10.b); r15:14 = memd(r5++#8) }
{ v21.w = vrmpy(v16.ub,r12.b); v20.w = vrmpy(v17.ub,r12.b); r17:16 = memd(r4++#8); v22 = vmem(r1++#1) }
{ v25.w = vrmpy(v16.ub,r14.b); v23.w = vrmpy(v17.ub,r14.b); v24 = vmem(r1++#1) }
{ v17.w = vrmpy(v16.ub,r16.b); v16.w = vrmpy(v17.ub,r16.b) }
{ v17.w += vrmpy(v22.ub,r17.b); v16.w += vrmpy(v24.ub,r17.b) }
{ v21.w += vrmpy(v22.ub,r13.b); v20.w += vrmpy(v24.ub,r13.b); v26 = vmem(r1++#1); r13:12 = memd(r3++#8) }
{ v19.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v24.ub,r11.b); v27 = vmem(r1++#1); r11:10 = memd(r2++#8) }
{ v25.w += vrmpy(v22.ub,r15.b); v23.w += vrmpy(v24.ub,r15.b); r15:14 = memd(r4++#8) }
{ v21.w += vrmpy(v26.ub,r12.b); v20.w += vrmpy(v27.ub,r12.b); v22 = vmem(r1++#1) }
{ v19.w += vrmpy(v26.ub,r10.b); v18.w += vrmpy(v27.ub,r10.b); r17:16 = memd(r5++#8); v24 = vmem(r1++#1) }
{ v17.w += vrmpy(v26.ub,r14.b); v16.w += vrmpy(v27.ub,r14.b); r19:18 = memd(r6++#8); r21:20 = memd(r7++#8) }
{ v25.w += vrmpy(v26.ub,r16.b); v23.w += vrmpy(v27.ub,r16.b); r23:22 = memd(r8++#8); r25:24 = memd(r9++#8) }
{ v25.w += vrmpy(v22.ub,r17.b); v23.w += vrmpy(v24.ub,r17.b); v26 = vmem(r1++#1) }
{ v19.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v24.ub,r11.b); r10 = combine(r21.l,r19.l) }
{ v21.w += vrmpy(v22.ub,r13.b); v20.w += vrmpy(v24.ub,r13.b); r11 = combine(r25.l,r23.l); v23.h = vshuffe(v23.h,v25.h) }
{ v17.w += vrmpy(v22.ub,r15.b); v16.w += vrmpy(v24.ub,r15.b); v18.h = vshuffe(v18.h,v19.h) }
{ v20 = vsplat(r10); v21 = vsplat(r11); v19.h = vshuffe(v20.h,v21.h) }
{ v17.h = vmpy(v26.h,r18.h):<<1:rnd:sat; v16.h = vshuffe(v16.h,v17.h) }
{ v24.h = vshuffo(v20.h,v20.h); v22.h = vmpy(v26.h,r24.h):<<1:rnd:sat }
{ v25.h = vshuffe(v21.h,v21.h); v19.h = vsub(v19.h,v24.h); v24.h = vmpy(v26.h,r20.h):<<1:rnd:sat }
{ v25.h = vshuffe(v20.h,v20.h); v16.h = vsub(v16.h,v25.h); v20.h = vmpy(v26.h,r22.h):<<1:rnd:sat }
{ v19.h = vshuffo(v21.h,v21.h); v18.h = vsub(v18.h,v25.h); v3:2.w = vmpy(v19.h,v24.h) }
{ v5:4.w = vmpy(v16.h,v20.h); v19.h = vsub(v23.h,v19.h); v16 = vmem(r1++#1) }
{ v1:0.w = vmpy(v18.h,v17.h); v17 = vmem(r1++#1); r11:10 = memd(r2++#8) }
{ v7:6.w = vmpy(v19.h,v22.h); r13:12 = memd(r3++#8) }
{ v19.w = vrmpy(v16.ub,r10.b); v18.w = vrmpy(v17.ub,r10.b); r15:14 = memd(r4++#8) }
{ v21.w = vrmpy(v16.ub,r12.b); v20.w = vrmpy(v17.ub,r12.b); r17:16 = memd(r5++#8); v22 = vmem(r1++#1) }
{ v25.w = vrmpy(v16.ub,r14.b); v23.w = vrmpy(v17.ub,r14.b); v24 = vmem(r1++#1) }
{ v17.w = vrmpy(v16.ub,r16.b); v16.w = vrmpy(v17.ub,r16.b) }
{ v21.w += vrmpy(v22.ub,r13.b); v20.w += vrmpy(v24.ub,r13.b) }
{ v19.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v24.ub,r11.b); v26 = vmem(r1++#1) }
{ v25.w += vrmpy(v22.ub,r15.b); v23.w += vrmpy(v24.ub,r15.b); v27 = vmem(r1++#1); r11:10 = memd(r3++#8) }
{ v17.w += vrmpy(v22.ub,r17.b); v16.w += vrmpy(v24.ub,r17.b); r13:12 = memd(r4++#8) }
{ r15:14 = memd(r2++#8); v21.w += vrmpy(v26.ub,r10.b); v20.w += vrmpy(v27.ub,r10.b); v22 = vmem(r1++#1) }
{ v25.w += vrmpy(v26.ub,r12.b); v23.w += vrmpy(v27.ub,r12.b); v24 = vmem(r1++#1) }
{ v19.w += vrmpy(v26.ub,r14.b); v18.w += vrmpy(v27.ub,r14.b); r17:16 = memd(r5++#8) }
{ v19.w += vrmpy(v22.ub,r15.b); v18.w += vrmpy(v24.ub,r15.b); r15:14 = memd(r6++#8); r19:18 = memd(r7++#8) }
{ v17.w += vrmpy(v26.ub,r16.b); v16.w += vrmpy(v27.ub,r16.b); r21:20 = memd(r8++#8); r23:22 = memd(r9++#8) }
{ v17.w += vrmpy(v22.ub,r17.b); v16.w += vrmpy(v24.ub,r17.b); v18.h = vshuffe(v18.h,v19.h) }
{ v21.w += vrmpy(v22.ub,r11.b); v20.w += vrmpy(v24.ub,r11.b); v19 = vmem(r1++#1); r10 = combine(r19.l,r15.l) }
{ v25.w += vrmpy(v22.ub,r13.b); v23.w += vrmpy(v24.ub,r13.b); r11 = combine(r23.l,r21.l); v16.h = vshuffe(v16.h,v17.h) }
{ v20 = vsplat(r10); v21 = vsplat(r11); v17.h = vshuffe(v20.h,v21.h) }
{ v23.h = vmpy(v19.h,r18.h):<<1:rnd:sat; v22.h = vshuffe(v23.h,v25.h) }
{ v25.h = vshuffe(v20.h,v20.h); v24.h = vmpy(v19.h,r14.h):<<1:rnd:sat }
{ v25.h = vshuffo(v20.h,v20.h); v18.h = vsub(v18.h,v25.h); v20.h = vmpy(v19.h,r22.h):<<1:rnd:sat }
{ v25.h = vshuffo(v21.h,v21.h); v17.h = vsub(v17.h,v25.h); v19.h = vmpy(v19.h,r20.h):<<1:rnd:sat }
{ v18.h = vshuffe(v21.h,v21.h); v1:0.w += vmpy(v18.h,v24.h); v16.h = vsub(v16.h,v25.h) }
{ v3:2.w += vmpy(v17.h,v23.h); v18.h = vsub(v22.h,v18.h); v17 = vmem(r1++#1) }
{ v7:6.w += vmpy(v16.h,v20.h); v16 = vmem(r1++#1); r11:10 = memd(r3++#8) }
{ v5:4.w += vmpy(v18.h,v19.h); r13:12 = memd(r2++#8) }
{ v19.w = vrmpy(v17.ub,r10.b); v18.w = vrmpy(v16.ub,r10.b); r15:14 = memd(r4++#8) }
{ v21.w = vrmpy(v17.ub,r12.b); v20.w = vrmpy(v16.ub,r12.b); r17:16 = memd(r5++#8); v22 = vmem(r1++#1) }
{ v25.w = vrmpy(v17.ub,r14.b); v23.w = vrmpy(v16.ub,r14.b); v24 = vmem(r1++#1) }
{ v17.w = vrmpy(v17.ub,r16.b); v16.w = vrmpy(v16.ub,r16.b) }
{ v21.w += vrmpy(v22.ub,r13.b); v20.w += vrmpy(v24.ub,r13.b) }
{ v19.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v24.ub,r11.b); v26 = vmem(r1++#1) }
{ v25.w += vrmpy(v22.ub,r15.b); v23.w += vrmpy(v24.ub,r15.b); v27 = vmem(r1++#1); r11:10 = memd(r3++#8) }
{ v17.w += vrmpy(v22.ub,r17.b); v16.w += vrmpy(v24.ub,r17.b); r13:12 = memd(r2++#8) }
{ v19.w += vrmpy(v26.ub,r10.b); v18.w += vrmpy(v27.ub,r10.b); r15:14 = memd(r4++#8) }
{ v21.w += vrmpy(v26.ub,r12.b); v20.w += vrmpy(v27.ub,r12.b); r17:16 = memd(r5++#8); v22 = vmem(r1++#1) }
{ v25.w += vrmpy(v26.ub,r14.b); v23.w += vrmpy(v27.ub,r14.b); v24 = vmem(r1++#1) }
{ v17.w += vrmpy(v26.ub,r16.b); v16.w += vrmpy(v27.ub,r16.b); r19:18 = memd(r6++#8); r21:20 = memd(r7++#8) }
{ v19.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v24.ub,r11.b); r11:10 = memd(r8++#8); r23:22 = memd(r9++#8) }
{ v21.w += vrmpy(v22.ub,r13.b); v20.w += vrmpy(v24.ub,r13.b); v26 = vmem(r1++#1) }
{ v17.w += vrmpy(v22.ub,r17.b); v16.w += vrmpy(v24.ub,r17.b); r12 = combine(r21.l,r19.l); v18.h = vshuffe(v18.h,v19.h) }
{ v25.w += vrmpy(v22.ub,r15.b); v23.w += vrmpy(v24.ub,r15.b); r13 = combine(r23.l,r11.l); v19.h = vshuffe(v20.h,v21.h) }
{ v17 = vsplat(r12); v20 = vsplat(r13); v16.h = vshuffe(v16.h,v17.h) }
{ v22.h = vmpy(v26.h,r20.h):<<1:rnd:sat; v21.h = vshuffe(v23.h,v25.h) }
{ v24.h = vshuffo(v17.h,v17.h); v23.h = vmpy(v26.h,r18.h):<<1:rnd:sat }
{ v24.h = vshuffe(v17.h,v17.h); v17.h = vsub(v18.h,v24.h); v18.h = vmpy(v26.h,r10.h):<<1:rnd:sat }
{ v25.h = vshuffo(v20.h,v20.h); v19.h = vsub(v19.h,v24.h); v24.h = vmpy(v26.h,r22.h):<<1:rnd:sat }
{ v17.h = vshuffe(v20.h,v20.h); v3:2.w += vmpy(v17.h,v22.h); v16.h = vsub(v16.h,v25.h) }
{ v1:0.w += vmpy(v19.h,v23.h); v19.h = vsub(v21.h,v17.h); v17 = vmem(r1++#1) }
{ v7:6.w += vmpy(v16.h,v24.h); v16 = vmem(r1++#1); r11:10 = memd(r3++#8) }
{ v5:4.w += vmpy(v19.h,v18.h); r13:12 = memd(r2++#8) }
{ v19.w = vrmpy(v17.ub,r10.b); v18.w = vrmpy(v16.ub,r10.b); r15:14 = memd(r4++#8); v20 = vmem(r1++#1) }
{ v23.w = vrmpy(v17.ub,r12.b); v21.w = vrmpy(v16.ub,r12.b); v22 = vmem(r1++#1) }
{ v25.w = vrmpy(v17.ub,r14.b); v24.w = vrmpy(v16.ub,r14.b) }
{ r11:10 = memd(r5++#8); v19.w += vrmpy(v20.ub,r11.b); v18.w += vrmpy(v22.ub,r11.b) }
{ v25.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v22.ub,r15.b) }
{ v17.w = vrmpy(v17.ub,r10.b); v16.w = vrmpy(v16.ub,r10.b); v26 = vmem(r1++#1) }
{ v23.w += vrmpy(v20.ub,r13.b); v21.w += vrmpy(v22.ub,r13.b); v27 = vmem(r1++#1); r13:12 = memd(r2++#8) }
{ v17.w += vrmpy(v20.ub,r11.b); v16.w += vrmpy(v22.ub,r11.b); r11:10 = memd(r3++#8) }
{ v23.w += vrmpy(v26.ub,r12.b); v21.w += vrmpy(v27.ub,r12.b); r15:14 = memd(r4++#8) }
{ v19.w += vrmpy(v26.ub,r10.b); v18.w += vrmpy(v27.ub,r10.b); r17:16 = memd(r5++#8); v20 = vmem(r1++#1) }
{ v25.w += vrmpy(v26.ub,r14.b); v24.w += vrmpy(v27.ub,r14.b); v22 = vmem(r1++#1) }
{ v17.w += vrmpy(v26.ub,r16.b); v16.w += vrmpy(v27.ub,r16.b); r19:18 = memd(r8++#8); r21:20 = memd(r9++#8) }
{ v23.w += vrmpy(v20.ub,r13.b); v21.w += vrmpy(v22.ub,r13.b); r13:12 = memd(r6++#8); r23:22 = memd(r7++#8) }
{ v25.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v22.ub,r15.b); v26 = vmem(r1++#1) }
{ v19.w += vrmpy(v20.ub,r11.b); v18.w += vrmpy(v22.ub,r11.b); r10 = combine(r21.l,r19.l); v21.h = vshuffe(v21.h,v23.h) }
{ v17.w += vrmpy(v20.ub,r17.b); v16.w += vrmpy(v22.ub,r17.b); r11 = combine(r23.l,r13.l); v20.h = vshuffe(v24.h,v25.h) }
{ v19 = vsplat(r11); v22 = vsplat(r10); v18.h = vshuffe(v18.h,v19.h) }
{ v17.h = vmpy(v26.h,r12.h):<<1:rnd:sat; v16.h = vshuffe(v16.h,v17.h) }
{ v24.h = vshuffe(v19.h,v19.h); v23.h = vmpy(v26.h,r22.h):<<1:rnd:sat }
{ v24.h = vshuffo(v19.h,v19.h); v19.h = vsub(v21.h,v24.h); v21.h = vmpy(v26.h,r20.h):<<1:rnd:sat }
{ v25.h = vshuffe(v22.h,v22.h); v18.h = vsub(v18.h,v24.h); v24.h = vmpy(v26.h,r18.h):<<1:rnd:sat }
{ v19.h = vshuffo(v22.h,v22.h); v1:0.w += vmpy(v19.h,v17.h); v17.h = vsub(v20.h,v25.h) }
.Lhvx_sum_expanded_biased_rows:
{ v16 = vmem(r1++#1); v3:2.w += vmpy(v18.h,v23.h); v18.h = vsub(v16.h,v19.h) }
{ v17 = vmem(r1++#1); r11:10 = memd(r2++#8); v9.w += vasr(v1.w,r0); v5:4.w += vmpy(v17.h,v24.h) }
{ r13:12 = memd(r3++#8); v8.w += vasr(v0.w,r0); v7:6.w += vmpy(v18.h,v21.h) }
{ v19.w = vrmpy(v16.ub,r10.b); v18.w = vrmpy(v17.ub,r10.b); r15:14 = memd(r5++#8) }
{ v21.w = vrmpy(v16.ub,r12.b); v20.w = vrmpy(v17.ub,r12.b); r17:16 = memd(r4++#8); v22 = vmem(r1++#1) }
{ v25.w = vrmpy(v16.ub,r14.b); v23.w = vrmpy(v17.ub,r14.b); v24 = vmem(r1++#1) }
{ v17.w = vrmpy(v16.ub,r16.b); v16.w = vrmpy(v17.ub,r16.b) }
{ v17.w += vrmpy(v22.ub,r17.b); v16.w += vrmpy(v24.ub,r17.b) }
{ v21.w += vrmpy(v22.ub,r13.b); v20.w += vrmpy(v24.ub,r13.b); v26 = vmem(r1++#1); r13:12 = memd(r3++#8) }
{ v19.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v24.ub,r11.b); v27 = vmem(r1++#1); r11:10 = memd(r2++#8) }
{ v25.w += vrmpy(v22.ub,r15.b); v23.w += vrmpy(v24.ub,r15.b); r15:14 = memd(r4++#8); v11.w += vasr(v3.w,r0) }
{ v21.w += vrmpy(v26.ub,r12.b); v20.w += vrmpy(v27.ub,r12.b); v22 = vmem(r1++#1); v10.w += vasr(v2.w,r0) }
{ v19.w += vrmpy(v26.ub,r10.b); v18.w += vrmpy(v27.ub,r10.b); r17:16 = memd(r5++#8); v24 = vmem(r1++#1) }
{ v17.w += vrmpy(v26.ub,r14.b); v16.w += vrmpy(v27.ub,r14.b); r19:18 = memd(r6++#8); r21:20 = memd(r7++#8) }
{ v25.w += vrmpy(v26.ub,r16.b); v23.w += vrmpy(v27.ub,r16.b); r23:22 = memd(r8++#8); r25:24 = memd(r9++#8) }
{ v25.w += vrmpy(v22.ub,r17.b); v23.w += vrmpy(v24.ub,r17.b); v26 = vmem(r1++#1) }
{ v19.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v24.ub,r11.b); r10 = combine(r21.l,r19.l); v13.w += vasr(v5.w,r0) }
{ v21.w += vrmpy(v22.ub,r13.b); v20.w += vrmpy(v24.ub,r13.b); r11 = combine(r25.l,r23.l); v23.h = vshuffe(v23.h,v25.h) }
{ v17.w += vrmpy(v22.ub,r15.b); v16.w += vrmpy(v24.ub,r15.b); v18.h = vshuffe(v18.h,v19.h); v12.w += vasr(v4.w,r0) }
{ v20 = vsplat(r10); v21 = vsplat(r11); v19.h = vshuffe(v20.h,v21.h); v15.w += vasr(v7.w,r0) }
{ v17.h = vmpy(v26.h,r18.h):<<1:rnd:sat; v16.h = vshuffe(v16.h,v17.h) }
{ v24.h = vshuffo(v20.h,v20.h); v22.h = vmpy(v26.h,r24.h):<<1:rnd:sat }
{ v25.h = vshuffe(v21.h,v21.h); v19.h = vsub(v19.h,v24.h); v24.h = vmpy(v26.h,r20.h):<<1:rnd:sat }
{ v25.h = vshuffe(v20.h,v20.h); v16.h = vsub(v16.h,v25.h); v20.h = vmpy(v26.h,r22.h):<<1:rnd:sat }
{ v19.h = vshuffo(v21.h,v21.h); v18.h = vsub(v18.h,v25.h); v3:2.w = vmpy(v19.h,v24.h) }
{ v5:4.w = vmpy(v16.h,v20.h); v19.h = vsub(v23.h,v19.h); v16 = vmem(r1++#1) }
{ v1:0.w = vmpy(v18.h,v17.h); v17 = vmem(r1++#1); r11:10 = memd(r2++#8); v14.w += vasr(v6.w,r0) }
{ v7:6.w = vmpy(v19.h,v22.h); r13:12 = memd(r3++#8) }
{ v19.w = vrmpy(v16.ub,r10.b); v18.w = vrmpy(v17.ub,r10.b); r15:14 = memd(r4++#8) }
{ v21.w = vrmpy(v16.ub,r12.b); v20.w = vrmpy(v17.ub,r12.b); r17:16 = memd(r5++#8); v22 = vmem(r1++#1) }
{ v25.w = vrmpy(v16.ub,r14.b); v23.w = vrmpy(v17.ub,r14.b); v24 = vmem(r1++#1) }
{ v17.w = vrmpy(v16.ub,r16.b); v16.w = vrmpy(v17.ub,r16.b) }
{ v21.w += vrmpy(v22.ub,r13.b); v20.w += vrmpy(v24.ub,r13.b) }
{ v19.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v24.ub,r11.b); v26 = vmem(r1++#1) }
{ v25.w += vrmpy(v22.ub,r15.b); v23.w += vrmpy(v24.ub,r15.b); v27 = vmem(r1++#1); r11:10 = memd(r3++#8) }
{ v17.w += vrmpy(v22.ub,r17.b); v16.w += vrmpy(v24.ub,r17.b); r13:12 = memd(r4++#8) }
{ r15:14 = memd(r2++#8); v21.w += vrmpy(v26.ub,r10.b); v20.w += vrmpy(v27.ub,r10.b); v22 = vmem(r1++#1) }
{ v25.w += vrmpy(v26.ub,r12.b); v23.w += vrmpy(v27.ub,r12.b); v24 = vmem(r1++#1) }
{ v19.w += vrmpy(v26.ub,r14.b); v18.w += vrmpy(v27.ub,r14.b); r17:16 = memd(r5++#8) }
{ v19.w += vrmpy(v22.ub,r15.b); v18.w += vrmpy(v24.ub,r15.b); r15:14 = memd(r6++#8); r19:18 = memd(r7++#8) }
{ v17.w += vrmpy(v26.ub,r16.b); v16.w += vrmpy(v27.ub,r16.b); r21:20 = memd(r8++#8); r23:22 = memd(r9++#8) }
{ v17.w += vrmpy(v22.ub,r17.b); v16.w += vrmpy(v24.ub,r17.b); v18.h = vshuffe(v18.h,v19.h) }
{ v21.w += vrmpy(v22.ub,r11.b); v20.w += vrmpy(v24.ub,r11.b); v19 = vmem(r1++#1); r10 = combine(r19.l,r15.l) }
{ v25.w += vrmpy(v22.ub,r13.b); v23.w += vrmpy(v24.ub,r13.b); r11 = combine(r23.l,r21.l); v16.h = vshuffe(v16.h,v17.h) }
{ v20 = vsplat(r10); v21 = vsplat(r11); v17.h = vshuffe(v20.h,v21.h) }
{ v23.h = vmpy(v19.h,r18.h):<<1:rnd:sat; v22.h = vshuffe(v23.h,v25.h) }
{ v25.h = vshuffe(v20.h,v20.h); v24.h = vmpy(v19.h,r14.h):<<1:rnd:sat }
{ v25.h = vshuffo(v20.h,v20.h); v18.h = vsub(v18.h,v25.h); v20.h = vmpy(v19.h,r22.h):<<1:rnd:sat }
{ v25.h = vshuffo(v21.h,v21.h); v17.h = vsub(v17.h,v25.h); v19.h = vmpy(v19.h,r20.h):<<1:rnd:sat }
{ v18.h = vshuffe(v21.h,v21.h); v1:0.w += vmpy(v18.h,v24.h); v16.h = vsub(v16.h,v25.h) }
{ v3:2.w += vmpy(v17.h,v23.h); v18.h = vsub(v22.h,v18.h); v17 = vmem(r1++#1) }
{ v7:6.w += vmpy(v16.h,v20.h); v16 = vmem(r1++#1); r11:10 = memd(r3++#8) }
{ v5:4.w += vmpy(v18.h,v19.h); r13:12 = memd(r2++#8) }
{ v19.w = vrmpy(v17.ub,r10.b); v18.w = vrmpy(v16.ub,r10.b); r15:14 = memd(r4++#8) }
{ v21.w = vrmpy(v17.ub,r12.b); v20.w = vrmpy(v16.ub,r12.b); r17:16 = memd(r5++#8); v22 = vmem(r1++#1) }
{ v25.w = vrmpy(v17.ub,r14.b); v23.w = vrmpy(v16.ub,r14.b); v24 = vmem(r1++#1) }
{ v17.w = vrmpy(v17.ub,r16.b); v16.w = vrmpy(v16.ub,r16.b) }
{ v21.w += vrmpy(v22.ub,r13.b); v20.w += vrmpy(v24.ub,r13.b) }
{ v19.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v24.ub,r11.b); v26 = vmem(r1++#1) }
{ v25.w += vrmpy(v22.ub,r15.b); v23.w += vrmpy(v24.ub,r15.b); v27 = vmem(r1++#1); r11:10 = memd(r3++#8) }
{ v17.w += vrmpy(v22.ub,r17.b); v16.w += vrmpy(v24.ub,r17.b); r13:12 = memd(r2++#8) }
{ v19.w += vrmpy(v26.ub,r10.b); v18.w += vrmpy(v27.ub,r10.b); r15:14 = memd(r4++#8) }
{ v21.w += vrmpy(v26.ub,r12.b); v20.w += vrmpy(v27.ub,r12.b); r17:16 = memd(r5++#8); v22 = vmem(r1++#1) }
{ v25.w += vrmpy(v26.ub,r14.b); v23.w += vrmpy(v27.ub,r14.b); v24 = vmem(r1++#1) }
{ v17.w += vrmpy(v26.ub,r16.b); v16.w += vrmpy(v27.ub,r16.b); r19:18 = memd(r6++#8); r21:20 = memd(r7++#8) }
{ v19.w += vrmpy(v22.ub,r11.b); v18.w += vrmpy(v24.ub,r11.b); r11:10 = memd(r8++#8); r23:22 = memd(r9++#8) }
{ v21.w += vrmpy(v22.ub,r13.b); v20.w += vrmpy(v24.ub,r13.b); v26 = vmem(r1++#1) }
{ v17.w += vrmpy(v22.ub,r17.b); v16.w += vrmpy(v24.ub,r17.b); r12 = combine(r21.l,r19.l); v18.h = vshuffe(v18.h,v19.h) }
{ v25.w += vrmpy(v22.ub,r15.b); v23.w += vrmpy(v24.ub,r15.b); r13 = combine(r23.l,r11.l); v19.h = vshuffe(v20.h,v21.h) }
{ v17 = vsplat(r12); v20 = vsplat(r13); v16.h = vshuffe(v16.h,v17.h) }
{ v22.h = vmpy(v26.h,r20.h):<<1:rnd:sat; v21.h = vshuffe(v23.h,v25.h) }
{ v24.h = vshuffo(v17.h,v17.h); v23.h = vmpy(v26.h,r18.h):<<1:rnd:sat }
{ v24.h = vshuffe(v17.h,v17.h); v17.h = vsub(v18.h,v24.h); v18.h = vmpy(v26.h,r10.h):<<1:rnd:sat }
{ v25.h = vshuffo(v20.h,v20.h); v19.h = vsub(v19.h,v24.h); v24.h = vmpy(v26.h,r22.h):<<1:rnd:sat }
{ v17.h = vshuffe(v20.h,v20.h); v3:2.w += vmpy(v17.h,v22.h); v16.h = vsub(v16.h,v25.h) }
{ v1:0.w += vmpy(v19.h,v23.h); v19.h = vsub(v21.h,v17.h); v17 = vmem(r1++#1) }
{ v7:6.w += vmpy(v16.h,v24.h); v16 = vmem(r1++#1); r11:10 = memd(r3++#8) }
{ v5:4.w += vmpy(v19.h,v18.h); r13:12 = memd(r2++#8) }
{ v19.w = vrmpy(v17.ub,r10.b); v18.w = vrmpy(v16.ub,r10.b); r15:14 = memd(r4++#8); v20 = vmem(r1++#1) }
{ v23.w = vrmpy(v17.ub,r12.b); v21.w = vrmpy(v16.ub,r12.b); v22 = vmem(r1++#1) }
{ v25.w = vrmpy(v17.ub,r14.b); v24.w = vrmpy(v16.ub,r14.b) }
{ r11:10 = memd(r5++#8); v19.w += vrmpy(v20.ub,r11.b); v18.w += vrmpy(v22.ub,r11.b) }
{ v25.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v22.ub,r15.b) }
{ v17.w = vrmpy(v17.ub,r10.b); v16.w = vrmpy(v16.ub,r10.b); v26 = vmem(r1++#1) }
{ v23.w += vrmpy(v20.ub,r13.b); v21.w += vrmpy(v22.ub,r13.b); v27 = vmem(r1++#1); r13:12 = memd(r2++#8) }
{ v17.w += vrmpy(v20.ub,r11.b); v16.w += vrmpy(v22.ub,r11.b); r11:10 = memd(r3++#8) }
{ v23.w += vrmpy(v26.ub,r12.b); v21.w += vrmpy(v27.ub,r12.b); r15:14 = memd(r4++#8) }
{ v19.w += vrmpy(v26.ub,r10.b); v18.w += vrmpy(v27.ub,r10.b); r17:16 = memd(r5++#8); v20 = vmem(r1++#1) }
{ v25.w += vrmpy(v26.ub,r14.b); v24.w += vrmpy(v27.ub,r14.b); v22 = vmem(r1++#1) }
{ v17.w += vrmpy(v26.ub,r16.b); v16.w += vrmpy(v27.ub,r16.b); r19:18 = memd(r8++#8); r21:20 = memd(r9++#8) }
{ v23.w += vrmpy(v20.ub,r13.b); v21.w += vrmpy(v22.ub,r13.b); r13:12 = memd(r6++#8); r23:22 = memd(r7++#8) }
{ v25.w += vrmpy(v20.ub,r15.b); v24.w += vrmpy(v22.ub,r15.b); v26 = vmem(r1++#1) }
{ v19.w += vrmpy(v20.ub,r11.b); v18.w += vrmpy(v22.ub,r11.b); r10 = combine(r21.l,r19.l); v21.h = vshuffe(v21.h,v23.h) }
{ v17.w += vrmpy(v20.ub,r17.b); v16.w += vrmpy(v22.ub,r17.b); r11 = combine(r23.l,r13.l); v20.h = vshuffe(v24.h,v25.h) }
{ v19 = vsplat(r11); v22 = vsplat(r10); v18.h = vshuffe(v18.h,v19.h) }
{ v17.h = vmpy(v26.h,r12.h):<<1:rnd:sat; v16.h = vshuffe(v16.h,v17.h) }
{ v24.h = vshuffe(v19.h,v19.h); v23.h = vmpy(v26.h,r22.h):<<1:rnd:sat }
{ v24.h = vshuffo(v19.h,v19.h); v19.h = vsub(v21.h,v24.h); v21.h = vmpy(v26.h,r20.h):<<1:rnd:sat }
{ v25.h = vshuffe(v22.h,v22.h); v18.h = vsub(v18.h,v24.h); v24.h = vmpy(v26.h,r18.h):<<1:rnd:sat }
{ v19.h = vshuffo(v22.h,v22.h); v1:0.w += vmpy(v19.h,v17.h); v17.h = vsub(v20.h,v25.h) }:endloop0
{ v3:2.w += vmpy(v18.h,v23.h); v18.h = vsub(v16.h,v19.h) }
{ v9.w += vasr(v1.w,r0); v5:4.w += vmpy(v17.h,v24.h) }
{ v8.w += vasr(v0.w,r0); v7:6.w += vmpy(v18.h,v21.h) }
{ v11.w += vasr(v3.w,r0) }
{ v10.w += vasr(v2.w,r0) }
{ v13.w += vasr(v5.w,r0) }
{ v12.w += vasr(v4.w,r0) }
{ v15.w += vasr(v7.w,r0) }
{ v14.w += vasr(v6.w,r0) }
{ r28 = memw(r29+#48); r30 = add(r29,#56) }
{ vmem(r28+#0) = v8; r17:16 = memd(r29+#0) }
{ vmem(r28+#1) = v9; r19:18 = memd(r29+#8) }
{ vmem(r28+#2) = v10; r21:20 = memd(r29+#16) }
{ vmem(r28+#3) = v11; r23:22 = memd(r29+#24) }
{ vmem(r28+#4) = v12; r25:24 = memd(r29+#32) }
{ vmem(r28+#5) = v13; r27:26 = memd(r29+#40) }
{ vmem(r28+#6) = v14 }
{ vmem(r28+#7) = v15 }
{ dealloc_return }
.size hvx_sum_expanded_biased_rows, .-hvx_sum_expanded_biased_rows
