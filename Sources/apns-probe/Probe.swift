import WaybillAPNS
import WaybillProbe

/// Sends notifications as it is told (``Orders``), over the public face of the library.
///
/// `replace` takes a key id, a team and a key's file.
@main
enum Probe {
    static func main() {
        Orders.carryOut { report in
            let options = try Options(CommandLine.arguments.dropFirst())
            let client = try APNSClient(try options.configuration(), observer: ConnectionReport(report: report))
            let sender = Sender(client: client, plan: try Plan(file: try options.plan), report: report)
            return (sender, sender.plan.count)
        }
    }
}
