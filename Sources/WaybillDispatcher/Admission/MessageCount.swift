/// Messages, and the two things in them that run out: notifications, and bytes of bodies.
struct MessageCount: Equatable {
    private(set) var messages = 0
    private(set) var notifications = 0
    private(set) var bytes = 0

    static func += (count: inout MessageCount, finalizer: Finalizer) {
        count.messages += 1
        count.notifications += finalizer.itemCount
        count.bytes += finalizer.byteCount
    }

    static func -= (count: inout MessageCount, finalizer: Finalizer) {
        count.messages -= 1
        count.notifications -= finalizer.itemCount
        count.bytes -= finalizer.byteCount
    }

    /// What is left of it without a part of it.
    func without(_ part: MessageCount) -> MessageCount {
        var rest = self
        rest.messages -= part.messages
        rest.notifications -= part.notifications
        rest.bytes -= part.bytes
        return rest
    }

    /// What it is of all that may be held: of messages or of bytes, whichever is more.
    ///
    /// - Parameters:
    ///   - handedOut: how many messages the broker hands out at the moment.
    ///   - maximumBytes: bytes of bodies in flight at the most.
    /// - Returns: 0 to 1; above that when less is handed out than before.
    func share(handedOut: Int, maximumBytes: Int) -> Double {
        max(Double(messages) / Double(max(1, handedOut)), Double(bytes) / Double(maximumBytes))
    }
}
