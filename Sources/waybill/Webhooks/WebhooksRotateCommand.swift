import ArgumentParser
import WaybillEncoding
import WaybillMongo
import WaybillOutbox
import WaybillSettings
import WaybillThreads

/// `waybill webhooks rotate`.
struct WebhooksRotateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Give an endpoint another secret; the present one signs, too, for a while.",
        discussion: """
            Examples:
              waybill webhooks rotate we_4f1c0a9be2d37856
              waybill webhooks rotate we_4f1c0a9be2d37856 --overlap 0       it has leaked

            The new secret is shown once, on standard output. Until the overlap is over, each event has a signature by the former \
            secret, too, so that the receiver can change over at any moment of it; a second rotation takes nothing of that away. \
            After --overlap 0 no former one signs, within two seconds.
            """ + ExitStatus.help(ExitStatus.ofServers + [.noInput])
    )

    @Argument(help: ArgumentHelp("The endpoint, as the list names it.", valueName: "id"))
    var id: String

    @Option(
        help: ArgumentHelp("How long the present secret still signs, up to 30d; 0 for no longer.", valueName: "time"),
        transform: Self.overlap
    )
    var overlap = Duration.seconds(86_400)

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try StoreCommand.run(settings, for: .webhooks) { client, database in
            _ = try WebhooksCommand.endpoint(id, client, database)
            let now = WallClock.milliseconds()
            let milliseconds = Int64(overlap / .milliseconds(1))
            let secrets = WebhookSecrets(client: client, database: database)
            let former = try secrets.all()[id] ?? []
            let secret: WebhookSecret
            switch try secrets.rotate(id, overlap: milliseconds, now: now) {
            case .rotated(let made): secret = made
            case .changed: throw CommandFailure(.temporary, "somebody else rotates the secret of \(id) at this moment")
            case .full(let until):
                throw CommandFailure(
                    .temporary,
                    "\(WebhookSecrets.mostLive) secrets of \(id) sign, which is the most; the first of them ends \(DeliveryClock.text(until)) UTC, and --overlap 0 ends all"
                )
            }
            do throws(OutputFailure) {
                try Output.once { Output.line(secret.reveal()) }
            } catch {
                throw lost(secret, error, former, secrets)
            }
            let until = milliseconds > 0 ? "until \(DeliveryClock.text(now + milliseconds)) UTC" : "no more"
            Terminal.say(
                "waybill webhooks: this was the only time that the secret is shown; the one before it signs \(until)"
            )
        }
    }

    /// Takes a rotation back whose secret could not be shown, and says so.
    private func lost(
        _ secret: WebhookSecret,
        _ failure: OutputFailure,
        _ former: [WebhookSecrets.Live],
        _ secrets: WebhookSecrets
    ) -> CommandFailure {
        do throws(MongoError) {
            if try secrets.restore(id, to: former, insteadOf: secret) {
                return CommandFailure(
                    .unavailable,
                    "\(failure); nobody has seen the new secret, and \(id) signs as before"
                )
            }
            return CommandFailure(.unavailable, "\(failure); somebody else has rotated the secret of \(id) meanwhile")
        } catch {
            return CommandFailure(
                .unavailable,
                "\(failure); \(id) has a new secret that is lost, and it could not be taken back (\(error)): "
                    + "waybill webhooks rotate \(id)"
            )
        }
    }

    private static func overlap(_ text: String) throws -> Duration {
        if text == "0" { return .zero }
        guard let duration = DurationText.sum(text), duration <= .seconds(30 * 86_400) else {
            throw ValidationError("use \(DurationText.form()), such as 24h, at most 30d")
        }
        return duration
    }
}
