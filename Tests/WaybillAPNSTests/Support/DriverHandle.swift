import WaybillAPNS
import WaybillThreads

/// Leads a driver's own handler back to the driver.
final class DriverHandle: Sendable {
    private let held = Guarded<APNSDriver?>(nil)

    var driver: APNSDriver? { held.withLock { $0 } }

    func set(_ driver: APNSDriver?) {
        held.withLock { $0 = driver }
    }
}
