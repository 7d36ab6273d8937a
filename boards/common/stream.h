/* Request and response files as words and bytes. */
#ifndef MCUC_STREAM_H
#define MCUC_STREAM_H

#include <stdint.h>

typedef struct mcuc_stream {
  int32_t in, out;
  uint32_t read_position; /* bytes consumed of the request file */
  uint32_t fill;          /* words waiting in `words`: a call to the host per word would be slow */
  uint32_t words[64];
} mcuc_stream;

void mcuc_stream_open(mcuc_stream *stream, const char *request, const char *response);
void mcuc_stream_close(mcuc_stream *stream);

void mcuc_stream_get(mcuc_stream *stream, void *data, uint32_t bytes);
void mcuc_stream_rewind(mcuc_stream *stream, uint32_t position);

void mcuc_stream_put(mcuc_stream *stream, uint32_t word);
void mcuc_stream_put_bytes(mcuc_stream *stream, const void *data, uint32_t bytes);

#endif
