import ArgumentParser
import WaybillSettings

/// `waybill schedule`: sends what others put into the store.
struct ScheduleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "Send the notifications that others put into the collection notifications.",
        discussion: """
            Examples:
              waybill schedule --config waybill.yaml
              mongosh waybill --eval 'db.notifications.insertOne({app: "a.b", body: "Hi"})'

            Finds a document within a second, hands it to the fan-out as an audience of all enabled devices of its app, and \
            keeps its state, its sent and its outcomes true to what happened. What cannot be sent is refused in the document \
            itself. Critical notifications that ask for it are sent again until somebody acknowledges them. Several may run \
            side by side. Runs until SIGTERM or SIGINT; SIGHUP reads the configuration again.
            """ + ExitStatus.help(ExitStatus.ofServices)
    )

    @OptionGroup var settings: ConfigurationOptions
    @OptionGroup(title: "Logging") var logging: LoggingOptions

    func run() async throws {
        let sections = try settings.load(for: .schedule)
        try await reportingFailures(of: "schedule") {
            try await RoleWork.run([ScheduleRole(settings: settings, logging: logging).prepare(sections)])
        }
    }
}
