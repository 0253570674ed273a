package import WaybillCore
package import WaybillEncoding

/// Which apps a client may reach with audiences.
///
/// A device belongs to an app, not to a client: who may send an audience reaches all devices of the app that it names, unless
/// the configuration binds its client to apps.
package struct ClientApps: Hashable, Sendable {
    /// By client, exactly as audiences name it; a client that is not here reaches every app.
    private let apps: [ExactName: Set<ExactName>]

    package init(_ apps: [ExactName: Set<ExactName>] = [:]) {
        self.apps = apps
    }

    /// Whether a client may reach all of these apps.
    ///
    /// - Throws: ``WaybillCore/BodyRejection/Reason/forbiddenApp``.
    package func examine(client: String, apps selected: [String]) throws(BodyRejection) {
        guard let own = apps[client], !selected.allSatisfy({ own.containsExactly($0) }) else { return }
        throw BodyRejection(
            .forbiddenApp,
            "select.app: the client may not reach it; clients.<client>.apps of the configuration names those that it may"
        )
    }
}
