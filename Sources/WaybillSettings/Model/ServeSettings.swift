/// Where the HTTP API listens, and who stands between it and those who ask.
package struct ServeSettings: Hashable, Sendable {
    /// What the server shows to prove who it is, both files PEM.
    package struct Certificate: Hashable, Sendable {
        package var certificateFile: String
        package var privateKeyFile: String

        package init(certificateFile: String, privateKeyFile: String) {
            self.certificateFile = certificateFile
            self.privateKeyFile = privateKeyFile
        }

        /// The certificates and the key.
        ///
        /// - Throws: `OwnerOnlyFile.Problem` when a file cannot be read, or others can read the key.
        package func read() throws(OwnerOnlyFile.Problem) -> (certificates: [UInt8], privateKey: [UInt8]) {
            let limit = 256 * 1024
            return (
                try FileContent.read(certificateFile, limit: limit).get(),
                try OwnerOnlyFile.read(privateKeyFile, limit: limit).get()
            )
        }
    }

    /// The pages: the operators', and that of people who have accounts.
    package struct Page: Hashable, Sendable {
        /// The folder in which the system has scripts of others: Chart.js is read from there.
        package var libraries: String

        package init(libraries: String = "/usr/share/javascript") {
            self.libraries = libraries
        }
    }

    package var listen: AdminSettings.Listen
    /// `nil`: without TLS.
    package var certificate: Certificate?
    /// The proxies that requests come from, and whose word counts on where they came from; empty: anybody may connect.
    package var proxies: [IPRange]
    /// `nil`: there is none.
    package var page: Page?

    /// `nil`: there are none.
    package var accounts: AccountSettings?
    /// `nil`: the thesis' API is not offered.
    package var notifire: NotifireSettings?

    /// How receipts of devices are taken; `nil`: they are not.
    package var receipts: ReceiptSettings?

    /// What the thesis does not say of services; `nil` where none are offered.
    package var services: NotifireServiceSettings? { accounts == nil ? nil : notifire?.services }

    /// Whether whoever asks speaks TLS, with this server or with the proxy in front.
    package var isProtected: Bool { certificate != nil || !proxies.isEmpty }

    package init(
        listen: AdminSettings.Listen,
        certificate: Certificate? = nil,
        proxies: [IPRange] = [],
        page: Page? = Page(),
        accounts: AccountSettings? = nil,
        notifire: NotifireSettings? = nil,
        receipts: ReceiptSettings? = nil
    ) {
        self.listen = listen
        self.certificate = certificate
        self.proxies = proxies
        self.page = page
        self.accounts = accounts
        self.notifire = notifire
        self.receipts = receipts
    }
}
