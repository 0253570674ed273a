import WaybillCore
import WaybillEncoding

/// The members of one object of an audience message, each of which must have the form that is asked of it.
struct AudienceMembers {
    private static let maxDepth = 32

    /// The object's own, from brace to brace.
    let bytes: UnsafeBufferPointer<UInt8>
    /// Where it stands, for what is said of its members.
    let path: String
    private var members: [ExactName: JSONValue] = [:]

    /// - Parameters:
    ///   - bytes: an object and nothing else.
    ///   - path: of the object; empty for the whole body.
    ///   - names: that it may have; `nil` for any.
    /// - Throws: what is wrong with it, by its path.
    init(_ bytes: UnsafeBufferPointer<UInt8>, path: String, names: [String]?) throws(BodyRejection) {
        self.bytes = bytes
        self.path = path
        var twice: String?
        var members: [ExactName: JSONValue] = [:]
        do throws(JSONFault) {
            try read { name, value in
                if members.updateValue(value, forKey: ExactName(name)) != nil { twice = name }
            }
        } catch {
            throw error.rejection(maxDepth: Self.maxDepth)
        }
        self.members = members
        if let twice, names?.contains(twice) ?? true {
            throw BodyRejection(.duplicateField, "\(named(names == nil ? "" : twice)): a member appears twice")
        }
        guard let names else { return }
        if let unknown = members.keys.sortedTexts.first(where: { !names.contains($0) && !$0.hasPrefix("x-") }) {
            let known = names.joined(separator: ", ")
            throw BodyRejection(
                .unknownField,
                "\(named(String(unknown.prefix(64)))): is not known; known: \(known), and names with x-"
            )
        }
    }

    /// What can be read of a body that is refused: its members up to the first fault, and of those that appear twice the first.
    init(readable bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        path = ""
        var members: [ExactName: JSONValue] = [:]
        try? read { name, value in if members[ExactName(name)] == nil { members[ExactName(name)] = value } }
        self.members = members
    }

    /// Hears of each member in turn.
    private func read(_ hear: (_ name: String, JSONValue) -> Void) throws(JSONFault) {
        var scanner = JSONScanner(bytes, maxDepth: Self.maxDepth)
        try scanner.beginObject()
        var isFirst = true
        while let key = try scanner.nextKey(isFirst: isFirst) {
            isFirst = false
            hear(text(of: key), try scanner.value())
        }
        try scanner.finish()
    }

    var isEmpty: Bool { members.isEmpty }

    func has(_ name: String) -> Bool { members[name] != nil }

    func isArray(_ name: String) -> Bool { members[name]?.kind == .array }

    /// - Throws: unless one of both is there.
    func needs(_ name: String, or other: String) throws(BodyRejection) {
        guard has(name) || has(other) else {
            throw BodyRejection(.missingField, "\(path): needs \(name) or \(other)")
        }
    }

    func object(_ name: String, names: [String]?) throws(BodyRejection) -> AudienceMembers {
        let value = try value(name)
        guard value.kind == .object else { throw wrong(name, "must be an object") }
        return try AudienceMembers(UnsafeBufferPointer(rebasing: bytes[value.range]), path: named(name), names: names)
    }

    /// Names batches and the like: 1 to 255 bytes of UTF-8 without control characters.
    func name(_ name: String) throws(BodyRejection) -> String {
        let text = try string(name)
        guard (1...AudienceLimits.nameBytes).contains(text.utf8.count), !ControlCharacters.areIn(text) else {
            throw wrong(name, "must have 1 to \(AudienceLimits.nameBytes) bytes and no control character")
        }
        return text
    }

    func text(_ name: String, most: Int) throws(BodyRejection) -> String {
        let text = try string(name)
        guard (1...most).contains(text.count) else { throw wrong(name, "must have 1 to \(most) characters") }
        return text
    }

