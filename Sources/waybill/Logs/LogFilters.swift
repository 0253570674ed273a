import ArgumentParser
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillOperations
import WaybillThreads

/// The filters of `waybill logs`.
///
/// A value that can match nothing is a mistake of usage, not an empty result. Options with a text may be given several times:
/// any of the values matches, and none of those with `!` in front.
struct LogFilters: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The device token, whole; - reads it from standard input, where nobody else sees it.",
            valueName: "hex"
        ),
        transform: Self.token
    )
    var token: [UInt8]?

    @Option(
        help: ArgumentHelp(
            "The batch_id of the message; ID.1, ID.2 and so on, as send names parts, too.",
            valueName: "id"
        ),
        transform: Self.word
    )
    var batch: String?

    @Flag(help: "With --batch: that name alone, without its parts.")
    var exact = false

    @Option(help: ArgumentHelp("The apns-id of the notification.", valueName: "uuid"), transform: Self.apnsID)
    var apnsID: NotificationID?

    @Option(help: ArgumentHelp("The client that the message named.", valueName: "name"), transform: Self.term)
    var client: [String] = []

    @Option(
        help: ArgumentHelp("The id of the service that said it, of the front door.", valueName: "id"),
        transform: Self.term
    )
    var service: [String] = []

    @Option(
        help: ArgumentHelp(
            "\(Self.outcomes); with ! in front all but that one, as in '!accepted'. May be given several times.",
            valueName: "outcome"
        ),
        transform: OutcomeTerm.init
    )
    var outcome: [OutcomeTerm] = []

    @Option(help: ArgumentHelp("The reason, as the push service spells it.", valueName: "word"), transform: Self.term)
    var reason: [String] = []

    @Option(help: ArgumentHelp("The lane that sent it.", valueName: "name"), transform: Self.term)
    var lane: [String] = []

    @Option(help: ArgumentHelp("The topic that it was sent with.", valueName: "topic"), transform: Self.term)
    var topic: [String] = []

    @Option(help: ArgumentHelp("The push type, such as alert or background.", valueName: "type"), transform: Self.term)
    var pushType: [String] = []

    @Option(help: ArgumentHelp("The priority: 1, 5 or 10.", valueName: "n"), transform: Self.priority)
    var priority: Int?

    @Option(
        help: ArgumentHelp("Not before: 15m, 1h30m, 3d, 1w, a date, today or yesterday, in UTC.", valueName: "time"),
        transform: GivenTime.init
    )
    var since: GivenTime?

    @Option(help: ArgumentHelp("Before: the same forms.", valueName: "time"), transform: GivenTime.init)
    var until: GivenTime?

    func validate() throws {
        if exact, batch == nil { throw ValidationError("'--exact' goes only with '--batch'.") }
        if let since, let until, since.milliseconds >= until.milliseconds {
            throw ValidationError("'--since' must be earlier than '--until'.")
        }
        try Self.refuse(query(limit: nil).contradiction)
    }

    /// - Throws: `ValidationError` for a filter that asks for a value and leaves it out.
    static func refuse(_ contradiction: (field: String, value: String)?) throws {
        guard let (field, value) = contradiction else { return }
        let name = field.replacing("_", with: "-")
        throw ValidationError("'--\(name)' asks for '\(value)' and leaves it out with '!': nothing can match.")
    }

    /// The fewest digits that a token of APNs has; a shorter one was given as a token all the same, and is recorded.
    private static let usualDigits = 64

    /// What may be wrong with filters that match nothing; `nil` if nothing comes to mind.
    var hint: String? {
        guard let token, token.count < Self.usualDigits, !token.contains(UInt8(ascii: ":")) else { return nil }
        return
            "a token is looked for as a whole, and this one has \(token.count) digits; a token of APNs has 64 or more"
    }

    /// Whether one device or one notification is asked for.
    var asksForOne: Bool { token != nil || apnsID != nil }

    func query(limit: Int?) -> DeliveryQuery {
        DeliveryQuery(
            deviceToken: token.map { $0[...] },
            batch: batch.map { BatchName($0, includesParts: !exact) },
            id: apnsID,
            client: Self.filter(client),
            service: Self.filter(service),
            outcomes: outcome.filter { !$0.isExcluded }.map(\.outcome),
            excludedOutcomes: outcome.filter(\.isExcluded).map(\.outcome),
            reason: Self.filter(reason),
            lane: Self.filter(lane),
            topic: Self.filter(topic),
            pushType: Self.filter(pushType),
            priority: priority,
            since: since?.milliseconds,
            until: until?.milliseconds,
            limit: limit
        )
    }
}

extension LogFilters {
    static let outcomes = Outcome.allCases.map(\.rawValue).joined(separator: ", ")

    /// - Parameter text: the token; `-` for the line of standard input.
    /// - Returns: its bytes, as the log has them.
    /// - Throws: `ValidationError` for what can be no token, and for more than one line.
    static func token(_ text: String) throws -> [UInt8] {
        guard let token = InvestigationSubject.token(try DeviceTokenInput.text(text)) else {
            throw ValidationError(InvestigationSubject.tokenForm)
        }
        return token
    }

    static func apnsID(_ text: String) throws -> NotificationID {
        guard let id = NotificationID(text) else {
            throw ValidationError("an apns-id is a UUID, 8-4-4-4-12 hexadecimal digits")
        }
        return id
    }

    static func outcome(_ text: String) throws -> Outcome {
        guard let outcome = Outcome(rawValue: text) else { throw ValidationError("use one of \(outcomes)") }
        return outcome
    }

    static func priority(_ text: String) throws -> Int {
        guard let number = Int(text), [1, 5, 10].contains(number) else { throw ValidationError("use 1, 5 or 10") }
        return number
    }

    /// A value, or one with `!` in front.
    static func term(_ text: String) throws -> String {
        var filter = TextFilter.all
        guard filter.add(text) else { throw ValidationError("give a value, or ! and a value for all but that") }
        return text
    }

    /// - Parameter terms: each read by ``term(_:)``.
    /// - Returns: any of the values, and none of those with `!` in front.
    static func filter(_ terms: [String]) -> TextFilter {
        terms.reduce(into: .all) { filter, term in _ = filter.add(term) }
    }

    static func word(_ text: String) throws -> String {
        guard !text.isEmpty else { throw ValidationError("it must not be empty") }
        return text
    }

    static func time(_ text: String) throws -> Int64 {
        guard let time = TimeText.parse(text, now: WallClock.milliseconds()) else {
            throw ValidationError(
                "use a duration such as 2h or 1h30m, a date such as 2026-11-21 or 2026-11-21T04:05Z, today or yesterday"
            )
        }
        return time
    }
}
