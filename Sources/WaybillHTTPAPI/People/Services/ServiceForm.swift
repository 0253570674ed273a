import HTTPTypes
import Hummingbird
import WaybillAccounts
import WaybillEncoding

/// What people type about services: 400 for what has not the form.
enum ServiceForm {
    /// The service that a path names.
    ///
    /// - Throws: ``Problem`` 404 also for what can be none.
    static func service(_ request: PersonRequest) throws(Problem) -> String {
        guard let id = ServiceDetails.id(try request.named("service")) else { throw Problem(ServiceProblem.unknown) }
        return id
    }

    static func name(_ text: String) throws(Problem) -> ServiceName {
        guard let name = ServiceName(text) else {
            let lengths = ServiceName.lengths
            throw Problem(
                .badRequest,
                "name has \(lengths.lowerBound) to \(lengths.upperBound) characters, none of them a hidden one or a break"
            )
        }
        return name
    }

    static func levels(_ names: [String]) throws(Problem) -> NotificationLevels {
        var levels: NotificationLevels = []
        for name in names {
            guard let level = NotificationLevel(name: name) else {
                throw Problem(.badRequest, "levels are of info, warning, error and critical")
            }
            guard !levels.includes(level) else { throw Problem(.badRequest, "levels has \(level.name) twice") }
            levels.insert(NotificationLevels(level))
        }
        return levels
    }

    /// The members of a body with quiet hours.
    static let quietHours: Set<String> = ["from", "to", "zone"]

    static func quietHours(_ body: BodyText) throws(Problem) -> PersonalQuietHours {
        try body.form { body, checks in
            let from = checks.read("from") { () throws(Problem) in try time("from", of: body) }
            let to = checks.read("to") { () throws(Problem) in
                let time = try time("to", of: body)
                guard time != from else { throw .field("to", "to is another time than from") }
                return time
            }
            let zone = checks.read("zone") { () throws(Problem) in
                let zone = try body.text("zone")
                guard PersonalQuietHours.isZone(zone) else {
                    throw .field("zone", "zone must be a name of the IANA database, such as Europe/Prague")
                }
                return zone
            }
            guard let from, let to, let zone else { return nil }
            return PersonalQuietHours(from: from, to: to, zone: zone)
        }
    }

    private static func time(_ name: String, of body: BodyText.Members) throws(Problem) -> Int {
        guard let time = PersonalQuietHours.minutes(try body.text(name)) else {
            throw .field(name, "\(name) must be a time of a day, such as 22:00")
        }
        return time
    }

    static func role(_ text: String) throws(Problem) -> ServiceRole {
        guard let role = ServiceRole(rawValue: text) else {
            throw Problem(.badRequest, "role is member, manager or owner")
        }
        return role
    }

    /// As what somebody may be invited.
    static func invited(_ text: String) throws(Problem) -> ServiceRole {
        guard let role = ServiceRole(rawValue: text), role != .owner else {
            throw Problem(
                .badRequest,
                "role is member or manager; an owner is made of somebody who belongs to the service"
            )
        }
        return role
    }

    static func scopes(_ names: [String]) throws(Problem) -> Set<ServiceKeyScope> {
        var scopes: Set<ServiceKeyScope> = []
        for name in names {
            guard let scope = ServiceKeyScope(rawValue: name), scopes.insert(scope).inserted else {
                throw Problem(.badRequest, "scopes are of notify, notify:critical and read, each once")
            }
        }
        guard !scopes.isEmpty else { throw Problem(.badRequest, "scopes names one at the least") }
        return scopes
    }

    /// A moment that has not come yet, and comes within ten years; nil without the member.
    static func moment(_ name: String, of body: BodyText.Members, now: Int64) throws(Problem) -> Int64? {
        guard let text = body.value(name) else { return nil }
        guard let time = TimeText.instant(text) else {
            throw Problem(.badRequest, "\(name) must be a time with Z or an offset, such as 2026-12-24T18:00:00Z")
        }
        guard time > now, time <= now + 3660 * 86_400_000 else {
            throw Problem(.badRequest, "\(name) is later than now, and within ten years")
        }
        return time
    }

    /// How long what is rotated holds beside what comes after it; a day without the member.
    static func overlap(_ body: BodyText.Members, _ checks: inout FieldChecks) -> KeyOverlap? {
        checks.read("overlap") { () throws(Problem) in try body.value("overlap").map(overlap) ?? .day }
    }

