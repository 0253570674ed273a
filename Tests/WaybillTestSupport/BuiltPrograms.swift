package import Foundation

/// The programs of this package, as built with the tests.
package enum BuiltPrograms {
    /// `swift build` puts them beside the tests.
    package static let folder: URL = {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: bundle).resolvingSymlinksInPath().deletingLastPathComponent()
    }()

    package static func path(_ program: String) -> String { folder.appendingPathComponent(program).path }
}
