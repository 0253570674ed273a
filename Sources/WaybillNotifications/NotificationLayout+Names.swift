import WaybillCore
import WaybillEncoding
import WaybillMongo

/// Documents by the names of their batches: as text, exactly, an `_id` is the name of its document's batch.
extension NotificationLayout {
    /// The condition on the documents of a batch, and on those of its parts where they are meant, too.
    static func named(_ batch: BatchName, _ writer: BSONWriter) {
        let name = batch.name
        writer.append(
            "$or",
            array: { ways in
                ways.append { $0.append(Field.id, string: name) }
                if let id = BSONIdentifier(objectID: name), id.text?.isExactly(name) == true {
                    ways.append { $0.append(Field.id, identifier: id) }
                }
                if let number = Int64(name), String(number).isExactly(name) {
                    ways.append { $0.append(Field.id, int64: number) }
                }
                if batch.includesParts {
                    ways.append { $0.append(Field.id) { $0.append("$regex", string: pattern(ofParts: name)) } }
                }
            }
        )
    }

    /// What the names of a batch's parts match.
    static func pattern(ofParts name: String) -> String {
        var pattern = "^"
        for scalar in name.unicodeScalars {
            if scalar.isASCII, !scalar.properties.isAlphabetic, scalar.properties.numericType == nil {
                pattern.unicodeScalars.append("\\")
            }
            pattern.unicodeScalars.append(scalar)
        }
        return pattern + "\\.[0-9]+$"
    }
}
