import Glibc

/// Benchmarks of Linnet.
///
///     LinnetBenchmarks client MODE URL N C
///
/// runs one client workload and prints one JSON object; see `WorkloadMode` for the modes. The CA file for https is taken
/// from the environment variable `BENCH_CA`.
@main enum Main {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.first == "client", let workload = ClientWorkload(arguments: Array(arguments.dropFirst())) else {
      fail("usage: LinnetBenchmarks client {\(WorkloadMode.allCases.map(\.rawValue).joined(separator: "|"))} URL N C")
    }
    do {
      print(try await workload.run())
    } catch {
      fail("\(error)")
    }
  }

  private static func fail(_ text: String) -> Never {
    let line = text + "\n"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(2)
  }
}
