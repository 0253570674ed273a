package import WaybillAMQP
import WaybillEncoding

/// Dispatch messages as a producer writes them (`schemas/dispatch-message.schema.json`).
///
/// A body is written piece by piece at the end of a buffer: an opening, items with commas between them, and the closing.
package enum DispatchMessage {
    /// What a message lists.
    package enum List: Sendable {
        /// Notifications, each with its own content.
        case notifications
        /// Device tokens for one content.
        case deviceTokens
    }

    /// The properties to publish a message with: a dispatcher derives the ids of its notifications from them.
    ///
    /// - Parameters:
    ///   - messageID: names the batch where the body does not.
    ///   - timestamp: the message's own time, in seconds since 1970.
    ///   - appID: what the program calls itself.
    ///   - user: the connection's own, for dispatchers that hold users to lists; `nil` names nobody.
    /// - Returns: persistent.
    package static func properties(
        messageID: String,
        timestamp: Int64,
        appID: String? = nil,
        user: String? = nil
    ) -> AMQPProperties {
        var properties = AMQPProperties(
            contentType: "application/json",
            messageID: messageID,
            appID: appID,
            userID: user,
            timestamp: UInt64(timestamp),
            isPersistent: true
        )
        properties.namesUser = user != nil
        return properties
    }

    /// Opens the envelope: the names that are given, and a comma behind each.
    package static func appendNames(
        batchID: String?,
        client: String? = nil,
        lane: String? = nil,
        service: String? = nil,
        to json: inout [UInt8]
    ) {
        json.append(UInt8(ascii: "{"))
        let names: [(StaticString, String?)] = [
            ("batch_id", batchID), ("client", client), ("lane", lane), ("service_id", service),
        ]
        for (name, value) in names {
            guard let value else { continue }
            appendName(name, to: &json)
            JSONText.appendString(value.utf8, to: &json)
            json.append(UInt8(ascii: ","))
        }
    }

    /// How all device tokens are sent to: what is given, and a comma behind each.
    ///
    /// - Parameters:
    ///   - pushType: such as `background`; `nil`: an alert.
    ///   - deliveryType: such as `critical`; `nil`: the payload says all.
    ///   - expiration: seconds since 1970; `nil`: the lane's, or the default.
    ///   - collapseID: 1 to 64 bytes; `nil`: derived.
    ///   - json: the buffer.
    package static func appendDelivery(
        pushType: String? = nil,
        deliveryType: String? = nil,
        expiration: Int64?,
        collapseID: String?,
        to json: inout [UInt8]
    ) {
        if let pushType {
            appendName("push_type", to: &json)
            JSONText.appendString(pushType.utf8, to: &json)
            json.append(UInt8(ascii: ","))
        }
        if let deliveryType {
            appendName("delivery_type", to: &json)
            JSONText.appendString(deliveryType.utf8, to: &json)
            json.append(UInt8(ascii: ","))
        }
        if let expiration {
            appendName("expiration", to: &json)
            json += "\(expiration),".utf8
        }
        if let collapseID {
            appendName("collapse_id", to: &json)
            JSONText.appendString(collapseID.utf8, to: &json)
            json.append(UInt8(ascii: ","))
        }
    }

    /// What all notifications share, an object as it stands.
    static func appendDefaults(_ object: some Sequence<UInt8>, to json: inout [UInt8]) {
        appendName("defaults", to: &json)
        json += object
    }

    /// The payload that all device tokens get, as it stands, and a comma behind it.
    package static func appendPayload(_ payload: some Sequence<UInt8>, to json: inout [UInt8]) {
        appendName("payload", to: &json)
        json += payload
        json.append(UInt8(ascii: ","))
    }

    /// The tokens are Firebase installation ids, which FCM alone knows.
    package static func appendInstallations(to json: inout [UInt8]) {
        appendName("token_kind", to: &json)
        json += #""installation","#.utf8
    }

    /// Opens the list, the envelope's last member.
    package static func appendOpening(of list: List, to json: inout [UInt8]) {
        switch list {
        case .notifications: appendName("notifications", to: &json)
        case .deviceTokens: appendName("device_tokens", to: &json)
        }
        json.append(UInt8(ascii: "["))
    }

    /// Closes list and envelope.
    package static func appendClosing(to json: inout [UInt8]) {
        json.append(UInt8(ascii: "]"))
        json.append(UInt8(ascii: "}"))
    }

    private static func appendName(_ name: StaticString, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        json += UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        json.append(UInt8(ascii: "\""))
        json.append(UInt8(ascii: ":"))
    }
}
