/* Runs cases of runtime_c/around/audio.h; buffers are of exactly their size. */
#include <stdio.h>
#include <stdlib.h>

#include "around/audio.h"

static FILE *in;

static void want(int good)
{
  if (!good) {
    exit(3);
  }
}

static int32_t whole(void)
{
  int32_t value;
  want(fread(&value, sizeof value, 1, in) == 1);
  return value;
}

static float real(void)
{
  float value;
  want(fread(&value, sizeof value, 1, in) == 1);
  return value;
}

static void *table(void)
{
  const size_t bytes = (size_t)whole();
  void *const data = malloc(bytes ? bytes : 1u);
  want(data != NULL && fread(data, 1, bytes, in) == bytes);
  return data;
}

int main(int argc, char **argv)
{
  FILE *const out = fopen(argc == 3 ? argv[2] : "", "wb");
  int32_t cases;
  in = fopen(argc == 3 ? argv[1] : "", "rb");
  want(in != NULL && out != NULL);
  for (cases = whole(); cases > 0; --cases) {
    static const size_t sizes[] = {1, 1, 2, 4};
    mcuc_audio a;
    void *tables[6];
    float *scratch;
    uint8_t *row;
    size_t bytes;
    float gain;
    int32_t i, frames, count;
    a.frame = whole();
    a.hop = whole();
    a.fft = whole();
    a.mels = whole();
    a.coefficients = whole();
    a.power = whole();
    a.scale.type = whole();
    a.scale.zero_point = whole();
    a.low = whole();
    a.high = whole();
    frames = whole();
    count = whole();
    a.scale.scale = real();
    a.offset = real();
    a.log_factor = real();
    a.mean = real();
    a.std = real();
    gain = real();
    for (i = 0; i < 6; ++i) {
      tables[i] = table();
    }
    a.window = tables[0];
    a.factors = tables[1];
    a.bands = tables[2];
    a.weights = tables[3];
    a.cosines = tables[4];
    gain = gain > 0.0f ? gain : mcuc_audio_peak_gain(tables[5], count);
    bytes = sizes[a.scale.type] * (size_t)mcuc_audio_features(&a);
    scratch = malloc(MCUC_AUDIO_SCRATCH((size_t)a.fft, (size_t)a.mels) * sizeof *scratch);
    row = malloc(bytes);
    want(scratch != NULL && row != NULL);
    for (i = 0; i < frames; ++i) {
      const int16_t *const samples = tables[5];
      const int32_t left = count - i * a.hop;
      mcuc_audio_frame(&a, left > 0 ? samples + i * a.hop : samples, left, gain, scratch, row);
      want(fwrite(row, 1, bytes, out) == bytes);
    }
    free(scratch);
    free(row);
    for (i = 0; i < 6; ++i) {
      free(tables[i]);
    }
  }
  fclose(in);
  return fclose(out);
}
