extension AMQPConnection {
    /// Connects to one of the endpoint's nodes, verifies its certificate where the endpoint asks for TLS, logs in and opens
    /// the channel.
    ///
    /// The nodes are tried in turn, from the one that answered last on; the first time from a random one, so that many
    /// clients spread over a cluster. A node that refuses the user speaks for all of them. Announces what the pipeline relies
    /// on: `connection.blocked`, `consumer_cancel_notify`, `basic.nack` and `publisher_confirms`.
    ///
    /// - Parameters:
    ///   - endpoint: Where and who.
    ///   - timeout: For each of connect and handshake, and later for each answer. With several nodes a node has no more than
    ///     three seconds for the first two: the next one may be better. A name look-up is not bounded by it.
    ///   - interrupt: Ends the connection's calls from another thread; it is for one connection at a time.
    /// - Returns: A connection that belongs to the calling thread.
    /// - Throws: `.unreachable`, `.tls`, `.accessRefused`, `.timeout` and others; when all of several nodes failed,
    ///   `.unreachable` if one of them may answer later, and a text that tells of each.
    package static func open(
        _ endpoint: AMQPEndpoint,
        timeout: Duration = .seconds(10),
        interrupt: AMQPInterrupt? = nil
    ) throws(AMQPError) -> AMQPConnection {
        let nodes = endpoint.nodes
        let patience = nodes.count == 1 ? timeout : min(timeout, .seconds(3))
        let first = endpoint.lastGood.position ?? Int.random(in: nodes.indices)
        var failures: [(node: AMQPNode, error: AMQPError)] = []
        for position in Array(first..<nodes.count) + Array(0..<first) {
            do throws(AMQPError) {
                let link = try AMQPDial.open(
                    endpoint,
                    nodes[position],
                    patience: patience,
                    timeout: timeout,
                    interrupt: interrupt
                )
                endpoint.lastGood.position = position
                return AMQPConnection(link)
            } catch {
                if nodes.count == 1 || error.code == .accessRefused { throw error }
                failures.append((nodes[position], error))
            }
        }
        throw AMQPError(
            failures.contains(where: \.error.isRetriable) ? .unreachable : failures[0].error.code,
            operation: "connect to one of \(nodes.count) nodes",
            text: told(failures),
            closesConnection: true
        )
    }

    /// Why each of them failed: what is true of several is told once.
    private static func told(_ failures: [(node: AMQPNode, error: AMQPError)]) -> String {
        var groups: [(words: String, nodes: [String])] = []
        for (node, error) in failures {
            if let place = groups.firstIndex(where: { $0.words == error.text }) {
                groups[place].nodes.append("\(node)")
            } else {
                groups.append((error.text, ["\(node)"]))
            }
        }
        return groups.map { "\($0.nodes.joined(separator: ", ")): \($0.words)" }.joined(separator: "; ")
    }
}
