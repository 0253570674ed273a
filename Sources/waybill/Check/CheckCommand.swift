import ArgumentParser
import Settings

/// `waybill check`: whether the configuration is sound, and everything can be reached.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Validate the configuration, then reach the broker, the store and APNs.",
        discussion: """
            One line per finding: ok, warn or error. Exit status 78 when the configuration must change, 77 when a file's \
            permissions must, 69 when something cannot be reached, else 0. Nothing is sent and nothing is changed.

            Examples:
              waybill check --config waybill.yaml
              waybill check --offline                  the configuration and its files only
              waybill check --json | jq 'select(.severity != "ok")'
            """
    )

    @Flag(help: "Examine the configuration and its files only; reach nothing.")
    var offline = false

    @Flag(help: "Write NDJSON, one object for each finding.")
    var json = false

    @OptionGroup var settings: ConfigurationOptions

    func run() throws {
        var findings: [Finding] = []
        func show(_ found: [Finding]) {
            for finding in found { print(line(finding)) }
            findings += found
        }
        let loaded = try settings.read()
        show(loaded.findings)
        if let configuration = loaded.configuration {
            if loaded.findings.isEmpty {
                let lanes = Counted.text(configuration.lanes.count, "lane")
                show([Finding(.ok, path: "", message: "\(lanes), no mistakes")])
            }
            show(KeyChecks.run(configuration, origins: loaded.origins))
            if !offline {
                show(BrokerCheck.run(configuration))
                show(StoreCheck.run(configuration))
                for (position, lane) in configuration.lanes.enumerated() {
                    show([LaneCheck.run(lane, path: "lanes[\(position)]")])
                }
            }
        }
        if let status = ExitStatus.worst(of: findings) { throw status.exit }
    }

    private func line(_ finding: Finding) -> String {
        guard json else { return Screen.output.palette.line(for: finding) }
        var object = JSONObject()
        object.add("severity", finding.severity.rawValue)
        if finding.severity == .error { object.add("category", finding.category.rawValue) }
        object.add("path", finding.path)
        if case .file(let line) = finding.origin {
            object.add("line", line)
        } else {
            object.add("origin", finding.origin?.description)
        }
        object.add("message", finding.message)
        return object.text
    }
}
