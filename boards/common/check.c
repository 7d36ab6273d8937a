/* Are the models' constants in flash what the compiler wrote? Their list lies in the program's own
 * flash, so that it is there even when the memory of the constants is not. */
#include "crc32.h"
#include "harness.h"
#include "server.h"

static uint32_t state_of(const uint8_t *data, uint32_t bytes)
{
  uint32_t i;
  for (i = 1; i < bytes && data[i] == data[0]; ++i) {
  }
  return i == bytes && (data[0] == 0xFFu || data[0] == 0u) ? (uint32_t)MCUC_CONSTANTS_BLANK
                                                           : (uint32_t)MCUC_CONSTANTS_WRONG;
}

void mcuc_check_constants(mcuc_verdict *verdict)
{
  uint32_t model;
  verdict->status = MCUC_CONSTANTS_UNKNOWN;
  for (model = 0; model < mcuc_test_model_count; ++model) {
    const mcuc_test_model *m = &mcuc_test_models[model];
    uint32_t i;
    for (i = 0; m->constants != 0 && i < *m->n_constants; ++i) {
      const mcuc_constant *c = &m->constants[i];
      verdict->status = MCUC_CONSTANTS_GOOD;
      verdict->model = model;
      verdict->index = i;
      verdict->address = (uint32_t)(uintptr_t)c->data;
      verdict->bytes = c->bytes;
      verdict->expected = c->crc;
      verdict->found = mcuc_crc32(0, c->data, c->bytes);
      if (verdict->found != c->crc) {
        verdict->status = state_of((const uint8_t *)c->data, c->bytes);
        return;
      }
    }
  }
}
