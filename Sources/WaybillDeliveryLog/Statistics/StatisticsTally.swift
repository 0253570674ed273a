package import WaybillCore

/// Counts the records of one bulk: which cell each belongs to while they are made, and how many of each cell there are when
/// it is known which of them have become records.
///
/// Nothing is allocated, hashed or retained for a record that is like one of the last few.
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

    private struct Recent {
        let shape: RecordShape
        let cell: Int32
        /// Keeps the texts alive whose addresses the shape has, so that no other text comes to have them.
        let key: StatisticsKey
    }

    private(set) var cells: [Cell] = []
    /// By entry: which cell it is of, and its class of latency; −1 for none.
    private var marks: [(cell: Int32, bucket: Int8)] = []
    private var index: [Place: Int32] = [:]
    /// What was met last, the latest at the end: neighbours are mostly of one of few.
    private var recent: [Recent] = []
    private static let recentCount = 6
    /// By cell: a number for each class of latency, and one for those without any.
    private var numbers: [Int] = []
    private static let numbersOfCell = LatencyBuckets.count + 1

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
        let shape = RecordShape(record)
        let bucket = record.latencyMilliseconds.map { Int8(truncatingIfNeeded: LatencyBuckets.index(of: $0)) } ?? -1
        for place in recent.indices.reversed() where recent[place].shape == shape {
            return marks[position] = (recent[place].cell, bucket)
        }
        marks[position] = (cell(of: record, shape), bucket)
    }

    /// The cell of a record that is unlike the last few.
    @inline(never)
    private mutating func cell(of record: borrowing DeliveryRecord, _ shape: RecordShape) -> Int32 {
        let place = Place(minute: StatisticsMinute(record), key: StatisticsKey(record))
        let cell: Int32
        if let known = index[place] {
            cell = known
        } else {
            cell = Int32(truncatingIfNeeded: cells.count)
            cells.append(Cell(minute: place.minute, key: place.key))
            index[place] = cell
        }
        if recent.count == Self.recentCount { recent.removeFirst() }
        recent.append(Recent(shape: shape, cell: cell, key: place.key))
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
        let doubtful = leaveOut(result, mayBeOwn: mayBeOwn)
        numbers.removeAll(keepingCapacity: true)
        numbers.append(contentsOf: repeatElement(0, count: cells.count * Self.numbersOfCell))
        for mark in marks where mark.cell >= 0 {
            numbers[Int(mark.cell) * Self.numbersOfCell + Int(mark.bucket) + 1] += 1
        }
        for cell in cells.indices {
            let first = cell * Self.numbersOfCell
            cells[cell].counts.add(numbers[first], bucket: nil)
            for bucket in 0..<LatencyBuckets.count {
                cells[cell].counts.add(numbers[first + bucket + 1], bucket: bucket)
            }
        }
        return doubtful
    }

    /// Takes away the marks of what was not written, and of what may have been.
    private mutating func leaveOut(
        _ result: borrowing LogWriteResult,
        mayBeOwn: (Int) -> Bool
    ) -> Set<StatisticsMinute> {
        guard !result.met.isEmpty || !result.refused.isEmpty else { return [] }
        let refused = Set(result.refused.map(\.position))
        for position in refused { marks[position].cell = -1 }
        // Either all that met a record have taken its place, or none; in between the store does not say which.
        let replaced = result.replacedOthers
        let others = replaced == 0 ? 0 : result.met.count { !refused.contains($0) }
        var doubtful: Set<StatisticsMinute> = []
        for position in result.met where marks[position].cell >= 0 {
            let isKnown =
                !mayBeOwn(position) && result.overruled == 0 && (replaced == 0 || replaced == others)
            if !isKnown { doubtful.insert(cells[Int(marks[position].cell)].minute) }
            if !isKnown || replaced == 0 { marks[position].cell = -1 }
        }
        return doubtful
    }
}
