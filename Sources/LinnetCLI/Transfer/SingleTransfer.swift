internal import Glibc
internal import LinnetHTTP

/// One URL of a run: the request, and what becomes of the response.
struct SingleTransfer: Sendable {
  let context: TransferContext
  /// The URL as it was typed, or as it was expanded.
  let argument: Argument
  let output: CommandLineOptions.Output
  /// The user has said where the body goes.
  let isOutputExplicit: Bool
  /// From 0 on.
  let number: Int

  private var options: CommandLineOptions { context.options }

  /// Runs the transfer to its end. Its error, if any, is in the report.
  func run() async -> TransferReport {
    let start = ContinuousClock.now
    var report = await watched()
    report.totalTime = start.duration(to: .now)
    return report
  }

  private func watched() async -> TransferReport {
    let speed = TransferMonitor.speed(options)
    guard speed != nil || drawsProgress else { return await perform(nil) }
    let monitor = TransferMonitor(speed: speed)
    let transfer = Task { await perform(monitor) }
    let watch = Task {
      try await monitor.run()
      transfer.cancel()
    }
    var report = await withTaskCancellationHandler {
      await transfer.value
    } onCancel: {
      transfer.cancel()
    }
    watch.cancel()
    if let speed, report.exitCode == .aborted, await monitor.isTooSlow {
      report.note(
        CommandError(
          .timeout,
          "'\(URLArgument.masked(argument.text))': less than \(speed.bytesPerSecond) bytes per second for "
            + "\(fixed(speed.allowed.inSeconds, digits: 1)) s (--speed-limit, --speed-time)"))
    }
    return report
  }

  var drawsProgress: Bool {
    context.showsProgress && options.showsProgress && !options.isSilent && !options.isVerbose && isatty(2) == 1
  }

  /// What would be sent.
  func preview() async throws(CommandError) -> String {
    let url = try context.builder.url(argument)
    let place = try OutputPlace(output, isExplicit: isOutputExplicit, of: url, options)
    let run = try TransferRun(self, url, place, nil, TransferReport(url: argument.text))
    let request = try run.request { _ in }
    return try await DryRun(options: options, builder: context.builder, configuration: context.client.configuration)
      .text(of: request)
  }

  private func perform(_ monitor: TransferMonitor?) async -> TransferReport {
    var report = TransferReport(url: argument.text)
    report.number = number
    report.referer = options.referer?.text ?? ""
    do throws(CommandError) {
      let url = try context.builder.url(argument)
      report.effectiveURL = url.description
      report.scheme = url.scheme.rawValue
      let place = try OutputPlace(output, isExplicit: isOutputExplicit, of: url, options)
      var run = try TransferRun(self, url, place, monitor, report)
      await run.perform()
      report = run.report
    } catch {
      report.note(error)
    }
    return report
  }
}
