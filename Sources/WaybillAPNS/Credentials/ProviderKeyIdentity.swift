import WaybillTLS

/// Which key signs, wherever it was read from.
///
/// Two sources of one key would be two senders to APNs, which counts a key's tokens together.
package struct ProviderKeyIdentity: Hashable, Sendable {
    let teamID: String
    let keyID: String
    /// The digest of the public half.
    let publicKey: SHA256Digest
}
