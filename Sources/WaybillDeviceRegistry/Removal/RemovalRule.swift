package import WaybillCore

/// When an event ends the registration of a device token, and when it casts doubt on it: the one rule.
///
/// A registration ends only on the date from which on the token is known to be dead (`invalid_since`), held against the
/// last word of the app, when it has registered the token or told it again: it may have done so since. A dead token without such a date ends no dated
/// registration; it makes it a suspect, because a wrong guess would silence a live device, and the next push brings the
/// date. A suspicion is compared with the time at which it arose, and makes no document: whoever may write events would
/// make devices with it.
///
/// The writes carry its conditions in their filters (`DeviceFilter`), where the server holds them against the document that
/// is there at that moment; ``decide(_:_:)`` says what the others mean.
package enum RemovalRule {
    /// What a registration that is not disabled must be like for a write to change it.
    struct Condition: Hashable {
        /// Registered or seen at this time at the latest, or nobody knows when; `nil`: nobody knows when.
        var latestWord: Int64?
        /// Not suspected before.
        var isNews = false

        func isMet(by registration: DeviceRegistration) -> Bool {
            guard registration.isEnabled, !isNews || registration.suspectedAt == nil else { return false }
            guard let lastWord = registration.lastWord else { return true }
            return latestWord.map { lastWord <= $0 } ?? false
        }
    }

    /// Which registrations an event ends.
    static func condition(toDisable event: InvalidTokenEvent) -> Condition {
        Condition(latestWord: event.invalidSince)
    }

    /// Which registrations an event makes suspects.
    static func condition(toSuspect event: InvalidTokenEvent) -> Condition {
        Condition(latestWord: event.observedAt, isNews: true)
    }

    /// Decides from an event and what the registry holds.
    ///
    /// - Parameters:
    ///   - event: what the provider said.
    ///   - registration: what the registry holds; `nil` if the token is unknown for the app and environment.
    /// - Returns: what to do.
    package static func decide(_ event: InvalidTokenEvent, _ registration: DeviceRegistration?) -> Removal {
        guard let registration else { return event.verdict == .dead ? .tombstone : .unknownDevice }
        guard registration.isEnabled else { return .already }
        if event.verdict == .dead {
            if condition(toDisable: event).isMet(by: registration) { return .disable }
            if event.invalidSince != nil { return .newerRegistration }
        }
        guard registration.suspectedAt == nil else { return .already }
        return condition(toSuspect: event).isMet(by: registration) ? .suspect : .newerRegistration
    }
}
