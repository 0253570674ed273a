import WaybillPushTransport

extension APNSError {
    /// What a request without an answer means to whoever sent the notification.
    ///
    /// The fate is the failure's own, whatever the cause.
    init(_ failure: PushFailure, apnsID: APNSID, attempts: [APNSAttempt]) {
        let cause = failure.cause
        let fate: Fate
        switch failure {
        case .notSent: fate = .notSent
        case .unknown: fate = .unknown
        }
        guard let explanation = failure.explanation(service: "APNs", token: "provider token") else {
            let field = Self.field(of: cause.word)
            let text = "\(field) may not stand in a request"
            self.init(.invalidNotification, fate, field: field, text: text, apnsID: apnsID, attempts: attempts)
            return
        }
        self.init(
            Code(rawValue: explanation.code),
            fate,
            text: explanation.text,
            cause: cause.text,
            apnsID: apnsID,
            attempts: attempts
        )
    }

    /// The property in its Swift spelling: the word names it in lower case with underscores.
    private static func field(of word: String) -> String {
        switch word {
        case "invalid_device_token": "deviceToken"
        case "invalid_push_type": "pushType"
        case "invalid_collapse_id": "collapseID"
        default: String(word.dropFirst("invalid_".count))
        }
    }
}

extension APNSOutcome {
    /// What the client hands out for this.
    func result(for apnsID: APNSID) -> Result<APNSResponse, APNSError> {
        switch result {
        case .answered(let answer):
            .success(
                APNSResponse(
                    apnsID: apnsID,
                    status: answer.status,
                    reason: answer.reason,
                    invalidSince: answer.timestamp,
                    retryAfter: answer.retryAfter,
                    uniqueID: details?.uniqueID,
                    requestID: details?.requestID,
                    latency: .nanoseconds(Int64(clamping: latency)),
                    attempts: history
                )
            )
        case .failed(let failure):
            .failure(APNSError(failure, apnsID: apnsID, attempts: history))
        }
    }
}
