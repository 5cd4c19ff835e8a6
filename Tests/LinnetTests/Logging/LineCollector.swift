import LinnetTestSupport

/// What a logger wrote.
final class LineCollector: Sendable {
  private let recorder = EventRecorder<String>()
  var lines: [String] { recorder.events }
  func append(_ line: String) { recorder.record(line) }
}
