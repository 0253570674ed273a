/// The rules that the values of typed content keep, each named by its JSON key.
///
/// The rules that join the payload with the headers are in ``NotificationCheck``.
enum ContentCheck {
    static func badge(_ badge: Int?) throws(APNSError) {
        if let badge, badge < 0 { throw .invalid("aps.badge", "is \(badge), allowed: 0, which clears it, and above") }
    }

    static func sound(_ sound: APNSSound?) throws(APNSError) {
        guard case .critical(_, let volume?) = sound else { return }
        try score(volume, "aps.sound.volume")
    }

    /// A number from 0 to 1.
    static func score(_ score: Double?, _ key: String) throws(APNSError) {
        // A value that is no number is in no range.
        if let score, !(0...1).contains(score) { throw .invalid(key, "is \(score), allowed: 0 to 1") }
    }

    static func finite(_ number: Double?, _ key: String) throws(APNSError) {
        if let number, !number.isFinite { throw .invalid(key, "is \(number), allowed: any finite number") }
    }

    static func time(_ time: APNSTimestamp?, _ key: String) throws(APNSError) {
        guard let time, let problem = APNSTimestamp.problem(with: time.secondsSince1970) else { return }
        throw .invalid(key, problem)
    }

    static func object(_ json: APNSJSON?, _ key: String) throws(APNSError) {
        if let json, !json.isObject { throw .invalid(key, "must be a JSON object") }
    }

    static func text(_ text: String, _ key: String) throws(APNSError) {
        if text.isEmpty { throw .invalid(key, "is empty") }
    }
}
