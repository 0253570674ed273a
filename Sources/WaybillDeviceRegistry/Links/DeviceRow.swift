import WaybillEncoding
import WaybillMongo

/// A document of `devices`, which is that of one token for good, whatever id the token comes under.
struct DeviceRow: Hashable, Sendable {
    let id: BSONIdentifier
    let device: Device
    /// As links have it; `nil` for a document without a token.
    let token: LinkedToken?
    /// As it was read.
    let document: BSONDocument

    /// - Returns: `nil` for a document without an id.
    init?(_ document: BSONDocument) {
        guard let id = document.identifier("_id") else { return nil }
        self.id = id
        self.document = document
        device = Device(document)
        token = device.address.map { LinkedToken($0, document: id) }
    }
}

extension DeviceLinks {
    /// The documents to which links lead, of those that may be pushed to.
    ///
    /// A link that knows its token counts for that token alone: neither another token under the same id nor another id of the
    /// token changes whom it reaches.
    ///
    /// - Parameter links: those that hold.
    /// - Returns: of each link, in their order.
    /// - Throws: what the store says.
    func rows(of links: [DeviceLink]) throws(MongoError) -> [[DeviceRow]] {
        guard !links.isEmpty else { return [] }
        typealias Field = DeviceRegistry.Field
        let ids = Set(links.compactMap(\.token?.document))
        let filter = BSONDocument { writer in
            writer.append(
                "$or",
                array: { ways in
                    ways.append { way in
                        way.append(Field.device) { $0.append(anyOf: Set(exactly: links.map(\.device)).sortedTexts) }
                    }
                    guard !ids.isEmpty else { return }
                    ways.append { way in
                        way.append("_id") { condition in
                            condition.append("$in", array: { array in for id in ids { array.append(identifier: id) } })
                        }
                    }
                }
            )
            writer.append(Field.app) { $0.append(anyOf: Set(exactly: links.map(\.app)).sortedTexts) }
            writer.append(Field.enabled, bool: true)
        }
        var byID: [BSONIdentifier: DeviceRow] = [:]
        var byDevice: [ExactName: [DeviceRow]] = [:]
        let cursor = devices.find(filter, options: MongoFindOptions(readsMajority: true))
        while let document = try cursor.next() {
            guard let row = DeviceRow(document) else { continue }
            byID[row.id] = row
            if let name = row.device.device { byDevice[ExactName(name), default: []].append(row) }
        }
        return links.map { link in
            var candidates = byDevice[link.device] ?? []
            if let id = link.token?.document, let row = byID[id], !row.device.device.isExactly(link.device) {
                candidates.append(row)
            }
            return candidates.filter { row in
                row.device.app.isExactly(link.app) && (link.token.map { $0.text == row.token?.text } ?? true)
            }
        }
    }
}
