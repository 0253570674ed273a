import Foundation
import Logging
import ServiceLifecycle
import UnixSignals
import WaybillTelemetry

/// One role, ready to run: its work and what is around it.
struct RoleWork {
    let frame: ServiceFrame
    let work: any Service
    /// What asks it to read its configuration again; `nil` where it has nothing to read.
    var reloads: ReloadRequests?
    /// Asked before any role begins: whether it can do its work at all, where that is to be known without a server.
    var precheck: (@Sendable () async throws -> Void)?

    /// Runs roles in this process until one of them ends or the operating system asks for an end.
    ///
    /// - Throws: what the first one throws that fails; the others have ended in order by then.
    static func run(_ roles: [RoleWork]) async throws {
        let views = roles.map(\.frame.view)
        let notifier = SystemdNotifier(environment: ProcessInfo.processInfo.environment)
        let heartbeat = Heartbeat(views: views, notifier: notifier)
        var companions: [any Service] = [heartbeat]
        for role in roles { companions += try role.frame.companions() }
        for role in roles { try await role.precheck?() }
        // A role that has nothing to read again must not end by being asked to.
        let notice = ReloadNotice(roles.compactMap(\.reloads), notifier: notifier) { heartbeat.summary }
        let hangUps = Task { for await _ in await UnixSignalsSequence(trapping: .sighup) { notice.hangUp() } }
        defer { hangUps.cancel() }
        try await ServiceRunner.run(
            SideBySide(works: roles.map(\.work)) {
                notice.end()
                for view in views { view.stops() }
            },
            beside: companions,
            logger: roles[0].frame.logger
        )
    }
}

/// Services that end together: all are told at the same moment, so that none goes on while another one takes its time.
private struct SideBySide: Service {
    let works: [any Service]
    /// Told at the moment at which the end begins, before any of them is.
    let ends: @Sendable () -> Void

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await runAll()
        } onGracefulShutdown: {
            ends()
        }
    }

    private func runAll() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for work in works { group.addTask { try await work.run() } }
            // The end of one, whatever its reason, is the end of all.
            let first = await group.nextResult()
            // Whoever was told to end is given its time.
            if !Task.isShuttingDownGracefully {
                ends()
                group.cancelAll()
            }
            while await group.nextResult() != nil {}
            try first?.get()
        }
    }
}
