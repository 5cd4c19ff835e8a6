/// Bounds of ``AbuseMonitor``: how much of what moves nothing forward a peer may send.
package struct AbuseLimits: Sendable, Hashable {
  package init() {}
}
