import WaybillProviders
import WaybillTelemetry

/// A lane whose push service takes next to nothing for the moment, in words.
struct PutOffTrouble {
    let lane: String
    let provider: ProviderName
    let recent: PutOffMemory.Recent

    private static let mostNamed = 2

    /// What goes wrong, whose it is, and what to do about it.
    var trouble: Trouble {
        let words = recent.words.prefix(Self.mostNamed).map(\.answer.text).joined(separator: ", ")
        return Trouble(
            .pushServicePutsOff,
            "lane \(lane): \(recent.putOff) of the last \(recent.answers) answers put pushes off: \(words); they are tried again "
                + "by themselves",
            lane: lane,
            advice: advice
        )
    }

    private var advice: String {
        let cause = recent.words.first?.answer.word.flatMap { provider.advice(reason: $0) }
        let sentence = cause.map { "\($0.prefix(1).uppercased())\($0.dropFirst())." }
        return
            (sentence
            ?? "\(provider.title) itself has trouble, of which \(statusPage) may tell: nothing is to be done here.")
            + " Watch what has to arrive in time: what is not taken before its expiration, within retry.max_age and "
            + "retry.max_attempts is given up."
    }

    private var statusPage: String {
        switch provider {
        case .apns: "Apple's https://developer.apple.com/system-status"
        case .fcm: "Google's https://status.firebase.google.com"
        }
    }
}
