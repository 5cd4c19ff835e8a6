/// Who waits for which shared exchange.
///
/// For `CoalescingStage` only, which runs the exchanges and resumes the waiters.
///
/// Theory of operation
///
/// A *flight* is one exchange; its *passengers* are the callers that asked for the same thing while it was under way. The
/// first caller with a key starts a flight, later ones join it. A passenger that leaves disturbs nobody, but when the
/// last one leaves the flight is called off, and forgotten at once: whoever comes afterwards starts anew and does not
/// join an exchange that is being cancelled. A flight that landed is forgotten too; nothing is kept for later.
package struct CoalescingTable<Key: Hashable & Sendable>: Sendable {
  package struct Flight: Sendable, Hashable {
    let number: UInt64
  }

  package struct Passenger: Sendable, Hashable {
    let number: UInt64
    package let flight: Flight
  }

  /// What the caller is.
  package struct Boarding: Sendable, Hashable {
    package let passenger: Passenger
    /// The caller must start the exchange.
    package let isFirst: Bool
  }

  private struct Entry: Sendable {
    let key: Key
    var passengers: Set<Passenger>
  }

  private var flights: [Flight: Entry] = [:]
  private var flightOfKey: [Key: Flight] = [:]
  private var nextNumber: UInt64 = 0

  package init() {}

  package var flightCount: Int { flights.count }

  /// A caller asks for `key`.
  package mutating func callerArrived(for key: Key) -> Boarding {
    let isFirst = flightOfKey[key] == nil
    let flight = flightOfKey[key] ?? Flight(number: takeNumber())
    let passenger = Passenger(number: takeNumber(), flight: flight)
    flightOfKey[key] = flight
    flights[flight, default: Entry(key: key, passengers: [])].passengers.insert(passenger)
    return Boarding(passenger: passenger, isFirst: isFirst)
  }

  /// A passenger gave up.
  ///
  /// - Returns: Whether the exchange must be cancelled, because nobody waits for it any more. False also when the
  ///   passenger is gone already.
  package mutating func passengerLeft(_ passenger: Passenger) -> Bool {
    guard flights[passenger.flight]?.passengers.remove(passenger) != nil else { return false }
    guard flights[passenger.flight]?.passengers.isEmpty == true else { return false }
    forget(passenger.flight)
    return true
  }

  /// The exchange ended, well or not.
  ///
  /// - Returns: Who waits for it. None when it was called off.
  package mutating func flightLanded(_ flight: Flight) -> Set<Passenger> {
    guard let entry = flights[flight] else { return [] }
    forget(flight)
    return entry.passengers
  }

  private mutating func forget(_ flight: Flight) {
    guard let entry = flights.removeValue(forKey: flight) else { return }
    if flightOfKey[entry.key] == flight { flightOfKey[entry.key] = nil }
  }

  private mutating func takeNumber() -> UInt64 {
    nextNumber &+= 1
    return nextNumber
  }
}
