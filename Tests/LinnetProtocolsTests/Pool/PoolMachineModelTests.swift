import Testing

@Suite struct PoolMachineModelTests {
  /// 20,000 scripts in all.
  @Test(
    "no waiter is lost or served twice, no stream leased twice, no closed connection leased, limits and order hold",
    arguments: 0..<20 as Range<UInt64>)
  func randomScripts(block: UInt64) {
    for seed in (block * 1_000)..<((block + 1) * 1_000) {
      do throws(ScriptFailure) {
        var script = PoolScript(seed: seed)
        try script.run(events: 20 + Int(seed % 60))
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }
}
