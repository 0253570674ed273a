/// How long something has been so, as people read it.
package enum AgeText {
    /// Writes a span of time.
    ///
    /// - Parameters:
    ///   - then: milliseconds since 1970.
    ///   - now: the same; what lies before `then` counts as no time.
    /// - Returns: it in its largest whole unit: `40 s`, `3 min`, `2 h`, `5 d`.
    package static func text(_ then: Int64, _ now: Int64) -> String {
        let seconds = max(0, now - then) / 1000
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}
