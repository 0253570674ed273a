extension APNSNotification {
    /// Checks everything that can be known before sending.
    ///
    /// - Parameter configuration: of the lane that is to send the notification.
    /// - Throws: ``APNSError`` with ``APNSError/Code/invalidNotification``, its ``APNSError/field`` naming the property or
    ///   the JSON key.
    public func validate(for configuration: APNSConfiguration) throws(APNSError) {
        _ = try makeRequest(
            index: 0,
            bundleID: configuration.bundleID,
            usesCertificate: configuration.credentials.tokenSource == nil
        )
    }

    /// Checks the notification and makes what the wire wants; the payload's bytes are shared, not copied.
    ///
    /// - Parameters:
    ///   - index: the notification's number within its batch.
    ///   - bundleID: the lane's, if it has one.
    ///   - usesCertificate: whether the lane proves who it is by a certificate.
    /// - Returns: the request, every value checked.
    /// - Throws: ``APNSError`` with ``APNSError/Code/invalidNotification``.
    package func makeRequest(index: Int, bundleID: String?, usesCertificate: Bool) throws(APNSError) -> APNSRequest {
        let check = NotificationCheck(apnsID: apnsID, pushType: pushType)
        try check.pushType(usesCertificate: usesCertificate)
        try check.payload(payload)
        return APNSRequest(
            index: index,
            deviceToken: try check.deviceToken(deviceToken)[...],
            payload: payload.bytes[...],
            topic: try check.topic(topic, bundleID: bundleID),
            pushType: pushType,
            priority: try check.priority(priority),
            expiration: try check.expiration(expiration),
            apnsID: apnsID,
            collapseID: try check.collapseID(collapseID),
            resendsUnknown: onUnknown == .resend
        )
    }
}
