/* The request that is being answered, and the answer in the making. */
#ifndef MCUC_ANSWER_H
#define MCUC_ANSWER_H

#include "frame.h"

extern mcuc_frame mcuc_request, mcuc_reply;

/* A 32-bit word of the request; 0 beyond its end. */
uint32_t mcuc_request_word(uint32_t i);

/* Appends to the answer; what does not fit is left out. */
void mcuc_put(const void *data, uint32_t bytes);
void mcuc_put_word(uint32_t word);
void mcuc_put_text(const char *text); /* and its zero byte, 200 characters at most */

#endif
