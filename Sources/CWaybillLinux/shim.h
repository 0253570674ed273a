// Linux interfaces that Swift's Glibc module does not expose.
#ifndef WAYBILL_CLINUX_SHIM_H
#define WAYBILL_CLINUX_SHIM_H

#include <malloc.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>

// Declared here because <pthread.h> hides it behind _GNU_SOURCE, and that macro would make this module's view of other
// system headers differ from Glibc's.
extern int pthread_setname_np(pthread_t thread, const char *name);

static inline int wb_thread_set_name(pthread_t thread, const char *name) {
    return pthread_setname_np(thread, name);
}

// Behind _GNU_SOURCE as well. Waits for a thread's end until a time of the monotonic clock; 0, or ETIMEDOUT.
extern int pthread_clockjoin_np(pthread_t thread, void **result, int clock, const struct timespec *end);

static inline int wb_thread_join_until(pthread_t thread, const struct timespec *end) {
    return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, end);
}

// prctl is variadic, which Swift cannot call. Returns 0 on success.
static inline int wb_forbid_core_file(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

static inline size_t wb_heap_in_use(void) {
    struct mallinfo2 information = mallinfo2();
    return information.uordblks + information.hblkhd;
}

#endif
