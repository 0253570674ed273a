internal import CWaybillMongoC

extension BSONDocument {
    /// The first field whose text or name is no UTF-8, which no server looks for: by its path, with dots between; `nil` where there is none.
    ///
    /// Read as it is, such a text has U+FFFD in the place of what it holds. An element has its array's name.
    package var brokenText: String? { brokenText(levels: 0) }

    /// The first name that two fields have, on the outermost level; `nil` where there is none.
    ///
    /// Of such fields each reader takes the one that it likes: MongoDB keeps both.
    package var repeatedName: String? {
        var seen: Set<String> = []
        return fields.first { !seen.insert($0.key).inserted }?.key
    }

    /// Deeper ones are not looked at: the server has a limit of 100.
    private static let mostLevels = 100

    private func brokenText(levels: Int) -> String? {
        guard levels < Self.mostLevels else { return nil }
        let found = withIterator { iterator -> String? in
            while bson_iter_next(iterator) {
                guard let name = String(validatingCString: bson_iter_key(iterator)) else { return "(a name)" }
                switch bson_iter_type(iterator) {
                case BSON_TYPE_UTF8:
                    var length: UInt32 = 0
                    let text = UnsafeRawBufferPointer(start: bson_iter_utf8(iterator, &length), count: Int(length))
                    if String(validating: text, as: UTF8.self) == nil { return name }
                case BSON_TYPE_DOCUMENT:
                    guard case .document(let inner) = BSONValue(copying: iterator) else { continue }
                    if let path = inner.brokenText(levels: levels + 1) { return "\(name).\(path)" }
                case BSON_TYPE_ARRAY:
                    guard case .array(let inner) = BSONValue(copying: iterator) else { continue }
                    if inner.brokenText(levels: levels + 1) != nil { return name }
                default: continue
                }
            }
            return nil
        }
        return found ?? nil
    }
}
