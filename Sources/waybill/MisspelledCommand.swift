import ArgumentParser
import WaybillCore

/// The name of a command that nobody has, and the one that was meant: for options, the argument parser says so itself.
struct MisspelledCommand: Equatable {
    let given: String
    let meant: String

    var message: String { "Unexpected argument '\(given)'. Did you mean '\(meant)'?" }

    /// Looks along the names of commands at the beginning of a command line.
    ///
    /// - Parameters:
    ///   - arguments: without the program's name.
    ///   - root: whose commands they are.
    /// - Returns: `nil` where every name is known, or none is near.
    static func find(in arguments: [String], of root: any ParsableCommand.Type) -> MisspelledCommand? {
        var commands = root.configuration.subcommands
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
                guard let nearest = NearestName.to(argument, among: names) else { return nil }
                return MisspelledCommand(given: argument, meant: nearest)
            }
            commands = next.configuration.subcommands
        }
        return nil
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        [command._commandName] + command.configuration.aliases
    }
}
