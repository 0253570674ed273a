import WaybillEncoding

/// How many cancellations hold, beside how many may.
package struct CancellationUse: Hashable, Sendable {
    /// One of the limits.
    package struct Part: Hashable, Sendable {
        package let count: Int
        package let limit: Int
        /// Whose, in words that go behind a number; empty for all.
        package let whose: String

        package var ratio: Double { Double(count) / Double(limit) }
    }

    /// From this part on somebody should know: those that hold end by themselves after 35 days only.
    package static let nearlyFull = 0.8

    /// All together.
    package let all: Part
    /// Of all limits the one that is used most.
    package let fullest: Part

    init(_ cancellations: [Cancellation]) {
        var count = 0
        var clients: [ExactName: Int] = [:]
        for cancellation in cancellations {
            count += 1
            if let client = cancellation.client { clients[ExactName(client), default: 0] += 1 }
        }
        all = Part(count: count, limit: Cancellation.most, whose: "")
        let ofClients = Part(
            count: clients.values.reduce(0, +),
            limit: Cancellation.mostOfClients,
            whose: " that are for a client each"
        )
        let largest = clients.min { ($1.value, $0.key) < ($0.value, $1.key) }.map {
            Part(count: $0.value, limit: Cancellation.mostOfOneClient, whose: " of the client \($0.key)")
        }
        fullest = [all, ofClients, largest].compactMap(\.self).max { $0.ratio < $1.ratio } ?? all
    }

    /// What an operator should know before cancelling is refused; `nil` while there is room.
    package var trouble: String? {
        guard fullest.ratio >= Self.nearlyFull else { return nil }
        return "\(fullest.count) cancellations\(fullest.whose) hold, and with \(fullest.limit) more are refused"
    }

    /// What to do about it.
    package static let advice =
        "Lift those that nobody needs: waybill cancel --list names them, waybill cancel --lift BATCH lifts one. "
        + "Each ends by itself after 35 days."
}

extension StandingOrders {
    /// How near to one of their limits the cancellations are.
    package var cancellationUse: CancellationUse { CancellationUse(cancelled) }
}
