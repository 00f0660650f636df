#pragma once
#include <sys/syscall.h>
#include <unistd.h>

/* glibc declares renameat2 only under _GNU_SOURCE, which Swift does not define; the system call itself is always there.
   Returns 0, or -1 with errno set. Flag 1 is RENAME_NOREPLACE. */
static inline int multipeer_rename_noreplace(int directory, const char *from, const char *to)
{
    return (int)syscall(SYS_renameat2, directory, from, directory, to, 1);
}
