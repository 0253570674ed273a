package import WaybillCore
import WaybillEncoding

extension InvalidTokenEvent {
    /// Reads the body of an event's message.
    ///
    /// Strict: every member that it knows must be there once and have its form. Members that it does not know are let
    /// alone, so that a newer dispatcher and an older worker can share a queue.
    package init(decoding body: [UInt8]) throws(BodyRejection) {
        let result = body.withUnsafeBufferPointer { bytes -> Result<InvalidTokenEvent, BodyRejection> in
            do throws(BodyRejection) {
                return .success(try EventReader(bytes).event())
            } catch {
                return .failure(error)
            }
        }
        self = try result.get()
    }
}

/// Reads an event's members and checks their forms.
private struct EventReader {
    private static let maxDepth = 8
    /// An event has a dozen short members.
    private static let maxSize = 16 << 10

    private let bytes: UnsafeBufferPointer<UInt8>
    private var members: [String: JSONValue] = [:]

    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(BodyRejection) {
        guard bytes.count <= Self.maxSize else {
            throw BodyRejection(.tooLarge, "the event has more than \(Self.maxSize) bytes")
        }
        self.bytes = bytes
        var duplicate: String?
        do throws(JSONFault) {
            var scanner = JSONScanner(bytes, maxDepth: Self.maxDepth)
            try scanner.beginObject()
            var isFirst = true
            while let key = try scanner.nextKey(isFirst: isFirst) {
                isFirst = false
                let name = text(of: key)
                if members.updateValue(try scanner.value(), forKey: name) != nil { duplicate = name }
            }
            try scanner.finish()
        } catch {
            throw error.rejection(maxDepth: Self.maxDepth)
        }
        if duplicate != nil { throw BodyRejection(.duplicateField, "a member of the event appears twice") }
    }

    func event() throws(BodyRejection) -> InvalidTokenEvent {
        let provider = try provider()
        return InvalidTokenEvent(
            provider: provider,
            deviceToken: try deviceToken(of: provider),
            reason: try string("reason", mayBeEmpty: true),
            statusCode: Int(try integer("status_code")),
            invalidSince: members["invalid_since"] == nil ? nil : try integer("invalid_since"),
            observedAt: try integer("observed_at"),
            notificationID: try notificationID(),
            batchID: try string("batch_id"),
            client: members["client"] == nil ? nil : try string("client"),
            lane: try string("lane"),
            topic: try string("topic"),
            environment: provider == nil ? try word("environment") : nil,
            verdict: try word("class")
        )
    }

    /// `nil` for APNs, also where it is named.
    private func provider() throws(BodyRejection) -> String? {
        guard members["provider"] != nil else { return nil }
        switch try string("provider") {
        case "apns": return nil
        case "fcm": return "fcm"
        default: throw BodyRejection(.badValue, "provider: must be apns or fcm")
        }
    }

    /// Each provider has its own form; the case of FCM's tokens counts.
    private func deviceToken(of provider: String?) throws(BodyRejection) -> String {
        let token = try string("device_token")
        guard provider == nil else {
            guard token.utf8.count <= 4096, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw BodyRejection(
                    .badValue,
                    "device_token: must be 1 to 4096 characters of printable ASCII without blanks"
                )
            }
            return token
        }
        let isToken =
            token.utf8.count % 2 == 0
            && token.utf8.allSatisfy { Hexadecimal.value(of: $0) != nil && $0 & 0x60 != 0x40 }
        guard isToken else {
            throw BodyRejection(
                .badValue,
                "device_token: must be lower-case hexadecimal digits, an even number of them"
            )
        }
        return token
    }

    private func notificationID() throws(BodyRejection) -> NotificationID {
        guard let id = NotificationID(try string("apns_id")) else {
            throw BodyRejection(.badValue, "apns_id: must be a UUID in the form 8-4-4-4-12")
        }
        return id
    }

    private func word<Word: RawRepresentable & CaseIterable>(
        _ name: StaticString
    ) throws(BodyRejection) -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: try string(name)) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: " or ")
            throw BodyRejection(.badValue, "\(name): must be \(words)")
        }
        return word
    }

    private func string(_ name: StaticString, mayBeEmpty: Bool = false) throws(BodyRejection) -> String {
        let value = try value(name)
        guard value.kind == .string, !value.hasLoneSurrogate, mayBeEmpty || value.stringRange.count > 0 else {
            throw BodyRejection(.badValue, "\(name): must be a string\(mayBeEmpty ? "" : " that is not empty")")
        }
        return text(of: value)
    }

    private func integer(_ name: StaticString) throws(BodyRejection) -> Int64 {
        let value = try value(name)
        guard value.kind == .number, let number = JSONNumber.integer(UnsafeBufferPointer(rebasing: bytes[value.range])),
            InvalidTokenEvent.numbers.contains(number)
        else { throw BodyRejection(.badValue, "\(name): must be a whole number from 0 to 2^53") }
        return number
    }

    private func value(_ name: StaticString) throws(BodyRejection) -> JSONValue {
        guard let value = members["\(name)"] else { throw BodyRejection(.missingField, "\(name): is missing") }
        return value
    }

    private func text(of value: JSONValue) -> String {
        let source = UnsafeBufferPointer(rebasing: bytes[value.stringRange])
        guard value.hasEscapes else { return String(decoding: source, as: UTF8.self) }
        var text: [UInt8] = []
        JSONText.appendUnescaped(source, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
