import WaybillFleet

/// Queues of the configuration that the broker does not have, though it has some that dispatchers read.
package struct MissingQueues: Hashable, Sendable {
    let names: [String]
    /// Whether all of them are dispatch queues that a configuration has added: dispatchers that do not know them go on.
    let areAdded: Bool

    /// - Parameters:
    ///   - names: of those that are missing.
    ///   - added: the dispatch queues but the first one.
    package init(_ names: [String], added: some Sequence<String>) {
        self.names = names
        areAdded = Set(names).isSubset(of: added)
    }

    var finding: FleetHealth.Finding {
        FleetHealth.Finding(
            .queuesMissing,
            areAdded ? .degraded : .down,
            "queues are missing: \(names.joined(separator: ", "))"
                + (areAdded ? ": no dispatcher starts with this configuration, nor reloads it" : ""),
            advice: FindingAdvice.queues,
            subject: .queues
        )
    }
}
