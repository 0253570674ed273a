import WaybillEncoding

/// Where the HTTP API shows what a command of some advice shows, or does what it does, for whoever has no shell.
package struct AdviceRoute: Hashable, Sendable {
    /// How it is asked; the member of the object that has its path.
    package enum Method: String, Sendable {
        case get, post, delete
    }

    /// What it takes.
    package struct Access: OptionSet, Hashable, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// The state of the installation, for keys for all clients.
        package static let installation = Self(rawValue: 1)
        /// Orders to lanes.
        package static let lanes = Self(rawValue: 2)
        /// Orders about batches.
        package static let batches = Self(rawValue: 4)

        package static let all: Self = [.installation, .lanes, .batches]
    }

    /// As the advice names it, such as `waybill status`.
    package let command: String
    package let method: Method
    /// Such as `/v1/status`.
    package let path: String
    package let access: Access

    /// By what comes before anything that the command is about.
    private static let paths = [
        "waybill status": "/v1/status", "waybill rejected": "/v1/rejected", "waybill lanes": "/v1/lanes",
        "waybill prune status": "/v1/fuses",
    ]

    /// The routes of all commands that sentences name between grave accents, each once; what has no route is left out.
    ///
    /// Names and notes in a sentence are others' words: an order has its route where it ends the sentence, and no other grave accent is
    /// there, so that none of them puts an order into anybody's mouth.
    package static func routes(in sentences: [String]) -> [AdviceRoute] {
        var routes: [AdviceRoute] = []
        for sentence in sentences {
            // Every second part is between two of them.
            let parts = sentence.split(separator: "`", omittingEmptySubsequences: false)
            for (number, part) in parts.enumerated() where !number.isMultiple(of: 2) && number + 1 < parts.count {
                guard let route = AdviceRoute(command: String(part)), !routes.contains(route) else { continue }
                guard route.method == .get || parts.count == 3 && parts[2] == "." else { continue }
                routes.append(route)
            }
        }
        return routes
    }

    private init?(command: String) {
        self.command = command
        if let path = Self.paths[command] {
            (method, self.path, access) = (.get, path, .installation)
            return
        }
        if let route = Self.route(of: command) {
            (method, path, access) = route
            return
        }
        guard let words = Self.words(of: command) else { return nil }
        let arguments = words.map { PercentEncoding.encode($0) }
        switch words.count {
        case 3 where words.starts(with: ["waybill", "explain"]):
            (method, path, access) = (.get, "/v1/explain?apns_id=\(arguments[2])", [])
        case 4 where words.starts(with: ["waybill", "rejected", "show"]):
            (method, path, access) = (.get, "/v1/rejected/\(arguments[3])", .installation)
        case 4 where words.starts(with: ["waybill", "lanes", "resume"]):
            (method, path, access) = (.post, "/v1/lanes/\(arguments[3])/resume", .lanes)
        case 4 where words.starts(with: ["waybill", "cancel", "--lift"]):
            (method, path, access) = (.delete, "/v1/batches/\(arguments[3])/cancel", .batches)
        case 6 where words.starts(with: ["waybill", "cancel", "--lift"]) && words[4] == "--client":
            let path = "/v1/batches/\(arguments[3])/cancel?client=\(arguments[5])"
            (method, self.path, access) = (.delete, path, .batches)
        case 6 where words.starts(with: ["waybill", "campaign", "resume"]) && words[4] == "--client":
            let path = "/v1/campaigns/\(arguments[3])/resume?client=\(arguments[5])"
            (method, self.path, access) = (.post, path, .batches)
        default: return nil
        }
    }

    /// A route that advice names itself, for whoever has no commands; `nil` for a command.
    private static func route(of text: String) -> (Method, String, Access)? {
        guard let space = text.firstIndex(of: " "), !text[space...].dropFirst().contains(" ") else { return nil }
        let path = String(text[space...].dropFirst())
        return switch text[..<space] {
        case "GET" where path.hasPrefix("/v1/explain?apns_id="): (.get, path, [])
        case "DELETE" where path.hasPrefix("/v1/batches/"): (.delete, path, .batches)
        default: nil
        }
    }

    /// The words of a command as a shell reads those that advice quotes: spaces between them, and single quotes around what a shell
    /// would not leave alone.
    ///
    /// - Returns: `nil` where a quote is open, as in half of a word that has a grave accent itself.
    private static func words(of command: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        var isEscaped = false
        for character in command.unicodeScalars {
            switch character {
            case _ where isEscaped:
                word = (word ?? "") + String(character)
                isEscaped = false
            case "'":
                isQuoted.toggle()
                word = word ?? ""
            case "\\" where !isQuoted: isEscaped = true
            case " " where !isQuoted:
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        guard !isQuoted, !isEscaped else { return nil }
        return words + (word.map { [$0] } ?? [])
    }
}

extension JSONWriter {
    /// The routes of what sentences name, as the member `see`; nothing where there are none.
    ///
    /// - Parameters:
    ///   - sentences: the advice.
    ///   - access: what whoever reads it may ask for.
    mutating func appendRoutes(in sentences: [String], access: AdviceRoute.Access) {
        let routes = AdviceRoute.routes(in: sentences).filter { access.isSuperset(of: $0.access) }
        guard !routes.isEmpty else { return }
        append(
            "see",
            routes.map { route in
                var object = JSONObject()
                object.add("command", route.command)
                object.add(route.method.rawValue, route.path)
                return object.text
            }
        )
    }
}
