internal import LinnetBytes

/// A domain name in its ASCII form: lower case, non-ASCII labels in Punycode.
///
/// The rules are those for hosts of URLs ("domain to ASCII" and the host parser of the WHATWG URL standard). They are
/// wider than those of DNS: `a_b`, empty labels and over-long labels pass; the resolver refuses them.
public struct DomainName: Sendable, Hashable {
  /// The ASCII form.
  public let ascii: String

  /// Converts `text`, which may have non-ASCII characters and percent escapes.
  ///
  /// - Throws: ``HTTPURLError/invalidHost(_:_:)``, also for a text that is an IPv4 address.
  public init(_ text: String) throws(HTTPURLError) {
    let bytes = Array(text.utf8)
    do throws(HostProblem) {
      let domain = try Self.toASCII(bytes[...])
      if IPAddress.endsInNumber(domain[...]) { throw .notAnIPv4Address }
      ascii = String(decoding: domain, as: UTF8.self)
    } catch {
      throw .invalidHost(HTTPURLError.excerpt(bytes), error)
    }
  }

  /// Whether this is `other` or a name below it: `a.example.com` is within `example.com`, `badexample.com` is not. A
  /// trailing dot of either does not matter.
  public func isWithin(_ other: DomainName) -> Bool {
    let own = Self.withoutTrailingDot(ascii)
    let parent = Self.withoutTrailingDot(other.ascii)
    guard own.count > parent.count else { return own.elementsEqual(parent) }
    return !parent.isEmpty && own.suffix(parent.count).elementsEqual(parent)
      && own.dropLast(parent.count).last == UInt8(ascii: ".")
  }

  private static func withoutTrailingDot(_ text: String) -> Substring.UTF8View {
    let bytes = text[...].utf8
    return bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes
  }
}

extension DomainName: CustomStringConvertible {
  /// The ASCII form.
  public var description: String { ascii }
}

extension DomainName {
  /// Steps 3 to 7 of the WHATWG host parser: decodes escapes, converts to ASCII and refuses forbidden code points.
  static func toASCII(_ text: ArraySlice<UInt8>) throws(HostProblem) -> [UInt8] {
    var domain = text.contains(UInt8(ascii: "%")) ? PercentEncoding.decode(text) : Array(text)
    if domain.allSatisfy({ $0 < 0x80 }) {
      for index in domain.indices { domain[index] = ASCII.lowercased(domain[index]) }
    } else {
      guard let decoded = String(validating: domain, as: UTF8.self) else { throw .notUTF8 }
      domain = try IDNA.toASCII(decoded)
    }
    if let byte = domain.first(where: URLByteSet.forbiddenInDomain.contains) {
      throw .forbiddenCharacter(Unicode.Scalar(byte))
    }
    if domain.isEmpty { throw .empty }
    return domain
  }
}
