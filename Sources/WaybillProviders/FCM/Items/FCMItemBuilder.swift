import WaybillCore
import WaybillEncoding

/// Judges items by FCM's rules.
///
/// A content is a `Message` object without its target; id and time to live are added when it is sent, so that the items of the
/// `device_tokens` form share one.
struct FCMItemBuilder: ItemBuilder {
    /// What is sent.
    struct Content {
        var message: ItemReader.Text?
        var payload: ItemReader.Text
        var kind: FCMMessageKind
        var priority: PriorityClass
        /// Behind the brace of `data`, counted from the payload's start.
        var dataPlace: Int
        /// Behind the brace of `android`; `nil` where it says its time to live itself.
        var lifePlace: Int?
        /// Bytes of keys and values, without our id and a capability.
        var size: Int
        var asksReceipt = false
        /// The payload's own.
        var collapseKey: ItemReader.Text?
    }

    /// How it is sent.
    struct Settings {
        var deliveryType: DeliveryType?
        /// `nil` leaves it to the content.
        var priority: PriorityClass?
        var lifetime: Lifetime
        var maxAge: Int?
        /// Only a producer's own: FCM keeps four different ones for a device, and throttles them.
        var collapseKey: ItemReader.Text?
        var onUnknown: UnknownPolicy?
        /// What the message says; `nil` leaves it to the lane.
        var receipt: Bool?
        /// The token is an installation id.
        var isInstallation: Bool
        /// `nil` where it is sent once.
        var repeats: RepeatRule?
    }

    var reader: ItemReader
    let limits: FCMLimits
    let lane: FCMLane
    var common = CommonParts<Settings, Content>()
    /// For messages that name neither a setting nor an interaction of their own.
    private var commonFrame: Result<FCMFrame, ItemFault>?

    init(reader: ItemReader, limits: FCMLimits, lane: FCMLane) {
        self.reader = reader
        self.limits = limits
        self.lane = lane
    }

    mutating func prepare(_ position: Int, index: Int) -> PreparedItem {
        let draft = reader.envelope.drafts[position]
        var givenID: NotificationID?
        do throws(ItemFault) {
            givenID = try reader.givenID(of: draft.members)
            let token = try registrationToken(of: draft.members)
            if let fault = draft.fault { throw fault }
            let (settings, content) = try parts(of: draft.members)
            try checkSize(content, isGiven: givenID != nil)
            if let rule = settings.repeats { try reader.note(rule, at: position, asksReceipt: content.asksReceipt) }
            return .valid(item(token, content, settings, index: index, givenID: givenID))
        } catch {
            // Whatever the fault, the token is worth having in the record, as far as an invalid one's has room.
            let token = reader.givenToken(of: draft.members)
            return .invalid(
                PreparedItem.Invalid(id: reader.identity.id(at: index), givenID: givenID, token: token),
                draft.fault ?? error
            )
        }
    }

    private func item(
        _ token: ItemReader.Text,
        _ content: Content,
        _ settings: Settings,
        index: Int,
        givenID: NotificationID?
    ) -> PreparedItem.Valid {
        var note = SendingNote()
        note.idPlace = UInt16(content.dataPlace)
        note.lifePlace = UInt16(content.lifePlace ?? 0)
        note.isUrgent = settings.deliveryType == .critical
        note.isInstallation = settings.isInstallation
        let kind = content.kind.rawValue
        return PreparedItem.Valid(
            token: token,
            message: content.message,
            payload: content.payload,
            id: givenID ?? reader.identity.id(at: index),
            fingerprint: givenID == nil
                ? nil
                : reader.fingerprint(token: token, topic: lane.project, kind: kind, payload: content.payload),
            collapse: (settings.collapseKey ?? content.collapseKey).map { .explicit($0) } ?? .none,
            kind: kind,
            priority: content.priority,
            lifetime: settings.lifetime,
            maxAge: settings.maxAge,
            topic: lane.project,
            // FCM joins no repeats: only an app that drops them by our id makes one invisible.
            onUnknown: settings.onUnknown ?? .record,
            asksReceipt: content.asksReceipt,
            note: note
        )
    }

    /// What stands around a message's text.
    mutating func frame(own: Members, settings: Settings) throws(ItemFault) -> FCMFrame {
        guard own.present.isDisjoint(with: .defaults) else { return try makeFrame(own: own, settings: settings) }
        let common =
            commonFrame ?? Result { () throws(ItemFault) in try makeFrame(own: Members(), settings: settings) }
        commonFrame = common
        return try common.get()
    }

    /// A registration token as it stands: its case counts.
    private mutating func registrationToken(of own: Members) throws(ItemFault) -> ItemReader.Text {
        let text = try reader.deviceToken(of: own)
        let isToken = reader.withBytes(text) { bytes in
            (1...limits.maxTokenSize).contains(bytes.count) && bytes.allSatisfy { (0x21...0x7E).contains($0) }
        }
        guard isToken else {
            throw ItemFault(.deviceToken, .must("must be 1 to 4096 characters of printable ASCII without blanks"))
        }
        return text
    }

    private func checkSize(_ content: Content, isGiven: Bool) throws(ItemFault) {
        let field: Field = content.message == nil ? .payload : .message
        let added = content.asksReceipt ? ReceiptMembers.mostDataBytes(isGiven: isGiven) : 0
        let size = content.size + FCMDataKey.idSize + added
        guard size <= limits.maxContentSize else {
            throw ItemFault(field, .contentSize(size, limit: limits.maxContentSize))
        }
        guard content.payload.range.count <= limits.maxTextSize else {
            throw ItemFault(field, .payloadSize(content.payload.range.count, limit: limits.maxTextSize))
        }
    }
}
