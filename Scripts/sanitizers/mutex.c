// ThreadSanitizer sees the fast path of `Synchronization.Mutex`, which is emitted into each client, but not the slow one
// of a contended lock, which is inside the Swift library, not instrumented, and sleeps in the kernel. It would report
// everything that a contended mutex guards. The three entries of the slow path are therefore defined again here, call the
// library's, and tell the sanitizer what they acquired or released. Linked in by Scripts/test --sanitize thread, and by
// nothing else.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

// Swift's convention: `self`, here the address of the lock word, comes in a register of its own.
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

typedef SWIFT void (*lock_entry)(uint32_t thread, SELF void *word);
typedef SWIFT void (*unlock_entry)(SELF void *word);
typedef SWIFT bool (*try_entry)(SELF void *word);

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"

static lock_entry real_lock;
static unlock_entry real_unlock;
static try_entry real_try;

static void *entry(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        fprintf(stderr, "Scripts/sanitizers/mutex.c: the Swift library has no %s\n", name);
        abort();
    }
    return found;
}

__attribute__((constructor)) static void find(void) {
    real_lock = (lock_entry)entry(LOCK);
    real_unlock = (unlock_entry)entry(UNLOCK);
    real_try = (try_entry)entry(TRY);
}

SWIFT void lock_slow(uint32_t thread, SELF void *word) __asm__(LOCK);
SWIFT void lock_slow(uint32_t thread, SELF void *word) {
    real_lock(thread, word);
    __tsan_acquire(word);
}

SWIFT void unlock_slow(SELF void *word) __asm__(UNLOCK);
SWIFT void unlock_slow(SELF void *word) {
    __tsan_release(word);
    real_unlock(word);
}

SWIFT bool try_lock_slow(SELF void *word) __asm__(TRY);
SWIFT bool try_lock_slow(SELF void *word) {
    if (!real_try(word)) return false;
    __tsan_acquire(word);
    return true;
}
