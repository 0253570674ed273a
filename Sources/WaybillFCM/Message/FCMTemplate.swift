import WaybillEncoding

/// A content that many requests may share: Google's `Message` object without its target, and what each request adds to it.
///
/// Nothing is copied before it is sent: token and content are slices of what their owner holds.
package struct FCMTemplate: Sendable {
    /// How long FCM keeps what it cannot deliver.
    package enum Life: Hashable, Sendable {
        /// The content says it, or nobody does: then it is 28 days.
        case unsaid
        /// Now or never.
        case none
        /// Until so many seconds since 1970; FCM is told the rest of it each time the message is sent.
        case until(Int64)
    }

    /// Where in the content something is added: behind the brace that opens an object.
    package struct Places: Hashable, Sendable {
        /// In `data`.
        package let data: Int
        /// In `android`; `nil` where nothing is added there.
        package let android: Int?

        package init(data: Int, android: Int?) {
            self.data = data
            self.android = android
        }
    }

    /// The sender's own id for the message: a UUID, under a name of the sender's.
    package struct ID: Sendable {
        package let name: StaticString
        package let high: UInt64
        package let low: UInt64

        package init(name: StaticString, high: UInt64, low: UInt64) {
            self.name = name
            self.high = high
            self.low = low
        }
    }

    private let token: ArraySlice<UInt8>
    private let isInstallation: Bool
    private let content: ArraySlice<UInt8>
    private let places: Places
    private let id: ID
    private let addition: ArraySlice<UInt8>
    private let life: Life

    /// - Parameters:
    ///   - token: the registration token, or an installation id: printable ASCII without blanks.
    ///   - isInstallation: whether it is an installation id.
    ///   - content: a JSON object without a target, whose members `data` and, where something is added there, `android` are
    ///     objects.
    ///   - places: where these two begin, counted from the content's start.
    ///   - id: goes into `data`.
    ///   - addition: what follows the id there: members as JSON text, each with a comma in front.
    ///   - life: goes into `android`, which must have no `ttl` then.
    package init(
        token: ArraySlice<UInt8>,
        isInstallation: Bool = false,
        content: ArraySlice<UInt8>,
        places: Places,
        id: ID,
        addition: ArraySlice<UInt8> = [],
        life: Life
    ) {
        self.token = token
        self.isInstallation = isInstallation
        self.content = content
        self.places = places
        self.id = id
        self.addition = addition
        self.life = life
    }

    private var opening: StaticText {
        isInstallation ? StaticText(#"{"message":{"fid":""#) : StaticText(#"{"message":{"token":""#)
    }

    /// The most bytes that ``body(at:)`` has, where the token needs no escapes: it has none of the characters that do.
    package var bodySize: Int {
        // Opening, the token's end, `"name":"id",`, `"ttl":"…s",` and the closing brace.
        opening.count + token.count + 2 + content.count + id.name.utf8CodeUnitCount + UUIDText.length + 6
            + addition.count + MessageCheck.lifeDigits + 10 + 1
    }

    /// The body as it is sent at a moment.
    package func body(at now: Int64) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(bodySize)
        opening.append(to: &body)
        JSONText.appendEscaped(token, to: &body)
        body.append(UInt8(ascii: "\""))
        body.append(UInt8(ascii: ","))
        // Behind the content's own brace, which the token's member stands in front of.
        var position = content.startIndex + 1
        if let android = places.android, android < places.data {
            addLife(behind: android, from: &position, to: &body, at: now)
            addID(from: &position, to: &body)
        } else {
            addID(from: &position, to: &body)
            if let android = places.android { addLife(behind: android, from: &position, to: &body, at: now) }
        }
        body += content[position...]
        body.append(UInt8(ascii: "}"))
        return body
    }

    private func addID(from position: inout Int, to body: inout [UInt8]) {
        copy(upTo: places.data, from: &position, to: &body)
        body.append(UInt8(ascii: "\""))
        StaticText(id.name).append(to: &body)
        StaticText(#"":""#).append(to: &body)
        withUnsafeTemporaryAllocation(byteCount: UUIDText.length, alignment: 8) { text in
            UUIDText.write(id.high, id.low, to: text)
            body.append(contentsOf: text)
        }
        body.append(UInt8(ascii: "\""))
        body += addition
        separate(at: position, to: &body)
    }

    private func addLife(behind place: Int, from position: inout Int, to body: inout [UInt8], at now: Int64) {
        copy(upTo: place, from: &position, to: &body)
        switch life {
        case .unsaid: return
        case .none: StaticText(#""ttl":"0s""#).append(to: &body)
        case .until(let expiration):
            StaticText(#""ttl":""#).append(to: &body)
            body += String(MessageCheck.life(until: expiration, at: now)).utf8
            StaticText(#"s""#).append(to: &body)
        }
        separate(at: position, to: &body)
    }

    private func copy(upTo place: Int, from position: inout Int, to body: inout [UInt8]) {
        let end = content.startIndex + place
        body += content[position..<end]
        position = end
    }

    /// A comma, if the object has members of its own from here on.
    private func separate(at start: Int, to body: inout [UInt8]) {
        var position = start
        while position < content.endIndex {
            switch content[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            case UInt8(ascii: "}"): return
            default: return body.append(UInt8(ascii: ","))
            }
        }
    }
}

/// A text of the program's own, appended without a copy.
private struct StaticText {
    private let text: StaticString

    init(_ text: StaticString) {
        self.text = text
    }

    var count: Int { text.utf8CodeUnitCount }

    func append(to bytes: inout [UInt8]) {
        bytes += UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}
