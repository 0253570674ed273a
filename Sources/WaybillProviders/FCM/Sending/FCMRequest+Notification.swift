package import WaybillCore
package import WaybillFCM

extension FCMRequest {
    /// A notification as FCM takes it.
    ///
    /// - Parameters:
    ///   - notification: its values have been checked when its message was read.
    ///   - position: of the item in its batch.
    ///   - notAfter: seconds since 1970 from which on it is not sent any more.
    ///   - receipt: a capability as a member of `data`, with a comma in front (``ReceiptMembers``); empty where it asks for none.
    ///   - attemptsLeft: how often it may be sent again after the time that an answer asks for.
    package init(
        _ notification: Notification,
        position: Int,
        notAfter: Int64,
        receipt: ArraySlice<UInt8> = [],
        attemptsLeft: Int = 0
    ) {
        let note = notification.note
        self.init(
            index: position,
            template: FCMTemplate(
                token: notification.deviceToken,
                isInstallation: note.isInstallation,
                content: notification.payload,
                places: FCMTemplate.Places(
                    data: Int(note.idPlace),
                    android: note.lifePlace == 0 ? nil : Int(note.lifePlace)
                ),
                id: FCMTemplate.ID(
                    name: FCMDataKey.id,
                    high: notification.id.high,
                    low: notification.id.low
                ),
                addition: receipt,
                life: FCMTemplate.Life(notification.expiration)
            ),
            notAfter: notAfter,
            resendsUnknown: notification.onUnknown == .resend,
            // In memory a retry does not read the log, which knows whether a newer one has taken its place on the screen.
            attemptsLeft: notification.collapseKey == .none ? attemptsLeft : 0
        )
    }
}

extension FCMTemplate.Life {
    fileprivate init(_ expiration: Expiration) {
        switch expiration {
        case .absent: self = .unsaid
        case .immediate: self = .none
        case .at(let seconds): self = .until(seconds)
        }
    }
}
