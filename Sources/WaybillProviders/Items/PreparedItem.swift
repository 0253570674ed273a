import WaybillCore
import WaybillTLS

/// An item whose texts are known by their place, until the arena has its final size and slices of it can be made.
enum PreparedItem {
    /// What becomes a `WaybillCore.Notification`, member by member.
    struct Valid {
        enum Collapse {
            case none
            case explicit(ItemReader.Text)
            case digest(SHA256Digest)
        }

        let token: ItemReader.Text
        let message: ItemReader.Text?
        let payload: ItemReader.Text
        let id: NotificationID
        /// Where the producer gave the id.
        let fingerprint: UInt64?
        let collapse: Collapse
        let kind: String?
        /// The payload shows the kind; the message names none.
        var isKindDerived = false
        let priority: PriorityClass
        let lifetime: Lifetime
        let maxAge: Int?
        let topic: String?
        let onUnknown: UnknownPolicy
        let asksReceipt: Bool
        var note = SendingNote()
    }

    struct Invalid {
        /// The derived one.
        let id: NotificationID
        let givenID: NotificationID?
        let token: ItemReader.Text?
    }

    case valid(Valid)
    case invalid(Invalid, ItemFault)

    /// The id that the producer gave, valid or not.
    var givenID: NotificationID? {
        switch self {
        case .valid(let item): item.fingerprint == nil ? nil : item.id
        case .invalid(let item, _): item.givenID
        }
    }

    /// The item as an invalid one, under its derived id; one that is invalid anyway keeps its own fault.
    func refused(_ fault: ItemFault, derivedID: NotificationID) -> Self {
        switch self {
        case .valid(let item): .invalid(Invalid(id: derivedID, givenID: givenID, token: item.token), fault)
        case .invalid: self
        }
    }

    func content(
        _ texts: ItemTexts,
        bytes: UnsafeBufferPointer<UInt8>,
        hints: inout NameHints
    ) -> Batch.Item.Content {
        switch self {
        case .valid(let item): .valid(WaybillCore.Notification(item, texts))
        case .invalid(let item, let fault):
            .invalid(
                InvalidItem(
                    id: item.id,
                    givenID: item.givenID,
                    deviceToken: item.token.map { texts[$0] },
                    reason: fault.text(in: bytes, hints: &hints)
                )
            )
        }
    }
}

/// The two arrays that an item's slices share.
struct ItemTexts {
    let body: [UInt8]
    let arena: [UInt8]

    subscript(_ text: ItemReader.Text) -> ArraySlice<UInt8> {
        text.isInArena ? arena[text.range] : body[text.range]
    }
}

extension Notification {
    fileprivate convenience init(_ item: PreparedItem.Valid, _ texts: ItemTexts) {
        let collapseKey: CollapseKey
        switch item.collapse {
        case .none: collapseKey = .none
        case .explicit(let text): collapseKey = .explicit(texts[text])
        case .digest(let digest): collapseKey = .digest(digest)
        }
        self.init(
            deviceToken: texts[item.token],
            message: item.message.map { texts[$0] },
            payload: texts[item.payload],
            id: item.id,
            fingerprint: item.fingerprint,
            collapseKey: collapseKey,
            kind: item.kind,
            isKindDerived: item.isKindDerived,
            priority: item.priority,
            expiration: item.lifetime.expiration,
            expirationFrom: item.lifetime.origin,
            maxAge: item.maxAge,
            topic: item.topic,
            onUnknown: item.onUnknown,
            asksReceipt: item.asksReceipt,
            note: item.note
        )
    }
}
