internal import CWaybillMongoC
import Glibc

extension BSONDocument {
    /// The first field whose text or name is no UTF-8, which no server looks for: by its path, with dots between; `nil` where there is none.
    ///
    /// Read as it is, such a text has U+FFFD in the place of what it holds. An element has its array's name.
    package var brokenText: String? { brokenText(levels: 0) }

    /// The first name that two fields have, on the outermost level; `nil` where there is none.
    ///
    /// Of such fields each reader takes the one that it likes: MongoDB keeps both.
    package var repeatedName: String? {
        let found = withIterator { iterator -> String? in
            var seen: Set<String> = []
            while bson_iter_next(iterator) {
                let name = String(cString: bson_iter_key(iterator))
                if !seen.insert(name).inserted { return name }
            }
            return nil
        }
        return found ?? nil
    }

    /// Whether all names and texts are ASCII, and no two fields have one name: so nearly every document is found sound.
    ///
    /// - Returns: `false` for what must be looked at closely, by ``brokenText`` and ``repeatedName``.
    package var isPlain: Bool {
        withIterator { iterator in
            withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>.self, capacity: Self.mostPlainFields) { names in
                var count = 0
                while bson_iter_next(iterator) {
                    guard count < names.count, let name = bson_iter_key(iterator),
                        Self.isPlain(name, iterator, levels: 0)
                    else { return false }
                    for other in names[..<count] where strcmp(other, name) == 0 { return false }
                    names[count] = name
                    count += 1
                }
                return true
            }
        } ?? false
    }

    /// Each name is compared with all before it.
    private static let mostPlainFields = 32

    private static func isPlain(_ name: UnsafePointer<CChar>, _ iterator: OpaquePointer, levels: Int) -> Bool {
        guard levels < mostLevels, isASCII(name, count: strlen(name)) else { return false }
        switch bson_iter_type(iterator) {
        case BSON_TYPE_UTF8:
            var length: UInt32 = 0
            guard let text = bson_iter_utf8(iterator, &length) else { return false }
            return isASCII(text, count: Int(length))
        case BSON_TYPE_DOCUMENT, BSON_TYPE_ARRAY:
            return BSONStorage.withTemporary(bson_iter_t.self) { inner in
                guard bson_iter_recurse(iterator, inner) else { return false }
                while bson_iter_next(inner) {
                    guard let name = bson_iter_key(inner), isPlain(name, inner, levels: levels + 1) else {
                        return false
                    }
                }
                return true
            }
        default: return true
        }
    }

    private static func isASCII(_ text: UnsafePointer<CChar>, count: Int) -> Bool {
        var all: CChar = 0
        for place in 0..<count { all |= text[place] }
        return all >= 0
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
