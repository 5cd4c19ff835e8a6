/// Every bound of the HTTP/1 receive side in one value, and the two leniencies of the grammar.
///
/// ``HTTP1ClientMachine`` keeps a copy; a response that passes a bound is a remote error that names the bound. The
/// defaults are far above what servers send and far below what would hurt a client with a thousand connections.
package struct HTTP1Limits: Sendable, Hashable {
  /// The status line, its CR included. RFC 9112 §3 recommends that 8,000 bytes be supported for request lines; Apache
  /// takes 8,190 for those.
  package var maximumStatusLineBytes = 8 * 1024
  /// All field lines of one head with their line ends. NIO allows 80 KiB, Chromium and okhttp 256 KiB, curl 300 KiB,
  /// Node 16 KiB.
  package var maximumFieldSectionBytes = 64 * 1024
  /// Field lines of one head, and again of one trailer section. hyper and CPython allow 100, curl 5,000.
  package var maximumFieldCount = 1000
  /// Chunk extensions of a whole body, since nobody uses them but attackers. hyper allows 16 KiB.
  package var maximumChunkExtensionBytes = 16 * 1024
  /// The trailer section with its line ends. hyper allows 16 KiB.
  package var maximumTrailerSectionBytes = 16 * 1024
  /// Interim (1xx) responses before one final response. Go once allowed 5, which was too few for upload progress by 104;
  /// without a bound a server could keep a request alive for ever.
  package var maximumInterimResponses = 32
  /// Whether a lone LF may end the lines of a head, and of a trailer section. RFC 9112 §2.2 lets a recipient accept it,
  /// and curl, Go and browsers do; llhttp refuses it, since parties that disagree about where a line ends can be made to
  /// disagree about where a message ends. So the status line decides: in a head that starts with CRLF, a lone LF is
  /// something that slipped into a value, and is refused. Chunk lines need their CRLF in any case.
  package var acceptsBareLineFeed = false
  /// Whether a field line may go on in the next line after whitespace (obs-fold, RFC 9112 §5.2); each fold then reads as
  /// spaces. Deprecated since 2014, unknown to modern servers, and refused by llhttp and hyper unless asked for.
  package var acceptsLineFolding = false

  package init() {}

  /// Empty lines that may precede a status line. RFC 9112 §2.2 asks servers to skip at least one; some servers end a body
  /// with a stray CRLF that only arrives when the connection is in use again.
  static var maximumLeadingEmptyLines: Int { 2 }
}
