package import WaybillCore
import WaybillEncoding

/// Which apps a client may reach with audiences.
///
/// A device belongs to an app, not to a client: who may send an audience reaches all devices of the app that it names, unless
/// the configuration binds its client to apps.
package struct ClientApps: Hashable, Sendable {
    /// By client, exactly as audiences name it; a client that is not here reaches every app.
    private let apps: [String: Set<String>]

    package init(_ apps: [String: Set<String>] = [:]) {
        self.apps = apps
    }

    /// Whether a client may reach an app.
    ///
    /// - Throws: ``WaybillCore/BodyRejection/Reason/forbiddenApp``.
    package func examine(client: String, app: String) throws(BodyRejection) {
        guard let own = apps.value(exactly: client), !own.containsExactly(app) else { return }
        throw BodyRejection(
            .forbiddenApp,
            "select.app: the client may not reach it; clients.<client>.apps of the configuration names those that it may"
        )
    }
}
