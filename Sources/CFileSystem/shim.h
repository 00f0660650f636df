#pragma once
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc declares renameat2 only under _GNU_SOURCE, which Swift does not define; the system call itself is always there.
   Returns 0, or -1 with errno set. Flag 1 is RENAME_NOREPLACE. */
static inline int multipeer_rename_noreplace(int from_directory, const char *from, int to_directory, const char *to)
{
    return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, 1);
}

/* Writes everything of a file's disk, and waits until it is there: one call in place of one for each file of a folder. glibc
   declares syncfs only under _GNU_SOURCE as well. */
static inline int multipeer_sync_disk(int file)
{
    return (int)syscall(SYS_syncfs, file);
}

/* Starts to write a range of a file to the disk, and does not wait until it is there; it may wait for the disk's queue. The
   same for sync_file_range: flag 2 is SYNC_FILE_RANGE_WRITE. File systems that know no such thing fail, which is no harm. */
static inline int multipeer_begin_writeback(int file, int64_t offset, int64_t length)
{
#ifdef SYS_sync_file_range
    return (int)syscall(SYS_sync_file_range, file, offset, length, 2);
#else
    return -1;
#endif
}
