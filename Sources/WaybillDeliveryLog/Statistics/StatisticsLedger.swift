import Synchronization

/// What one writer has counted and not closed, minute by minute.
///
/// The records of a minute are written only while a document of it is open in the store, so that whoever finds it open after
/// the writer's end knows which minutes are in doubt. Three rules follow from that:
/// - A bulk reserves its minutes before it is written and settles them afterwards; what is reserved is not closed.
/// - A document is closed once, with exact totals; or given up as doubtful, when its writer cannot tell what it has written,
///   or may have been taken for dead. What comes later of the same minute goes into another document.
/// - Whoever has not told the store for ``StatisticsPace/freshness`` that it is there gives up all it has open.
///
/// *Thread:* any; one lock for a whole bulk.
package final class StatisticsLedger: Sendable {
    /// Tells writers apart: each run of a dispatcher is another one.
    let writer: String
    package let pace: StatisticsPace
    private let state = Mutex(State())

    package init(pace: StatisticsPace = .init()) {
        writer = (0..<2).map { _ in String(UInt64.random(in: 0 ... .max), radix: 16) }.joined()
        self.pace = pace
    }

    /// The minutes of one bulk, and the documents that they are counted in.
    package struct Reservation: Sendable {
        fileprivate(set) var documents: [StatisticsMinute: Int] = [:]
        /// How many gaps there had been when it was made.
        fileprivate var gaps = 0

        package var minutes: some Sequence<StatisticsMinute> { documents.keys }
    }

    /// What is to be written of one document.
    struct Flush {
        enum Kind {
            case running
            case closing
            case doubting
            /// It was taken over: that it lacks something is said in another document.
            case lost
        }

        let number: Int
        let minute: StatisticsMinute
        let kind: Kind
        let sequence: Int
        let cells: [StatisticsKey: StatisticsCounts]
        fileprivate let revision: Int
    }

    private struct Document {
        enum End {
            case exact
            case doubtful
            case lost
        }

        let minute: StatisticsMinute
        var isInserted = false
        /// Bulks that are under way.
        var writing = 0
        var cells: [StatisticsKey: StatisticsCounts] = [:]
        var revision = 0
        var writtenRevision = 0
        var flushes = 0
        var lastUse: ContinuousClock.Instant
        /// How it is to end, as soon as no bulk is under way.
        var end: End?
    }

    private struct State {
        var documents: [Int: Document] = [:]
        /// What new records of a minute go into.
        var current: [StatisticsMinute: Int] = [:]
        var nextNumber = 0
        var lastSeen: ContinuousClock.Instant?
        /// How often the store had not heard for too long that the writer is there.
        var gaps = 0

        mutating func end(_ number: Int, _ end: Document.End) {
            guard let minute = documents[number]?.minute else { return }
            if current[minute] == number { current[minute] = nil }
            // What is lost stays lost, and what is doubtful does not become exact.
            if documents[number]?.end == nil || documents[number]?.end == .exact { documents[number]?.end = end }
            if end == .lost { documents[number]?.end = .lost }
        }
    }

    /// How many cells a document has before the next one is begun: far below what a document can hold.
    static let cellLimit = 4_000

    // MARK: - A bulk

    /// Reserves the minutes of a bulk.
    package func reserve(_ minutes: some Sequence<StatisticsMinute>) -> Reservation {
        let now = ContinuousClock.now
        return state.withLock { state in
            var reservation = Reservation()
            reservation.gaps = state.gaps
            for minute in minutes where reservation.documents[minute] == nil {
                let number: Int
                if let known = state.current[minute] {
                    number = known
                } else {
                    number = state.nextNumber
                    state.nextNumber += 1
                    state.documents[number] = Document(minute: minute, lastUse: now)
                    state.current[minute] = number
                }
                state.documents[number]?.writing += 1
                reservation.documents[minute] = number
            }
            return reservation
        }
    }

    /// What of a reservation is not in the store yet.
    func missing(_ reservation: Reservation) -> [(number: Int, minute: StatisticsMinute)] {
        state.withLock { state in
            reservation.documents.compactMap { minute, number in
                state.documents[number]?.isInserted == true ? nil : (number, minute)
            }
        }
    }

    /// These are open in the store.
    func inserted(_ numbers: [Int]) {
        state.withLock { state in for number in numbers { state.documents[number]?.isInserted = true } }
    }

    /// Adds what a bulk has written, and ends its reservation.
    ///
    /// - Parameters:
    ///   - reservation: of the bulk.
    ///   - tally: what it has written.
    ///   - doubtful: the minutes of which that is not sure.
    package func settle(
        _ reservation: Reservation,
        _ tally: borrowing StatisticsTally,
        doubtful: Set<StatisticsMinute>
    ) {
        settle(reservation, tally.cells, doubtful)
    }

    /// Ends the reservation of a bulk that was not written at all.
    package func release(_ reservation: Reservation) {
        settle(reservation, [], [])
    }

    /// Ends the reservation of a bulk of which nobody knows whether it was written.
    package func abandon(_ reservation: Reservation) {
        settle(reservation, [], Set(reservation.documents.keys))
    }

    private func settle(
        _ reservation: Reservation,
        _ cells: [StatisticsTally.Cell],
        _ doubtful: Set<StatisticsMinute>
    ) {
        let now = ContinuousClock.now
        state.withLock { state in
            for cell in cells where cell.counts.count > 0 {
                guard let number = reservation.documents[cell.minute] else { continue }
                state.documents[number]?.cells[cell.key, default: StatisticsCounts()].add(cell.counts)
            }
            for (minute, number) in reservation.documents {
                state.documents[number]?.writing -= 1
                state.documents[number]?.revision += 1
                state.documents[number]?.lastUse = now
                if doubtful.contains(minute) {
                    state.end(number, .doubtful)
                } else if state.documents[number].map({ $0.cells.count > Self.cellLimit }) == true {
                    state.end(number, .exact)
                }
            }
        }
    }

    // MARK: - The writer's presence

    /// Whether the store has not heard for too long that the writer is there.
    package var isStale: Bool {
        let now = ContinuousClock.now
        return state.withLock { $0.lastSeen.map { now - $0 > pace.freshness } ?? true }
    }

    /// Whether the writer may have been taken for dead since it made a reservation: what was recounted meanwhile may lack the
    /// records of that bulk.
    package func mayBeTakenOver(since reservation: Reservation) -> Bool {
        let now = ContinuousClock.now
        return state.withLock { state in
            // Another thread may have told the store meanwhile that the writer is there: that ends no doubt.
            state.gaps != reservation.gaps || state.lastSeen.map { now - $0 > pace.freshness } ?? true
        }
    }

    /// Whether nothing was ever written.
    package var isUnused: Bool { state.withLock { $0.lastSeen == nil } }

    /// The store has been told that the writer is there.
    ///
    /// - Parameter begin: just before that was said.
    func renewed(at begin: ContinuousClock.Instant) {
        state.withLock { state in
            if let last = state.lastSeen, begin - last > pace.freshness {
                state.gaps += 1
                // Those too whose insertion was not answered: they may be in the store, and taken over.
                for number in state.current.values { state.end(number, .doubtful) }
            }
            state.lastSeen = max(begin, state.lastSeen ?? begin)
        }
    }

    // MARK: - Writing down

    /// What is to be written now.
    ///
    /// - Parameter isEnding: whether nothing more will come: then everything is closed that nobody writes to.
    /// - Returns: what each document should say; ``done(_:)`` or ``takenOver(_:)`` tells what became of that.
    func due(isEnding: Bool) -> [Flush] {
        let now = ContinuousClock.now
        return state.withLock { state in
            for (number, document) in state.documents where document.end == nil && document.writing == 0 {
                if isEnding || now - document.lastUse > pace.idle { state.end(number, .exact) }
            }
            var due: [Flush] = []
            for (number, document) in state.documents {
                guard document.isInserted else {
                    // Its insertion never came about, and nothing was written.
                    if document.writing == 0, document.end != nil { state.documents[number] = nil }
                    continue
                }
                let kind: Flush.Kind
                if let end = document.end, document.writing == 0 {
                    kind =
                        switch end {
                        case .exact: .closing
                        case .doubtful: .doubting
                        case .lost: .lost
                        }
                } else if document.revision != document.writtenRevision, document.end != .lost {
                    kind = .running
                } else {
                    continue
                }
                state.documents[number]?.flushes += 1
                due.append(
                    Flush(
                        number: number,
                        minute: document.minute,
                        kind: kind,
                        sequence: document.flushes + 1,
                        cells: document.cells,
                        revision: document.revision
                    )
                )
            }
            return due
        }
    }

    /// It stands in the store.
    func done(_ flush: Flush) {
        state.withLock { state in
            if flush.kind == .running {
                state.documents[flush.number]?.writtenRevision = flush.revision
            } else {
                state.documents[flush.number] = nil
            }
        }
    }

    /// The document in the store is no longer the writer's.
    func takenOver(_ flush: Flush) {
        state.withLock { $0.end(flush.number, .lost) }
    }
}
