/// One step of the data plane, to be measured by itself.
struct MicroCase: Sendable {
    /// What stays the same from one run to the next.
    enum Kind: Sendable {
        /// One thread and no server: instructions and allocations are the same at every run.
        case exact
        /// Other threads or servers take part: only times and allocations, and both vary.
        case live
    }

    let name: String
    /// What is inside the measured loop, and what is not.
    let summary: String
    let kind: Kind
    /// Makes everything that the loop works on.
    let prepare: @Sendable (MicroOptions) throws -> MicroLoop

    init(
        _ name: String,
        _ summary: String,
        _ kind: Kind = .exact,
        prepare: @escaping @Sendable (MicroOptions) throws -> MicroLoop
    ) {
        self.name = name
        self.summary = summary
        self.kind = kind
        self.prepare = prepare
    }
}

/// The prepared loop of a case.
struct MicroLoop {
    /// How many notifications one round handles.
    let notifications: Int
    /// How many rounds come before the first measured one: until buffers have grown and every sample was used once.
    let warmUp: Int
    /// What has been used up so far by whoever does the work; the calling thread unless a case says otherwise.
    let usage: () -> MicroUsage
    /// Does one round and returns how many notifications it really handled.
    let round: () throws -> Int

    init(
        notifications: Int,
        warmUp: Int,
        usage: @escaping () -> MicroUsage = MicroUsage.ofThisThread,
        round: @escaping () throws -> Int
    ) {
        self.notifications = notifications
        self.warmUp = warmUp
        self.usage = usage
        self.round = round
    }

    /// Runs rounds.
    ///
    /// - Throws: ``MicroError`` when a round did not do its work: a failure must not pass for speed.
    func run(_ rounds: Int) throws {
        for _ in 0..<rounds {
            let handled = try round()
            guard handled == notifications else { throw MicroError.handled(handled, of: notifications) }
        }
    }
}

/// Why a case has no result.
enum MicroError: Error, CustomStringConvertible {
    case handled(Int, of: Int)
    case unexpected(String)

    var description: String {
        switch self {
        case .handled(let done, let all): "a round handled \(done) of \(all) notifications"
        case .unexpected(let what): what
        }
    }
}
