import WaybillCore
package import WaybillEncoding
import WaybillMongo

/// Which devices somebody wants to see: those that match every condition given.
package struct DeviceQuery: Hashable, Sendable {
    /// The whole token, as the registry holds it.
    package var token: [UInt8]?
    package var app: String?
    /// Of one of these apps, where there are any.
    package var apps: [String] = []
    package var user: String?
    /// The app's own installation id.
    package var device: String?
    /// With all of these.
    package var tags: [String] = []
    package var appVersion: String?
    /// With one of these, or one of their regions: `de` means `de-AT`, too.
    ///
    /// One without a canonical form means none.
    package var locales: [String] = []
    /// With one of these, by whichever of its names.
    package var timeZones: [String] = []
    /// With none of these, or with none at all.
    package var otherTimeZones: [String] = []
    /// With this version of the app or a later one, by its numbers.
    package var versionFrom: [Int]?
    /// With an earlier version of the app, by its numbers.
    package var versionBelow: [Int]?
    /// Of these.
    package var owners: DeviceOwners?
    /// Of these, each in its app, where there are any; in place of ``app``, ``apps`` and ``owners``.
    package var ownersByApp: [ExactName: DeviceOwners] = [:]
    /// Of which the app has spoken then or later, in milliseconds since 1970.
    package var heardSince: Int64?
    /// Of which the app has spoken before that last, in milliseconds since 1970.
    package var heardBefore: Int64?
    /// Any of these; `nil` for all, and for devices of no client.
    package var clients: [String]?
    /// Whether it may be pushed to; `nil` for both.
    package var isEnabled: Bool?
    package var isSuspected: Bool

    package init(
        token: [UInt8]? = nil,
        app: String? = nil,
        user: String? = nil,
        device: String? = nil,
        clients: [String]? = nil,
        isEnabled: Bool? = nil,
        isSuspected: Bool = false
    ) {
        self.token = token
        self.app = app
        self.user = user
        self.device = device
        self.clients = clients
        self.isEnabled = isEnabled
        self.isSuspected = isSuspected
    }

    private typealias Field = DeviceRegistry.Field

    /// The same bytes for the same conditions.
    package var fingerprint: [UInt8] { filter.bytes }

    var filter: BSONDocument { BSONDocument { append(to: $0) } }

    func append(to writer: BSONWriter) {
        appendToken(to: writer)
        if let app { writer.append(Field.app, string: app) }
        appendApps(to: writer)
        if let user { writer.append(Field.user, string: user) }
        if let device { writer.append(Field.device, string: device) }
        if let owners { owners.append(to: writer) }
        if !tags.isEmpty { Self.append(Field.tags, "$all", tags, to: writer) }
        appendPlaces(to: writer)
        if let appVersion { writer.append(Field.appVersion, string: appVersion) }
        DeviceVersionRange.append(from: versionFrom, below: versionBelow, to: writer)
        appendAlternatives(to: writer)
        if let clients { Self.append(Field.client, "$in", clients, to: writer) }
        if let isEnabled { writer.append(Field.enabled, bool: isEnabled) }
        if isSuspected { writer.append(Field.suspectedAt) { $0.append("$type", string: "date") } }
    }

    func appendApps(to writer: BSONWriter) {
        if apps.count == 1 {
            writer.append(Field.app, string: apps[0])
        } else if !apps.isEmpty {
            Self.append(Field.app, "$in", apps, to: writer)
        }
        // Always in the same order: the bytes of a query are compared.
        let owned = ownersByApp.sorted { $0.key < $1.key }
        if owned.count == 1 {
            writer.append(Field.app, string: owned[0].key.text)
            owned[0].value.append(to: writer)
        } else if !owned.isEmpty {
            writer.append(
                "$or",
                array: { ways in
                    for (app, owners) in owned {
                        ways.append { way in
                            way.append(Field.app, string: app.text)
                            owners.append(to: way)
                        }
                    }
                }
            )
        }
    }

    private static func append(
        _ field: StaticString,
        _ operation: StaticString,
        _ values: [String],
        to writer: BSONWriter
    ) {
        writer.append(field) { condition in
            condition.append(operation, array: { array in for value in values { array.append(string: value) } })
        }
    }

    private func appendPlaces(to writer: BSONWriter) {
        if !timeZones.isEmpty || !otherTimeZones.isEmpty {
            writer.append(Field.timeZone) { condition in
                for (operation, zones) in [("$in", timeZones), ("$nin", otherTimeZones)] as [(StaticString, [String])]
                where !zones.isEmpty {
                    condition.append(
                        operation,
                        array: { array in
                            for zone in zones.flatMap(TimeZoneName.names) { array.append(string: zone) }
                        }
                    )
                }
            }
        }
    }

    /// Writes the conditions of which each holds in one of several ways.
    private func appendAlternatives(to writer: BSONWriter) {
        let hasTimes = heardSince != nil || heardBefore != nil
        guard hasTimes || !locales.isEmpty else { return }
        writer.append(
            "$and",
            array: { conditions in
                if !locales.isEmpty { conditions.append { appendLocales(to: $0) } }
                if hasTimes { conditions.append { appendHeard(to: $0) } }
            }
        )
    }

    /// A locale is one of these, or has one of them in front of a `-`.
    private func appendLocales(to writer: BSONWriter) {
        let tags = LocaleName.covering(locales)
        writer.append(
            "$or",
            array: { ways in
                ways.append { $0.append(Field.locale) { $0.append(anyOf: tags) } }
                if !tags.isEmpty { ways.append { Self.appendLocales(behind: tags[...], to: $0) } }
            }
        )
    }

    /// A locale has one of these in front of a `-`; they are in ascending order.
    ///
    /// As a tree, for each branch costs time at each device: of hundreds, few are looked at.
    private static func appendLocales(behind tags: ArraySlice<String>, to writer: BSONWriter) {
        guard let first = tags.first, let last = tags.last else { return }
        writer.append(Field.locale) { range in
            range.append("$gt", string: first + "-")
            // Letters and digits are below it.
            range.append("$lt", string: last + "-\u{7F}")
        }
        guard tags.count > 1 else { return }
        let size = max(1, (tags.count + 7) / 8)
        writer.append(
            "$or",
            array: { ways in
                for start in stride(from: tags.startIndex, to: tags.endIndex, by: size) {
                    ways.append { appendLocales(behind: tags[start..<min(start + size, tags.endIndex)], to: $0) }
                }
            }
        )
    }

    /// What counts is when the device was seen, or, if it was not, when it was registered.
    private func appendHeard(to writer: BSONWriter) {
        func append(_ field: StaticString, to writer: BSONWriter) {
            writer.append(field) { condition in
                if let heardSince { condition.append("$gte", date: heardSince) }
                if let heardBefore { condition.append("$lt", date: heardBefore) }
            }
        }
        let seen = BSONDocument { append(Field.seenAt, to: $0) }
        let registered = BSONDocument { writer in
            writer.append(Field.seenAt) { $0.append("$not") { $0.append("$type", string: "date") } }
            append(Field.registeredAt, to: writer)
        }
        writer.append(
            "$or",
            array: { alternatives in
                alternatives.append(document: seen)
                alternatives.append(document: registered)
            }
        )
    }

    /// A token is found in either layout.
    ///
    /// A search without one leaves out what is not yet converted, and what was merged.
    private func appendToken(to writer: BSONWriter) {
        guard let token else {
            writer.append(Field.token) { $0.append("$exists", bool: true) }
            return
        }
        writer.append(
            "$or",
            array: { alternatives in
                alternatives.append { $0.append(Field.token, utf8: token[...]) }
                alternatives.append { $0.append(DeviceRegistry.EarlierField.deviceToken, utf8: token[...]) }
            }
        )
    }
}
