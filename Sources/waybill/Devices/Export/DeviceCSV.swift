import WaybillDeviceRegistry
import WaybillEncoding

/// Writes a device as a line of CSV (RFC 4180): always the same columns, an absent value is empty.
///
/// The history has no column.
enum DeviceCSV {
    private static let columns: [(name: String, text: @Sendable (Device) -> String?)] = [
        ("provider", { $0.provider }), ("app", { $0.app }), ("environment", { $0.environment }),
        ("token", { $0.token }), ("kind", { $0.kind }), ("device", { $0.device }), ("user", { $0.user }),
        ("tags", { $0.tags.isEmpty ? nil : DeviceTags.text($0.tags) }), ("locale", { $0.locale }),
        ("time_zone", { $0.timeZone }), ("app_version", { $0.appVersion }), ("client", { $0.client }),
        ("registered_at", { time($0.registeredAt) }), ("seen_at", { time($0.seenAt) }),
        ("enabled", { $0.isEnabled ? "true" : "false" }), ("disabled_at", { time($0.disabledAt) }),
        ("disabled_reason", { $0.disabledReason }), ("invalid_since", { time($0.invalidSince) }),
        ("suspected_at", { time($0.suspectedAt) }), ("suspected_reason", { $0.suspectedReason }),
    ]

    /// The columns' names: the fields of the registry; new ones come at the end.
    static var header: String { columns.map(\.name).joined(separator: ",") + "\r\n" }

    /// A device's line, with its line break.
    static func line(_ device: Device) -> String {
        columns.map { $0.text(device).map(CSVText.cell) ?? "" }.joined(separator: ",") + "\r\n"
    }

    private static func time(_ milliseconds: Int64?) -> String? { milliseconds.map(TimeText.text(milliseconds:)) }
}
