import LinnetBytes
import LinnetHTTPTypes
import LinnetProtocols
import LinnetTestRandom

/// What a machine reported for one response stream, in a form that does not depend on how the input was cut: adjacent
/// body runs are joined and fields are text.
struct HTTP1Transcript: Equatable, CustomStringConvertible {
  enum Item: Equatable {
    case interim(Int, [String])
    case head(Int, reason: String, [String], ResponseBodyLength)
    case body([UInt8])
    case end([String]?)
    case paused
    case closed
    case needMoreData
    case failed(HTTP1Error)
  }

  var items: [Item] = []
  var canReuse = false
  var leftover: [UInt8] = []

  /// Everything in the body, as text.
  var bodyText: String {
    var bytes: [UInt8] = []
    for case .body(let run) in items { bytes += run }
    return String(decoding: bytes, as: UTF8.self)
  }

  var status: Int? {
    for case .head(let code, _, _, _) in items { return code }
    return nil
  }

  var fields: [String]? {
    for case .head(_, _, let fields, _) in items { return fields }
    return nil
  }

  var reason: HTTP1Error.Reason? {
    if case .failed(let error)? = items.last { return error.reason }
    return nil
  }

  var isComplete: Bool {
    items.contains {
      if case .end = $0 { return true }
      return false
    }
  }

  /// How many events that end a stream there are.
  var verdictCount: Int {
    items.count {
      switch $0 {
      case .failed, .end: true
      default: false
      }
    }
  }

  mutating func append(_ item: Item) {
    if case .body(let more) = item, case .body(let run)? = items.last {
      items[items.count - 1] = .body(run + more)
    } else {
      items.append(item)
    }
  }

  var description: String { items.map { "\($0)" }.joined(separator: "\n") + "\ncanReuse: \(canReuse)" }
}

/// How a test cuts a stream into reads.
enum Cut: CustomStringConvertible {
  case whole
  case every(Int)
  case random(UInt64)

  static var standard: [Cut] { [.whole, .every(1), .every(7), .random(1), .random(2), .random(3)] }

  func pieces(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var generator = SeededGenerator(seed: 0)
    if case .random(let seed) = self { generator = SeededGenerator(seed: seed) }
    var pieces: [ArraySlice<UInt8>] = []
    var start = 0
    while start < bytes.count {
      let size =
        switch self {
        case .whole: bytes.count
        case .every(let size): size
        case .random: Int.random(in: 1...24, using: &generator)
        }
      let end = min(bytes.count, start + size)
      pieces.append(bytes[start..<end])
      start = end
    }
    return pieces
  }

  var description: String {
    switch self {
    case .whole: "whole"
    case .every(let size): "every \(size)"
    case .random(let seed): "random \(seed)"
    }
  }
}

/// One exchange of a test.
struct Exchange {
  var method = HTTPMethod.get
  var headers: HTTPHeaders = ["Host": "example.com"]
  var limits = HTTP1Limits()
  var endsAfterInput = false

  /// Feeds `response` in pieces, and reports what came of it. Only the first response is read.
  func transcript(_ response: [UInt8], _ cut: Cut) -> HTTP1Transcript {
    var machine = HTTP1ClientMachine(limits: limits)
    var transcript = HTTP1Transcript()
    var out = WriteBuffer()
    do {
      try machine.sendHead(request(method, headers: headers), body: .none, into: &out)
    } catch {
      transcript.append(.failed(error))
      return transcript
    }
    var isStopped = false
    for piece in cut.pieces(response) where !isStopped {
      machine.receive(Array(piece).span)
      isStopped = pull(&machine, &transcript)
    }
    if endsAfterInput && !isStopped {
      machine.receiveEOF()
      isStopped = pull(&machine, &transcript)
    }
    if !isStopped { transcript.append(.needMoreData) }
    transcript.canReuse = machine.canReuse
    transcript.leftover = machine.takeLeftover().array
    return transcript
  }

  /// - Returns: Whether the stream is over.
  private func pull(_ machine: inout HTTP1ClientMachine, _ transcript: inout HTTP1Transcript) -> Bool {
    // A machine that reports for ever is a failed test, not a hung one.
    for _ in 0..<100_000 {
      do {
        switch try machine.nextEvent() {
        case .needMoreData: return false
        case .interim(let head): transcript.append(.interim(head.status.code, lines(head.headers)))
        case .head(let head, let body):
          transcript.append(.head(head.status.code, reason: head.reason, lines(head.headers), body))
        case .body(let chunk): transcript.append(.body(chunk.array))
        case .end(let trailers): transcript.append(.end(trailers.map(lines)))
        // What follows belongs to a tunnel or to nobody; later bytes change nothing here.
        case .paused: return false
        case .closed:
          transcript.append(.closed)
          return true
        }
      } catch {
        transcript.append(.failed(error))
        return true
      }
    }
    return true
  }
}

func request(_ method: HTTPMethod = .get, _ target: String = "/", headers: HTTPHeaders = ["Host": "example.com"])
  -> RequestHead
{
  RequestHead(method: method, target: RequestTarget(origin: target), headers: headers)
}

func lines(_ headers: HTTPHeaders) -> [String] { headers.map { "\($0.name): \($0.value)" } }

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

extension HTTPHeaders {
  /// For tests that need fields which the public doors refuse.
  init(unchecked fields: [(String, String)]) {
    self.init()
    for (name, value) in fields { appendUnchecked(name: Array(name.utf8).span, value: Array(value.utf8).span) }
  }
}
