/* CRC-32 as zlib computes it. */
#ifndef MCUC_CRC32_H
#define MCUC_CRC32_H

#include <stdint.h>

/* `crc` is that of the bytes before, 0 at first. */
uint32_t mcuc_crc32(uint32_t crc, const void *data, uint32_t bytes);

#endif
