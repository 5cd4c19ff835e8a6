// The raw client's vocabulary comes with it: one import is enough.
@_exported public import LinnetHTTPTypes
@_exported public import struct LinnetBytes.ByteChunk
