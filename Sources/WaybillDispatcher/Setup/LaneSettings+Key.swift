package import WaybillProviders
import WaybillSettings

extension LaneSettings {
    private static let largestKeyFile = 256 * 1024

    /// What stands in the lane's key file; `nil` where it has none.
    ///
    /// - Throws: why the file cannot be used.
    package func readKey() throws(SetupError) -> [UInt8]? {
        guard let keyFile = provider.keyFile else { return nil }
        switch OwnerOnlyFile.read(keyFile, limit: Self.largestKeyFile) {
        case .success(let bytes): return bytes
        case .failure(let problem): throw SetupError(problem)
        }
    }
}
