import WaybillMongo

/// What is to be told of a membership's change.
///
/// It is written with the change, and goes when it is told: so whoever ends in between leaves the telling to others.
package struct MembershipNews: Hashable, Sendable {
    /// What has become of somebody.
    package enum Kind: Hashable, Sendable {
        /// They have come by an invitation, as what they are from then on.
        case joined(ServiceRole)
        /// They have another role.
        case changed(ServiceRole)
        /// They have gone, by themselves or not.
        case removed
        /// The service was given to them.
        case received
        /// They have given the service to an owner of it, by the account's id.
        case given(to: String)
    }

    package let kind: Kind
    /// The id of who has changed it.
    package let account: String
    package let origin: RequestOrigin
    /// Milliseconds since 1970.
    package let at: Int64

    private typealias Field = ServiceLayout.MembershipField

    package init(_ kind: Kind, by account: String, origin: RequestOrigin, at: Int64) {
        self.kind = kind
        self.account = account
        self.origin = origin
        self.at = at
    }

    init?(_ document: BSONDocument) {
        let role = document["\(Field.role)"]?.string.flatMap(ServiceRole.init)
        let other = document["\(Field.to)"]?.string
        guard let word = document["\(Field.kind)"]?.string, let kind = Kind(word: word, role: role, other: other),
            let account = document["\(Field.account)"]?.string, let at = document["\(Field.at)"]?.date,
            let request = document["\(Field.request)"]?.string, let how = document["\(Field.how)"]?.string
        else { return nil }
        self.init(kind, by: account, origin: RequestOrigin(request: request, how: how), at: at)
    }

    /// Until when a membership that has ended is kept for it, in milliseconds since 1970.
    var keptUntil: Int64 { at + ServiceStore.remains }

    func appendPush(to update: BSONWriter) {
        update.append("$push") { push in
            push.append(Field.news) { news in
                news.append(Field.kind, string: kind.word)
                if let role = kind.role { news.append(Field.role, string: role.rawValue) }
                if case .given(let other) = kind { news.append(Field.to, string: other) }
                news.append(Field.account, string: account)
                news.append(Field.request, string: origin.request)
                news.append(Field.how, string: origin.how)
                news.append(Field.at, date: at)
            }
        }
    }
}

extension MembershipNews.Kind {
    fileprivate init?(word: String, role: ServiceRole?, other: String?) {
        switch (word, role, other) {
        case ("joined", let role?, _): self = .joined(role)
        case ("changed", let role?, _): self = .changed(role)
        case ("removed", _, _): self = .removed
        case ("received", _, _): self = .received
        case ("given", _, let other?): self = .given(to: other)
        default: return nil
        }
    }

    fileprivate var word: String {
        switch self {
        case .joined: "joined"
        case .changed: "changed"
        case .removed: "removed"
        case .received: "received"
        case .given: "given"
        }
    }

    fileprivate var role: ServiceRole? {
        switch self {
        case .joined(let role), .changed(let role): role
        case .removed, .received, .given: nil
        }
    }
}
