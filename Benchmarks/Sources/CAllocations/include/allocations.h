#pragma once
#include <stdint.h>

/* Counts what each thread takes from the heap. Linked into a program, it comes before the C library's allocator for
   all of the process: Swift's runtime, libsodium and GnuTLS included. */

struct allocations {
    /* Calls that returned memory; a realloc is one. */
    uint64_t count;
    /* Bytes asked for by them. */
    uint64_t bytes;
    /* What it took less what it gave back, in bytes, the allocator's own included, while that was counted. */
    int64_t held;
};

/* What this thread has taken since it began. */
struct allocations allocations_of_thread(void);

/* Counts what is held from now on, or does not any more. No other thread may allocate meanwhile. */
void allocations_count_held(int is_counted);

/* What all threads together hold, by the books of glibc's allocator (mallinfo2): its own headers included, and up to a few
   kilobytes for each thread that it keeps for the next request. */
uint64_t heap_of_process(void);

/* Resident memory of the process now, in bytes (/proc/self/statm). */
uint64_t resident_bytes(void);
