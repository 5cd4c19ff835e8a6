extension IDNATable {
  /// Normalisation form C (UAX 15) of a text that was mapped by ``mapping(of:)``; other texts may keep characters that
  /// NFC would replace, which are exactly those that are not valid in a domain name.
  func normalisedToC(_ scalars: [UInt32]) -> [UInt32] {
    // Below U+0300 nothing combines and everything is its own composite.
    guard scalars.contains(where: { $0 >= 0x300 }) else { return scalars }
    var decomposed: [UInt32] = []
    decomposed.reserveCapacity(scalars.count * 2)
    for scalar in scalars { appendDecomposition(of: scalar, to: &decomposed) }
    return composed(decomposed)
  }

  /// Appends the full decomposition and keeps combining marks in canonical order.
  private func appendDecomposition(of scalar: UInt32, to output: inout [UInt32]) {
    if let (first, second) = decomposition(of: scalar) {
      appendDecomposition(of: first, to: &output)
      if let second { appendDecomposition(of: second, to: &output) }
      return
    }
    let combiningClass = properties(of: scalar).combiningClass
    var index = output.count
    if combiningClass != 0 {
      while index > 0, properties(of: output[index - 1]).combiningClass > combiningClass { index -= 1 }
    }
    output.insert(scalar, at: index)
  }

  private func composed(_ scalars: [UInt32]) -> [UInt32] {
    var output: [UInt32] = []
    output.reserveCapacity(scalars.count)
    var starter: Int?
    var lastClass: UInt8 = 0
    for scalar in scalars {
      let combiningClass = properties(of: scalar).combiningClass
      if let position = starter {
        // Blocked when something of the same or a higher class, or another starter, stands between.
        let isAdjacent = position == output.count - 1
        if isAdjacent || lastClass < combiningClass, let composite = composition(output[position], scalar) {
          output[position] = composite
          continue
        }
      }
      if combiningClass == 0 { starter = output.count }
      lastClass = combiningClass
      output.append(scalar)
    }
    return output
  }
}
