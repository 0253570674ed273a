import WaybillEncoding

/// Certificates and keys, from files.
enum FileBytes {
    /// The whole of a file.
    ///
    /// - Parameters:
    ///   - path: of the file.
    ///   - what: names it in the error, for example `the certificate`.
    /// - Returns: its content, at most 4 MiB.
    /// - Throws: `TLSError.badFile` naming the file and what is wrong with it.
    static func read(_ path: String, _ what: String) throws(TLSError) -> [UInt8] {
        do throws(SmallFile.Problem) {
            return try SmallFile.read(path, limit: mostBytes).bytes
        } catch {
            throw TLSError(.badFile, "\(what) \(error)")
        }
    }

    private static let mostBytes = 4 << 20
}
