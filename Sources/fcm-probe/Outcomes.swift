import WaybillFCM
import WaybillProbe

extension JSONLine {
    /// What became of one message.
    ///
    /// - Parameters:
    ///   - position: the message's line in the plan, counted from 0.
    ///   - id: its id.
    ///   - result: its end.
    init(position: Int, id: String, result: Result<FCMResponse, FCMError>) {
        self.init("outcome")
        self["position"] = position
        self["id"] = id
        switch result {
        case .success(let response):
            self["fate"] = "answered"
            self["status"] = response.status
            self["reason"] = response.errorCode?.rawValue ?? response.detail
            self["name"] = response.name
            self["action"] = response.action.word
            self["wait"] = response.retryAfter.map { Int($0 / .seconds(1)) }
            self["accepted"] = response.isAccepted ? 1 : 0
            self["attempts"] = Self.earlier(response.attempts)
        case .failure(let error):
            self["fate"] = error.fate == .notSent ? "notSent" : "unknown"
            self["code"] = error.code.rawValue
            self["field"] = error.field
            self["text"] = error.text
            self["cause"] = error.cause
            self["attempts"] = Self.earlier(error.attempts)
        }
    }

    /// One word for each attempt before the last.
    private static func earlier(_ attempts: Int) -> [String] {
        Array(repeating: "earlier", count: max(0, attempts - 1))
    }
}

extension FCMAction {
    /// The action as one word.
    var word: String {
        switch self {
        case .none: "none"
        case .removeToken: "remove"
        case .checkToken: "check"
        case .dropMessage: "drop"
        case .fixConfiguration: "fix"
        case .retryLater(.message): "later-message"
        case .retryLater(.topic): "later-topic"
        case .retryLater(.project): "later-project"
        }
    }
}
