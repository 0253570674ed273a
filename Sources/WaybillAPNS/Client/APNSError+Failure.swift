extension APNSError {
    /// What a request without an answer means to whoever sent the notification.
    ///
    /// The fate is the failure's own, whatever the cause.
    init(_ failure: APNSFailure, apnsID: APNSID, attempts: [APNSAttempt]) {
        let cause = failure.cause
        let fate: Fate
        let meaning: (code: Code, text: String)
        switch failure {
        case .notSent:
            fate = .notSent
            meaning = Self.meaning(of: cause)
        case .unknown:
            fate = .unknown
            meaning = Self.meaningOfSilence(cause) ?? Self.meaning(of: cause)
        }
        self.init(
            meaning.code,
            fate,
            field: Self.field(cause),
            text: cause.text.map { "\(meaning.text): \($0)" } ?? meaning.text,
            cause: cause.text,
            apnsID: apnsID,
            attempts: attempts
        )
    }

    private static func meaning(of cause: APNSFailureCause) -> (Code, String) {
        switch cause.kind {
        case .expired: (.expired, "the expiration passed before it could be sent")
        case .unreachable: (.unreachable, "no connection could take it in time")
        case .credentials: (.credentials, "there was no provider token to send it with in time")
        case .closed: (.closed, "the client is closed")
        case .cancelled, .parked: (.cancelled, "it was taken back before it left")
        case .timeout: (.timeout, "it could not be sent in time")
        case .goAway: (.connection, "APNs closed the connection before it looked at it")
        case .refusedStream: (.connection, "APNs refused the stream")
        case .invalid: (.invalidNotification, "\(field(cause) ?? "a value") may not stand in a request")
        case .reset:
            (.connection, "the stream was reset, HTTP/2 error code \(cause.word.dropFirst("reset_".count))")
        case .connectionLost: (.connection, "the connection ended before it was sent")
        }
    }

    /// Causes that mean something else for a request that was sent.
    private static func meaningOfSilence(_ cause: APNSFailureCause) -> (Code, String)? {
        switch cause.kind {
        case .closed: (.closed, "the client was closed before the answer came")
        case .timeout: (.timeout, "the answer did not come in time")
        case .connectionLost: (.connection, "the connection ended before the answer came")
        default: nil
        }
    }

    /// The property in its Swift spelling: the word names it in lower case with underscores.
    private static func field(_ cause: APNSFailureCause) -> String? {
        guard cause.kind == .invalid else { return nil }
        return switch cause.word {
        case "invalid_device_token": "deviceToken"
        case "invalid_push_type": "pushType"
        case "invalid_collapse_id": "collapseID"
        default: String(cause.word.dropFirst("invalid_".count))
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
