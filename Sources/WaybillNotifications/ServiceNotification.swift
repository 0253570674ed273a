package import WaybillAccounts
import WaybillEncoding

/// What a service has to say: what stands in a request for a notification.
package struct ServiceNotification: Hashable, Sendable {
    package var level: NotificationLevel
    /// What the phone shows.
    package var body: String
    /// More of it, for the app.
    package var text: String?
    /// Where there is more, for the app.
    package var url: String?

    package init(level: NotificationLevel, body: String, text: String? = nil, url: String? = nil) {
        self.level = level
        self.body = body
        self.text = text
        self.url = url
    }

    /// APNs takes no larger ones.
    package static let payloadBytes = 4096

    /// The push's payload, as the thesis' app reads it.
    ///
    /// - Parameters:
    ///   - service: the service's id.
    ///   - time: when the service said it, in milliseconds since 1970.
    /// - Returns: JSON.
    package func payload(service: String, time: Int64) -> [UInt8] {
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.beginObject("aps")
        json.beginObject("alert")
        json.member("body", body)
        json.endObject()
        // The app's extension sets title and badge.
        json.member("mutable-content", 1)
        json.endObject()
        json.beginObject("notification")
        json.member("text", text)
        json.member("url", url)
        json.member("datetime", TimeText.text(milliseconds: time))
        json.member("level", level.name)
        json.member("serviceUUID", service)
        json.endObject()
        json.endObject()
        return json.bytes
    }
}
