public import FoundationEssentials

/// One field of a form that is written with ``MultipartFormData/init(boundary:_:)``.
public protocol MultipartField: Sendable {
  /// Appends the field to a form.
  func append(to form: inout MultipartFormData)
}

/// A text.
public struct TextField: MultipartField {
  private let name: String
  private let value: String

  /// - Parameters:
  ///   - name: The name of the field.
  ///   - value: Its text.
  public init(_ name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// Appends the field to a form.
  public func append(to form: inout MultipartFormData) { form.append(value, name: name) }
}

/// Bytes.
public struct DataField: MultipartField {
  private let name: String
  private let data: Data
  private let fileName: String?
  private let mimeType: String?

  /// - Parameters:
  ///   - name: The name of the field.
  ///   - data: The bytes.
  ///   - fileName: The name of the file that they are said to be; nil, the default, for none.
  ///   - mimeType: Their `Content-Type`; nil, the default, gives none, or that of the extension of `fileName`.
  public init(_ name: String, data: Data, fileName: String? = nil, mimeType: String? = nil) {
    self.name = name
    self.data = data
    self.fileName = fileName
    self.mimeType = mimeType
  }

  /// Appends the field to a form.
  public func append(to form: inout MultipartFormData) {
    form.append(data, name: name, fileName: fileName, mimeType: mimeType)
  }
}

/// A file, in memory or on the disk.
public struct FileField: MultipartField {
  private enum Source: Sendable {
    case memory(Data, fileName: String)
    case disk(URL)
  }

  private let name: String
  private let source: Source
  private let mimeType: String?

  /// A file in memory.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - data: The bytes.
  ///   - fileName: The name of the file.
  ///   - mimeType: Its `Content-Type`; nil, the default, takes the one that belongs to the extension.
  public init(_ name: String, data: Data, fileName: String, mimeType: String? = nil) {
    self.name = name
    source = .memory(data, fileName: fileName)
    self.mimeType = mimeType
  }

  /// A file on the disk, which is read when the form is sent. One that is missing is an error then.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - fileURL: Where it is; its last component becomes the file name.
  ///   - mimeType: Its `Content-Type`; nil, the default, takes the one that belongs to the extension.
  public init(_ name: String, fileURL: URL, mimeType: String? = nil) {
    self.name = name
    source = .disk(fileURL)
    self.mimeType = mimeType
  }

  /// Appends the field to a form.
  public func append(to form: inout MultipartFormData) {
    switch source {
    case .memory(let data, let fileName): form.append(data, name: name, fileName: fileName, mimeType: mimeType)
    case .disk(let url):
      do throws(MultipartError) {
        try form.appendFile(at: url, name: name, mimeType: mimeType)
      } catch {
        form.append(.missing(error), name: name)
      }
    }
  }
}

/// Collects the fields of a form.
@resultBuilder
public enum MultipartBuilder {
  /// One field.
  public static func buildExpression(_ field: any MultipartField) -> [any MultipartField] { [field] }
  /// Fields made elsewhere.
  public static func buildExpression(_ fields: [any MultipartField]) -> [any MultipartField] { fields }
  /// Fields in their order.
  public static func buildBlock(_ fields: [any MultipartField]...) -> [any MultipartField] { fields.flatMap(\.self) }
  /// The fields of an `if` without `else`.
  public static func buildOptional(_ fields: [any MultipartField]?) -> [any MultipartField] { fields ?? [] }
  /// The fields of the first branch.
  public static func buildEither(first fields: [any MultipartField]) -> [any MultipartField] { fields }
  /// The fields of another branch.
  public static func buildEither(second fields: [any MultipartField]) -> [any MultipartField] { fields }
  /// The fields of a `for` loop.
  public static func buildArray(_ fields: [[any MultipartField]]) -> [any MultipartField] { fields.flatMap(\.self) }
  /// The fields of an `if #available`.
  public static func buildLimitedAvailability(_ fields: [any MultipartField]) -> [any MultipartField] { fields }
}
