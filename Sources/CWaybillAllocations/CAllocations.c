// Counts allocations. The program's own malloc comes before the C library's for every library in the process, so that
// no caller is missed; the work is still glibc's. A sanitizer brings an allocator of its own, and then nothing counts.

#include "CAllocations.h"

#include <errno.h>
#include <stddef.h>

static __thread struct allocation_count count;

struct allocation_count allocation_count_of_this_thread(void) { return count; }

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) && !__has_feature(memory_sanitizer)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static inline void note(size_t size) {
    count.calls += 1;
    count.bytes += size;
}

void *malloc(size_t size) {
    note(size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    // Where the product overflows, the allocator refuses it.
    note(number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    note(size);
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    note(size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note(size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
    note(size);
    void *block = __libc_memalign(alignment, size);
    if (block == NULL) return ENOMEM;
    *memory = block;
    return 0;
}

// Where malloc is replaced, free has to be (glibc manual, "Replacing malloc").
void free(void *memory) { __libc_free(memory); }

#endif
