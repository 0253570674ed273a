import WaybillAPNS
import WaybillCore
import WaybillEncoding

/// Judges items by Apple's rules.
struct APNSItemBuilder: ItemBuilder {
    /// What is sent.
    struct Content {
        var message: ItemReader.Text?
        var payload: ItemReader.Text
        var asksReceipt = false
    }

    /// How it is sent.
    struct Settings {
        enum Collapse {
            /// From token and content.
            case content
            /// From the apns-id.
            case notification
            case none
            case explicit(ItemReader.Text)

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

        var deliveryType: DeliveryType?
        var pushType: APNSPushType
        /// Neither `push_type` nor `delivery_type` is given, so that a payload may show another push type.
        var isTypeOpen: Bool
        /// The payload has shown it.
        var isTypeDerived = false
        var priority: PriorityClass
        var lifetime: Lifetime
        var maxAge: Int?
        var topic: String
        var collapse: Collapse
        var onUnknown: UnknownPolicy?
        /// What the message says; `nil` leaves it to the lane.
        var receipt: Bool?
        /// `nil` where it is sent once.
        var repeats: RepeatRule?
    }

    var reader: ItemReader
    let limits: APNSLimits
    let lane: APNSLane
    var topics = TopicCache()
    var common = CommonParts<Settings, Content>()
    /// For messages that name no interaction of their own, without a receipt and with one.
    private var commonAlerts: (Result<AlertTemplate, ItemFault>?, Result<AlertTemplate, ItemFault>?) = (nil, nil)

    init(reader: ItemReader, limits: APNSLimits, lane: APNSLane) {
        self.reader = reader
        self.limits = limits
        self.lane = lane
    }

    mutating func prepare(_ position: Int, index: Int) -> PreparedItem {
        let draft = reader.envelope.drafts[position]
        var givenID: NotificationID?
        var token: ItemReader.Text?
        do throws(ItemFault) {
            givenID = try reader.givenID(of: draft.members)
            let checked = try deviceToken(of: draft.members)
            token = checked
            if let fault = draft.fault { throw fault }
            let (settings, content) = try parts(of: draft.members)
            try checkSize(content, settings: settings, isGiven: givenID != nil)
            if let rule = settings.repeats { try reader.note(rule, at: position, asksReceipt: content.asksReceipt) }
            return .valid(item(checked, content, settings, index: index, givenID: givenID))
        } catch {
            // The first fault may be the id's; the token is worth having in the record all the same.
            if token == nil { token = (try? deviceToken(of: draft.members)) ?? reader.givenToken(of: draft.members) }
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
        let id = givenID ?? reader.identity.id(at: index)
        let kind = settings.pushType.rawValue
        // On the screen a family is one notification: each repeat takes the place of the one before.
        let shown = reader.family?.first ?? id
        let collapse = collapse(token: token, content: content, id: shown, settings: settings)
        // A repeat replaces the first on the screen only when both carry the same collapse id, and only an alert does: a
        // second call rings, a second background push wakes the app.
        let isReplaced = if case .none = collapse { false } else { settings.pushType == .alert }
        return PreparedItem.Valid(
            token: token,
            message: content.message,
            payload: content.payload,
            id: id,
            fingerprint: givenID == nil
                ? nil
                : reader.fingerprint(token: token, topic: settings.topic, kind: kind, payload: content.payload),
            collapse: collapse,
            kind: kind,
            isKindDerived: settings.isTypeDerived,
            priority: settings.priority,
            lifetime: settings.lifetime,
            maxAge: settings.maxAge,
            topic: settings.topic,
            onUnknown: settings.onUnknown ?? (isReplaced ? .resend : .record),
            asksReceipt: content.asksReceipt
        )
    }

    /// The interactions' frame around a message.
    mutating func alertTemplate(own: Members, asksReceipt: Bool) throws(ItemFault) -> AlertTemplate {
        guard own.present.isDisjoint(with: .alert) else {
            return try makeAlertTemplate(own: own, asksReceipt: asksReceipt)
        }
        let known = asksReceipt ? commonAlerts.1 : commonAlerts.0
        let common =
            known
            ?? Result { () throws(ItemFault) in try makeAlertTemplate(own: Members(), asksReceipt: asksReceipt) }
        if asksReceipt { commonAlerts.1 = common } else { commonAlerts.0 = common }
        return try common.get()
    }

    private func checkSize(_ content: Content, settings: Settings, isGiven: Bool) throws(ItemFault) {
        let added = content.asksReceipt ? ReceiptMembers.mostBytes(isGiven: isGiven) : 0
        let size = content.payload.range.count + added
        let limit = limits.payloadSize(for: settings.pushType)
        guard size <= limit else {
            throw ItemFault(content.message == nil ? .payload : .message, .payloadSize(size, limit: limit))
        }
    }
}
