import Testing

@Suite struct PoolMachineModelTests {
  /// 20,000 scripts in all.
  @Test(
    "no waiter is lost or served twice, no stream leased twice, no closed connection leased, limits and order hold",
    arguments: 0..<20 as Range<UInt64>)
  func randomScripts(block: UInt64) {
    for seed in (block * 1_000)..<((block + 1) * 1_000) {
      guard failure(seed: seed, isLogged: false) != nil else { continue }
      Issue.record("seed \(seed): \(failure(seed: seed, isLogged: true)?.description ?? "")")
      return
    }
  }

  private func failure(seed: UInt64, isLogged: Bool) -> ScriptFailure? {
    do throws(ScriptFailure) {
      var script = PoolScript(seed: seed, isLogged: isLogged)
      try script.run(events: 20 + Int(seed % 60))
      return nil
    } catch {
      return error
    }
  }
}
