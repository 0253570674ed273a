/// A span of time as people say it: 350 ms, 12.3 s, 5 min, 3.5 h, 2 d.
enum WaitText {
    /// - Parameter milliseconds: not negative.
    /// - Returns: a number and a unit, to a tenth.
    static func text(milliseconds: Int64) -> String {
        switch milliseconds {
        case ..<1000: "\(milliseconds) ms"
        case ..<120_000: "\(tenths(milliseconds, of: 1000)) s"
        case ..<7_200_000: "\(tenths(milliseconds, of: 60_000)) min"
        case ..<172_800_000: "\(tenths(milliseconds, of: 3_600_000)) h"
        default: "\(tenths(milliseconds, of: 86_400_000)) d"
        }
    }

    private static func tenths(_ milliseconds: Int64, of unit: Int64) -> String {
        let tenths = milliseconds * 10 / unit
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
