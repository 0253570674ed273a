import ArgumentParser
import WaybillHooks
import WaybillOutbox
import WaybillSettings
import WaybillThreads

/// `waybill webhooks replay`.
struct WebhooksReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Tell an endpoint events again, or what it was never told.",
        discussion: """
            Examples:
              waybill webhooks replay we_4f1c0a9be2d37856 --failed
              waybill webhooks replay we_4f1c0a9be2d37856 --since 2h
              waybill webhooks replay we_4f1c0a9be2d37856 --event evt_0a6f5bd8c1e94e2a9d7c3b1f08e2d4a6
              waybill webhooks replay we_4f1c0a9be2d37856 --since 3d --from-log

            Events keep their ids, so that a receiver knows what it has. Events are kept for 30 days; --from-log looks into the \
            delivery log instead and puts in what the endpoint was never to be told, such as what was before it. These have no \
            sequence.
            """ + ExitStatus.help(ExitStatus.ofServers + [.noInput])
    )

    @Argument(help: ArgumentHelp("The endpoint, as the list names it.", valueName: "id"))
    var id: String

    @Flag(help: "Those that were given up, of the last 30 days.")
    var failed = false

    @Option(help: ArgumentHelp("This one.", valueName: "id"))
    var event: String?

    @Option(
        help: ArgumentHelp("Those since then: 90s, 15m, 2h, 3d, 1w, or a date.", valueName: "time"),
        transform: LogFilters.time
    )
    var since: Int64?

    @Option(help: ArgumentHelp("And before then: the same forms.", valueName: "time"), transform: LogFilters.time)
    var until: Int64?

    @Flag(help: "What the delivery log has of that time, and the endpoint was never to be told.")
    var fromLog = false

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard failed || event != nil || since != nil else {
            throw ValidationError("Say what: '--failed', '--event' or '--since'.")
        }
        if let since, let until, since >= until { throw ValidationError("'--since' must be earlier than '--until'.") }
        if fromLog, since == nil || failed || event != nil {
            throw ValidationError("'--from-log' goes with '--since', and not with '--failed' or '--event'.")
        }
    }

    func run() throws {
        let store = try settings.loadStore(for: .webhooks)
        try StoreCommand.run(settings, for: .webhooks) { client, database in
            let endpoint = try WebhooksCommand.endpoint(id, client, database)
            let now = WallClock.milliseconds()
            let dates = (since ?? 0)..<max(until ?? .max, (since ?? 0) + 1)
            let count: Int
            if fromLog {
                let backfill = WebhookBackfill(client: client, database: database, hasPlainTokens: store.hasPlainTokens)
                count = try backfill.run(for: endpoint, dates: dates)
                Terminal.say(
                    "waybill webhooks: the log has \(Counted.text(count, "event")) for \(id); those that it was never to be told go out"
                )
            } else {
                count = try WebhookDeliveries(client: client, database: database).replay(
                    at: id,
                    event: event,
                    dates: dates,
                    states: failed ? [.failed] : [.delivered, .failed, .waiting],
                    now: now
                )
                Terminal.say("waybill webhooks: \(Counted.text(count, "event")) for \(id) to be told again")
            }
            if count == 0, event != nil { throw CommandFailure(.noInput, "\(id) has no such event") }
            if !endpoint.isActive {
                Terminal.say(
                    "waybill webhooks: \(id) is disabled, and told nothing until waybill webhooks enable \(id)"
                )
            }
        }
    }
}
