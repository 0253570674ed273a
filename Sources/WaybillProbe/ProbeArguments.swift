/// A command line of `--name value`, each at most once except `--deadline`.
package struct ProbeArguments {
    private var values: [String: String] = [:]
    /// What `--deadline name=milliseconds` says, in its order.
    package private(set) var deadlines: [(name: String, value: Duration)] = []

    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - arguments: what follows the program's name.
    ///   - names: what may be given.
    /// - Throws: what cannot be read.
    package init(_ arguments: some Sequence<String>, names: Set<String>) throws(ProbeProblem) {
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            guard argument.hasPrefix("--"), let value = iterator.next() else {
                throw ProbeProblem("\(argument): want --name value")
            }
            let name = String(argument.dropFirst(2))
            guard names.contains(name) else { throw ProbeProblem("there is no option \(argument)") }
            guard name == "deadline" else {
                values[name] = value
                continue
            }
            let parts = value.split(separator: "=")
            guard parts.count == 2, let milliseconds = Int(parts[1]) else {
                throw ProbeProblem("--deadline wants name=milliseconds")
            }
            deadlines.append((String(parts[0]), .milliseconds(milliseconds)))
        }
    }

    /// What was given for a name.
    package subscript(name: String) -> String? { values[name] }

    package func text(_ name: String) throws(ProbeProblem) -> String {
        guard let value = values[name] else { throw ProbeProblem("--\(name) is missing") }
        return value
    }

    /// A number, where it is given.
    package func number(_ name: String) throws(ProbeProblem) -> Int? {
        guard let text = values[name] else { return nil }
        return try Self.number(name, text)
    }

    package func port(_ name: String) throws(ProbeProblem) -> UInt16 {
        try Self.port(name, text(name))
    }

    /// Two numbers of milliseconds with a comma between them, where they are given.
    package func milliseconds(_ name: String) throws(ProbeProblem) -> (first: Duration, second: Duration)? {
        guard let parts = values[name]?.split(separator: ",") else { return nil }
        guard parts.count == 2 else { throw ProbeProblem("--\(name) wants first,longest") }
        return (
            .milliseconds(try Self.number(name, parts[0])), .milliseconds(try Self.number(name, parts[1]))
        )
    }

    /// A host and a port with a colon between them, where they are given.
    package func address(_ name: String) throws(ProbeProblem) -> (host: String, port: UInt16)? {
        guard let value = values[name] else { return nil }
        guard let colon = value.lastIndex(of: ":") else { throw ProbeProblem("--\(name) wants host:port") }
        return (String(value[..<colon]), try Self.port(name, value[value.index(after: colon)...]))
    }

    private static func number(_ name: String, _ text: some StringProtocol) throws(ProbeProblem) -> Int {
        guard let value = Int(text) else { throw ProbeProblem("--\(name) wants a number") }
        return value
    }

    private static func port(_ name: String, _ text: some StringProtocol) throws(ProbeProblem) -> UInt16 {
        guard let value = UInt16(text) else { throw ProbeProblem("--\(name) wants a port") }
        return value
    }
}
