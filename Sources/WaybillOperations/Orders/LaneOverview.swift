package import WaybillFleet

/// One lane as its dispatchers see it and as it was ordered.
package struct LaneOverview: Hashable, Sendable {
    /// A lane in one dispatcher.
    package struct Place: Hashable, Sendable {
        /// As `dispatch on push-1 (4711)`.
        package let process: String
        package let state: String
        package let cause: String?

        package init(process: String, state: String, cause: String?) {
            self.process = process
            self.state = state
            self.cause = cause
        }
    }

    package let name: String
    /// In every dispatcher that is up.
    package let places: [Place]
    /// The last order; `nil` if there never was one.
    package let order: LaneOrder?

    /// Every lane that a dispatcher has or somebody has given an order for, by name.
    ///
    /// - Parameters:
    ///   - leases: of all processes.
    ///   - orders: all that hold.
    ///   - now: milliseconds since 1970.
    /// - Returns: one for each lane.
    package static func all(leases: [Lease], orders: StandingOrders, now: Int64) -> [LaneOverview] {
        var places: [String: [Place]] = [:]
        for lease in leases where !lease.isEnded && !FleetHealth.isSilent(lease, now: now) {
            for lane in ProcessReport(lease).lanes ?? [] {
                places[lane.name, default: []].append(
                    Place(process: FleetHealth.name(lease), state: lane.state, cause: lane.cause)
                )
            }
        }
        return Set(places.keys).union(orders.lanes.keys).sorted().map { name in
            LaneOverview(name: name, places: places[name] ?? [], order: orders.lanes[name])
        }
    }
}
