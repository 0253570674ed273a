package import WaybillAPNS
package import WaybillCore

/// Decides what the end of a request means for its notification and its lane: a pure function, tested over every
/// documented reason.
package enum APNSClassifier {
    /// What to do after a request.
    ///
    /// The driver has already done what is done at once: a request that was not sent, or met a draining connection, has
    /// been sent elsewhere, and one without an answer has been repeated if its policy allows that.
    ///
    /// - Parameters:
    ///   - result: how the request ended.
    ///   - topic: whose topic it was sent to. One producer's slip must not park the lane for everybody: where the topic is
    ///     not the lane's own, refused credentials put the notification off, and everything else is its own fault.
    ///   - resendsUnknown: whether a repeat is wanted when no answer came.
    /// - Returns: what is to be done, and what the result says of the lane.
    package static func classify(
        _ result: APNSResult,
        topic: TopicOrigin = .own,
        resendsUnknown: Bool = false
    ) -> Disposition {
        switch result {
        case .answered(let answer): topic == .own ? classify(answer) : classify(answer, to: topic)
        case .failed(let failure): Disposition(failure, resendsUnknown: resendsUnknown)
        }
    }

    /// What a record says of its token: the same as was said of the answer when it came.
    ///
    /// - Parameters:
    ///   - outcome: the record's.
    ///   - statusCode: the record's.
    /// - Returns: `nil` if the token was not refused.
    static func tokenVerdict(recorded outcome: Outcome, statusCode: Int?) -> TokenVerdict? {
        guard outcome == .tokenInvalid else { return nil }
        return statusCode == 410 ? .dead : .suspect
    }

    private static func classify(_ answer: APNSAnswer) -> Disposition {
        switch answer.verdict {
        case .accepted: Disposition(.final(.accepted, nil), lane: .sound)
        case .tokenDead: Disposition(.final(.tokenInvalid, .dead), lane: .sound)
        case .tokenSuspect: Disposition(.final(.tokenInvalid, .suspect), lane: .sound)
        case .requestRefused: Disposition(.final(.rejected, nil), lane: .sound)
        case .tokenThrottled: Disposition(.retryLater(.tokenThrottled), lane: .sound)
        case .laneFault: Disposition(.retryLater(.laneFault), lane: .refused(answer.word))
        case .providerTokenExpired, .providerTokenThrottled:
            // Shorter than a refusal's first pause would be no silence.
            Disposition(.retryLater(.providerToken), lane: answer.hold(atLeast: 30) ?? .refused(answer.word))
        case .serverFault: Disposition(.retryLater(.serverFault), lane: answer.overload ?? .sound)
        // The driver has tried other connections: it is the key that is at fault.
        case .reconnect where answer.status == 403:
            Disposition(.retryLater(.laneFault), lane: .refused(answer.word))
        case .reconnect: Disposition(.retryLater(.connection), lane: answer.overload ?? .none)
        }
    }

    private static func classify(_ answer: APNSAnswer, to topic: TopicOrigin) -> Disposition {
        switch answer.verdict {
        case .providerTokenExpired, .providerTokenThrottled: Disposition(.retryLater(.otherTopic))
        case .laneFault,
            .reconnect where answer.status == 403:
            switch (answer.refused, topic) {
            // A 403 that nobody knows may be about the lane's key as well as about the topic. Of a topic that the lane derived
            // nobody else is at fault: its notifications wait, and the third of them in a row parks the lane.
            case (.key, .derived), (.unsaid, .derived):
                Disposition(.retryLater(.otherTopic), lane: .doubtful(answer.word))
            case (.key, _), (.certificate, _): Disposition(.retryLater(.otherTopic))
            case (.topic, _), (.unsaid, _): Disposition(.final(.rejected, nil))
            }
        default: classify(answer)
        }
    }
}

extension APNSAnswer {
    /// APNs' reason, or the status where it gave none.
    fileprivate var word: String { reason?.rawValue ?? "status \(status)" }

    /// The silence that the answer asks for.
    fileprivate func hold(atLeast least: Int) -> LaneSign? {
        guard let seconds = retryAfterSeconds, seconds > 0 else { return nil }
        return .hold(seconds: max(least, seconds), "\(word), Retry-After")
    }

    /// The same of a provider that fails: several answers in a row speak of the lane.
    fileprivate var overload: LaneSign? {
        guard let seconds = retryAfterSeconds, seconds > 0 else { return nil }
        return .overloaded(seconds: seconds, "\(word), Retry-After")
    }

    /// The seconds of `Retry-After`, a started one counted as a whole.
    package var retryAfterSeconds: Int? {
        retryAfter.map { Int($0.components.seconds) + ($0.components.attoseconds > 0 ? 1 : 0) }
    }

    /// What a refusal is about.
    ///
    /// A reason that this list lacks is ``Refused/unsaid`` with a 403, else about the topic.
    fileprivate var refused: Refused {
        switch reason {
        case APNSReason.badCertificate, APNSReason.badCertificateEnvironment: .certificate
        case APNSReason.invalidProviderToken, APNSReason.missingProviderToken, APNSReason.badEnvironmentKeyIDInToken,
            APNSReason.badEnvironmentKeyInToken, APNSReason.unrelatedKeyIDInToken:
            .key
        default: status == 403 ? .unsaid : .topic
        }
    }
}

private enum Refused {
    /// It may be good for some topics of a lane and not for others.
    case certificate
    case key
    case topic
    /// `Forbidden`, no reason, or one that Apple has added since.
    case unsaid
}
