/// What an operator sets for one client, a name that messages carry in `client`.
package struct ClientSettings: Hashable, Sendable {
    /// The limit on the age of its notifications that set none themselves; `nil` leaves it to the lane.
    package var maxAge: Duration?

    package init(maxAge: Duration? = nil) {
        self.maxAge = maxAge
    }
}
