/* Runs cases of runtime_c/around/image.h: a file of them in, the inputs out. Every buffer is of
 * exactly its size, so that sanitizers see what is read beside it. */
#include <stdio.h>
#include <stdlib.h>

#include "around/image.h"

enum { FACTS = 24 };

static void want(int good)
{
  if (!good) {
    exit(3);
  }
}

static uint8_t *take(FILE *in, size_t bytes)
{
  uint8_t *const data = malloc(bytes ? bytes : 1u);
  want(data != NULL && fread(data, 1, bytes, in) == bytes);
  return data;
}

/* Row y with only the lines in memory that mcuc_image_lines names, as a ring of two. */
static void row_from_ring(const mcuc_image *image, const mcuc_frame *frame, int32_t y, void *out)
{
  mcuc_frame ring = *frame;
  mcuc_view view;
  uint8_t *const lines = malloc(2u * (size_t)frame->stride);
  int32_t first, last, line;
  want(lines != NULL);
  ring.pixels = lines;
  ring.lines = 2;
  mcuc_image_lines(image, &ring, y, &first, &last);
  want(last < first || last - first <= 1);
  for (line = first; line <= last; ++line) {
    memcpy(lines + line % 2 * frame->stride, frame->pixels + line * frame->stride,
           (size_t)frame->stride);
  }
  view = mcuc_image_view(image, &ring);
  mcuc_image_row(image, &ring, &view, y, out);
  free(lines);
}

int main(int argc, char **argv)
{
  FILE *const in = fopen(argc == 3 ? argv[1] : "", "rb");
  FILE *const out = fopen(argc == 3 ? argv[2] : "", "wb");
  int32_t f[FACTS];
  want(in != NULL && out != NULL);
  while (fread(f, sizeof f[0], FACTS, in) == FACTS) {
    mcuc_image image = {.rows = f[0],
                        .columns = f[1],
                        .part = {f[2], f[3], f[4], f[5]},
                        .channel_table = f[6],
                        .pixel_step = f[7],
                        .channel_step = f[8],
                        .format = (uint8_t)f[9],
                        .color = (uint8_t)f[10],
                        .fit = (uint8_t)f[11],
                        .resize = (uint8_t)f[12],
                        .element_bytes = (uint8_t)f[13],
                        .bar = (uint8_t)f[14]};
    const size_t size = (size_t)f[20];
    uint8_t *const table = take(in, (size_t)f[21]);
    uint8_t *const pixels = take(in, (size_t)f[22]);
    uint8_t *const input = calloc(size, 1);
    const mcuc_frame frame = {pixels, f[15], f[16], f[17], f[18]};
    mcuc_view view;
    int32_t y;
    want(input != NULL);
    image.table = table;
    view = mcuc_image_view(&image, &frame);
    for (y = 0; y < image.rows; ++y) {
      uint8_t *const row = input + (size_t)(y * f[19]) * image.element_bytes;
      if (f[23] != 0) {
        row_from_ring(&image, &frame, y, row);
      } else {
        mcuc_image_row(&image, &frame, &view, y, row);
      }
    }
    want(fwrite(input, 1, size, out) == size);
    free(table);
    free(pixels);
    free(input);
  }
  fclose(in);
  return fclose(out);
}
