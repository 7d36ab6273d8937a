/* DEPTHWISE_CONV_2D of int8 as products of polynomials: the inner loop in assembly. */
#ifndef MCUC_DEPTHWISE_POLY_ASM_H
#define MCUC_DEPTHWISE_POLY_ASM_H

#include "depthwise_conv2d/depthwise_poly.h"

/* clang-format off */

/* r2 weights, r9 x; sums r4 r5, r6 r7, r8 r1; weights r10 r11 r12 lr; pixels r0 r3. i: the kernel
 * row, from the one that x is at. */
#define MCUC_POLY_X2(i, k) "ldrd r0, r3, [r9, #((" #i ") * 256 + " #k " * 4)]\n\t"
#define MCUC_POLY_X1(i, k) "ldr.w r0, [r9, #((" #i ") * 256 + " #k " * 4)]\n\t"
#define MCUC_POLY_A(x, w) "smlal r4, r5, " x ", " w "\n\t"
#define MCUC_POLY_B(x, w) "smlal r6, r7, " x ", " w "\n\t"
#define MCUC_POLY_C(x, w) "smlal r8, r1, " x ", " w "\n\t"

/* mcuc_dsp_requantize; `at`: where it goes */
#define MCUC_POLY_ROUND(acc, at)                  \
  "sub " acc ", " acc ", #0x100000\n\t"           \
  "smmlar " acc ", " acc ", r10, " acc "\n\t"     \
  "add " acc ", " acc ", " acc ", asr #31\n\t"    \
  "smmlar " acc ", " acc ", r11, r0\n\t"          \
  "ssat " acc ", #8, " acc "\n\t"                 \
  "strb " acc ", " at "\n\t"

/* mcuc_dsp_line */
#define MCUC_POLY_LINE(acc, at, shift)            \
  "smmla " acc ", " acc ", r10, r11\n\t"          \
  "ssat " acc ", #8, " acc shift "\n\t"           \
  "strb " acc ", " at "\n\t"
#define MCUC_POLY_LINE_0(acc, at) MCUC_POLY_LINE(acc, at, "")
#define MCUC_POLY_LINE_2(acc, at) MCUC_POLY_LINE(acc, at, ", asr #2")

/* An odd output, from the first field of a sum and the last one of the sum before it, and an even
 * one, from the second field. */
#define MCUC_POLY_ODD(low, before)                \
  "ubfx r12, " low ", #0, #21\n\t"                \
  "add r12, r12, " before ", asr #10\n\t"
#define MCUC_POLY_EVEN(low, high)                 \
  "lsr.w " low ", " low ", #21\n\t"               \
  "bfi " low ", " high ", #11, #10\n\t"

/* Six outputs, and the next turn; `more`: once r0 is free. */
#define MCUC_POLY_ENDS(end, more, bytes)          \
  MCUC_POLY_ODD("r4", "r0") more                  \
  end("r12", "[r3], #24")                         \
  MCUC_POLY_EVEN("r4", "r5")                      \
  end("r4", "[r3, #-20]")                         \
  MCUC_POLY_ODD("r6", "r5")                       \
  end("r12", "[r3, #-16]")                        \
  MCUC_POLY_EVEN("r6", "r7")                      \
  end("r6", "[r3, #-12]")                         \
  MCUC_POLY_ODD("r8", "r7")                       \
  end("r12", "[r3, #-8]")                         \
  MCUC_POLY_EVEN("r8", "r1")                      \
  end("r8", "[r3, #-4]")                          \
  "stm sp, {r1, r2, r3}\n\t"                      \
  "add r9, r9, #" #bytes "\n\t"                   \
  "cmp r9, lr\n\t"                                \
  "bne 2b\n\t"                                    \
  "ldr pc, [sp, #84]\n\t"

/* Two outputs of a sum that is left alone. */
#define MCUC_POLY_ALONE_ENDS(end, more)           \
  MCUC_POLY_ODD("r4", "r0") more                  \
  end("r12", "[r3]")                              \
  MCUC_POLY_EVEN("r4", "r5")                      \
  end("r4", "[r3, #4]")

