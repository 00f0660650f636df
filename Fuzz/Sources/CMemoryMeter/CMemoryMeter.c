#include "CMemoryMeter.h"

#include <stdatomic.h>
#include <stdint.h>

// Of <sanitizer/allocator_interface.h>; weak, so that programs without AddressSanitizer link as well.
extern int __sanitizer_install_malloc_and_free_hooks(
    void (*on_malloc)(const volatile void *, size_t), void (*on_free)(const volatile void *)) __attribute__((weak));
extern size_t __sanitizer_get_allocated_size(const volatile void *) __attribute__((weak));

static _Atomic bool counting;
static _Atomic int64_t live;
static _Atomic int64_t peak;

static void allocated(const volatile void *block, size_t size) {
    (void)block;
    if (!atomic_load_explicit(&counting, memory_order_relaxed)) return;
    int64_t now = atomic_fetch_add_explicit(&live, (int64_t)size, memory_order_relaxed) + (int64_t)size;
    int64_t most = atomic_load_explicit(&peak, memory_order_relaxed);
    while (now > most &&
           !atomic_compare_exchange_weak_explicit(&peak, &most, now, memory_order_relaxed, memory_order_relaxed)) {}
}

// A block from before the start takes the sum below what is truly alive: the meter errs on the side of the code.
static void released(const volatile void *block) {
    if (block == NULL || !atomic_load_explicit(&counting, memory_order_relaxed)) return;
    atomic_fetch_sub_explicit(&live, (int64_t)__sanitizer_get_allocated_size(block), memory_order_relaxed);
}

bool memory_meter_start(void) {
    static _Atomic int installed;
    if (__sanitizer_install_malloc_and_free_hooks == NULL || __sanitizer_get_allocated_size == NULL) return false;
    int expected = 0;
    if (atomic_compare_exchange_strong(&installed, &expected, 1)) {
        if (__sanitizer_install_malloc_and_free_hooks(allocated, released) == 0) atomic_store(&installed, 2);
    }
    if (atomic_load(&installed) == 2) return false;
    atomic_store(&live, 0);
    atomic_store(&peak, 0);
    atomic_store(&counting, true);
    return true;
}

size_t memory_meter_stop(void) {
    atomic_store(&counting, false);
    return (size_t)atomic_load(&peak);
}
