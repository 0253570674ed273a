package import WaybillCore
package import WaybillDeliveryLog
import WaybillProviders

/// How far an invalid-token event is believed: whoever may write to its queue could disable any device with it.
package enum EventBelief: Hashable, Sendable {
    /// The event as the log tells it, at the time that the record has: by its dispatcher's clock, which may be ahead of ours.
    case believed(InvalidTokenEvent)
    /// The log has nothing under the event's id, or its lane is configured no more: the token is a suspect, not dead, and not
    /// even that where nobody has registered it.
    case unproven(InvalidTokenEvent)
    /// The log has another story.
    case refused(reason: String)

    /// Decides from an event and what the log holds under its id.
    ///
    /// - Parameters:
    ///   - event: what somebody says.
    ///   - refusal: what the log says; `nil` if it has no record.
    ///   - environments: of the configured lanes, by name, `nil` for one of a provider that has none: the log holds a record's
    ///     lane and not its environment. Empty where no lanes are configured.
    ///   - now: milliseconds since 1970.
    /// - Returns: what the event is worth.
    package static func judge(
        _ event: InvalidTokenEvent,
        _ refusal: LoggedRefusal?,
        environments: [String: Environment?],
        now: Int64
    ) -> EventBelief {
        let event = bounded(event, now: now)
        guard let refusal else { return .unproven(suspicion(event)) }
        guard refusal.isOfToken else { return .refused(reason: "the record is of another token") }
        let provider = ProviderName(ofRecord: refusal.provider)
        guard let verdict = provider.tokenVerdict(recorded: refusal.outcome, statusCode: refusal.statusCode) else {
            return .refused(reason: "the record says \(refusal.outcome.rawValue)")
        }
        guard verdict == event.verdict else {
            return .refused(reason: "the record has the status \(refusal.statusCode ?? 0)")
        }
        // A worker may do without lanes in its configuration; it has to take the event's word for the environment then.
        guard let lane = refusal.lane,
            let environment = environments.isEmpty ? .some(event.environment) : environments[lane]
        else { return .unproven(suspicion(event)) }
        var told = event
        told.reason = refusal.reason ?? event.reason
        told.statusCode = refusal.statusCode ?? event.statusCode
        told.invalidSince = refusal.invalidSince.map { min($0, now) }
        told.observedAt = refusal.date
        told.provider = refusal.provider
        told.topic = refusal.topic ?? event.topic
        told.lane = lane
        told.client = refusal.client
        told.environment = environment
        return .believed(told)
    }

    /// The event with no time after the present one, as the registry may have it: an app that registers from now on has the last word.
    ///
    /// - Parameters:
    ///   - event: what somebody says.
    ///   - now: milliseconds since 1970.
    /// - Returns: the event; a registration from now on is newer than it.
    package static func bounded(_ event: InvalidTokenEvent, now: Int64) -> InvalidTokenEvent {
        var event = event
        event.invalidSince = event.invalidSince.map { min($0, now) }
        event.observedAt = min(event.observedAt, now)
        return event
    }

    private static func suspicion(_ event: InvalidTokenEvent) -> InvalidTokenEvent {
        var event = event
        event.verdict = .suspect
        return event
    }
}
