internal import Glibc

/// What stands before each line of `-v` and each entry of `--trace` (`--trace-time`, `--trace-ids`).
struct TraceStamp: Sendable {
  var showsTime = false
  /// The number of the transfer.
  var number: Int?

  init(_ options: CommandLineOptions, number: Int) {
    showsTime = options.trace.showsTime
    self.number = options.trace.showsIDs ? number : nil
  }

  /// The text at this moment; empty unless asked for.
  var text: String {
    let identifier = number.map { "[\($0)] " } ?? ""
    guard showsTime else { return identifier }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var local = tm()
    var seconds = now.tv_sec
    let offset = localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff
    return TraceFormat.stamp(
      seconds: Int64(now.tv_sec), microseconds: Int64(now.tv_nsec / 1000), offset: Int64(offset)) + identifier
  }
}
