/* Moves both clocks of a process ahead: LD_PRELOAD this, and write the seconds to the file that STRICT_CLOCK names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static volatile int64_t *lead;
static int (*real)(clockid_t, struct timespec *);

__attribute__((constructor)) static void prepare(void) {
    const char *path = getenv("STRICT_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    if (file < 0) return;
    void *memory = mmap(NULL, sizeof *lead, PROT_READ, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) lead = memory;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = real(clock, time);
    if (result == 0 && lead && (clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME)) time->tv_sec += *lead;
    return result;
}
