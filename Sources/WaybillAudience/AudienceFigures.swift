package import WaybillEncoding
package import WaybillMongo

/// How far an audience is, in numbers.
package struct AudienceFigures: Hashable, Sendable {
    package var state: AudienceRecord.State
    /// Of its message's body.
    package var digest: String
    /// Devices that were found.
    package var expanded: Int
    /// Notifications in messages that the broker has.
    package var handedOver: Int
    /// Notifications of the page that is being handed over: the broker may have them, or not.
    package var underWay: Int
    /// Devices that nothing is sent to.
    package var leftOut = AudienceLeftOut()

    /// Notifications that are known to be with the broker: those that it has confirmed, and those of the page after them that the
    /// log knows already.
    ///
    /// The confirmation of a page is noted with the next step. After the end of whoever made it that takes until somebody else
    /// has taken over, and meanwhile the dispatchers go on.
    ///
    /// - Parameter recorded: notifications of the audience that have a record, of any outcome.
    /// - Returns: never more than were published.
    package func knownHandedOver(recorded: Int) -> Int { max(handedOver, min(recorded, handedOver + underWay)) }

    /// Notifications that may be with the broker besides those.
    ///
    /// - Parameter recorded: as ``knownHandedOver(recorded:)`` has it.
    /// - Returns: 0 where all is known.
    package func unconfirmed(recorded: Int) -> Int { handedOver + underWay - knownHandedOver(recorded: recorded) }
}

extension AudienceFigures {
    private typealias Field = Audiences.Field

    /// What is read of a record for them: not the messages, which are large.
    static let projection = BSONDocument { writer in
        for field in [
            Field.name, Field.state, Field.digest, Field.expanded, Field.handedOver, Field.withoutLane,
            Field.withoutContent,
        ] {
            writer.append(field, int: 1)
        }
        writer.append("page.messages.count", int: 1)
    }

    /// - Returns: `nil` for a document that is not whole.
    init?(_ document: BSONDocument) {
        guard let state = document["\(Field.state)"]?.string.flatMap(AudienceRecord.State.init),
            let digest = document["\(Field.digest)"]?.string
        else { return nil }
        func number(_ field: StaticString) -> Int { document["\(field)"]?.amount ?? 0 }
        let messages = document["\(Field.page)"]?.document?["\(Audiences.PageField.messages)"]?.elements ?? []
        self.init(
            state: state,
            digest: digest,
            expanded: number(Field.expanded),
            handedOver: number(Field.handedOver),
            underWay: state.isEnded
                ? 0
                : messages.reduce(0) { $0 + ($1.document?["\(Audiences.PageField.count)"]?.amount ?? 0) },
            leftOut: AudienceLeftOut(
                withoutLane: number(Field.withoutLane),
                withoutContent: number(Field.withoutContent)
            )
        )
    }
}

extension AudienceStore {
    /// How far audiences of some names are, by these: of each client that has one of the name.
    package func figures(of names: [String]) throws(MongoError) -> [ExactName: [AudienceFigures]] {
        guard !names.isEmpty else { return [:] }
        let options = MongoFindOptions(
            projection: AudienceFigures.projection,
            maximumTime: Self.maximumTime,
            readsMajority: true
        )
        var found: [ExactName: [AudienceFigures]] = [:]
        for document in try collection.find(Self.named(names), options: options).all() {
            let name = document["\(Audiences.Field.name)"] ?? document["\(Audiences.Field.id)"]
            guard let name = name?.string, let figures = AudienceFigures(document) else { continue }
            found[ExactName(name), default: []].append(figures)
        }
        return found
    }
}
