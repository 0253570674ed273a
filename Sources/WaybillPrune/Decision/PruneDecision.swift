package import WaybillCore

/// What an invalid-token event means for the registry.
package enum PruneDecision: String, CaseIterable, Hashable, Sendable {
    /// The registration is older than APNs' word: it ends.
    case disable
    /// Nobody registered the token here: it is remembered as disabled, so that a late registration of old data shows.
    case tombstone
    /// Marked, not disabled: the token, the topic or the environment may be the mistake.
    case suspect
    /// The app has registered again since: the event is history.
    case newerRegistration
    /// The registry says so already.
    case already

    /// Decides from an event and what the registry holds.
    ///
    /// A registration ends only on APNs' own date (`invalid_since`, apns.md A.9): Apple asks to compare it with the
    /// registration's. A 410 without one, which Apple does not document, ends no dated registration; it makes it a suspect,
    /// because a wrong guess would silence a live device, and the next push brings the date. A suspicion is compared with
    /// the time at which it arose.
    ///
    /// The same conditions stand in the filters of `DeviceUpdate`, where the server holds them against the document that
    /// is there at that moment.
    ///
    /// - Parameters:
    ///   - event: What APNs said.
    ///   - registration: What the registry holds; `nil` if the token is unknown for the topic and environment.
    /// - Returns: What to do.
    package static func decide(_ event: InvalidTokenEvent, _ registration: DeviceRegistration?) -> PruneDecision {
        guard let registration else { return event.verdict == .dead ? .tombstone : .suspect }
        guard registration.disabledAt == nil else { return .already }
        switch event.verdict {
        case .dead:
            guard let registeredAt = registration.registeredAt else { return .disable }
            if let invalidSince = event.invalidSince {
                return registeredAt <= invalidSince ? .disable : .newerRegistration
            }
            return suspect(event, registration)
        case .suspect:
            return suspect(event, registration)
        }
    }

    private static func suspect(_ event: InvalidTokenEvent, _ registration: DeviceRegistration) -> PruneDecision {
        guard registration.suspectedAt == nil else { return .already }
        if let registeredAt = registration.registeredAt, registeredAt > event.observedAt { return .newerRegistration }
        return .suspect
    }
}
