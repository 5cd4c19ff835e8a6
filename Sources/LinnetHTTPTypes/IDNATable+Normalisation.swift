extension IDNATable {
  /// Normalisation form C (UAX 15). The standard library has it only as an interface for its own use.
  func normalisedToC(_ scalars: [UInt32]) -> [UInt32] {
    // Below U+0300 nothing combines and everything is its own composite.
    guard scalars.contains(where: { $0 >= 0x300 }) else { return scalars }
    var decomposed: [UInt32] = []
    decomposed.reserveCapacity(scalars.count * 2)
    for scalar in scalars { appendDecomposition(of: scalar, to: &decomposed) }
    let classes = orderMarks(&decomposed)
    return composed(decomposed, classes)
  }

  private func appendDecomposition(of scalar: UInt32, to output: inout [UInt32]) {
    guard let (first, second) = decomposition(of: scalar) else {
      output.append(scalar)
      return
    }
    appendDecomposition(of: first, to: &output)
    if let second { appendDecomposition(of: second, to: &output) }
  }

  /// Sorts each run of combining marks by class, stably.
  ///
  /// - Returns: The combining classes of the sorted text.
  private func orderMarks(_ scalars: inout [UInt32]) -> [UInt8] {
    var classes = scalars.map { properties(of: $0).combiningClass }
    var start = 0
    while start < classes.count {
      let end = classes[start...].firstIndex(of: 0) ?? classes.count
      if end - start > 1 {
        let order = (start..<end).sorted { (classes[$0], $0) < (classes[$1], $1) }
        scalars.replaceSubrange(start..<end, with: order.map { scalars[$0] })
        classes.replaceSubrange(start..<end, with: order.map { classes[$0] })
      }
      start = end + 1
    }
    return classes
  }

  private func composed(_ scalars: [UInt32], _ classes: [UInt8]) -> [UInt32] {
    var output: [UInt32] = []
    output.reserveCapacity(scalars.count)
    var starter: Int?
    var lastClass: UInt8 = 0
    for (scalar, combiningClass) in zip(scalars, classes) {
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
