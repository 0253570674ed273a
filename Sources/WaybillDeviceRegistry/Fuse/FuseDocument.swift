import WaybillMongo

/// A fuse to BSON and back.
enum FuseDocument {
    private typealias Field = Fuses.Field
    private typealias CauseField = Fuses.CauseField
    private typealias DecisionField = Fuses.DecisionField

    /// Blows that are kept of one fuse; the oldest go.
    static let mostPast = 20

    // MARK: Reading

    /// - Returns: `nil` for a document of which anything is not understood.
    static func read(_ document: BSONDocument) -> Fuse? {
        guard let lane = document["\(Field.lane)"]?.string, let app = document["\(Field.app)"]?.string,
            let state = document["\(Field.state)"]?.string.flatMap(Fuse.State.init),
            let cause = document["\(Field.cause)"]?.document.flatMap(cause)
        else { return nil }
        let decision = document["\(Field.decided)"]?.document.flatMap(decision)
        guard (state == .blown) == (decision == nil) else { return nil }
        let past = (document["\(Field.past)"]?.elements ?? []).compactMap(\.document).compactMap(past)
        return Fuse(name: FuseName(lane: lane, app: app), state: state, cause: cause, decision: decision, past: past)
    }

    private static func cause(_ document: BSONDocument) -> Fuse.Cause? {
        guard let at = document["\(CauseField.at)"]?.date, let since = document["\(CauseField.since)"]?.date,
            let words = document["\(CauseField.words)"]?.string
        else { return nil }
        return Fuse.Cause(
            at: at,
            since: since,
            answers: document["\(CauseField.answers)"]?.amount ?? 0,
            invalid: document["\(CauseField.invalid)"]?.amount ?? 0,
            limit: document["\(CauseField.limit)"]?.amount ?? 0,
            usual: document["\(CauseField.usual)"]?.amount,
            reason: document["\(CauseField.reason)"]?.string,
            words: words,
            whole: document["\(CauseField.whole)"]?.amount
        )
    }

    private static func decision(_ document: BSONDocument) -> FuseDecision? {
        guard let name = document["\(DecisionField.name)"]?.string, let date = document["\(DecisionField.date)"]?.date
        else { return nil }
        return FuseDecision(
            name: name,
            date: date,
            note: document["\(DecisionField.note)"]?.string,
            until: document["\(DecisionField.until)"]?.date
        )
    }

    private static func past(_ document: BSONDocument) -> Fuse.Past? {
        guard let cause = document["\(Field.cause)"]?.document.flatMap(cause),
            let state = document["\(Field.state)"]?.string.flatMap(Fuse.State.init),
            let decision = document["\(Field.decided)"]?.document.flatMap(decision)
        else { return nil }
        return Fuse.Past(cause: cause, state: state, decision: decision)
    }

    // MARK: Writing

    static func append(_ cause: Fuse.Cause, to writer: BSONWriter) {
        writer.append(CauseField.at, date: cause.at)
        writer.append(CauseField.since, date: cause.since)
        writer.append(CauseField.answers, int: cause.answers)
        writer.append(CauseField.invalid, int: cause.invalid)
        writer.append(CauseField.limit, int: cause.limit)
        if let usual = cause.usual { writer.append(CauseField.usual, int: usual) }
        if let reason = cause.reason { writer.append(CauseField.reason, string: reason) }
        writer.append(CauseField.words, string: cause.words)
        if let whole = cause.whole { writer.append(CauseField.whole, int: whole) }
    }

    static func append(_ decision: FuseDecision, to writer: BSONWriter) {
        writer.append(DecisionField.name, string: decision.name)
        writer.append(DecisionField.date, date: decision.date)
        if let note = decision.note { writer.append(DecisionField.note, string: note) }
        if let until = decision.until { writer.append(DecisionField.until, date: until) }
    }
}