/* r10 kernel rows of padding r1, with weights from `w` on. */
#define MCUC_POLY_ABSENT(count, w, more)          \
  "cmp " count ", #0\n\t"                         \
  "beq 8f\n\t"                                    \
  "7:\n\t"                                        \
  "ldrd r12, lr, [" w "], #8\n\t"                 \
  "smlal r7, r8, r12, r1\n\t"                     \
  "smlal r7, r8, lr, r1\n\t" more(w)              \
  "subs " count ", " count ", #1\n\t"             \
  "bne 7b\n\t"                                    \
  "8:\n\t"
#define MCUC_POLY_MORE_5(w)                       \
  "ldr r12, [" w "], #4\n\t"                      \
  "smlal r7, r8, r12, r1\n\t"
#define MCUC_POLY_MORE_7(w)                       \
  "ldrd r12, lr, [" w "], #8\n\t"                 \
  "smlal r7, r8, r12, r1\n\t"                     \
  "smlal r7, r8, lr, r1\n\t"

/* All kernel rows. */
#define MCUC_POLY_ALL_5(row) row(0) row(1) row(2) row(3) row(4)
#define MCUC_POLY_ALL_7(row) MCUC_POLY_ALL_5(row) row(5) row(6)

/* Where sums end that are rounded, lines with a shift of 0, and with one of 2; r2: lines. */
#define MCUC_POLY_WHERE(to, rounded, line_0, line_2) \
  "adr.w " to ", " rounded "f\n\t"                \
  "cmp r2, #1\n\t"                                \
  "blt 1f\n\t"                                    \
  "adr.w " to ", " line_0 "f\n\t"                 \
  "beq 1f\n\t"                                    \
  "adr.w " to ", " line_2 "f\n\t"                 \
  "1:\n\t"                                        \
  "orr " to ", " to ", #1\n\t"

/* Four channels. all: kernel rows of a turn; alone: of a sum that is left; bytes: of x from turn
 * to turn. The stack, from its pointer on: high half of the last sum, weights, y, multiplier, power
 * or constant, end of x, what sums start with (2), the members of the row up to `word`; what comes
 * after the turns, where the first row of a sum alone is, and where it ends; r7. */
