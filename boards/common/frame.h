/* Frames of the device protocol (docs/protocol.md); twin of mcuc/device/frames.py. */
#ifndef MCUC_FRAME_H
#define MCUC_FRAME_H

#include <stdint.h>

enum { MCUC_FRAME_PAYLOAD = 1024, MCUC_FRAME_HEAD = 4, MCUC_FRAME_CRC = 4 };

/* Header, payload and room for the CRC-32 lie in one piece, as on the line. */
typedef struct mcuc_frame {
  uint32_t bytes; /* of the payload */
  uint32_t crc;   /* of a received frame */
  struct {
    uint8_t command;
    uint8_t sequence;
    uint16_t status;
    uint8_t payload[MCUC_FRAME_PAYLOAD + MCUC_FRAME_CRC];
  } raw;
} mcuc_frame;

/* Waits for a frame that is whole; others are passed over. */
void mcuc_frame_receive(mcuc_frame *frame);
void mcuc_frame_send(mcuc_frame *frame);

#endif
