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

    /// The condition on a client's documents.
    func own(_ client: String, _ writer: BSONWriter) {
        writer.append(
            "$or",
            array: { ways in
                ways.append { named in
                    named.append(Field.client, string: client)
                    named.appendNull(Field.service)
                }
                if client.isExactly(unnamed) {
                    ways.append { none in
                        none.appendNull(Field.client)
                        none.appendNull(Field.service)
                    }
                }
                if let ofServices, client.isExactly(ofServices) {
                    ways.append { of in of.append(Field.service) { $0.appendNull("$ne") } }
                }
            }
        )
    }
}
