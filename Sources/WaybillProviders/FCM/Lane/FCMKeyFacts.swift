package import WaybillFCM

/// What the key file of a service account says of itself, without the key.
package struct FCMKeyFacts: Hashable, Sendable {
    /// The project that the account belongs to.
    package let projectID: String
    package let keyID: String
    /// The account's name.
    package let clientEmail: String

    /// Reads what stands in a key file.
    ///
    /// - Throws: `FCMSetupError` naming the member that is missing or wrong; its text holds no key.
    package init(json: [UInt8]) throws(FCMSetupError) {
        let account = try FCMServiceAccount(json: json)
        projectID = account.projectID
        keyID = account.keyID
        clientEmail = account.clientEmail
    }
}
