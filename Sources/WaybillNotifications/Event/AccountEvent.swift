import WaybillEncoding

/// Something that has changed for a person, told to all of their apps and browsers that listen.
package struct AccountEvent: Hashable, Sendable {
    /// What has changed.
    package enum Kind: String, CaseIterable, Sendable {
        /// A service has said something.
        case notification
        /// They have read it, on one of their devices.
        case read
        /// They have acknowledged it.
        case acknowledged
        /// A service of theirs is new, has another name or image, or has ended.
        case service
        /// What they are to a service has changed, or which of its levels they are told of; or what others are to one whose people
        /// they may change.
        case membership
    }

    /// Of this event alone: the same event twice is one.
    package let id: String
    /// The account's id.
    package let account: String
    package let kind: Kind
    /// When, in milliseconds since 1970.
    package let at: Int64
    /// An object, as JSON: ids and times, no texts of services.
    package let data: String

    /// A service has said something, as a receipt has it.
    init(notifying receipt: Receipt) {
        self.init(.notification, id: "notification/\(receipt.notification)/\(receipt.account)", receipt, at: receipt.at)
    }

    /// Somebody has done something with a notification.
    package init(_ mark: ReceiptWriter.Mark, _ receipt: Receipt, at: Int64) {
        let kind: Kind = mark == .read ? .read : .acknowledged
        self.init(kind, id: "\(mark.rawValue)/\(receipt.notification)/\(receipt.account)", receipt, at: at)
    }

    /// Somebody has read all that they were told until a time.
    package init(readingAll account: String, service: String?, until: Int64, at: Int64) {
        var json = JSONWriter()
        json.beginObject()
        json.member("until", TimeText.text(milliseconds: until))
        json.member("service", service)
        json.endObject()
        self.init(account: account, kind: .read, at: at, data: json.bytes)
    }

    /// A service, or what somebody is to it, has changed.
    ///
    /// - Parameters:
    ///   - kind: ``Kind/service`` or ``Kind/membership``.
    ///   - service: the service's id.
    ///   - other: the account's id whose membership it is; `nil`: it is about the service.
    ///   - account: who is told.
    ///   - request: the id of the request that has changed it, where the same may be told again: it is one event then.
    ///   - at: milliseconds since 1970.
    init(
        _ kind: Kind,
        of service: String,
        about other: String? = nil,
        telling account: String,
        by request: String? = nil,
        at: Int64
    ) {
        var json = JSONWriter()
        json.beginObject()
        json.member("service", service)
        json.member("account", other)
        json.endObject()
        let name = request.map { "\(kind.rawValue)/\($0)/\(service)/\(other ?? "")/\(account)" }
        self.init(id: name, account: account, kind: kind, at: at, data: json.bytes)
    }

    private init(_ kind: Kind, id: String, _ receipt: Receipt, at: Int64) {
        var json = JSONWriter()
        json.beginObject()
        json.member("notification", receipt.notification)
        json.member("service", receipt.service)
        json.member("at", TimeText.text(milliseconds: receipt.at))
        json.member("read_at", receipt.readAt.map(TimeText.text(milliseconds:)))
        json.member("acknowledged_at", receipt.acknowledgedAt.map(TimeText.text(milliseconds:)))
        json.endObject()
        self.init(
            id: id,
            account: receipt.account,
            kind: kind,
            at: at,
            data: String(decoding: json.bytes, as: UTF8.self)
        )
    }

    private init(id: String? = nil, account: String, kind: Kind, at: Int64, data: [UInt8]) {
        self.init(
            id: id ?? NotificationName.random(),
            account: account,
            kind: kind,
            at: at,
            data: String(decoding: data, as: UTF8.self)
        )
    }

    init(id: String, account: String, kind: Kind, at: Int64, data: String) {
        self.id = id
        self.account = account
        self.kind = kind
        self.at = at
        self.data = data
    }
}
