import ArgumentParser

/// `waybill notify`: tells people something as a service does.
struct NotifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Tell a service's people something, over the HTTP API.",
        discussion: """
            Examples:
              waybill notify --key-file key --body "Backup done"
              waybill notify --key-file key --level 3 --body "Disk full"

            Where the server is, --apiurl says or NOTIFIRE_API_URL. Needs no configuration, only a service's key. Under the name notifire-cli the program does this alone. Asks up to \
            three times where no answer comes; however often it asks, it is one notification. Prints the notification's id, \
            which the thesis' API does not tell.
            """ + ExitStatus.help([.badInput, .noInput, .unavailable, .temporary, .permission, .configuration])
    )

    @OptionGroup var options: NotifyOptions

    func run() throws {
        try reportingFailures(of: "notify") { try options.run(.command) }
    }
}

/// What the program does under the name `notifire-cli`: as the thesis' program.
struct NotifireCommand: ParsableCommand {
    private static let name = "notifire-cli"

    /// Whether the program was started by this name, as by a link to it.
    static func isCalled(_ program: String?) -> Bool { program?.split(separator: "/").last == name[...] }

    /// Runs it, and ends the process if it fails.
    static func start(_ arguments: [String]) {
        do {
            var command = try parseAsRoot(arguments)
            try command.run()
        } catch {
            end(with: error, arguments: arguments)
        }
    }

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Tell a service's people something.",
        discussion: """
            Examples:
              notifire-cli --key KEY --body "Backup done"
            """
    )

    @OptionGroup var options: NotifyOptions

    func run() throws {
        try reportingFailures(of: "notify") { try options.run(.thesis) }
    }
}
