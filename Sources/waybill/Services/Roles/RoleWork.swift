import Foundation
import ServiceLifecycle
import WaybillTelemetry

/// One role, ready to run: its work and what is around it.
struct RoleWork {
    let frame: ServiceFrame
    let work: any Service

    /// Runs roles in this process until one of them ends or the operating system asks for an end.
    ///
    /// - Throws: what the first one throws that fails.
    static func run(_ roles: [RoleWork]) async throws {
        let notifier = SystemdNotifier(environment: ProcessInfo.processInfo.environment)
        var companions: [any Service] = [Heartbeat(views: roles.map(\.frame.view), notifier: notifier)]
        for role in roles { companions += try role.frame.companions() }
        try await ServiceRunner.run(roles.map(\.work), beside: companions, logger: roles[0].frame.logger)
    }
}
