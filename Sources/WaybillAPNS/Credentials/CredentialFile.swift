import WaybillEncoding

/// Reads a key or certificate file as a whole.
enum CredentialFile {
    /// Keys and chains are a few kilobytes; whatever is larger is something else.
    static let largestSize = 64 * 1024

    /// - Throws: ``APNSSetupError`` with ``APNSSetupError/Code/credentials``, naming the file.
    static func read(_ path: String) throws(APNSSetupError) -> [UInt8] {
        do throws(SmallFile.Problem) {
            return try SmallFile.read(path, limit: largestSize).bytes
        } catch {
            throw APNSSetupError(.credentials, error.description)
        }
    }
}
