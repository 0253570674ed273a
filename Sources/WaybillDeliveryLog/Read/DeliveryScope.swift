package import WaybillEncoding
import WaybillMongo
import WaybillTLS

/// Whose records a reader may see, whatever is asked of it.
///
/// A reader has one for its whole life, and ANDs it into each of its filters: nobody who asks can forget it, and no
/// condition of theirs can widen it.
package enum DeliveryScope: Sendable, Hashable {
    /// The records of every client, and those that name none: for who runs the installation, and for the pipeline itself.
    case all
    /// The records that name one of these clients; nothing at all for an empty set.
    case clients(Set<ExactName>)
}

extension DeliveryScope {
    /// Whether what is of a client is there; `nil` is what is of none, or of all.
    package func includes(client: String?) -> Bool {
        switch self {
        case .all: true
        case .clients(let names): client.map(names.containsExactly) ?? false
        }
    }

    /// The scope as a hash, for what holds in one scope alone.
    package var fingerprint: UInt64 { SHA256Hasher.digest(of: filter { _ in }.bytes[...]).words.0 }

    /// A filter that is narrowed to the scope.
    ///
    /// - Parameter build: writes the conditions that were asked for.
    /// - Returns: the filter for the server.
    func filter(_ build: (BSONWriter) -> Void) -> BSONDocument {
        guard case .clients(let clients) = self else { return BSONDocument(build) }
        let asked = BSONDocument(build)
        return BSONDocument { writer in
            writer.append(
                "$and",
                array: { array in
                    array.append(document: Self.condition(clients))
                    array.append(document: asked)
                }
            )
        }
    }

    private static func condition(_ clients: Set<ExactName>) -> BSONDocument {
        BSONDocument { writer in
            writer.append(
                Field.client,
                document: { condition in
                    // Sorted, so that one scope is one query shape and one text.
                    condition.append(anyOf: clients.sortedTexts)
                }
            )
        }
    }
}
