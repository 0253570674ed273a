package import WaybillAccounts
import WaybillEncoding
import WaybillTLS

/// What a service has to say: what stands in a request for a notification.
package struct ServiceNotification: Hashable, Sendable {
    package var level: NotificationLevel
    /// What the phone shows.
    package var body: String
    /// What it shows above; `nil`: the service's name, where the payload is ours.
    package var title: String?
    /// More of it, for the app.
    package var text: String?
    /// Where there is more, for the app.
    package var url: String?
    /// Of two notifications of a service with the same one, the second replaces the first on the screen.
    package var collapseID: String?
    /// Until when it is worth being delivered, in seconds since 1970; `nil`: the lane's, or the default.
    package var expiration: Int64?
    /// An object of the producer's own, for the app: JSON as it stands.
    package var data: [UInt8]?

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
        appendDetails(service: service, time: time, to: &json)
        json.endObject()
        json.endObject()
        return json.bytes
    }

    /// The push's payload of our own API: the thesis' and more, so that its app reads it, too.
    ///
    /// - Parameters:
    ///   - id: the notification's.
    ///   - service: who says it.
    ///   - time: when, in milliseconds since 1970.
    /// - Returns: JSON.
    func payload(id: String, _ service: ServiceFace, time: Int64) -> [UInt8] {
        var json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.beginObject("aps")
        json.beginObject("alert")
        json.member("title", title ?? service.name)
        json.member("body", body)
        json.endObject()
        LevelPresentation(level).append(to: &json)
        json.member("thread-id", service.id)
        json.member("mutable-content", 1)
        json.endObject()
        appendOwn(id: id, service, time: time, to: &json)
        json.endObject()
        return json.bytes
    }

    /// The same as members of a dispatch message: each provider's rules make what its phones get of them.
    ///
    /// Of APNs' rules that is ``payload(id:_:time:)``; at FCM `notification` and `data` go into `data`, as JSON texts.
    ///
    /// - Returns: JSON without braces.
    func fields(id: String, _ service: ServiceFace, time: Int64) -> [UInt8] {
        var json = JSONWriter(capacity: 1024)
        json.beginObject()
        json.member("title", title ?? service.name)
        json.member("message", body)
        LevelPresentation(level).appendFields(to: &json)
        json.member("thread_id", service.id)
        json.memberTrue("mutable_content")
        json.beginObject("data")
        appendOwn(id: id, service, time: time, to: &json)
        json.endObject()
        json.endObject()
        return Array(json.bytes.dropFirst().dropLast())
    }

    /// What phones of each kind get.
    func contents(id: String, _ service: ServiceFace, time: Int64) -> NotificationMessages.Contents {
        NotificationMessages.Contents(
            payload: payload(id: id, service, time: time),
            // It decides the default expiration, as at FCM.
            deliveryType: level == .critical ? "critical" : nil,
            fields: fields(id: id, service, time: time)
        )
    }

    private func appendOwn(id: String, _ service: ServiceFace, time: Int64, to json: inout JSONWriter) {
        json.beginObject("notification")
        json.member("id", id)
        appendDetails(service: service.id, time: time, to: &json)
        json.member("image", service.image)
        json.endObject()
        if let data { json.member("data", json: data) }
    }

    private func appendDetails(service: String, time: Int64, to json: inout JSONWriter) {
        json.member("text", text)
        json.member("url", url)
        json.member("datetime", TimeText.text(milliseconds: time))
        json.member("level", level.name)
        json.member("serviceUUID", service)
    }

    /// What its collapse id is at APNs, where the services of an app share one name space: 64 hexadecimal digits.
    func collapseID(of service: String) -> String? {
        collapseID.map { SHA256Hasher.digest(of: Array("\(service) \($0)".utf8)).hexadecimal }
    }
}
