import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillProviders

/// What to do next, in words: each a sentence that stands alone.
enum StoryAdvice {
    /// What to do about one notification.
    static func next(
        of record: LoggedDelivery,
        verdict: TokenVerdict?,
        obstacles: [Obstacle] = [],
        openLanes: Set<String> = [],
        registry: [StoryStep],
        eventTaker: EventTaker = .unknown,
        fuse: FuseFate? = nil,
        doubt: TokenStorms.Doubt? = nil,
        hasArrived: Bool = false,
        reader: StoryReader = .operators
    ) -> [String] {
        let provider = ProviderName(ofRecord: record.provider)
        guard let outcome = Outcome(rawValue: record.outcome) else {
            return ["Ask the release of Waybill that wrote the record."]
        }
        let obstacles = obstacles.filter { $0.lane == nil || $0.lane == record.lane }
        let fuse = isOvertaken(fuse, record, registry) ? nil : fuse
        var next =
            if let fuse, fuse.isDoubt {
                self.next(ofFuse: fuse, provider, reader)
            } else if let doubt {
                self.next(of: doubt, reader)
            } else if hasArrived, outcome == .accepted {
                ["Nothing: it has arrived, and its app has said what became of it."]
            } else if verdict == .suspect {
                [suspectToken(of: record, provider)]
            } else {
                self.next(outcome, record, obstacles, openLanes, reader, provider)
            }
        let waits = fuse.map { !$0.isDiscarded && !$0.isStored } ?? true
        if let verdict, waits,
            let event = self.next(
                ofEvent: verdict,
                registry: registry,
                taker: eventTaker,
                // What a fuse has never held is not told of as released.
                isInStore: fuse?.isDoubt == false,
                reader: reader
            )
        {
            next.append(event)
        }
        if let cause = RepeatCause(record), outcome != .cancelled, outcome != .superseded {
            next.append(self.next(ofRepeat: cause, record))
        }
        return next
    }

    private static func next(
        _ outcome: Outcome,
        _ record: LoggedDelivery,
        _ obstacles: [Obstacle],
        _ openLanes: Set<String>,
        _ reader: StoryReader,
        _ provider: ProviderName
    ) -> [String] {
        switch outcome {
        case .accepted:
            (record.expiration == 0
                ? ["\(provider.title) does not store it (expiration 0): a device that was offline never gets it."] : [])
                + [
                    "\(provider.title) has it. Look at the device: is it on and connected, may the app notify, is a focus on, was the app removed since?"
                ]
        case .rejected:
            [
                record.history.last?.detail.map {
                    "\(provider.title) says: \($0)\($0.hasSuffix(".") ? "" : ".") Correct it in the message, and publish it again."
                }
                    ?? record.reason.flatMap { provider.advice(recorded: record.outcome, reason: $0) }.map {
                        "\($0.capitalisedFirst)."
                    }
                    ?? record.silence(of: provider.title).map { afterSilence($0, record, provider) }
                    ?? "Change what the reason names, and publish it again."
            ]
        case .tokenInvalid:
            ["Publish no more to this token; the app must register again, and tell its new one."]
        case .invalid where record.isRepeat:
            [
                "It may have gone out before its apns_id was taken: publish it again, with one that nobody else knows, only if a second one does no harm."
            ]
        case .invalid: ["Correct what the reason names in the producer's message, and publish it again."]
        case .expired:
            slip(reason: record.reason, record.expiration, record.expirationFrom).map { [$0] } ?? [
                afterExpiry(isPlural: false, reader)
            ]
        case .unknown:
            [
                "Look at the network between Waybill and \(provider.title). Publish it again only if a second one does no harm."
            ]
        case .cancelled where record.isRepeat:
            [
                "It may have gone out before it was cancelled: publish it again, with a new timestamp, only if a second one does no harm."
            ]
        case .cancelled: ["Nothing. To send it after all, publish it again with a new timestamp."]
        case .superseded: ["Nothing: a newer notification was accepted in its place. Its id is in the reason."]
        case .deferred:
            afterDeferral(record, obstacles, openLanes, reader, provider)
        }
    }

