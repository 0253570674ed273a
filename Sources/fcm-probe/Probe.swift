import WaybillFCM
import WaybillProbe

/// Sends messages as it is told (``Orders``), over the public face of the library.
///
/// `replace` takes a service account's file.
@main
enum Probe {
    static func main() {
        Orders.carryOut { report in
            let options = try Options(CommandLine.arguments.dropFirst())
            let client = try FCMClient(try options.configuration(), observer: ConnectionReport(report: report))
            let sender = Sender(
                client: client,
                plan: try Plan(file: try options.plan),
                trust: try options.trust,
                report: report
            )
            return (sender, sender.plan.count)
        }
    }
}
