#ifndef WAYBILL_CMONGOC_SHIM_H
#define WAYBILL_CMONGOC_SHIM_H

#include <mongoc/mongoc.h>

/* bson_t is aligned to 128 bytes, more than Swift takes from C: pointers to it arrive as OpaquePointer, without members. */
static inline uint32_t waybill_bson_length(const bson_t *document)
{
   return document->len;
}

extern int memfd_create(const char *name, unsigned int flags);

/* A file without a name in any directory, closed when another program is executed; -1 on failure. */
static inline int waybill_memory_file(const char *name)
{
   return memfd_create(name, 1 /* MFD_CLOEXEC */);
}

#endif
