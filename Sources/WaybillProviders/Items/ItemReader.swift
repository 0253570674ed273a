import WaybillCore
import WaybillEncoding

/// Reads what an item of any provider has out of the members that ``EnvelopeReader`` has found, and makes the batch's items
/// of what its provider made of them.
///
/// Texts that do not stand in the body as they are needed (an alert payload, a token in capitals, an unescaped string) are
/// written one after the other into an arena: items hold slices of it, or of the body, and own no storage.
struct ItemReader {
    /// Bytes in the body or in the arena.
    struct Text {
        var isInArena = false
        var range: Range<Int>
    }

    let envelope: EnvelopeReader
    let bytes: UnsafeBufferPointer<UInt8>
    /// Whose message it is, if it says.
    let client: String?
    /// For items without a `max_age`: the client's, else the lane's.
    let commonMaxAge: Int?
    let identity: MessageIdentity
    /// The message's own time, from which a default expiration counts, in milliseconds since 1970.
    let time: Int64?
    /// The expiration of alerts, and of messages for FCM, that name none; `nil` for the default.
    let laneExpiration: LaneExpiration?
    /// Whether the lane's pushes may carry capabilities for receipts.
    let receipts: ReceiptRule
    /// Which repeat of a notification the message is, all of it; `nil` for what a producer has published.
    let family: FamilyMember?
    var arena: [UInt8] = []
    /// Some item has an id of its producer's.
    var hasGivenIDs = false
    /// How items are sent again that somebody must acknowledge, by their position among the entries.
    var repeats: [Int: RepeatRule] = [:]

    init(
        envelope: EnvelopeReader,
        bytes: UnsafeBufferPointer<UInt8>,
        client: String?,
        commonMaxAge: Int?,
        identity: MessageIdentity,
        time: Int64? = nil,
        laneExpiration: LaneExpiration? = nil,
        receipts: ReceiptRule = .unavailable,
        family: FamilyMember? = nil
    ) {
        self.envelope = envelope
        self.bytes = bytes
        self.client = client
        self.commonMaxAge = commonMaxAge
        self.identity = identity
        self.time = time
        self.laneExpiration = laneExpiration
        self.receipts = receipts
        self.family = family
        arena.reserveCapacity(envelope.form == .deviceTokens ? 4096 : bytes.count)
    }

    /// The batch's items, when nothing will be written into the arena any more.
    ///
    /// - Parameters:
    ///   - prepared: one for each entry of the message, in its order.
    ///   - body: the array that ``bytes`` points into.
    ///   - indexes: the positions in the producer's message, if this is a part of it.
    /// - Returns: one item for each.
    func makeItems(_ prepared: consuming [PreparedItem], body: [UInt8], indexes: [Int]?) -> [Batch.Item] {
        // Derived ones differ by themselves.
        if hasGivenIDs { refuseSharedIDs(of: &prepared, indexes: indexes) }
        let texts = ItemTexts(body: body, arena: arena)
        var hints = NameHints()
        var items: [Batch.Item] = []
        items.reserveCapacity(prepared.count)
        for (position, item) in prepared.enumerated() {
            items.append(
                Batch.Item(
                    index: indexes?[position] ?? position,
                    content: item.content(texts, bytes: bytes, hints: &hints),
                    source: body[envelope.drafts[position].source]
                )
            )
        }
        return items
    }
}
