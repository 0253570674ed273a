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
        case .superseded: [.superseded]
        case .deferred, nil: []
        }
    }
}

extension LoggedDelivery {
    /// Who may hear of it; a service hears of what it has said, and not of what tells phones that it was read.
    var owners: [WebhookOwner] {
        let isOfRead = batchID.map(ReadPushName.isOne) ?? false
        return [client.map(WebhookOwner.client), isOfRead ? nil : serviceID.map(WebhookOwner.service)].compactMap(
            \.self
        )
    }
}

extension WebhookEvent {
    /// What a client or a service is told of a record of its own; `nil` for a record that nobody could name.
    ///
    /// - Parameters:
    ///   - type: one of those of the record.
    ///   - record: with an id.
    ///   - owner: one of those of the record.
    ///   - sequence: the event's number among those of the owner; `nil` where the log is read another time.
    ///   - hasPlainTokens: whether the log holds tokens as they are sent.
    init?(
        _ type: WebhookEventType,
        of record: LoggedDelivery,
        for owner: WebhookOwner,
        sequence: Int64?,
        hasPlainTokens: Bool
    ) {
        guard let id = record.id else { return nil }
        let delivery = "\(record.givenID ?? id)"
        // A service's event is another one than that of the client whose record it is.
        let name = owner.serviceID.map { "\($0) \(id)" } ?? "\(id)"
        self.init(type, of: name, date: record.history.last?.date ?? record.date) { data in
            data.member("sequence", sequence)
            switch owner {
            case .client(let client):
                data.member("client", client)
                data.member("notification", delivery)
                data.member("batch_id", record.batchID)
            case .service(let service):
                data.member("service", service)
                // What the API calls it: its batches are that, and parts of that where it has many devices.
                data.member("notification", record.batchID.map { BatchName.whole(of: $0) ?? $0 })
                data.member("delivery", delivery)
            }
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
            data.member("family", record.family.map { "\($0.first)" })
        }
    }
}
