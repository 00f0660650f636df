#pragma once
#include <sys/timex.h>

/* What the kernel says of its clock (adjtimex(2)), without changing anything: 1 if a time service keeps it, 0 if none does, and -1
   if the system does not say. */
static inline int multipeer_clock_is_kept(void)
{
    struct timex state = {0};
    int result = adjtimex(&state);
    if (result < 0) return -1;
    return result != TIME_ERROR && !(state.status & STA_UNSYNC);
}
