import WaybillDeviceRegistry

/// What a fuse of prune has done with an event, or will do.
enum FuseFate: Hashable, Sendable {
    /// It waits for a person: in the store, or still in its queue.
    case held(Fuse, isStored: Bool)
    /// A person has called wrong what the push service said at that time; with the blow, as far as it is known.
    case discarded(FuseName, Fuse.Past?)
    /// A person has called it right.
    case released(FuseName, Fuse.Past?)
    /// A person had decided before it was said, in the same minute: it goes the way of what was said before, and is not what they have
    /// decided about.
    case later(FuseName, than: Fuse.Past)

    var name: FuseName {
        switch self {
        case .held(let fuse, _): fuse.name
        case .discarded(let name, _), .released(let name, _), .later(let name, _): name
        }
    }

    /// Whether it is in the store, and nothing of it waits in a queue.
    var isStored: Bool { if case .held(_, let isStored) = self { isStored } else { false } }

    /// Whether nobody may take the token for dead.
    var isDoubt: Bool {
        switch self {
        case .held, .discarded: true
        case .released: false
        case .later(_, let blow): blow.state == .discarded
        }
    }

    /// Whether it is forgotten, so that the registry is to know nothing of it.
    var isDiscarded: Bool {
        switch self {
        case .held, .released: false
        case .discarded: true
        case .later(_, let blow): blow.state == .discarded
        }
    }

    /// Decides from what the store has; `nil` where the event was carried out, or will be, without anybody's doubt.
    ///
    /// - Parameters:
    ///   - state: that of the event; `nil` where prune has not put it down.
    ///   - fuse: the event's.
    ///   - observedAt: when the push service said it, in milliseconds since 1970.
    init?(_ state: TokenEvents.State?, _ fuse: Fuse, observedAt: Int64) {
        func decided(_ decision: Fuse.State) -> FuseFate {
            let blow = fuse.blow(at: observedAt, decision)
            if let blow, blow.decision.end < observedAt { return .later(fuse.name, than: blow) }
            return decision == .released ? .released(fuse.name, blow) : .discarded(fuse.name, blow)
        }
        switch state {
        case .held:
            // A decision stands from its moment on, however much of it prune has yet to follow.
            self = fuse.isBlown ? .held(fuse, isStored: true) : decided(fuse.state)
        case .released: self = decided(.released)
        case .discarded: self = decided(.discarded)
        case .applied, nil:
            switch fuse.fate(observedAt: observedAt) {
            case .held: self = .held(fuse, isStored: false)
            case .discarded: self = decided(.discarded)
            case .carriedOut: return nil
            }
        }
    }
}
