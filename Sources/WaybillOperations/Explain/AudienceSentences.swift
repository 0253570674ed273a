import WaybillAudience
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillFleet
import WaybillMongo

/// What the store says of a batch that is an audience.
struct AudienceSentences {
    /// In words; empty if there is no audience of the name.
    private(set) var found: [String] = []
    /// What this user may not read.
    private(set) var obstacles: [String] = []
    /// What to do about it.
    private(set) var next: [String] = []
    /// Whether more of it is to be handed over.
    private(set) var isUnderWay = false
    /// Whether one of them has not ended.
    private(set) var isOpen = false
    /// What cancels those that have not ended by their `cancel_key`, as far as whoever asks may know it.
    private(set) var cancelledByKey: [Cancellation] = []
    /// How many of its notifications the broker has.
    private(set) var handedOver = 0
    /// When it began, or is to begin, in milliseconds since 1970; `nil` where there is none.
    private(set) var published: Int64?

    /// Whether there are audiences of the name, and none of them has handed anything over, or ever will.
    var isFutile: Bool { !found.isEmpty && !isUnderWay && handedOver == 0 }

    /// Whether all that is known of the name waits in the store: neither broker nor dispatchers have anything of it.
    var isAllInStore: Bool { !found.isEmpty && handedOver == 0 }

    /// Of nothing.
    init() {}

    /// - Parameters:
    ///   - name: of the batch.
    ///   - scope: whose audiences there are.
    ///   - recorded: how many records there are of the batch.
    ///   - cancellations: that hold.
    ///   - now: milliseconds since 1970.
    ///   - store: where the audiences are.
    init(
        _ name: String,
        _ scope: DeliveryScope,
        recorded: Int,
        cancellations: [Cancellation],
        now: Int64,
        _ store: AudienceStore
    ) {
        do throws(MongoError) {
            let records = try store.records(named: name).filter { scope.includes(client: $0.client) }
            // Whose the records are is not told apart where several have one of the name.
            let own = records.count == 1 ? recorded : 0
            for record in records {
                add(record, recorded: own, record.order(among: cancellations), scope, now: now)
            }
        } catch {
            obstacles.append("Audiences are not readable (find on audiences): \(error)")
        }
    }

    private mutating func add(
        _ record: AudienceRecord,
        recorded: Int,
        _ order: Cancellation?,
        _ scope: DeliveryScope,
        now: Int64
    ) {
        let gone = record.knownHandedOver(recorded: recorded)
        let standing = Self.standing(record, handedOver: gone, isOperator: scope == .all, now: now)
        found.append("It is an audience of \(record.client), \(standing)\(Self.leftOut(record.leftOut)).")
        if let order { found.append(Self.ordered(order, record, isTold: scope.includes(client: order.client))) }
        handedOver += gone
        isOpen = isOpen || !record.state.isEnded
        if let order, !order.batch.includes(record.id), scope.includes(client: order.client) {
            cancelledByKey.append(order)
        }
        isUnderWay = isUnderWay || (!record.state.isEnded && order == nil)
        let begins = record.state.isEnded && gone == 0 ? PublishedTimes.never : record.due
        published = min(published ?? begins, begins)
        let rest = "\(ShellWord.quoted(record.id)) --client \(ShellWord.quoted(record.client))"
        next.append("To see how far the audience is: `waybill audience show \(rest)`.")
    }

    /// That an order ends an audience, which nobody has looked at since.
    private static func ordered(_ order: Cancellation, _ record: AudienceRecord, isTold: Bool) -> String {
        // What names the batch is told of the batch.
        let isByName = order.batch.includes(record.id)
        if isByName, isTold { return "Nothing more of the audience is handed over." }
        let who = isTold ? " by \(order.source.name)" : ""
        let key = isByName ? "" : ", by its cancel_key \(order.batch.name)"
        let time = TimeText.text(milliseconds: order.source.date)
        return "It was cancelled\(who) at \(time)\(key): nothing more of it is handed over."
    }

    /// How far an audience is, for behind its name.
    ///
    /// - Parameters:
    ///   - record: the audience's.
    ///   - handedOver: of its notifications.
    ///   - isOperator: whether whoever reads it may know who gives orders, and what runs.
    ///   - now: milliseconds since 1970; one that was due long before waits for somebody to expand it.
    /// - Returns: neither what was left out nor what cancels it.
    private static func standing(_ record: AudienceRecord, handedOver: Int, isOperator: Bool, now: Int64) -> String {
        let end = record.finishedAt.map { " at \(TimeText.text(milliseconds: $0))" } ?? ""
        let reason = isOperator ? record.reason : nil
        switch record.state {
        case .done: return "which has ended\(end), with \(handedOver) of \(record.expanded) found handed over"
        case .cancelled:
            let by = reason.map { $0.hasPrefix("cancelled") ? $0 : "cancelled (\($0))" } ?? "cancelled"
            return "which was \(by)\(end), after \(handedOver) were handed over: nothing more of it is"
        case .failed:
            return "which failed\(end), after \(handedOver) were handed over\(record.reason.map { ": \($0)" } ?? "")"
        case .waiting, .expanding:
            if record.isHeld {
                return "which is \(HandoverWords.held(handedOver: handedOver, until: "whoever holds it lets it go on"))"
            }
            guard record.state == .waiting else {
                let found = record.expanded
                return "which is \(HandoverWords.sending(since: record.due, handedOver: handedOver, found: found))"
            }
            guard record.due + tolerance < now else { return "which \(HandoverWords.waits(until: record.due))" }
            let question = isOperator ? ": does waybill fanout run?" : ""
            return "which was due at \(TimeText.text(milliseconds: record.due)), and nobody has begun\(question)"
        }
    }

    /// So long after it was due somebody expands an audience, in milliseconds.
    private static let tolerance: Int64 = 20_000

    private static func leftOut(_ leftOut: AudienceLeftOut) -> String {
        let reasons = [
            (leftOut.withoutLane, "without a lane"), (leftOut.withoutContent, "without content for their provider"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return reasons.isEmpty ? "" : "; left out: \(reasons.joined(separator: ", "))"
    }
}
