/// Which versions of HTTP a request may use.
public enum HTTPVersionPolicy: Sendable, Hashable {
  /// Over TLS, HTTP/2 when the server agrees to it by ALPN (RFC 7301), else HTTP/1.1; in cleartext, HTTP/1.1.
  case automatic
  /// HTTP/1.1 only.
  case http1Only
  /// HTTP/2 only, over TLS: a server that does not agree to it is an error, `http2NotNegotiated`. So is a cleartext URL,
  /// for which ``http2PriorKnowledge`` is meant.
  case http2Only
  /// HTTP/2 without asking: in cleartext from the first byte (RFC 9113 §3.3), over TLS as ``http2Only``. As
  /// `curl --http2-prior-knowledge`.
  case http2PriorKnowledge
}
