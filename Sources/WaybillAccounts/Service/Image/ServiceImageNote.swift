import WaybillMongo

/// Which image a service has, without its bytes: part of the service's document.
package struct ServiceImageNote: Hashable, Sendable {
    /// Of the document that has the bytes.
    let id: String
    let digest: String
    package let format: ServiceImage.Format
    /// In pixels.
    package let width: Int
    package let height: Int
    /// How many it has.
    package let bytes: Int

    private typealias Field = ServiceLayout.ImageField

    init(_ image: ServiceImage, id: String) {
        self.id = id
        digest = image.digest
        format = image.format
        width = image.width
        height = image.height
        bytes = image.bytes.count
    }

    /// `nil` for one that is not whole.
    init?(_ document: BSONDocument) {
        func number(_ field: StaticString) -> Int { Int(clamping: document["\(field)"]?.int ?? 0) }
        guard let id = document["\(Field.id)"]?.string, let digest = document["\(Field.digest)"]?.string,
            let format = document["\(Field.format)"]?.string.flatMap(ServiceImage.Format.init)
        else { return nil }
        self.id = id
        self.digest = digest
        self.format = format
        width = number(Field.width)
        height = number(Field.height)
        bytes = number(Field.bytes)
    }

    func append(to writer: BSONWriter) {
        writer.append(Field.id, string: id)
        writer.append(Field.digest, string: digest)
        writer.append(Field.format, string: format.rawValue)
        writer.append(Field.width, int: width)
        writer.append(Field.height, int: height)
        writer.append(Field.bytes, int: bytes)
    }

    /// What it is called at the end of its address; another image of the service has another one.
    package var name: String { "\(digest).\(format.suffix)" }

    /// For `ETag`, with its quotation marks.
    package var tag: String { "\"\(digest)\"" }

    /// Where this server has it: the same as long as the service has this image.
    package func path(of service: String) -> String { "/v1/services/\(service)/image/\(name)" }
}
