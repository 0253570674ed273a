/// What it looks like when a push service calls many of a lane's tokens dead or wrong at once.
package enum TokenStormWords {
    /// So many per cent of the answers with one word are as good as all.
    private static let most = 80

    /// Says it in words.
    ///
    /// - Parameter reasons: the service's words, as records have them, with how often each was said.
    /// - Returns: half a sentence, and the word that most of them have; `nil` where there is no such word.
    package static func text(_ reasons: [(reason: String, count: Int)]) -> (words: String, reason: String?) {
        let all = reasons.reduce(0) { $0 + $1.count }
        guard let first = reasons.max(by: { ($0.count, $1.reason) < ($1.count, $0.reason) }),
            first.count * 100 >= all * most
        else { return (mixed, nil) }
        return (text(first.reason), first.reason)
    }

    /// Whether a word is about the lane, its environment or its app, so that no list of addressees has to be looked at.
    package static func blameLane(_ reason: String) -> Bool {
        reason == "BadDeviceToken" || reason == "DeviceTokenNotForTopic"
    }

    /// Whether a word calls tokens dead: in a storm that is in doubt.
    package static func callsTokensDead(_ reason: String) -> Bool {
        ["Unregistered", "ExpiredToken", "UNREGISTERED"].contains(reason)
    }

    private static let mixed =
        "the answers have several words for it: compare the lane's environment and app with the tokens', and look how old they are"

    private static func text(_ reason: String) -> String {
        switch reason {
        case _ where callsTokensDead(reason):
            "this looks like a fault of the push service, which calls live tokens dead, or like a very old list of addressees"
        case "BadDeviceToken":
            "this looks like the wrong environment: tokens of the one are pushed to the other"
        case "DeviceTokenNotForTopic":
            "this looks like the wrong app: the tokens belong to another topic than the one that is pushed to"
        default:
            "compare the lane's environment and app with the tokens', and look how old they are"
        }
    }
}
