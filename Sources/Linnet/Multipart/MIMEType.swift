internal import LinnetBytes

/// The media types of common file name extensions.
enum MIMEType {
  /// The type for a file name's extension, compared without case; `application/octet-stream` for any other.
  static func ofFile(named name: String) -> String {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return ContentType.octetStream.rawValue }
    let fileExtension = String(name[name.utf8.index(after: dot)...]).asciiLowercased
    return byExtension[fileExtension] ?? ContentType.octetStream.rawValue
  }

  private static let byExtension = [
    "7z": "application/x-7z-compressed", "aac": "audio/aac", "apk": "application/vnd.android.package-archive",
    "avi": "video/x-msvideo", "avif": "image/avif", "bmp": "image/bmp", "bz2": "application/x-bzip2",
    "css": "text/css", "csv": "text/csv", "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "eml": "message/rfc822",
    "epub": "application/epub+zip", "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip",
    "gzip": "application/gzip", "heic": "image/heic", "heif": "image/heif", "htm": "text/html", "html": "text/html",
    "ico": "image/vnd.microsoft.icon", "ics": "text/calendar", "jpeg": "image/jpeg", "jpg": "image/jpeg",
    "js": "text/javascript", "json": "application/json", "jsonl": "application/x-ndjson", "log": "text/plain",
    "m4a": "audio/mp4", "m4v": "video/x-m4v", "markdown": "text/markdown", "md": "text/markdown",
    "mkv": "video/x-matroska", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
    "mpeg": "video/mpeg", "ndjson": "application/x-ndjson", "odt": "application/vnd.oasis.opendocument.text",
    "oga": "audio/ogg", "ogg": "audio/ogg", "ogv": "video/ogg", "opus": "audio/ogg", "otf": "font/otf",
    "pdf": "application/pdf", "plist": "application/x-plist", "png": "image/png",
    "ppt": "application/vnd.ms-powerpoint",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "proto": "text/plain", "rtf": "application/rtf", "sh": "application/x-sh", "svg": "image/svg+xml",
    "tar": "application/x-tar", "tif": "image/tiff", "tiff": "image/tiff", "toml": "application/toml",
    "tsv": "text/tab-separated-values", "ttf": "font/ttf", "txt": "text/plain", "vcf": "text/vcard",
    "wasm": "application/wasm", "wav": "audio/wav", "weba": "audio/webm", "webm": "video/webm", "webp": "image/webp",
    "woff": "font/woff", "woff2": "font/woff2", "xhtml": "application/xhtml+xml", "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
    "yaml": "application/yaml", "yml": "application/yaml", "zip": "application/zip", "zst": "application/zstd",
  ]
}
