/// The memory of a call's async frames.
enum CallFrames {
  private typealias Room = InlineArray<24_576, UInt8>

  /// Makes room for the frames of a call in one piece.
  ///
  /// The runtime gives a task memory for frames in slabs of 1 KB, and a call is deep: it took twenty of them. A slab that
  /// was made for a larger frame stays with its task when that frame ends, so this frame, which must be one of its own,
  /// makes room for all that follow. Nothing depends on that but time.
  @inline(never)
  static func reserve() async {
    var room: Room?
    await occupy(&room)
  }

  /// What it does is of no interest; because the caller does not know that, it has the room.
  @inline(never)
  private static func occupy(_ room: inout Room?) async { if Task.isCancelled { room = nil } }
}
