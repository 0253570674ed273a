package import WaybillEncoding

/// Something that goes wrong while nothing is missing.
package struct Trouble: Hashable, Sendable {
    package let kind: TroubleKind
    /// What, in one line.
    package let text: String
    /// The lane that it is about; `nil` where it is about none.
    package let lane: String?
    /// Since when, in milliseconds since 1970; `nil` where nobody knows.
    package let since: Int64?
    /// What to do about it, as sentences; `nil` where the text says it all.
    package let advice: String?

    package init(_ kind: TroubleKind, _ text: String, lane: String? = nil, since: Int64? = nil, advice: String? = nil) {
        self.kind = kind
        self.text = text
        self.lane = lane
        self.since = since
        self.advice = advice
    }

    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("kind", kind.rawValue)
        json.member("text", lineSafe: text)
        if let lane { json.member("lane", lane) }
        json.member("since", since.map { TimeText.text(milliseconds: $0) })
        if let advice { json.member("advice", lineSafe: advice) }
        json.endObject()
    }
}
