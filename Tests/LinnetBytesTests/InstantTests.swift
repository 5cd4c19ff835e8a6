import LinnetBytes
import Testing

@Suite("Instant")
struct InstantTests {
  @Test(
    "durations become whole nanoseconds, clamped",
    arguments: [
      (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(1), 1_000_000), (.seconds(-1), 0), (.nanoseconds(-1), 0),
      (.seconds(Int64.max), .max), (.seconds(18_446_744_073), 18_446_744_073_000_000_000),
      (.seconds(18_446_744_074), .max), (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 0),
    ] as [(Duration, UInt64)])
  func nanoseconds(duration: Duration, expected: UInt64) {
    #expect(duration.saturatingNanoseconds == expected)
  }

  @Test("adding saturates at the distant future and never goes back")
  func adding() {
    let now = Instant(nanoseconds: 1_000)
    #expect(now.advanced(by: .nanoseconds(5)) == Instant(nanoseconds: 1_005))
    #expect(now.advanced(by: .seconds(-5)) == now)
    #expect(now.advanced(by: .seconds(Int64.max)) == .distantFuture)
    #expect(Instant.distantFuture.advanced(by: .nanoseconds(1)) == .distantFuture)
  }

  @Test("the time to an earlier instant is zero")
  func distance() {
    let early = Instant(nanoseconds: 10)
    let late = Instant(nanoseconds: 30)
    #expect(early < late && early.duration(to: late) == .nanoseconds(20))
    #expect(late.duration(to: early) == .zero && early.duration(to: early) == .zero)
    #expect(Instant(nanoseconds: 0).duration(to: .distantFuture) == .nanoseconds(Int64.max))
  }

  @Test("seconds as a number")
  func seconds() {
    #expect(Duration.milliseconds(1_500).seconds == 1.5)
    #expect(Duration.milliseconds(-250).seconds == -0.25)
  }
}
