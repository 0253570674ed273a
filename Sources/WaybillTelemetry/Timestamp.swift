import WaybillEncoding
import WaybillThreads

/// The present as text (RFC 3339, UTC, milliseconds).
enum Timestamp {
    static func now() -> String {
        TimeText.text(milliseconds: WallClock.milliseconds())
    }
}
