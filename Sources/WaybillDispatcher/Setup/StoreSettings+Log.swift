package import WaybillCore
package import WaybillDeliveryLog
package import WaybillSettings

extension StoreSettings {
    /// What the log holds, the key of digested tokens loaded.
    ///
    /// - Parameter retention: how long records that are written with these options are kept.
    /// - Returns: the options.
    /// - Throws: `SetupError` naming the key's file.
    package func makeLogOptions(retention: RetentionPolicy) throws -> DeliveryLogOptions {
        let body: DeliveryLogOptions.Body =
            switch self.body {
            case .full: .full
            case .digest: .digest
            case .none: .none
            }
        let tokens: DeliveryLogOptions.Tokens
        do throws(OwnerOnlyFile.Problem) {
            tokens = try readTokenKey().map { .digest(key: $0) } ?? .plain
        } catch {
            throw SetupError(error)
        }
        return DeliveryLogOptions(database: database, body: body, tokens: tokens, retention: retention)
    }
}
