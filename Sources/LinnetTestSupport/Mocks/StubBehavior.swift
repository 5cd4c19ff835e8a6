/// When a ``StubNetworkClient`` gives a registered answer.
public enum StubBehavior: Sendable, Hashable {
  /// At once.
  case immediate
  /// Not at all: the request waits until its task is cancelled and then fails with `NetworkError.cancelled`.
  case never
  /// After so many seconds of the stub's clock. A negative number and one that is not finite count as 0.
  case delayed(seconds: Double)
}
