/// What a process says of itself in the store, again and again for as long as it runs: who it is, and how it does.
///
/// So `waybill status` works from any machine that reaches the store. A lease that is not renewed tells of a process that has
/// ended without a word, or hangs.
package struct Lease: Hashable, Sendable {
    /// How often a lease is renewed.
    package static let interval = Duration.seconds(2)
    /// A lease that is older is one of a process that is not there any more, or hangs.
    ///
    /// Whoever looks ten seconds after that is to see it.
    package static let patience = Duration.seconds(8)
    /// How long it is kept after that: long enough to be seen.
    package static let keeping = Duration.seconds(3600)

    /// Tells processes apart, also those that had the same number one after the other.
    package let id: String
    /// The command, such as `dispatch`.
    package let role: String
    package let host: String
    package let process: Int32
    package let version: String
    /// When the process began, in milliseconds since 1970.
    package let started: Int64
    /// When the lease was renewed, in milliseconds since 1970, by the store's clock.
    package var seen: Int64
    /// Whether the process has ended in order.
    package var isEnded: Bool
    /// Its state as JSON, as `/status` has it.
    package var status: [UInt8]

    package init(
        role: String,
        host: String,
        process: Int32,
        version: String,
        started: Int64,
        seen: Int64,
        isEnded: Bool = false,
        status: [UInt8]
    ) {
        id = "\(role)/\(host)/\(process)/\(started)"
        self.role = role
        self.host = host
        self.process = process
        self.version = version
        self.started = started
        self.seen = seen
        self.isEnded = isEnded
        self.status = status
    }
}

extension Lease {
    /// The roles in the order in which a notification meets them, and who only looks on at the end.
    package static let roles = ["dispatch", "prune", "fanout", "schedule", "hooks", "serve"]

    /// Where a role stands among ``roles``; one of another release behind them.
    package static func rank(ofRole role: String) -> Int { roles.firstIndex(of: role) ?? roles.count }

    /// By role, of one role the latest process first: wherever people look, a process stands where it stood before.
    package static func inOrder(_ leases: [Lease]) -> [Lease] {
        leases.sorted { left, right in
            (rank(ofRole: left.role), left.role, right.started, left.id)
                < (rank(ofRole: right.role), right.role, left.started, right.id)
        }
    }
}
