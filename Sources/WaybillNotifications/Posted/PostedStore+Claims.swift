package import WaybillMongo

/// What whoever claims a notification needs to know of it.
extension PostedStore {
    /// A notification that this process is to hand over.
    package struct Claimed: Hashable, Sendable {
        package let id: BSONIdentifier
        /// The name of its audience.
        package let audience: String
        /// The body of its audience message.
        package let body: [UInt8]
        /// When its audience begins, in milliseconds since 1970.
        package let begins: Int64
        /// When it was claimed first: its message's time, so that whoever cancels it from then on means that, whenever it is published.
        package let claimedAt: Int64

        package init(id: BSONIdentifier, audience: String, body: [UInt8], begins: Int64, claimedAt: Int64) {
            self.id = id
            self.audience = audience
            self.body = body
            self.begins = begins
            self.claimedAt = claimedAt
        }
    }

    /// A notification whose audience is looked after.
    package struct Followed: Sendable {
        package let id: BSONIdentifier
        package let audience: String
        /// Whose it says that it is; `nil`: it does not say so.
        package let client: String?
        /// Whether a service says it.
        package let isOfService: Bool
        package let begins: Int64
        /// Nothing more of it is to be sent.
        package let isCancelled: Bool
        /// Nothing more of it is to be handed over for now.
        package let isHeld: Bool
        /// Of the message that was handed over: an audience with another one is not its own.
        package let digest: String?
        /// Until when nobody else looks at it, in milliseconds since 1970, unless somebody wants it looked at before.
        let claimedUntil: Int64

        package init(
            id: BSONIdentifier,
            audience: String,
            client: String? = nil,
            isOfService: Bool = false,
            begins: Int64,
            isCancelled: Bool = false,
            isHeld: Bool = false,
            digest: String? = nil,
            claimedUntil: Int64 = 0
        ) {
            self.id = id
            self.audience = audience
            self.client = client
            self.isOfService = isOfService
            self.begins = begins
            self.isCancelled = isCancelled
            self.isHeld = isHeld
            self.digest = digest
            self.claimedUntil = claimedUntil
        }
    }
}
