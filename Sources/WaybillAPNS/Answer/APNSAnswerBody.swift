import WaybillEncoding

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
        let isCutOff = bytes.count >= Self.maximumSize
        let fault = bytes.withMemoryRebound(to: UInt8.self) { read($0, isCutOff: isCutOff) }
        guard fault?.kind == .badUTF8 else { return }
        // Somebody's text in another encoding: better with replacement characters than not at all.
        Array(String(decoding: bytes, as: UTF8.self).utf8).withUnsafeBufferPointer { text in
            _ = read(text, isCutOff: isCutOff)
        }
    }

    /// Takes what stands before the first fault.
    private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, isCutOff: Bool) -> JSONFault? {
        var reader = JSONReader(bytes)
        do throws(JSONFault) {
            while let member = try reader.nextMember() {
                switch member.name {
                case "reason":
                    if let text = reader.string(member), !text.isEmpty { reason = APNSReason(rawValue: text) }
                case "timestamp":
                    if let value = reader.integer(member) { timestamp = value }
                default: continue
                }
            }
            return nil
        } catch {
            // A reason longer than what is kept of a body: its beginning is better than nothing.
            if reason == nil, isCutOff, let cut = reader.unfinished, cut.name == "reason",
                let text = reader.beginning(of: cut)
            {
                reason = APNSReason(rawValue: "\(text.prefix(Self.longestCutReason))…")
            }
            return error
        }
    }
}
