import DeliveryLog

/// Devices as a table for people: one line each, both ends of every token shown.
struct DeviceTable {
    let width: Int

    /// The most that the columns may say.
    private struct Layout {
        let token: Int
        let topic: Int
        let reason: Int
        /// Characters of the date: to the second, to the minute, or the day alone.
        let date: Int
        let environmentTitle: String
    }

    /// From wide to narrow; the last one takes 80 columns.
    private static let layouts = [
        Layout(token: 64, topic: 48, reason: 32, date: 19, environmentTitle: "ENVIRONMENT"),
        Layout(token: 21, topic: 32, reason: 32, date: 19, environmentTitle: "ENVIRONMENT"),
        Layout(token: 17, topic: 20, reason: 22, date: 16, environmentTitle: "ENVIRONMENT"),
        Layout(token: 13, topic: 14, reason: 14, date: 10, environmentTitle: "ENV"),
    ]

    /// The heading and the lines, in the widest layout that fits.
    func lines(_ devices: [Device]) -> [String] {
        var lines: [String] = []
        for layout in Self.layouts {
            lines = Self.lines(devices, layout)
            if lines.allSatisfy({ Cell.width($0) <= width }) { break }
        }
        return lines
    }

    private static func lines(_ devices: [Device], _ layout: Layout) -> [String] {
        let titles = ["TOKEN", layout.environmentTitle, "TOPIC", "STATE", "SINCE", "REASON"]
        let rows = [titles] + devices.map { cells($0, layout).map(Cell.printable) }
        let widths = titles.indices.map { column in rows.reduce(0) { max($0, Cell.width($1[column])) } }
        return rows.map { row in
            let line = zip(row, widths).map { Cell.padded($0, to: $1) }.joined(separator: "  ")
            // Spaces at the end would wrap on a narrow terminal.
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    private static func cells(_ device: Device, _ layout: Layout) -> [String] {
        [
            Cell.shortened(device.token, to: layout.token), device.environment,
            Cell.shortened(device.topic, to: layout.topic), device.state,
            device.since.map { String(DeliveryClock.text($0).prefix(layout.date)) } ?? "",
            Cell.clipped(device.reason, to: layout.reason),
        ]
    }
}
