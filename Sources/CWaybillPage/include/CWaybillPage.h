#ifndef CWAYBILL_PAGE_H
#define CWAYBILL_PAGE_H

#include <stddef.h>

/// A file of the pages, as it is in Sources/WaybillHTTPAPI/Page/Assets.
typedef struct {
    const char *name;
    const unsigned char *bytes;
    size_t count;
} CWaybillPageFile;

/// All of them; they live as long as the process. Any thread.
const CWaybillPageFile *cwaybill_page_files(size_t *count);

#endif
