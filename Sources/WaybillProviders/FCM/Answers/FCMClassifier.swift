package import WaybillCore
package import WaybillFCM

/// Decides what the end of a request means for its notification and its lane: a pure function, tested over every row of what
/// FCM is known to answer.
package enum FCMClassifier {
    /// What to do after a request.
    ///
    /// The driver has already done what is done at once: what was not sent has been sent elsewhere, and a refused access
    /// token has been replaced once.
    ///
    /// - Parameters:
    ///   - result: how the request ended.
    ///   - resendsUnknown: whether a repeat is wanted when no answer came.
    /// - Returns: what is to be done, and what the result says of the lane.
    package static func classify(_ result: FCMResult, resendsUnknown: Bool = false) -> Disposition {
        switch result {
        case .answered(let answer): classify(answer)
        case .failed(let failure): Disposition(failure, resendsUnknown: resendsUnknown)
        }
    }

    /// What a record says of its token: the same as was said of the answer when it came.
    ///
    /// Of all 404s only UNREGISTERED speaks of the token, so no other ends so.
    static func tokenVerdict(recorded outcome: Outcome, statusCode: Int?) -> TokenVerdict? {
        guard outcome == .tokenInvalid else { return nil }
        return statusCode == 404 ? .dead : .suspect
    }

    private static func classify(_ answer: FCMAnswer) -> Disposition {
        let meaning = answer.meaning
        return switch meaning.action {
        case .none: Disposition(.final(.accepted, nil), lane: .sound)
        case .removeToken: Disposition(.final(.tokenInvalid, .dead), lane: .sound)
        case .checkToken: Disposition(.final(.tokenInvalid, .suspect), lane: .sound)
        case .dropMessage: Disposition(.final(.rejected, nil), lane: .sound)
        // The access token has been replaced once by then, and the next one was refused, too.
        case .fixConfiguration where meaning.refusesBearer:
            Disposition(.retryLater(.providerToken), lane: .refused(answer.parkingWord))
        case .fixConfiguration: Disposition(.retryLater(.laneFault), lane: .refused(answer.parkingWord))
        case .retryLater(let scope) where answer.status == 429:
            scope == .project
                ? Disposition(.retryLater(.serverFault), lane: .hold(seconds: answer.waitSeconds, answer.waitWord))
                : Disposition(.retryLater(.tokenThrottled), lane: .sound)
        case .retryLater where answer.asksToWait:
            Disposition(.retryLater(.serverFault), lane: .overloaded(seconds: answer.waitSeconds, answer.waitWord))
        case .retryLater(let scope): Disposition(.retryLater(.serverFault), lane: scope == .project ? .none : .sound)
        }
    }
}

extension FCMAnswer {
    /// FCM's word, or the status where it gave none, as from a front end or a wrong path.
    fileprivate var parkingWord: String { word ?? "status \(status)" }

    fileprivate var waitWord: String { "\(parkingWord), Retry-After" }

    /// The seconds to wait before another attempt, a started one counted as a whole.
    var waitSeconds: Int {
        let (seconds, rest) = wait.components
        return Int(seconds) + (rest > 0 ? 1 : 0)
    }
}
