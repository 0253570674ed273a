package import WaybillFleet

/// One lane as its dispatchers see it and as it was ordered.
package struct LaneOverview: Hashable, Sendable {
    /// A lane in one dispatcher.
    package struct Place: Hashable, Sendable {
        /// As `dispatch on push-1 (4711)`.
        package let process: String
        package let state: String
        package let cause: String?
        /// What to do about that, as sentences; `nil` while it is open.
        package let advice: String?
        /// Whether its dispatcher has said nothing for too long and may be there: the state is that of its last word.
        package let isSilent: Bool
        /// When it was heard of last, in milliseconds since 1970.
        package let seen: Int64

        package init(
            process: String,
            state: String,
            cause: String?,
            advice: String? = nil,
            isSilent: Bool = false,
            seen: Int64 = 0
        ) {
            self.isSilent = isSilent
            self.seen = seen
            self.process = process
            self.state = state
            self.cause = cause
            self.advice = advice
        }
    }

    package let name: String
    /// In every dispatcher that is up, and in those that are silent and may hold messages.
    package let places: [Place]
    /// The last order; `nil` if there never was one.
    package let order: LaneOrder?

    /// Whether a dispatcher is known to do as ordered, or to have done so until it fell silent: it says so in its lease, a few seconds
    /// after the order.
    package func isConfirmed(by place: Place) -> Bool {
        guard let order else { return true }
        guard !place.isSilent || place.seen > order.source.date else { return false }
        return order.isFollowed(in: place.state)
    }

    /// Where the last order is not known to be followed.
    package var unconfirmed: [Place] { places.filter { !isConfirmed(by: $0) } }

    /// Every lane that a dispatcher has or somebody has given an order for, by name.
    ///
    /// - Parameters:
    ///   - leases: of all processes.
    ///   - orders: all that hold.
    ///   - now: milliseconds since 1970.
    /// - Returns: one for each lane.
    package static func all(leases: [Lease], orders: StandingOrders, now: Int64) -> [LaneOverview] {
        var places: [String: [Place]] = [:]
        for lease in leases {
            let isSilent = FleetHealth.isSilent(lease, now: now)
            guard !lease.isEnded, !isSilent || mayBeThere(lease, among: leases, now: now) else { continue }
            for lane in ProcessReport(lease).lanes ?? [] {
                let order = orders.lanes[lane.name]
                let hadFollowed = order.map { $0.source.date < lease.seen && $0.isFollowed(in: lane.state) } == true
                let silence =
                    "\(hadFollowed ? "had followed, and " : "")has said nothing for \(FleetHealth.age(lease.seen, now))"
                places[lane.name, default: []].append(
                    Place(
                        process: FleetHealth.name(lease),
                        state: lane.state,
                        cause: isSilent ? "its dispatcher \(silence)" : lane.cause,
                        advice: isSilent ? FindingAdvice.silentDispatcher(lease) : lane.advice,
                        isSilent: isSilent,
                        seen: lease.seen
                    )
                )
            }
        }
        // That a lane is open which no running dispatcher has says nothing.
        let ordered = orders.lanes.filter { places.isEmpty || places[$0.key] != nil || $0.value.state != .open }
        return Set(places.keys).union(ordered.keys).sorted().map { name in
            LaneOverview(name: name, places: places[name] ?? [], order: orders.lanes[name])
        }
    }

    /// Whether a silent dispatcher may still follow orders, and hold messages: one that had none by its last word may have got some
    /// until the broker misses its heartbeats.
    private static func mayBeThere(_ lease: Lease, among leases: [Lease], now: Int64) -> Bool {
        guard lease.role == "dispatch", !FleetHealth.isPast(lease, among: leases, now: now) else { return false }
        return ProcessReport(lease).held > 0 || now - lease.seen < FleetHealth.heartbeats
    }
}

extension LaneOrder {
    /// Whether a lane is in a state that its dispatcher says of it and that is as ordered.
    fileprivate func isFollowed(in state: String) -> Bool {
        guard self.state == .open else { return state == self.state.rawValue }
        return !State.allCases.contains { $0 != .open && $0.rawValue == state }
    }
}
