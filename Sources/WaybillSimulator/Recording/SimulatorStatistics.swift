/// What a simulator has seen since it was made.
package struct SimulatorStatistics: Hashable, Sendable {
    /// A kind of answer.
    package struct Answer: Hashable, Sendable, Comparable {
        package let status: Int
        package let reason: String?

        package init(status: Int, reason: String? = nil) {
            self.status = status
            self.reason = reason
        }

        package static func < (left: Answer, right: Answer) -> Bool {
            (left.status, left.reason ?? "") < (right.status, right.reason ?? "")
        }
    }

    /// What one connection has seen.
    package struct Connection: Hashable, Sendable {
        /// Its number, counted from 1.
        package let number: Int
        /// Complete requests.
        package var requests = 0
        /// The most streams that were open at one time.
        package var maxConcurrentStreams = 0
        /// Whether it still stands.
        package var isOpen = true
        /// The version of TLS, for example `TLSv1.3`.
        package var tlsVersion = ""
        /// Whether the handshake resumed an earlier TLS session.
        package var isResumed = false
        /// The client's certificate; `nil` when it showed none.
        package var clientCertificate: ProviderCertificate?
        /// PINGs that the client sent.
        package var pingsReceived = 0
        /// Answers of the client to PINGs of the simulator.
        package var pingsAnswered = 0
        /// The error codes of the client's GOAWAY frames, in their order.
        package var goAwaysReceived: [UInt32] = []
    }

    /// Complete requests, answered or not.
    package var requests = 0
    /// How many requests were given each answer.
    package var answers: [Answer: Int] = [:]
    /// How often each fault was caused, by ``SimulatorFault/name``; those of connection rules begin with `connection:`.
    package var faults: [String: Int] = [:]
    /// Requests that ended before they were complete: given up, malformed, or lost with their connection.
    package var abandonedRequests = 0
    /// Connections that TCP brought, whatever became of them.
    package var acceptedConnections = 0
    /// Connections whose TLS handshake failed.
    package var failedHandshakes = 0
    /// Requests beyond the announced number of concurrent streams.
    ///
    /// They are refused or cost the connection.
    package var streamLimitViolations = 0
    /// Connections that ended because the client broke HTTP/2.
    package var protocolErrors = 0
    /// Requests that HTTP/2 itself does not allow; their streams were reset.
    package var malformedRequests = 0
    /// Requests whose header list was larger than the announced limit; their streams were reset.
    package var oversizedHeaderLists = 0
    /// Why the record file ended early; `nil` while all is well.
    package var recordFailure: String?
    /// Every connection that finished its handshake, in their order.
    package var connections: [Connection] = []

    package init() {}

    /// How many requests got a status.
    package func count(status: Int, reason: String? = nil) -> Int {
        answers[Answer(status: status, reason: reason), default: 0]
    }
}

extension SimulatorStatistics: CustomStringConvertible {
    /// Counts by status and reason and what else is worth a line, for people.
    package var description: String {
        var lines = ["\(requests) requests on \(connections.count) connections"]
        lines += answers.sorted { $0.key < $1.key }.map { answer, count in
            "  \(answer.status)\(answer.reason.map { " \($0)" } ?? ""): \(count)"
        }
        lines += faults.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }
        let rest = [
            ("abandoned requests", abandonedRequests), ("failed TLS handshakes", failedHandshakes),
            ("stream limit violations", streamLimitViolations), ("connections broken by the client", protocolErrors),
            ("malformed requests", malformedRequests), ("header lists that were too large", oversizedHeaderLists),
        ]
        lines += rest.filter { $0.1 > 0 }.map { "  \($0.0): \($0.1)" }
        return lines.joined(separator: "\n")
    }
}
