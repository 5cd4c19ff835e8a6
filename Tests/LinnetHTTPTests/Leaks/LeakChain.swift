import LinnetHTTP
import LinnetTestRandom

/// A chain of redirections as the servers play it, and the request that starts it.
struct LeakChain: Sendable {
  /// What a server asks for before it goes on.
  enum Challenge: Sendable {
    case none, basic, digest, proxy
  }

  struct Step: Sendable {
    var origin: LeakOrigin
    var challenge = Challenge.none
    /// The status that leads to the next step.
    var status = 302
    /// How the next step is named.
    var form = Form.absolute
  }

  enum Form: CaseIterable, Sendable {
    case absolute, withUserinfo, networkPath, relative
  }

  let number: Int
  let client: Int
  var steps: [Step]
  /// The first step at another origin than the one before.
  let left: Int

  static func random(number: Int, client: Int, origins: [LeakOrigin], _ random: inout SeededGenerator) -> LeakChain {
    var steps = [Step(origin: random.pick(origins))]
    for _ in 0..<(1 + random.next() % 6) {
      // Back to the start more often than by chance: that is where what was dropped could come back.
      let origin =
        random.chance(20) ? steps[0].origin : random.chance(20) ? steps[steps.count - 1].origin : random.pick(origins)
      steps.append(Step(origin: origin))
    }
    for index in steps.indices {
      steps[index].status = random.pick([301, 302, 303, 307, 308])
      steps[index].form = random.pick(Form.allCases)
      if index > 0, random.chance(15) { steps[index].challenge = random.pick([.basic, .digest, .proxy]) }
    }
    let left = steps.indices.first { $0 > 0 && steps[$0].origin != steps[$0 - 1].origin }
    return LeakChain(number: number, client: client, steps: steps, left: left ?? steps.count)
  }

  func path(_ step: Int) -> String { "/leak/\(number)/\(step)" }

  /// The `Location` that leads from one step to the next.
  func location(after step: Int) -> String? {
    guard steps.indices.contains(step + 1) else { return nil }
    let (here, there) = (steps[step].origin, steps[step + 1].origin)
    let path = path(step + 1)
    switch steps[step].form {
    case .relative where here == there: return path
    case .networkPath where here.isSecure == there.isSecure: return "//\(there.authority)\(path)"
    case .withUserinfo where here != there:
      return "\(there.isSecure ? "https" : "http")://evil:evil@\(there.authority)\(path)"
    default: return "\(there)\(path)"
    }
  }

  func mayBeSeenBeforeLeaving(_ sighting: LeakSighting) -> Bool {
    sighting.chain == number && sighting.step < left
  }
}
