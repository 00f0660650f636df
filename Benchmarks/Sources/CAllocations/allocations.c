#define _GNU_SOURCE
#include "allocations.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* glibc gives its allocator these second names so that others can stand before the first ones. Unlike dlsym, they need
   no memory to be found. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

/* Initial-exec: a thread-local that is found without a call, and so without allocating. */
static __thread struct allocations taken __attribute__((tls_model("initial-exec")));

/* Whether the size of each chunk is asked for, which costs more than all the rest of the counting: while something is timed,
   nobody wants to know. */
static int counts_held = 0;

/* What a chunk of glibc's has beside the bytes that it lends. */
enum { CHUNK_HEADER = 8 };

static inline void *note(void *memory, size_t size) {
    if (memory != NULL) {
        taken.count += 1;
        taken.bytes += size;
        if (counts_held) taken.held += (int64_t)malloc_usable_size(memory) + CHUNK_HEADER;
    }
    return memory;
}

static inline void forget(void *memory) {
    if (counts_held && memory != NULL) taken.held -= (int64_t)malloc_usable_size(memory) + CHUNK_HEADER;
}

void *malloc(size_t size) { return note(__libc_malloc(size), size); }

void *calloc(size_t count, size_t size) { return note(__libc_calloc(count, size), count * size); }

void *realloc(void *memory, size_t size) {
    int64_t held = taken.held;
    forget(memory);
    void *moved = __libc_realloc(memory, size);
    // Where there was no memory, the old is still there; where none was asked for, it is gone.
    if (moved == NULL && size != 0) taken.held = held;
    return note(moved, size);
}

void free(void *memory) {
    forget(memory);
    __libc_free(memory);
}

void *memalign(size_t alignment, size_t size) { return note(__libc_memalign(alignment, size), size); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    void *taken_memory = memalign(alignment, size);
    if (taken_memory == NULL) return ENOMEM;
    *memory = taken_memory;
    return 0;
}

struct allocations allocations_of_thread(void) { return taken; }

void allocations_count_held(int is_counted) { counts_held = is_counted; }

uint64_t heap_of_process(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

uint64_t resident_bytes(void) {
    unsigned long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL) return 0;
    int fields = fscanf(file, "%lu %lu", &total, &resident);
    fclose(file);
    return fields == 2 ? resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}
