// The raw client's vocabulary comes with it: one import is enough.
@_exported public import LinnetHTTP
