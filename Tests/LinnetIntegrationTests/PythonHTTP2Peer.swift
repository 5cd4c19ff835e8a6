import Glibc
import LinnetTestSupport

/// The environment of Python programs that `.ci/setup` makes.
enum PythonEnvironment {
  /// Where a program of the environment is, installed or not.
  static func path(of program: String) -> String {
    func folder(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    let caches = folder("XDG_CACHE_HOME") ?? (folder("HOME") ?? "") + "/.cache"
    return caches + "/linnet-tests/venv/bin/" + program
  }
}

/// A server on the Python package h2 that behaves and misbehaves as the path of a request says. Frames and states are
/// h2's; what h2 would not send is sent as raw bytes.
///
/// - `/echo`: the request's body.
/// - `/count`: how many requests had this target, this one included.
/// - `/pattern/N`: N bytes of the test pattern.
/// - `/reset/CODE/N`: N bytes of it, then RST_STREAM.
/// - `/refuse/N`: REFUSED_STREAM for the first N requests with this target, then as `/count`.
/// - `/goaway/N`: half of N bytes, GOAWAY, the other half; requests that come later are not looked at.
/// - `/trickle`: gives windows of 100 bytes, and only when the client has used up all; then as `/echo`.
/// - `/starve`: gives the stream no window at all.
/// - `/interim`: two interim heads, then the final one. `/trailers`: trailers.
/// - `/raw/TYPE/FLAGS/STREAM/PAYLOAD`: a head, then this frame; the type and the flags as numbers, the stream as `own` or a
///   number, the payload in hexadecimal digits.
final class PythonHTTP2Peer: Sendable {
  private static let python = PythonEnvironment.path(of: "python3")
  /// hypercorn's environment has h2.
  static var isInstalled: Bool { ServerProcess.isInstalled(python) && Hypercorn.isInstalled }
  static let reason = "the Python package h2 is not installed (.ci/setup installs it)"

  let port: UInt16
  private let process: ServerProcess

  /// - Parameter held: How many requests must have come before anything is sent, SETTINGS included.
  init(heldRequests held: Int = 0) throws {
    process = try ServerProcess([Self.python, "-u", "-c", Self.program, String(held)])
    let line = try process.line(containing: "port ")
    guard let port = UInt16(line.dropFirst("port ".count)) else {
      throw TestSupportError(call: "server start", errno: 0, detail: line)
    }
    self.port = port
  }

