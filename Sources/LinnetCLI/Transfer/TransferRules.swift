/// Which options of one transfer exclude each other. Pure.
package enum TransferRules {
  /// - Throws: A usage error that names both options.
  package static func check(_ options: CommandLineOptions) throws(CommandError) {
    let transfer = options.transfer
    if let resume = transfer.resume {
      let other: String? =
        if options.range != nil { "-r" } else if options.wantsHeadOnly { "-I" } else if options.includesHead {
          "-i"
        } else if transfer.usesHeaderName { "-J" } else if transfer.clobber == .never {
          "--no-clobber"
        } else if transfer.removesOnError {
          "--remove-on-error"
        } else if !options.data.isEmpty && !options.sendsDataInQuery { "-d or --json" } else { nil }
      if let other { throw .usage("-C cannot be used together with \(other)") }
      if let upload = options.uploadFile {
        if resume == .automatic {
          throw .usage("-C - cannot be used together with -T: nothing tells how much the server has; give the offset")
        }
        if upload.isDash { throw .usage("-C cannot be used together with -T -: standard input has no offsets") }
      }
    }
    let namesFiles = options.namesAllRemotely || options.outputs.contains(.remoteName)
    if transfer.usesHeaderName {
      guard namesFiles else { throw .usage("-J needs -O") }
      guard !options.includesHead else { throw .usage("-J cannot be used together with -i") }
    }
    guard options.urls.count <= 1 || !usesEntityTags(options) else { throw oneEntityTag }
  }

  static func usesEntityTags(_ options: CommandLineOptions) -> Bool {
    options.transfer.etagSaveFile != nil || options.transfer.etagCompareFile != nil
  }

  /// A file holds one tag; a URL may stand for several only once it was expanded.
  static var oneEntityTag: CommandError { .usage("--etag-save and --etag-compare work with a single URL") }
}
