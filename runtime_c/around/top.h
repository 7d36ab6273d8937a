/* The classes with the highest scores. */
#ifndef MCUC_TOP_H
#define MCUC_TOP_H

#include "around/class.h"
#include "around/scores.h"

/* The `most` best of n scores, best first, at equal scores the lower index first; none whose number
 * is below `least`, and none that is NaN. Works on scores of any monotone kind: a softmax before it
 * changes nothing but the numbers. Returns how many there are. */
static inline int32_t mcuc_top(const mcuc_scale *scale, const void *scores, int32_t n, float least,
                               mcuc_class *best, int32_t most)
{
  int32_t count = 0;
  int32_t i;
  for (i = 0; i < n; ++i) {
    const float number = mcuc_number(scale->type, scores, i);
    int32_t place;
    if (!(number >= least) || (count == most && !(number > best[most - 1].score))) {
      continue;
    }
    count += count < most ? 1 : 0;
    for (place = count - 1; place > 0 && number > best[place - 1].score; --place) {
      best[place] = best[place - 1];
    }
    best[place].index = i;
    best[place].score = number;
  }
  for (i = 0; i < count; ++i) {
    best[i].score = mcuc_real(scale, best[i].score);
  }
  return count;
}

#endif
