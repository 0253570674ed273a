import WaybillCore
import WaybillMessages

extension FuzzTarget {
    /// An invalid-token event.
    static let invalidTokenEvent = FuzzTarget(
        "invalid-token-event",
        examples: "invalid-token-event",
        dictionary: "json"
    ) { bytes in
        guard let event = try? InvalidTokenEvent(decoding: bytes) else { return }
        let isToken = event.deviceToken.utf8.allSatisfy { byte in
            event.provider == nil
                ? (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) : (0x21...0x7E).contains(byte)
        }
        try require((event.provider == nil) == (event.environment != nil), "an environment that does not fit")
        try require(isToken && !event.deviceToken.isEmpty, "device token")
        try require(event.observedAt >= 0 && (event.invalidSince ?? 0) >= 0 && event.statusCode >= 0, "a number")
        let again = try InvalidTokenEvent(decoding: event.encoded())
        try require(again == event, "another event after writing and reading it")
    }
}
