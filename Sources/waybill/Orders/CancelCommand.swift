import ArgumentParser
import WaybillAudience
import WaybillCore
import WaybillDeliveryLog
import WaybillEncoding
import WaybillFleet
import WaybillNotifications
import WaybillOperations
import WaybillSettings

/// `waybill cancel`: sends nothing more of a batch, or sends it after all.
struct CancelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Send nothing more of a batch.",
        discussion: """
            Examples:
              waybill cancel parcels-7
              waybill cancel parcels-7 --client acme --note "wrong text"
              waybill logs --batch parcels-7 --count        what had been sent by then
              waybill cancel --list                         what is cancelled, by whom
              waybill cancel --lift parcels-7               send what still waits of it

            Every dispatcher follows within seconds. A notification that was not sent yet ends as cancelled: at once what a \
            dispatcher has in hand, and what was tried and put off; the rest when its turn comes in the queue, or, of a lane that \
            is parked, when its delay is over. What was sent stays sent. The order holds for everything that was published before it, the parts NAME.1, NAME.2 and so on \
            too; what is published later under the same name is sent. Of messages without a time of their own, it holds for \
            those that a dispatcher sees within six hours. An audience that was published before ends, too, and a notification in the \
            store of this name that was inserted before. A message's own time is by its producer's \
            clock: where that is ahead, say --ahead with as much, or more. The command says so where the log shows it.

            A batch of which nothing is known ends with 66, for its name may be a slip; the order holds all the same.

            --lift takes the order back: within seconds every dispatcher sends what waits in a queue. What has ended as cancelled \
            stays so; to send it after all, publish it again with a new timestamp.
            """
                + ExitStatus.help(
                    ExitStatus.ofServers + [.noInput],
                    own: [.noInput: "nothing is known of the batch or there is no such cancellation to lift"]
                )
    )

    @Argument(help: ArgumentHelp("The batch_id of the messages.", valueName: "batch"))
    var batch: String?

    @Flag(help: "Show the cancellations that hold, and those that were lifted, and cancel nothing.")
    var list = false

    @Flag(help: "With --list: write one JSON object.")
    var json = false

    @Flag(help: "Lift the cancellation: send what still waits of the batch.")
    var lift = false

    @Option(help: ArgumentHelp("Of this client only; without it, of all.", valueName: "client"))
    var client: String?

    @Option(
        help: ArgumentHelp(
            "Cover also what says that it was published so much later than now, such as 10m, 400d at most: its producer's clock is ahead.",
            valueName: "duration"
        ),
        transform: CancelCommand.duration
    )
    var ahead: Duration?

    @OptionGroup var order: OrderOptions

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws {
        guard list != (batch != nil), batch != "" else { throw ValidationError("Say which batch, or --list.") }
        // What was cancelled before there was this limit can be lifted.
        if let batch, !lift, let fault = BatchName.fault(of: batch) { throw ValidationError("A batch_id \(fault).") }
        guard !(list && lift) else { throw ValidationError("Say --list or --lift, not both.") }
        guard list || !json else { throw ValidationError("--json goes with --list.") }
        guard ahead == nil || !(list || lift) else {
            throw ValidationError("--ahead goes with a batch that is cancelled.")
        }
    }

    func run() throws {
        let sections = try settings.load(for: .cancel)
        let clients = PostedClients(sections)
        try StoreCommand.run(try ConfigurationOptions.present(sections.store), for: .cancel) { store, database in
            guard let batch else {
                let orders = try OrderReader(client: store, database: database).orders()
                let isMeant = { (order: Cancellation) in
                    client == nil || order.client == nil || order.client.isExactly(client)
                }
                let lifted = orders.lifted.filter { isMeant($0.cancellation) }
                show(orders.cancelled.filter(isMeant), lifted: lifted)
                if orders.cancelled.filter(isMeant).isEmpty { sayWhoIsNotKnown(store, database) }
                return
            }
            let options = DeliveryLogOptions(database: database, retention: RetentionPolicy(default: .keep))
            if lift {
                defer { sayWhoIsNotKnown(store, database) }
                return try lift(batch, store, options, clients)
            }
            let cancellation = Cancellation(
                batch: BatchName(batch),
                client: client,
                source: order.source,
                lead: Int64((ahead ?? .zero) / .milliseconds(1))
            )
            let given = try BatchCancellation(
                [cancellation],
                scope: .all,
                store: store,
                options: options,
                clients: clients
            )
            if let excess = given.excess { throw CommandFailure(.temporary, "\(excess)") }
            // Whoever may not read audiences is told the rest.
            let audiences = AudienceStore(client: store, database: database)
            let isMeant = { (record: AudienceRecord) in client?.isExactly(record.client) ?? true }
            let known = CancelledAudiences.known(
                named: ((try? audiences.records(named: batch)) ?? []).filter(isMeant),
                keyed: ((try? audiences.records(cancelKey: batch)) ?? []).filter(isMeant)
            )
            let posted = PostedLookUp(
                client: store,
                database: database,
                scope: CampaignStore.Scope(clients: client.map { [ExactName($0)] }, unnamed: clients.unnamed),
                ofServices: clients.ofServices
            )
            let campaigns = (try? posted.campaigns(batch)) ?? []
            let isPosted = !campaigns.isEmpty || (try? posted.notification(batch)) ?? nil != nil
            // A name that is misspelled is cancelled, too.
            let isUnknown = given.isRecorded == false && known.isEmpty && !given.documents.hasChanged && !isPosted
            let doubt = (isUnknown ? ["the log has no record of it yet"] : known).map { "; \($0)" }.joined()
            let whose = client.map { " for \(Cell.printable($0)) alone" } ?? ""
            Terminal.say("waybill cancel: nothing more of \(Cell.printable(batch))\(whose) will be sent\(doubt)")
            for words in DocumentWords.cancelled(given.documents, cancellation, clients) {
                Terminal.say("waybill cancel: \(words)")
            }
            for (campaign, _) in campaigns where campaign.state == .draft {
                Terminal.say(
                    "waybill cancel: the campaign \(Cell.printable(campaign.name)) is a draft, for which the order does not hold: "
                        + "cancel it with waybill campaign cancel"
                )
            }
            if given.seenAhead > 0 {
                Terminal.say(
                    "waybill cancel: some of it says that it was published \(given.seenAhead / 1000) s or more after it was "
                        + "recorded: the clock of its producer is ahead. What it has published may be sent all the same: cancel "
                        + "once more with --ahead \(DurationText.text(.milliseconds(given.seenAhead + 60_000))) or more"
                )
            }
            sayWhoIsNotKnown(store, database)
            guard isUnknown else { return }
            let whoseOrder = client.map { ["--client", $0] } ?? []
            let words = ["waybill", "cancel", "--lift", batch] + whoseOrder + settings.arguments
            Terminal.say(
                "waybill cancel: the order holds for what waits under this name; if the name is a slip, take it back: "
                    + words.map(ShellWord.quoted).joined(separator: " ")
            )
            throw ExitStatus.noInput.exit
        }
    }

    private static func duration(_ text: String) throws -> Duration {
        guard let duration = DurationText.sum(text), duration <= BatchCancellation.mostLead else {
            throw ValidationError("Use \(DurationText.form()), 400d at most.")
        }
        return duration
    }

    private func show(_ cancellations: [Cancellation], lifted: [LiftedCancellation]) {
        guard !json else {
            return Output.json(String(decoding: CancellationJSON.list(cancellations, lifted: lifted), as: UTF8.self))
        }
        let screen = Screen.output
        for (position, line) in CancellationTable(width: screen.width).lines(cancellations, lifted: lifted).enumerated()
        {
            Output.line(position == 0 ? screen.palette.bold(line) : line)
        }
        guard cancellations.isEmpty else { return }
        Terminal.say("waybill cancel: nothing is cancelled\(client.map { " for \(Cell.printable($0))" } ?? "")")
    }
}
