/// The bodies that are on their way out, by slot: nghttp2 asks for their bytes when the windows allow it.
struct BodyTable {
    private struct Body {
        var bytes: ArraySlice<UInt8>
        var isInUse: Bool
    }

    private var bodies: [Body] = []
    private var free: [Int] = []
    /// Bodies that still have bytes to send.
    private(set) var unsent = 0
    /// The bytes of those.
    private(set) var unsentBytes = 0

    /// Keeps a body; its storage is shared, not copied.
    mutating func insert(_ bytes: ArraySlice<UInt8>) -> Int {
        if !bytes.isEmpty { unsent += 1 }
        unsentBytes += bytes.count
        if let slot = free.popLast() {
            bodies[slot] = Body(bytes: bytes, isInUse: true)
            return slot
        }
        bodies.append(Body(bytes: bytes, isInUse: true))
        return bodies.count - 1
    }

    /// Copies the next bytes of a body out; with the last ones its storage is let go.
    ///
    /// - Returns: how many, and whether they are the last ones.
    mutating func take(from slot: Int, into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, isEnd: Bool) {
        let count = min(buffer.count, bodies[slot].bytes.count)
        bodies[slot].bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        unsentBytes -= count
        guard count < bodies[slot].bytes.count else {
            if count > 0 { unsent -= 1 }
            bodies[slot].bytes = []
            return (count, true)
        }
        bodies[slot].bytes.removeFirst(count)
        return (count, false)
    }

    /// Lets a body go; harmless for a slot that is free.
    mutating func remove(_ slot: Int) {
        guard bodies.indices.contains(slot), bodies[slot].isInUse else { return }
        if !bodies[slot].bytes.isEmpty { unsent -= 1 }
        unsentBytes -= bodies[slot].bytes.count
        bodies[slot] = Body(bytes: [], isInUse: false)
        free.append(slot)
    }
}
