import ServiceLifecycle

/// Keeps something listening until a graceful shutdown: an address that cannot be had is tried again.
enum PatientListener {
    /// Listens, again and again.
    ///
    /// - Parameters:
    ///   - pause: from a failure to the next try.
    ///   - listen: returns when it has been told to end.
    ///   - failed: hears of each failure, and whether it is the first one.
    static func run(
        pause: Duration,
        _ listen: () async throws -> Void,
        failed: (_ error: any Error, _ isFirst: Bool) -> Void
    ) async {
        var isFirst = true
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            do {
                try await listen()
            } catch {
                // Whoever is told to end has not failed.
                if Task.isCancelled || Task.isShuttingDownGracefully { return }
                failed(error, isFirst)
                isFirst = false
                try? await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
            }
        }
    }
}
