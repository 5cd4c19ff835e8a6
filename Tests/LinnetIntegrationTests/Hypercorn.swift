import LinnetTestSupport

/// The Python server Hypercorn, whose HTTP/2 is that of the package h2, with an application that answers as
/// ``PeerApplication`` does.
enum Hypercorn {
  static var isInstalled: Bool { ServerProcess.isInstalled(program) }
  static let reason = "hypercorn is not installed (.ci/setup installs it)"

  private static let program = PythonEnvironment.path(of: "hypercorn")

  static func start() throws -> ProgramPeer {
    let certificates = try TestCertificates()
    let files = try certificates.write(certificates.loopback())
    let directory = try TemporaryDirectory()
    let module = try directory.write(application, to: "peer.py")
    let (cleartext, tls) = (try FreePort.next(), try FreePort.next())
    // Without worker processes of its own.
    return try ProgramPeer(
      certificates: certificates, directory: directory, cleartext: cleartext, tls: tls,
      commands: [
        [
          program, "--workers", "0", "--graceful-timeout", "0", "--insecure-bind", "127.0.0.1:\(cleartext)", "--bind",
          "127.0.0.1:\(tls)",
          "--certfile", files.chain, "--keyfile", files.privateKey, "\(module):app",
        ]
      ])
  }

  private static let application = """
    import asyncio, gzip, hashlib, logging

    # It has a line for each piece that a client does not want any more, and nobody reads them.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)

    BLOCK = bytes(index % 251 for index in range(251 * 256))
    MODIFIED = b"Thu, 01 Jan 2026 00:00:00 GMT"

    def pieces(count):
        for start in range(0, count, len(BLOCK)):
            yield BLOCK[: min(len(BLOCK), count - start)]

    async def received(receive):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            if message.get("body"):
                yield message["body"]
            if not message.get("more_body", False):
                return

    async def app(scope, receive, send):
        if scope["type"] == "lifespan":
            while True:
                message = await receive()
                await send({"type": message["type"] + ".complete"})
                if message["type"] == "lifespan.shutdown":
                    return

        async def start(status, fields=(), trailers=False):
            fields = [(b"content-type", b"application/octet-stream"), *fields]
            await send({"type": "http.response.start", "status": status, "headers": fields, "trailers": trailers})

        async def data(bytes, more=True):
            await send({"type": "http.response.body", "body": bytes, "more_body": more})

        async def file(name, fields=(), encode=None):
            size = int(name.split(".")[0])
            if (b"if-modified-since", MODIFIED) in scope["headers"]:
                await start(304, [(b"last-modified", MODIFIED)])
                return await data(b"", False)
            if encode:
                content = encode(b"".join(pieces(size)))
                await start(200, [*fields, (b"content-length", b"%d" % len(content))])
                return await data(content, False)
            await start(200, [(b"content-length", b"%d" % size), (b"last-modified", MODIFIED), *fields])
            if scope["method"] != "HEAD":
                for piece in pieces(size):
                    await data(piece)
            await data(b"", False)

        match scope["path"].split("/")[1:]:
            case [name] if name.endswith(".bin"):
                await file(name)
            case ["gzip", name]:
                await file(name, [(b"content-encoding", b"gzip")], gzip.compress)
            case ["app", "echo"]:
                fields = [(b"echo-" + name, value) for name, value in scope["headers"] if name.startswith(b"x-")]
                target = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
                await start(200, [(b"echo-method", scope["method"].encode()), (b"echo-target", target), *fields])
                async for part in received(receive):
                    await data(part)
                await data(b"", False)
            case ["app", "count"]:
                count, digest = 0, hashlib.sha256()
                async for part in received(receive):
                    count += len(part)
                    digest.update(part)
                await start(200)
                await data(b"%d %s" % (count, digest.hexdigest().encode()), False)
            case ["app", "status", code]:
                await start(int(code))
                await data(b"", False)
            case ["app", "redirect"]:
                await start(302, [(b"location", b"/app/echo")])
                await data(b"", False)
            case ["app", "trailers"]:
                await start(200, [(b"trailer", b"x-sum")], trailers=True)
                await data(b"hello", False)
                await send({"type": "http.response.trailers", "headers": [(b"x-sum", b"42")]})
            case ["app", "hints"]:
                await send({"type": "http.response.early_hint", "links": [b"</style.css>; rel=preload"]})
                await start(200)
                await data(b"hinted", False)
            case ["app", "pattern", size]:
                await start(200)
                for piece in pieces(int(size)):
                    await data(piece)
                await data(b"", False)
            case ["app", "drip", count]:
                await start(200)
                for _ in range(int(count)):
                    await data(b"drop\\n")
                    await asyncio.sleep(0.01)
                await data(b"", False)
            case _:
                await start(404)
                await data(b"no such path", False)
    """
}
