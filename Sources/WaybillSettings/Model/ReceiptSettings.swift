package import WaybillCore

/// What devices may say of their notifications: the keys that prove it, and how long it counts and is kept.
package struct ReceiptSettings: Hashable, Sendable {
    /// Readable by its owner only; see ``WaybillCore/ReceiptKeyFile``.
    package var keyFile: String
    /// For how long after a push its receipts are taken.
    package var lifetime: Duration
    /// How long they are kept: they do not say whose they are, so all alike.
    package var retention: RetentionPolicy.Period

    package init(keyFile: String, lifetime: Duration = Self.defaultLifetime, retention: RetentionPolicy.Period) {
        self.keyFile = keyFile
        self.lifetime = lifetime
        self.retention = retention
    }

    /// As long as a push service keeps a notification for a device that cannot be reached: Apple 30 days, Google 28.
    package static let defaultLifetime = Duration.seconds(30 * 86_400)

    /// The keys.
    ///
    /// - Throws: `OwnerOnlyFile.Problem` when the file cannot be used, or others can read it.
    package func readKeys() throws(OwnerOnlyFile.Problem) -> ReceiptKeys {
        let bytes = try OwnerOnlyFile.read(keyFile, limit: 4096).get()
        do throws(ReceiptKeyFile.Problem) {
            return try ReceiptKeyFile.read(bytes)
        } catch {
            throw OwnerOnlyFile.Problem(
                category: .configuration,
                reason:
                    "\(keyFile): \(error.reason); write one with: (umask 077; echo \"k1 $(openssl rand -hex 32)\" >FILE)"
            )
        }
    }
}
