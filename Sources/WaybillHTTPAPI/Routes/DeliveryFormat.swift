import WaybillDeliveryLog
import WaybillEncoding

/// How records are written into an answer.
enum DeliveryFormat: CaseIterable, Sendable {
    /// One page as one object.
    case json
    /// Page after page, an object on each line.
    case lines
    /// Page after page, a row for each record.
    case csv

    /// How much a request wants a form: what it names itself before what a range of types takes in, and what stands first.
    private struct Wish {
        var weight: Int
        var precision: Int
        var place: Int
    }

    /// What a request wants most, as RFC 9110 (12.5.1) reads `Accept`; JSON where it wants none of these.
    init(accept: String?) {
        let ranges = WeightedWord.all(in: accept ?? "")
        let wanted = Self.allCases.compactMap { format in format.wish(in: ranges).map { (format, $0) } }
        let first = wanted.min { left, right in
            (right.1.weight, right.1.precision, left.1.place) < (left.1.weight, left.1.precision, right.1.place)
        }
        self = first?.0 ?? .json
    }

    /// By the range that names it most exactly; `nil` where it is not wanted.
    private func wish(in ranges: [WeightedWord]) -> Wish? {
        let names = ["*/*", "\(mediaType.prefix { $0 != "/" })/*", mediaType]
        let wishes = ranges.enumerated().compactMap { place, range in
            names.firstIndex(of: range.name).map { Wish(weight: range.weight, precision: $0, place: place) }
        }
        guard let wish = wishes.max(by: { $0.precision < $1.precision }), wish.weight > 0 else { return nil }
        return wish
    }

    private var mediaType: String {
        switch self {
        case .json: "application/json"
        case .lines: "application/x-ndjson"
        case .csv: "text/csv"
        }
    }

    var contentType: String {
        self == .csv ? "\(mediaType); charset=utf-8; header=present" : mediaType
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
