package import WaybillCore

/// What Apple's rules need to know of a lane.
package struct APNSLane: Hashable, Sendable {
    /// The APNs of released apps or the one of apps in development.
    package var environment: Environment
    /// The app's bundle id, from which topics derive.
    package var bundleID: String
    /// The collapse id of alerts that name none.
    package var collapse: CollapseRule

    package init(environment: Environment, bundleID: String, collapse: CollapseRule = .content) {
        self.environment = environment
        self.bundleID = bundleID
        self.collapse = collapse
    }
}
