// Linux interfaces that Glibc's module does not expose.
#ifndef WAYBILL_CLINUX_SHIM_H
#define WAYBILL_CLINUX_SHIM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

/// `pthread_setname_np` needs `_GNU_SOURCE`, which Swift's own Glibc module does not define.
static inline int wb_thread_set_name(pthread_t thread, const char *name) {
    return pthread_setname_np(thread, name);
}

#endif
