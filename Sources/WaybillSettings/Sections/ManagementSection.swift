import WaybillEncoding

/// `broker.management`: RabbitMQ's HTTP API.
enum ManagementSection {
    /// - Parameters:
    ///   - section: as it is written.
    ///   - broker: the broker's URL; its user is asked as where none is named.
    ///   - password: that user's.
    /// - Returns: `nil` where nothing is written, or what is written cannot be used.
    static func read(_ section: SectionReader, broker: ServiceURL, password: Secret?) -> BrokerManagement? {
        defer { section.finish() }
        let url = section.text("url")
        let ownPassword = section.secret("password")
        let caFile = section.filePath("ca_file")
        guard let url else {
            if section.origin != nil { section.error("url", "is missing; such as http://localhost:15672") }
            return nil
        }
        do throws(ServiceURL.Invalid) {
            var parsed = try ServiceURL(url, schemes: ["http", "https"])
            if parsed.encodedPassword != nil {
                section.refuseExposedSecret("url", "a password", instead: "password_file")
            }
            if parsed.scheme == "http" {
                if caFile != nil { section.error("ca_file", "needs TLS; write https:// in broker.management.url") }
                if !parsed.isLocal {
                    section.warning("url", "the password crosses the network in clear; write https://")
                }
            }
            if parsed.rest.contains(where: { $0 == "?" || $0 == "#" }) {
                section.error("url", "must end before any ? or #; the queries are Waybill's")
            }
            let urlPassword = try parsed.password()
            let user = try decoded(parsed.user)
            let asked = user == nil ? try decoded(broker.user) : user
            parsed.user = nil
            while parsed.rest.hasSuffix("/") { parsed.rest.removeLast() }
            return BrokerManagement(
                url: parsed.text(password: nil),
                user: asked,
                password: ownPassword ?? urlPassword.map(Secret.init) ?? (user == nil ? password : nil),
                caFile: caFile
            )
        } catch {
            section.error("url", error.reason)
            return nil
        }
    }

    private static func decoded(_ user: String?) throws(ServiceURL.Invalid) -> String? {
        guard let user else { return nil }
        guard let decoded = PercentEncoding.decode(user) else {
            throw ServiceURL.Invalid(reason: "has a user that is not percent-encoded correctly")
        }
        return decoded
    }
}
