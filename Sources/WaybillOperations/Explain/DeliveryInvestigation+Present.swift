import WaybillCore
import WaybillDeliveryLog
import WaybillFleet
import WaybillProviders

extension DeliveryInvestigation {
    /// What keeps notifications from being sent now, where one of them is not final, or none is recorded.
    struct Present {
        var obstacles: [Obstacle] = []
        var openLanes: Set<String> = []
        var underWay: [String] = []
        /// Whether it may be in the hands of a dispatcher.
        var mayBeInHand = false

        var sentences: [String] { obstacles.map(\.text) + underWay }
        /// What to do: where nothing can be done against what keeps it, that nothing has to be.
        var next: [String] {
            let remedies = obstacles.remedies
            return remedies.isEmpty && mayBeInHand ? [SendingNow.nothingToDoYet] : remedies
        }
    }

    /// What keeps records from being sent that are not final; of a device's, which may have been sent more, what has no answer.
    ///
    /// - Parameters:
    ///   - records: all that are told of; none where nothing is recorded.
    ///   - isDevice: whether they are a device's.
    ///   - published: when that was published of which nothing is recorded, in milliseconds since 1970.
    ///   - waiting: what the broker says of its queues; `nil` where nobody has asked it.
    /// - Returns: nothing where nothing does.
    func present(
        of records: [LoggedDelivery],
        isDevice: Bool = false,
        published: Int64? = nil,
        waiting: RejectedGlance.Waiting? = nil
    ) -> Present {
        let deferred = records.filter { $0.outcome == Outcome.deferred.rawValue }
        guard records.isEmpty || !deferred.isEmpty else {
            guard isDevice, audience.isOperator else { return Present() }
            let lanes = Set(records.compactMap(\.lane))
            let unanswered = SendingNow(client: client, database: database).unanswered(lanes: lanes)
            return Present(underWay: unanswered.isEmpty ? [] : unanswered + [Self.newerOne])
        }
        let due = deferred.compactMap { record in
            RetryTime(of: record, policy: retry, provider: ProviderName(ofRecord: record.provider)).map {
                (lane: record.lane, by: $0.latest)
            }
        }
        return present(
            SendingNow(client: client, database: database, waiting: waiting),
            lanes: Self.lanes(deferred.map(\.lane)),
            unrecorded: records.isEmpty ? .all : .nothing,
            published: PublishedTimes(
                unrecorded: records.isEmpty ? published : nil,
                lanes: Dictionary(
                    deferred.compactMap { record in record.lane.map { ($0, record.messageTime ?? record.date) } },
                    uniquingKeysWith: min
                )
            ),
            due: due
        )
    }

    private static let newerOne =
        "One of this device may be among them, which has no record before it is answered or given up."

    /// What keeps from being sent, as far as it is the business of who asks.
    ///
    /// - Parameters:
    ///   - sending: what dispatchers and orders say.
    ///   - lanes: the lanes that it is about; `nil` where it may be any.
    ///   - unrecorded: what may be under way without a record.
    ///   - published: when it was published.
    ///   - due: by when the delays of what is recorded are over, in milliseconds since 1970: of what has a record, that is the one time that is told.
    /// - Returns: nothing where nothing does.
    func present(
        _ sending: SendingNow,
        lanes: Set<String>?,
        unrecorded: Unrecorded,
        published: PublishedTimes,
        due: [(lane: String?, by: Int64)] = []
    ) -> Present {
        let ends =
            unrecorded == .nothing
            ? Dictionary(due.compactMap { due in due.lane.map { ($0, due.by) } }, uniquingKeysWith: max) : [:]
        guard audience.isOperator else {
            let own = lanes ?? KnownNames(client: client, database: database, scope: scope).countedLanes
            return Present(
                obstacles: sending.obstaclesForClients(
                    lanes: own,
                    areConcerned: lanes != nil || unrecorded == .all,
                    published: published,
                    ends: ends
                ),
                openLanes: sending.openLanes.intersection(own)
            )
        }
        let obstacles = sending.obstacles(
            lanes: lanes,
            isUnrecorded: unrecorded == .all,
            published: published,
            ends: ends
        )
        let inHand =
            unrecorded == .nothing ? [] : sending.underWay(unrecorded, published: published.unrecorded)
        let unanswered = sending.unanswered(lanes: lanes, except: Set(obstacles.compactMap(\.lane)))
        return Present(
            obstacles: obstacles + sending.unreadQueues,
            openLanes: sending.openLanes,
            underWay: inHand.isEmpty ? [] : inHand + unanswered,
            mayBeInHand: !inHand.isEmpty
        )
    }

    /// The lanes that records are of; `nil` where it may be any.
    static func lanes(_ lanes: [String?]) -> Set<String>? {
        lanes.isEmpty || lanes.contains(nil) ? nil : Set(lanes.compactMap(\.self))
    }
}
