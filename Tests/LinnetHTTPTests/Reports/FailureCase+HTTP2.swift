import LinnetBytes
import LinnetHTTP
import LinnetTestSupport

extension FailureCase {
  private static func never(_ onHead: ServerScript.HeadDecision = .readBody) -> ServerScript {
    .handler(onHead: { _ in onHead }) { _ in .never }
  }

  private static func answering(_ response: @autoclosure @escaping @Sendable () -> ServerResponse) -> ServerScript {
    .handler { _ in response() }
  }

  /// Twenty bytes are announced, and these parts come.
  private static func twenty(_ parts: ServerBody.Part...) -> ServerScript {
    answering(ServerResponse(body: ServerBody(parts)).framed(.announced(20)))
  }

  private static let hello = ServerBody.Part.bytes(Array("12345".utf8))

  /// What a request that never meets HTTP/2's frames fails with does not depend on the version; the rest has its own cases.
  static let overHTTP2: [FailureCase] = {
    var cases = request.filter { $0.code != .invalidRequest || $0.isUnprepared }
    for more in [contradiction, connecting, tls, sendingHTTP2, headHTTP2, bodyHTTP2, decodeHTTP2] { cases += more }
    return cases.map { $0.overHTTP2 } + negotiation
  }()

  private static let contradiction: [FailureCase] = [
    FailureCase("a wrong Content-Length", .invalidRequest, .request, .nothing, "is 3, and its body has 5 bytes") {
      $0.change = {
        $0.body = .text("12345")
        $0.headers.add("Content-Length", "3")
      }
      $0.namesPeer = false
    }
  ]

  private static let negotiation: [FailureCase] = [
    FailureCase("a server that speaks HTTP/1.1 only", .http2NotNegotiated, .tls, .nothing, "only h2 was") {
      $0.isHTTPS = true
      $0.options = { $0.tls = ServerTLS(try $1.loopback()) }
      $0.configure = { configuration, _ in configuration.httpVersion = .http2Only }
    }
  ]

  private static let sendingHTTP2: [FailureCase] = [
    FailureCase("a reset of the stream while the body is sent", .streamReset, .send, .maybe, "INTERNAL_ERROR") {
      $0.script = never(.resetStream(2))
      $0.change = { $0.body = .bytes([UInt8](repeating: 1, count: 30_000_000)) }
    },
    FailureCase("a reset of the connection while the body is sent", .connectionLost, .send, .maybe, "connection") {
      $0.script = never(.respond(.raw([.reset])))
      $0.change = { $0.body = .bytes([UInt8](repeating: 1, count: 30_000_000)) }
    },
    FailureCase("a server that stops reading", .idleTimeout, .send, .maybe, "no bytes moved") {
      $0.timePasses = .headSent
      $0.script = never(.readBodyAfter(Gate()))
      $0.change = {
        $0.body = .bytes([UInt8](repeating: 1, count: 30_000_000))
        $0.options.timeouts.idle = .after(.milliseconds(50))
      }
    },
    FailureCase("a body stream that fails", .requestBodyFailed, .send, .maybe, "the request's body stream failed") {
      $0.script = never()
      $0.change = {
        $0.body = .stream {
          AsyncThrowingStream { continuation in
            continuation.yield(ByteChunk("part"))
            continuation.finish(throwing: StreamFailure())
          }
        }
      }
    },
    FailureCase("a body stream that is too short", .invalidRequest, .send, .maybe, "not the announced length") {
      $0.script = never()
      $0.change = {
        $0.body = .stream(length: 10) {
          AsyncStream { continuation in
            continuation.yield(ByteChunk("part"))
            continuation.finish()
          }
        }
      }
    },
  ]