  func stop() { process.stop() }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  private static let program = """
    import collections, socket, sys, threading
    from h2.config import H2Configuration
    from h2.connection import H2Connection
    from h2.errors import ErrorCodes
    from h2 import events
    from h2.exceptions import ProtocolError
    from hyperframe.frame import GoAwayFrame

    BLOCK = bytes(index % 251 for index in range(251 * 256))
    counts, lock = collections.Counter(), threading.Lock()

    def pattern(count, offset):
        start = offset % 251
        return BLOCK[start : start + count]

    class Answer:
        def __init__(self, count, content=None, trailers=None, then=None):
            self.count, self.content, self.trailers, self.then, self.offset = count, content, trailers, then, 0

        def piece(self, size):
            if self.content is not None:
                return self.content[self.offset : self.offset + size]
            return pattern(min(size, self.count - self.offset), self.offset)

    class Peer:
        def __init__(self, sock, held):
            self.sock, self.held, self.last = sock, held, None
            self.h2 = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
            self.h2.initiate_connection()
            self.paths, self.bodies, self.answers = {}, {}, {}

        def run(self):
            try:
                self.flush()
                while data := self.sock.recv(65536):
                    for event in self.h2.receive_data(data):
                        self.handle(event)
                    self.pump()
                    self.flush()
            except (OSError, ProtocolError):
                pass
            finally:
                self.sock.close()

        def flush(self):
            if self.held <= 0 and (data := self.h2.data_to_send()):
                self.sock.sendall(data)

        def raw(self, data):
            self.flush()
            self.sock.sendall(data)

        def handle(self, event):
            stream = getattr(event, "stream_id", None)
            if self.last is not None and stream is not None and stream > self.last:
                return
            if isinstance(event, events.RequestReceived):
                self.held -= 1
                self.paths[stream] = dict(event.headers)[":path"]
                self.bodies[stream] = bytearray()
            elif isinstance(event, events.DataReceived):
                self.bodies[stream] += event.data
                self.give_window(stream, event.flow_controlled_length)
            elif isinstance(event, events.StreamEnded):
                self.respond(stream, self.paths[stream].split("/")[1:], bytes(self.bodies[stream]))
            elif isinstance(event, events.StreamReset):
                self.answers.pop(stream, None)

        def give_window(self, stream, count):
            if count == 0:
                return
            self.h2.increment_flow_control_window(count)
            if self.paths[stream] == "/trickle":
                if self.h2.remote_flow_control_window(stream) == 0:
                    self.h2.increment_flow_control_window(100, stream)
            elif self.paths[stream] != "/starve":
                self.h2.increment_flow_control_window(count, stream)

        def head(self, stream, status=200, *fields):
            self.h2.send_headers(stream, [(":status", str(status)), *fields])

        def text(self, stream, content, **more):
            self.head(stream)
            self.answers[stream] = Answer(len(content), content, **more)

        def count(self, stream):
            with lock:
                counts[self.paths[stream]] += 1
                return counts[self.paths[stream]]

        def respond(self, stream, path, body):
            match path:
                case ["echo" | "trickle"]:
                    self.text(stream, body)
                case ["count", *_]:
                    self.text(stream, b"%d" % self.count(stream))
                case ["pattern", size]:
                    self.head(stream)
                    self.answers[stream] = Answer(int(size))
                case ["reset", code, size]:
                    self.head(stream)
                    reset = lambda: self.h2.reset_stream(stream, int(code))
                    self.answers[stream] = Answer(int(size), then=reset)
                case ["refuse", times]:
                    number = self.count(stream)
                    if number <= int(times):
                        self.h2.reset_stream(stream, ErrorCodes.REFUSED_STREAM)
                    else:
                        self.text(stream, b"%d" % number)
                case ["goaway", size]:
                    self.head(stream)
                    half = int(size) // 2
                    self.answers[stream] = Answer(half, then=lambda: self.go_away(stream, half, int(size)))
                case ["interim"]:
                    self.head(stream, 102)
                    self.head(stream, 103, ("link", "</style.css>; rel=preload"))
                    self.text(stream, b"done")
                case ["trailers"]:
                    self.text(stream, b"hello", trailers=[("x-sum", "42")])
                case ["raw", kind, flags, place, payload]:
                    self.head(stream)
                    payload = bytes.fromhex(payload)
                    number = stream if place == "own" else int(place)
                    start = len(payload).to_bytes(3, "big") + bytes([int(kind), int(flags)])
                    self.raw(start + number.to_bytes(4, "big") + payload)
                case _:
                    self.head(stream, 404)
                    self.answers[stream] = Answer(0)

        def go_away(self, stream, done, size):
            self.last = max(self.paths)
            self.raw(GoAwayFrame(0, last_stream_id=self.last, error_code=0).serialize())
            answer = self.answers[stream] = Answer(size)
            answer.offset = done

        def pump(self):
            for stream in list(self.answers):
                while answer := self.answers.get(stream):
                    left = answer.count - answer.offset
                    if left == 0:
                        self.finish(stream, answer)
                        continue
                    size = min(left, self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
                    if size <= 0:
                        break
                    self.h2.send_data(stream, answer.piece(size))
                    answer.offset += size

        def finish(self, stream, answer):
            if answer.then:
                answer.then()
                if self.answers.get(stream) is answer:
                    del self.answers[stream]
                return
            if answer.trailers:
                self.h2.send_headers(stream, answer.trailers, end_stream=True)
            else:
                self.h2.end_stream(stream)
            del self.answers[stream]

    listener = socket.create_server(("127.0.0.1", 0))
    print("port", listener.getsockname()[1])
    while True:
        sock, _ = listener.accept()
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=Peer(sock, int(sys.argv[1])).run, daemon=True).start()
    """
}
