import WaybillAccounts

/// Accounts as a table for people: one line each, without addresses.
enum AccountTable {
    /// The heading and the lines.
    ///
    /// - Parameters:
    ///   - accounts: in their order.
    ///   - width: columns; `nil` cuts nothing.
    /// - Returns: the lines.
    static func lines(_ accounts: [Account], width: Int?) -> [String] {
        let columns = [
            TextTable.Column(title: "ID", keeps: true, cells: accounts.map(\.id)),
            TextTable.Column(title: "STATE", cells: accounts.map(\.state.rawValue)),
            TextTable.Column(
                title: "CREATED",
                cut: .plain,
                limits: [16, 16, 10, 10],
                cells: accounts.map { String(DeliveryClock.text($0.createdAt).prefix(16)) }
            ),
            TextTable.Column(title: "NAME", takesRest: true, cells: accounts.map(\.name.text)),
        ]
        return TextTable(columns: columns).lines(width: width) { _, _, text in text }
    }
}
