import HTTPTypes
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillOperations
import WaybillThreads

/// The filters of records in a query, named as the options of `waybill logs` and the fields of a record.
struct DeliveryFilters: Sendable {
    static let names: Set<String> = [
        "token", "batch", "exact", "client", "service", "outcome", "reason", "lane", "topic", "push_type", "priority",
        "since", "until",
    ]

    /// Those of records that are yet to be written.
    ///
    /// No token: a URL that is open for long is seen by many.
    static let followed: Set<String> = names.subtracting(["token", "since", "until"])

    /// Those by which notifications are counted.
    static let counted: Set<String> = [
        "client", "outcome", "reason", "lane", "topic", "push_type", "since", "until",
    ]

    /// How many values of one field somebody may ask for: each is compared with every record that is looked at.
    private static let mostValues = 20

    var query: DeliveryQuery
    /// The token that is asked by, as it is sent.
    var token: [UInt8]?

    /// - Throws: ``Problem`` 400 for a value that can match nothing.
    init(_ text: QueryText) throws(Problem) {
        token = try text.value("token").map(Self.token)
        query = DeliveryQuery(
            deviceToken: token.map { $0[...] },
            client: try Self.texts("client", text),
            service: try Self.texts("service", text),
            reason: try Self.texts("reason", text),
            lane: try Self.texts("lane", text),
            topic: try Self.texts("topic", text),
            pushType: try Self.texts("push_type", text)
        )
        let isExact = try Self.flag("exact", text)
        let batch = try text.value("batch")
        guard !isExact || batch != nil else { throw Problem(.badRequest, "exact goes with batch") }
        query.batch = batch.map { BatchName($0, includesParts: !isExact) }
        for word in try text.list("outcome") {
            let isExcluded = word.hasPrefix("!")
            guard let outcome = Outcome(rawValue: isExcluded ? String(word.dropFirst()) : word) else {
                let words = Outcome.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem(.badRequest, "outcome must be one of \(words), or one of them with ! in front")
            }
            if isExcluded { query.excludedOutcomes.append(outcome) } else { query.outcomes.append(outcome) }
        }
        query.priority = try Self.number("priority", text, in: 1...10)
        query.since = try Self.time("since", text)
        query.until = try Self.time("until", text)
        if let since = query.since, let until = query.until, since >= until {
            throw Problem(.badRequest, "since must be earlier than until")
        }
        if let (field, value) = query.contradiction {
            throw Problem(
                .badRequest,
                "\(field) asks for \(value) and, with ! in front, leaves it out: nothing can match"
            )
        }
    }

    /// A whole number within limits; `nil` if it is not there.
    static func number(_ name: String, _ text: QueryText, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let value = try text.value(name) else { return nil }
        guard value.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(value), range.contains(number) else {
            throw Problem(.badRequest, "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Any of the values that are there, and none of those with `!` in front.
    private static func texts(_ name: String, _ text: QueryText) throws(Problem) -> TextFilter {
        var filter = TextFilter.all
        let values = try text.values(name)
        guard values.count <= mostValues else {
            throw Problem(.badRequest, "\(name) is there more than \(mostValues) times")
        }
        for value in values {
            guard filter.add(value) else { throw Problem(.badRequest, "\(name) has ! and no value behind it") }
        }
        return filter
    }

    private static func flag(_ name: String, _ text: QueryText) throws(Problem) -> Bool {
        switch try text.value(name) {
        case nil, "false": false
        case "true": true
        default: throw Problem(.badRequest, "\(name) must be true or false")
        }
    }

    private static func token(_ text: String) throws(Problem) -> [UInt8] {
        guard let token = InvestigationSubject.token(text) else {
            throw Problem(.badRequest, InvestigationSubject.tokenForm)
        }
        return token
    }

    private static func time(_ name: String, _ text: QueryText) throws(Problem) -> Int64? {
        guard let value = try text.value(name) else { return nil }
        guard let time = TimeText.parse(value, now: WallClock.milliseconds()) else {
            throw Problem(
                .badRequest,
                "\(name) must be a duration back from now such as 1h30m, a date such as 2026-11-21T04:05Z, or yesterday"
            )
        }
        return time
    }
}
