import WaybillDeviceRegistry

/// Devices as a table for people: one line each, both ends of every token shown.
struct DeviceTable {
    /// Columns; `nil` cuts nothing.
    let width: Int?

    /// The heading and the lines.
    func lines(_ devices: [Device]) -> [String] {
        let columns = [
            TextTable.Column(
                title: "TOKEN",
                cut: .middle,
                limits: [64, 21, 17, 13],
                keeps: true,
                cells: devices.map { $0.token ?? "" }
            ),
            TextTable.Column(title: "ENVIRONMENT", narrowTitle: "ENV", cells: devices.map { $0.environment ?? "" }),
            TextTable.Column(
                title: "APP",
                cut: .middle,
                limits: [48, 32, 20, 14],
                cells: devices.map { $0.app ?? "" }
            ),
            TextTable.Column(title: "STATE", cells: devices.map(\.state.rawValue)),
            // To the second, to the minute, or the day alone.
            TextTable.Column(title: "SINCE", cut: .plain, limits: [19, 19, 16, 10], cells: devices.map(Self.since)),
            TextTable.Column(title: "REASON", limits: [32, 32, 22, 14], cells: devices.map { $0.reason ?? "" }),
        ]
        return TextTable(columns: columns).lines(width: width) { _, _, text in text }
    }

    private static func since(_ device: Device) -> String {
        device.since.map { String(DeliveryClock.text($0).prefix(19)) } ?? ""
    }
}
