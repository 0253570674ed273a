import ArgumentParser
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillSettings
import WaybillThreads

/// `waybill devices register`.
struct DevicesRegisterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Register one device, as its app would.",
        discussion: """
            Examples:
              waybill devices register --app com.example.parcels --environment production --token - < token.txt
              waybill devices register --app com.example.parcels --environment sandbox --token - --device 4F1D-77 \
            --user 4711 --tag beta < token.txt

            A token that was disabled is enabled again, another token of the same --device is retired, and what is not said \
            stays as it is. Other users of the machine see what is on a command line: give the token by standard input (-).
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput])
    )

    @Option(help: ArgumentHelp("The device token; - reads it from standard input.", valueName: "token"))
    var token: String

    @Option(help: ArgumentHelp("The bundle id, or the project at FCM.", valueName: "app"))
    var app: String

    @Option(help: ArgumentHelp("production or sandbox; none at FCM.", valueName: "environment"))
    var environment: String?

    @Option(help: ArgumentHelp("apns or fcm.", valueName: "provider"))
    var provider = "apns"

    @Option(help: ArgumentHelp("token, or installation for FCM's installation id.", valueName: "kind"))
    var kind = "token"

    @Option(help: ArgumentHelp("The app's own id of the installation.", valueName: "id"))
    var device: String?

    @Option(help: ArgumentHelp("Whose pushes it gets.", valueName: "user"))
    var user: String?

    @Option(help: ArgumentHelp("A tag; repeatable. They take the place of those that are there.", valueName: "tag"))
    var tag: [String] = []

    @Option(help: ArgumentHelp("Such as de-AT; an invalid one is left out.", valueName: "locale"))
    var locale: String?

    @Option(help: ArgumentHelp("The IANA name, such as Europe/Vienna.", valueName: "zone"))
    var timeZone: String?

    @Option(help: ArgumentHelp("The app's version, which begins with a number.", valueName: "version"))
    var appVersion: String?

    @Option(help: ArgumentHelp("Whose device it is.", valueName: "name"))
    var client: String?

    @Option(
        help: ArgumentHelp("When the app registered; now, if not said.", valueName: "time"),
        transform: RegistrationTime.parse
    )
    var registeredAt: Int64?

    @Flag(help: "Write one JSON object.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        try StoreCommand.run(settings, for: .devices) { client, database in
            let now = WallClock.milliseconds()
            let entry: DeviceEntry
            do {
                entry = try form().entry(registeredAt: registeredAt ?? now, now: now, time: TimeText.date)
            } catch let fault as DeviceFault {
                throw CommandFailure(.badInput, "\(fault.field) \(fault.reason)")
            }
            try DeviceRegistryIndexes.require(client: client, database: database)
            let registrar = DeviceRegistrar(client: client, database: database)
            let (outcomes, retired) = try registrar.register([entry], now: now)
            let outcome = outcomes.first ?? .older
            for warning in entry.warnings {
                Terminal.say("waybill devices register: \(warning.field) is left out: it \(warning.reason)")
            }
            guard json else {
                Output.line(outcome == .older ? "older than what is known; nothing is changed" : outcome.rawValue)
                if retired > 0 { Output.line("\(Counted.text(retired, "other token")) of the device retired") }
                return
            }
            var object = JSONObject()
            object.add("outcome", outcome.rawValue)
            object.add("retired", retired)
            if !entry.warnings.isEmpty {
                object.add("warnings", entry.warnings.map { "\($0.field) \($0.reason)" })
            }
            Output.json(object)
        }
    }

    private func form() throws -> DeviceForm {
        var form = DeviceForm()
        form.texts = ["provider": provider, "kind": kind, "app": app, "token": try DeviceTokenInput.text(token)]
        form.texts["environment"] = environment
        form.texts["device"] = device
        form.texts["user"] = user
        form.texts["locale"] = locale
        form.texts["time_zone"] = timeZone
        form.texts["app_version"] = appVersion
        form.texts["client"] = client
        if !tag.isEmpty { form.tags = tag }
        return form
    }
}
