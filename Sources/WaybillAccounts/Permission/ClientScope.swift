package import WaybillEncoding

/// Whose records a key sees.
package enum ClientScope: Hashable, Sendable {
    /// Everybody's, and those that name no client.
    case all
    /// Those of these clients, as messages name them.
    case only(Set<ExactName>)
}
