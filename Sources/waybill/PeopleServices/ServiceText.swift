import WaybillAccounts
import WaybillEncoding

/// Services as a table for people, and as objects for programs.
enum ServiceText {
    /// The heading and the lines.
    ///
    /// - Parameters:
    ///   - services: in their order.
    ///   - width: columns; `nil` cuts nothing.
    /// - Returns: the lines.
    static func lines(_ services: [ServiceDetails], width: Int?) -> [String] {
        let columns = [
            TextTable.Column(title: "ID", keeps: true, cells: services.map(\.id)),
            TextTable.Column(title: "STATE", cells: services.map(state)),
            TextTable.Column(
                title: "CREATED",
                cut: .plain,
                limits: [16, 16, 10, 10],
                cells: services.map { String(DeliveryClock.text($0.createdAt).prefix(16)) }
            ),
            TextTable.Column(title: "NAME", takesRest: true, cells: services.map(\.name)),
        ]
        return TextTable(columns: columns).lines(width: width) { _, _, text in text }
    }

    static func object(_ service: ServiceDetails) -> JSONObject {
        var object = JSONObject()
        object.add("id", service.id)
        object.add("name", service.name)
        object.add("state", state(service))
        object.add("created_at", TimeText.text(milliseconds: service.createdAt))
        object.add("updated_at", TimeText.text(milliseconds: service.updatedAt))
        object.add("suspended_at", service.suspendedAt.map(TimeText.text(milliseconds:)))
        return object
    }

    /// A service with how many belong to it as what, and how many of its keys hold.
    static func object(_ overview: ServiceOverview, now: Int64) -> JSONObject {
        var object = object(overview.service)
        object.add("owners", overview.members.filter { $0.role == .owner }.map(\.account).joined(separator: " "))
        for role in ServiceRole.allCases.reversed() {
            object.add("\(role.rawValue)_count", overview.members.filter { $0.role == role }.count)
        }
        object.add("keys_that_hold", overview.keys.filter { $0.isGood(now: now) }.count)
        return object
    }

    private static func state(_ service: ServiceDetails) -> String {
        service.suspendedAt == nil ? "active" : "suspended"
    }
}
