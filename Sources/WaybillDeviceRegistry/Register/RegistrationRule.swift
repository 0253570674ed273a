/// What a registration does to the registry.
package enum RegistrationOutcome: String, CaseIterable, Hashable, Sendable {
    /// The token is new.
    case registered
    /// It was disabled or suspected, and may be pushed to from now on.
    case again
    /// It is known; that it was seen is noted.
    case seen
    /// It is known; what it says of itself has changed.
    case updated
    /// Nothing has changed, and it was noted within the last hour.
    case recent
    /// It tells of a time before what the registry knows, or of no time a token that is disabled: nothing is changed.
    case older
}

/// What becomes of a registration: the one rule.
///
/// Its honest time decides. A dead token comes back only by a registration after its death, one that a person or a log-out has
/// disabled only by one after that; one without a time brings nothing back.
enum RegistrationRule {
    /// How often it is noted that a device was seen: an app that starts a hundred times a day makes no hundred writes.
    static let seenInterval: Int64 = 3_600_000

    /// Decides of an entry, which may be a registration, or what an export has of a device.
    ///
    /// An export restores what the registry does not know. Of a token that it knows, only the app's word counts: that it was
    /// disabled when it was exported may be long over.
    static func decide(
        _ entry: DeviceEntry,
        changes: Bool,
        moves: Bool = false,
        _ life: DeviceLife?
    ) -> RegistrationOutcome {
        if let life, let restoration = entry.restoration, !restoration.isSound {
            return entry.life == life && !changes ? .recent : .older
        }
        return decide(time: entry.lastWord, changes: changes, moves: moves, life)
    }

    /// Decides from a registration and what the registry holds.
    ///
    /// - Parameters:
    ///   - time: when the app registered, in milliseconds since 1970; `nil` if nobody knows.
    ///   - changes: whether it says anything that the registry does not.
    ///   - moves: whether it says the token under another id: of that id's tokens this is the latest then, and its time counts.
    ///   - life: what the registry holds of the token; `nil` if nothing.
    /// - Returns: what to do.
    static func decide(time: Int64?, changes: Bool, moves: Bool = false, _ life: DeviceLife?) -> RegistrationOutcome {
        guard let life else { return .registered }
        guard let time else { return life.isEnabled ? (changes ? .updated : .recent) : .older }
        if let end = life.end { return time > end ? .again : .older }
        guard let lastWord = life.lastWord else {
            return life.suspectedAt.map { time > $0 } ?? false ? .again : .updated
        }
        guard time >= lastWord else { return .older }
        if let suspectedAt = life.suspectedAt, time > suspectedAt { return .again }
        if moves || time - lastWord >= seenInterval { return .seen }
        return changes ? .updated : .recent
    }
}
