import WaybillTLS

/// What a lane's connections prove their sender with: replaced as a whole, so that a connection never mixes two keys.
struct LaneAccess: Sendable {
    /// Counts the replacements.
    let generation: Int
    let tokenSource: APNSProviderTokenSource?
    let tlsContext: TLSContext
}
