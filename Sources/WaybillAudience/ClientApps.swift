package import WaybillCore
package import WaybillEncoding

/// Which apps a client may reach with audiences.
///
/// A device belongs to an app, not to a client: an audience reaches all devices of its app. So once any client has a list of apps,
/// a client without a list reaches no app.
package struct ClientApps: Hashable, Sendable {
    /// By client, exactly as audiences name it.
    private let apps: [ExactName: Set<ExactName>]
    /// Whether a client that is not there reaches no app.
    private let isClosed: Bool

    package init(_ apps: [ExactName: Set<ExactName>] = [:], isClosed: Bool = false) {
        self.apps = apps
        self.isClosed = isClosed || !apps.isEmpty
    }

    /// Whether a client may reach all of these apps.
    ///
    /// - Throws: ``WaybillCore/BodyRejection/Reason/forbiddenApp``.
    package func examine(client: String, apps selected: [String]) throws(BodyRejection) {
        guard let own = apps[client] else {
            guard isClosed else { return }
            throw BodyRejection(
                .forbiddenApp,
                "select.app: the client \(Self.shown(client)) may reach no app; list its apps in clients.<client>.apps of the configuration"
            )
        }
        guard let app = selected.first(where: { !own.containsExactly($0) }) else { return }
        let hint = NearestName.to(app, among: own.sortedTexts).map { "; did you mean \($0)?" }
        throw BodyRejection(
            .forbiddenApp,
            "select.app: the client \(Self.shown(client)) may not reach it"
                + (hint ?? "; clients.<client>.apps of the configuration names the apps that it may reach")
        )
    }

    private static func shown(_ client: String) -> String { String(client.prefix(64)) }
}
