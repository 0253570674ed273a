import WaybillDeliveryLog
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillProviders

extension StoryAdvice {
    /// The step that tells what a fuse of prune has done with an event.
    ///
    /// - Parameters:
    ///   - fate: what.
    ///   - record: of the notification that it is about.
    ///   - reader: who is told; how many answers a lane has had is no client's business.
    /// - Returns: the step, with the time from which on it is so.
    static func step(of fate: FuseFate, _ record: LoggedDelivery, _ reader: StoryReader) -> StoryStep {
        let (lane, app) = (fate.name.lane, fate.name.app)
        switch fate {
        case .held(let fuse, let isStored):
            let verb = isStored ? "held" : "to be held when prune takes it,"
            let answers = reader.isOperator ? "\(FuseText.answers(fuse.cause)): " : ""
            return StoryStep(
                .fuse,
                date: max(fuse.cause.at, record.date),
                text:
                    "\(verb) by the fuse of the lane \(lane) and \(app), until a person decides: \(answers)\(fuse.cause.words)"
            )
        case .discarded(_, let blow):
            return StoryStep(
                .fuse,
                date: blow?.decision.date,
                text: "discarded with what the fuse of the lane \(lane) and \(app) held\(by(blow, reader))"
            )
        case .released(_, let blow):
            return StoryStep(
                .fuse,
                date: blow?.decision.date,
                text: "released with what the fuse of the lane \(lane) and \(app) held\(by(blow, reader))"
            )
        case .later(_, let blow):
            let (fate, verb) =
                blow.state == .released ? ("carried out", "released") : ("not carried out, nor held", "discarded")
            return StoryStep(
                .fuse,
                date: record.date,
                text:
                    "\(fate): it was said after what the fuse of the lane \(lane) and \(app) held had been \(verb)\(by(blow, reader)), and in the "
                    + "same minute, which is the finest that the fuse sees"
            )
        }
    }

    /// What to do about a token while its fuse doubts what was said of it, or after a person has called that wrong.
    ///
    /// - Parameters:
    ///   - fate: what the fuse has done.
    ///   - provider: whose answer it was.
    ///   - reader: who is told.
    ///   - isPlural: whether it is about several.
    /// - Returns: in place of what to do about a dead or suspect token; empty where that holds.
    static func next(
        ofFuse fate: FuseFate,
        _ provider: ProviderName,
        _ reader: StoryReader,
        isPlural: Bool = false
    ) -> [String] {
        let (lane, app) = (fate.name.lane, fate.name.app)
        switch fate {
        case .released: return []
        case .later(_, let blow):
            guard blow.state == .discarded else { return [] }
            return [
                "\(isPlural ? "The tokens" : "The token") may be good: what \(provider.title) says of tokens of the lane \(lane) and \(app) in the minute in "
                    + "which a person discards disables nobody. Publish to \(isPlural ? "them" : "it") as before; the next push tells."
            ]
        case .discarded:
            return [
                "\(isPlural ? "The tokens" : "The token") may be good: a person has called wrong what \(provider.title) said at that time of tokens of the lane "
                    + "\(lane) and \(app). Publish to \(isPlural ? "them" : "it") as before; the next push tells."
            ]
        case .held(let fuse, _):
            let since = TimeText.text(milliseconds: fuse.cause.since)
            let doubt =
                "Whether \(isPlural ? "the tokens are" : "the token is") dead is in doubt: the fuse of the lane \(lane) and \(app) holds what was said since \(since), "
                + "for too many were called dead or wrong at once. Nobody is disabled meanwhile, and no token has to be struck off a list."
            guard reader.isOperator else { return [doubt, "Ask the operator, who decides about what is held."] }
            let which = ShellWord.quoted(lane) + " --app \(ShellWord.quoted(app))"
            return [
                doubt, "See what is wrong: `waybill prune status`.",
                "If \(provider.title) is right, the app must register again: `waybill prune release \(which)`.",
                "If it is not, remove the cause first, and then: `waybill prune discard \(which)`.",
            ]
        }
    }

    /// Whether a later push has told what nobody knew when a person discarded an event: the registry has disabled the token since.
    static func isOvertaken(_ fate: FuseFate?, _ record: LoggedDelivery, _ registry: [StoryStep]) -> Bool {
        guard fate?.isDiscarded == true else { return false }
        return registry.contains { step in
            step.text.hasPrefix(Device.State.disabled.rawValue) && step.date.map { $0 > record.date } == true
        }
    }

    /// Who has decided, and why, as the end of a sentence.
    private static func by(_ blow: Fuse.Past?, _ reader: StoryReader) -> String {
        guard reader.isOperator, let decision = blow?.decision else { return ", by a person" }
        return ", by \(decision.name)\(decision.note.map { " (\($0))" } ?? "")"
    }
}
