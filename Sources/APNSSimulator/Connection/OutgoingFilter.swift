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
    private static let headerSize = 9

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
        var position = 0
        while position + Self.headerSize <= frames.count {
            let length = Int(frames[position]) << 16 | Int(frames[position + 1]) << 8 | Int(frames[position + 2])
            let end = min(position + Self.headerSize + length, frames.count)
            if frames[position + 3] == FrameType.windowUpdate.rawValue, length == 4, !passes {
                take(frames[position..<end], into: &passed)
            } else {
                passed += frames[position..<end]
            }
            position = end
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
        let single = frame.prefix(Self.headerSize) + [0, 0, 0, 1]
        for _ in 0..<increment { passed += single }
        windowUpdates = .pass
    }
}
