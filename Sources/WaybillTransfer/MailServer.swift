/// A server that takes mail (SMTP submission, RFC 6409).
package struct MailServer: Sendable {
    /// `smtp://host:587` or `smtps://host:465`; a path is what Waybill calls itself there.
    package var url: String
    /// `nil`: without a login.
    package var credentials: TransferRequest.Credentials?
    /// PEM file with the authorities; `nil` means the system's.
    package var caFile: String?
    /// From the beginning to the last word of the server.
    package var timeLimit: Duration

    package init(
        url: String,
        credentials: TransferRequest.Credentials? = nil,
        caFile: String? = nil,
        timeLimit: Duration = .seconds(30)
    ) {
        self.url = url
        self.credentials = credentials
        self.caFile = caFile
        self.timeLimit = timeLimit
    }
}

/// Why a server has not taken a mail, or is not known to have.
package struct MailTransferError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Fault: Hashable, Sendable {
        /// The server takes no mail from us at the moment, whichever it is: it is away, its certificate or our login is
        /// refused.
        case server
        /// This mail has not gone, or the server has not said whether it has: later.
        case mail
        /// The server will not have this mail (a reply of 500 and above).
        case mailForGood
    }

    package let fault: Fault
    /// In libcurl's words, with the reply's number; no address, no content, no password.
    package let description: String

    package init(_ fault: Fault, _ description: String) {
        self.fault = fault
        self.description = description
    }
}
