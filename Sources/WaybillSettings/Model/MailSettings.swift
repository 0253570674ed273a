package import WaybillOutbox

/// How mail goes out.
package struct MailSettings: Sendable {
    /// A server that takes it.
    package struct Server: Sendable {
        /// `smtp://` or `smtps://`, without user and password.
        package var url: String
        /// `nil`: without a login.
        package var user: String?
        package var password: Secret?
        /// PEM file with the authorities; `nil` means the system's.
        package var caFile: String?

        package init(url: String, user: String? = nil, password: Secret? = nil, caFile: String? = nil) {
            self.url = url
            self.user = user
            self.password = password
            self.caFile = caFile
        }
    }

    package enum Way: Sendable {
        case server(Server)
        /// Each mail becomes a file here, and goes nowhere: for demos and tests.
        case folder(String)
    }

    /// Whom mail comes from.
    package var sender: MailSender
    package var way: Way

    package init(sender: MailSender, way: Way) {
        self.sender = sender
        self.way = way
    }
}
