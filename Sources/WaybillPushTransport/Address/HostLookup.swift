import WaybillThreads

/// Looks a host's name up without blocking whoever asks.
enum HostLookup {
    /// Looks a name up on a thread of its own, because the resolver blocks.
    ///
    /// - Parameters:
    ///   - hop: the name, which may be an address, and the port.
    ///   - literals: what to answer in place of a look-up, unless empty.
    ///   - answer: called once; on this thread where no look-up is needed.
    static func start(
        _ hop: (host: String, port: UInt16),
        literals: [String],
        answer: @escaping @Sendable (Result<[SocketAddress], ResolutionFailure>) -> Void
    ) {
        guard literals.isEmpty else {
            return answer(.success(literals.compactMap { SocketAddress.literal($0, port: hop.port) }))
        }
        let numeric = SocketAddress.resolve(host: hop.host, port: hop.port, numericOnly: true)
        if case .success = numeric { return answer(numeric) }
        do {
            _ = try NamedThread.start(name: "wb-resolve") {
                answer(SocketAddress.resolve(host: hop.host, port: hop.port))
            }
        } catch {
            answer(.failure(ResolutionFailure(text: "\(error)")))
        }
    }
}
