import Glibc
import WaybillAPNS

/// Sends notifications as it is told on standard input, and writes what became of each to standard output.
///
/// The orders, one in a line, each carried out while the next ones are read; FROM and TO count lines of the plan from 0:
///
///     single FROM TO WIDTH      one call for each, WIDTH at a time
///     batch FROM TO             all in one call
///     feed FROM TO WIDTH        as a sequence, WIDTH in flight
///     replace KEY-ID TEAM FILE  other credentials
///     cancel                    cancel the tasks of every order so far
///     close MILLISECONDS        close the client with this grace
///
/// The end of the input ends the program once every order is done.
@main
enum Probe {
    static func main() {
        let report = Report()
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            let client = try APNSClient(
                try options.configuration(),
                observer: ConnectionReport(report: report)
            )
            let sender = Sender(client: client, plan: try Plan(file: try options.text("plan")), report: report)
            var ready = JSONLine("ready")
            ready["count"] = sender.plan.count
            report.write(ready)
            while let line = readLine() { try carryOut(line, sender) }
            // Nothing here is on a task, so waiting blocks nobody.
            while sender.isBusy { usleep(5_000) }
        } catch {
            var line = JSONLine("problem")
            line["text"] = (error as? Options.Problem)?.text ?? "\(error)"
            report.write(line)
            exit(65)
        }
    }

    private static func carryOut(_ line: String, _ sender: Sender) throws {
        let words = line.split(separator: " ").map(String.init)
        func number(_ position: Int) throws(Options.Problem) -> Int {
            guard words.indices.contains(position), let value = Int(words[position]) else {
                throw Options.Problem(text: "what does this mean: \(line)")
            }
            return value
        }
        switch words.first {
        case "single":
            let (part, width) = (try number(1)..<number(2), try number(3))
            sender.begin(line) { await sender.sendSingly(part, width: width) }
        case "batch":
            let part = try number(1)..<number(2)
            sender.begin(line) { await sender.sendTogether(part) }
        case "feed":
            let (part, width) = (try number(1)..<number(2), try number(3))
            sender.begin(line) { await sender.sendAsSequence(part, width: width) }
        case "replace":
            guard words.count == 4 else { throw Options.Problem(text: "replace wants a key id, a team and a file") }
            let source = try APNSProviderTokenSource(teamID: words[2], keyID: words[1], keyFile: words[3])
            try sender.client.replaceCredentials(.token(source))
        case "cancel":
            sender.cancel()
        case "close":
            let grace = Duration.milliseconds(try number(1))
            sender.begin(line) { await sender.client.close(grace: grace) }
        default:
            throw Options.Problem(text: "what does this mean: \(line)")
        }
    }
}
