import Logging
import ServiceLifecycle
import UnixSignals
import WaybillThreads

/// Runs a service until the operating system asks for an end.
enum ServiceRunner {
    /// Returns after SIGTERM or SIGINT, when the service has drained; a second signal kills the process.
    ///
    /// - Parameters:
    ///   - service: whose end is the end of all.
    ///   - companions: run as long as it does; their ends and errors change nothing for it.
    ///   - logger: what is said is said by the services themselves.
    /// - Throws: what the service throws.
    static func run(_ service: some Service, beside companions: [any Service], logger: Logger) async throws {
        CoreFile.forbid()
        let group = ServiceGroup(
            configuration: .init(
                // The last one is shut down first: the companions show its draining to the end.
                services: companions.map {
                    .init(service: $0, successTerminationBehavior: .ignore, failureTerminationBehavior: .ignore)
                } + [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: quiet(logger)
            )
        )
        try await group.run()
    }

    /// The services tell their own story; the group's steps are of use only when something is being looked for.
    private static func quiet(_ logger: Logger) -> Logger {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .warning)
        return logger
    }
}
