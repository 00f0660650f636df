// How many bytes are allocated while something runs. Counts by AddressSanitizer's hooks, and so only in a program that
// is built with it: interposing malloc beside AddressSanitizer's own would break both.

#ifndef MULTIPEER_MEMORY_METER_H
#define MULTIPEER_MEMORY_METER_H

#include <stdbool.h>
#include <stddef.h>

/// Begins to count. False where there is no AddressSanitizer, and so nothing is counted.
bool memory_meter_start(void);

/// Ends counting: the most bytes that were alive at once, of those allocated since the start.
size_t memory_meter_stop(void);

#endif
