import WaybillThreads

/// Statistics and recorded requests, shared between the server's thread and whoever asks.
///
/// Everything that belongs to a request is entered before its answer can leave, so a client that has an answer finds
/// the request here.
final class SimulatorJournal: Sendable {
    private struct Entries {
        var statistics = SimulatorStatistics()
        var requests: [RecordedRequest] = []
        var headerBlocks: [RecordedHeaderBlock] = []
    }

    private let entries = Guarded(Entries())

    var statistics: SimulatorStatistics { entries.withLock { $0.statistics } }

    var requests: [RecordedRequest] { entries.withLock { $0.requests } }

    var headerBlocks: [RecordedHeaderBlock] { entries.withLock { $0.headerBlocks } }

    /// Enters a request and what was decided.
    func decided(connection: Int, answer: SimulatorAnswer?, fault: SimulatorFault?, request: RecordedRequest?) {
        entries.withLock { entries in
            entries.statistics.requests += 1
            entries.statistics.connections[connection - 1].requests += 1
            if let answer {
                let key = SimulatorStatistics.Answer(status: answer.status, reason: answer.reason)
                entries.statistics.answers[key, default: 0] += 1
            }
            if let fault { entries.statistics.faults[fault.name, default: 0] += 1 }
            if let request { entries.requests.append(request) }
        }
    }

    /// Enters several accepted requests at once.
    func accepted(_ count: Int, connection: Int) {
        entries.withLock { entries in
            entries.statistics.requests += count
            entries.statistics.connections[connection - 1].requests += count
            entries.statistics.answers[SimulatorStatistics.Answer(status: 200), default: 0] += count
        }
    }

    /// Enters a connection, and returns its number.
    func connected(tlsVersion: String, isResumed: Bool, certificate: ProviderCertificate?) -> Int {
        entries.withLock { entries in
            let number = entries.statistics.connections.count + 1
            var connection = SimulatorStatistics.Connection(number: number)
            connection.tlsVersion = tlsVersion
            connection.isResumed = isResumed
            connection.clientCertificate = certificate
            entries.statistics.connections.append(connection)
            return number
        }
    }

    /// Enters a header block.
    func received(_ block: RecordedHeaderBlock) {
        entries.withLock { $0.headerBlocks.append(block) }
    }

    /// Changes what is known of one connection.
    func change(connection: Int, _ change: (inout SimulatorStatistics.Connection) -> Void) {
        entries.withLock { change(&$0.statistics.connections[connection - 1]) }
    }

    /// Enters how many streams a connection had open at most.
    func peaked(connection: Int, streams: Int) {
        entries.withLock { $0.statistics.connections[connection - 1].maxConcurrentStreams = streams }
    }

    func disconnected(connection: Int) {
        entries.withLock { $0.statistics.connections[connection - 1].isOpen = false }
    }

    /// Changes other counters.
    func count(_ change: (inout SimulatorStatistics) -> Void) {
        entries.withLock { change(&$0.statistics) }
    }
}
