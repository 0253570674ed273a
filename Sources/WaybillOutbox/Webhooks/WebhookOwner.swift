import WaybillEncoding

/// Whose events an endpoint hears.
package enum WebhookOwner: Hashable, Sendable, CustomStringConvertible {
    /// By the name that messages carry.
    case client(String)
    /// A service of the front door, by its id.
    case service(String)

    /// By the bytes of their names.
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.client(let one), .client(let other)), (.service(let one), .service(let other)): one.isExactly(other)
        default: false
        }
    }

    package var clientName: String? { if case .client(let name) = self { name } else { nil } }
    package var serviceID: String? { if case .service(let id) = self { id } else { nil } }

    package var description: String {
        switch self {
        case .client(let name): "client \(name)"
        case .service(let id): "service \(id)"
        }
    }
}
