import Linnet
import LinnetBytes
import Testing

@Suite("Request registry")
struct RequestRegistryTests {
  private let cancelled = Lock<[String]>([])

  private func note(_ name: String) -> @Sendable () -> Void {
    { [cancelled] in cancelled.withLock { $0.append(name) } }
  }

  private var seen: [String] { cancelled.withLock { $0.sorted() } }

  @Test("Cancelling all reaches every call, also one that attaches its task later, and none that enters later")
  func generations() throws {
    let registry = RequestRegistry()
    let early = try #require(registry.enter(tag: nil))
    registry.attach(early, cancel: note("early"))
    let slow = try #require(registry.enter(tag: nil))
    registry.cancelAll()
    let late = try #require(registry.enter(tag: nil))
    registry.attach(late, cancel: note("late"))
    #expect(seen == ["early"])
    registry.attach(slow, cancel: note("slow"))
    #expect(seen == ["early", "slow"])
  }

  @Test("Cancelling a tag leaves other tags and calls without one alone, also those that attach later")
  func tags() throws {
    let registry = RequestRegistry()
    let feed = try #require(registry.enter(tag: "feed"))
    let other = try #require(registry.enter(tag: "other"))
    let untagged = try #require(registry.enter(tag: nil))
    registry.cancelAll(matching: "feed")
    registry.attach(feed, cancel: note("feed"))
    registry.attach(other, cancel: note("other"))
    registry.attach(untagged, cancel: note("untagged"))
    #expect(seen == ["feed"])
  }

  @Test("A call that left is not cancelled, and nothing of it is kept")
  func leaving() throws {
    let registry = RequestRegistry()
    let ticket = try #require(registry.enter(tag: "a"))
    registry.attach(ticket, cancel: note("a"))
    registry.leave(ticket)
    registry.attach(ticket, cancel: note("again"))
    registry.cancelAll()
    #expect(seen == [])
    #expect(registry.count == 0)
  }

  @Test("After the shut-down nobody enters, and those who entered are cancelled")
  func shutDown() throws {
    let registry = RequestRegistry()
    let ticket = try #require(registry.enter(tag: nil))
    registry.shutDown()
    registry.attach(ticket, cancel: note("a"))
    #expect(seen == ["a"])
    #expect(registry.enter(tag: nil) == nil)
  }
}
