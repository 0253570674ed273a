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

extension Lane {
    /// A lane to APNs; the parameters are those of ``Lane`` and ``APNSLane``.
    package init(
        name: String,
        environment: Environment,
        bundleID: String,
        maxAge: Int? = nil,
        collapse: CollapseRule = .content
    ) {
        self.init(
            name: name,
            maxAge: maxAge,
            provider: .apns(APNSLane(environment: environment, bundleID: bundleID, collapse: collapse))
        )
    }
}
