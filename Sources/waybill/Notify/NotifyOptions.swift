import ArgumentParser
import Foundation
import WaybillEncoding
import WaybillSettings
import WaybillTransfer

/// What a service says, and to whom: the same for `waybill notify` and `notifire-cli`.
struct NotifyOptions: ParsableArguments {
    static let keyVariable = "NOTIFIRE_KEY"
    static let urlVariable = "NOTIFIRE_API_URL"

    @Option(help: ArgumentHelp("The service's key; other users of this machine can see it here.", valueName: "key"))
    var key: String?

    @Option(
        name: .customLong("key-file"),
        help: ArgumentHelp("A file that holds the key. Without both, \(keyVariable) holds it.", valueName: "file")
    )
    var keyFile: String?

    @Option(help: ArgumentHelp("What the phone shows.", valueName: "text"))
    var body: String

    @Option(
        help: ArgumentHelp(
            "info, warning, error (or 1, 2, 3), or critical, for which the key needs its scope.",
            valueName: "level"
        )
    )
    var level = NotifyLevel.info

    @Option(help: ArgumentHelp("More of it, which the app shows.", valueName: "text"))
    var text: String?

    @Option(help: ArgumentHelp("Where there is more.", valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp(
            "Where the server is, such as https://push.example.com. Without it, \(urlVariable) says so.",
            valueName: "url"
        )
    )
    var apiurl: String?

    @Flag(name: .customLong("allow-http"), help: "Send the key over http, which others on the way can read.")
    var allowsHTTP = false

    @Option(name: .customLong("ca-file"), help: ArgumentHelp("Certificates to trust, PEM.", valueName: "file"))
    var caFile: String?

    func validate() throws {
        guard !body.isEmpty else { throw ValidationError("--body is empty") }
        guard key == nil || keyFile == nil else { throw ValidationError("say --key or --key-file, not both") }
    }

    /// Sends it, and says so.
    ///
    /// - Throws: `ExitCode`, after the server's words were said.
    func run(_ voice: NotifyVoice) throws {
        let server = try readServer()
        let request = try NotifyRequest(key: readKey(), level: level, body: body, more: text, url: url)
        voice.say("Sending notification.")
        let answer: NotifyAnswer
        do throws(CommandFailure) {
            answer = try Notifier(server: server, caFile: caFile).notify(request, name: UUID().uuidString)
        } catch {
            voice.say("Error: \(error.text)")
            throw error.status.exit
        }
        guard let silence = answer.silence else { return voice.tell(answer) }
        voice.say("Error: \(silence)")
        // The Notifire program ends with 0: the people's settings are no fault of a script.
        if voice == .command { throw ExitStatus.badInput.exit }
    }

    private func readKey() throws -> String {
        if let key { return key }
        if let keyFile {
            switch OwnerOnlyFile.read(keyFile, limit: 4096) {
            case .success(let bytes):
                return String(decoding: ByteOrderMark.removed(from: bytes), as: UTF8.self)
                    .trimmingCharacters(in: .whitespacesAndNewlines)
            case .failure(let problem):
                throw CommandFailure(problem.category == .permission ? .permission : .noInput, problem.reason)
            }
        }
        guard let key = ProcessInfo.processInfo.environment[Self.keyVariable], !key.isEmpty else {
            throw ValidationError("say the service's key: --key-file, \(Self.keyVariable), or --key")
        }
        return key
    }

    private func readServer() throws -> NotifyServer {
        let said = apiurl ?? ProcessInfo.processInfo.environment[Self.urlVariable]
        guard let said, !said.isEmpty else {
            throw ValidationError("say where the server is: --apiurl, or \(Self.urlVariable)")
        }
        return try NotifyServer(said, allowsHTTP: allowsHTTP)
    }
}
