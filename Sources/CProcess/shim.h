#pragma once
#include <sys/prctl.h>
#include <sys/resource.h>

/* Swift does not import variadic functions. The process leaves no core dump, not to a program that takes them either, and programs
   of the same user cannot read its memory: keys are in it. Returns 0, or -1 with errno set. */
static inline int multipeer_keep_memory_private(void)
{
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
