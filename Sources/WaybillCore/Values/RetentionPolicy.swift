package import WaybillEncoding

/// How long each client's records are kept: part of the contract with the client, so there is no built-in default.
package struct RetentionPolicy: Hashable, Sendable {
    /// How long a record is kept.
    package enum Period: Hashable, Sendable {
        /// Whole days of 24 hours from the record's date.
        case days(Int)
        /// Forever: the record has no `expires_at`.
        case keep
    }

    /// What becomes of the records of a client that the configuration does not name, where it names any.
    ///
    /// A slip in a client's name must not delete what was meant to be kept.
    package enum Unknown: String, CaseIterable, Sendable {
        /// Recorded without an expiry until somebody names the client.
        case keep
        /// The default period.
        case `default`
        /// Its messages go to the rejected queue.
        case reject
    }

    /// For named clients without a period of their own, and for messages without a client.
    package var defaultPeriod: Period
    /// By client name, exactly as messages spell it.
    package var clients: [ExactName: Period]
    /// Clients that are named without a period: they have the default.
    package var otherClients: Set<ExactName>
    package var unknown: Unknown

    package init(
        default defaultPeriod: Period,
        clients: [ExactName: Period] = [:],
        otherClients: Set<ExactName> = [],
        unknown: Unknown = .keep
    ) {
        self.defaultPeriod = defaultPeriod
        self.clients = clients
        self.otherClients = otherClients
        self.unknown = unknown
    }

    /// Whether a client is one that the configuration should name and does not.
    ///
    /// A configuration that names nobody knows everybody, and a message without a client is nobody's.
    package func isUnknown(_ client: String?) -> Bool {
        guard let client, !(clients.isEmpty && otherClients.isEmpty) else { return false }
        return clients[client] == nil && !otherClients.containsExactly(client)
    }

    /// All names that the configuration has, in order.
    package var names: [String] { otherClients.union(clients.keys).sortedTexts }

    /// The period of a client's records.
    package func period(for client: String?) -> Period {
        guard let client, !clients.isEmpty || !otherClients.isEmpty else { return defaultPeriod }
        if let period = clients[client] { return period }
        return otherClients.containsExactly(client) || unknown == .default ? defaultPeriod : .keep
    }

    /// When a client's record of a date may be deleted, both in milliseconds since 1970; `nil` for never.
    package func expiresAt(date: Int64, client: String?) -> Int64? {
        switch period(for: client) {
        case .days(let days): date + Int64(days) * Self.millisecondsPerDay
        case .keep: nil
        }
    }

    private static let millisecondsPerDay: Int64 = 86_400_000
}

extension RetentionPolicy.Period: CustomStringConvertible {
    /// The longest period, a hundred years: what is meant to last longer is meant to be kept.
    package static let maximumDays = 36_500

    /// Reads the form of the configuration, `30d` or `keep`; `nil` for anything else, zero days included.
    package init?(_ text: some StringProtocol) {
        if text == "keep" {
            self = .keep
            return
        }
        guard let duration = DurationText.parse(text, in: [.days]) else { return nil }
        let days = Int(duration.components.seconds / 86_400)
        guard (1...Self.maximumDays).contains(days) else { return nil }
        self = .days(days)
    }

    package var description: String {
        switch self {
        case .days(let days): "\(days)d"
        case .keep: "keep"
        }
    }
}
