/* Request and response files as words and bytes. */
#include "stream.h"
#include "port.h"

static void flush(mcuc_stream *stream)
{
  if (stream->fill > 0) {
    mcuc_port_write(stream->out, stream->words, stream->fill * 4u);
    stream->fill = 0;
  }
}

void mcuc_stream_open(mcuc_stream *stream, const char *request, const char *response)
{
  stream->in = mcuc_port_open(request, 0);
  stream->out = mcuc_port_open(response, 1);
  stream->read_position = 0;
  stream->fill = 0;
}

void mcuc_stream_close(mcuc_stream *stream)
{
  flush(stream);
  mcuc_port_close(stream->out);
  mcuc_port_close(stream->in);
}

void mcuc_stream_get(mcuc_stream *stream, void *data, uint32_t bytes)
{
  mcuc_port_read(stream->in, data, bytes);
  stream->read_position += bytes;
}

void mcuc_stream_rewind(mcuc_stream *stream, uint32_t position)
{
  mcuc_port_seek(stream->in, position);
  stream->read_position = position;
}

void mcuc_stream_put(mcuc_stream *stream, uint32_t word)
{
  if (stream->fill == sizeof stream->words / sizeof stream->words[0]) {
    flush(stream);
  }
  stream->words[stream->fill++] = word;
}

/* The size, then the bytes. */
void mcuc_stream_put_bytes(mcuc_stream *stream, const void *data, uint32_t bytes)
{
  mcuc_stream_put(stream, bytes);
  flush(stream);
  if (bytes > 0) {
    mcuc_port_write(stream->out, data, bytes);
  }
}
