package import WaybillFleet

/// Something that keeps notifications from being sent at this moment, or has kept them until just now.
package struct Obstacle: Hashable, Sendable {
    /// Whose notifications it keeps; `nil` for those of all lanes.
    package var lane: String?
    /// What it is, in a sentence.
    package var text: String
    /// What ends it, in sentences; `nil` where nobody can do more than wait, or know.
    package var remedy: String?
    /// What is to be looked at, of which people are told once what to do about it; `nil` where the remedy alone tells.
    package var subject: FleetHealth.Subject?

    package init(
        _ text: String,
        remedy: String? = nil,
        lane: String? = nil,
        subject: FleetHealth.Subject? = nil
    ) {
        self.lane = lane
        self.text = text
        self.remedy = remedy
        self.subject = subject
    }
}

extension [Obstacle] {
    /// What ends them: once what helps against several.
    var remedies: [String] {
        var told: Set<String> = []
        return compactMap { obstacle in
            guard let remedy = obstacle.remedy, told.insert(obstacle.subject?.rawValue ?? remedy).inserted else {
                return nil
            }
            return remedy
        }
    }
}
