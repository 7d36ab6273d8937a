/* The request that is being answered, and the answer in the making. */
#include "answer.h"

#include <string.h>

mcuc_frame mcuc_request;
mcuc_frame mcuc_reply;

uint32_t mcuc_request_word(uint32_t i)
{
  uint32_t word = 0;
  if (4u * i + 4u <= mcuc_request.bytes) {
    memcpy(&word, mcuc_request.raw.payload + 4u * i, 4);
  }
  return word;
}

void mcuc_put(const void *data, uint32_t bytes)
{
  if (bytes <= MCUC_FRAME_PAYLOAD - mcuc_reply.bytes) {
    memcpy(mcuc_reply.raw.payload + mcuc_reply.bytes, data, bytes);
    mcuc_reply.bytes += bytes;
  }
}

void mcuc_put_word(uint32_t word)
{
  mcuc_put(&word, sizeof word);
}

void mcuc_put_text(const char *text)
{
  uint32_t n = 0;
  while (text[n] != '\0' && n < 200u) {
    ++n;
  }
  mcuc_put(text, n);
  mcuc_put("", 1);
}
