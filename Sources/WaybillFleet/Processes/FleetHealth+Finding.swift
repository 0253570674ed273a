extension FleetHealth {
    /// How bad it is; the worst counts.
    package enum Grade: Int, Comparable, Sendable {
        case healthy
        /// Pushes go out, and something needs a look.
        case degraded
        /// Pushes do not go out.
        case down

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// What several findings come from.
    package enum Subject: String, Sendable {
        case broker, brokerAlarm, store
        /// The broker answers, and a queue or the exchange is not there.
        case queues
    }

    /// One thing that is not as it should be.
    package struct Finding: Hashable, Sendable {
        package let kind: FindingKind
        package let grade: Grade
        /// What is wrong and since when, in one line.
        package let text: String
        /// What to do about it, as sentences; `nil` where nobody knows more than the text.
        package let advice: String?
        /// What is to be looked at, of which people are told once what to do about it; `nil` where the advice alone tells.
        package let subject: Subject?
        /// The lane that it is about; `nil` where it is about none, or about more than one.
        package let lane: String?

        package init(
            _ kind: FindingKind,
            _ grade: Grade,
            _ text: String,
            advice: String? = nil,
            subject: Subject? = nil,
            lane: String? = nil
        ) {
            self.kind = kind
            self.lane = lane
            self.grade = grade
            self.text = text
            self.advice = advice
            self.subject = subject
        }

        /// What somebody is told already, who is told the advice of other findings.
        package var adviceKey: String? { advice.map { subject?.rawValue ?? $0 } }
    }
}