#define MCUC_POLY_ASM(size, more, all, alone, bytes) \
  ".balign 4\n\t" /* ADR counts from a whole word, also with -Os */ \
  "push {r7}\n\t"                                 \
  "ldr r2, [r0, #4]\n\t"                          \
  "ldrd r5, r1, [r0, #52]\n\t"                    \
  "adr.w r4, 37f\n\t"                              \
  "cbz r1, 2f\n\t"                                \
  "adr.w r4, 31f\n\t"                             \
  "add r5, r5, r4\n\t"                            \
  "orr r5, r5, #1\n\t"                            \
  "adr.w r4, 30f\n\t"                             \
  MCUC_POLY_WHERE("r6", "34", "35", "36")         \
  "2:\n\t"                                        \
  "orr r4, r4, #1\n\t"                            \
  "push {r4, r5, r6}\n\t"                         \
  "ldm r0, {r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, lr}\n\t" \
  "adr.w r0, 3f\n\t"                              \
  "add r1, r1, r0\n\t"                            \
  "orr r1, r1, #1\n\t"                            \
  MCUC_POLY_WHERE("r0", "4", "5", "6")            \
  "mov r2, r0\n\t"                                \
  "push {r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, lr}\n\t" \
  "sub sp, #32\n\t"                               \
  "1:\n\t"                                        \
  "add r12, sp, #52\n\t"                          \
  "ldm r12, {r0, r2, r3, r9}\n\t"                 \
  "ldr r6, [sp, #44]\n\t"                         \
  "ldm r0!, {r4, r5, r7, r8}\n\t"                 \
  "add r6, r6, r9\n\t"                            \
  "add r10, r2, #(" #size " * (" #size " + 1) / 2 * 4)\n\t" \
  "add r11, r3, #1\n\t"                           \
  "add lr, r9, #64\n\t"                           \
  "stm r12, {r0, r10, r11, lr}\n\t"               \
  "ldrd r10, r11, [sp, #68]\n\t"                  \
  "orrs r12, r10, r11\n\t"                        \
  "beq 9f\n\t"                                    \
  "ldr r1, [sp, #80]\n\t"                         \
  MCUC_POLY_ABSENT("r10", "r2", more)             \
  "ldr r10, [sp, #76]\n\t"                        \
  "add r10, r10, r2\n\t"                          \
  MCUC_POLY_ABSENT("r11", "r10", more)            \
  "9:\n\t"                                        \
  "stm sp, {r1, r2, r3, r4, r5, r6, r7, r8}\n\t"  \
  "2:\n\t"                                        \
  "ldrd r4, r5, [sp, #24]\n\t"                    \
  "ldrd r6, r7, [sp, #24]\n\t"                    \
  "ldrd r8, r1, [sp, #24]\n\t"                    \
  "ldr pc, [sp, #32]\n\t"                         \
  ".balign 4\n\t"                                 \
  "3:\n\t" all                                    \
  "ldm sp, {r0, r2, r3, r10, r11, lr}\n\t"        \
  "ldr pc, [sp, #36]\n\t"                         \
  ".balign 4\n\t"                                 \
  "4:\n\t"                                        \
  MCUC_POLY_ENDS(MCUC_POLY_ROUND, "ldr r0, [sp, #40]\n\t", bytes) \
  ".balign 4\n\t"                                 \
  "5:\n\t"                                        \
  MCUC_POLY_ENDS(MCUC_POLY_LINE_0, "", bytes)     \
  ".balign 4\n\t"                                 \
  "6:\n\t"                                        \
  MCUC_POLY_ENDS(MCUC_POLY_LINE_2, "", bytes)     \
  ".balign 4\n\t"                                 \
  "30:\n\t"                                       \
  "ldrd r4, r5, [sp, #24]\n\t"                    \
  "ldr pc, [sp, #88]\n\t"                         \
  ".balign 4\n\t"                                 \
  "31:\n\t" alone                                 \
  "ldm sp, {r0, r2, r3, r10, r11}\n\t"            \
  "ldr pc, [sp, #92]\n\t"                         \
  ".balign 4\n\t"                                 \
  "34:\n\t"                                       \
  MCUC_POLY_ALONE_ENDS(MCUC_POLY_ROUND, "ldr r0, [sp, #40]\n\t") \
  "b 37f\n\t"                                      \
  ".balign 4\n\t"                                 \
  "35:\n\t"                                       \
  MCUC_POLY_ALONE_ENDS(MCUC_POLY_LINE_0, "")      \
  "b 37f\n\t"                                      \
  ".balign 4\n\t"                                 \
  "36:\n\t"                                       \
  MCUC_POLY_ALONE_ENDS(MCUC_POLY_LINE_2, "")      \
  ".balign 4\n\t"                                 \
  "37:\n\t"                                        \
  "ldrd r0, r1, [sp, #48]\n\t"                    \
  "cmp r0, r1\n\t"                                \
  "bne 1b\n\t"                                    \
  "ldr r7, [sp, #96]\n\t"                         \
  "add sp, #100\n\t"

/* clang-format on */

#define MCUC_POLY_INNER(name, size, stride)                                                   \
  __attribute__((noinline)) static void name(const mcuc_poly_row *row)                        \
  {                                                                                           \
    register const mcuc_poly_row *r0 __asm__("r0") = row;                                     \
    __asm__ volatile(                                                                         \
        MCUC_POLY_ASM(size, MCUC_POLY_MORE_##size,                                            \
                      MCUC_POLY_ALL_##size(MCUC_POLY_TURN_##size##_##stride),                 \
                      MCUC_POLY_ALL_##size(MCUC_POLY_ALONE_##size##_##stride), (12 * stride)) \
        : "+r"(r0)                                                                            \
        :                                                                                     \
        : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc",    \
          "memory");                                                                          \
  }

#endif
