/// What a push of one type says: knows its push type, and writes its payload.
///
/// The library has one for each type that Apple documents, found after a dot: ``APNSAlertContent`` is
/// `.alert(title: "Parcel", body: "It is here")`. A type of the caller's own can conform too, for a push type to come or
/// for a payload that an app always sends alike.
///
/// Source: Apple, "Generating a remote notification".
public protocol APNSContent: Sendable {
    /// The push type that the payload is for.
    static var pushType: APNSPushType { get }

    /// Writes the payload.
    ///
    /// - Parameter custom: an object whose members go beside `aps`.
    /// - Returns: the payload.
    /// - Throws: ``APNSError`` with ``APNSError/Code/invalidNotification`` when a value is not allowed.
    func payload(custom: APNSJSON?) throws(APNSError) -> APNSPayload
}

/// Content that may be broadcast to a channel: a Live Activity's update or end, never its start.
///
/// Source: Apple, "Sending broadcast push notification requests to APNs".
public protocol APNSBroadcastContent: APNSContent {}

extension APNSPayload {
    /// Writes typed content; ``APNSNotification`` has initializers that do so.
    ///
    /// - Parameters:
    ///   - content: what the push says.
    ///   - custom: an object whose members go beside `aps`; it must not hold `aps` or `mdm`.
    /// - Throws: ``APNSError`` with ``APNSError/Code/invalidNotification`` when a value is not allowed.
    public init(_ content: some APNSContent, custom: APNSJSON? = nil) throws(APNSError) {
        self = try content.payload(custom: custom)
    }

    /// Writes typed content with the caller's own keys.
    ///
    /// - Parameters:
    ///   - content: what the push says.
    ///   - custom: encodes as an object, whose members go beside `aps`; an optional that is `nil` adds none.
    /// - Throws: ``APNSError`` with ``APNSError/Code/invalidNotification`` when a value is not allowed.
    public init(_ content: some APNSContent, custom: some Encodable) throws(APNSError) {
        let json = try APNSJSON(encoding: custom, for: "custom")
        try self.init(content, custom: json.isNull ? nil : json)
    }
}
