/* Sound -> features of a model: window, spectrum, mel bands, logarithm, cosine transform.
 *
 * One frame at a time. float32, every operation in the order in which it is written (mcuc/fmath.h);
 * the tables are made on the host. What is computed stands in docs/around.md; the twin in numpy is
 * tests/around/audio_twin.py.
 */
#ifndef MCUC_AUDIO_H
#define MCUC_AUDIO_H

#include "around/fft.h"
#include "around/scores.h"
#include "mcuc/ffunctions.h"
#include "mcuc/froots.h"

/* What a model wants to hear; constant. */
typedef struct mcuc_audio {
  int32_t frame, hop;   /* samples of a frame, and from frame to frame */
  int32_t fft;          /* points of the transform, a power of two, at least 8 and `frame` */
  int32_t mels;         /* bands */
  int32_t coefficients; /* of the cosine transform; 0 = none, the bands are the features */
  const float *window;  /* [frame] */
  const float *factors; /* [fft / 2] pairs, see mcuc_fft_real */
  const int16_t *bands; /* [mels] pairs: first number of the spectrum, how many */
  const float *weights; /* of all bands, one after another */
  const float *cosines; /* [coefficients][mels] */
  float offset;         /* is added before the logarithm */
  float log_factor;     /* of the natural logarithm; 0 = no logarithm */
  float mean, std;      /* real value = (feature - mean) / std */
  int power;            /* the spectrum is that of power, not of magnitude */
  mcuc_scale scale;     /* of the model's input */
  int32_t low, high;    /* of its numbers */
} mcuc_audio;

/* Floats that mcuc_audio_frame works in. */
#define MCUC_AUDIO_SCRATCH(fft, mels) ((fft) + 2 + (mels))

static inline int32_t mcuc_audio_features(const mcuc_audio *audio)
{
  return audio->coefficients > 0 ? audio->coefficients : audio->mels;
}

/* real -> stored number: nearest, halves away from zero, clamped; NaN gives the lowest. */
static inline int32_t mcuc_audio_quantize(const mcuc_audio *audio, float real)
{
  const float scaled = real / audio->scale.scale;
  int32_t q;
  float rest;
  if (!(scaled > -1e6f)) {
    return audio->low;
  }
  if (scaled > 1e6f) {
    return audio->high;
  }
  q = (int32_t)scaled;
  rest = scaled - (float)q; /* exact */
  q += (rest >= 0.5f) - (rest <= -0.5f) + audio->scale.zero_point;
  return q < audio->low ? audio->low : (q > audio->high ? audio->high : q);
}

/* Puts feature i into its place. */
static inline void mcuc_audio_store(const mcuc_audio *audio, float feature, void *features,
                                    int32_t i)
{
  const float real = (feature - audio->mean) / audio->std;
  if (audio->scale.type == MCUC_F32) {
    memcpy((uint8_t *)features + 4 * (uint32_t)i, &real, sizeof real);
  } else if (audio->scale.type == MCUC_S16) {
    const int16_t number = (int16_t)mcuc_audio_quantize(audio, real);
    memcpy((uint8_t *)features + 2 * (uint32_t)i, &number, sizeof number);
  } else {
    ((uint8_t *)features)[i] = (uint8_t)mcuc_audio_quantize(audio, real);
  }
}

/* Magnitudes or powers of the spectrum into the front of the pairs. */
static inline void mcuc_audio_spectrum(const mcuc_audio *audio, float *x)
{
  int32_t k;
  for (k = 0; k <= audio->fft / 2; ++k) {
    const float power = x[2 * k] * x[2 * k] + x[2 * k + 1] * x[2 * k + 1];
    x[k] = audio->power ? power : mcuc_sqrtf(power);
  }
}

/* The features of one frame.
 *
 *   samples  : [count]; what is missing to a whole frame is silence
 *   gain     : factor of the samples
 *   scratch  : [MCUC_AUDIO_SCRATCH(fft, mels)]
 *   features : [mcuc_audio_features] elements of the input
 */
static inline void mcuc_audio_frame(const mcuc_audio *audio, const int16_t *samples, int32_t count,
                                    float gain, float *scratch, void *features)
{
  float *const bands = scratch + audio->fft + 2;
  const float *weight = audio->weights;
  int32_t i, k;
  for (i = 0; i < audio->fft; ++i) {
    const int heard = i < audio->frame && i < count;
    scratch[i] = heard ? (float)samples[i] * gain * audio->window[i] : 0.0f;
  }
  mcuc_fft_real(scratch, audio->fft, audio->factors);
  mcuc_audio_spectrum(audio, scratch);
  for (i = 0; i < audio->mels; ++i) {
    const float *const from = scratch + audio->bands[2 * i];
    float sum = 0.0f;
    for (k = 0; k < audio->bands[2 * i + 1]; ++k) {
      sum += from[k] * *weight++;
    }
    sum += audio->offset;
    bands[i] = audio->log_factor != 0.0f ? mcuc_logf(sum) * audio->log_factor : sum;
  }
  if (audio->coefficients == 0) {
    for (i = 0; i < audio->mels; ++i) {
      mcuc_audio_store(audio, bands[i], features, i);
    }
    return;
  }
  for (i = 0; i < audio->coefficients; ++i) {
    float sum = 0.0f;
    for (k = 0; k < audio->mels; ++k) {
      sum += bands[k] * audio->cosines[i * audio->mels + k];
    }
    mcuc_audio_store(audio, sum, features, i);
  }
}

/* 1 / the greatest sample, as factor that makes it 1; where none is above 0, 1 / 32768. */
static inline float mcuc_audio_peak_gain(const int16_t *samples, int32_t count)
{
  int32_t greatest = 0;
  int32_t i;
  for (i = 0; i < count; ++i) {
    greatest = samples[i] > greatest ? samples[i] : greatest;
  }
  return 1.0f / (float)(greatest > 0 ? greatest : 32768);
}

#endif
