internal import Glibc

extension TimeCondition {
  /// What `-z` says: a date, or a file whose time counts. Nil without it, and with a warning when it is neither: a script
  /// that names a file which is not there yet wants to download it.
  init?(_ options: CommandLineOptions) {
    guard let given = options.transfer.timeCondition else { return nil }
    var status = stat()
    if let seconds = DateExpression.seconds(given.value.text) {
      self.init(isSince: !given.isOlder, seconds: seconds)
    } else if given.value.withCString({ stat($0, &status) }) == 0 {
      self.init(isSince: !given.isOlder, seconds: Int64(status.st_mtim.tv_sec))
    } else {
      if options.reportsErrors {
        Console.warning(
          "-z: '\(given.value.text)' is neither a date nor a file; it is not looked at", asJSON: options.reportsJSON)
      }
      return nil
    }
  }
}
