package import WaybillEncoding

extension ProducerRules {
    /// Decides whether a producer may send a message.
    ///
    /// - Parameters:
    ///   - sender: who sends it.
    ///   - client: the client that it names.
    ///   - lane: the lane that it names, or the first one.
    /// - Returns: what its items are held to.
    /// - Throws: why the whole message is refused.
    package func admit(_ sender: Sender, client: String?, lane: String) throws(BodyRejection) -> Admission {
        guard let user = sender.user, let rights = users[user] else {
            guard isStrict else { return .unknown }
            guard let user = sender.user else {
                throw BodyRejection(.missingProperty, "user-id: must be there, because producers.strict is true")
            }
            throw BodyRejection(.unknownProducer, "user-id: producers.users does not name \(Self.shown(user))")
        }
        if isStrict {
            guard sender.hasMessageID else {
                throw BodyRejection(.missingProperty, "message-id: must be there, because producers.strict is true")
            }
            guard sender.hasTimestamp else {
                throw BodyRejection(.missingProperty, "timestamp: must be there, because producers.strict is true")
            }
        }
        if let clients = rights.clients {
            guard let client else {
                throw BodyRejection(.forbiddenClient, "client: must be there; \(Self.shown(user)) may not send without")
            }
            guard clients.containsExactly(client) else {
                throw BodyRejection(
                    .forbiddenClient,
                    "client: \(Self.shown(user)) may not send for \(Self.shown(client))"
                )
            }
        }
        if let lanes = rights.lanes, !lanes.containsExactly(lane) {
            throw BodyRejection(.forbiddenLane, "lane: \(Self.shown(user)) may not send over \(lane)")
        }
        return .known(kinds: rights.kinds)
    }

    /// Holds a batch's items to the kinds of push that their sender may use.
    ///
    /// - Parameters:
    ///   - batch: its forbidden items become invalid ones.
    ///   - kinds: the ones that are allowed.
    ///   - field: what messages to their provider call the kind, for the words.
    ///   - user: the sender, for the words.
    /// - Throws: when no item that could be sent is allowed: then the whole message is refused.
    package static func restrict(
        _ batch: inout Batch,
        to kinds: Set<ExactName>,
        field: StaticString,
        user: String
    ) throws(BodyRejection) {
        var forbidden: [Int] = []
        var valid = 0
        for (position, item) in batch.items.enumerated() {
            guard case .valid(let notification) = item.content else { continue }
            valid += 1
            if !kinds.containsExactly(notification.kind ?? "") { forbidden.append(position) }
        }
        guard !forbidden.isEmpty else { return }
        guard forbidden.count < valid else {
            throw BodyRejection(
                .forbiddenKind,
                "\(field): \(shown(user)) may not send any of what the message holds"
            )
        }
        for position in forbidden {
            guard case .valid(let notification) = batch.items[position].content else { continue }
            // An id of the producer's own may be somebody else's notification's: it is kept beside the record's key.
            batch.items[position].content = .invalid(
                InvalidItem(
                    id: batch.identity.id(at: batch.items[position].index),
                    givenID: notification.fingerprint == nil ? nil : notification.id,
                    deviceToken: notification.deviceToken,
                    reason: "\(field): \(shown(user)) may not send \(notification.kind ?? "")"
                        + (notification.isKindDerived ? ", the type of a silent payload" : "")
                )
            )
        }
    }

    /// A name as it is shown in a sentence of a header: bounded, without control characters.
    private static func shown(_ name: String) -> String {
        HiddenCharacters.shown(String(String.UnicodeScalarView(name.unicodeScalars.prefix(64))))
    }
}
