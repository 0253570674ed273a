import WaybillCore

/// Why one notification can never be sent.
///
/// Plain values, so that finding a fault costs nothing; the text is made at the end.
struct ItemFault: Error {
    enum Rule {
        /// Completes "the field …".
        case must(StaticString)
        /// Not a member of a notification; where its name stands.
        case unknownName(Range<Int>)
        /// A member of the field's object is there twice; where its name stands.
        case nameTwice(Range<Int>)
        case payloadSize(Int, limit: Int)
        /// Keys and values, as FCM counts them.
        case contentSize(Int, limit: Int)
        case tokenForm(maxDigits: Int)
    }

    /// `nil` for the notification as a whole.
    var field: Field?
    var isDefault = false
    var rule: Rule

    init(_ field: Field?, _ rule: Rule) {
        self.field = field
        self.rule = rule
    }

    init(field: Field, isDefault: Bool, rule: Rule) {
        self.field = field
        self.isDefault = isDefault
        self.rule = rule
    }

    /// The sentence for the record.
    ///
    /// It names field and limit and repeats no value.
    ///
    /// - Parameters:
    ///   - body: the bytes in which an unknown name stands.
    ///   - hints: the names of this message that were looked up before.
    /// - Returns: one line.
    func text(in body: UnsafeBufferPointer<UInt8>, hints: inout NameHints) -> String {
        let subject = field.map { "\(isDefault ? "defaults." : "")\($0.name): " } ?? "notification: "
        switch rule {
        case .must(let requirement): return "\(subject)\(requirement)"
        case .unknownName(let range):
            let hint = hints.hint(for: range, in: body)
            return "\(FieldName.text(of: range, in: body)): not a field of a notification\(hint)"
        case .nameTwice(let range): return "\(subject)has \(FieldName.text(of: range, in: body)) twice"
        case .payloadSize(let size, let limit): return "\(subject)is \(size) bytes as sent, more than \(limit)"
        case .contentSize(let size, let limit):
            return
                "\(subject)has \(size) bytes of keys and values, wb_id among them; FCM takes \(limit)"
        case .tokenForm(let maxDigits):
            return "\(subject)must be hexadecimal digits, an even number of them from 2 to \(maxDigits)"
        }
    }
}

/// How the name of an unknown field may be shown: only if it looks like one, because a token may be in its place.
enum FieldName {
    static func text(of range: Range<Int>, in body: UnsafeBufferPointer<UInt8>) -> String {
        shown(range, in: body) ?? "(a name of \(range.count) bytes)"
    }

    /// The words that name the field which was most likely meant; empty where no name is near.
    ///
    /// The `fields` that are allowed in this place are thought of first, then those of `another` one.
    static func hint(
        for range: Range<Int>,
        in body: UnsafeBufferPointer<UInt8>,
        among fields: FieldSet,
        another: (fields: FieldSet, place: StaticString)? = nil
    ) -> String {
        guard let given = shown(range, in: body) else { return "" }
        let foreign = ForeignNames.field(given)
        func nearest(_ fields: FieldSet) -> String? {
            if let foreign, fields.contains(foreign) { return ForeignNames.words(foreign) }
            let names = Field.allCases.lazy.filter { fields.contains($0) }.map { "\($0.name)" }
            return NearestName.to(given, among: names)
        }
        if let name = nearest(fields) { return "; did you mean \(name)?" }
        guard let another, let name = nearest(another.fields) else { return "" }
        return "; did you mean \(name), \(another.place)?"
    }

    private static func shown(_ range: Range<Int>, in body: UnsafeBufferPointer<UInt8>) -> String? {
        let bytes = UnsafeBufferPointer(rebasing: body[range])
        let isName = (1...32).contains(bytes.count) && bytes.allSatisfy(isNameByte)
        return isName ? String(decoding: bytes, as: UTF8.self) : nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
