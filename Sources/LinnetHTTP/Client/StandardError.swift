internal import LinnetIO

/// The process's standard error, for loggers of the layers above.
package enum StandardError {
  /// Writes a line that is not mixed with others, of at most 4,095 bytes; longer ones are cut. Failures are ignored.
  package static func writeLine(_ text: String) { LineOutput.write(text, to: 2) }
}
