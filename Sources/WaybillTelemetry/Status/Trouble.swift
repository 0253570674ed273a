package import WaybillEncoding

/// Something that goes wrong while nothing is missing.
package struct Trouble: Hashable, Sendable {
    /// What, in one line.
    package let text: String
    /// What to do about it, as sentences; `nil` where the text says it all.
    package let advice: String?

    package init(_ text: String, advice: String? = nil) {
        self.text = text
        self.advice = advice
    }

    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("text", lineSafe: text)
        if let advice { json.member("advice", lineSafe: advice) }
        json.endObject()
    }
}
