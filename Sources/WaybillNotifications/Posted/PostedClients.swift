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
    func own(_ clients: Set<String>, _ writer: BSONWriter) {
        let has = { (name: String) in clients.contains { $0.isExactly(name) } }
        writer.append(
            "$or",
            array: { ways in
                ways.append { named in
                    named.append(Field.client) { $0.append(anyOf: clients.sorted()) }
                    named.appendNull(Field.service)
                }
                if has(unnamed) {
                    ways.append { none in
                        none.appendNull(Field.client)
                        none.appendNull(Field.service)
                    }
                }
                if let ofServices, has(ofServices) {
                    ways.append { of in of.append(Field.service) { $0.appendNull("$ne") } }
                }
            }
        )
    }
}
