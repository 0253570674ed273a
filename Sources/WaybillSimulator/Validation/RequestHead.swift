/// The header block of one request, kept as bytes in one buffer and reused from request to request.
///
/// Only the headers that Apple and Google document are kept by position; other `apns-` headers are kept for the record, all else
/// is dropped. A repeated header is remembered as such and its first value stands.
package struct RequestHead: Sendable {
    /// A header that the simulator knows.
    package enum Name: Int, CaseIterable, Sendable {
        case method, path, authorization, authority, contentType
        case apnsID, expiration, priority, topic, collapseID, pushType, channelID, requestID

        /// The name on the wire.
        package var text: StaticString {
            switch self {
            case .method: ":method"
            case .path: ":path"
            case .authorization: "authorization"
            case .authority: ":authority"
            case .contentType: "content-type"
            case .apnsID: "apns-id"
            case .expiration: "apns-expiration"
            case .priority: "apns-priority"
            case .topic: "apns-topic"
            case .collapseID: "apns-collapse-id"
            case .pushType: "apns-push-type"
            case .channelID: "apns-channel-id"
            case .requestID: "apns-request-id"
            }
        }
    }

    private var bytes: [UInt8] = []
    private var positions = InlineArray<13, Range<Int>>(repeating: 0..<0)
    private var present: UInt16 = 0
    private var others: [(name: Range<Int>, value: Range<Int>)] = []

    /// Whether a documented header came twice.
    package private(set) var hasDuplicates = false

    package init() {}

    /// Forgets the request and keeps the memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        others.removeAll(keepingCapacity: true)
        present = 0
        hasDuplicates = false
    }

    /// Takes one header as it came off the wire.
    package mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        if let known = Self.known(name) {
            let bit: UInt16 = 1 << known.rawValue
            guard present & bit == 0 else {
                // APNs reads the type of no body.
                hasDuplicates = hasDuplicates || known != .contentType
                return
            }
            present |= bit
            positions[known.rawValue] = store(value)
        } else if name.count > 5, name.starts(with: "apns-".utf8) {
            others.append((store(name), store(value)))
        }
    }

    /// The value of a header; `nil` when it did not come.
    package subscript(name: Name) -> ArraySlice<UInt8>? {
        present & (1 << name.rawValue) == 0 ? nil : bytes[positions[name.rawValue]]
    }

    /// Every `apns-` header in the order: documented ones first, then the rest as they came.
    func forEachAPNSHeader(_ body: (_ name: String, _ value: ArraySlice<UInt8>) -> Void) {
        for name in Name.allCases where name.rawValue >= Name.apnsID.rawValue {
            if let value = self[name] { body(name.text.description, value) }
        }
        for other in others { body(String(decoding: bytes[other.name], as: UTF8.self), bytes[other.value]) }
    }

    private mutating func store(_ value: UnsafeRawBufferPointer) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: value)
        return start..<bytes.count
    }

    /// The header with this name.
    ///
    /// Most names differ in length, so that one comparison settles the matter.
    private static func known(_ name: UnsafeRawBufferPointer) -> Name? {
        let candidate: Name
        switch name.count {
        case 5: candidate = .path
        case 7: candidate = name.first == UInt8(ascii: ":") ? .method : .apnsID
        case 10: candidate = name.first == UInt8(ascii: ":") ? .authority : .topic
        case 12: candidate = .contentType
        case 13:
            candidate = name.first == UInt8(ascii: "a") && name[1] == UInt8(ascii: "u") ? .authorization : .priority
        case 14: candidate = .pushType
        case 15:
            switch name[5] {
            case UInt8(ascii: "e"): candidate = .expiration
            case UInt8(ascii: "c"): candidate = .channelID
            default: candidate = .requestID
            }
        case 16: candidate = .collapseID
        default: return nil
        }
        let text = candidate.text
        return name.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
            ? candidate : nil
    }
}
