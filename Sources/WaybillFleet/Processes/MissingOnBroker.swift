/// What the broker does not have, read from the words of an error: of ours, `waybill init` makes it.
package struct MissingOnBroker: Hashable, Sendable {
    /// What is missing, to stand alone or behind a colon: `the queue waybill.retry is missing`.
    package let words: String

    /// The answers of RabbitMQ to whoever names something that is not there.
    private static let named = [("no queue '", "queue"), ("no exchange '", "exchange")]
    private static let notFound = "NOT_FOUND - "
    private static let unroutable = "NO_ROUTE"
    private static let publication = "publish to "

    /// Reads an error; `nil` for one that says something else.
    ///
    /// - Parameter error: a server's words, or an `AMQPError`'s; `nil` says nothing.
    package init?(in error: String?) {
        guard let error else { return nil }
        for (opening, kind) in Self.named {
            guard let start = error.firstRange(of: Self.notFound + opening)?.upperBound else { continue }
            words = "the \(kind) \(error[start...].prefix { $0 != "'" }) is missing"
            return
        }
        // What is published to the default exchange and comes back names its queue.
        guard error.contains(Self.unroutable) else { return nil }
        guard error.hasPrefix(Self.publication) else {
            words = "no queue takes what it publishes (\(Self.unroutable))"
            return
        }
        words = "the queue \(error.dropFirst(Self.publication.count).prefix { $0 != ":" }) is missing"
    }

    /// The same with what makes it, for whoever is told of an error alone.
    package var withRemedy: String { "\(words); waybill init makes it, and may run at any time" }
}
