/// The key for token digests.
enum TokenKeyFile {
    /// A shorter key would let somebody with the records try all keys.
    static let fewestBytes = 32

    /// The file's bytes, without a newline at the end.
    static func read(_ path: String) throws(OwnerOnlyFile.Problem) -> [UInt8] {
        var key = try OwnerOnlyFile.read(path, limit: 4096).get()
        while key.last == UInt8(ascii: "\n") || key.last == UInt8(ascii: "\r") { key.removeLast() }
        guard key.count >= fewestBytes else {
            throw OwnerOnlyFile.Problem(
                category: .configuration,
                reason: "\(path) must hold at least \(fewestBytes) bytes; run: openssl rand -hex 32"
            )
        }
        return key
    }
}
