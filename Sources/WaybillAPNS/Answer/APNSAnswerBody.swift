/// The body of a refusal: a small JSON object with `reason` and, with 410, `timestamp`.
///
/// Reads what it can and never fails: a body that is no JSON has neither value.
package struct APNSAnswerBody: Hashable, Sendable {
    /// How many bytes of a body are kept; Apple's are under a hundred.
    package static let maximumSize = 1024

    /// How many characters of a reason that is cut off are kept.
    private static let longestCutReason = 200

    /// APNs' word, unchanged.
    package var reason: APNSReason?
    /// Milliseconds since 1970.
    package var timestamp: Int64?

    /// Reads a body, which may be empty, cut off or no JSON at all.
    package init(_ bytes: UnsafeRawBufferPointer) {
        var scanner = FlatJSONScanner(bytes)
        while let member = scanner.nextMember() {
            switch member {
            case ("reason", .string(let text)) where !text.isEmpty: reason = APNSReason(rawValue: text)
            case ("timestamp", .integer(let value)): timestamp = value
            default: continue
            }
        }
        // A reason longer than what is kept of a body: its beginning is better than nothing.
        if reason == nil, bytes.count >= Self.maximumSize, let cut = scanner.cutOff, cut.name == "reason" {
            reason = APNSReason(rawValue: "\(cut.text.prefix(Self.longestCutReason))…")
        }
    }
}
