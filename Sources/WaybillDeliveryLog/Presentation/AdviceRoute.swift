import WaybillEncoding

/// Where the HTTP API shows what a command of some advice shows, for whoever has no shell.
package struct AdviceRoute: Hashable, Sendable {
    /// As the advice names it, such as `waybill status`.
    package let command: String
    /// To be got, such as `/v1/status`.
    package let path: String
    /// Whether it answers nobody but keys for all clients.
    package let isAboutInstallation: Bool

    /// By what comes before anything that the command is about.
    private static let paths = [
        "waybill status": "/v1/status", "waybill rejected": "/v1/rejected", "waybill lanes": "/v1/lanes",
    ]
    private static let explain = "waybill explain "

    /// The routes of all commands that sentences name between grave accents, each once; what has no route is left out.
    package static func routes(in sentences: [String]) -> [AdviceRoute] {
        var routes: [AdviceRoute] = []
        for sentence in sentences {
            // Every second part is between two of them.
            let parts = sentence.split(separator: "`", omittingEmptySubsequences: false)
            for (number, part) in parts.enumerated() where !number.isMultiple(of: 2) && number + 1 < parts.count {
                guard let route = AdviceRoute(command: String(part)), !routes.contains(route) else { continue }
                routes.append(route)
            }
        }
        return routes
    }

    private init?(command: String) {
        self.command = command
        if let path = Self.paths[command] {
            self.path = path
            isAboutInstallation = true
        } else if command.hasPrefix(Self.explain) {
            path = "/v1/explain?apns_id=\(PercentEncoding.encode(String(command.dropFirst(Self.explain.count))))"
            isAboutInstallation = false
        } else {
            return nil
        }
    }
}

extension JSONWriter {
    /// The routes of what sentences name, as the member `see`; nothing where there are none.
    ///
    /// - Parameters:
    ///   - sentences: the advice.
    ///   - seesInstallation: whether whoever reads it may see the state of the installation.
    mutating func appendRoutes(in sentences: [String], seesInstallation: Bool) {
        let routes = AdviceRoute.routes(in: sentences).filter { seesInstallation || !$0.isAboutInstallation }
        guard !routes.isEmpty else { return }
        append(
            "see",
            routes.map { route in
                var object = JSONObject()
                object.add("command", route.command)
                object.add("get", route.path)
                return object.text
            }
        )
    }
}
