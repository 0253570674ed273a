/// What FCM's rules need to know of a lane.
package struct FCMLane: Hashable, Sendable {
    /// The Firebase project that is sent to: its id, or its number.
    package var project: String

    package init(project: String) {
        self.project = project
    }
}
