import LinnetBytes
import Testing

@Suite("Lock")
struct LockTests {
  @Test("increments from many tasks are all kept")
  func exclusion() async {
    let counter = Lock(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<2_000 { counter.withLock { $0 += 1 } }
        }
      }
    }
    #expect(counter.withLock { $0 } == 16_000)
  }

  @Test("an error leaves the lock free and the change made")
  func throwing() {
    struct Refused: Error, Equatable {}
    let value = Lock([1])
    #expect(throws: Refused()) {
      try value.withLock { value throws(Refused) in
        value.append(2)
        throw Refused()
      }
    }
    #expect(value.withLock { $0 } == [1, 2])
  }

  @Test("it guards noncopyable values, which are destroyed with it")
  func noncopyable() {
    let destroyed = Lock(0)
    struct Token: ~Copyable, Sendable {
      let destroyed: Lock<Int>
      var uses = 0
      deinit { destroyed.withLock { $0 += 1 } }
    }
    do {
      let lock = Lock(Token(destroyed: destroyed))
      lock.withLock { $0.uses += 1 }
      #expect(lock.withLock { $0.uses } == 1)
    }
    #expect(destroyed.withLock { $0 } == 1)
  }
}
