import LinnetCLI
import Testing

@Suite("Pace of transfers")
struct PaceTests {
  @Test("bytes pass at the rate, and not faster, whatever the sizes of the pieces", arguments: [1, 7, 1000, 4096])
  func rate(_ piece: Int) {
    var pace = TransferPace(bytesPerSecond: 1000)
    var now = Duration.seconds(100)
    var passed = 0
    while passed < 20_000 {
      now += pace.take(piece, at: now)
      passed += piece
    }
    let seconds = (now - .seconds(100) + TransferPace.burst).inSeconds
    #expect(abs(Double(passed) / seconds - 1000) < 5)
  }

  @Test("time in which nothing passed is not caught up with beyond a short burst")
  func noFlood() {
    var pace = TransferPace(bytesPerSecond: 1000)
    let waits = [pace.take(1000, at: .zero), pace.take(1000, at: .seconds(3600))]
    #expect(waits == [.seconds(1), .seconds(1) - TransferPace.burst])
  }

  @Test("late pieces pay only for what they are")
  func late() {
    var pace = TransferPace(bytesPerSecond: 1000)
    // The second comes just in time, the third half a burst late.
    let waits = [0, 100, 250].map { pace.take(100, at: .milliseconds($0)) }
    #expect(waits == [.milliseconds(100), .milliseconds(100), .milliseconds(50)])
  }

  @Test("extremes neither trap nor stop", arguments: [0, 1, UInt64.max])
  func extremes(_ rate: UInt64) {
    var pace = TransferPace(bytesPerSecond: rate)
    #expect(pace.pieceBytes >= 1)
    let waits = [0, 1, .max, -1].map { pace.take($0, at: .zero) }
    #expect(waits.allSatisfy { $0 >= .zero })
  }

  /// What the watch says at these seconds, when that many bytes have passed; it allows three seconds below 100 bytes a second.
  private func looks(_ looks: [(second: Double, total: UInt64)]) -> [Bool] {
    var watch = SpeedWatch(bytesPerSecond: 100, allowed: .seconds(3), start: .zero)
    return looks.map { watch.isTooSlow(total: $0.total, at: .seconds($0.second)) }
  }

  @Test("a transfer that stalls is too slow once the time is over, and not before")
  func stall() {
    #expect(SpeedWatch(bytesPerSecond: 1, allowed: .seconds(3), start: .seconds(10)).nextLook == .seconds(11))
    #expect(looks([(1, 0), (2, 0), (3, 0)]) == [false, false, true])
  }

  @Test("one second that is fast enough starts the time anew")
  func recovery() {
    #expect(looks([(1, 99), (2, 199), (3, 298), (4, 397), (5, 496)]) == [false, false, false, false, true])
  }

  @Test("exactly the limit is fast enough")
  func limit() {
    #expect(!looks((1...20).map { (Double($0), UInt64($0 * 100)) }).contains(true))
  }

  @Test("looks that come too early do not count, and late ones use the time that passed")
  func irregularLooks() {
    #expect(looks([(0.5, 0), (4, 400), (8, 500)]) == [false, false, true])
  }

  @Test("a limit of less than a second is kept")
  func short() {
    var watch = SpeedWatch(bytesPerSecond: 100, allowed: .milliseconds(200), start: .zero)
    let isTooSlow = watch.isTooSlow(total: 0, at: watch.nextLook)
    #expect(isTooSlow && watch.nextLook == .milliseconds(400))
  }
}
