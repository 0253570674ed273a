import WaybillAccounts
package import WaybillCore
import WaybillEncoding

/// The message of the thesis' queue: what its front door hands to whoever sends.
///
/// `{"uid", "datetime", "sid", "request"}`: who is told, when the service said it, which service, and the body of its request to
/// `/notify`. Other members are let alone.
package struct NotifireMessage: Sendable {
    /// The account's id.
    package var user: String
    /// The service's id.
    package var service: String
    /// In milliseconds since 1970.
    package var at: Int64
    package var content: ServiceNotification

    package init(user: String, service: String, at: Int64, content: ServiceNotification) {
        self.user = user
        self.service = service
        self.at = at
        self.content = content
    }

    /// A request has no more.
    private static let bodyBytes = 64 << 10
    /// How far a clock elsewhere may be ahead, in milliseconds.
    private static let ahead: Int64 = 86_400_000

    /// Reads a message's body.
    ///
    /// The service's key in `request` is not looked at: whoever may write to the queue has looked.
    ///
    /// - Parameters:
    ///   - body: JSON.
    ///   - now: milliseconds since 1970.
    /// - Throws: the field and its limit; never content.
    package init(decoding body: [UInt8], now: Int64) throws(BodyRejection) {
        guard !body.isEmpty else { throw BodyRejection(.empty, "the body is empty") }
        guard body.count <= Self.bodyBytes else {
            throw BodyRejection(.tooLarge, "the body is \(body.count) bytes, more than \(Self.bodyBytes)")
        }
        let top = try NotifireMembers(body, path: "")
        let (user, service) = (try top.text("uid"), try top.text("sid"))
        guard let id = ServiceDetails.id(service) else { throw BodyRejection(.badValue, "sid: must be a UUID") }
        guard let at = TimeText.date(try top.text("datetime")), at >= 0 else {
            throw BodyRejection(.badValue, "datetime: must be a time of ISO 8601, such as 2026-11-21T04:05:06.789Z")
        }
        guard at <= now + Self.ahead else { throw BodyRejection(.badValue, "datetime: is more than a day ahead") }
        let request = try top.object("request")
        guard let level = NotificationLevel.ordinary.first(where: { Int64($0.rawValue) == request.integer("level") })
        else { throw BodyRejection(.badValue, "request.level: must be 1, 2 or 3") }
        self.init(
            user: user,
            service: id,
            at: at,
            content: ServiceNotification(
                level: level,
                body: try request.text("body"),
                text: try request.optionalText("text"),
                url: try request.optionalText("url")
            )
        )
    }

    /// The message's body without the service's key, which the store never holds: ``adding(_:to:)`` adds it on the way out.
    func encoded() -> [UInt8] {
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        json.member("uid", user)
        json.member("datetime", TimeText.text(milliseconds: at))
        json.member("sid", service)
        json.beginObject("request")
        json.member("level", Int(content.level.rawValue))
        json.member("body", content.body)
        json.member("text", content.text)
        json.member("url", content.url)
        json.endObject()
        json.endObject()
        return json.bytes
    }

    /// Adds the key that the service has shown, as the last member of the request.
    ///
    /// - Parameters:
    ///   - key: 64 hexadecimal digits.
    ///   - body: of ``encoded()``, which ends with both objects.
    /// - Returns: the body as the thesis has it.
    static func adding(_ key: ServiceKey, to body: [UInt8]) -> [UInt8] {
        body.dropLast(2) + Array(#","serviceKey":"\#(key.reveal())"}}"#.utf8)
    }
}

/// The members of one object of the thesis' message.
private struct NotifireMembers {
    private let bytes: [UInt8]
    private let members: [String: JSONReader.Member]
    private let path: String

    init(_ bytes: [UInt8], path: String) throws(BodyRejection) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw BodyRejection(.notUTF8, "the body is not UTF-8 text")
        }
        guard let list = try? JSONReader.members(of: bytes) else {
            throw BodyRejection(
                .notJSON,
                path.isEmpty ? "the body is no JSON object" : "\(path.dropLast()): must be an object"
            )
        }
        var members: [String: JSONReader.Member] = [:]
        for member in list {
            guard members.updateValue(member, forKey: member.name) == nil else {
                throw BodyRejection(.duplicateField, "a member of the body is there twice")
            }
        }
        self.bytes = bytes
        self.members = members
        self.path = path
    }

    /// A text that is there, is not empty, and holds no NUL.
    func text(_ name: String) throws(BodyRejection) -> String {
        guard let member = members[name] else { throw BodyRejection(.missingField, "\(path)\(name): is missing") }
        let text = bytes.withUnsafeBufferPointer { JSONReader($0).string(member) }
        guard let text, !text.isEmpty, !member.hasLoneSurrogate else {
            throw BodyRejection(.badValue, "\(path)\(name): must be a text that is not empty")
        }
        guard !text.contains("\0") else {
            throw BodyRejection(.badValue, "\(path)\(name): must not hold the character U+0000")
        }
        return text
    }

    /// The same; `nil` where it is missing, or null, or empty.
    func optionalText(_ name: String) throws(BodyRejection) -> String? {
        guard let member = members[name],
            !["null", "\"\""].contains(String(decoding: bytes[member.value], as: UTF8.self))
        else { return nil }
        return try text(name)
    }

    /// A whole number; `nil` where there is none.
    func integer(_ name: String) -> Int64? {
        members[name].flatMap { member in bytes.withUnsafeBufferPointer { JSONReader($0).integer(member) } }
    }

    func object(_ name: String) throws(BodyRejection) -> NotifireMembers {
        guard let member = members[name] else { throw BodyRejection(.missingField, "\(path)\(name): is missing") }
        return try NotifireMembers(Array(bytes[member.value]), path: "\(path)\(name).")
    }
}
