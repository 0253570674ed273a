import WaybillAudience
import WaybillCore
import WaybillEncoding
import WaybillFleet

/// What is said of audiences that somebody cancels, by their name or by their `cancel_key`.
enum CancelledAudiences {
    /// So many are named one by one.
    private static let mostNamed = 10

    /// What has become of them by now.
    ///
    /// - Parameters:
    ///   - id: as it was given.
    ///   - named: those of this name.
    ///   - keyed: those with this `cancel_key`.
    /// - Returns: that nothing more is sent, with how many were handed over.
    static func words(_ id: String, named: [AudienceRecord], keyed: [AudienceRecord]) -> String {
        var known = known(named: named, keyed: keyed)
        if known.isEmpty { known.append("no audience has this name or this cancel_key by now") }
        return "nothing more of \(Cell.printable(id)) will be sent; \(known.joined(separator: "; "))"
    }

    /// How many were handed over of those of a name, and of those with it for their `cancel_key`; empty where there are none.
    static func known(named: [AudienceRecord], keyed: [AudienceRecord]) -> [String] {
        var known: [String] = []
        if !named.isEmpty {
            known.append("\(named.reduce(0) { $0 + $1.handedOver }) were handed over by now")
        }
        if !keyed.isEmpty {
            let rest = keyed.count > mostNamed ? ", and of \(keyed.count - mostNamed) more" : ""
            let audiences = keyed.prefix(mostNamed).map { record in
                "\(Cell.printable(record.id)) of \(Cell.printable(record.client)) (\(standing(record)))"
            }
            known.append("it is the cancel_key of \(audiences.joined(separator: ", "))\(rest)")
        }
        return known
    }

    /// That there is nothing left to cancel, because an order that holds has ended all of it.
    ///
    /// Another order would only move the time of the first one.
    ///
    /// - Parameters:
    ///   - id: as it was given.
    ///   - client: for whom alone; `nil` for all.
    ///   - known: audiences of this name.
    ///   - keyed: those with this `cancel_key`.
    ///   - orders: that hold.
    /// - Returns: `nil` where there is something to cancel, or it is not known.
    static func alreadyEnded(
        _ id: String,
        _ client: String?,
        known: [AudienceRecord],
        keyed: [AudienceRecord],
        orders: [Cancellation]
    ) -> String? {
        let isGiven = orders.contains { order in
            order.isSameOrder(as: Cancellation(batch: BatchName(id), client: client, source: order.source))
        }
        guard isGiven, !known.isEmpty, known.allSatisfy({ $0.state == .cancelled }), keyed.allSatisfy(\.state.isEnded)
        else { return nil }
        let ends = known.compactMap(\.finishedAt).max().map { " at \(TimeText.text(milliseconds: $0))" } ?? ""
        let handedOver = known.reduce(0) { $0 + $1.handedOver }
        return
            "\(Cell.printable(id)) has ended as cancelled\(ends) already, after \(handedOver) were handed over; the order stands as "
            + "it was given"
    }

    private static func standing(_ record: AudienceRecord) -> String {
        let end = record.state.isEnded ? "\(record.state.rawValue), " : ""
        return "\(end)\(record.handedOver) handed over"
    }
}
