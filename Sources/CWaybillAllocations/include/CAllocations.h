#ifndef WAYBILL_ALLOCATIONS_H
#define WAYBILL_ALLOCATIONS_H

#include <stdint.h>

/// What a thread has asked the allocator for since it began: calls of malloc, calloc, realloc and their aligned kin,
/// from Swift and from every C library alike, and the bytes that were asked for. What is freed is not taken off.
struct allocation_count {
    uint64_t calls;
    uint64_t bytes;
};

/// The calling thread's count.
struct allocation_count allocation_count_of_this_thread(void);

#endif
