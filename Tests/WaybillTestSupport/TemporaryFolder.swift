import Foundation

/// A folder of its own for a test, removed with everything in it when its last owner lets it go.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("waybill-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file and answers with its path.
    package func write(_ name: String, _ content: String, mode: Int = 0o600) throws -> String {
        let file = "\(path)/\(name)"
        try Data(content.utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }

    /// The permissions of a file; 0 when there is none.
    package func mode(of name: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
        return (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }
}
