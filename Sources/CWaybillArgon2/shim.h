// libargon2 20171227.
#ifndef WAYBILL_CARGON2_SHIM_H
#define WAYBILL_CARGON2_SHIM_H

#include <argon2.h>

#endif
