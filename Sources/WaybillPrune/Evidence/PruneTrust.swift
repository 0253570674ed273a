package import WaybillCore
package import WaybillDeliveryLog

/// Whom the pruning worker believes about a token.
package enum PruneTrust: Sendable {
    /// The delivery log: an event counts as far as the log has the refusal that it names.
    ///
    /// The environments of the lanes are by name: the log holds a record's lane only. `nil` for a provider without any.
    case log(DeliveryLogOptions, environments: [String: Environment?])
    /// Whoever may write events: for those of other systems, which have no record here.
    case events
}
