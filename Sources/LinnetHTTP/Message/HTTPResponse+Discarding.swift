extension HTTPResponse {
  /// Lets go of a response that is not delivered, before the request that follows it: redirections, questions for
  /// credentials. A rest of at most `limit` bytes is read first when the connection is free by that, within
  /// ``ResponseChannel/restPatience``; over HTTP/2 the stream is reset unless the rest is there. What goes wrong is no
  /// failure: the response is not wanted any more.
  @inline(never)
  func discardBody(reading limit: Int) async { await body.reader.drain(upTo: limit) }
}
