/// How to reach MongoDB, and how much of a notification to keep there.
package struct StoreSettings: Sendable {
    /// How much of what was sent a record keeps.
    package enum Body: String, CaseIterable, Sendable {
        case full
        case digest
        case none
    }

    /// How records name device tokens.
    package enum Tokens: Hashable, Sendable {
        case plain
        /// A keyed digest; the file holds the key and is readable by its owner only.
        case digest(keyFile: String)
    }

    /// `mongodb://` or `mongodb+srv://`, complete: it holds the password where there is one.
    package var url: Secret
    /// The URL for people, without the password.
    package var displayURL: String
    package var database: String
    package var body: Body
    package var tokens: Tokens

    package init(
        url: Secret,
        displayURL: String,
        database: String = "waybill",
        body: Body = .full,
        tokens: Tokens = .plain
    ) {
        self.url = url
        self.displayURL = displayURL
        self.database = database
        self.body = body
        self.tokens = tokens
    }

    /// The key for token digests; `nil` where tokens are kept plain.
    ///
    /// - Throws: `OwnerOnlyFile.Problem` when the key file cannot be used any more; `waybill check` and the loading
    ///   of the configuration have seen it before.
    package func readTokenKey() throws(OwnerOnlyFile.Problem) -> [UInt8]? {
        switch tokens {
        case .plain: nil
        case .digest(let keyFile): try TokenKeyFile.read(keyFile)
        }
    }
}
