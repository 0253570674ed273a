import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillOutbox
import WaybillTLS

extension WebhookEventType {
    /// What a record tells of; nothing while another attempt will follow.
    static func types(of record: LoggedDelivery) -> [WebhookEventType] {
        switch Outcome(rawValue: record.outcome) {
        case .accepted: [.accepted]
        case .rejected: [.rejected]
        case .tokenInvalid: [.rejected, .deviceInvalid]
        case .invalid: [.invalid]
        case .expired: [.expired]
        case .unknown: [.unknown]
        case .cancelled: [.cancelled]
        case .deferred, nil: []
        }
    }
}

extension WebhookEvent {
    /// What a client is told of a record of its own; `nil` for a record that nobody could name.
    ///
    /// - Parameters:
    ///   - type: one of those of the record.
    ///   - record: with an id and a client.
    ///   - sequence: the event's number among those of the client; `nil` where the log is read another time.
    ///   - hasPlainTokens: whether the log holds tokens as they are sent.
    init?(_ type: WebhookEventType, of record: LoggedDelivery, sequence: Int64?, hasPlainTokens: Bool) {
        guard let id = record.id, let client = record.client else { return nil }
        self.init(type, of: "\(id)", date: record.history.last?.date ?? record.date) { data in
            data.member("sequence", sequence)
            data.member("client", client)
            data.member("notification", "\(record.givenID ?? id)")
            data.member("batch_id", record.batchID)
            if type == .deviceInvalid {
                // A digest: who has the token finds it, and nobody else learns it from here.
                let token = hasPlainTokens ? record.deviceToken : nil
                data.member("token_sha256", token.map { SHA256Hasher.digest(of: $0.utf8).hexadecimal })
                data.member("invalid_since", record.invalidSince.map(TimeText.text(milliseconds:)))
            } else {
                data.member("outcome", record.outcome)
            }
            data.member("status", record.statusCode)
            data.member("reason", record.reason)
            if record.isRepeat { data.memberTrue("repeat") }
        }
    }
}
