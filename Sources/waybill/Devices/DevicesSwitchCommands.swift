import ArgumentParser
import WaybillDeviceRegistry
import WaybillSettings
import WaybillThreads

/// `waybill devices disable`.
struct DevicesDisableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Push no more to a token, until its app registers it again.",
        discussion: """
            Examples:
              waybill devices disable --token - < token.txt
              waybill devices disable --token - --app com.example.parcels --reason logged_out < token.txt

            All devices of the token are meant, unless --app or --environment says which.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput])
    )

    @OptionGroup var which: DeviceChoice

    @Option(help: ArgumentHelp("Why, in one word.", valueName: "word"))
    var reason = "operator"

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws { try DeviceChoice.validate(reason: reason) }

    func run() throws {
        try which.forEach(settings) { registrar, address in
            let isChanged = try registrar.disable(address, reason: reason, now: WallClock.milliseconds())
            return isChanged ? "disabled" : "was disabled"
        }
    }
}

/// `waybill devices enable`.
struct DevicesEnableCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Push to a token again.",
        discussion: """
            Examples:
              waybill devices enable --token - < token.txt
              waybill devices enable --token - --environment production < token.txt

            Whatever has ended it. A token that is dead all the same is disabled again by the next push.
            """ + ExitStatus.help(ExitStatus.ofServers + [.badInput, .noInput])
    )

    @OptionGroup var which: DeviceChoice

    @Option(help: ArgumentHelp("Why, in one word.", valueName: "word"))
    var reason = "operator"

    @OptionGroup var settings: ConfigurationOptions

    func validate() throws { try DeviceChoice.validate(reason: reason) }

    func run() throws {
        try which.forEach(settings) { registrar, address in
            let isChanged = try registrar.enable(address, reason: reason, now: WallClock.milliseconds())
            return isChanged ? "enabled" : "was enabled"
        }
    }
}

/// Which devices a change is about: those of one token.
struct DeviceChoice: ParsableArguments {
    @Option(help: ArgumentHelp("The device token; - reads it from standard input.", valueName: "token"))
    var token: String

    @Option(help: ArgumentHelp("Only that of this app.", valueName: "app"))
    var app: String?

    @Option(help: ArgumentHelp("Only that of this environment.", valueName: "environment"))
    var environment: String?

    static func validate(reason: String) throws {
        guard (1...100).contains(reason.utf8.count), !reason.contains(where: \.isWhitespace) else {
            throw ValidationError("The value for '--reason <word>' is one word of up to 100 characters.")
        }
    }

    /// Changes each device, and says what was done.
    ///
    /// - Throws: ``CommandFailure`` if there is none.
    func forEach(
        _ settings: ConfigurationOptions,
        _ change: (DeviceRegistrar, DeviceAddress) throws -> String
    ) throws {
        try StoreCommand.run(settings, for: .devices) { client, database in
            let token = try DeviceTokenInput.token(token)
            let query = DeviceQuery(token: Array(token.utf8), app: app)
            let cursor = DeviceReader(client: client, database: database).devices(query, limit: 1000)
            let registrar = DeviceRegistrar(client: client, database: database)
            var found = 0
            while let device = try cursor.next() {
                guard environment == nil || device.environment == environment, let address = device.address else {
                    continue
                }
                found += 1
                let place = [address.app, device.environment].compactMap(\.self).joined(separator: ", ")
                Output.line("\(try change(registrar, address)): …\(address.tail) of \(place)")
            }
            if found == 0 { throw CommandFailure(.noInput, "no device has this token") }
        }
    }
}
