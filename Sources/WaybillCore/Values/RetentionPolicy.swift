/// How long each client's records are kept: part of the contract with the client, so there is no built-in default.
package struct RetentionPolicy: Hashable, Sendable {
    /// How long a record is kept.
    package enum Period: Hashable, Sendable {
        /// Whole days of 24 hours from the record's date.
        case days(Int)
        /// Forever: the record has no `expires_at`.
        case keep
    }

    /// For clients without a period of their own, and for messages without a client.
    package var defaultPeriod: Period
    /// By client name, exactly as messages spell it.
    package var clients: [String: Period]

    package init(default defaultPeriod: Period, clients: [String: Period] = [:]) {
        self.defaultPeriod = defaultPeriod
        self.clients = clients
    }

    /// The period of a client's records.
    package func period(for client: String?) -> Period {
        guard let client, !clients.isEmpty else { return defaultPeriod }
        return clients[client] ?? defaultPeriod
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
        let digits = text.dropLast()
        guard text.last == "d", !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let days = Int(digits), (1...Self.maximumDays).contains(days)
        else { return nil }
        self = .days(days)
    }

    package var description: String {
        switch self {
        case .days(let days): "\(days)d"
        case .keep: "keep"
        }
    }
}
