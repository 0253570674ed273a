extension APNSNotification {
    /// Creates a notification from typed content.
    ///
    /// - Parameters:
    ///   - deviceToken: the device's token in hexadecimal digits.
    ///   - content: what the push says, for instance `.alert(title: "Parcel", body: "It is here")`.
    ///   - custom: an object whose members go beside `aps`; it must not hold `aps` or `mdm`.
    /// - Throws: ``APNSError`` with ``APNSError/Code/invalidNotification`` when a value is not allowed.
    public init<Content: APNSContent>(
        to deviceToken: String,
        _ content: Content,
        custom: APNSJSON? = nil
    ) throws(APNSError) {
        self.init(to: deviceToken, payload: try APNSPayload(content, custom: custom), pushType: Content.pushType)
    }

    /// Creates a notification from typed content with the caller's own keys.
    ///
    /// - Parameters:
    ///   - deviceToken: the device's token in hexadecimal digits.
    ///   - content: what the push says, for instance `.alert(title: "Parcel", body: "It is here")`.
    ///   - custom: encodes as an object, whose members go beside `aps`; an optional that is `nil` adds none.
    /// - Throws: ``APNSError`` with ``APNSError/Code/invalidNotification`` when a value is not allowed.
    public init<Content: APNSContent>(
        to deviceToken: String,
        _ content: Content,
        custom: some Encodable
    ) throws(APNSError) {
        self.init(to: deviceToken, payload: try APNSPayload(content, custom: custom), pushType: Content.pushType)
    }
}
