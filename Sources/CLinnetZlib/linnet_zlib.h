#ifndef LINNET_ZLIB_H
#define LINNET_ZLIB_H
/* zlib's initialisers are macros that pass the library version and struct size; Swift cannot import those. */
#include <zlib.h>

static inline int linnet_inflate_init(z_stream *stream, int window_bits) {
  return inflateInit2(stream, window_bits);
}

static inline int linnet_deflate_init(z_stream *stream, int level, int window_bits, int memory_level) {
  return deflateInit2(stream, level, Z_DEFLATED, window_bits, memory_level, Z_DEFAULT_STRATEGY);
}

#endif
