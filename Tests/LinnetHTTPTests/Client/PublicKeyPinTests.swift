import LinnetHTTP
import Testing

@Suite("Pins of public keys")
struct PublicKeyPinTests {
  private static let zeros = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
  private static let ones = "sha256//AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="

  @Test("a pin is written as it is read")
  func roundTrip() throws {
    let pin = try PublicKeyPin(Self.ones)
    #expect(pin == PublicKeyPin(sha256: [UInt8](repeating: 1, count: 32)))
    #expect(pin.description == Self.ones)
    #expect(try PublicKeyPin.list("\(Self.ones);\(Self.zeros);\(Self.ones)") == [pin, PublicKeyPin(Self.zeros)])
  }

  @Test("a digest that is no SHA-256 is no pin", arguments: [0, 20, 31, 33])
  func length(count: Int) { #expect(PublicKeyPin(sha256: [UInt8](repeating: 0, count: count)) == nil) }

  @Test(
    "anything else is a typed error, also inside a list",
    arguments: [
      ("", PublicKeyPinError.Reason.missingPrefix), ("key.pem", .missingPrefix), ("SHA256//AAAA", .missingPrefix),
      ("sha256//", .wrongLength(0)), ("sha256//AAAA", .wrongLength(3)), ("sha256//%%%%", .invalidBase64),
      ("sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", .invalidBase64),
      (" sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", .missingPrefix),
    ])
  func malformed(text: String, reason: PublicKeyPinError.Reason) {
    func expectError(_ read: () throws(PublicKeyPinError) -> Void) {
      do throws(PublicKeyPinError) {
        try read()
        Issue.record("no error")
      } catch {
        #expect(error.text == text && error.reason == reason)
        #expect(error.description.contains("\"\(text)\""))
      }
    }
    expectError { () throws(PublicKeyPinError) in _ = try PublicKeyPin(text) }
    expectError { () throws(PublicKeyPinError) in _ = try PublicKeyPin.list("\(Self.ones);\(text)") }
    expectError { () throws(PublicKeyPinError) in _ = try PublicKeyPin.list("\(text);\(Self.ones)") }
  }
}
