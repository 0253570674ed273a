package import WaybillEncoding

/// One thing that a role needs, as it was at one moment.
package struct HealthCheck: Hashable, Sendable {
    /// One word, such as `store`.
    package let name: String
    /// Why it is not there; `nil` when it is.
    package let cause: String?
    /// Since when it is so, in milliseconds since 1970.
    package let since: Int64

    package init(name: String, cause: String?, since: Int64) {
        self.name = name
        self.cause = cause
        self.since = since
    }

    package var isSound: Bool { cause == nil }

    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("name", name)
        json.name("ok")
        json.element(isSound)
        if let cause { json.member("cause", lineSafe: cause) }
        json.member("since", TimeText.text(milliseconds: since))
        json.endObject()
    }
}
