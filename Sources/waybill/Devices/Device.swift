import DeliveryLog
import Mongo

/// A document of the registry, ready to be shown.
struct Device {
    private static let columns = [("TOKEN", 24), ("ENVIRONMENT", 12), ("TOPIC", 28), ("STATE", 10), ("SINCE", 25)]

    private let document: BSONDocument

    init(_ document: BSONDocument) {
        self.document = document
    }

    static var header: String {
        columns.map { Cell.padded($0.0, to: $0.1) }.joined() + "REASON"
    }

    /// A line of the table.
    var row: String {
        let (state, since, reason) =
            if let date = date("disabled_at") {
                ("disabled", date, text("disabled_reason"))
            } else if let date = date("suspected_at") {
                ("suspected", date, text("suspected_reason"))
            } else {
                ("enabled", date("registered_at") ?? "", nil as String?)
            }
        let cells = [
            Cell.shortened(text("device_token") ?? "", to: 22), text("environment") ?? "",
            Cell.shortened(text("topic") ?? "", to: 26), state, since,
        ]
        let padded = zip(cells, Self.columns).map { Cell.padded(Cell.printable($0), to: $1.1) }
        return padded.joined() + Cell.printable(reason ?? "")
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

    private func date(_ field: String) -> String? {
        document[field]?.date.map(DeliveryTime.text(milliseconds:))
    }
}
