import ArgumentParser
import WaybillSettings

/// `waybill hooks`: sends what waits to go out.
struct HooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hooks",
        abstract: "Send the mails that wait in the outbox.",
        discussion: """
            Examples:
              waybill hooks --config waybill.yaml
              waybill check --as hooks                   does the mail server take us?
              waybill hooks --set mail.folder=/tmp/mail  write mails to files instead

            Takes what is due in the collection outbox_mail and hands it to mail.smtp, always with TLS, or writes it to \
            mail.folder. What is not taken is tried again, ten times in three days; what is refused for good is not. A \
            process that is killed loses nothing: another one sends the mail it had, under the same Message-ID. Runs until \
            SIGTERM or SIGINT; SIGHUP reads the configuration again.
            """
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
