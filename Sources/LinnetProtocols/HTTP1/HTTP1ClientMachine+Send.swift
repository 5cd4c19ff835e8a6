package import LinnetBytes
package import LinnetHTTPTypes

extension HTTP1ClientMachine {
  /// Starts an exchange: writes the request line, the fields of `head` in order, and the field that frames the body
  /// unless `head` has it. The caller has put Host and everything else into `head`.
  ///
  /// - Parameters:
  ///   - head: Sent as it is.
  ///   - body: `.none` and a known length of 0 complete the request; otherwise `sendBody` and `sendEnd` follow.
  ///   - out: Where the bytes go.
  /// - Throws: A local error when `head` must not be sent or contradicts `body`; nothing was written then, and the machine
  ///   is as it was. ``HTTP1Error/Reason/unsolicitedBytes`` or ``HTTP1Error/Reason/emptyReply`` when the connection
  ///   turned out to be unusable before anything was sent.
  package mutating func sendHead(
    _ head: RequestHead, body: RequestBodyLength, into out: inout WriteBuffer
  ) throws(HTTP1Error) {
    guard case .idle = sendState, case .idle = receiveState else {
      if case .failed(let error) = sendState { throw error }
      if case .failed(let error) = receiveState { throw error }
      throw .local(.outOfTurn)
    }
    let checked = try RequestSerializer.check(head, body: body)
    guard buffer.isEmpty else { throw failReceiving(.unsolicitedBytes) }
    guard !hasEnded else { throw failReceiving(.emptyReply) }
    RequestSerializer.write(head, checked, into: &out)
    method = head.method
    isPersistent = ConnectionOptions(head.headers, checked.fields).allowReuse(version: head.version)
    receiveState = .head
    switch checked.framing {
    case .none, .length(0): sendState = .done
    case .length(let length): sendState = .length(announced: length, sent: 0)
    case .chunked: sendState = .chunked
    }
  }

  /// Writes a part of the body. An empty part writes nothing.
  ///
  /// - Throws: ``HTTP1Error/Reason/bodyTooLong(announced:)`` when the body exceeds the announced length: nothing was
  ///   written, and the send side has failed, because the peer waits for a body that will not be what was announced.
  package mutating func sendBody(_ chunk: ByteChunk, into out: inout WriteBuffer) throws(HTTP1Error) {
    switch sendState {
    case .failed(let error):
      throw error
    case .idle:
      throw .local(.outOfTurn)
    case .done:
      if !chunk.isEmpty { throw failSending(.bodyTooLong(announced: 0)) }
    case .chunked:
      RequestSerializer.writeChunk(chunk, into: &out)
    case .length(let announced, let sent):
      guard UInt64(chunk.count) <= announced - sent else { throw failSending(.bodyTooLong(announced: announced)) }
      out.append(chunk)
      sendState = .length(announced: announced, sent: sent + UInt64(chunk.count))
    }
  }

  /// Ends the request. Repeating it, or calling it for a request without a body, does nothing.
  ///
  /// - Parameters:
  ///   - trailers: Only for a chunked body.
  ///   - out: Where the bytes go.
  /// - Throws: ``HTTP1Error/Reason/bodyTooShort(sent:announced:)`` when bytes of the announced length are missing, and
  ///   errors about the trailers; the send side has failed then.
  package mutating func sendEnd(trailers: HTTPHeaders?, into out: inout WriteBuffer) throws(HTTP1Error) {
    let hasTrailers = trailers.map { !$0.isEmpty } ?? false
    switch sendState {
    case .failed(let error):
      throw error
    case .idle:
      throw .local(.outOfTurn)
    case .done:
      if hasTrailers { throw failSending(.trailersNotPossible) }
    case .length(let announced, let sent):
      guard sent == announced else { throw failSending(.bodyTooShort(sent: sent, announced: announced)) }
      guard !hasTrailers else { throw failSending(.trailersNotPossible) }
      sendState = .done
    case .chunked:
      if let trailers {
        do throws(HTTP1Error) {
          try RequestSerializer.checkTrailers(trailers)
        } catch {
          throw failSending(error.reason)
        }
      }
      RequestSerializer.writeLastChunk(trailers: trailers, into: &out)
      sendState = .done
    }
  }

  private mutating func failSending(_ reason: HTTP1Error.Reason) -> HTTP1Error {
    let error = HTTP1Error.local(reason)
    sendState = .failed(error)
    return error
  }
}