    /// What was put off has its own reason first, and then what keeps its lane, or a process, from sending it when it comes back.
    private static func afterDeferral(
        _ record: LoggedDelivery,
        _ obstacles: [Obstacle],
        _ openLanes: Set<String>,
        _ reader: StoryReader,
        _ provider: ProviderName
    ) -> [String] {
        let fault = record.reason.flatMap { laneFault(reason: $0, of: record.lane, openLanes, reader, provider) }
        if let reason = record.reason, let fault {
            // What the lane's own advice says is not said again.
            return [fault] + obstacles.filter { !$0.text.contains(word(in: reason)) }.remedies
        }
        let remedies = obstacles.remedies
        guard !remedies.isEmpty else {
            return [
                "Nothing yet: it is tried again by itself."
                    + (reader.isOperator ? " `waybill status` shows its lane and the delay queues." : "")
            ]
        }
        return [answered(record, provider)].compactMap(\.self) + remedies
    }

    /// What the push service has said of a push that was put off for it; `nil` where it has said nothing.
    private static func answered(_ record: LoggedDelivery, _ provider: ProviderName) -> String? {
        guard let status = record.statusCode, let reason = record.reason else { return nil }
        let advice = provider.advice(reason: reason).map { ": \($0)" } ?? ""
        return
            "\(provider.title) answered it \(status) \(reason)\(advice). For that there is nothing to do: it is tried again by itself."
    }

    /// What it means that a push may be a second one.
    private static func next(ofRepeat cause: RepeatCause, _ record: LoggedDelivery) -> String {
        switch cause {
        case .redelivery: "Its message came back once: the push may have gone out twice."
        case .followed(let end):
            "An attempt ended with \(end) and may have reached the service: the push may have gone out twice."
        case .acceptedTwice: "Two pushes of it were accepted; the second has the same id and collapse id."
        }
    }

    /// Seconds since 1970 that are no time at which anybody sends: 2001.
    private static let leastTime: Int64 = 1_000_000_000

    /// An expiration so long ago that its producer must have meant something else; `nil` for any other.
    static func slip(
        reason: String?,
        _ expiration: Int64?,
        _ origin: ExpirationOrigin?,
        isPlural: Bool = false
    ) -> String? {
        guard reason == Deadline.Cause.expiration.rawValue, let expiration, 1..<leastTime ~= expiration else {
            return nil
        }
        let time = TimeText.text(milliseconds: expiration * 1000)
        let (its, it) = isPlural ? ("The expiration of one of them", "them") : ("Its expiration", "it")
        guard origin == nil || origin == .message else {
            return
                "\(its) counts from its message's own time and is \(time). The timestamp of the message must be wrong: AMQP counts seconds since 1970. Correct the producer, and publish the message again."
        }
        return
            "\(its), \(expiration), is \(time), which must be a slip: it is a UNIX time in seconds, not a number of seconds from now. Correct the producer, and publish \(it) again with a new timestamp."
    }

    static func afterExpiry(isPlural: Bool, _ reader: StoryReader) -> String {
        let (it, them) = isPlural ? ("they", "them") : ("it", "it")
        return
            "If \(it) \(isPlural ? "are" : "is") still of use, publish \(them) again with a new timestamp, and with a later expiration or a greater max_age. What \(it) waited for shows in the attempts\(reader.isOperator ? ", and in `waybill status`" : "")."
    }

    /// The server's own trouble ends by itself; what is wrong with a request does not.
    private static func afterSilence(_ silence: String, _ record: LoggedDelivery, _ provider: ProviderName) -> String {
        (record.statusCode ?? 0) >= 500
            ? "\(silence): publish it again with a new timestamp when \(provider.title) is well again."
            : "\(silence): see what its documentation says of that status, and look at what is between Waybill and \(provider.title)."
    }

    /// The token may be good: what it was used with is to be looked at first.
    private static func suspectToken(of record: LoggedDelivery, _ provider: ProviderName) -> String {
        let lane = record.lane.map { "the lane \($0)" } ?? "its lane"
        let topic = record.topic.map { " (\($0))" } ?? ""
        if let reason = record.reason, provider.isTopicFault(reason: reason) {
            return
                "The token may be good, and the topic\(topic) wrong for it: compare the message's own `topic` with the app, and where it has none the bundle_id of \(lane). If it fits, publish no more to the token."
        }
        if provider == .fcm {
            return
                "The token may be good, and \(lane) wrong for it: compare the lane's project\(topic) with the app's google-services.json. If it fits, publish no more to it."
        }
        return
            "The token may be good, and \(lane) wrong for it: compare the lane's environment with the app's build, and the topic\(topic) with the app. If both fit, publish no more to it."
    }
}

extension String {
    fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
