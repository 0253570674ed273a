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
    /// PEM file with the authorities for the store; `nil` means what the URL names, else the system's.
    package var caFile: String?
    /// PEM file with the certificate to show the store; with its private key unless ``privateKeyFile`` has that.
    package var certificateFile: String?
    package var privateKeyFile: String?

    package init(
        url: Secret,
        displayURL: String,
        database: String = "waybill",
        body: Body = .full,
        tokens: Tokens = .plain,
        caFile: String? = nil,
        certificateFile: String? = nil,
        privateKeyFile: String? = nil
    ) {
        self.url = url
        self.displayURL = displayURL
        self.database = database
        self.body = body
        self.tokens = tokens
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.privateKeyFile = privateKeyFile
    }

    /// The client certificate and its private key in PEM form, in one piece; `nil` where none is named.
    ///
    /// - Throws: `OwnerOnlyFile.Problem` when the file with the key is readable by others, or a file cannot be read.
    package func readIdentity() throws(OwnerOnlyFile.Problem) -> [UInt8]? {
        guard let certificateFile else { return nil }
        let limit = 256 * 1024
        guard let privateKeyFile else { return try OwnerOnlyFile.read(certificateFile, limit: limit).get() }
        let certificate = try FileContent.read(certificateFile, limit: limit).get()
        return try certificate + [UInt8(ascii: "\n")] + OwnerOnlyFile.read(privateKeyFile, limit: limit).get()
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
