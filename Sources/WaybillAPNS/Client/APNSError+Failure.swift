import WaybillPushTransport

extension APNSError {
    /// What a request without an answer means to whoever sent the notification.
    ///
    /// The fate is the failure's own, whatever the cause.
    init(_ failure: PushFailure, apnsID: APNSID, attempts: [APNSAttempt]) {
        let cause = failure.cause
        var field: String?
        if case .invalid(let word) = cause { field = Self.field(of: word) }
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
            field: field,
            text: cause.text.map { "\(meaning.text): \($0)" } ?? meaning.text,
            cause: cause.text,
            apnsID: apnsID,
            attempts: attempts
        )
    }

    private static func meaning(of cause: PushFailureCause) -> (Code, String) {
        switch cause {
        case .expired: (.expired, "the expiration passed before it could be sent")
        case .unreachable: (.unreachable, "no connection could take it in time")
        case .credentials: (.credentials, "there was no provider token to send it with in time")
        case .closed: (.closed, "the client is closed")
        case .cancelled, .parked: (.cancelled, "it was taken back before it left")
        case .timeout: (.timeout, "it could not be sent in time")
        case .goAway: (.connection, "APNs closed the connection before it looked at it")
        case .refusedStream: (.connection, "APNs refused the stream")
        case .invalid(let word): (.invalidNotification, "\(field(of: word)) may not stand in a request")
        case .reset(let errorCode): (.connection, "the stream was reset, HTTP/2 error code \(errorCode)")
        case .connectionLost: (.connection, "the connection ended before it was sent")
        }
    }

    /// Causes that mean something else for a request that was sent.
    private static func meaningOfSilence(_ cause: PushFailureCause) -> (Code, String)? {
        switch cause {
        case .closed: (.closed, "the client was closed before the answer came")
        case .timeout: (.timeout, "the answer did not come in time")
        case .connectionLost: (.connection, "the connection ended before the answer came")
        default: nil
        }
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
