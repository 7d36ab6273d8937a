/* The test program of what stands around a model: on the host it is also how `mcuc evaluate` and
 * `mcuc run` preprocess, so that they compute what the board computes.
 *
 * Request file (little endian uint32): number of calls; per call 0 (before the model) or 1 (behind
 * it), the size of its data, the data. Response file: per call the size of the result, the
 * counter's units that it took (low, high; all ones where nothing counts), the result. Twin:
 * mcuc/device/around.py.
 */
#include "around.h"
#include "port.h"

#if !defined(MCUC_AROUND_REQUEST_BYTES) || !defined(MCUC_AROUND_RESPONSE_BYTES)
#error "sizes of the largest request and response are wanted"
#endif

static _Alignas(16) uint8_t request[MCUC_AROUND_REQUEST_BYTES];
static _Alignas(16) uint8_t response[MCUC_AROUND_RESPONSE_BYTES];

/* Never inlined, and its callee unknown to it: the same instructions around every call. */
typedef uint32_t (*volatile function)(uint8_t *request, uint32_t bytes, uint8_t *response);

static uint32_t nothing(uint8_t *data, uint32_t bytes, uint8_t *result)
{
  (void)data;
  (void)bytes;
  (void)result;
  return 0;
}

/* Calls and measures; the size of the result. */
__attribute__((noinline)) static uint32_t measure(function call, uint32_t bytes, uint64_t *units)
{
  uint32_t start, ticks, wraps, size;
  mcuc_port_counter_start();
  start = mcuc_port_counter_ticks();
  size = call(request, bytes, response);
  ticks = mcuc_port_counter_ticks() - start;
  wraps = mcuc_port_counter_wraps(ticks);
  *units =
      wraps == MCUC_WRAPS_UNKNOWN ? ~(uint64_t)0 : mcuc_port_units(((uint64_t)wraps << 32) | ticks);
  return size;
}

_Noreturn void mcuc_harness(const char *request_name, const char *response_name)
{
  const int32_t in = mcuc_port_open(request_name, 0);
  const int32_t out = mcuc_port_open(response_name, 1);
  const int counts = mcuc_port_counter_present();
  uint32_t calls, head[2], answer[3];
  uint64_t units, overhead;
  (void)measure(nothing, 0, &overhead);
  mcuc_port_read(in, &calls, sizeof calls);
  for (; calls > 0u; --calls) {
    mcuc_port_read(in, head, sizeof head);
    if (head[0] > 1u || head[1] > sizeof request) {
      mcuc_port_exit(MCUC_EXIT_BAD_REQUEST);
    }
    mcuc_port_read(in, request, head[1]);
    answer[0] = measure(head[0] == 0u ? mcuc_around_before : mcuc_around_behind, head[1], &units);
    units = counts && units != ~(uint64_t)0 ? units - overhead : ~(uint64_t)0;
    answer[1] = (uint32_t)units;
    answer[2] = (uint32_t)(units >> 32);
    mcuc_port_write(out, answer, sizeof answer);
    mcuc_port_write(out, response, answer[0]);
  }
  mcuc_port_close(in);
  mcuc_port_close(out);
  mcuc_port_exit(MCUC_EXIT_OK);
}
