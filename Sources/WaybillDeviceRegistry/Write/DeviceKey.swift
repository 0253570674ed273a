import WaybillCore
import WaybillMongo

/// A device's address as the store compares it: as bytes, for Swift calls texts equal that the store tells apart.
enum DeviceKey {
    private typealias Field = DeviceRegistry.Field

    static func of(_ address: DeviceAddress) -> BSONDocument {
        BSONDocument { append(address, to: $0) }
    }

    /// The document of an event's token.
    static func of(_ event: InvalidTokenEvent) -> BSONDocument { of(DeviceAddress(event)) }

    /// The key of a document that was read: the same bytes as the key of its events, whatever the order of its fields.
    ///
    /// - Returns: `nil` if a part of it is no string.
    static func of(_ document: BSONDocument) -> BSONDocument? {
        guard
            let provider = document["\(Field.provider)"]?.string,
            let app = document["\(Field.app)"]?.string,
            let token = document["\(Field.token)"]?.string
        else { return nil }
        let environment: String?
        switch document["\(Field.environment)"] {
        case nil, .null: environment = nil
        case .string(let text): environment = text
        default: return nil
        }
        return BSONDocument { append(token, app, environment, provider, to: $0) }
    }

    static func append(_ address: DeviceAddress, to writer: BSONWriter) {
        append(address.token, address.app, address.environment?.rawValue, address.provider.rawValue, to: writer)
    }

    /// The same as fields of a document: an environment that there is not has none.
    static func appendFields(_ address: DeviceAddress, to writer: BSONWriter) {
        writer.append(Field.provider, string: address.provider.rawValue)
        writer.append(Field.app, string: address.app)
        if let environment = address.environment { writer.append(Field.environment, string: environment.rawValue) }
        writer.append(Field.token, string: address.token)
    }

    private static func append(
        _ token: String,
        _ app: String,
        _ environment: String?,
        _ provider: String,
        to writer: BSONWriter
    ) {
        writer.append(Field.token, string: token)
        writer.append(Field.app, string: app)
        if let environment {
            writer.append(Field.environment, string: environment)
        } else {
            writer.append(Field.environment) { $0.append("$exists", bool: false) }
        }
        writer.append(Field.provider, string: provider)
    }
}
