import Glibc

/// Clock, resource usage and latencies of one measured run.
struct Measurement {
  private let start: Double
  private let usage: Usage
  private(set) var latencies: [UInt32] = []
  private(set) var bytes = 0
  private(set) var errors = 0
  private var end: (seconds: Double, spent: Usage)?

  init(expected: Int) {
    latencies.reserveCapacity(expected)
    usage = Usage()
    start = Self.now()
  }

  mutating func record(seconds: Double, bytes: Int) {
    latencies.append(UInt32(min(max(seconds, 0) * 1e9, Double(UInt32.max))))
    self.bytes += bytes
  }

  mutating func recordError() { errors += 1 }

  mutating func merge(_ other: WorkerResult) {
    latencies += other.latencies
    bytes += other.bytes
    errors += other.errors
  }

  /// The run is over: what follows belongs to the report.
  mutating func stop() { end = (Self.now() - start, Usage().since(usage)) }

  /// The JSON object that the bench reads.
  func report(mode: WorkloadMode, requests: Int, concurrency: Int, extra: String = "") -> String {
    let (seconds, spent) = end ?? (Self.now() - start, Usage().since(usage))
    let sorted = latencies.sorted()
    func percentile(_ share: Double) -> Double {
      sorted.isEmpty ? 0 : Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]) / 1000
    }
    let count = Double(max(requests, 1))
    let fields: [(String, String)] = [
      ("client", "\"linnet\""), ("mode", "\"\(mode.rawValue)\""), ("n", "\(requests)"), ("c", "\(concurrency)"),
      ("secs", "\(seconds)"), ("reqs_per_s", "\(count / seconds)"), ("p50_us", "\(percentile(0.5))"),
      ("p99_us", "\(percentile(0.99))"), ("cpu_us_per_req", "\((spent.user + spent.system) * 1e6 / count)"),
      ("user_us_per_req", "\(spent.user * 1e6 / count)"), ("sys_us_per_req", "\(spent.system * 1e6 / count)"),
      ("max_rss_kb", "\(spent.peakKilobytes)"), ("bytes", "\(bytes)"), ("bytes_per_s", "\(Double(bytes) / seconds)"),
      ("nvcsw", "\(spent.voluntarySwitches)"), ("errors", "\(errors)"),
    ]
    return "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + extra + "}"
  }

  static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// The process's resident memory in KiB.
  static func residentKilobytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 128)
    guard fgets(&buffer, Int32(buffer.count), file) != nil else { return 0 }
    let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let fields = text.split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(getpagesize()) / 1024 : 0
  }

  /// How many sockets the process has open.
  static func socketCount() -> Int {
    var target = [CChar](repeating: 0, count: 64)
    return (0..<20_000).count { fd in
      let length = readlink("/proc/self/fd/\(fd)", &target, target.count)
      return length > 7 && String(decoding: target.prefix(7).map { UInt8(bitPattern: $0) }, as: UTF8.self) == "socket:"
    }
  }
}

/// What one concurrent worker has to report.
struct WorkerResult: Sendable {
  var latencies: [UInt32] = []
  var bytes = 0
  var errors = 0
}

/// `getrusage` as numbers.
private struct Usage {
  var user: Double
  var system: Double
  var peakKilobytes: Int
  var voluntarySwitches: Int

  init() {
    var raw = rusage()
    getrusage(0, &raw)  // 0 is RUSAGE_SELF, whose imported type does not fit
    user = Double(raw.ru_utime.tv_sec) + Double(raw.ru_utime.tv_usec) / 1e6
    system = Double(raw.ru_stime.tv_sec) + Double(raw.ru_stime.tv_usec) / 1e6
    peakKilobytes = raw.ru_maxrss
    voluntarySwitches = raw.ru_nvcsw
  }

  func since(_ earlier: Usage) -> Usage {
    var difference = self
    difference.user -= earlier.user
    difference.system -= earlier.system
    difference.voluntarySwitches -= earlier.voluntarySwitches
    return difference
  }
}
