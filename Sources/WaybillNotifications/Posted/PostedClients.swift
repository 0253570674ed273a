import WaybillEncoding
import WaybillMongo

/// Whose documents are that do not say so.
package struct PostedClients: Hashable, Sendable {
    /// The client of those that name none.
    package let unnamed: String
    /// The client of those of services; `nil` where no configuration says.
    package let ofServices: String?

    package init(unnamed: String, ofServices: String?) {
        self.unnamed = unnamed
        self.ofServices = ofServices
    }
}

extension PostedClients {
    private typealias Field = NotificationLayout.Field

    /// The condition on the documents of some clients.
    func own(_ clients: Set<ExactName>, _ writer: BSONWriter) {
        writer.append(
            "$or",
            array: { ways in
                ways.append { named in
                    named.append(Field.client) { $0.append(anyOf: clients.sortedTexts) }
                    named.appendNull(Field.service)
                }
                if clients.containsExactly(unnamed) {
                    ways.append { none in
                        none.appendNull(Field.client)
                        none.appendNull(Field.service)
                    }
                }
                if let ofServices, clients.containsExactly(ofServices) {
                    ways.append { of in of.append(Field.service) { $0.appendNull("$ne") } }
                }
            }
        )
    }
}
