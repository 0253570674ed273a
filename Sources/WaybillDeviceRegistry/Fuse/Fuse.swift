package import WaybillCore
import WaybillMongo
import WaybillProviders

/// Which events a fuse is for: those of one app that came over one lane.
package struct FuseName: Hashable, Sendable {
    package var lane: String
    /// As the registry has it: the bundle id, or the project.
    package var app: String

    package init(lane: String, app: String) {
        self.lane = lane
        self.app = app
    }

    /// The fuse of an event, as the log tells it.
    package init(_ event: InvalidTokenEvent) {
        self.init(lane: event.lane, app: DeviceAddress(event).app)
    }

    /// The app of a topic, as the registry has it.
    package static func app(ofTopic topic: String) -> String { APNSTopic.app(of: topic) }

    /// All topics whose app may be this one.
    package static func topics(ofApp app: String) -> [String] { [app] + APNSTopic.suffixes.map { app + $0 } }

    package static func == (left: Self, right: Self) -> Bool {
        left.lane.utf8.elementsEqual(right.lane.utf8) && left.app.utf8.elementsEqual(right.app.utf8)
    }

    /// The key of its document.
    ///
    /// With the length of the lane's name, for both may hold any character.
    var id: String { "\(lane.utf8.count)/\(lane)/\(app)" }
}

/// Who has decided about a fuse, when and why.
package struct FuseDecision: Hashable, Sendable {
    /// Such as `anna@push-1`, or the name of a key.
    package var name: String
    /// Milliseconds since 1970.
    package var date: Int64
    /// In the operator's words.
    package var note: String?
    /// When the last answer was given of which events were there, in milliseconds since 1970: by a dispatcher's clock, which may be
    /// ahead of that of whoever decides.
    ///
    /// `nil` where it was given before ``date``.
    package var until: Int64?

    package init(name: String, date: Int64, note: String? = nil, until: Int64? = nil) {
        self.name = name
        self.date = date
        self.note = note
        self.until = until
    }

    /// How far clocks may be apart, in milliseconds; what is said to be of later is not what a person has decided about.
    static let clockTolerance: Int64 = 300_000

    /// The last moment of which a person could know, by whichever clock.
    package var end: Int64 { max(date, until ?? date) }

    /// The same decision, where events of an answer were there.
    func reaching(_ answer: Int64?) -> FuseDecision {
        var decision = self
        decision.until = answer.map { min($0, date + Self.clockTolerance) }.flatMap { $0 > date ? $0 : nil }
        return decision
    }
}