    private static func overlap(_ text: String) throws(Problem) -> KeyOverlap {
        guard let overlap = KeyOverlap(rawValue: text) else {
            throw Problem(.badRequest, "overlap is 0, 1h, 24h or 7d")
        }
        return overlap
    }

    /// `true` or `false` in a query; absent is false.
    static func flag(_ name: String, _ request: PersonRequest) throws(Problem) -> Bool {
        switch try request.query.value(name) {
        case nil, "false": return false
        case "true": return true
        default: throw Problem(.badRequest, "\(name) must be true or false")
        }
    }

    /// What a client has seen of a service; `nil` where it does not say.
    static func seen(_ request: PersonRequest) throws(Problem) -> Int64? {
        let fields = request.head.headers[values: .ifMatch]
        guard let field = fields.first, field != "*" else { return nil }
        guard fields.count == 1, field.utf8.count > 2, field.hasPrefix("\""), field.hasSuffix("\"") else {
            throw Problem(.badRequest, "If-Match is one ETag as the service has it, or *")
        }
        // Another tag than one of ours is one that the service has not.
        return Int64(field.dropFirst().dropLast()) ?? -1
    }
}

extension Problem {
    init(_ problem: ServiceProblem) {
        switch problem {
        case .unknown: self.init(.notFound, "no such service")
        case .refused: self.init(.forbidden, "what you are to this service does not allow this")
        case .tooMany:
            self.init(
                .conflict,
                "an account owns \(ServiceStore.mostOwned) services at most, those deleted within a month among them"
            )
        case .departed: self = .unauthorized("this account was deleted meanwhile")
        case .changed: self.init(.preconditionFailed, "the service is not as If-Match has it; read it again")
        case .store(let error): self.init(asking: error)
        }
    }

    init(_ fault: ImageFault) {
        switch fault {
        case .otherFormat: self.init(.unsupportedMediaType, "an image is a PNG or a JPEG, by what its file begins with")
        case .damaged: self.init(.badRequest, "the image's file is not whole, or its parts contradict each other")
        case .unusual:
            self.init(
                .badRequest,
                "the image is of a form that not all phones show; save it as a usual PNG, or as a JPEG in grey or RGB"
            )
        case .sides(let width, let height):
            let most = ServiceImage.sides.upperBound
            self.init(
                .badRequest,
                "the image has \(width) by \(height) pixels, and \(most) by \(most) at most are taken"
            )
        }
    }

    init(_ problem: ServiceKeyProblem) {
        switch problem {
        case .service(let problem): self.init(problem)
        case .notFound: self.init(.notFound, "no such key")
        case .ended: self.init(.conflict, "this key has ended; make a new one")
        case .rotating(let end):
            self.init(
                .conflict,
                "this key is in the middle of a rotation until \(TimeText.text(milliseconds: end)); force rotates it all the same"
            )
        case .last:
            self.init(.conflict, "this is the last live key that holds; force ends it all the same")
        case .tooMany(let most): self.init(.conflict, "a service has \(most) keys that hold at most")
        }
    }

    init(_ problem: MemberProblem) {
        switch problem {
        case .service(let problem): self.init(problem)
        case .unknown: self.init(.notFound, "nobody of this id belongs to the service")
        case .lastOwner:
            self.init(.conflict, "the service would have no owner; make somebody else one first")
        case .tooMany(let most): self.init(.conflict, "a service has \(most) people at most")
        case .ownsTooMany:
            self.init(.conflict, "this person owns \(ServiceStore.mostOwned) services, as many as anybody may")
        }
    }

    init(_ problem: InvitationProblem) {
        switch problem {
        case .service(let problem): self.init(problem)
        case .notFound: self.init(.notFound, "no such invitation")
        case .over:
            self.init(.notFound, "this invitation was answered or withdrawn, or its week is over")
        case .belongs: self.init(.conflict, "you belong to this service already")
        case .full(let most): self.init(.conflict, "the service has \(most) people, as many as it may have")
        case .tooMany(let most):
            self.init(.conflict, "a service has \(most) invitations at most that nobody has answered")
        }
    }
}

extension HTTPField.Name {
    static let entityTag = Self("ETag")!
}
