import DeliveryLog

/// Records as a table for people: one line each, the message clipped to what is left of the width.
struct DeliveryTable {
    let width: Int
    let palette: Palette

    /// How much a column may say; the widest layout that leaves room for the message is taken.
    private enum Density: CaseIterable {
        case wide
        case tight
        case narrow
    }

    private struct Column {
        let title: String
        var alignsRight = false
        var isOutcome = false
        let text: (DeliveryDocument) -> String
    }

    private static let gap = "  "
    private static let leastMessageWidth = 20

    /// The heading and the lines.
    ///
    /// A column in which every cell would be empty is left out.
    func lines(_ deliveries: [DeliveryDocument]) -> [String] {
        var table = Layout(columns: Self.columns(deliveries, .wide), deliveries: deliveries)
        for density in Density.allCases where table.width + Self.leastMessageWidth > width {
            table = Layout(columns: Self.columns(deliveries, density), deliveries: deliveries)
        }
        let messages = deliveries.map { Cell.printable($0.message ?? "") }
        let hasMessages = messages.contains { !$0.isEmpty }
        let room = max(Self.leastMessageWidth, width - table.width)

        let titles = table.columns.indices.map { table.padded(table.columns[$0].title, $0) }
        var lines = [palette.bold(Self.joined(titles + (hasMessages ? ["MESSAGE"] : [])))]
        for (row, delivery) in deliveries.enumerated() {
            var line = table.columns.indices.map { column in
                let text = table.padded(table.cells[column][row], column)
                return table.columns[column].isOutcome ? palette.outcome(delivery.outcome, text: text) : text
            }
            if hasMessages { line.append(Cell.clipped(messages[row], to: room)) }
            lines.append(Self.joined(line))
        }
        return lines
    }

    private struct Layout {
        var columns: [Column] = []
        /// By column, then by row.
        var cells: [[String]] = []
        var widths: [Int] = []

        init(columns: [Column], deliveries: [DeliveryDocument]) {
            for column in columns {
                let texts = deliveries.map { Cell.printable(column.text($0)) }
                guard texts.contains(where: { !$0.isEmpty }) else { continue }
                self.columns.append(column)
                cells.append(texts)
                widths.append(texts.reduce(Cell.width(column.title)) { max($0, Cell.width($1)) })
            }
        }

        /// With the gap behind each column.
        var width: Int { widths.reduce(0) { $0 + $1 + DeliveryTable.gap.count } }

        func padded(_ text: String, _ column: Int) -> String {
            Cell.padded(text, to: widths[column], alignsRight: columns[column].alignsRight)
        }
    }

    private static func columns(_ deliveries: [DeliveryDocument], _ density: Density) -> [Column] {
        let isWide = density == .wide
        let date = Column(title: "DATE (UTC)") { delivery in
            isWide ? DeliveryClock.text(delivery.date) : String(DeliveryClock.text(delivery.date).dropLast(4))
        }
        let status = Column(title: "STATUS", alignsRight: true) { $0.statusCode.map { "\($0)" } ?? "" }
        let reason = Column(title: "REASON") { Cell.shortened($0.reason ?? "", to: isWide ? 32 : 20) }
        let token = Column(title: "TOKEN") { Cell.shortened($0.deviceToken ?? "", to: isWide ? 13 : 9) }
        let lane = Column(title: "LANE") { Cell.shortened($0.lane ?? "", to: isWide ? 20 : 10) }
        let topic = Column(title: "TOPIC") { Cell.shortened($0.topic ?? "", to: isWide ? 32 : 20) }
        let batch = Column(title: "BATCH") { Cell.shortened($0.batchID ?? "", to: isWide ? 24 : 14) }
        let tries = Column(title: "TRIES", alignsRight: true) { "\($0.attempts)" }
        let outcome = Column(title: "OUTCOME", isOutcome: true) { $0.outcome }
        if density == .narrow { return [date, outcome, reason, token, batch] }
        // A lane mostly has one topic, and then the lane's name says it all.
        let lanesAndTopics = Set(deliveries.map { [$0.lane, $0.topic] })
        let needsTopic = lanesAndTopics.count > Set(deliveries.map(\.lane)).count
        return [date, outcome, status, reason, token, lane] + (needsTopic ? [topic] : []) + [batch, tries]
    }

    private static func joined(_ cells: [String]) -> String {
        let line = cells.joined(separator: gap)
        // Spaces at the end would wrap on a narrow terminal.
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}

/// Times in a text for people: UTC, without the letters of RFC 3339.
enum DeliveryClock {
    static func text(_ milliseconds: Int64) -> String {
        String(DeliveryTime.text(milliseconds: milliseconds).dropLast().map { $0 == "T" ? " " : $0 })
    }
}
