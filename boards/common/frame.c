/* Frames: consistent overhead byte stuffing, so that a zero ends a frame and nothing else does. */
#include "frame.h"
#include "crc32.h"
#include "uart.h"

#include <string.h>

enum { LONGEST_RUN = 254, LIMIT = MCUC_FRAME_HEAD + MCUC_FRAME_PAYLOAD + MCUC_FRAME_CRC };

_Static_assert(sizeof((mcuc_frame *)0)->raw == LIMIT, "no padding");

/* Bytes up to the next zero, without it; -1 for what is no frame. */
static int32_t receive(uint8_t *to)
{
  int32_t count = 0;
  uint32_t left = 0; /* bytes until the next code */
  int zero = 0;      /* a zero stands before the next byte */
  int good = 1;
  for (;;) {
    const uint8_t byte = mcuc_uart_get();
    if (byte == 0) {
      return good && left == 0 ? count : -1;
    }
    if (left > 0) {
      if (count == LIMIT) {
        good = 0;
      } else {
        to[count++] = byte;
      }
      --left;
      continue;
    }
    if (zero) {
      if (count == LIMIT) {
        good = 0;
      } else {
        to[count++] = 0;
      }
    }
    left = byte - 1u;
    zero = left < LONGEST_RUN;
  }
}

void mcuc_frame_receive(mcuc_frame *frame)
{
  uint8_t *const raw = (uint8_t *)&frame->raw;
  for (;;) {
    const int32_t count = receive(raw);
    if (count >= MCUC_FRAME_HEAD + MCUC_FRAME_CRC) {
      const uint32_t body = (uint32_t)count - MCUC_FRAME_CRC;
      memcpy(&frame->crc, raw + body, MCUC_FRAME_CRC);
      if (frame->crc == mcuc_crc32(0, raw, body)) {
        frame->bytes = body - MCUC_FRAME_HEAD;
        return;
      }
    }
  }
}

void mcuc_frame_send(mcuc_frame *frame)
{
  const uint8_t *raw = (const uint8_t *)&frame->raw;
  const uint32_t body = MCUC_FRAME_HEAD + frame->bytes;
  const uint32_t crc = mcuc_crc32(0, raw, body);
  const uint32_t end = body + MCUC_FRAME_CRC;
  uint32_t at = 0;
  memcpy(frame->raw.payload + frame->bytes, &crc, MCUC_FRAME_CRC);
  mcuc_uart_put(0);   /* ends whatever the host has seen before */
  while (at <= end) { /* a zero is taken to stand behind the last byte */
    uint32_t run = 0;
    uint32_t i;
    while (at + run < end && run < LONGEST_RUN && raw[at + run] != 0) {
      ++run;
    }
    mcuc_uart_put((uint8_t)(run + 1u));
    for (i = 0; i < run; ++i) {
      mcuc_uart_put(raw[at + i]);
    }
    at += run < LONGEST_RUN ? run + 1u : run;
  }
  mcuc_uart_put(0);
}
