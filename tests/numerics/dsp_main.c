/* Feeds vectors to mcuc/dsp.h. Standard input: records of five int64 (accumulator, offset, and an
 * mcuc_dsp_scale); standard output: one int64 each, the element.
 */
#include <stdio.h>

#include "mcuc/dsp.h"

int main(void)
{
  int64_t r[5];
  while (fread(r, sizeof r, 1, stdin) == 1) {
    const mcuc_dsp_scale scale = {(int32_t)r[2], (int32_t)r[3], (int32_t)r[4]};
    const int64_t y = mcuc_dsp_requantize_rare((int32_t)r[0], &scale, (int32_t)r[1]);
    if (fwrite(&y, sizeof y, 1, stdout) != 1) {
      return 1;
    }
  }
  return 0;
}
