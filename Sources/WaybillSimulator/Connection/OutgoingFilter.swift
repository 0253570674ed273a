/// Changes the frames that leave, for connection rules about windows; pure.
struct OutgoingFilter {
    /// What is done with WINDOW_UPDATE frames.
    enum WindowUpdates {
        case pass
        /// They are kept until ``OutgoingFilter/release()``.
        case keep
        /// The first is sent as so many of one byte; later ones pass.
        case crumble
    }

    private(set) var windowUpdates: WindowUpdates
    private var kept: [UInt8] = []

    init(_ windowUpdates: WindowUpdates) {
        self.windowUpdates = windowUpdates
    }

    private var passes: Bool { if case .pass = windowUpdates { true } else { false } }

    /// Whether frames wait for their release.
    var holdsFrames: Bool { !kept.isEmpty }

    /// What leaves in place of a run of whole frames.
    mutating func filter(_ frames: [UInt8]) -> [UInt8] {
        if passes { return frames }
        var passed: [UInt8] = []
        passed.reserveCapacity(frames.count)
        for frame in FrameRun(frames[...]) {
            let bytes = frames[frame.start..<frame.payload.upperBound]
            if frame.type == FrameType.windowUpdate.rawValue, frame.payload.count == 4, !passes {
                take(bytes, into: &passed)
            } else {
                passed += bytes
            }
        }
        return passed
    }

    /// Lets everything pass from here on.
    ///
    /// - Returns: what was kept.
    mutating func release() -> [UInt8] {
        windowUpdates = .pass
        defer { kept = [] }
        return kept
    }

    private mutating func take(_ frame: ArraySlice<UInt8>, into passed: inout [UInt8]) {
        if case .keep = windowUpdates {
            kept += frame
            return
        }
        let increment = frame.suffix(4).reduce(0) { $0 << 8 | Int($1) }
        let single = frame.prefix(FramePlace.headerSize) + [0, 0, 0, 1]
        for _ in 0..<increment { passed += single }
        windowUpdates = .pass
    }
}
