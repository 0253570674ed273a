import WaybillCore
import WaybillDeliveryLog
import WaybillFleet
import WaybillMongo

/// The storms of dead tokens that dispatchers tell of, as `status` does.
struct TokenStorms {
    private struct Storm {
        let lane: String
        /// When its dispatcher last said so, in milliseconds since 1970.
        let seen: Int64
        let advice: String?
    }

    /// In milliseconds: a dispatcher looks ten seconds back, tells of a storm for a minute after its end, and writes every few seconds.
    private static let reach: Int64 = 80_000

    private let storms: [Storm]

    /// - Parameter leases: of the dispatchers that are up.
    init(_ leases: [Lease] = []) {
        storms = leases.flatMap { lease in
            ProcessReport(lease).toldTroubles.filter { $0.kind == FindingKind.deadTokens.rawValue }.compactMap {
                trouble in
                trouble.lane.map { Storm(lane: $0, seen: lease.seen, advice: trouble.advice) }
            }
        }
    }

    /// Those that tokens of records may have been called dead in; where none was, nobody is asked.
    ///
    /// - Parameters:
    ///   - records: any.
    ///   - client: the store.
    ///   - database: its database.
    init(of records: [LoggedDelivery], client: MongoClient, database: String) {
        let areAsked = records.contains { $0.outcome == Outcome.tokenInvalid.rawValue }
        self = areAsked ? SendingNow(client: client, database: database).tokenStorms : TokenStorms()
    }

    /// What is told of the storm that dead tokens are of.
    ///
    /// - Parameters:
    ///   - lane: theirs.
    ///   - last: when the last of them was called dead, in milliseconds since 1970.
    /// - Returns: the advice of the finding, which may be empty; `nil` where they are of none.
    func advice(lane: String?, last: Int64) -> String? {
        let storm = storms.first { $0.lane == lane && last >= $0.seen - Self.reach }
        return storm.map { $0.advice ?? "" }
    }

    /// What is told of the storm that a notification's token was called dead in.
    ///
    /// - Parameter record: the notification's.
    /// - Returns: as ``advice(lane:last:)``; `nil` also where its token was not called dead.
    func advice(of record: LoggedDelivery) -> String? {
        record.outcome == Outcome.tokenInvalid.rawValue ? advice(lane: record.lane, last: record.date) : nil
    }
}

extension SendingNow {
    /// Those of this moment; none where they cannot be read.
    var tokenStorms: TokenStorms { TokenStorms(dispatchers?.present ?? []) }

    /// The roles of which a process is up; `nil` where that cannot be read.
    var running: Set<String>? {
        (try? leases.get()).map { Set($0.filter { FleetHealth.isPresent($0, now: now) }.map(\.role)) }
    }
}
