import ArgumentParser
import WaybillAPNS
import WaybillEncoding

/// The sending client alone, beside which h2load is the limit.
struct ClientCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Send requests made beforehand through the APNs client, and print rate and CPU time.",
        discussion: "Prints one JSON object; CPU is that of this process between the first request and the last answer."
    )

    @Option(help: "The server's port on localhost.")
    var port: UInt16

    @Option(help: ArgumentHelp("The authorities to trust, PEM.", valueName: "file"))
    var ca: String

    @Option(help: ArgumentHelp("The provider key, .p8.", valueName: "file"))
    var keyFile: String

    @Option(help: "How many notifications.")
    var count = 300_000

    @Option(help: "Bytes of a payload.")
    var payload = 200

    @Option(help: "The most connections.")
    var connections = 1

    @Option(help: "The most requests handed over and not answered.")
    var inFlight = 4000

    func validate() throws {
        guard count > 0, inFlight >= ClientRun.batchSize else {
            throw ValidationError("--count takes a positive number, --in-flight at least \(ClientRun.batchSize).")
        }
        guard (1...64).contains(connections) else { throw ValidationError("--connections takes 1 to 64.") }
        let least = MessageWriter.minimumSize(.payload)
        guard payload >= least else { throw ValidationError("--payload takes at least \(least).") }
    }

    func run() throws {
        let report: ClientRun.Report
        do {
            let key = try APNSProviderTokenSource(teamID: "ABCDE12345", keyID: "ABC123DEFG", keyFile: keyFile)
            var lane = APNSConfiguration(
                endpoint: APNSEndpoint(host: "localhost", port: port),
                credentials: .token(key)
            )
            lane.trust = .file(ca)
            lane.connections = connections
            lane.connectionSpacing = .milliseconds(50)
            report = try ClientRun(lane: lane, payload: payload, inFlight: inFlight).send(count)
        } catch {
            StandardError.print("waybill-bench client: \(error)")
            throw ExitCode(69)
        }
        var object = JSONObject()
        object.add("notifications", count)
        object.add("accepted", report.accepted)
        object.add("sent", report.sent)
        object.add("seconds", report.seconds)
        object.add("rate", Double(count) / report.seconds)
        object.add("cpu_us", report.cpuSeconds / Double(count) * 1e6)
        object.add("connections", report.connections)
        print(object.text)
        guard report.accepted == count else { throw ExitCode(1) }
    }
}
