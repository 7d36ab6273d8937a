/* What stands around a model, as the test program around.c calls it; defined by generated glue. */
#ifndef MCUC_TEST_AROUND_H
#define MCUC_TEST_AROUND_H

#include <stdint.h>

/* The request is aligned to 16 bytes. Both return how many bytes of the response they wrote. */
uint32_t mcuc_around_before(uint8_t *request, uint32_t bytes, uint8_t *response);
uint32_t mcuc_around_behind(uint8_t *request, uint32_t bytes, uint8_t *response);

#endif
