/// What an answer holds besides status and reason; made only for the answers that hold more.
package final class APNSAnswerDetails: Sendable {
    /// `apns-unique-id`, which only the sandbox sends: finds the notification in Apple's console.
    package let uniqueID: String?
    /// `apns-request-id`, of broadcasts and channel management.
    package let requestID: String?
    /// `apns-channel-id`, of a channel's creation.
    package let channelID: String?
    /// The body, for an ``APNSExchange``.
    package let body: [UInt8]

    package init(uniqueID: String?, requestID: String?, channelID: String?, body: [UInt8]) {
        self.uniqueID = uniqueID
        self.requestID = requestID
        self.channelID = channelID
        self.body = body
    }
}
