package import WaybillPushTransport

/// Requests that are handed over together; their owner comes back with the end of each.
package struct FCMRequestBatch: Sendable {
    package let owner: any PushRequestOwner
    package let requests: [FCMRequest]
    /// Whether they go ahead of the others, whatever the ramp says.
    package let isUrgent: Bool

    package init(owner: any PushRequestOwner, requests: [FCMRequest], isUrgent: Bool = false) {
        self.owner = owner
        self.requests = requests
        self.isUrgent = isUrgent
    }
}
