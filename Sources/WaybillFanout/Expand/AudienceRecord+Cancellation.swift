import WaybillAudience
import WaybillFleet

extension AudienceRecord {
    /// The order that keeps an audience from being sent, by its name or by its `cancel_key`; `nil` where there is none.
    func cancellation(by orders: StandingOrders) -> Cancellation? {
        [id, cancelKey].lazy.compactMap(\.self).compactMap { name in
            orders.cancellation(batch: name, client: client, time: time.milliseconds, isOwnTime: time.isOwn)
        }.first
    }
}

extension Cancellation {
    /// Why an audience has ended, for its record.
    var reason: String { "cancelled by \(source.name)" }
}
