import WaybillOutbox

/// `mail`: whom it comes from, and how it goes out.
enum MailSection {
    /// - Parameters:
    ///   - section: what is written.
    ///   - isOptional: whether a command that needs the section has something else to do without.
    /// - Returns: `nil` where nothing is written, or what is written cannot be used.
    static func read(_ section: SectionReader, isOptional: Bool = false) -> MailSettings? {
        defer { section.finish() }
        let from = section.text("from")
        let folder = section.filePath("folder")
        let smtp = section.section("smtp")
        let hasServer = section.isPresent("smtp") || smtp.isPresent("url")
        let server = server(smtp, isWritten: hasServer)
        let isNeeded = section.isNeeded && !isOptional
        guard section.origin != nil || from != nil || folder != nil || hasServer || isNeeded else { return nil }
        guard let from else {
            section.error("from", "is missing; say whom mail comes from, such as Waybill <no-reply@example.com>")
            return nil
        }
        let sender: MailSender
        do throws(MailError) {
            sender = try MailSender(from)
        } catch {
            section.error("from", "must be an address, or a name and <address>: \(error)")
            return nil
        }
        switch (server, folder) {
        case (_?, _?):
            section.error("folder", "contradicts smtp: give one of the two")
            return nil
        case (let server?, nil): return MailSettings(sender: sender, way: .server(server))
        case (nil, let folder?): return hasServer ? nil : MailSettings(sender: sender, way: .folder(folder))
        case (nil, nil):
            if !hasServer { section.error("smtp", "is missing; give smtp.url, or folder to write mails to files") }
            return nil
        }
    }

    private static func server(_ section: SectionReader, isWritten: Bool) -> MailSettings.Server? {
        defer { section.finish() }
        let url = section.text("url")
        let user = section.text("user")
        let password = section.secret("password")
        let caFile = section.filePath("ca_file")
        if user != nil, password == nil, section.isNeeded, !section.isPresent("password_file") {
            section.error("password_file", "is missing; user needs it")
        }
        if password != nil, user == nil { section.error("user", "is missing; the password is somebody's") }
        guard let url else {
            if isWritten { section.error("url", "is missing; such as smtp://mail.example.com:587") }
            return nil
        }
        do throws(ServiceURL.Invalid) {
            let parsed = try ServiceURL(url, schemes: ["smtp", "smtps"])
            guard parsed.user == nil else {
                section.error("url", "must have no user and no password in it; use user and password_file")
                return nil
            }
            guard !parsed.rest.contains(where: { $0 == "?" || $0 == "#" }), !parsed.hosts.contains(",") else {
                section.error("url", "must be one host, with a port")
                return nil
            }
            return MailSettings.Server(url: parsed.text(password: nil), user: user, password: password, caFile: caFile)
        } catch {
            section.error("url", error.reason)
            return nil
        }
    }
}
