/// Remembers what was published and not confirmed, by the channel's publish sequence number (RabbitMQ, "Publisher
/// Confirms").
///
/// A pure machine. A publication leaves it in exactly one of three ways: confirmed, failed (returned as unroutable, or
/// refused by the broker), or still open when the connection ends. The last two are published again.
struct ConfirmWindow<Element> {
    private struct Entry {
        var element: Element
        var wasReturned = false
    }

    /// Publications whose fate is known.
    struct Resolution {
        var confirmed: [Element] = []
        var failed: [Element] = []
    }

    private var entries: [UInt64: Entry] = [:]
    private var lowest: UInt64 = 1
    private var highest: UInt64 = 0

    var count: Int { entries.count }

    mutating func published(_ element: Element, as sequence: UInt64) {
        entries[sequence] = Entry(element: element)
        highest = max(highest, sequence)
    }

    /// The broker could not route a publication: it will still be confirmed, but nothing holds it.
    mutating func returned(_ sequence: UInt64) {
        entries[sequence]?.wasReturned = true
    }

    /// The broker has taken (or, with `isRefusal`, refused) a publication, or all up to it.
    mutating func resolve(_ sequence: UInt64, multiple: Bool, isRefusal: Bool) -> Resolution {
        var resolution = Resolution()
        let first = multiple ? lowest : sequence
        if first <= min(sequence, highest) {
            for number in first...min(sequence, highest) {
                guard let entry = entries.removeValue(forKey: number) else { continue }
                if isRefusal || entry.wasReturned {
                    resolution.failed.append(entry.element)
                } else {
                    resolution.confirmed.append(entry.element)
                }
            }
        }
        if multiple || sequence == lowest { lowest = max(lowest, sequence + 1) }
        return resolution
    }

    /// The connection is gone: hands out what was open, oldest first, and starts anew.
    mutating func reset() -> [Element] {
        let open = entries.sorted { $0.key < $1.key }.map(\.value.element)
        self = ConfirmWindow()
        return open
    }
}
