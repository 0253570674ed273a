package import WaybillEncoding

/// What an operator sets for one client, a name that messages carry in `client`.
package struct ClientSettings: Hashable, Sendable {
    /// The limit on the age of its notifications that set none themselves; `nil` leaves it to the lane.
    package var maxAge: Duration?

    /// The apps that its audiences, campaigns and notifications in the store may reach, as the registry names them; `nil`: no
    /// list, see ``ClientReach``.
    package var apps: Set<ExactName>?

    package init(maxAge: Duration? = nil, apps: Set<ExactName>? = nil) {
        self.apps = apps
        self.maxAge = maxAge
    }
}
