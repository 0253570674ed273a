package import WaybillPushTransport
package import WaybillTLS

/// The collapse id to send with a notification: at most 64 bytes.
package enum APNSCollapseID: Hashable, Sendable {
    /// No header.
    case none
    /// The caller's own, already checked: visible ASCII, 1 to 64 bytes.
    case explicit(ArraySlice<UInt8>)
    /// A digest, sent as its 64 lower-case hexadecimal digits. Kept as 32 bytes so that an item allocates nothing.
    case digest(SHA256Digest)
}

/// One notification as the wire wants it: every value already checked.
///
/// Slices share the storage of the message they came from; nothing is copied until the frame is written.
package struct APNSRequest: Sendable {
    /// The caller's number for the notification within its batch.
    package var index: Int
    /// Lower-case hexadecimal ASCII.
    package var deviceToken: ArraySlice<UInt8>
    /// The JSON body, sent byte for byte.
    package var payload: ArraySlice<UInt8>
    /// The value of `apns-topic`, visible ASCII.
    package var topic: String
    /// The value of `apns-push-type`.
    package var pushType: APNSPushType
    /// 10, 5 or 1.
    package var priority: Int
    /// The state of `apns-expiration`.
    package var expiration: APNSExpiration
    /// Seconds since 1970 from which on the request is not put on a stream any more; `Int64.max` for never.
    ///
    /// The expiration's time, unless the caller has a limit of its own.
    package var notAfter: Int64
    /// The value of `apns-id`.
    package var apnsID: APNSID
    /// The value of `apns-collapse-id`.
    package var collapseID: APNSCollapseID
    /// Whether the push may be sent again when nobody knows if the first one was taken.
    package var resendsUnknown: Bool
    /// What to send in place of a device push; the other values then do not count.
    package var exchange: APNSExchange?
}

extension APNSRequest {
    /// Creates a request; without `notAfter` the expiration alone says when it is too late.
    ///
    /// Hands everything to the memberwise initializer: one that sets the members one by one copies the whole value at its end.
    package init(
        index: Int,
        deviceToken: ArraySlice<UInt8>,
        payload: ArraySlice<UInt8>,
        topic: String,
        pushType: APNSPushType,
        priority: Int,
        expiration: APNSExpiration,
        notAfter: Int64? = nil,
        apnsID: APNSID,
        collapseID: APNSCollapseID,
        resendsUnknown: Bool,
        exchange: APNSExchange? = nil
    ) {
        self.init(
            index: index,
            deviceToken: deviceToken,
            payload: payload,
            topic: topic,
            pushType: pushType,
            priority: priority,
            expiration: expiration,
            // The type tells the memberwise initializer from this one.
            notAfter: (notAfter ?? expiration.end) as Int64,
            apnsID: apnsID,
            collapseID: collapseID,
            resendsUnknown: resendsUnknown,
            exchange: exchange
        )
    }
}

/// Notifications handed over together, for one lane.
package struct APNSRequestBatch: Sendable {
    /// Comes back in each outcome.
    package let owner: any PushRequestOwner
    /// What to send; the order is kept as far as streams allow.
    package let requests: [APNSRequest]

    /// Creates a batch.
    package init(owner: any PushRequestOwner, requests: [APNSRequest]) {
        self.owner = owner
        self.requests = requests
    }
}
