/// Who works, who is to take over and who is on the way out, when a service is told to read its configuration again.
///
/// Pure: it is told what happens, and answers with what to do. At any time there are at most two workers.
struct Succession {
    /// Names a worker.
    typealias Number = Int

    enum Action: Hashable {
        /// Read the configuration and start a worker with this number.
        case start(Number)
        case stop(Number)
        /// The worker has taken over.
        case announce(Number)
        /// A worker that was to take over could not; the one before it goes on.
        case refuse(Number)
        /// Nothing runs any more; the last one ended by itself, or was asked to.
        case finish(Number)
    }

    /// Who works now.
    var working: Number { current }

    private var current: Number
    private var candidate: Number?
    private var retiring: Number?
    /// Signals that came while a change was under way are one: the file is read when its turn comes.
    private(set) var isAskedAgain = false
    private var isStopping = false
    private var last: Number

    /// Whether a configuration is still to be read, or has been and does not work yet.
    var isReloading: Bool { candidate != nil || isAskedAgain }

    init(first: Number = 0) {
        current = first
        last = first
    }

    /// SIGHUP.
    mutating func reload() -> [Action] {
        guard !isStopping else { return [] }
        guard candidate == nil, retiring == nil else {
            isAskedAgain = true
            return []
        }
        last += 1
        candidate = last
        return [.start(last)]
    }

    /// A worker takes messages.
    mutating func consumes(_ number: Number) -> [Action] {
        guard number == candidate, !isStopping else { return [] }
        retiring = current
        current = number
        candidate = nil
        return [.announce(number), retiring.map(Action.stop)].compactMap(\.self)
    }

    /// A worker that was to take over has not begun to work in time.
    mutating func isLate(_ number: Number) -> [Action] {
        number == candidate ? [.stop(number)] : []
    }

    /// A worker has ended, or could not be made.
    mutating func ended(_ number: Number) -> [Action] {
        if number == candidate {
            candidate = nil
            return isStopping ? finishIfAlone() : [.refuse(number)] + next()
        }
        if number == retiring {
            retiring = nil
            return isStopping ? finishIfAlone() : next()
        }
        guard number == current else { return [] }
        // Who works has ended without being replaced: so does the service, whatever was about to come.
        let others = isStopping ? [] : [candidate, retiring].compactMap { $0.map(Action.stop) }
        isStopping = true
        hasCurrentEnded = true
        return others + finishIfAlone()
    }

    /// The service is asked to end.
    mutating func stop() -> [Action] {
        isStopping = true
        return [current, candidate, retiring].compactMap { $0.map(Action.stop) }
    }

    private var hasCurrentEnded = false

    private mutating func next() -> [Action] {
        guard isAskedAgain else { return [] }
        isAskedAgain = false
        return reload()
    }

    private func finishIfAlone() -> [Action] {
        hasCurrentEnded && candidate == nil && retiring == nil ? [.finish(current)] : []
    }
}
