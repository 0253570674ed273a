import Foundation
import WaybillSettings

extension FuzzTarget {
    /// The configuration file.
    ///
    /// The loader takes a path, so the input goes through a file; the folder holds nothing else, and what the input names
    /// as a secret's file is opened only if it is a small regular one.
    static let configuration = FuzzTarget("configuration", dictionary: "configuration") { bytes in
        let path = try configurationFile()
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let loaded = ConfigurationLoader.load(path: path, environment: [:])
        try require((loaded.configuration == nil) == loaded.findings.contains { $0.severity == .error }, "no findings")
        // Where the secret still stands in the place of a password, nothing repeats it.
        guard bytes.count(of: canary) == bytes.count(of: "url: amqp://waybill:\(canary)@") else { return }
        for finding in loaded.findings {
            try require(!finding.description.contains(canary), "a secret in a finding: \(finding)")
        }
        try require(!"\(loaded)".contains(canary), "a secret in a description")
    }

    /// Stands in the kept inputs wherever a secret stands.
    static let canary = "c4n4ry"

    private static func configurationFile() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("waybill-fuzz-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appendingPathComponent("waybill.yaml").path
    }
}

extension [UInt8] {
    /// How often a text stands in the bytes.
    fileprivate func count(of text: String) -> Int {
        var count = 0
        var rest = self[...]
        while let range = rest.firstRange(of: Array(text.utf8)) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