    func texts(_ name: String, most: Int, characters: Int) throws(BodyRejection) -> [String] {
        let value = try value(name)
        guard value.kind == .array else { throw wrong(name, "must be an array") }
        let source = UnsafeBufferPointer(rebasing: bytes[value.range])
        var texts: [String] = []
        var hasLoneSurrogate = false
        do throws(JSONFault) {
            var scanner = JSONScanner(source, maxDepth: Self.maxDepth)
            try scanner.beginArray()
            var areStrings = true
            while try scanner.nextElement(isFirst: texts.isEmpty) {
                let element = try scanner.value()
                areStrings = areStrings && element.kind == .string
                hasLoneSurrogate = hasLoneSurrogate || element.hasLoneSurrogate
                texts.append(element.kind == .string ? Self.text(of: element, in: source) : "")
            }
            guard areStrings else { texts.removeAll(); throw scanner.fault(.unexpectedEnd) }
        } catch {
            throw wrong(name, "must hold texts only")
        }
        guard !hasLoneSurrogate else { throw wrong(name, JSONValue.loneSurrogate) }
        guard (1...most).contains(texts.count) else {
            throw wrong(name, "must have 1 to \(most) elements, and has \(texts.count)")
        }
        guard texts.allSatisfy({ (1...characters).contains($0.count) }) else {
            throw wrong(name, "each must have 1 to \(characters) characters")
        }
        guard Set(exactly: texts).count == texts.count else { throw wrong(name, "names something twice") }
        return texts
    }

    /// A time in seconds since 1970.
    ///
    /// - Returns: milliseconds; `nil` if the member is not there.
    func seconds(_ name: String) throws(BodyRejection) -> Int64? {
        guard let value = members[name] else { return nil }
        guard value.kind == .number,
            let number = JSONNumber.integer(UnsafeBufferPointer(rebasing: bytes[value.range])),
            (0..<1 << 38).contains(number)
        else { throw wrong(name, "must be a whole number of seconds since 1970, not milliseconds") }
        return number * 1000
    }

    /// - Returns: `nil` if the member is not there.
    func number(_ name: String, in range: ClosedRange<Int>) throws(BodyRejection) -> Int? {
        guard let value = members[name] else { return nil }
        guard value.kind == .number,
            let number = JSONNumber.integer(UnsafeBufferPointer(rebasing: bytes[value.range])),
            let whole = Int(exactly: number), range.contains(whole)
        else { throw wrong(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)") }
        return whole
    }

    func version(_ name: String) throws(BodyRejection) -> [Int]? {
        guard has(name) else { return nil }
        guard let version = AudienceFilter.version(try string(name)) else {
            throw wrong(name, "must begin with one to eight numbers with dots between, as in 2.10.1")
        }
        return version
    }

    /// Texts of a member as canonical locales, each once.
    ///
    /// - Parameters:
    ///   - texts: the member's.
    ///   - name: the member's.
    ///   - isStored: whether what has no canonical form is left out; where nothing else is left, it stays, and matches
    ///     no device.
    /// - Returns: in their order.
    /// - Throws: what is wrong, unless they are stored.
    func locales(_ texts: [String], of name: String, isStored: Bool) throws(BodyRejection) -> [String] {
        var locales: [String] = []
        for text in texts {
            guard let locale = LocaleName.canonical(text) else {
                guard isStored else { throw wrong(name, "each \(LocaleName.form)") }
                continue
            }
            if !locales.contains(locale) { locales.append(locale) }
        }
        return locales.isEmpty ? texts : locales
    }

    private func string(_ name: String) throws(BodyRejection) -> String {
        let value = try value(name)
        guard value.kind == .string else { throw wrong(name, "must be a text") }
        guard !value.hasLoneSurrogate else { throw wrong(name, JSONValue.loneSurrogate) }
        return text(of: value)
    }

    private func value(_ name: String) throws(BodyRejection) -> JSONValue {
        guard let value = members[name] else { throw BodyRejection(.missingField, "\(named(name)): is missing") }
        return value
    }

    private func named(_ name: String) -> String { path.isEmpty ? name : name.isEmpty ? path : "\(path).\(name)" }

    private func wrong(_ name: String, _ text: String) -> BodyRejection {
        BodyRejection(.badValue, "\(named(name)): \(text)")
    }

    private func text(of value: JSONValue) -> String { Self.text(of: value, in: bytes) }

    private static func text(of value: JSONValue, in bytes: UnsafeBufferPointer<UInt8>) -> String {
        let source = UnsafeBufferPointer(rebasing: bytes[value.stringRange])
        guard value.hasEscapes else { return String(decoding: source, as: UTF8.self) }
        var text: [UInt8] = []
        JSONText.appendUnescaped(source, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