/// A fuse as it stands in the store.
package struct Fuse: Hashable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        /// Events are held until a person decides.
        case blown
        /// A person has released the events; they are carried out, and the fuse is armed again.
        case released
        /// A person has discarded the events, and the fuse is armed again.
        case discarded
    }

    /// Why it has blown, and when.
    package struct Cause: Hashable, Sendable {
        /// When it was noticed, in milliseconds since 1970.
        package var at: Int64
        /// From when on events are held: the beginning of the storm.
        package var since: Int64
        package var answers: Int
        package var invalid: Int
        /// In parts of a thousand of the answers.
        package var limit: Int
        /// In parts of a thousand of the answers; `nil` for a lane without a history.
        package var usual: Int?
        /// The push service's word in most of them.
        package var reason: String?
        /// What it looks like, as a half sentence.
        package var words: String
        /// The part of the answers with the ordinary minutes before the storm, in parts of a thousand.
        ///
        /// `nil` for what was written before this was taken down.
        package var whole: Int?

        package init(
            at: Int64,
            since: Int64,
            answers: Int,
            invalid: Int,
            limit: Int,
            usual: Int?,
            reason: String?,
            words: String,
            whole: Int? = nil
        ) {
            self.at = at
            self.since = since
            self.answers = answers
            self.invalid = invalid
            self.limit = limit
            self.usual = usual
            self.reason = reason
            self.words = words
            self.whole = whole
        }

        /// The part of the answers, 0 to 1.
        package var share: Double { Double(invalid) / Double(max(1, answers)) }

        /// What counts as usual where a person calls it right, 0 to 1: the smaller share, which holds more.
        var tolerableShare: Double { min(share, whole.map { Double($0) / 1000 } ?? 1) }
    }

    /// A blow of the past.
    package struct Past: Hashable, Sendable {
        package var cause: Cause
        package var state: State
        package var decision: FuseDecision

        package init(cause: Cause, state: State, decision: FuseDecision) {
            self.cause = cause
            self.state = state
            self.decision = decision
        }
    }

    package var name: FuseName
    package var state: State
    package var cause: Cause
    /// `nil` while it is blown.
    package var decision: FuseDecision?
    /// The newest at the end; without the last blow.
    package var past: [Past]

    package init(name: FuseName, state: State, cause: Cause, decision: FuseDecision? = nil, past: [Past] = []) {
        self.name = name
        self.state = state
        self.cause = cause
        self.decision = decision
        self.past = past
    }

    package var isBlown: Bool { state == .blown }

    /// What becomes of an event.
    package enum Fate: Hashable, Sendable {
        case carriedOut
        /// It waits for a person.
        case held
        /// A person has called what was said at that time wrong, or may have.
        case discarded
    }

    /// Decides about an event.
    ///
    /// - Parameter observedAt: when the push service said it, in milliseconds since 1970.
    /// - Returns: what becomes of it.
    package func fate(observedAt: Int64) -> Fate {
        if isBlown, observedAt >= cause.since { return .held }
        return blow(at: observedAt, .discarded) == nil ? .carriedOut : .discarded
    }

    /// The last blow about which a person has decided, and whose decision is about an answer.
    ///
    /// - Parameters:
    ///   - observedAt: when the push service gave it, in milliseconds since 1970.
    ///   - state: what was decided.
    /// - Returns: `nil` where nobody has decided so about that time.
    package func blow(at observedAt: Int64, _ state: State) -> Past? {
        blows.last { $0.state == state && Self.times(of: $0).contains(observedAt) }
    }

    /// Those about which a person has decided, the newest at the end.
    private var blows: [Past] { past + (decision.map { [Past(cause: cause, state: state, decision: $0)] } ?? []) }

    /// The times of which a person has called the answers wrong, in milliseconds since 1970.
    private var discardedTimes: [ClosedRange<Int64>] {
        blows.filter { $0.state == .discarded }.map(Self.times)
    }

    /// When that was said which a decision is about, in milliseconds since 1970.
    private static func times(of blow: Past) -> ClosedRange<Int64> {
        blow.cause.since...max(blow.cause.since, end(of: blow.decision))
    }

    /// Until when a decision holds, in milliseconds since 1970: to the end of its minute.
    ///
    /// Answers are counted by the minute. Those of before the decision cannot be told from those of after it, so that nobody would
    /// see whether the cause is still there.
    private static func end(of decision: FuseDecision) -> Int64 {
        (decision.end / FuseRule.Minute.milliseconds + 1) * FuseRule.Minute.milliseconds - 1
    }

    /// When that was said which is not carried out, so that what was carried out of it is to be taken back.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: times in milliseconds since 1970, each with the state that its events have: those of the storm that waits for
    ///   a person, and those that a person has discarded so lately that what was carried out of them may be left.
    package func undoneTimes(now: Int64) -> [(times: ClosedRange<Int64>, state: TokenEvents.State)] {
        let discarded = discardedTimes.filter { $0.upperBound >= now - TokenEvents.keepingApplied }
            .map { (times: $0, state: TokenEvents.State.discarded) }
        return isBlown ? [(cause.since...BSONValue.dates.upperBound, .held)] + discarded : discarded
    }

    /// The first minute whose answers count after the last decision.
    package var armed: Int64 { blows.last.map { $0.decision.end / FuseRule.Minute.milliseconds + 1 } ?? 0 }

    /// For how long a share that a person has called right counts as usual, in milliseconds.
    static let tolerance: Int64 = 86_400_000

    /// The share that was last called right, a while ago; `nil` if none was.
    ///
    /// What was called wrong since then takes nothing from it.
    package func toleratedShare(now: Int64) -> Double? {
        blows.last { $0.state == .released && now - $0.decision.date < Self.tolerance }?.cause.tolerableShare
    }

    /// Whether answers of a time are no part of what is usual: a person has called them wrong, or is to decide about them.
    ///
    /// - Parameter time: milliseconds since 1970.
    /// - Returns: true if any of it is in doubt.
    package func isDoubtful(_ time: Range<Int64>) -> Bool {
        let doubtful = discardedTimes + (isBlown ? [cause.since...Int64.max] : [])
        return doubtful.contains { $0.lowerBound < time.upperBound && $0.upperBound >= time.lowerBound }
    }
}
