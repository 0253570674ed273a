import WaybillDeliveryLog

/// Why records may be missing in a tail, in words for who reads it.
enum TailGap: String, Sendable {
    case storeAway = "the store was away for a while"
    case historyLost = "the store has forgotten where this was"
    case unknownID = "the id is not known here, or this server has started again since"
    case tooFarBack = "too much has been written since"
}

/// The last things that a tail has seen, by their position from 0.
///
/// Not safe to share: its owner has a lock.
struct TailRing {
    enum Entry: Sendable {
        case record(LoggedDelivery)
        case gap(TailGap)

        var bytes: Int {
            switch self {
            case .record(let record): record.byteCount
            case .gap: 0
            }
        }
    }

    private let most: Int
    private let mostBytes: Int
    private var entries: [Entry] = []
    /// The entries before it are forgotten, and moved over when they are many.
    private var start = 0
    private var bytes = 0
    /// Of the next entry.
    private(set) var end: UInt64 = 0

    init(most: Int, bytes: Int) {
        self.most = most
        mostBytes = bytes
    }

    /// Of the oldest entry that is there.
    private var first: UInt64 { end - UInt64(entries.count - start) }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        bytes += entry.bytes
        end += 1
        while entries.count - start > most || bytes > mostBytes {
            bytes -= entries[start].bytes
            entries[start] = .gap(.tooFarBack)
            start += 1
        }
        if start > most {
            entries.removeFirst(start)
            start = 0
        }
    }

    /// What is there from a position on.
    ///
    /// - Parameter position: 0 to ``end``.
    /// - Returns: the entries; `nil` if the first of them are forgotten.
    func entries(from position: UInt64) -> ArraySlice<Entry>? {
        guard (first...end).contains(position) else { return nil }
        return entries[(entries.count - Int(end - position))...]
    }
}
