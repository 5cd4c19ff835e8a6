/// Writes what happens on one connection into the snapshot that tests look at.
struct HTTP2Recorder: Sendable {
  let number: Int
  let options: HTTP2FrameServer.Options
  let snapshot: Observed<HTTP2ServerSnapshot>

  /// Changes the record of the connection; nothing beyond the limit of records.
  func update(_ change: (inout HTTP2ConnectionRecord) -> Void) {
    snapshot.mutate { snapshot in
      guard number <= options.socket.recordLimit else { return }
      // Threads of connections may begin in another order than the connections were accepted in.
      while snapshot.connections.count < number {
        snapshot.connections.append(HTTP2ConnectionRecord(number: snapshot.connections.count + 1))
      }
      change(&snapshot.connections[number - 1])
    }
  }

  func received(_ frame: HTTP2Frame) {
    update { record in
      record.frameCount += 1
      if record.frames.count < options.frameRecordLimit { record.frames.append(RecordedFrame(frame)) }
      switch frame.kind {
      case .settings where frame.isAck: record.acknowledgedSettings += 1
      case .settings: for setting in frame.settings { record.settings[setting.id] = setting.value }
      case .ping where frame.isAck: record.answeredPings += 1
      case .data: record.dataBytes &+= UInt64(frame.content?.count ?? 0)
      case .goAway:
        guard let last = frame.lastStream, let code = frame.errorCode, record.goAways.count < 100 else { return }
        record.goAways.append(RecordedGoAway(lastStream: last, code: code, debug: frame.debugText))
      case .rstStream:
        guard let code = frame.errorCode, record.resets.count < 10_000 else { return }
        record.resets.append(RecordedReset(stream: frame.stream, code: code))
      default: break
      }
    }
  }

  func violation(_ text: String) {
    update { record in
      if record.violations.count < 100 { record.violations.append(text) }
    }
  }

  /// Records a head.
  ///
  /// - Returns: The place of the record, or nil when there are too many.
  func began(_ request: HTTP2FrameRequest) -> Int? {
    var place: Int?
    update { record in
      guard record.requests.count < options.socket.recordLimit else { return }
      record.requests.append(request)
      place = record.requests.count - 1
    }
    return place
  }

  /// Replaces the record of a request.
  func changed(_ request: HTTP2FrameRequest, place: Int?, completed: Bool = false) {
    update { record in
      if completed { record.completeRequests += 1 }
      if let place, place < record.requests.count { record.requests[place] = request }
    }
  }
}
