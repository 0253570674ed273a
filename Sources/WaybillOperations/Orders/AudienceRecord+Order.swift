package import WaybillAudience
package import WaybillFleet

extension AudienceRecord {
    /// The order that ends it as soon as the fan-out looks at it next: by its name, or by its `cancel_key`.
    ///
    /// - Parameter cancellations: that hold.
    /// - Returns: `nil` where none is about it, and of what has ended.
    package func order(among cancellations: [Cancellation]) -> Cancellation? {
        guard !state.isEnded else { return nil }
        return [id, cancelKey].lazy.compactMap(\.self).compactMap { name in
            cancellations.first {
                $0.covers(batch: name, client: client, time: time.milliseconds, isOwnTime: time.isOwn)
            }
        }.first
    }
}
