#if Macros
  public import LinnetHTTP

  /// Makes a struct an endpoint: writes its conformance to ``APIDefinition``.
  ///
  /// ```swift
  /// @APIDefinition(method: .get, path: "/users/{id}", auth: .anonymous)
  /// struct GetUser {
  ///   typealias APIResponse = User
  ///   let id: Int
  /// }
  /// ```
  ///
  /// The struct stays what it is, and says everything that matters: the response type as `APIResponse`, what is sent as
  /// stored properties, and any policy as the members of ``Endpoint`` that it declares itself. The macro adds `method`,
  /// `path`, `sessionAuthentication`, `Parameter` and `parameters`, with the access level of the struct or of the
  /// narrowest type around it, and refuses a declaration that is incomplete or could be read in two ways. All that it
  /// writes is public API, so an endpoint can be moved to a conformance written by hand and back.
  ///
  /// **The path.** Each `{name}` stands for the stored property of that name, percent-encoded as one segment when the
  /// request is built, so a value never adds a segment or a query. The property is not optional and not generic. A path
  /// has no `?`, `#`, `.` or `..` segment, malformed `%` escape, or interpolation, and does not begin as a URL with a host
  /// does (`https://`, `//`): it is joined to the base URL, and ``Endpoint/absoluteURL`` is for whole URLs.
  ///
  /// **The payload.** A stored property `query` is sent by GET and HEAD, a stored property `body` by POST, PUT, PATCH and
  /// DELETE; an optional one that is nil sends nothing. Without either, `Parameter` is ``EmptyParameter``. A property
  /// that is used as a placeholder is not the payload. An endpoint that declares both `typealias Parameter` and
  /// `var parameters: Parameter?` decides for itself, and then any other method, such as OPTIONS or one of your own, may
  /// have a payload.
  ///
  /// The macro is there with the default package trait `Macros`; with `traits: []` neither it nor its compiler plug-in is
  /// built.
  ///
  /// - Parameters:
  ///   - method: The HTTP method, such as `.get`. A method that is not one of the constants of `HTTPMethod` needs the pair
  ///     of `Parameter` and `parameters` to have a payload.
  ///   - path: A string literal that is joined to the path of the base URL.
  ///   - auth: `.anonymous`, `.optional` or `.required`. There is no default: who may call an endpoint is never guessed.
  @attached(member, names: named(Parameter))
  @attached(
    extension, conformances: APIDefinition, names: named(method), named(path), named(sessionAuthentication),
    named(Parameter), named(parameters))
  public macro APIDefinition(method: HTTPMethod, path: String, auth: SessionAuthentication) =
    #externalMacro(module: "LinnetMacros", type: "APIDefinitionMacro")

  /// Reports a forgotten argument. It never makes an endpoint: with all three arguments the macro above is chosen, and
  /// with fewer the expansion is an error that offers the missing one.
  @attached(member, names: named(Parameter))
  @attached(
    extension, conformances: APIDefinition, names: named(method), named(path), named(sessionAuthentication),
    named(Parameter), named(parameters))
  public macro APIDefinition(method: HTTPMethod? = nil, path: String? = nil, auth: SessionAuthentication? = nil) =
    #externalMacro(module: "LinnetMacros", type: "APIDefinitionMacro")
#endif
