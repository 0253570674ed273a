import ArgumentParser
import Foundation
import WaybillOutbox
import WaybillSettings
import WaybillThreads

/// `waybill webhooks test`.
struct WebhooksTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Tell an endpoint something harmless, and wait for what it says.",
        discussion: """
            Examples:
              waybill webhooks test we_4f1c0a9be2d37856

            The event has the type webhook.test. waybill hooks sends it like any other; whether it was taken is said within 30 \
            seconds, else that it waits.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput])
    )

    @Argument(help: ArgumentHelp("The endpoint, as the list names it.", valueName: "id"))
    var id: String

    @OptionGroup var settings: ConfigurationOptions

    private static let patience = Duration.seconds(30)

    func run() throws {
        try StoreCommand.run(settings, for: .webhooks) { client, database in
            let endpoint = try WebhooksCommand.endpoint(id, client, database)
            guard endpoint.isActive else {
                throw CommandFailure(.badInput, "\(id) is disabled; waybill webhooks enable \(id) changes that")
            }
            let now = WallClock.milliseconds()
            let event = endpoint.testEvent(now: now)
            let deliveries = WebhookDeliveries(client: client, database: database)
            try deliveries.enqueue([(event, id)], now: now)
            let end = MonotonicTime.now().advanced(by: Self.patience)
            while MonotonicTime.now() < end {
                let delivery = try deliveries.delivery(WebhookDeliveries.id(event.id, at: id))
                if let delivery, let attempt = delivery.log.last {
                    guard delivery.state == .delivered else {
                        throw CommandFailure(
                            .unavailable,
                            "\(id) has not taken \(event.id): \(WebhookText.last(delivery))"
                                + (delivery.due == nil ? "" : "; it is tried again")
                        )
                    }
                    return Output.line("\(id) has taken \(event.id) in \(attempt.milliseconds) ms")
                }
                Thread.sleep(forTimeInterval: 0.2)
            }
            throw CommandFailure(.temporary, "nobody has sent \(event.id) yet: does waybill hooks run, with webhooks?")
        }
    }
}
