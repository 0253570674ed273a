import WaybillCore
import WaybillDeviceRegistryTestSupport

extension RemovalCases {
    /// A record of the same refusal.
    static func record(of token: String, _ outcome: Outcome, status: Int, id: NotificationID) -> DeliveryRecord {
        DeliveryRecord(
            id: id,
            deviceToken: Array(token.utf8)[...],
            outcome: outcome,
            statusCode: status,
            reason: status == 410 ? "Unregistered" : nil,
            date: observedAt,
            batchID: "batch-1",
            client: "acme",
            lane: "parcels",
            topic: "com.example.parcels",
            attempts: 1,
            invalidSince: status == 410 ? invalidSince : nil
        )
    }
}
