import WaybillAPNS
package import WaybillCore
import WaybillFCM

/// The notifications of one message that are to be sent, in the form that its lane's provider sends.
package struct SendRequests: Sendable {
    private enum Form {
        case apns
        case fcm
    }

    private let form: Form
    private(set) var apns: [APNSRequest] = []
    private var receipts = ReceiptPayloads()
    private(set) var fcm: [FCMRequest] = []
    /// Of FCM, those that go ahead of the others.
    private(set) var fcmUrgent: [FCMRequest] = []

    /// - Parameters:
    ///   - lane: of the message.
    ///   - capacity: how many there are at the most.
    package init(for lane: Lane, capacity: Int) {
        switch lane.provider {
        case .apns:
            form = .apns
            apns.reserveCapacity(capacity)
        case .fcm:
            form = .fcm
            fcm.reserveCapacity(capacity)
        }
    }

    /// Adds a notification.
    ///
    /// - Parameters:
    ///   - notification: slices of it are kept, nothing is copied.
    ///   - position: of the item in its batch; comes back with its end.
    ///   - notAfter: seconds since 1970 from which on it is not sent any more.
    ///   - attemptsLeft: how often FCM's client may send it again after the time that an answer asks for.
    package mutating func append(
        _ notification: Notification,
        position: Int,
        notAfter: Int64,
        attemptsLeft: Int = 0
    ) {
        switch form {
        case .apns: apns.append(APNSRequest(notification, position: position, notAfter: notAfter))
        case .fcm:
            let request = FCMRequest(
                notification,
                position: position,
                notAfter: notAfter,
                attemptsLeft: attemptsLeft
            )
            appendFCM(request, of: notification)
        }
    }

    /// Adds a notification whose push carries a capability; ``seal()`` puts it in.
    ///
    /// - Parameters:
    ///   - notification: as above; what it asks for is given.
    ///   - position: as above.
    ///   - notAfter: as above.
    ///   - attemptsLeft: as above.
    ///   - signer: makes the capability.
    ///   - now: seconds since 1970.
    package mutating func append(
        _ notification: Notification,
        position: Int,
        notAfter: Int64,
        attemptsLeft: Int = 0,
        signer: ReceiptSigner,
        now: Int64
    ) {
        switch form {
        case .apns:
            append(notification, position: position, notAfter: notAfter)
            receipts.add(notification, request: apns.count - 1, signer: signer, now: now)
        case .fcm:
            let subject = notification.receiptSubject
            let receipt = ReceiptMembers.capabilityMember(of: subject, signer: signer, now: now)
            let request = FCMRequest(
                notification,
                position: position,
                notAfter: notAfter,
                receipt: receipt,
                attemptsLeft: attemptsLeft
            )
            appendFCM(request, of: notification)
        }
    }

    private mutating func appendFCM(_ request: FCMRequest, of notification: Notification) {
        if notification.note.isUrgent { fcmUrgent.append(request) } else { fcm.append(request) }
    }

    /// Ends adding: from here on requests have what they send.
    package mutating func seal() {
        guard !receipts.isEmpty else { return }
        switch form {
        case .apns: receipts.forEach { apns[$0].payload = $1 }
        case .fcm: break
        }
        receipts = ReceiptPayloads()
    }

    package var count: Int {
        switch form {
        case .apns: apns.count
        case .fcm: fcm.count + fcmUrgent.count
        }
    }

    package var isEmpty: Bool { count == 0 }
}

/// What is handed over at once: the requests of several messages, by lane.
package struct SendBatches: Sendable {
    private(set) var apns: [[APNSRequestBatch]]
    private(set) var fcm: [[FCMRequestBatch]]

    package init(laneCount: Int) {
        apns = Array(repeating: [], count: laneCount)
        fcm = Array(repeating: [], count: laneCount)
    }

    /// Adds the requests of one message; `owner` comes back with the end of each.
    package mutating func append(_ requests: SendRequests, owner: any SendOwner, lane: Int) {
        if !requests.apns.isEmpty { apns[lane].append(APNSRequestBatch(owner: owner, requests: requests.apns)) }
        if !requests.fcmUrgent.isEmpty {
            fcm[lane].append(FCMRequestBatch(owner: owner, requests: requests.fcmUrgent, isUrgent: true))
        }
        if !requests.fcm.isEmpty { fcm[lane].append(FCMRequestBatch(owner: owner, requests: requests.fcm)) }
    }
}
