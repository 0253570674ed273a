package import WaybillAccounts
package import WaybillCore

/// What somebody with a key of a service asks of our own API.
package struct NotificationOrder: Sendable {
    /// What the key lets its holder do.
    package var grant: ServiceGrant
    package var content: ServiceNotification
    /// What the caller calls this request; `nil`: each time is another notification.
    package var name: IdempotencyName?

    package init(grant: ServiceGrant, content: ServiceNotification, name: IdempotencyName? = nil) {
        self.grant = grant
        self.content = content
        self.name = name
    }
}

/// What becomes of it.
package enum OrderAnswer: Hashable, Sendable {
    /// Stored; the broker must have it before anybody is told so.
    case stored(StoredNotification, isRepeat: Bool)
    /// The same request was answered before, and the broker has it.
    case sentBefore(id: String, NotificationReach)
    /// The same request is being answered; so many seconds are to be waited.
    case inProgress(retryAfter: Int)
    /// The name is another request's.
    case otherContent
    /// The service may say nothing: it is suspended or deleted, or its owner's account is.
    case silent
    /// Too many have been sent; so many seconds are to be waited.
    case tooMany(retryAfter: Int)
    /// The payload would have so many bytes.
    case tooLarge(Int)
    /// A dispatcher would not send it.
    case unsendable(BodyRejection)
    /// It is a test key's, and there is no lane for these.
    case noTestLane
}
