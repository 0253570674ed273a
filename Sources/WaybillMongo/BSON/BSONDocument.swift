internal import CWaybillMongoC

/// A finished BSON document: its bytes, owned.
package struct BSONDocument: Hashable, Sendable {
    /// The encoded document, with its length in front.
    package let bytes: [UInt8]

    /// A document without fields.
    package static let empty = BSONDocument(bytes: [5, 0, 0, 0, 0])

    /// Builds a document.
    package init(_ build: (BSONWriter) -> Void) {
        let writer = BSONWriter(capacity: 256)
        build(writer)
        self = writer.document
    }

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(copying document: BSONPointer) {
        bytes = Array(UnsafeBufferPointer(start: bson_get_data(document), count: Int(waybill_bson_length(document))))
    }

    /// The value of a field; `nil` if there is none of that name.
    package subscript(key: String) -> BSONValue? {
        withIterator { iterator in
            bson_iter_find(iterator, key) ? BSONValue(copying: iterator) : nil
        } ?? nil
    }

    /// All fields, in order.
    package var fields: [(key: String, value: BSONValue)] {
        withIterator { iterator in
            var fields: [(key: String, value: BSONValue)] = []
            while bson_iter_next(iterator) {
                fields.append((String(cString: bson_iter_key(iterator)), BSONValue(copying: iterator)))
            }
            return fields
        } ?? []
    }

    /// The values of all fields, in order: the elements, if the document is an array.
    package var values: [BSONValue] { fields.map(\.value) }

    /// Lends the document to libmongoc.
    ///
    /// The pointer is valid inside the closure only.
    func withDocument<R>(_ body: (BSONPointer) -> R) -> R {
        bytes.withUnsafeBufferPointer { bytes in
            BSONStorage.withTemporary(bson_t.self) { document in
                let isValid = bson_init_static(document, bytes.baseAddress, bytes.count)
                precondition(isValid, "a document keeps the bytes it was made from")
                return body(document)
            }
        }
    }

    /// Lends an iterator that stands before the first field.
    ///
    /// - Returns: `nil` for bytes that are no document: a server may hold a broken one inside another, and libbson looks
    ///   at a nested document only when it is entered.
    func withIterator<R>(_ body: (OpaquePointer) -> R) -> R? {
        bytes.withUnsafeBufferPointer { bytes in
            BSONStorage.withTemporary(bson_iter_t.self) { iterator in
                guard bson_iter_init_from_data(iterator, bytes.baseAddress, bytes.count) else { return nil }
                return body(iterator)
            }
        }
    }
}
