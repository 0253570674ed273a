/// What `waybill send` has done, for a person or a program.
struct SendSummary {
    let messages: Int
    let notifications: Int
    /// From the first publication to the last confirmation.
    var elapsed: Duration?

    func show(asJSON: Bool, isDryRun: Bool) {
        if asJSON {
            var object = JSONObject()
            object.add("messages", messages)
            object.add("notifications", notifications)
            object.add("confirmed", isDryRun ? 0 : messages)
            object.add("dry_run", isDryRun)
            object.add("seconds", seconds)
            print(object.text)
        } else {
            Terminal.say("waybill send: \(text(isDryRun: isDryRun))")
        }
    }

    private func text(isDryRun: Bool) -> String {
        let what =
            notifications > 0 ? "\(notifications) notification(s) in \(messages) message(s)" : "\(messages) message(s)"
        guard !isDryRun, let seconds else { return "\(what), nothing wrong; nothing was published" }
        let rate = seconds > 0 && notifications > 0 ? ", \(Int(Double(notifications) / seconds))/s" : ""
        return "\(what) published and confirmed in \(seconds) s\(rate)"
    }

    /// To the millisecond.
    private var seconds: Double? {
        elapsed.map { (($0 / .milliseconds(1)).rounded()) / 1000 }
    }
}
