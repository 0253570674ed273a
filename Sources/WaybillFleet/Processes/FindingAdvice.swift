/// What an operator does about a finding, as sentences that the command line, the API and the page show alike.
package enum FindingAdvice {
    static let noDispatcher =
        "Start waybill dispatch (or waybill run), and look at why the last one ended: its log, or systemctl status."
    static let ending =
        "It ends by itself when that is finished, or after dispatch.grace; what is left then is delivered again."
    static let noOther =
        "Start another one (waybill dispatch, waybill run), unless a restart is under way: what is published waits in the broker until then."
    static let starting = "A dispatcher is starting, and reads it in a moment."
    static let unsaid = "Look at its log, and restart it: what it holds is delivered again."
    static let noConsumer =
        "No dispatcher runs, or none can take messages now: start one, or see what keeps it from the broker."
    static let unread =
        "A dispatcher that was killed, or told to end, just now is told of within ten seconds. Otherwise dispatchers run and none reads this "
        + "queue: compare broker.dispatch_queues and broker.queue_prefix in their configurations."
    static let stuck =
        "If it does not come back by itself within a minute, restart the process: nothing is lost by that."

    package static let queues =
        "waybill init makes them, and may run at any time; see that broker.url names the virtual host that you mean."

    package static let alarm =
        "RabbitMQ takes no new messages while its alarm lasts, from nobody: give it disk or memory. What is in the queues is "
        + "still sent, and nothing is lost."

    /// Whether a process lacks something because of an alarm of the broker, by its words.
    private static func isAlarm(_ cause: String?) -> Bool { cause?.contains("alarm") == true }

    /// Whether a process lacks something because the broker has no such queue or exchange, by its words.
    private static func isMissing(_ cause: String?) -> Bool { MissingOnBroker(in: cause) != nil }

    /// What is to be looked at where a process lacks something.
    ///
    /// - Parameters:
    ///   - check: what, by the name it has inside.
    ///   - cause: why, in the process's words.
    /// - Returns: `nil` for what is neither the broker nor the store.
    package static func subject(_ check: String, cause: String?) -> FleetHealth.Subject? {
        switch check {
        case _ where isAlarm(cause): .brokerAlarm
        case "consuming" where isMissing(cause), "confirms" where isMissing(cause), "publishing" where isMissing(cause):
            .queues
        case "consuming" where cause?.hasPrefix("waits for the store") == true: .store
        case "consuming", "confirms", "publishing": .broker
        case "store": .store
        default: nil
        }
    }

    /// What to do where a process lacks something.
    ///
    /// - Parameters:
    ///   - check: what, by the name it has inside.
    ///   - cause: why, in the process's words.
    /// - Returns: `nil` for what has no advice.
    package static func lacking(_ check: String, cause: String?) -> String? {
        switch subject(check, cause: cause) {
        case .brokerAlarm: return alarm
        case .queues: return queues
        default: break
        }
        if cause?.hasPrefix(nothingHeard) == true {
            return switch check {
            case "consuming", "confirms", "publishing": silent("RabbitMQ")
            case "store", "log", "webhooks": silent("MongoDB")
            default: "The thread that should say so hangs, or waits for a server that does not answer. \(stuck)"
            }
        }
        return switch check {
        case "consuming" where cause?.hasPrefix("waits for the store") == true:
            "It takes no messages that it could not record: see what is said of the store."
        case "consuming", "confirms", "publishing":
            "Look at RabbitMQ: does it run, and does this host reach it? Nothing is lost meanwhile; it goes on by itself."
        case "store":
            "Look at MongoDB: does it run, has the replica set a primary, does this host reach it? Messages wait in the broker "
                + "meanwhile; it goes on by itself."
        case "log":
            "Look at MongoDB, and at the rights of the user of waybill hooks: it needs changeStream on deliveries. What has ended is "
                + "told later; it goes on by itself."
        case "webhooks":
            "Look at MongoDB, and at the rights of the user of waybill hooks on the collections of webhooks. What is to be told "
                + "waits in the store; it goes on by itself."
        case "mail":
            "Look at the mail server that mail.server names, and at its user and password: waybill check asks it. Mail waits in "
                + "the store; it goes on by itself."
        case "listener":
            "Another program has the address, or this user may not listen there: end the other one, or change serve.listen."
        default: nil
        }
    }

    /// The words of a condition that is not reported any more.
    static let nothingHeard = "nothing heard of it"

    /// A restart helps against a thread that hangs, and not against a server that does.
    private static func silent(_ server: String) -> String {
        "Look at \(server) first: most likely it hangs, and then a restart of this process does not help; it "
            + "goes on by itself. Where \(server) answers others, restart this process: nothing is lost by that."
    }
}
