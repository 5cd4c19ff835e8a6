internal import LinnetBytes
internal import LinnetHTTP2

/// One request of an HTTP/2 connection and its answer. Used by the thread of its connection only.
final class HTTP2ServerStream {
  /// What keeps a stream from going on.
  enum Hold {
    case gate(Gate)
    case until(Instant)
    case forever
  }

  /// How the body is read.
  enum Reading {
    case atOnce
    case after(Gate)
    case slowly(bytes: Int, every: Duration, next: Instant)
    /// Not at all: the answer came before it.
    case never
  }

  /// When `100 Continue` is sent.
  enum Continue {
    case atOnce
    case after(Gate)
  }

  let id: HTTP2StreamID
  var request: RecordedRequest
  /// Where the request is recorded; nil when it is not.
  let place: Int?
  var recorder: BodyRecorder
  var reading = Reading.atOnce
  /// The `100 Continue` that is owed.
  var owedContinue: Continue?
  /// Bytes of the body that came and were not read.
  var unread = 0
  /// The client has sent everything.
  var hasEnded = false

  var answer: HTTP2Answer?
  var hold: Hold?
  /// The pass of the connection's loop in which something was submitted last.
  var lastSubmission = 0

  init(_ id: HTTP2StreamID, request: RecordedRequest, place: Int?, keptBodyBytes: Int) {
    self.id = id
    self.request = request
    self.place = place
    recorder = BodyRecorder(limit: keptBodyBytes)
  }

  /// The gates that it waits for; one that is open was opened a moment ago.
  var gates: [Gate] {
    var gates: [Gate] = []
    if case .gate(let gate) = hold { gates.append(gate) }
    if case .after(let gate) = reading, unread > 0 || hasEnded { gates.append(gate) }
    if case .after(let gate) = owedContinue { gates.append(gate) }
    return gates
  }

  /// When it wants to be looked at again.
  var deadline: Instant {
    var deadline = Instant.distantFuture
    if case .until(let instant) = hold { deadline = instant }
    if case .slowly(_, _, let next) = reading, unread > 0 { deadline = min(deadline, next) }
    return deadline
  }

  /// Whether what held it is over.
  func isReleased(at now: Instant) -> Bool {
    switch hold {
    case nil: return true
    case .gate(let gate): if !gate.isOpen { return false }
    case .until(let instant): if now < instant { return false }
    case .forever: return false
    }
    hold = nil
    return true
  }

  /// Takes the bytes of the body that may be read now.
  func read(at now: Instant) -> Int {
    switch reading {
    case .atOnce: break
    case .after(let gate):
      if !gate.isOpen { return 0 }
      reading = .atOnce
    case .slowly(let bytes, let every, let next):
      guard now >= next, unread > 0 else { return 0 }
      reading = .slowly(bytes: bytes, every: every, next: now.advanced(by: every))
      let count = min(unread, bytes)
      unread -= count
      return count
    case .never: return 0
    }
    defer { unread = 0 }
    return unread
  }
}
