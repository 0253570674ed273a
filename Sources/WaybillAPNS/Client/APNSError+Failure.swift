extension APNSError {
    /// What the driver's word for a request without an answer means to whoever sent the notification.
    ///
    /// The fate is the failure's own, whatever the word.
    init(_ failure: APNSFailure, apnsID: APNSID, attempts: [APNSAttempt]) {
        let meaning: (code: Code, field: String?, text: String)
        let fate: Fate
        switch failure {
        case .notSent(let word):
            fate = .notSent
            meaning = Self.meaning(of: word) ?? (.connection, nil, "the connection ended before it was sent")
        case .unknown(let word):
            fate = .unknown
            meaning =
                Self.meaningOfSilence(word) ?? Self.meaning(of: word)
                ?? (.connection, nil, "the connection ended before the answer came")
        }
        self.init(
            meaning.code,
            fate,
            field: meaning.field,
            text: meaning.text,
            apnsID: apnsID,
            attempts: attempts
        )
    }

    private static func meaning(of word: String) -> (Code, String?, String)? {
        switch word {
        case "expired": (.expired, nil, "the expiration passed before it could be sent")
        case "unreachable": (.unreachable, nil, "no connection could take it in time")
        case "credentials": (.credentials, nil, "there was no provider token to send it with in time")
        case "closed": (.closed, nil, "the client is closed")
        case "cancelled", "lane parked": (.cancelled, nil, "it was taken back before it left")
        case "timeout": (.timeout, nil, "it could not be sent in time")
        case "goaway": (.connection, nil, "APNs closed the connection before it looked at it")
        case "refused_stream": (.connection, nil, "APNs refused the stream")
        case _ where word.hasPrefix("invalid_"): invalid(word)
        case _ where word.hasPrefix("reset_"): reset(word)
        default: nil
        }
    }

    /// Words that mean something else for a request that was sent.
    private static func meaningOfSilence(_ word: String) -> (Code, String?, String)? {
        switch word {
        case "closed": (.closed, nil, "the client was closed before the answer came")
        case "timeout": (.timeout, nil, "the answer did not come in time")
        default: nil
        }
    }

    private static func reset(_ word: String) -> (Code, String?, String) {
        (.connection, nil, "the stream was reset, HTTP/2 error code \(word.dropFirst("reset_".count))")
    }

    /// The property in its Swift spelling: the word names it in lower case with underscores.
    private static func invalid(_ word: String) -> (Code, String?, String) {
        let field =
            switch word {
            case "invalid_device_token": "deviceToken"
            case "invalid_push_type": "pushType"
            case "invalid_collapse_id": "collapseID"
            default: String(word.dropFirst("invalid_".count))
            }
        return (.invalidNotification, field, "\(field) may not stand in a request")
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
