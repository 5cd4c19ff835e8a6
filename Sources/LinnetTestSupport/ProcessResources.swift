internal import Glibc

/// The open descriptors of this process at one moment, for tests that look for leaks.
///
/// ```swift
/// let before = try await DescriptorCount.baseline()
/// // … use a client and drop it …
/// let after = try await DescriptorCount.returned(to: before)
/// ```
public struct DescriptorCount: Sendable, Hashable, CustomStringConvertible {
  /// What each descriptor refers to, such as `socket:[1234]`, from `/proc/self/fd`.
  public let targets: [Int32: String]

  /// The number of open descriptors.
  public var count: Int { targets.count }

  /// No descriptors: a baseline that shows all of them as new.
  public static let none = DescriptorCount(targets: [:])

  /// The descriptors that are open now.
  public static func now() -> DescriptorCount {
    var targets: [Int32: String] = [:]
    for name in TemporaryDirectory.names(in: "/proc/self/fd") {
      // The descriptor that listed the directory is closed again, so its link cannot be read any more.
      guard let number = Int32(name), let target = readLink("/proc/self/fd/\(name)") else { continue }
      targets[number] = target
    }
    return DescriptorCount(targets: targets)
  }

  /// The descriptors that are open now, for a later comparison.
  ///
  /// The runtime opens descriptors of its own when a task sleeps for the first time, and keeps them. Waiting functions
  /// do so, hence this lets a task sleep before it counts.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  public static func baseline() async throws -> DescriptorCount {
    try await Task.sleep(for: .milliseconds(1))
    return now()
  }

  /// The descriptors that were not open in `earlier`, or referred to something else.
  public func added(since earlier: DescriptorCount) -> [Int32: String] {
    targets.filter { earlier.targets[$0.key] != $0.value }
  }

  /// Waits until no more descriptors are open than in `baseline`.
  ///
  /// The kernel tells nobody that a descriptor was closed, so this looks every few milliseconds.
  ///
  /// - Throws: ``WaitTimeout`` after `limit`, listing what is open in addition.
  @discardableResult
  public static func returned(
    to baseline: DescriptorCount, within limit: Duration = .seconds(10)
  ) async throws -> DescriptorCount {
    try await Sampling.first(
      "at most \(baseline.count) open descriptors", within: limit, sample: now,
      describe: { "\($0.count); new: \($0.added(since: baseline))" },
      until: { $0.count <= baseline.count })
  }

  /// The count and every target.
  public var description: String {
    let list = targets.sorted { $0.key < $1.key }.map { "\($0.key) → \($0.value)" }
    return "\(count) descriptors: \(list.joined(separator: ", "))"
  }

  private static func readLink(_ path: String) -> String? {
    var room = [UInt8](repeating: 0, count: 4096)
    let length = room.withUnsafeMutableBytes { buffer in
      buffer.withMemoryRebound(to: CChar.self) { names in
        names.baseAddress.map { readlink(path, $0, names.count) } ?? -1
      }
    }
    return length < 0 ? nil : String(decoding: room[..<length], as: UTF8.self)
  }
}

/// The threads of this process at one moment.
public struct ThreadCount: Sendable, Hashable, CustomStringConvertible {
  /// The name of each thread by its number, from `/proc/self/task`.
  public let names: [Int32: String]

  /// The number of threads.
  public var count: Int { names.count }

  /// The threads that run now.
  public static func now() -> ThreadCount {
    var names: [Int32: String] = [:]
    for entry in TemporaryDirectory.names(in: "/proc/self/task") {
      guard let number = Int32(entry), let bytes = TemporaryDirectory.contents(of: "/proc/self/task/\(entry)/comm")
      else { continue }
      names[number] = String(decoding: bytes.filter { $0 != 0x0A }, as: UTF8.self)
    }
    return ThreadCount(names: names)
  }

  /// Waits until no more than `limit` threads run. It looks every few milliseconds.
  ///
  /// - Throws: ``WaitTimeout`` after `duration`, listing the threads.
  @discardableResult
  public static func fell(to limit: Int, within duration: Duration = .seconds(10)) async throws -> ThreadCount {
    try await Sampling.first(
      "at most \(limit) threads", within: duration, sample: now, describe: \.description, until: { $0.count <= limit })
  }

  /// The count and every name.
  public var description: String { "\(count) threads: \(names.values.sorted().joined(separator: ", "))" }
}

/// The memory of this process.
public enum ResidentMemory {
  /// Whether the figures say something about the program. Not under AddressSanitizer, which keeps freed memory for a
  /// while; the variable `ASAN_OPTIONS` tells that it is at work, and the figures are 0 then.
  public static var isMeaningful: Bool { getenv("ASAN_OPTIONS") == nil }

  #if LINNET_TSAN
    // Measured with the toolchain's ThreadSanitizer: 200 MiB that a program writes take 600 MiB, two thirds of it shadow.
    private static let residentPerByte = 3
  #else
    private static let residentPerByte = 1
  #endif

  /// The resident set in bytes, from `/proc/self/statm`, without a sanitizer's shadow; 0 when it cannot be read.
  public static var bytes: Int {
    guard isMeaningful, let statm = TemporaryDirectory.contents(of: "/proc/self/statm") else { return 0 }
    let fields = String(decoding: statm, as: UTF8.self).split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE))) / residentPerByte : 0
  }

  /// The largest resident set so far in bytes, from `/proc/self/status`, without a sanitizer's shadow; 0 when it cannot be
  /// read.
  public static var peakBytes: Int {
    guard isMeaningful, let status = TemporaryDirectory.contents(of: "/proc/self/status") else { return 0 }
    for line in String(decoding: status, as: UTF8.self).split(separator: "\n") where line.hasPrefix("VmHWM:") {
      return (Int(line.filter(\.isNumber)) ?? 0) * 1024 / residentPerByte
    }
    return 0
  }
}

/// Looks at something again and again, for states of the system that nothing announces.
enum Sampling {
  static func first<Sample: Sendable>(
    _ expectation: String, within limit: Duration, sample: () -> Sample, describe: (Sample) -> String,
    until condition: (Sample) -> Bool
  ) async throws -> Sample {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while true {
      let present = sample()
      if condition(present) { return present }
      guard ContinuousClock.now < deadline else {
        throw WaitTimeout(expectation: expectation, limit: limit, observed: describe(present))
      }
      try await Task.sleep(for: .milliseconds(2))
    }
  }
}
