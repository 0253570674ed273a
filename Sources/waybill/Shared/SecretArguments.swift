import ArgumentParser
import Foundation
import Glibc
import WaybillEncoding

/// Values of a command line that no message may repeat: device tokens, keys, and settings that hold a password.
///
/// The argument parser names the value that it cannot use, and standard error ends in files that others read.
struct SecretArguments {
    private static let options: Set<String> = ["--token", "--key"]
    /// Shorter ones may stand in a message by chance, and are taken out of quotation marks alone.
    private static let leastAnywhere = 8
    /// What has so many characters and no blank may be a token or a key that was given in the wrong place.
    private static let leastOfAnyToken = 64
    private static let leastOfHexadecimalToken = 32

    private let values: [String]

    /// - Parameter arguments: without the program's name.
    init(_ arguments: [String]) {
        var values: [String] = []
        var option = ""
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if Self.isSecret(argument, of: option) {
                values.append(argument)
            } else if parts.count == 2, Self.isSecret(parts[1], of: parts[0]) {
                values.append(parts[1])
            }
            option = argument
        }
        // A value may be the beginning of another.
        self.values = values.filter { !$0.isEmpty && $0 != "-" }.sorted { $0.utf8.count > $1.utf8.count }
    }

    /// A message without them.
    func hidden(in message: String) -> String {
        values.reduce(message) { message, value in
            let quoted = message.replacingOccurrences(of: "'\(value)'", with: "'…'", options: .literal)
            guard value.utf8.count >= Self.leastAnywhere else { return quoted }
            return quoted.replacingOccurrences(of: value, with: "…", options: .literal)
        }
    }

    private static func isSecret(_ value: String, of option: String) -> Bool {
        if options.contains(option) { return true }
        if option == "--set" { return mayHoldPassword(value) }
        return mayBeToken(value)
    }

    private static func mayHoldPassword(_ setting: String) -> Bool {
        let name = setting.prefix { $0 != "=" }.lowercased()
        return setting.contains("@") || ["password", "secret", "key", "token"].contains { name.contains($0) }
    }

    private static func mayBeToken(_ text: String) -> Bool {
        let bytes = text.utf8
        // One digit in five may be mistyped, or be a mark around the token.
        let digits = bytes.count { Hexadecimal.value(of: $0) != nil }
        if digits >= leastOfHexadecimalToken, digits * 5 >= bytes.count * 4, !text.contains("-") { return true }
        return bytes.count >= leastOfAnyToken
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":"):
                    true
                default: false
                }
            }
    }
}

extension ParsableCommand {
    /// Ends the process as `exit(withError:)` does, and says nothing secret of its command line.
    static func end(with error: any Error, arguments: [String]) -> Never {
        let code = exitCode(for: error)
        guard !code.isSuccess else {
            let text = fullMessage(for: error)
            if !text.isEmpty { Output.line(text) }
            Glibc.exit(code.rawValue)
        }
        // The parser names the dash that stands for standard input.
        let full = fullMessage(for: error).replacing(
            "The value '-' is invalid for '--token",
            with: "The value on standard input is invalid for '--token"
        )
        let message = SecretArguments(arguments).hidden(in: full)
        if !message.isEmpty { Terminal.say(message) }
        Glibc.exit(code.rawValue)
    }
}
