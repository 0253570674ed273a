import WaybillMongo

/// That a user has logged in on an installation of an app.
package struct DeviceLink: Hashable, Sendable {
    package let app: String
    /// The installation's own id.
    package let device: String
    package let user: String
    /// Whether the user is logged in there still.
    package let isEnabled: Bool
    /// Since when that is so, in milliseconds since 1970.
    package let since: Int64
    /// By which token; `nil` where that is not known, and any of the installation's counts.
    let token: LinkedToken?
    /// In which log-in; `nil` where that is not known.
    let login: String?

    private typealias Field = DeviceRegistry.LinkField

    /// Reads a document; `nil` for one that is not whole.
    init?(_ document: BSONDocument) {
        guard let app = document["\(Field.app)"]?.string, let device = document["\(Field.device)"]?.string,
            let user = document["\(Field.user)"]?.string,
            let isEnabled = document["\(Field.enabled)"]?.bool, let since = document["\(Field.since)"]?.date
        else { return nil }
        self.app = app
        self.device = device
        self.user = user
        self.isEnabled = isEnabled
        self.since = since
        token = LinkedToken(link: document)
        login = document["\(Field.login)"]?.string
    }
}
