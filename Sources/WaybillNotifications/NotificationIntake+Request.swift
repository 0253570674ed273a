package import WaybillAccounts
package import WaybillCore
import WaybillEncoding
package import WaybillMongo

/// What somebody with a service's key asks.
package struct NotificationRequest: Sendable {
    package var key: ServiceKey
    package var content: ServiceNotification
    /// What the caller calls this notification, so that asking twice makes one; `nil`: each time is another one.
    package var idempotencyKey: String?

    package init(key: ServiceKey, content: ServiceNotification, idempotencyKey: String? = nil) {
        self.key = key
        self.content = content
        self.idempotencyKey = idempotencyKey
    }
}

/// What becomes of a request.
package enum NotificationAnswer: Hashable, Sendable {
    /// Stored; the broker must have it before anybody is told so.
    case stored(StoredNotification)
    /// The same request was answered before, and the broker has it.
    case sentBefore
    /// The name that the caller gave it is another notification's.
    case otherContent
    /// Nobody's key, one that was replaced, that somebody knows who owns the service no more, or whose secret has gone, or one whose
    /// owner's account is suspended or has gone.
    case unknownKey
    /// Too many have been sent; so many seconds are to be waited.
    case tooMany(retryAfter: Int)
    /// Nobody wants to be told of this level.
    case levelIsOff
    /// The payload would have so many bytes.
    case tooLarge(Int)
    /// A dispatcher would not send it.
    case unsendable(BodyRejection)

    fileprivate init(_ outcome: NotificationStore.Outcome, showing key: ServiceKey) {
        self =
            switch outcome {
            case .stored(let stored): .stored(stored.showing(key))
            case .sentBefore: .sentBefore
            case .otherContent: .otherContent
            }
    }
}

extension NotificationIntake {
    /// A request, and whom it would tell.
    package struct Addressed {
        let request: NotificationRequest
        /// `nil`: nobody's key.
        let service: ServiceDetails?
        /// `nil`: of a service that may say nothing.
        let audience: ServiceAudience?

        /// How many people belong to the service.
        package var people: Int { audience.map { $0.accounts.count + $0.silenced.count } ?? 0 }
    }

    /// Takes a request.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - now: milliseconds since 1970.
    ///   - admit: is told the service and its owner's account, counts, and says how many seconds too early it is; `nil`: it is not.
    /// - Returns: what becomes of it.
    /// - Throws: what the store says; the notification may be stored then, and is handed over later.
    package func take(
        _ request: NotificationRequest,
        now: Int64,
        admit: (_ service: String, _ owner: String) -> Int? = { _, _ in nil }
    ) throws(MongoError) -> NotificationAnswer {
        let addressed = try address([request], now: now)
        return try take(addressed, now: now) { _, service, owner in admit(service, owner) }[0].get()
    }

    /// Finds out whom requests would tell, with four questions for all of them.
    ///
    /// - Parameters:
    ///   - requests: what is asked.
    ///   - now: milliseconds since 1970.
    /// - Returns: one for each.
    /// - Throws: what the store says.
    package func address(_ requests: [NotificationRequest], now: Int64) throws(MongoError) -> [Addressed] {
        let found = try services.services(showing: requests.map(\.key), secrets: secrets)
        let known = zip(requests, found).enumerated().compactMap { number, pair in
            pair.1.map { (number: number, told: (level: pair.0.content.level, shown: $0)) }
        }
        var audiences = [ServiceAudience?](repeating: nil, count: requests.count)
        for (one, audience) in zip(known, try services.audiences(known.map(\.told), now: now)) {
            audiences[one.number] = audience
        }
        return requests.indices.map {
            Addressed(request: requests[$0], service: found[$0]?.service, audience: audiences[$0])
        }
    }

    /// Takes requests together: they cost as many questions as one, and wait once.
    ///
    /// - Parameters:
    ///   - addressed: what is asked.
    ///   - now: milliseconds since 1970.
    ///   - admit: as in ``take(_:now:admit:)-(NotificationRequest,_,_)``; is told the request, too.
    /// - Returns: what becomes of each, or why that is not known of this one.
    /// - Throws: what the store says; each of them may be stored then, and is handed over later.
    package func take(
        _ addressed: [Addressed],
        now: Int64,
        admit: (_ request: NotificationRequest, _ service: String, _ owner: String) -> Int?
    ) throws(MongoError) -> [Result<NotificationAnswer, MongoError>] {
        var answers = [Result<NotificationAnswer, MongoError>](repeating: .success(.unknownKey), count: addressed.count)
        var taken: [(number: Int, sound: Sound)] = []
        for (number, one) in addressed.enumerated() {
            switch check(one, now: now, admit: admit) {
            case .sound(let sound): taken.append((number, sound))
            case .answered(let answer): answers[number] = .success(answer)
            }
        }
        guard !taken.isEmpty else { return answers }
        let accounts = Array(Set(taken.flatMap(\.sound.audience.accounts)))
        let tokens = try tokens(ofEach: accounts, over: route.lanesOfTheThesis)
        var sendable: [(number: Int, key: ServiceKey, new: NewNotification)] = []
        for one in taken {
            let new = notification(of: one.sound, tokens, now: now)
            if let rejection = rejection(of: new) {
                answers[one.number] = .success(.unsendable(rejection))
            } else {
                sendable.append((one.number, one.sound.request.key, new))
            }
        }
        guard !sendable.isEmpty else { return answers }
        for (one, outcome) in zip(sendable, try store.insert(sendable.map(\.new), now: now)) {
            answers[one.number] = outcome.map { NotificationAnswer($0, showing: one.key) }
        }
        return answers
    }

    /// A request that has passed everything but the store.
    private struct Sound {
        let request: NotificationRequest
        let service: ServiceDetails
        let audience: ServiceAudience
        let payload: [UInt8]
    }

    private enum Check {
        case sound(Sound)
        case answered(NotificationAnswer)
    }

    private func check(
        _ one: Addressed,
        now: Int64,
        admit: (_ request: NotificationRequest, _ service: String, _ owner: String) -> Int?
    ) -> Check {
        guard let service = one.service, let audience = one.audience else { return .answered(.unknownKey) }
        if let seconds = admit(one.request, service.id, audience.owner) {
            return .answered(.tooMany(retryAfter: seconds))
        }
        let payload = one.request.content.payload(service: service.id, time: now)
        guard payload.count <= ServiceNotification.payloadBytes else { return .answered(.tooLarge(payload.count)) }
        guard !audience.accounts.isEmpty else { return .answered(.levelIsOff) }
        return .sound(Sound(request: one.request, service: service, audience: audience, payload: payload))
    }

    private func notification(of sound: Sound, _ tokens: [ExactName: PhoneTokens], now: Int64) -> NewNotification {
        let (request, service) = (sound.request, sound.service.id)
        let new = notification(
            request.idempotencyKey.map { NotificationName.derived(service: service, name: $0) }
                ?? NotificationName.random(),
            of: service,
            for: sound.audience,
            PhoneTokens.union(of: sound.audience.accounts, tokens),
            request.content,
            NotificationMessages.Contents(payload: sound.payload),
            Way(lanes: route.lanesOfTheThesis, digest: Self.digest(of: request.content), at: now)
        )
        return route.writeQueue.map { handOut(new, to: $0, sound.audience) } ?? new
    }
}
