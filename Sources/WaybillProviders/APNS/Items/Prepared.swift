import WaybillAPNS
import WaybillCore
import WaybillTLS

/// An item whose texts are known by their place, until the arena has its final size and slices of it can be made.
enum Prepared {
    struct Notification {
        let token: APNSItemBuilder.Text
        let content: APNSItemBuilder.Content
        let settings: APNSItemBuilder.Settings
        let id: NotificationID
        /// Where the producer gave the id.
        let fingerprint: UInt64?
        /// Where the collapse id is derived.
        let digest: SHA256Digest?
    }

    struct Invalid {
        /// The derived one.
        let id: NotificationID
        let givenID: NotificationID?
        let token: APNSItemBuilder.Text?
    }

    case valid(Notification)
    case invalid(Invalid, ItemFault)

    /// The id that the producer gave, valid or not.
    var givenID: NotificationID? {
        switch self {
        case .valid(let prepared): prepared.fingerprint == nil ? nil : prepared.id
        case .invalid(let item, _): item.givenID
        }
    }

    /// The item as an invalid one, under its derived id; one that is invalid anyway keeps its own fault.
    func refused(_ fault: ItemFault, derivedID: NotificationID) -> Self {
        switch self {
        case .valid(let prepared):
            .invalid(Invalid(id: derivedID, givenID: givenID, token: prepared.token), fault)
        case .invalid: self
        }
    }

    func content(
        _ texts: Texts,
        bytes: UnsafeBufferPointer<UInt8>,
        hints: inout NameHints
    ) -> Batch.Item.Content {
        switch self {
        case .valid(let prepared): .valid(WaybillCore.Notification(prepared, texts))
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
struct Texts {
    let body: [UInt8]
    let arena: [UInt8]

    subscript(_ text: APNSItemBuilder.Text) -> ArraySlice<UInt8> {
        text.isInArena ? arena[text.range] : body[text.range]
    }
}

extension Notification {
    fileprivate init(_ prepared: Prepared.Notification, _ texts: Texts) {
        let settings = prepared.settings
        let collapseKey: CollapseKey
        switch settings.collapse {
        case .none: collapseKey = .none
        case .explicit(let text): collapseKey = .explicit(texts[text])
        case .content, .notification: collapseKey = prepared.digest.map(CollapseKey.digest) ?? .none
        }
        self.init(
            deviceToken: texts[prepared.token],
            message: prepared.content.message.map { texts[$0] },
            payload: texts[prepared.content.payload],
            id: prepared.id,
            fingerprint: prepared.fingerprint,
            collapseKey: collapseKey,
            kind: settings.pushType.rawValue,
            priority: settings.priority,
            expiration: settings.expiration,
            maxAge: settings.maxAge,
            topic: settings.topic,
            // A repeat replaces the first on the screen only when both carry the same collapse id, and only an alert does:
            // a second call rings, a second background push wakes the app.
            onUnknown: settings.onUnknown
                ?? (collapseKey == .none || settings.pushType != .alert ? .record : .resend)
        )
    }
}
