import WaybillDeliveryLog
import WaybillEncoding
import WaybillMongo

/// A document of the registry, ready to be shown.
struct Device {
    private let document: BSONDocument

    init(_ document: BSONDocument) {
        self.document = document
    }

    var token: String { text("device_token") ?? "" }
    var environment: String { text("environment") ?? "" }
    var topic: String { text("topic") ?? "" }

    /// What pruning has made of the token: `enabled`, `suspected` or `disabled`.
    var state: String { disabledAt != nil ? "disabled" : suspectedAt != nil ? "suspected" : "enabled" }

    /// Since when, in milliseconds since 1970.
    var since: Int64? { disabledAt ?? suspectedAt ?? document["registered_at"]?.date }

    /// Why it is not enabled; empty when it is.
    var reason: String {
        (disabledAt != nil ? text("disabled_reason") : suspectedAt != nil ? text("suspected_reason") : nil) ?? ""
    }

    /// The fields that are there, dates in RFC 3339.
    var json: String {
        var object = JSONObject()
        for name in ["device_token", "topic", "environment", "client"] { object.add(name, text(name)) }
        for name in ["registered_at", "disabled_at"] { object.add(name, date(name)) }
        object.add("disabled_reason", text("disabled_reason"))
        for name in ["invalid_since", "suspected_at"] { object.add(name, date(name)) }
        object.add("suspected_reason", text("suspected_reason"))
        return object.text
    }

    private func text(_ field: String) -> String? { document[field]?.string }

    private var disabledAt: Int64? { document["disabled_at"]?.date }
    private var suspectedAt: Int64? { document["suspected_at"]?.date }

    private func date(_ field: String) -> String? {
        document[field]?.date.map(TimeText.text(milliseconds:))
    }
}
