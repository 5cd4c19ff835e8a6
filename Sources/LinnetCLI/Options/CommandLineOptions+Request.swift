extension CommandLineOptions {
  /// What is done with redirections.
  package struct Redirects: Sendable, Equatable {
    package var isFollowing = false
    /// Credentials, all headers and methods that are not safe go to other origins too.
    package var isTrusted = false
    /// Nil: no limit. Default 50, as curl's.
    package var maximumHops: Int? = 50
    package var keepsPostOn301 = false
    package var keepsPostOn302 = false
    package var keepsPostOn303 = false
    /// Each request says where it was redirected from: `;auto` of `-e`.
    package var sendsReferer = false
    /// The schemes that a redirection may lead to; nil: both, but not from https to http.
    package var schemes: Set<String>?

    package init() {}
  }

  package enum AuthenticationScheme: Sendable, Equatable {
    case basic
    case digest
    /// What the server asks for.
    case any
  }

  /// Credentials for the server.
  package struct Credentials: Sendable, Equatable {
    /// `user:password`, or a user alone.
    package var user: Argument?
    package var scheme = AuthenticationScheme.basic
    package var bearerToken: Argument?
    package var usesNetrc = false
    /// A missing netrc file is no error.
    package var isNetrcOptional = false
    package var netrcFile: Argument?

    package init() {}
  }

  package struct Cookies: Sendable, Equatable {
    /// `name=value; …` of `-b`.
    package var given: [Argument] = []
    /// Files of `-b`. An empty name turns cookies on without a file.
    package var files: [Argument] = []
    /// Where cookies are written at the end; `-` for standard output.
    package var jar: Argument?
    /// Those of the files that end with a session are left out.
    package var dropsSessionCookies = false

    package init() {}

    /// Whether cookies are kept.
    package var isOn: Bool { !files.isEmpty || jar != nil }
  }

  /// What concerns the command as a whole.
  package struct Run: Sendable, Equatable {
    /// `{a,b}` and `[1-9]` in URLs stand for several.
    package var isGlobbing = true
    package var isParallel = false
    package var parallelMaximum = 50
    /// The first failure ends the command.
    package var failsEarly = false
    /// Nothing is sent; what would be is printed.
    package var isDryRun = false
    /// Nothing is sent; curl commands are printed.
    package var printsCurl = false
    /// The schemes that URLs may have; nil: both.
    package var schemes: Set<String>?

    package init() {}
  }
}
