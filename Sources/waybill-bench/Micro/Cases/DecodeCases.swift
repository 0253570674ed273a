import WaybillCore
import WaybillProviders

/// From the body of a message to its notifications: every check, the ids and the collapse ids included.
enum DecodeCases {
    static let all = [
        make("decode-array", "decode an array of notifications with payloads", SampleBodies.array),
        make("decode-texts", "decode an array of notifications with a text", SampleBodies.texts),
        make("decode-envelope", "decode an envelope with defaults and payloads", SampleBodies.envelope),
        make("decode-tokens", "decode one payload for many device tokens", SampleBodies.tokens),
    ]

    private static func make(_ name: String, _ summary: String, _ body: @escaping @Sendable (Int) -> [UInt8])
        -> MicroCase
    {
        MicroCase(name, summary) { _ in
            let decoder = BatchDecoder(limits: DecodingLimits(), lanes: Samples.lanes)
            let bodies = (0..<Samples.messages).map(body)
            let properties = (0..<Samples.messages).map(Samples.properties)
            var turn = Turn(Samples.messages)
            return MicroLoop(notifications: Samples.notificationsPerMessage, warmUp: Samples.messages) {
                let message = turn.next()
                let batch = try decoder.decode(bodies[message], properties: properties[message]).get()
                guard let last = batch.items.last, case .valid = last.content else {
                    throw MicroError.unexpected("the last notification is not valid")
                }
                return batch.items.count
            }
        }
    }
}

/// Goes round and round through the samples.
struct Turn {
    private let count: Int
    private var position = 0

    init(_ count: Int) {
        self.count = count
    }

    mutating func next() -> Int {
        defer { position = position + 1 == count ? 0 : position + 1 }
        return position
    }
}
