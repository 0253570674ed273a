package import WaybillCore

/// The notifications that a delivery holds: a producer's message, and their positions in it.
///
/// The key of the deduplicator, of the memory of recent messages and of the look-up in the log.
package struct MessagePart: Hashable, Sendable {
    package let identity: MessageIdentity
    /// In the producer's message, ascending; not empty.
    private let indexes: Range<Int>
    /// The same where some between the first and the last are missing.
    private let list: [Int]?

    /// - Precondition: `indexes` ascend, and there is one at least.
    package init(_ identity: MessageIdentity, indexes: [Int]) {
        self.identity = identity
        let range = indexes[0]..<indexes[indexes.count - 1] + 1
        self.indexes = range
        list = range.count == indexes.count ? nil : indexes
    }

    /// A whole message.
    package init(_ identity: MessageIdentity, count: Int) {
        self.identity = identity
        indexes = 0..<max(1, count)
        list = nil
    }

    var count: Int { list?.count ?? indexes.count }

    /// The first id and the last, and how many lie between the two at the most, both included.
    var ids: (first: NotificationID, last: NotificationID, span: Int) {
        (identity.id(at: indexes.lowerBound), identity.id(at: indexes.upperBound - 1), indexes.count)
    }

    /// The index of the notification at a place in the delivery.
    func index(at place: Int) -> Int { list?[place] ?? indexes.lowerBound + place }

    /// Where in the delivery the notification of an index stands; `nil` if it does not hold it.
    func place(of index: Int) -> Int? {
        guard indexes.contains(index) else { return nil }
        guard let list else { return index - indexes.lowerBound }
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle] < index { low = middle + 1 } else { high = middle }
        }
        return list[low] == index ? low : nil
    }
}
