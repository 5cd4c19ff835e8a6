internal import FoundationEssentials

/// Lines for people about settings that weaken the client; they go to standard error.
enum PipelineWarning {
  static func write(_ line: String) {
    try? Data("\(line)\n".utf8).write(to: URL(filePath: "/dev/stderr"), options: [])
  }
}
