import WaybillCore
import WaybillEncoding

/// Whether a record that is at hand is one of a search and a scope: the answer that the store would give, without asking it.
///
/// For records as they are written: the dates of the search do not count. Names are compared byte by byte, as the store does;
/// Swift's own comparison takes two spellings of one character for the same.
package struct DeliveryMatch: Sendable {
    private enum Batch {
        case named([UInt8])
        /// The name itself, or with a full stop and a number behind it.
        case withParts([UInt8])
    }

    /// `nil` for everybody's.
    private let clients: Set<ExactName>?
    private let query: DeliveryQuery
    private let batch: Batch?
    private let token: [UInt8]?

    /// - Parameters:
    ///   - query: which records.
    ///   - options: how the log holds tokens.
    ///   - scope: whose records there are at all.
    package init(query: DeliveryQuery, options: DeliveryLogOptions, scope: DeliveryScope) {
        self.query = query
        clients = if case .clients(let names) = scope { names } else { nil }
        batch = query.batch.map { batch in
            batch.includesParts ? .withParts(Array(batch.name.utf8)) : .named(Array(batch.name.utf8))
        }
        let tokenForm = TokenForm(tokens: options.tokens)
        token = query.deviceToken.map { tokenForm.withStored($0) { Array($0) } }
    }

    /// Whether the record is of the scope, and then of the search.
    package func includes(_ record: LoggedDelivery) -> Bool {
        if let clients {
            guard let client = record.client, clients.containsExactly(client) else { return false }
        }
        return includesOutcome(record.outcome)
            && query.client.includes(record.client)
            && query.service.includes(record.serviceID)
            && query.lane.includes(record.lane)
            && query.topic.includes(record.topic)
            && query.pushType.includes(record.pushType)
            && query.reason.includes(record.reason)
            && (query.priority == nil || query.priority == record.priority)
            && includesBatch(record.batchID)
            && (query.id == nil || query.id == record.id || query.id == record.givenID)
            && (token == nil || record.deviceToken.map { $0.utf8.elementsEqual(token ?? []) } ?? false)
    }

    private func includesOutcome(_ outcome: String) -> Bool {
        if !query.outcomes.isEmpty, !query.outcomes.contains(where: { $0.rawValue == outcome }) { return false }
        let isFailed =
            query.excludedOutcomes.contains(.accepted) || !query.reason.values.isEmpty && query.outcomes.isEmpty
        // As the store's filter has it: what comes behind `accepted`.
        if isFailed, !Outcome.accepted.rawValue.utf8.lexicographicallyPrecedes(outcome.utf8) { return false }
        return !query.excludedOutcomes.contains { $0.rawValue == outcome }
    }

    private func includesBatch(_ found: String?) -> Bool {
        guard let batch else { return true }
        guard let found = found?.utf8 else { return false }
        switch batch {
        case .named(let name): return found.elementsEqual(name)
        case .withParts(let name):
            guard found.starts(with: name) else { return false }
            let rest = found.dropFirst(name.count)
            guard let first = rest.first else { return true }
            let digits = rest.dropFirst()
            return first == UInt8(ascii: ".") && !digits.isEmpty
                && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
    }
}
