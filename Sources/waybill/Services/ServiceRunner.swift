import Logging
import ServiceLifecycle
import UnixSignals
import WaybillThreads

/// Runs services until the operating system asks for an end.
enum ServiceRunner {
    /// Returns after SIGTERM or SIGINT, when the services have drained; a second signal kills the process.
    ///
    /// - Parameters:
    ///   - services: the end of one is the end of all.
    ///   - companions: run as long as it does; their ends and errors change nothing for it.
    ///   - logger: what is said is said by the services themselves.
    /// - Throws: what a service throws.
    static func run(_ services: [any Service], beside companions: [any Service], logger: Logger) async throws {
        CoreFile.forbid()
        let group = ServiceGroup(
            configuration: .init(
                // The last ones are shut down first: the companions show their draining to the end.
                services: companions.map {
                    .init(service: $0, successTerminationBehavior: .ignore, failureTerminationBehavior: .ignore)
                } + services.map { .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup) },
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
