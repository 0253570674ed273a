import WaybillMongo

/// A service that was deleted, of which not all is done: nobody sees it, and its keys are dead.
package struct ServiceEnding: Hashable, Sendable {
    private typealias Field = ServiceLayout.ServiceField

    package let service: String
    /// The id of whoever has deleted it.
    package let account: String
    /// When that was, in milliseconds since 1970: whoever does what is left tells of that moment, so that it is the same.
    package let at: Int64
    /// `nil` where it goes with something else that is told.
    package let origin: RequestOrigin?

    init(service: String, account: String, at: Int64, origin: RequestOrigin?) {
        self.service = service
        self.account = account
        self.at = at
        self.origin = origin
    }

    /// Reads a service's document; `nil` where it is there, or all is done.
    init?(_ document: BSONDocument) {
        guard let deletion = document["\(Field.deletion)"]?.document, let at = deletion["\(Field.at)"]?.date,
            let account = deletion["\(Field.account)"]?.string, let service = document["\(Field.id)"]?.string
        else { return nil }
        self.service = service
        self.account = account
        self.at = at
        origin = deletion["\(Field.request)"]?.string.flatMap { request in
            deletion["\(Field.how)"]?.string.map { RequestOrigin(request: request, how: $0) }
        }
    }

    /// Writes that the service is deleted.
    func append(to set: BSONWriter) {
        set.append(Field.deletedAt, date: at)
        set.append(Field.expiresAt, date: at + ServiceStore.remains)
        set.append(Field.deletion) { deletion in
            deletion.append(Field.at, date: at)
            deletion.append(Field.account, string: account)
            guard let origin else { return }
            deletion.append(Field.request, string: origin.request)
            deletion.append(Field.how, string: origin.how)
        }
    }
}
