/// How long a key that was rotated still holds beside its successor.
package enum KeyOverlap: String, CaseIterable, Sendable {
    case none = "0"
    case hour = "1h"
    case day = "24h"
    case week = "7d"

    package var milliseconds: Int64 {
        switch self {
        case .none: 0
        case .hour: 3_600_000
        case .day: 86_400_000
        case .week: 7 * 86_400_000
        }
    }
}
