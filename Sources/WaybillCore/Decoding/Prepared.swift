import WaybillAPNS
import WaybillTLS

/// An item whose texts are known by their place, until the arena has its final size and slices of it can be made.
enum Prepared {
    struct Notification {
        let token: BatchBuilder.Text
        let content: BatchBuilder.Content
        let settings: BatchBuilder.Settings
        let apnsID: APNSID
        /// Where the producer gave the id.
        let fingerprint: UInt64?
        /// Where the collapse id is derived.
        let digest: SHA256Digest?
    }

    struct Invalid {
        /// The derived one.
        let apnsID: APNSID
        let givenID: APNSID?
        let token: BatchBuilder.Text?
    }

    case valid(Notification)
    case invalid(Invalid, ItemFault)

    /// The id that the producer gave, valid or not.
    var givenID: APNSID? {
        switch self {
        case .valid(let prepared): prepared.fingerprint == nil ? nil : prepared.apnsID
        case .invalid(let item, _): item.givenID
        }
    }

    /// The item as an invalid one, under its derived id; one that is invalid anyway keeps its own fault.
    func refused(_ fault: ItemFault, derivedID: APNSID) -> Self {
        switch self {
        case .valid(let prepared):
            .invalid(Invalid(apnsID: derivedID, givenID: givenID, token: prepared.token), fault)
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
                    apnsID: item.apnsID,
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

    subscript(_ text: BatchBuilder.Text) -> ArraySlice<UInt8> {
        text.isInArena ? arena[text.range] : body[text.range]
    }
}

extension Notification {
    fileprivate init(_ prepared: Prepared.Notification, _ texts: Texts) {
        let settings = prepared.settings
        let collapseID: APNSCollapseID
        switch settings.collapse {
        case .none: collapseID = .none
        case .explicit(let text): collapseID = .explicit(texts[text])
        case .content, .notification: collapseID = prepared.digest.map(APNSCollapseID.digest) ?? .none
        }
        self.init(
            deviceToken: texts[prepared.token],
            message: prepared.content.message.map { texts[$0] },
            payload: texts[prepared.content.payload],
            apnsID: prepared.apnsID,
            fingerprint: prepared.fingerprint,
            collapseID: collapseID,
            pushType: settings.pushType,
            priority: settings.priority,
            expiration: settings.expiration,
            maxAge: settings.maxAge,
            topic: settings.topic,
            // A repeat replaces the first on the screen only when both carry the same collapse id, and only an alert does:
            // a second call rings, a second background push wakes the app.
            onUnknown: settings.onUnknown
                ?? (collapseID == .none || settings.pushType != .alert ? .record : .resend)
        )
    }
}
