import ArgumentParser
import WaybillCore

/// The name of a command that nobody has, and the one that was meant: for options, the argument parser says so itself.
struct MisspelledCommand: Equatable {
    let given: String
    /// The nearest, or all that the command has where none is near.
    let meant: [String]

    var message: String {
        let names = meant.map { "'\($0)'" }
        let list =
            names.count > 1 ? "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")" : names.joined()
        return "Unexpected argument '\(given)'. Did you mean \(list)?"
    }

    /// Looks along the names of commands at the beginning of a command line.
    ///
    /// - Parameters:
    ///   - arguments: without the program's name.
    ///   - root: whose commands they are.
    /// - Returns: `nil` where every name is known; of the commands of the root also where none is near.
    static func find(in arguments: [String], of root: any ParsableCommand.Type) -> MisspelledCommand? {
        var commands = root.configuration.subcommands
        var usual: (any ParsableCommand.Type)?
        for argument in arguments {
            guard !commands.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return nil }
            var next: (any ParsableCommand.Type)?
            var names: [String] = []
            for command in commands {
                let own = Self.names(of: command)
                if own.contains(argument) { next = command }
                if command.configuration.shouldDisplay { names += own }
            }
            guard let next else {
                if let nearest = NearestName.to(argument, among: names) {
                    return MisspelledCommand(given: argument, meant: [nearest])
                }
                // The usual one takes it for its own, and says nothing of the others.
                guard let usual else { return nil }
                let others = names.filter { $0 != usual._commandName }
                return MisspelledCommand(given: argument, meant: others)
            }
            usual = next.configuration.defaultSubcommand
            commands = next.configuration.subcommands
        }
        return nil
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        [command._commandName] + command.configuration.aliases
    }
}
