import WaybillEncoding

/// How far something is that is handed over bit by bit: a document of the store, or an audience.
enum HandoverWords {
    static func waits(until time: Int64?) -> String {
        "waits\(time.map { " until \(TimeText.text(milliseconds: $0))" } ?? ""), when it is to begin"
    }

    static func sending(since time: Int64?, handedOver: Int, found: Int) -> String {
        let since = time.map { " since \(TimeText.text(milliseconds: $0))" } ?? ""
        return "being sent\(since), \(handedOver) of \(found) found so far handed over"
    }

    static func expanded(handedOver: Int, found: Int) -> String {
        "handed over, \(handedOver) of \(found) found; it ends when what became of them is counted"
    }

    static func cancelled(handedOver: Int) -> String {
        "cancelled, with \(handedOver) handed over; it ends when waybill schedule has looked at it"
    }

    static func held(handedOver: Int, until release: String) -> String {
        "held, with \(handedOver) handed over; nothing more is until \(release)"
    }
}
