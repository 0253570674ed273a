import WaybillFCM
import WaybillProbe

/// What the command line says.
struct Options {
    private let arguments: ProbeArguments

    private static let names: Set<String> = [
        "host", "port", "plan", "trust", "account", "project", "connections", "spacing", "reconnect", "proxy", "rate",
        "ramp", "deadline",
    ]

    init(_ arguments: some Sequence<String>) throws(ProbeProblem) {
        self.arguments = try ProbeArguments(arguments, names: Self.names)
    }

    /// The file of what to send.
    var plan: String { get throws(ProbeProblem) { try arguments.text("plan") } }

    var trust: FCMTrust { get throws(ProbeProblem) { .file(try arguments.text("trust")) } }

    private var proxy: FCMProxy? {
        get throws(ProbeProblem) { try arguments.address("proxy").map { FCMProxy(host: $0.host, port: $0.port) } }
    }

    func configuration() throws -> FCMConfiguration {
        let account = try FCMServiceAccount(file: try arguments.text("account"))
        var result = FCMConfiguration(
            project: try arguments.text("project"),
            credentials: try FCMAccessTokenSource(account, trust: try trust, proxy: try proxy)
        )
        result.name = "probe"
        result.host = try arguments.text("host")
        result.port = try arguments.port("port")
        result.trust = try trust
        result.proxy = try proxy
        if let value = try arguments.number("connections") { result.connections = value }
        if let value = try arguments.number("spacing") { result.connectionSpacing = .milliseconds(value) }
        if let (first, longest) = try arguments.milliseconds("reconnect") { result.reconnectDelay = first...longest }
        result.messagesPerSecond = try arguments.number("rate")
        if let value = try arguments.number("ramp") { result.ramp = .milliseconds(value) }
        for (name, value) in arguments.deadlines {
            switch name {
            case "answer": result.answerDeadline = value
            case "patience": result.patience = value
            case "lifetime": result.connectionLifetime = value...(value * 1.1)
            default: throw ProbeProblem("there is no deadline \(name)")
            }
        }
        return result
    }
}
