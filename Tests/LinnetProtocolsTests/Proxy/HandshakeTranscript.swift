import LinnetBytes
import LinnetHTTPTypes
import LinnetProtocols

/// What a machine did with the answers of a proxy, in a form that does not depend on how they were cut.
struct HandshakeTranscript: Equatable {
  enum Outcome: Equatable {
    case needMoreData
    case established
    case refused(ProxyRefusal)
    case failed(ProxyHandshakeError)
  }

  var outcome = Outcome.needMoreData
  var sent: [UInt8] = []
  var leftover: [UInt8] = []
  var interimCodes: [Int] = []

  /// Feeds `answer` to a machine. All of it is there from the start, as if the proxy knew the questions.
  init<Machine: ProxyHandshake & ~Copyable>(
    _ machine: inout Machine, _ answer: [UInt8], _ cut: Cut = .whole, ends: Bool = false
  ) {
    var out = WriteBuffer()
    var isOver = pull(&machine, &out)
    for piece in cut.pieces(answer) {
      machine.receive(Array(piece).span)
      if !isOver { isOver = pull(&machine, &out) }
    }
    if ends {
      machine.receiveEOF()
      if !isOver { _ = pull(&machine, &out) }
    }
    leftover = machine.takeLeftover().array
    sent = out.takeAll()
  }

  private mutating func pull<Machine: ProxyHandshake & ~Copyable>(
    _ machine: inout Machine, _ out: inout WriteBuffer
  ) -> Bool {
    // A machine that reports for ever is a failed test, not a hung one.
    for _ in 0..<10_000 {
      do throws(ProxyHandshakeError) {
        switch try machine.nextEvent(into: &out) {
        case .needMoreData: return false
        case .interim(let head): interimCodes.append(head.status.code)
        case .established:
          outcome = .established
          return true
        case .refused(let refusal):
          outcome = .refused(refusal)
          return true
        }
      } catch {
        outcome = .failed(error)
        return true
      }
    }
    return true
  }
}
