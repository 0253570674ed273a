#ifndef WAYBILL_CMONGOC_SHIM_H
#define WAYBILL_CMONGOC_SHIM_H

#include <mongoc/mongoc.h>

#endif
