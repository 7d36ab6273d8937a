/* Runs cases of runtime_c/around/detect.h and heat.h; tensors are of exactly their size. */
#include <stdio.h>
#include <stdlib.h>

#include "around/detect.h"
#include "around/heat.h"

enum { LEVELS = 4, ANCHORS = 4, TENSORS = 4 };

static FILE *in;
static FILE *out;

static void want(int good)
{
  if (!good) {
    exit(3);
  }
}

static void take(void *data, size_t bytes)
{
  want(fread(data, 1, bytes, in) == bytes);
}

static int32_t whole(void)
{
  int32_t value;
  take(&value, sizeof value);
  return value;
}

static float real(void)
{
  float value;
  take(&value, sizeof value);
  return value;
}

static mcuc_scale scale(void)
{
  mcuc_scale result;
  result.scale = real();
  result.zero_point = whole();
  result.type = whole();
  return result;
}

static void *tensor(void)
{
  const size_t bytes = (size_t)whole();
  void *const data = malloc(bytes);
  want(data != NULL);
  take(data, bytes);
  return data;
}

static void answer(const mcuc_box *boxes, int32_t count)
{
  want(fwrite(&count, sizeof count, 1, out) == 1);
  want(fwrite(boxes, sizeof *boxes, (size_t)count, out) == (size_t)count);
}

static void detector(void)
{
  static float sizes[LEVELS][ANCHORS][2];
  mcuc_level levels[LEVELS];
  const void *boxes_of[LEVELS];
  const void *scores_of[LEVELS];
  void *tensors[TENSORS];
  mcuc_box *found;
  mcuc_detector d;
  int32_t i, count;
  memset(&d, 0, sizeof d);
  count = whole();
  want(count <= TENSORS);
  for (i = 0; i < count; ++i) {
    tensors[i] = tensor();
  }
  d.levels = levels;
  d.level_count = whole();
  want(d.level_count <= LEVELS);
  for (i = 0; i < d.level_count; ++i) {
    levels[i].rows = whole();
    levels[i].columns = whole();
    levels[i].anchors = whole();
    levels[i].step_y = real();
    levels[i].step_x = real();
    levels[i].sizes = whole() ? &sizes[i][0][0] : 0;
    want(levels[i].anchors <= ANCHORS || levels[i].sizes == 0);
    take(sizes[i], levels[i].sizes ? (size_t)levels[i].anchors * sizeof sizes[i][0] : 0u);
    levels[i].boxes = scale();
    levels[i].scores = scale();
    levels[i].least = real();
    boxes_of[i] = tensors[whole()];
    scores_of[i] = tensors[whole()];
  }
  take(&d.boxes, sizeof d.boxes);
  take(&d.scores, sizeof d.scores);
  d.classes = whole();
  d.skipped = whole();
  d.most = whole();
  take(d.factors, sizeof d.factors);
  d.threshold = real();
  d.iou = real();
  d.decode = (uint8_t)whole();
  d.yx = (uint8_t)whole();
  d.object = (uint8_t)whole();
  d.sigmoid = (uint8_t)whole();
  d.agnostic = (uint8_t)whole();
  found = malloc((size_t)d.most * sizeof *found);
  want(found != NULL);
  answer(found, mcuc_detect(&d, boxes_of, scores_of, found));
  free(found);
  for (i = 0; i < count; ++i) {
    free(tensors[i]);
  }
}

static void heat(void)
{
  mcuc_heat h;
  void *const map = tensor();
  mcuc_box *found;
  h.scale = scale();
  h.rows = whole();
  h.columns = whole();
  h.classes = whole();
  h.skipped = whole();
  h.most = whole();
  h.least = real();
  found = malloc((size_t)h.most * sizeof *found);
  want(found != NULL);
  answer(found, mcuc_heat_objects(&h, map, found));
  free(found);
  free(map);
}

int main(int argc, char **argv)
{
  int32_t kind;
  in = fopen(argc == 3 ? argv[1] : "", "rb");
  out = fopen(argc == 3 ? argv[2] : "", "wb");
  want(in != NULL && out != NULL);
  while (fread(&kind, sizeof kind, 1, in) == 1) {
    if (kind == 0) {
      detector();
    } else {
      heat();
    }
  }
  fclose(in);
  return fclose(out);
}
