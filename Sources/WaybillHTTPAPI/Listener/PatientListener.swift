import ServiceLifecycle

/// Keeps something listening until a graceful shutdown: an address that cannot be had is tried again.
enum PatientListener {
    /// Listens, again and again.
    ///
    /// - Parameters:
    ///   - pause: from a failure to the next try.
    ///   - listen: returns when it has been told to end.
    ///   - failed: hears of each failure, and whether it is the first one; it may end all by an error of its own.
    /// - Throws: what `failed` does.
    static func run<Failure: Error>(
        pause: Duration,
        _ listen: () async throws -> Void,
        failed: (_ error: any Error, _ isFirst: Bool) throws(Failure) -> Void
    ) async throws(Failure) {
        var isFirst = true
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            var failure: (any Error)?
            do { try await listen() } catch { failure = error }
            // Whoever is told to end has not failed.
            guard let failure, !Task.isCancelled, !Task.isShuttingDownGracefully else { continue }
            try failed(failure, isFirst)
            isFirst = false
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }
        }
    }
}
