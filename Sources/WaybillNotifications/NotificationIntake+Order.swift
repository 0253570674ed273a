import WaybillAccounts
package import WaybillMongo

extension NotificationIntake {
    /// Takes a request of our own API, which is stored also where nobody is told.
    ///
    /// - Parameters:
    ///   - order: what is asked; the level is one that its key may use.
    ///   - now: milliseconds since 1970.
    ///   - admit: as in ``take(_:now:admit:)-(NotificationRequest,_,_)``.
    /// - Returns: what becomes of it.
    /// - Throws: what the store says; the notification may be stored then, and is handed over later.
    package func take(
        _ order: NotificationOrder,
        now: Int64,
        admit: (_ service: String, _ owner: String) -> Int? = { _, _ in nil }
    ) throws(MongoError) -> OrderAnswer {
        let (service, content) = (order.grant.service, order.content)
        guard let lanes = order.grant.kind == .test ? route.testLanes : route.lanes else { return .noTestLane }
        guard let audience = try services.audience(of: content.level, in: service.id, now: now) else { return .silent }
        if let seconds = admit(service.id, audience.owner) { return .tooMany(retryAfter: seconds) }
        var (id, at, isRepeat) = (NotificationName.random(), now, false)
        func contents() -> NotificationMessages.Contents {
            content.contents(id: id, ServiceFace(service, image: route.image(of: service)), time: at)
        }
        // Ids and times are of one length each; and what FCM counts is less.
        let count = contents().payload.count
        guard count <= ServiceNotification.payloadBytes else { return .tooLarge(count) }
        let tokens = try tokens(of: audience.accounts, over: lanes)
        func made() -> NewNotification {
            var new = notification(
                id,
                of: service.id,
                for: audience,
                tokens,
                content,
                contents(),
                Way(lanes: lanes, digest: Self.digest(of: content), at: at)
            )
            new.key = order.grant.keyID
            return new
        }
        var new = made()
        if let rejection = rejection(of: new) { return .unsendable(rejection) }
        if let name = order.name {
            switch try names.claim(name, for: id, now: now) {
            case .new: break
            case .other: return .otherContent
            case .repeated(let first, let notification):
                (id, at, isRepeat) = (notification, first, true)
                new = made()
                switch try store.goOn(id, now: now) {
                case .sent(let reach): return .sentBefore(id: id, reach)
                case .inProgress(let left): return .inProgress(retryAfter: Self.seconds(left))
                case .claimed(let stored): return .stored(stored, isRepeat: true)
                // Whoever was first is at it, or has died before the notification was stored.
                case .absent:
                    let left = at + NotificationStore.lease - now
                    guard left <= 0 else { return .inProgress(retryAfter: Self.seconds(left)) }
                }
            }
        }
        switch try store.insert([new], now: now)[0].get() {
        case .stored(let stored): return .stored(stored, isRepeat: isRepeat)
        case .sentBefore(let reach): return .sentBefore(id: id, reach)
        case .otherContent: return .otherContent
        }
    }

    private static func seconds(_ milliseconds: Int64) -> Int { Int((milliseconds + 999) / 1000) }
}
