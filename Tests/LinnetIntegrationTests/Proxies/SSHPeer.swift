import Glibc
import LinnetTestSupport

/// A server and a client of OpenSSH with keys of their own, as an ordinary user: what is asked for at a port of the client
/// (`ssh -D`) is connected to by the server.
struct SSHPeer {
  private let directory: TemporaryDirectory
  private let port: UInt16
  private let user: String
  private let isRoot = geteuid() == 0

  init(_ directory: TemporaryDirectory, port: UInt16) throws {
    self.directory = directory
    self.port = port
    // A server of root wants a directory of the system's; one of somebody else lets only that user in.
    let name = isRoot ? "nobody" : getpwuid(geteuid()).flatMap { String(validatingCString: $0.pointee.pw_name) }
    guard let name else { throw TestSupportError(call: "getpwuid", errno: ENOENT) }
    user = name
    for key in ["host", "user"] {
      let process = try ServerProcess(["ssh-keygen", "-t", "ed25519", "-N", "", "-f", directory.path(of: key)])
      defer { process.stop() }
      _ = try process.line(containing: "key fingerprint")
    }
    guard isRoot else { return }
    chmod(directory.path, 0o755)
    // The server reads it as another user; of a key of its own it demands that nobody else can.
    chmod(directory.path(of: "host"), 0o644)
  }

  /// Only keys are accepted, and only of the one user. PAM is asked because users without a password count as locked without
  /// it.
  var server: [String] {
    get throws {
      let configuration = """
        ListenAddress 127.0.0.1:\(port)
        HostKey \(directory.path(of: "host"))
        AuthorizedKeysFile \(directory.path(of: "user.pub"))
        AllowUsers \(user)
        AuthenticationMethods publickey
        StrictModes no
        UsePAM yes
        PidFile none

        """
      let file = try directory.write(configuration, to: "sshd.conf")
      chmod(file, 0o644)
      let program = ServerProcess.path(of: "sshd") ?? "sshd"
      let command = [program, "-D", "-q", "-f", file]
      return isRoot ? ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] + command : command
    }
  }

  func client(forwarding port: UInt16) -> [String] {
    [
      "ssh", "-F", "none", "-N", "-q", "-D", "127.0.0.1:\(port)", "-p", "\(self.port)", "-i",
      directory.path(of: "user"),
      "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "IdentitiesOnly=yes", "-o",
      "BatchMode=yes", "-o", "ExitOnForwardFailure=yes", "\(user)@127.0.0.1",
    ]
  }
}
