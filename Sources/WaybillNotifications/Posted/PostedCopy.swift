package import WaybillMongo

/// A document without a state that has what Waybill alone writes: a copy of one that Waybill has had in hand.
///
/// Nothing tells how much of it its writer means, so that it is refused and not sent.
package enum PostedCopy {
    private typealias Field = NotificationLayout.Field

    /// Beside `state`; `sent`, which others may write, too; and what orders leave in a document that nobody has had in hand.
    private static let own: [StaticString] = [
        Field.audience, Field.begins, Field.claimedAt, Field.claimedBy, Field.claimedUntil, Field.digest, Field.due,
        Field.finishedAt, Field.handedOver, Field.message, Field.notedAt, Field.outcomes, Field.reason,
        Field.recipients, Field.sentAt,
        Field.suppressed, Field.unconfirmed, Field.undecided, Field.untold, Field.withoutContent, Field.withoutLane,
    ]
    /// Those that no other system is likely to have beside a `sent` of its own: whatever Waybill has sent has some of them.
    private static let unmistakable: [StaticString] = [
        Field.audience, Field.claimedBy, Field.digest, Field.handedOver, Field.notedAt, Field.outcomes,
        Field.unconfirmed, Field.undecided, Field.withoutContent, Field.withoutLane,
    ]

    /// What is left out of a copy that is to be sent, besides `devices` where that is the number of those that were found.
    package static let names = (own + [Field.state, Field.sent, Field.cancelledBy]).map { "\($0)" }.sorted()

    /// Why a document that nobody has had in hand is not sent; `nil` where it has nothing that Waybill alone writes.
    package static func refusal(_ document: BSONDocument) -> PostedRefusal? {
        var found = own.map { "\($0)" }.filter { document[$0] != nil }
        // What a writer says there is a list.
        if document["\(Field.devices)"]?.amount != nil { found.append("\(Field.devices)") }
        guard !found.isEmpty else { return nil }
        return PostedRefusal(
            found.sorted().joined(separator: ", "),
            "written by Waybill alone, so this is a copy; leave out of what is to be sent: \(names.joined(separator: ", ")), "
                + "and devices where it is a number"
        )
    }

    /// The same of one that says of itself that it was sent: what another system calls its own is left to it.
    package static func refusalOfSent(_ document: BSONDocument) -> PostedRefusal? {
        unmistakable.contains { document["\($0)"] != nil } ? refusal(document) : nil
    }
}
