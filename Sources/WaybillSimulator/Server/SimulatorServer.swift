import WaybillThreads

/// A simulated APNs endpoint: HTTP/2 over TLS, on one thread of its own.
///
/// It validates what Apple documents, answers as Apple does, breaks what it is told to break, and remembers what it
/// saw.
/// Usable in process by tests (port 0) and from the `apns-simulator` program. Every method may be called on any thread.
package final class SimulatorServer: Sendable {
    private struct State {
        var thread: NamedThread?
        var port: UInt16?
    }

    private let configuration: SimulatorConfiguration
    private let journal = SimulatorJournal()
    private let rules: SharedRules
    /// The broadcast channels.
    package let channels: SimulatorChannels
    /// What it knows where it plays FCM; `nil` where it plays APNs.
    package let fcm: FCMService?
    private let commands: Mailbox<ServerCommand>
    private let state = Guarded(State())

    /// Prepares a server; nothing listens yet.
    package init(configuration: SimulatorConfiguration) throws(SimulatorError) {
        self.configuration = configuration
        rules = SharedRules(
            configuration.rules,
            connections: configuration.connectionRules,
            seed: configuration.seed
        )
        channels = SimulatorChannels(limit: configuration.channelLimit, seed: configuration.seed)
        fcm = configuration.fcm.map {
            FCMService($0, keepsDeliveries: configuration.keepsRequests, seed: configuration.seed)
        }
        do {
            commands = try Mailbox()
        } catch {
            throw SimulatorError("\(error)")
        }
    }

    /// Listens and serves.
    ///
    /// A server that was stopped starts again on the port it had, so that a test can take an endpoint away and bring it
    /// back. A record file begins anew.
    ///
    /// - Returns: the port.
    /// - Throws: when the certificate, the address or the record file cannot be used, or when it runs already.
    @discardableResult
    package func start() throws(SimulatorError) -> UInt16 {
        var configuration = configuration
        let (isRunning, formerPort) = state.withLock { ($0.thread != nil, $0.port) }
        guard !isRunning else { throw SimulatorError("the simulator is running already") }
        if let formerPort { configuration.port = formerPort }
        let (thread, port) = try Self.launch(
            configuration,
            rules: rules,
            channels: channels,
            fcm: fcm,
            commands: commands,
            journal: journal
        )
        state.withLock { $0 = State(thread: thread, port: port) }
        return port
    }

    /// Closes the listening socket and every connection, writes the record and waits for the thread to end.
    package func stop() {
        let thread = state.withLock { state in
            let thread = state.thread
            state.thread = nil
            return thread
        }
        guard let thread else { return }
        commands.send(.stop)
        thread.join()
    }

    /// What has happened so far.
    package var statistics: SimulatorStatistics { journal.statistics }

    /// Every complete request so far, in the order of their completion; empty unless the configuration keeps them.
    package var recordedRequests: [RecordedRequest] { journal.requests }

    /// Every header block so far, as it stood on the wire and in the order of arrival; empty unless the configuration
    /// keeps them.
    package var headerBlocks: [RecordedHeaderBlock] { journal.headerBlocks }

    /// Puts other rules in force; the next request meets them.
    package func setRules(_ rules: [SimulatorRule]) {
        self.rules.replace(with: rules, seed: configuration.seed)
    }

    /// Puts other rules for connections in force; the next connection meets them, open ones keep theirs.
    package func setConnectionRules(_ rules: [SimulatorConnectionRule]) {
        self.rules.replace(with: rules, seed: configuration.seed)
    }

    /// Says GOAWAY on every connection.
    ///
    /// Takes effect soon, not at once.
    package func sayGoAway(_ goAway: SimulatorGoAway) {
        commands.send(.goAway(goAway))
    }

    /// Announces a stream limit on every open connection, which stays.
    ///
    /// Takes effect soon, not at once.
    package func limitStreams(to streams: Int) {
        commands.send(.limitStreams(streams))
    }

    /// Closes every connection without GOAWAY; new ones are accepted.
    ///
    /// Takes effect soon, not at once.
    package func closeConnections() {
        commands.send(.closeConnections)
    }

    private static func launch(
        _ configuration: SimulatorConfiguration,
        rules: SharedRules,
        channels: SimulatorChannels,
        fcm: FCMService?,
        commands: Mailbox<ServerCommand>,
        journal: SimulatorJournal
    ) throws(SimulatorError) -> (NamedThread, UInt16) {
        let startup: Mailbox<Result<UInt16, SimulatorError>>
        let thread: NamedThread
        do {
            startup = try Mailbox()
            thread = try NamedThread.start(name: "wb-simulator") {
                do throws(SimulatorError) {
                    let loop = try ServerLoop(
                        configuration: configuration,
                        rules: rules,
                        channels: channels,
                        fcm: fcm,
                        commands: commands,
                        journal: journal
                    )
                    startup.send(.success(loop.port))
                    loop.run()
                } catch {
                    startup.send(.failure(error))
                }
            }
        } catch {
            throw SimulatorError("\(error)")
        }
        startup.wait(until: nil)
        var results: [Result<UInt16, SimulatorError>] = []
        startup.drain(into: &results)
        switch results.first {
        case .success(let port): return (thread, port)
        case .failure(let error):
            thread.join()
            throw error
        case nil:
            // Cannot happen: the wait ends only when the thread has sent its result.
            thread.join()
            throw SimulatorError("the simulator's thread ended without a word")
        }
    }
}
