import WaybillFleet
import WaybillMongo

extension SendingNow {
    /// Of the dispatchers that are up; none where that cannot be read.
    var presentDispatchers: [Lease] { dispatchers?.present ?? [] }

    /// The roles of which a process is up; `nil` where that cannot be read.
    var running: Set<String>? {
        (try? leases.get()).map { Set($0.filter { FleetHealth.isPresent($0, now: now) }.map(\.role)) }
    }
}
