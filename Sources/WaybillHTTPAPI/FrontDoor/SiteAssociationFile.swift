import Foundation

/// The association file as whoever fetches it sees it.
package enum SiteAssociationFile {
    /// Where iOS and Apple's servers look for it.
    package static let path = AppSiteAssociation.path

    private struct File: Decodable {
        struct Links: Decodable {
            let details: [Detail]?
        }
        struct Detail: Decodable {
            struct Component: Decodable {
                let path: String?

                enum CodingKeys: String, CodingKey { case path = "/" }
            }
            let appID: String?
            let appIDs: [String]?
            let paths: [String]?
            let components: [Component]?

            var apps: [String] { (appIDs ?? []) + [appID].compactMap(\.self) }
            var links: [String] { (components ?? []).compactMap(\.path) + (paths ?? []) }
        }
        struct Credentials: Decodable {
            let apps: [String]?
        }
        let applinks: Links?
        let webcredentials: Credentials?
    }

    /// What a file says otherwise than the configuration.
    ///
    /// - Parameters:
    ///   - bytes: the file's.
    ///   - apps: that the configuration names: team id, dot, bundle id.
    /// - Returns: each difference in a few words; `nil` for what is no such file.
    package static func differences(_ bytes: [UInt8], apps: [String]) -> [String]? {
        guard let file = try? JSONDecoder().decode(File.self, from: Data(bytes)) else { return nil }
        let details = file.applinks?.details ?? []
        let links = "\(LinkPage.Kind.confirm.prefix)*"
        let opening = Set(details.filter { $0.links.contains(links) }.flatMap(\.apps))
        let credentials = Set(file.webcredentials?.apps ?? [])
        return apps.filter { !opening.contains($0) }.map { "it has no \($0) that opens \(links)" }
            + apps.filter { !credentials.contains($0) }.map { "webcredentials has no \($0)" }
            + Set(details.flatMap(\.apps)).subtracting(apps).sorted().map { "it has \($0), which is not configured" }
    }
}
