import LinnetHTTPTypes
import LinnetPolicies
import Testing

/// Sun, 06 Nov 1994 08:49:37 GMT.
private let epoch: Int64 = 784_111_777

private func date(_ offset: Int64) -> String { HTTPDate(secondsSince1970: epoch + offset).description }
private func time(_ offset: Int64) -> WallTime { WallTime(HTTPDate(secondsSince1970: epoch + offset)) }

@Suite struct FreshnessTests {
  @Test(
    "max-age beats Expires, Expires beats the heuristic, and what is invalid is stale",
    arguments: [
      (["Cache-Control": "max-age=60"], Freshness.Lifetime.explicit(.seconds(60))),
      (["Cache-Control": "max-age=60", "Expires": date(10)], .explicit(.seconds(60))),
      (["Cache-Control": "max-age=x", "Expires": date(10)], .explicit(.zero)),
      (["Cache-Control": "max-age=1, max-age=1"], .explicit(.zero)),
      (["Cache-Control": "s-maxage=60"], .unknown), (["Cache-Control": "no-cache"], .unknown),
      (["Expires": date(100)], .explicit(.seconds(100))),
      (["Expires": date(100), "Date": date(-20)], .explicit(.seconds(120))),
      (["Expires": date(100), "Date": "yesterday"], .explicit(.seconds(100))),
      (["Expires": date(-5)], .explicit(.zero)), (["Expires": "0"], .explicit(.zero)),
      (["Expires": "never", "Last-Modified": date(-1000)], .explicit(.zero)),
      (["Expires": "Sun, 06 Nov 2044 08:49:37 PST"], .explicit(.zero)),
      (["Last-Modified": date(-1000)], .heuristic(.seconds(100))),
      (["Last-Modified": date(-1000), "Date": date(-500)], .heuristic(.seconds(50))),
      (["Last-Modified": date(-864_000_000)], .heuristic(.seconds(86_400))),
      (["Last-Modified": date(0)], .heuristic(.zero)), (["Last-Modified": date(5)], .unknown),
      (["Last-Modified": "Sun, 06 Nov 1990 08:49:37 PST"], .unknown), (["Last-Modified": "long ago"], .unknown),
      (["Last-Modified": "Sunday, 06-Nov-94 08:32:57 GMT"], .heuristic(.seconds(100))),
      (["Last-Modified": "Sun Nov  6 08:32:57 1994"], .heuristic(.seconds(100))), ([:], .unknown),
    ] as [([String: String], Freshness.Lifetime)])
  func lifetime(fields: [String: String], expected: Freshness.Lifetime) {
    #expect(Freshness.lifetime(of: HTTPHeaders(fields), receivedAt: time(0)) == expected)
  }

  @Test("two Expires fields with different dates are invalid, with the same one they are not")
  func repeatedExpires() {
    var headers = HTTPHeaders([HTTPHeader("Expires", date(10)), HTTPHeader("Expires", date(10))])
    #expect(Freshness.lifetime(of: headers, receivedAt: time(0)) == .explicit(.seconds(10)))
    headers.add("Expires", date(20))
    #expect(Freshness.lifetime(of: headers, receivedAt: time(0)) == .explicit(.zero))
  }

  @Test(
    "the age at reception is the larger of what Date tells, and Age with the time of the exchange",
    arguments: [
      ([:], 0, 0), ([:], 3, 3), (["Date": date(-30)], 0, 30), (["Date": date(-30)], 5, 30), (["Date": date(30)], 0, 0),
      (["Age": "10"], 0, 10), (["Age": "10"], 5, 15), (["Age": "10", "Date": date(-60)], 5, 60),
      (["Age": "10", "Date": date(-3)], 5, 15), (["Age": "x"], 0, 0), (["Age": "-4"], 0, 0), (["Age": "7, 9"], 0, 7),
      (["Age": "x, 9"], 0, 0), (["Age": "99999999999999"], 0, 2_147_483_648), (["Date": "today"], 2, 2),
    ] as [([String: String], Int64, Int64)])
  func initialAge(fields: [String: String], delay: Int64, expected: Int64) {
    let age = Freshness.initialAge(of: HTTPHeaders(fields), requestTime: time(-delay), responseTime: time(0))
    #expect(age == .seconds(expected))
  }

  @Test("a clock that was put back during the exchange makes no response younger")
  func clockPutBack() {
    let age = Freshness.initialAge(of: ["Age": "10"], requestTime: time(100), responseTime: time(0))
    #expect(age == .seconds(10))
  }
}

@Suite struct WallTimeTests {
  @Test("a time lies in the second that began before it, also before 1970")
  func seconds() {
    #expect(WallTime(sinceEpoch: .milliseconds(1500)).date.secondsSince1970 == 1)
    #expect(WallTime(sinceEpoch: .milliseconds(-1500)).date.secondsSince1970 == -2)
    #expect(WallTime(sinceEpoch: .seconds(-2)).date.secondsSince1970 == -2)
  }

  @Test("times beyond the years of HTTP dates are clamped")
  func clamping() {
    #expect(WallTime(sinceEpoch: .seconds(Int64.max)) == WallTime(.latest))
    #expect(WallTime(sinceEpoch: .seconds(Int64.min)) == WallTime(.earliest))
    #expect(WallTime(.latest).since(WallTime(.earliest)) > .zero)
  }
}
