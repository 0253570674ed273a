/// How connections to a deployment are protected where its URL does not say so itself.
///
/// The server's certificate and its name are always verified.
package struct MongoTLS: Sendable {
    /// PEM file with the authorities; `nil` means the system's.
    package var caFile: String?
    /// The client certificate and its private key in PEM form, in one piece; `nil` shows nothing.
    package var identity: [UInt8]?

    /// What is named, or `nil` when nothing is and the URL alone decides.
    package init?(caFile: String?, identity: [UInt8]?) {
        guard caFile != nil || identity != nil else { return nil }
        self.caFile = caFile
        self.identity = identity
    }
}

extension MongoTLS: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "TLS" }
    package var debugDescription: String { description }
    /// The private key is not for printing.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