  private static let headHTTP2: [FailureCase] = [
    FailureCase("a reset of the stream before the response", .streamReset, .head, .all, "INTERNAL_ERROR") {
      $0.script = never(.resetStream(2))
    },
    FailureCase("no response", .emptyReply, .head, .all, "closed the connection") {
      $0.script = answering(.raw([.close]))
    },
    FailureCase("a reset of the connection before the response", .connectionLost, .head, .all, "reset the connection") {
      $0.script = answering(.raw([.reset]))
    },
    FailureCase("no response in time", .headTimeout, .head, .all, "no response head came within its timeout of 50 ms") {
      $0.timePasses = .headSent
      $0.script = never()
      $0.change = { $0.options.timeouts.responseHead = .after(.milliseconds(50)) }
    },
    FailureCase("no response before the total timeout", .totalTimeout, .head, .all, "total timeout of 50 ms") {
      $0.timePasses = .headSent
      $0.script = never()
      $0.change = { $0.options.timeouts.total = .after(.milliseconds(50)) }
    },
    FailureCase("no HTTP/2", .protocolViolation, .head, nil, "does not speak HTTP/2") {
      $0.script = .steps([.readBytes(24), .send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), .stall])
    },
    FailureCase("an oversized head", .responseHeadTooLarge, .head, .all, "bytes") {
      // From the second on each is an index into the table of the connection: a few bytes that stand for three thousand.
      let line = HeaderLine("x-large", String(repeating: "x", count: 3000))
      $0.script = answering(ServerResponse(headers: Array(repeating: line, count: 100)))
    },
    FailureCase("too many fields", .responseHeadTooLarge, .head, .all, "fields") {
      $0.script = answering(ServerResponse(headers: Array(repeating: HeaderLine("a", "b"), count: 1100)))
    },
  ]

  private static let bodyHTTP2: [FailureCase] = [
    FailureCase("a reset of the stream in the body", .streamReset, .body, .all, "INTERNAL_ERROR") {
      $0.script = twenty(hello, .resetStream(2))
    },
    FailureCase(
      "a body that is shorter than its length", .truncated, .body, .all, "5 bytes, and Content-Length says 20"
    ) {
      $0.script = twenty(hello)
    },
    FailureCase("a close in the body", .connectionLost, .body, .all, "closed the connection") {
      $0.script = twenty(hello, .effect(.close))
    },
    FailureCase("a reset of the connection in the body", .connectionLost, .body, .all, "reset the connection") {
      $0.script = twenty(hello, .effect(.reset))
    },
    FailureCase("an idle body", .idleTimeout, .body, .all, "no bytes moved") {
      $0.timePasses = .responded
      $0.script = twenty(hello, .effect(.stall))
      $0.change = { $0.options.timeouts.idle = .after(.milliseconds(50)) }
    },
    FailureCase("a body slower than the total timeout", .totalTimeout, .body, .all, "total timeout of 50 ms") {
      $0.timePasses = .responded
      $0.script = twenty(hello, .effect(.stall))
      $0.change = { $0.options.timeouts.total = .after(.milliseconds(50)) }
    },
    FailureCase("a TLS connection that ends without close_notify in a body", .connectionLost, .body, .all, "connection")
    {
      $0.isHTTPS = true
      $0.options = { $0.tls = ServerTLS(try $1.loopback()) }
      $0.script = answering(
        ServerResponse(body: ServerBody([hello, .effect(.closeWithoutCloseNotify)])).framed(.close))
    },
  ]

  private static let decodeHTTP2: [FailureCase] = [
    FailureCase("a body above the cap", .bodyTooLarge, .decode, .all, "cap of 10 bytes") {
      $0.script = twenty(.pattern(20))
      $0.change = { $0.options.maximumCollectedBytes = 10 }
    },
    FailureCase("a body of unknown length above the cap", .bodyTooLarge, .decode, .all, "cap of 10 bytes") {
      $0.script = answering(ServerResponse.pattern(16).framed(.close))
      $0.change = { $0.options.maximumCollectedBytes = 10 }
    },
    FailureCase("a body that is not what its coding says", .decodingFailed, .decode, .all, "gzip body is corrupt") {
      $0.script = answering(ServerResponse.text("1234567890").adding("Content-Encoding", "gzip"))
    },
    FailureCase("a decompression bomb", .decompressionLimit, .decode, .all, "setting: maximumRatio") {
      $0.script = answering(ServerResponse(body: ServerBody([.zeros(20 << 20)])).compressed())
    },
  ]
}
