import WaybillEncoding

/// A message, ready to be sent: its body, with a place for the time to live.
package struct FCMRequest: Sendable {
    private enum Body {
        /// All but the time to live, which stands between the two; all of it is in the first where none is filled in.
        case written(before: [UInt8], after: [UInt8], expiration: Int64?)
        case template(FCMTemplate)
    }

    /// The caller's number for it.
    package let index: Int
    private let content: Body
    package let resendsUnknown: Bool
    /// Whether it goes ahead of the others, whatever the ramp says.
    let isUrgent: Bool
    /// Seconds since 1970 from which on it is not sent any more.
    package let notAfter: Int64
    /// How often it may wait in memory for the time that an answer asks for, to be sent again.
    package let attemptsLeft: Int

    /// Checks a message and writes its body.
    ///
    /// - Throws: ``FCMError`` with ``FCMError/Code/invalidMessage`` naming what is not allowed.
    package init(_ message: FCMMessage, index: Int) throws(FCMError) {
        try MessageCheck.check(message.target)
        var text: [UInt8] = Array(
            message.isValidatedOnly ? #"{"validate_only":true,"message":{"#.utf8 : #"{"message":{"#.utf8
        )
        let (name, value) = message.target.member
        text += "\"\(name)\":".utf8
        JSONText.appendString(value.utf8, to: &text)
        let place: Int?
        switch message.content {
        case .typed(let content):
            try MessageCheck.check(content)
            place = Self.append(content, hasLife: message.expiration != nil, to: &text)
        case .ready(let bytes):
            place = try Self.append(ready: bytes, hasLife: message.expiration != nil, to: &text)
        }
        text += "}}".utf8
        self.index = index
        content =
            if let place {
                .written(
                    before: Array(text[..<place]),
                    after: Array(text[place...]),
                    expiration: message.expiration
                )
            } else {
                .written(before: text, after: [], expiration: nil)
            }
        resendsUnknown = message.onUnknown == .resend
        isUrgent = message.isUrgent
        notAfter = message.expiration ?? .max
        attemptsLeft = 0
    }

    /// A request for a content that was examined before, and that others may share.
    ///
    /// - Parameters:
    ///   - index: the caller's number for it.
    ///   - template: what is sent.
    ///   - notAfter: seconds since 1970 from which on it is not sent any more.
    ///   - resendsUnknown: whether it is sent again when nobody knows if FCM has it.
    ///   - attemptsLeft: how often it may wait in memory for the time that an answer asks for, to be sent again.
    package init(index: Int, template: FCMTemplate, notAfter: Int64, resendsUnknown: Bool, attemptsLeft: Int = 0) {
        self.index = index
        content = .template(template)
        self.notAfter = notAfter
        self.resendsUnknown = resendsUnknown
        self.attemptsLeft = attemptsLeft
        isUrgent = false
    }

    /// The most bytes that ``body(at:)`` has.
    package var bodySize: Int {
        switch content {
        case .written(let before, let after, let expiration):
            before.count + after.count + (expiration == nil ? 0 : MessageCheck.lifeDigits)
        case .template(let template): template.bodySize
        }
    }

    /// The body as it is sent at a moment.
    ///
    /// - Parameter now: seconds since 1970; before ``notAfter``.
    /// - Returns: the body.
    package func body(at now: Int64) -> [UInt8] {
        switch content {
        case .written(let before, _, nil): before
        case .written(let before, let after, let expiration?):
            before + String(MessageCheck.life(until: expiration, at: now)).utf8 + after
        case .template(let template): template.body(at: now)
        }
    }

    /// Appends a typed content.
    ///
    /// - Returns: where the digits of the time to live belong.
    private static func append(_ content: FCMContent, hasLife: Bool, to text: inout [UInt8]) -> Int? {
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        if let notification = content.notification {
            json.beginObject("notification")
            json.member("title", notification.title)
            json.member("body", notification.body)
            json.member("image", notification.image)
            json.endObject()
        }
        if !content.data.isEmpty {
            json.beginObject("data")
            for (key, value) in content.data.sorted(by: { $0.key < $1.key }) {
                json.name(key)
                json.element(value)
            }
            json.endObject()
        }
        if let label = content.analyticsLabel {
            json.beginObject("fcm_options")
            json.member("analytics_label", label)
            json.endObject()
        }
        json.beginObject("android")
        json.member("priority", content.priority.rawValue)
        json.member("collapse_key", content.collapseKey)
        if content.isDirectBootOK { json.memberTrue("direct_boot_ok") }
        json.member("restricted_package_name", content.restrictedPackageName)
        if let channel = content.channelID {
            json.beginObject("notification")
            json.member("channel_id", channel)
            json.endObject()
        }
        json.endObject()
        json.endObject()
        // The writer's outer braces, and the end of `android`, which the time to live goes before.
        text.append(UInt8(ascii: ","))
        text += json.bytes.dropFirst().dropLast()
        guard hasLife else { return nil }
        text.removeLast()
        text += #","ttl":""#.utf8
        let place = text.count
        text += #"s"}"#.utf8
        return place
    }

    /// Appends a ready content, and the time to live where it has none of its own.
    private static func append(
        ready bytes: [UInt8],
        hasLife: Bool,
        to text: inout [UInt8]
    ) throws(FCMError) -> Int? {
        let members: [JSONReader.Member]
        let range: Range<Int>
        do {
            range = try JSONReader.value(of: bytes)
            guard let found = try JSONReader.members(of: bytes, in: range) else {
                throw FCMError.invalid("message", "must be a JSON object")
            }
            members = found
        } catch let error as FCMError {
            throw error
        } catch {
            throw .invalid("message", "is not JSON")
        }
        for member in members where ["token", "fid", "topic", "condition"].contains(member.name) {
            throw .invalid("message.\(member.name)", "must not be there: the message's target says whom it is for")
        }
        let inner = bytes[(range.lowerBound + 1)..<(range.upperBound - 1)]
        guard let android = members.first(where: { $0.name == "android" }) else {
            if !members.isEmpty {
                text.append(UInt8(ascii: ","))
                text += inner
            }
            guard hasLife else { return nil }
            text += #","android":{"ttl":""#.utf8
            let place = text.count
            text += #"s"}"#.utf8
            return place
        }
        let own = (try? JSONReader.members(of: bytes, in: android.value)) ?? nil
        guard let own else { throw .invalid("message.android", "must be a JSON object") }
        text.append(UInt8(ascii: ","))
        guard hasLife, !own.contains(where: { $0.name == "ttl" }) else {
            text += inner
            return nil
        }
        text += bytes[inner.startIndex...android.value.lowerBound]
        text += #""ttl":""#.utf8
        let place = text.count
        text += own.isEmpty ? #"s""#.utf8 : #"s","#.utf8
        text += bytes[(android.value.lowerBound + 1)..<inner.endIndex]
        return place
    }
}
