import WaybillCore
import WaybillEncoding

/// Reads the names that an envelope gives to its batch, its client, its lane and its service.
struct EnvelopeNames {
    /// Bytes of UTF-8: as much as an AMQP short string holds.
    static let maxLength = BatchName.mostBytes

    private let bytes: UnsafeBufferPointer<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// A name: 1 to 255 bytes without control characters; `nil` if the body has none.
    func name(_ value: JSONValue?, field: Field) throws(BodyRejection) -> String? {
        guard let value else { return nil }
        guard let name = Self.usable(text(value)) else {
            throw BodyRejection(
                .badValue,
                "\(field.name): must be 1 to \(Self.maxLength) bytes without control characters"
            )
        }
        return name
    }

    /// What the body names as its lane, of whatever form; `nil` if it names none.
    func lane(_ value: JSONValue?) -> String? {
        value.map { text($0) }
    }

    /// What can be read of an envelope whose body is refused.
    func readable(batchID: JSONValue?, client: JSONValue?) -> BodyRejection.Envelope {
        func name(_ value: JSONValue?) -> String? {
            // What is no string is the fault itself, mostly.
            guard let value, value.kind == .string, !value.hasLoneSurrogate else { return nil }
            return Self.usable(text(value))
        }
        return BodyRejection.Envelope(batchID: name(batchID), client: name(client))
    }

    /// The name itself if it can be one.
    ///
    /// A message id that cannot is treated as absent.
    static func usable(_ name: String) -> String? {
        (1...maxLength).contains(name.utf8.count) && !ControlCharacters.areIn(name) ? name : nil
    }

    private func text(_ value: JSONValue) -> String {
        let source = UnsafeBufferPointer(rebasing: bytes[value.stringRange])
        guard value.hasEscapes else { return String(decoding: source, as: UTF8.self) }
        var text: [UInt8] = []
        JSONText.appendUnescaped(source, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
