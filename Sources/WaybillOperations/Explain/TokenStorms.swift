import WaybillCore
import WaybillDeliveryLog
import WaybillFleet
import WaybillMongo
import WaybillThreads

/// The storms of dead tokens that dispatchers tell of, as `status` does, and the minutes of which it is not known whether they had one.
struct TokenStorms {
    /// Why a token may live that was called dead.
    enum Doubt: Hashable, Sendable {
        /// Many were called dead at once; with the advice of the finding, which may be empty.
        case storm(advice: String)
        /// A dispatcher has gone before it had counted what it recorded then.
        case uncounted
        /// The store does not say whether many were called dead at once.
        case unread
    }

    private struct Storm {
        let lane: String
        /// When its dispatcher last said so, in milliseconds since 1970.
        let seen: Int64
        let advice: String?
    }

    /// In milliseconds: a dispatcher looks ten seconds back, tells of a storm for a minute after its end, and writes every few seconds.
    private static let reach: Int64 = 80_000
    /// In minutes: what messages of one minute may have said of tokens afterwards, and be part of a storm.
    private static let window: Int64 = 10
    /// In minutes: what was carried out longer ago is not taken back any more.
    private static let longest: Int64 = 120

    private let storms: [Storm]
    /// In whole minutes since 1970.
    private let uncounted: Set<Int64>
    /// From which minute on the store could not be asked; `nil` where it could.
    private let unread: Int64?

    /// - Parameters:
    ///   - leases: of the dispatchers that are up.
    ///   - uncounted: minutes of messages, in whole minutes since 1970.
    ///   - unread: from which minute on the store could not be asked; `nil` where it could.
    init(_ leases: [Lease] = [], uncounted: Set<Int64> = [], unread: Int64? = nil) {
        storms = leases.flatMap { lease in
            ProcessReport(lease).toldTroubles.filter { $0.kind == FindingKind.deadTokens.rawValue }.compactMap {
                trouble in
                trouble.lane.map { Storm(lane: $0, seen: lease.seen, advice: trouble.advice) }
            }
        }
        self.uncounted = uncounted
        self.unread = unread
    }

    /// Those that tokens of records may have been called dead in; where none was, nobody is asked.
    ///
    /// - Parameters:
    ///   - records: any.
    ///   - client: the store.
    ///   - database: its database.
    init(of records: [LoggedDelivery], client: MongoClient, database: String) {
        let dates = records.filter { $0.outcome == Outcome.tokenInvalid.rawValue }.map(\.date)
        self =
            dates.max().map { TokenStorms(last: $0, SendingNow(client: client, database: database), client, database) }
            ?? TokenStorms()
    }

    /// The same.
    ///
    /// - Parameters:
    ///   - last: when the last of the tokens was called dead, in milliseconds since 1970.
    ///   - sending: has the leases.
    ///   - client: the store.
    ///   - database: its database.
    init(last: Int64, _ sending: SendingNow, _ client: MongoClient, _ database: String) {
        let now = sending.now / 60_000
        guard last / 60_000 >= now - Self.longest else {
            self.init(sending.presentDispatchers)
            return
        }
        let reader = StatisticsReader(client: client, database: database, scope: .all)
        let minutes = try? reader.minutesInDoubt(of: now - Self.longest - Self.window...now + 1)
        self.init(
            sending.presentDispatchers,
            uncounted: Set((minutes ?? []).map(\.number)),
            unread: minutes == nil || sending.dispatchers == nil ? now - Self.longest : nil
        )
    }

    /// What puts dead tokens in doubt.
    ///
    /// - Parameters:
    ///   - lane: theirs.
    ///   - last: when the last of them was called dead, in milliseconds since 1970.
    /// - Returns: `nil` where nothing does.
    func doubt(lane: String?, last: Int64) -> Doubt? {
        if let storm = storms.first(where: { $0.lane == lane && last >= $0.seen - Self.reach }) {
            return .storm(advice: storm.advice ?? "")
        }
        let minute = last / 60_000
        if (minute - Self.window...minute + 1).contains(where: uncounted.contains) { return .uncounted }
        return unread.map { minute >= $0 } == true ? .unread : nil
    }

    /// What puts the token of a notification in doubt.
    ///
    /// - Parameter record: the notification's.
    /// - Returns: as ``doubt(lane:last:)``; `nil` also where its token was not called dead.
    func doubt(of record: LoggedDelivery) -> Doubt? {
        record.outcome == Outcome.tokenInvalid.rawValue ? doubt(lane: record.lane, last: record.date) : nil
    }
}
