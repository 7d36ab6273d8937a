/* What start-up leaves for the program to know. */
#ifndef MCUC_STARTUP_H
#define MCUC_STARTUP_H

#include <stdint.h>

/* 0: the board's clock runs. Else that of the board out of reset: the step with this number, from
 * 1, of [startup] steps in board.toml was waited for in vain. */
extern volatile uint32_t mcuc_clock_failed;

#endif
