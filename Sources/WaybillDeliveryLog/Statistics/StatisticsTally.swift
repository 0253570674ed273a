package import WaybillCore

/// Counts the records of one bulk: which cell each belongs to while they are made, and how many of each cell there are when
/// it is known which of them have become records.
///
/// Nothing is allocated or hashed for a record that is like its neighbours.
///
/// *Thread:* one at a time.
package struct StatisticsTally {
    struct Cell {
        let minute: StatisticsMinute
        let key: StatisticsKey
        var counts = StatisticsCounts()
    }

    private struct Place: Hashable {
        let minute: StatisticsMinute
        let key: StatisticsKey
    }

    private(set) var cells: [Cell] = []
    /// By entry: which cell it is of, and its class of latency; −1 for none.
    private var marks: [(cell: Int32, bucket: Int8)] = []
    private var index: [Place: Int] = [:]
    /// The cells that were met last: neighbours are mostly of one of few.
    private var recent: [Int] = []
    private static let recentCount = 6

    package init() {}

    /// Begins anew.
    ///
    /// - Parameter count: how many entries there are.
    package mutating func begin(count: Int) {
        cells.removeAll(keepingCapacity: true)
        index.removeAll(keepingCapacity: true)
        recent.removeAll(keepingCapacity: true)
        marks.removeAll(keepingCapacity: true)
        marks.append(contentsOf: repeatElement((cell: -1, bucket: -1), count: count))
    }

    /// Takes note of the record that an entry makes; the same each time it is made.
    package mutating func note(_ record: borrowing DeliveryRecord, at position: Int) {
        guard record.outcome.isFinal else { return }
        let bucket = record.latencyMilliseconds.map { Int8(truncatingIfNeeded: LatencyBuckets.index(of: $0)) } ?? -1
        marks[position] = (Int32(truncatingIfNeeded: cell(of: record)), bucket)
    }

    private mutating func cell(of record: borrowing DeliveryRecord) -> Int {
        let minute = StatisticsMinute(record)
        for position in recent.indices.reversed() {
            let cell = recent[position]
            if cells[cell].minute == minute, cells[cell].key.isKey(of: record) { return cell }
        }
        let place = Place(minute: minute, key: StatisticsKey(record))
        let cell: Int
        if let known = index[place] {
            cell = known
        } else {
            cell = cells.count
            cells.append(Cell(minute: minute, key: place.key))
            index[place] = cell
        }
        if recent.count == Self.recentCount { recent.removeFirst() }
        recent.append(cell)
        return cell
    }

    /// Counts the entries that have become records.
    ///
    /// - Parameters:
    ///   - result: what the write did.
    ///   - mayBeOwn: whether the record that an entry met may be its own, by an earlier try whose end is not known.
    /// - Returns: the minutes of records of which nobody can tell whether they are counted.
    package mutating func count(
        _ result: borrowing LogWriteResult,
        mayBeOwn: (Int) -> Bool
    ) -> Set<StatisticsMinute> {
        let refused = Set(result.refused.map(\.position))
        for position in refused { marks[position].cell = -1 }
        // Either all that met a record have taken its place, or none; in between the store does not say which.
        let replaced = result.replacedOthers
        let others = replaced == 0 ? 0 : result.met.count { !refused.contains($0) }
        var doubtful: Set<StatisticsMinute> = []
        for position in result.met where marks[position].cell >= 0 {
            let isKnown = !mayBeOwn(position) && (replaced == 0 || replaced == others)
            if !isKnown { doubtful.insert(cells[Int(marks[position].cell)].minute) }
            if !isKnown || replaced == 0 { marks[position].cell = -1 }
        }
        for mark in marks where mark.cell >= 0 {
            cells[Int(mark.cell)].counts.add(bucket: mark.bucket < 0 ? nil : Int(mark.bucket))
        }
        return doubtful
    }
}
