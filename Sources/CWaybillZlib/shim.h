#ifndef WAYBILL_CZLIB_SHIM_H
#define WAYBILL_CZLIB_SHIM_H

#include <zlib.h>

/// `inflateInit2` is a macro; 15 + 16 asks for the gzip format only.
static inline int wb_inflate_init_gzip(z_stream *stream) { return inflateInit2(stream, 15 + 16); }

/// `deflateInit2` is a macro; the same window and format for writing.
static inline int wb_deflate_init_gzip(z_stream *stream) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

#endif
