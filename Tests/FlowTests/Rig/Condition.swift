import Foundation
import Testing

/// Waits until a condition holds; fails the test when the deadline comes first.
func eventually(
    _ what: String,
    within seconds: Double = 30,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
) async throws {
    let end = Date().addingTimeInterval(seconds)
    while try !condition() {
        guard Date() < end else {
            Issue.record("not within \(seconds) s: \(what)", sourceLocation: sourceLocation)
            throw RigError("not within \(seconds) s: \(what)")
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}
