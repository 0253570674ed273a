import WaybillDeliveryLog
import WaybillEncoding

/// How records are written into an answer.
enum DeliveryFormat: Sendable {
    /// One page as one object.
    case json
    /// Page after page, an object on each line.
    case lines
    /// Page after page, a row for each record.
    case csv

    /// What a request accepts: the first of these that it names; else JSON.
    init(accept: String?) {
        let names = (accept ?? "").split(separator: ",").map { name in
            name.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
        }
        self = names.lazy.compactMap(Self.named).first ?? .json
    }

    private static func named(_ type: String) -> Self? {
        switch type {
        case "application/json": .json
        case "application/x-ndjson": .lines
        case "text/csv": .csv
        default: nil
        }
    }

    var contentType: String {
        switch self {
        case .json: "application/json"
        case .lines: "application/x-ndjson"
        case .csv: "text/csv; charset=utf-8; header=present"
        }
    }

    /// What comes before the first record.
    var header: String { self == .csv ? DeliveryCSV.header : "" }

    /// A record, with its line break.
    func line(_ delivery: LoggedDelivery, tokens: DeliveryJSON.Tokens) -> String {
        switch self {
        case .json, .lines: JSONText.terminalSafe(DeliveryJSON.line(delivery, tokens: tokens)) + "\n"
        case .csv: DeliveryCSV.line(delivery, tokens: tokens)
        }
    }

    /// The last line of an answer that ends before the search does, with the cursor to go on from.
    func end(_ next: String) -> String {
        switch self {
        case .json, .lines:
            var object = JSONObject()
            object.add("next", next)
            return object.text + "\n"
        case .csv: return "# next: \(next)\r\n"
        }
    }
}
