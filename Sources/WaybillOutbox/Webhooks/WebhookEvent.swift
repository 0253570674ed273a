package import WaybillEncoding
import WaybillTLS

/// Something that endpoints are told, as it is sent: the same bytes at each attempt.
package struct WebhookEvent: Hashable, Sendable {
    /// `evt_` and 32 hexadecimal digits, derived from what it tells of: whoever finds it again gives it the same.
    package let id: String
    package let type: WebhookEventType
    package let body: String

    /// - Parameters:
    ///   - type: of what it tells.
    ///   - name: tells it from all others of its type.
    ///   - date: when it happened, in milliseconds since 1970.
    ///   - data: writes the members of `data`; few and thin.
    package init(_ type: WebhookEventType, of name: String, date: Int64, data: (inout JSONWriter) -> Void) {
        self.type = type
        id = "evt_" + SHA256Hasher.digest(of: "\(type.rawValue) \(name)".utf8).hexadecimal.prefix(32)
        var json = JSONWriter()
        json.beginObject()
        json.member("type", type.rawValue)
        json.member("timestamp", TimeText.text(milliseconds: date))
        json.beginObject("data")
        data(&json)
        json.endObject()
        json.endObject()
        body = String(decoding: json.bytes, as: UTF8.self)
    }
}

extension WebhookEndpoint {
    /// Something harmless to tell it; another one each time.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: the event.
    package func testEvent(now: Int64) -> WebhookEvent {
        WebhookEvent(.test, of: Hexadecimal.text(of: RandomBytes.take(16)), date: now) { data in
            data.member("client", owner.clientName)
            data.member("service", owner.serviceID)
            data.member("endpoint", id)
        }
    }
}
