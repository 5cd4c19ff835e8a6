import LinnetHTTP

/// The smallest program that uses the library: `.ci/linkage` looks at what it links.
@main
struct Fixture {
  static func main() {
    print("linked")
  }
}
