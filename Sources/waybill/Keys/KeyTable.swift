import WaybillAccounts
import WaybillEncoding

/// Keys as a table for people: one line each.
struct KeyTable {
    /// Columns; `nil` cuts nothing.
    let width: Int?
    /// Milliseconds since 1970.
    let now: Int64

    /// The heading and the lines.
    func lines(_ keys: [AccessKey]) -> [String] {
        let columns = [
            TextTable.Column(title: "ID", keeps: true, cells: keys.map(\.id)),
            TextTable.Column(title: "KEY", limits: [18, 18, 0, 0], cells: keys.map(\.shown)),
            TextTable.Column(title: "STATE", cells: keys.map { $0.state(now: now).rawValue }),
            TextTable.Column(title: "ROLE", cells: keys.map(\.role.rawValue)),
            TextTable.Column(title: "CLIENTS", limits: [40, 24, 16, 10], cells: keys.map(Self.clients)),
            TextTable.Column(
                title: "EXPIRES",
                cut: .plain,
                limits: [16, 16, 10, 10],
                cells: keys.map { Self.time($0.expiresAt) }
            ),
            TextTable.Column(
                title: "LAST USED",
                cut: .plain,
                limits: [16, 16, 10, 10],
                cells: keys.map { Self.time($0.lastUsedAt) }
            ),
            TextTable.Column(title: "NAME", takesRest: true, cells: keys.map(\.name)),
        ]
        return TextTable(columns: columns).lines(width: width) { _, _, text in text }
    }

    private static func clients(_ key: AccessKey) -> String {
        switch key.clients {
        case .all: "all"
        case .only(let names): names.sortedTexts.joined(separator: ", ")
        }
    }

    private static func time(_ milliseconds: Int64?) -> String {
        milliseconds.map { String(DeliveryClock.text($0).prefix(16)) } ?? ""
    }
}
