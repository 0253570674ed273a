import WaybillAPNS
import WaybillCore
import WaybillEncoding

/// Judges the values that ``EnvelopeReader`` has found and makes the batch's items from them.
///
/// Texts that do not stand in the body as they are needed (an alert payload, a token in capitals, an unescaped string) are
/// written one after the other into an arena: items hold slices of it, or of the body, and own no storage.
struct APNSItemBuilder {
    /// Bytes in the body or in the arena.
    struct Text {
        var isInArena = false
        var range: Range<Int>
    }

    /// What is sent.
    struct Content {
        var message: Text?
        var payload: Text
    }

    /// How it is sent.
    struct Settings {
        enum Collapse {
            /// From token and content.
            case content
            /// From the apns-id.
            case notification
            case none
            case explicit(Text)

            /// What a rule means for a push type: only an alert's repeat replaces something that is seen.
            init(_ rule: CollapseRule, for pushType: APNSPushType) {
                switch rule {
                case _ where pushType != .alert: self = .none
                case .content: self = .content
                case .notification: self = .notification
                case .none: self = .none
                }
            }
        }

        var pushType: APNSPushType
        var priority: PriorityClass
        var expiration: Expiration
        var maxAge: Int?
        var topic: String
        var collapse: Collapse
        var onUnknown: UnknownPolicy?
    }

    let reader: EnvelopeReader
    let bytes: UnsafeBufferPointer<UInt8>
    let limits: APNSLimits
    let lane: APNSLane
    /// For notifications without a `max_age`: the client's, else the lane's.
    let commonMaxAge: Int?
    let identity: MessageIdentity
    var arena: [UInt8] = []
    var topics = TopicCache()
    private(set) var hasGivenIDs = false
    /// For notifications that name no setting of their own.
    private var commonSettings: Result<Settings, ItemFault>?
    /// For messages that name no interaction of their own.
    private var commonAlert: Result<AlertTemplate, ItemFault>?
    /// For the `device_tokens` form.
    private var sharedParts: Result<(Settings, Content), ItemFault>?

    init(
        reader: EnvelopeReader,
        bytes: UnsafeBufferPointer<UInt8>,
        limits: APNSLimits,
        lane: APNSLane,
        commonMaxAge: Int?,
        identity: MessageIdentity
    ) {
        self.reader = reader
        self.bytes = bytes
        self.limits = limits
        self.lane = lane
        self.commonMaxAge = commonMaxAge
        self.identity = identity
    }

    /// The batch's items.
    ///
    /// - Parameters:
    ///   - body: the array that ``bytes`` points into.
    ///   - indexes: the positions in the producer's message, if this is a part of it.
    /// - Returns: one item for each entry of the message, in its order.
    mutating func makeItems(body: [UInt8], indexes: [Int]?) -> [Batch.Item] {
        arena.reserveCapacity(reader.form == .deviceTokens ? 4096 : bytes.count)
        var drafts: [Prepared] = []
        drafts.reserveCapacity(reader.drafts.count)
        for position in reader.drafts.indices {
            drafts.append(prepare(reader.drafts[position], index: indexes?[position] ?? position))
        }
        // Derived ones differ by themselves.
        if hasGivenIDs { refuseSharedIDs(of: &drafts, indexes: indexes) }
        let texts = Texts(body: body, arena: arena)
        var hints = NameHints()
        var items: [Batch.Item] = []
        items.reserveCapacity(drafts.count)
        for (position, prepared) in drafts.enumerated() {
            items.append(
                Batch.Item(
                    index: indexes?[position] ?? position,
                    content: prepared.content(texts, bytes: bytes, hints: &hints),
                    source: body[reader.drafts[position].source]
                )
            )
        }
        return items
    }

    // MARK: - One notification

    private mutating func prepare(_ draft: EnvelopeReader.Draft, index: Int) -> Prepared {
        var givenID: NotificationID?
        var token: Text?
        do throws(ItemFault) {
            if let value = value(.apnsID, of: draft.members) { givenID = try readGivenID(value) }
            token = try deviceToken(of: draft.members)
            if let fault = draft.fault { throw fault }
            let (settings, content) = try parts(of: draft.members)
            try checkSize(content, settings: settings)
            let id = givenID ?? identity.id(at: index)
            return .valid(
                Prepared.Notification(
                    token: token.unsafelyUnwrapped,
                    content: content,
                    settings: settings,
                    id: id,
                    fingerprint: givenID == nil
                        ? nil : fingerprint(token: token.unsafelyUnwrapped, content: content, settings: settings),
                    digest: collapseDigest(
                        token: token.unsafelyUnwrapped,
                        content: content,
                        id: id,
                        settings: settings
                    )
                )
            )
        } catch {
            // The first fault may be the id's; the token is worth having in the record all the same.
            if token == nil { token = (try? deviceToken(of: draft.members)) ?? givenToken(of: draft.members) }
            return .invalid(
                Prepared.Invalid(id: identity.id(at: index), givenID: givenID, token: token),
                draft.fault ?? error
            )
        }
    }

    private mutating func parts(of own: Members) throws(ItemFault) -> (Settings, Content) {
        if reader.form == .deviceTokens {
            if let sharedParts { return try sharedParts.get() }
            let result = Result { () throws(ItemFault) in try ownParts(of: reader.shared) }
            sharedParts = result
            return try result.get()
        }
        return try ownParts(of: own)
    }

    private mutating func ownParts(of own: Members) throws(ItemFault) -> (Settings, Content) {
        let settings: Settings
        if own.present.isDisjoint(with: .delivery) {
            let common = commonSettings ?? Result { () throws(ItemFault) in try resolveSettings(own: Members()) }
            commonSettings = common
            settings = try common.get()
        } else {
            settings = try resolveSettings(own: own)
        }
        return (settings, try resolveContent(own: own, settings: settings))
    }

    /// The interactions' frame around a message.
    mutating func alertTemplate(own: Members) throws(ItemFault) -> AlertTemplate {
        guard own.present.isDisjoint(with: .interactions) else { return try makeAlertTemplate(own: own) }
        let common = commonAlert ?? Result { () throws(ItemFault) in try makeAlertTemplate(own: Members()) }
        commonAlert = common
        return try common.get()
    }

    /// An id that the producer gives.
    private mutating func readGivenID(_ value: JSONValue) throws(ItemFault) -> NotificationID {
        let form = ItemFault(.apnsID, .must("must be a UUID in the form 8-4-4-4-12"))
        guard value.kind == .string else { throw form }
        // First of all: it may write into the arena, which `withBytes` must see as it is then.
        let text = try text(of: value, .apnsID)
        guard let id = withBytes(text, { NotificationID(ascii: $0) }) else { throw form }
        hasGivenIDs = true
        return id
    }

    private func checkSize(_ content: Content, settings: Settings) throws(ItemFault) {
        let size = content.payload.range.count
        let limit = limits.payloadSize(for: settings.pushType)
        guard size <= limit else {
            throw ItemFault(content.message == nil ? .payload : .message, .payloadSize(size, limit: limit))
        }
    }
}
