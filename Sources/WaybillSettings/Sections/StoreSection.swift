/// `store`: MongoDB.
enum StoreSection {
    private enum TokenForm: String, CaseIterable {
        case plain
        case digest
    }

    static func read(_ section: SectionReader) -> StoreSettings? {
        defer { section.finish() }
        let url = section.requiredText(
            "url",
            "say where MongoDB is, such as mongodb://localhost:27017/?replicaSet=rs0"
        )
        let password = section.secret("password")
        let database = section.text("database") ?? "waybill"
        let body = section.choice("body", default: StoreSettings.Body.full)
        let tokens = tokens(section)
        let files = StoreTLS.Files(
            caFile: section.filePath("ca_file"),
            certificateFile: section.filePath("certificate_file"),
            privateKeyFile: section.filePath("private_key_file")
        )
        if files.privateKeyFile != nil, files.certificateFile == nil {
            section.error("certificate_file", "is missing; private_key_file needs it")
        }
        if !isDatabaseName(database) {
            section.error("database", "may hold letters, digits, dashes and underscores, at most 63")
        }
        guard let url, let tokens else { return nil }
        do throws(ServiceURL.Invalid) {
            let parsed = try ServiceURL(url, schemes: ["mongodb", "mongodb+srv"])
            if password != nil, parsed.user == nil {
                section.error("password", "needs a user in store.url, such as mongodb://waybill@localhost/")
            }
            StoreTLS.examine(parsed, files, section)
            StoreOptions.examine(parsed, section)
            refuseInlineSecrets(parsed, section)
            let complete = password.map { parsed.text(password: $0.value) } ?? url
            return StoreSettings(
                url: Secret(complete),
                displayURL: parsed.shown,
                database: database,
                body: body,
                tokens: tokens,
                caFile: files.caFile,
                certificateFile: files.certificateFile,
                privateKeyFile: files.privateKeyFile
            )
        } catch {
            section.error("url", error.reason)
            return nil
        }
    }

    private static func refuseInlineSecrets(_ url: ServiceURL, _ section: SectionReader) {
        if url.encodedPassword != nil {
            section.refuseExposedSecret("url", "a password", instead: "password_file or WAYBILL_STORE_PASSWORD")
        }
        let hidden = ["tlscertificatekeyfilepassword", "sslclientcertificatekeypassword", "authmechanismproperties"]
        if let option = url.options.first(where: { hidden.contains($0.name) && !$0.value.isEmpty }) {
            section.refuseExposedSecret("url", "\(option.name)", instead: "WAYBILL_STORE_URL")
        }
    }

    private static func tokens(_ section: SectionReader) -> StoreSettings.Tokens? {
        let form = section.choice("tokens", default: TokenForm.plain)
        let keyFile = section.filePath("token_key_file")
        switch (form, keyFile) {
        case (.plain, nil):
            return .plain
        case (.plain, .some):
            section.error("token_key_file", "has no effect while store.tokens is plain; write tokens: digest")
            return nil
        case (.digest, nil):
            section.error("tokens", "digest needs store.token_key_file, a file with at least 32 secret bytes")
            return nil
        case (.digest, let keyFile?):
            guard section.isNeeded else { return .digest(keyFile: keyFile) }
            do throws(OwnerOnlyFile.Problem) {
                _ = try TokenKeyFile.read(keyFile)
            } catch {
                section.error("token_key_file", error.reason, category: error.category)
            }
            return .digest(keyFile: keyFile)
        }
    }

    private static func isDatabaseName(_ text: String) -> Bool {
        text.utf8.count <= 63 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
    }
}
