/* Runs cases of runtime_c/around/top.h. */
#include <stdio.h>
#include <stdlib.h>

#include "around/top.h"

static void want(int good)
{
  if (!good) {
    exit(3);
  }
}

int main(int argc, char **argv)
{
  static const uint32_t sizes[] = {1, 1, 2, 4};
  FILE *const in = fopen(argc == 3 ? argv[1] : "", "rb");
  FILE *const out = fopen(argc == 3 ? argv[2] : "", "wb");
  mcuc_scale scale;
  want(in != NULL && out != NULL);
  while (fread(&scale.type, sizeof scale.type, 1, in) == 1) {
    float least;
    int32_t most, n, count;
    mcuc_class *best;
    uint8_t *scores;
    want(fread(&scale.scale, sizeof scale.scale, 1, in) == 1);
    want(fread(&scale.zero_point, sizeof scale.zero_point, 1, in) == 1);
    want(fread(&least, sizeof least, 1, in) == 1);
    want(fread(&most, sizeof most, 1, in) == 1 && fread(&n, sizeof n, 1, in) == 1);
    best = malloc((uint32_t)most * sizeof *best);
    scores = malloc((uint32_t)n * sizes[scale.type]);
    want(best != NULL && scores != NULL);
    want(fread(scores, sizes[scale.type], (uint32_t)n, in) == (uint32_t)n);
    count = mcuc_top(&scale, scores, n, least, best, most);
    want(fwrite(&count, sizeof count, 1, out) == 1);
    want(fwrite(best, sizeof *best, (uint32_t)count, out) == (uint32_t)count);
    free(best);
    free(scores);
  }
  fclose(in);
  return fclose(out);
}
