/* The test program of what stands around a model: on the host it is also how `mcuc evaluate` and
 * `mcuc run` preprocess, so that they compute what the board computes.
 *
 * Request file (little endian uint32): number of calls; per call 0 (before the model) or 1 (behind
 * it), the size of its data, the data. Response file: per call the size of the result, the result.
 * Twin: mcuc/device/around.py.
 */
#include "around.h"
#include "port.h"

#if !defined(MCUC_AROUND_REQUEST_BYTES) || !defined(MCUC_AROUND_RESPONSE_BYTES)
#error "sizes of the largest request and response are wanted"
#endif

static _Alignas(16) uint8_t request[MCUC_AROUND_REQUEST_BYTES];
static _Alignas(16) uint8_t response[MCUC_AROUND_RESPONSE_BYTES];

_Noreturn void mcuc_harness(const char *request_name, const char *response_name)
{
  const int32_t in = mcuc_port_open(request_name, 0);
  const int32_t out = mcuc_port_open(response_name, 1);
  uint32_t calls, head[2], bytes;
  mcuc_port_read(in, &calls, sizeof calls);
  for (; calls > 0u; --calls) {
    mcuc_port_read(in, head, sizeof head);
    if (head[0] > 1u || head[1] > sizeof request) {
      mcuc_port_exit(MCUC_EXIT_BAD_REQUEST);
    }
    mcuc_port_read(in, request, head[1]);
    bytes = head[0] == 0u ? mcuc_around_before(request, head[1], response)
                          : mcuc_around_behind(request, head[1], response);
    mcuc_port_write(out, &bytes, sizeof bytes);
    mcuc_port_write(out, response, bytes);
  }
  mcuc_port_close(in);
  mcuc_port_close(out);
  mcuc_port_exit(MCUC_EXIT_OK);
}
