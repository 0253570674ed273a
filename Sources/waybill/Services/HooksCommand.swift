import ArgumentParser
import WaybillSettings

/// `waybill hooks`: sends what waits to go out, mails and webhooks.
struct HooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hooks",
        abstract: "Send the mails and the webhooks that wait.",
        discussion: """
            Examples:
              waybill hooks --config waybill.yaml
              waybill check --as hooks                   does the mail server take us?
              waybill hooks --set mail.folder=/tmp/mail  write mails to files instead
              waybill hooks --set webhooks.enabled=true  tell endpoints, too

            With the section mail: takes what is due in the collection outbox_mail and hands it to mail.smtp, always with TLS, or \
            writes it to mail.folder. With the section webhooks: reads the delivery log as it is written, and tells clients' \
            endpoints (waybill webhooks) what became of their notifications, signed. What is not taken is tried again, ten times \
            in three days. A process that is killed loses nothing: another one sends what it had, under the same Message-ID or \
            event id. Runs until SIGTERM or SIGINT; SIGHUP reads the configuration again.
            """ + ExitStatus.help(ExitStatus.ofServices)
    )

    @OptionGroup var settings: ConfigurationOptions
    @OptionGroup(title: "Logging") var logging: LoggingOptions

    func run() async throws {
        let sections = try settings.load(for: .hooks)
        try await reportingFailures(of: "hooks") {
            try await RoleWork.run([HooksRole(settings: settings, logging: logging).prepare(sections)])
        }
    }
}
