import Linnet
import Testing

@Suite("Errors: texts for users")
struct NetworkErrorTextTests {
  @Test("every text exists in every language, with the same placeholder", arguments: NetworkErrorText.allCases)
  func complete(_ text: NetworkErrorText) {
    let english = text.template(in: .english)
    let korean = text.template(in: .korean)
    #expect(english.hasSuffix(".") && english.count > 10)
    #expect(korean.unicodeScalars.contains { 0xAC00...0xD7A3 ~= $0.value })
    #expect(english.contains(NetworkErrorText.placeholder) == korean.contains(NetworkErrorText.placeholder))
    #expect(!text.text(in: .english, argument: "404").contains("{"))
  }

  @Test(
    "the language is that of the first variable that is set",
    arguments: [
      ([:], .english), (["LANG": "ko_KR.UTF-8"], .korean), (["LANG": "ko"], .korean), (["LANG": "KO_kr"], .korean),
      (["LANG": "de_DE.UTF-8"], .english), (["LANG": "C.UTF-8"], .english), (["LANG": "kok_IN"], .english),
      (["LC_ALL": "", "LANG": "ko_KR"], .korean), (["LC_ALL": "en_US", "LANG": "ko_KR"], .english),
      (["LC_MESSAGES": "ko_KR@x", "LANG": "en_US"], .korean), (["LC_CTYPE": "ko_KR"], .english),
    ] as [([String: String], NetworkErrorLanguage)])
  func language(_ environment: [String: String], _ expected: NetworkErrorLanguage) {
    #expect(NetworkErrorLanguage(environment: environment) == expected)
  }
}
