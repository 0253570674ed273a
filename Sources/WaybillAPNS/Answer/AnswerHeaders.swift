/// The headers of an answer that are kept besides the status; few answers have any.
final class AnswerHeaders {
    enum Name: CaseIterable {
        case uniqueID
        case requestID
        case channelID
        case retryAfter
        /// The server's clock, which a `retry-after` may be counted from.
        case date

        private var text: StaticString {
            switch self {
            case .uniqueID: "apns-unique-id"
            case .requestID: "apns-request-id"
            case .channelID: "apns-channel-id"
            case .retryAfter: "retry-after"
            case .date: "date"
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

        /// Whether the header is looked at in an answer with this status: a 200 may come with a date each.
        func counts(with status: Int) -> Bool {
            switch self {
            case .uniqueID, .requestID, .channelID: true
            case .retryAfter, .date: status != 200
            }
        }
    }

    /// Longer values are none of Apple's and are cut.
    private static let maximumLength = 128

    private var values: [Name: String] = [:]

    subscript(name: Name) -> String? { values[name] }

    /// How long the answer asks to wait.
    func retryAfter(at unixSeconds: Int64) -> Duration? {
        self[.retryAfter].flatMap { RetryAfter.wait($0, date: self[.date], at: unixSeconds) }
    }

    func set(_ name: Name, _ value: UnsafeRawBufferPointer) {
        values[name] = String(decoding: value.prefix(Self.maximumLength), as: UTF8.self)
    }
}
