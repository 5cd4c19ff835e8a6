#ifndef LINNET_NGHTTP2_H
#define LINNET_NGHTTP2_H
/* libnghttp2, 1.52 or newer: RFC 8441 and RFC 9218 are in it. */
#include <nghttp2/nghttp2.h>

#if NGHTTP2_VERSION_NUM < 0x013400
#error "libnghttp2 1.52 or newer is needed"
#endif

#endif
