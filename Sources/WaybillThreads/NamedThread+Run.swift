extension NamedThread {
    /// Runs work that blocks on a thread of its own, while the caller is suspended.
    ///
    /// Cancelling the caller's task does not end the work; whoever waits tells the work itself.
    ///
    /// - Parameters:
    ///   - name: of the thread, at most 15 bytes.
    ///   - work: ends with the thread.
    /// - Throws: what the work throws, and ``ThreadError`` when the system has no thread to give.
    package static func run(name: String, _ work: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            do {
                _ = try start(name: name) { continuation.resume(with: Result { try work() }) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
