/// `serve`: the HTTP API.
enum ServeSection {
    /// Reads it.
    ///
    /// - Parameters:
    ///   - section: what is written.
    ///   - receipts: the section `receipts`, on which this one can only insist, or let it be.
    /// - Returns: `nil` where it is absent, or cannot be used.
    static func read(_ section: SectionReader, receipts: ReceiptSettings? = nil) -> ServeSettings? {
        defer { section.finish() }
        let text = section.requiredText("listen", "say where to listen, such as 127.0.0.1:8080")
        let certificate = certificate(section)
        let proxies = proxies(section)
        let page = page(section)
        let accounts = AccountsSection.read(section)
        let notifire = AccountsSection.readNotifire(section)
        let takesReceipts = section.boolean("receipts", default: receipts != nil)
        if takesReceipts, receipts == nil { section.error("receipts", "needs keys: write a section receipts") }
        guard let text else { return nil }
        guard let listen = AdminSettings.Listen(text) else {
            section.error("listen", "must be an address and a port, such as 127.0.0.1:8080")
            return nil
        }
        let isLocal = listen.host == "localhost" || IPRange.loopback.contains { $0.contains(listen.host) }
        if !isLocal, certificate == nil, proxies.isEmpty {
            section.error(
                "listen",
                "is beyond this machine, where keys would cross the network in clear; give certificate_file and "
                    + "private_key_file, or name the proxies in front by behind_proxy"
            )
        }
        return ServeSettings(
            listen: listen,
            certificate: certificate,
            proxies: proxies,
            page: page,
            accounts: accounts,
            notifire: notifire,
            receipts: takesReceipts ? receipts : nil
        )
    }

    private static func page(_ section: SectionReader) -> ServeSettings.Page? {
        let libraries = section.filePath("assets")
        guard section.boolean("page", default: true) else { return nil }
        return libraries.map(ServeSettings.Page.init) ?? ServeSettings.Page()
    }

    private static func certificate(_ section: SectionReader) -> ServeSettings.Certificate? {
        let files = (section.filePath("certificate_file"), section.filePath("private_key_file"))
        switch files {
        case (let certificateFile?, let privateKeyFile?):
            return ServeSettings.Certificate(certificateFile: certificateFile, privateKeyFile: privateKeyFile)
        case (.some, nil): section.error("private_key_file", "is missing; certificate_file needs it")
        case (nil, .some): section.error("certificate_file", "is missing; private_key_file needs it")
        case (nil, nil): break
        }
        return nil
    }

    private static func proxies(_ section: SectionReader) -> [IPRange] {
        (section.list("behind_proxy") ?? []).compactMap { setting in
            if let range = IPRange(setting.text) { return range }
            section.findings.error(
                setting.path,
                setting.origin,
                "must be an address, or a range of them such as 10.0.0.0/8"
            )
            return nil
        }
    }
}
