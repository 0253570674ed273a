import WaybillProviders
import WaybillSettings
import WaybillTLS

/// Reaches a lane's endpoint: TCP, TLS with verification, HTTP/2.
///
/// No request is made.
enum LaneCheck {
    static func run(_ lane: LaneSettings, path: String) -> Finding {
        let endpoint = lane.effectiveEndpoint
        do {
            let context = try TLSContext.client(
                trust: lane.trust,
                identity: lane.provider.identity,
                protocols: ["h2"]
            )
            let version = try EndpointProbe(endpoint, context).run()
            return Finding(
                .ok,
                path: path,
                message: "\(lane.name): \(endpoint.authority) answers, \(version) and HTTP/2"
            )
        } catch let error as TLSError {
            let category: Finding.Category = ExitStatus(error) == .configuration ? .configuration : .unavailable
            return Finding(
                .error,
                category,
                path: path,
                message: "\(lane.name): \(endpoint.authority): TLS: \(error)"
            )
        } catch {
            return Finding(.error, .unavailable, path: path, message: "\(lane.name): \(endpoint.authority): \(error)")
        }
    }
}
