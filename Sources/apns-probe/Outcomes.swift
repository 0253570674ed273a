import WaybillAPNS
import WaybillProbe

extension JSONLine {
    /// What became of one notification.
    ///
    /// - Parameters:
    ///   - position: the notification's line in the plan, counted from 0.
    ///   - id: its `apns-id`.
    ///   - result: its outcome.
    init(position: Int, id: APNSID, result: Result<APNSResponse, APNSError>) {
        self.init("outcome")
        self["position"] = position
        self["id"] = id.description
        switch result {
        case .success(let response):
            self["fate"] = "answered"
            self["status"] = response.status
            self["reason"] = response.reason?.rawValue
            self["invalidSince"] = response.invalidSince.map(Int.init)
            self["latency"] = Int(response.latency / .nanoseconds(1))
            self["accepted"] = response.isAccepted ? 1 : 0
            self["attempts"] = response.attempts.map(\.words)
        case .failure(let error):
            self["fate"] = error.fate == .notSent ? "notSent" : "unknown"
            self["code"] = error.code.rawValue
            self["field"] = error.field
            self["text"] = error.text
            self["cause"] = error.cause
            self["attempts"] = error.attempts.map(\.words)
        }
    }
}

extension APNSAttempt {
    /// How an earlier attempt ended, in a few words.
    var words: String {
        switch result {
        case .answered(let status, let reason): "\(status) \(reason?.rawValue ?? "-")"
        case .unanswered(.notSent, let cause): "notSent \(cause)"
        case .unanswered(.unknown, let cause): "unknown \(cause)"
        }
    }
}
