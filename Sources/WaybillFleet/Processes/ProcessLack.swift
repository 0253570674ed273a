/// What a process lacks for one reason, whatever that keeps it from: people are told of an outage once for each process.
package struct ProcessLack: Hashable, Sendable {
    /// What it cannot do, to stand behind its name: `takes no messages and cannot publish to the broker`.
    package let words: String
    /// Why, in the process's words.
    package let cause: String
    /// What to do about it; `nil` where nobody knows more than the cause.
    package let advice: String?
    /// What is to be looked at; `nil` for what is neither the broker nor the store.
    package let subject: FleetHealth.Subject?
    /// What it was made of.
    let checks: [ProcessReport.Check]

    private init(_ checks: [ProcessReport.Check], _ subject: FleetHealth.Subject?) {
        // What only waits for something else, or hangs, says less than what has failed.
        let telling = checks.first { !Self.saysLittle($0.cause) } ?? checks[0]
        var named: [String] = []
        for words in checks.map({ FleetHealth.words(for: $0.name) }) where !named.contains(words) {
            named.append(words)
        }
        words = Self.list(named)
        cause = subject == .queues ? Self.missing(telling.cause) : telling.cause ?? "missing"
        advice = FindingAdvice.lacking(telling.name, cause: telling.cause)
        self.subject = subject
        self.checks = checks
    }

    /// What a process lacks, as far as it is to be told, in the order of its checks.
    ///
    /// - Parameters:
    ///   - report: the process's.
    ///   - outages: what processes lack, it among them.
    /// - Returns: one for each reason.
    package static func all(of report: ProcessReport, _ outages: Outages) -> [ProcessLack] {
        let told = (report.checks ?? []).filter { FleetHealth.isTold($0, of: report) }
        let lacksStore = outages.storeIsAway
        var groups: [(subject: FleetHealth.Subject?, checks: [ProcessReport.Check])] = []
        for check in told {
            let subject = subject(of: check, lacksStore: lacksStore)
            if let subject, let place = groups.firstIndex(where: { $0.subject == subject }) {
                groups[place].checks.append(check)
            } else {
                groups.append((subject, [check]))
            }
        }
        return groups.map { ProcessLack($0.checks, $0.subject) }
    }

    /// The cause without when it is tried again, which is another one at each moment and in each process.
    var lastingCause: String {
        Self.ofNextAttempt.compactMap { cause.firstRange(of: $0)?.lowerBound }.min().map { String(cause[..<$0]) }
            ?? cause
    }

    private static let ofNextAttempt = ["; the next attempt", "; it is tried again"]

    /// Whether others who lack the same say more of it.
    var saysLittle: Bool { Self.saysLittle(cause) }

    /// What reads the store has advice of its own, and where the store is away it is away for that.
    private static func subject(of check: ProcessReport.Check, lacksStore: Bool) -> FleetHealth.Subject? {
        let isReader = check.name == "log" || check.name == "webhooks"
        return isReader && lacksStore ? .store : FindingAdvice.subject(check.name, cause: check.cause)
    }

    /// What is not there, and when it is looked for again.
    private static func missing(_ cause: String?) -> String {
        guard let cause, let missing = MissingOnBroker(in: cause) else { return "missing" }
        let next = ofNextAttempt.compactMap { cause.firstRange(of: $0)?.lowerBound }.min()
        return missing.words + (next.map { String(cause[$0...]) } ?? "")
    }

    private static func saysLittle(_ cause: String?) -> Bool {
        guard let cause else { return true }
        return cause.hasPrefix("waits for ") || cause.hasPrefix(FindingAdvice.nothingHeard)
    }

    private static func list(_ words: [String]) -> String {
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " and " + last
    }
}
