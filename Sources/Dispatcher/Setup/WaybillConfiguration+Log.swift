package import DeliveryLog
package import Settings

extension WaybillConfiguration {
    /// What the log holds, the key of digested tokens loaded.
    ///
    /// - Throws: `SetupError` naming the key's file.
    package func makeLogOptions() throws -> DeliveryLogOptions {
        let body: DeliveryLogOptions.Body =
            switch store.body {
            case .full: .full
            case .digest: .digest
            case .none: .none
            }
        let tokens: DeliveryLogOptions.Tokens
        do throws(OwnerOnlyFile.Problem) {
            tokens = try store.readTokenKey().map { .digest(key: $0) } ?? .plain
        } catch {
            throw SetupError(error)
        }
        return DeliveryLogOptions(database: store.database, body: body, tokens: tokens, retention: retention)
    }
}
