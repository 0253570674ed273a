/// The headers of an answer that are kept besides the status; few answers have any.
final class AnswerHeaders {
    enum Name: CaseIterable {
        case uniqueID
        case requestID
        case channelID

        private var text: StaticString {
            switch self {
            case .uniqueID: "apns-unique-id"
            case .requestID: "apns-request-id"
            case .channelID: "apns-channel-id"
            }
        }

        init?(_ bytes: UnsafeRawBufferPointer) {
            for name in Self.allCases {
                let text = name.text
                if bytes.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)) {
                    self = name
                    return
                }
            }
            return nil
        }
    }

    /// Longer values are none of Apple's and are cut.
    private static let maximumLength = 128

    private var values: [Name: String] = [:]

    subscript(name: Name) -> String? { values[name] }

    func set(_ name: Name, _ value: UnsafeRawBufferPointer) {
        values[name] = String(decoding: value.prefix(Self.maximumLength), as: UTF8.self)
    }
}
