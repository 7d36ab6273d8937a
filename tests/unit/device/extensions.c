/* One instruction of each extension that a core claims to have, with results that are known: what an
 * emulator leaves out or computes wrongly would otherwise show as a wrong layer. */
#include "harness.h"

#include <string.h>

static int claims(const mcuc_memory *memory)
{
  uint32_t *out = (uint32_t *)memory->ram[0];
  memset(out, 0, 16);
#if defined(__ARM_FEATURE_DSP)
  {
    /* 7 * -2 + (-3) * 5 + 100 */
    const uint32_t a = 0xFFFD0007u, b = 0x0005FFFEu;
    uint32_t sum = 100u;
    __asm__ volatile("smlad %0, %1, %2, %0" : "+r"(sum) : "r"(a), "r"(b));
    out[0] = sum;
  }
#endif
#if defined(__ARM_FP)
  {
    volatile float x = 16777217.0f, y = 3.0f; /* the first rounds to 2^24 */
    const float product = x * y;
    memcpy(&out[1], &product, 4);
  }
#endif
#if defined(__ARM_FEATURE_MVE)
  {
    uint32_t sum;
    __asm__ volatile(
        "mov r0, #3\n\tvdup.8 q0, r0\n\tmvn r0, #4\n\tvdup.8 q1, r0\n\tvmladav.s8 %0, q0, q1"
        : "=Te"(sum)
        :
        : "r0", "q0", "q1");
    out[2] = sum; /* 16 lanes of 3 * -5 */
  }
#endif
  return 0;
}

static void *place(const mcuc_memory *memory, uint32_t i)
{
  (void)i;
  return memory->ram[0];
}

static const void *result(const mcuc_memory *memory, uint32_t i)
{
  return place(memory, i);
}

static const uint32_t bytes[1] = {16};

const mcuc_test_model mcuc_test_models[] = {
    {.name = "claims", .run = claims, .n_regions = 1, .region_bytes = bytes, .n_inputs = 1,
     .n_outputs = 1, .input = place, .output = result, .input_bytes = bytes, .output_bytes = bytes},
};
const uint32_t mcuc_test_model_count = 1;
