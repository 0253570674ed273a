/// Signs provider tokens with a key that does not leave its place: a hardware module, a cloud's key service.
///
/// Used by ``APNSProviderTokenSource/init(teamID:keyID:signer:)``.
///
/// If it can sign deterministically (RFC 6979), let it: a process that starts anew then shows APNs the token that it had
/// before, not another one, which APNs may refuse as a change too soon. The bytes are the same for starts in a row.
public protocol APNSSigner: Sendable {
    /// Signs bytes with ES256: ECDSA on P-256 over the bytes' SHA-256 (RFC 7518 §3.4).
    ///
    /// Called about once in 24 minutes, on a thread of its own, and never twice at a time for one source. It may block;
    /// while it does, requests go on with the token before, or wait for the first one.
    ///
    /// - Parameter bytes: The token's header and claims, not hashed yet.
    /// - Returns: The raw signature of 64 bytes, r then s; not the ASN.1 form that many libraries return.
    /// - Throws: Any error; its description goes to logs and must hold no secret. The signer is then asked again, after
    ///   pauses that grow from one second to sixty.
    func signature(for bytes: [UInt8]) throws -> [UInt8]
}
