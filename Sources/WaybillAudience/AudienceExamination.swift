package import WaybillCore
import WaybillEncoding
package import WaybillMessages
package import WaybillMongo
package import WaybillProviders

/// Holds an audience to what its lanes can send, before anything of it is sent.
package struct AudienceExamination: Sendable {
    package let lanes: [Lane]
    private let retention: RetentionPolicy
    private let apps: ClientApps
    /// `nil` without lanes: there is no content to examine for one then.
    private let decoder: BatchDecoder?

    /// - Parameters:
    ///   - lanes: those of the configuration; a program that only looks may have none.
    ///   - limits: of a dispatch message.
    ///   - retention: which clients there are.
    ///   - apps: which apps a client may reach.
    package init(lanes: [Lane], limits: DecodingLimits, retention: RetentionPolicy, apps: ClientApps) {
        self.lanes = lanes
        self.retention = retention
        self.apps = apps
        decoder = lanes.isEmpty ? nil : BatchDecoder(limits: limits, lanes: lanes)
    }

    /// - Parameters:
    ///   - message: the audience.
    ///   - now: milliseconds since 1970.
    /// - Returns: the lanes that its notifications may go over: those to providers whose phones its content is for.
    /// - Throws: why nothing of it can be sent: the field and its limit.
    @discardableResult
    package func examine(_ message: AudienceMessage, now: Int64) throws(BodyRejection) -> [Lane] {
        if retention.unknown == .reject, retention.isUnknown(message.client) {
            throw BodyRejection(.unknownClient, "client: is none of those that the configuration names")
        }
        try apps.examine(client: message.client, apps: message.selection.apps)
        if let at = message.at, at > now + Int64(AudienceLimits.ahead / .milliseconds(1)) {
            throw BodyRejection(.badValue, "at: is more than 366 days ahead")
        }
        for name in message.lanes where !lanes.contains(where: { $0.name.isExactly(name) }) {
            throw BodyRejection(.unknownLane, "lane: \(LaneName.unknown(name, configured: lanes.map(\.name)))")
        }
        guard let decoder else { return [] }
        let ways = AudienceLanes(message, among: lanes)
        let meant = lanes.filter { AudienceLanes.isMeant($0, by: message) }
        let able = meant.filter(ways.hasContent)
        // Where nobody is left that it is for, what a lane has against it says more than that it is for other phones.
        for lane in able.isEmpty ? meant : able { try Self.examineContent(of: message, lane, by: decoder) }
        guard meant.isEmpty || !able.isEmpty else {
            throw BodyRejection(
                .badValue,
                "content: payload is for phones of another provider than the audience's lanes"
            )
        }
        return able
    }

    /// Looks for an app that no lane and no device has: a slip, most likely.
    ///
    /// - Parameters:
    ///   - selected: the apps of a selection.
    ///   - client: whose audience it is; apps that it may not reach are not named.
    ///   - reader: of the registry.
    /// - Returns: a refusal with the nearest name, or with some; `nil` where each app is known, and where no lanes are.
    /// - Throws: what the store says.
    package func unknownApp(
        among selected: [String],
        of client: String,
        _ reader: AudienceReader
    ) throws(MongoError) -> BodyRejection? {
        let ofLanes = lanes.map(\.provider.app)
        guard !ofLanes.isEmpty else { return nil }
        for app in selected where !ofLanes.containsExactly(app) {
            guard try !reader.hasDevice(of: app) else { continue }
            let ofDevices = try reader.apps(limit: 50)
            let known = Set(ofLanes + ofDevices).filter { (try? apps.examine(client: client, apps: [$0])) != nil }
                .sorted()
            let some = known.isEmpty ? "" : "; known: \(known.prefix(5).joined(separator: ", "))"
            let hint = NearestName.to(app, among: known).map { "; did you mean \($0)?" } ?? some
            return BodyRejection(.badValue, "select.app: no lane and no device has this app\(hint)")
        }
        return nil
    }

    /// Reads the bodies of dispatch messages as a dispatcher would.
    ///
    /// - Parameters:
    ///   - bodies: with the tokens of devices, each of which may be wrong by itself.
    ///   - samples: the same with tokens that any lane takes.
    /// - Throws: why a dispatcher would reject a body, or send no notification of its content.
    package func examine(dispatch bodies: [[UInt8]], samples: [[UInt8]]) throws(BodyRejection) {
        guard let decoder else { return }
        for body in bodies { _ = try decoder.decode(body, properties: MessageProperties()).get() }
        for sample in samples { try Self.examineItems(of: sample, by: decoder) }
    }

    private static func examineItems(of body: [UInt8], by decoder: BatchDecoder) throws(BodyRejection) {
        let batch = try decoder.decode(body, properties: MessageProperties()).get()
        for item in batch.items {
            if case .invalid(let invalid) = item.content { throw BodyRejection(.badValue, "\(invalid.reason)") }
        }
    }

    /// Reads a message as a dispatcher would, with a token that any lane takes, of whatever provider.
    private static func examineContent(
        of message: AudienceMessage,
        _ lane: Lane,
        by decoder: BatchDecoder
    ) throws(BodyRejection) {
        let body = message.dispatchBody(lane: lane.name, tokens: [String(repeating: "0", count: 64)])
        do throws(BodyRejection) {
            try examineItems(of: body, by: decoder)
        } catch {
            throw BodyRejection(reason: error.reason, detail: "content: \(error.detail)")
        }
    }
}
