import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillOutbox

extension WebhookEventType {
    /// What a receipt tells of.
    init(_ event: ReceiptEvent) {
        self =
            switch event {
            case .received: .received
            case .displayed: .displayed
            case .opened: .opened
            case .acknowledged: .acknowledged
            case .dismissed: .dismissed
            }
    }
}

extension WebhookEvent {
    /// What a client or a service is told of what a device has said of its notification.
    ///
    /// - Parameters:
    ///   - receipt: what it has said.
    ///   - record: of the same push.
    ///   - owner: one of those of the record.
    init(_ receipt: DeliveryReceipt, of record: LoggedDelivery, for owner: WebhookOwner) {
        let name = owner.serviceID.map { "\($0) \(receipt.id)" } ?? "\(receipt.id)"
        self.init(WebhookEventType(receipt.event), of: name, date: receipt.receivedAt) { data in
            switch owner {
            case .client(let client):
                data.member("client", client)
                data.member("notification", "\(receipt.id)")
                data.member("batch_id", record.batchID)
            case .service(let service):
                data.member("service", service)
                data.member("notification", record.batchID.map { BatchName.whole(of: $0) ?? $0 })
                data.member("delivery", "\(receipt.id)")
            }
            data.member("device_time", receipt.deviceTime.map(TimeText.text(milliseconds:)))
            data.member("app", receipt.app)
            data.member("family", record.family.map { "\($0.first)" })
        }
    }
}
