import WaybillMongo

/// That a user has logged in on an installation of an app.
package struct DeviceLink: Hashable, Sendable {
    package let app: String
    /// The installation's own id.
    package let device: String
    /// Whether the user is logged in there still.
    package let isEnabled: Bool
    /// Since when that is so, in milliseconds since 1970.
    package let since: Int64

    private typealias Field = DeviceRegistry.LinkField

    /// Reads a document; `nil` for one that is not whole.
    init?(_ document: BSONDocument) {
        guard let app = document["\(Field.app)"]?.string, let device = document["\(Field.device)"]?.string,
            let isEnabled = document["\(Field.enabled)"]?.bool, let since = document["\(Field.since)"]?.date
        else { return nil }
        self.app = app
        self.device = device
        self.isEnabled = isEnabled
        self.since = since
    }
}
