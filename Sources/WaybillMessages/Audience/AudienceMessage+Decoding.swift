package import WaybillCore
import WaybillEncoding

extension AudienceMessage {
    /// Reads the body of an audience message.
    ///
    /// Strict: what it does not know is refused, but for names that begin with `x-`, which are the producer's own. What
    /// is in `content` is examined by whoever knows the lane.
    ///
    /// - Parameters:
    ///   - body: an object of JSON.
    ///   - isStored: whether it was taken before: then a locale of a former release that is none does not refuse it.
    /// - Throws: the field and its limit; never content.
    package init(decoding body: [UInt8], isStored: Bool = false) throws(BodyRejection) {
        guard !body.isEmpty else { throw BodyRejection(.empty, "the body is empty") }
        guard body.count <= AudienceLimits.bodyBytes else {
            throw BodyRejection(.tooLarge, "the body is \(body.count) bytes, more than \(AudienceLimits.bodyBytes)")
        }
        let result = body.withUnsafeBufferPointer { bytes -> Result<AudienceMessage, BodyRejection> in
            do throws(BodyRejection) {
                return .success(try AudienceReader(bytes, isStored: isStored).message())
            } catch {
                return .failure(error)
            }
        }
        self = try result.get()
    }
}

/// Reads an audience's members and checks their forms.
private struct AudienceReader {
    private let top: AudienceMembers
    private let isStored: Bool

    private static let names = [
        "audience_id", "client", "lane", "content", "select", "at", "cancel_key", "per_minute", "throttle_key",
    ]
    /// What the fan-out writes itself, and what belongs to another form of a dispatch message.
    private static let foreign = [
        "batch_id", "client", "lane", "device_tokens", "notifications", "device_token", "apns_id", "token_kind",
    ]

    init(_ bytes: UnsafeBufferPointer<UInt8>, isStored: Bool) throws(BodyRejection) {
        self.isStored = isStored
        do throws(BodyRejection) {
            top = try AudienceMembers(bytes, path: "", names: Self.names)
        } catch {
            let readable = AudienceMembers(readable: bytes)
            var rejection = error
            rejection.envelope = BodyRejection.Envelope(
                batchID: try? readable.name("audience_id"),
                client: try? readable.name("client")
            )
            throw rejection
        }
    }

    func message() throws(BodyRejection) -> AudienceMessage {
        var id: String?
        do throws(BodyRejection) {
            let name = try top.name("audience_id")
            id = name
            return AudienceMessage(
                id: name,
                client: try top.name("client"),
                lanes: try lanes(),
                content: try content(),
                selection: try selection(),
                at: try top.seconds("at"),
                cancelKey: try top.has("cancel_key") ? top.name("cancel_key") : nil,
                throttle: try throttle()
            )
        } catch {
            var rejection = error
            rejection.envelope = BodyRejection.Envelope(batchID: id, client: try? top.name("client"))
            throw rejection
        }
    }

    /// One, or several of which each device takes its own.
    private func lanes() throws(BodyRejection) -> [String] {
        guard top.has("lane") else { return [] }
        guard top.isArray("lane") else { return [try top.name("lane")] }
        return try top.texts("lane", most: AudienceLimits.apps, characters: AudienceLimits.nameBytes)
    }

    private func throttle() throws(BodyRejection) -> AudienceThrottle? {
        guard let rate = try top.number("per_minute", in: AudienceLimits.perMinute) else {
            guard !top.has("throttle_key") else {
                throw BodyRejection(.missingField, "throttle_key: goes with per_minute")
            }
            return nil
        }
        return AudienceThrottle(
            perMinute: rate,
            key: try top.has("throttle_key") ? top.name("throttle_key") : nil
        )
    }

    private func content() throws(BodyRejection) -> [UInt8] {
        let content = try top.object("content", names: nil)
        for name in Self.foreign where content.has(name) {
            throw BodyRejection(.misplacedField, "content.\(name): is not the content's")
        }
        guard !content.isEmpty else { throw BodyRejection(.missingField, "content: is empty") }
        return Array(content.bytes.dropFirst().dropLast())
    }

    private func selection() throws(BodyRejection) -> AudienceSelection {
        let select = try top.object("select", names: ["app", "users", "devices", "filter"])
        let apps =
            select.isArray("app")
            ? try select.texts("app", most: AudienceLimits.apps, characters: AudienceLimits.nameCharacters)
            : [try select.text("app", most: AudienceLimits.nameCharacters)]
        let ways = ["users", "devices", "filter"].filter(select.has)
        guard ways.count < 2 else {
            throw BodyRejection(.ambiguousForm, "select: has \(ways.joined(separator: " and ")); one of them only")
        }
        func names(_ name: String) throws(BodyRejection) -> [String] {
            try select.texts(name, most: AudienceLimits.names, characters: AudienceLimits.nameCharacters)
        }
        let kind: AudienceSelection.Kind =
            switch ways.first {
            case "users": .users(try names("users"))
            case "devices": .devices(try names("devices"))
            case "filter": .filter(try filter(select))
            default: .filter(AudienceFilter())
            }
        return AudienceSelection(apps: apps, kind: kind)
    }

    private static let filterNames = ["tags", "locale", "time_zone", "not_time_zone", "app_version", "seen"]

    private func filter(_ select: AudienceMembers) throws(BodyRejection) -> AudienceFilter {
        let members = try select.object("filter", names: Self.filterNames)
        var filter = AudienceFilter()
        func list(_ name: String, most: Int) throws(BodyRejection) -> [String] {
            guard members.has(name) else { return [] }
            return try members.texts(name, most: most, characters: AudienceLimits.placeCharacters)
        }
        filter.tags = try list("tags", most: AudienceLimits.tags)
        let locales = try list("locale", most: AudienceLimits.places)
        filter.locales = try members.locales(locales, of: "locale", isStored: isStored)
        filter.timeZones = TimeZoneName.canonical(all: try list("time_zone", most: AudienceLimits.places))
        filter.otherTimeZones = TimeZoneName.canonical(
            all: try list("not_time_zone", most: AudienceLimits.otherPlaces)
        )
        if members.has("app_version") {
            let range = try members.object("app_version", names: ["from", "below"])
            filter.versionFrom = try range.version("from")
            filter.versionBelow = try range.version("below")
            try range.needs("from", or: "below")
        }
        if members.has("seen") {
            let range = try members.object("seen", names: ["since", "before"])
            filter.seenSince = try range.seconds("since")
            filter.seenBefore = try range.seconds("before")
            try range.needs("since", or: "before")
        }
        guard !filter.isEmpty else {
            throw BodyRejection(
                .missingField,
                "\(members.path): asks nothing; leave it out for every device of the app"
            )
        }
        return filter
    }
}
