import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding

/// Records as a table for people: one line each, the message clipped to what is left of the width.
struct DeliveryTable {
    /// Columns; `nil` cuts nothing.
    let width: Int?
    let palette: Palette
    /// Whether the apns-ids are worth the place of token, batch and message.
    var showsIDs = false

    /// Columns from which on there is room for the apns-ids beside everything else.
    private static let roomy = 160

    /// The heading and the lines.
    func lines(_ deliveries: [LoggedDelivery]) -> [String] {
        let isRoomy = width.map { $0 >= Self.roomy } ?? true
        let columns = Self.columns(deliveries).filter { column in
            isRoomy || (showsIDs ? !Self.replacedByID.contains(column.title) : column.title != Self.id)
        }
        return TextTable(columns: columns).lines(width: width) { row, title, text in
            guard let row else { return palette.bold(text) }
            return title == Self.outcome ? palette.outcome(deliveries[row].outcome, text: text) : text
        }
    }

    private static let outcome = "OUTCOME"
    private static let id = "APNS-ID"
    /// What an id leads to.
    private static let replacedByID: Set<String> = ["TOKEN", "TOPIC", "BATCH", "POSITION", "MESSAGE"]

    private static func columns(_ deliveries: [LoggedDelivery]) -> [TextTable.Column] {
        func column(
            _ title: String,
            limits: [Int] = [],
            cut: TextTable.Column.Cut = .end,
            alignsRight: Bool = false,
            takesRest: Bool = false,
            keeps: Bool = false,
            _ text: (LoggedDelivery) -> String
        ) -> TextTable.Column {
            TextTable.Column(
                title: title,
                alignsRight: alignsRight,
                cut: cut,
                limits: limits,
                takesRest: takesRest,
                keeps: keeps,
                cells: deliveries.map(text)
            )
        }
        let whole = Int.max
        // A lane mostly has one topic, and then the lane's name says it all.
        let needsTopic = Set(deliveries.map { [$0.lane, $0.topic] }).count > Set(deliveries.map(\.lane)).count
        return [
            column("DATE (UTC)", limits: [23, 19, 19, 16], cut: .plain) { DeliveryClock.text($0.date) },
            column(id, cut: .middle, keeps: true) { $0.id?.description ?? "" },
            column(outcome) { $0.outcome },
            column("STATUS", limits: [whole, whole, 0, 0], alignsRight: true) { $0.statusCode.map { "\($0)" } ?? "" },
            column("REASON", limits: [32, 20, 20, 14]) { $0.reason ?? "" },
            column("TOKEN", limits: [13, 9, 9, 9], cut: .middle) { $0.deviceToken ?? "" },
            column("LANE", limits: [20, 10, 0, 0], cut: .middle) { $0.lane ?? "" },
            column("TOPIC", limits: [32, 20, 0, 0], cut: .middle) { needsTopic ? $0.topic ?? "" : "" },
            column("BATCH", limits: [24, 14, 14, 0], cut: .middle) { $0.batchID ?? "" },
            column("POSITION", limits: [whole, whole, 0, 0], alignsRight: true) { $0.position.map { "\($0)" } ?? "" },
            column("TRIES", limits: [whole, whole, 0, 0], alignsRight: true) { "\($0.attempts)" },
            column("MESSAGE", takesRest: true) { $0.message ?? "" },
        ]
    }
}

/// Times in a text for people: UTC, without the letters of RFC 3339.
enum DeliveryClock {
    static func text(_ milliseconds: Int64) -> String {
        String(TimeText.text(milliseconds: milliseconds).dropLast().map { $0 == "T" ? " " : $0 })
    }

    /// A sentence with its times in this form, too; what stands between grave accents, to be typed, is left alone.
    static func inSentence(_ text: String) -> String {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { position, part -> String in
            guard position.isMultiple(of: 2) else { return String(part) }
            return String(part).replacing(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d(?:\.\d+)?)Z/) { "\($0.1) \($0.2)" }
        }.joined(separator: "`")
    }
}
