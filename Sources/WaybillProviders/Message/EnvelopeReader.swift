import WaybillCore
import WaybillEncoding

/// Walks over a body once and finds its parts: the envelope, the defaults, and each notification's members.
///
/// Input: the bytes of a body. Output: where everything stands, and what is wrong with the frame or with single
/// notifications. A fault of syntax ends the walk and makes the whole body unreadable; a fault of the frame
/// (``rejection``, the first one) does so too, after the rest has been checked; a notification's fault stays with it.
/// Values are read later, by ``ItemReader``, when the defaults are known, and judged by the lane's provider.
struct EnvelopeReader {
    /// One entry of `notifications` or `device_tokens`.
    struct Draft {
        let source: Range<Int>
        var members = Members()
        var fault: ItemFault?
    }

    enum Form {
        case bareNotifications
        case notifications
        case deviceTokens
    }

    private let maxNotifications: Int
    private(set) var scanner: JSONScanner
    private(set) var form = Form.bareNotifications
    private(set) var drafts: [Draft] = []
    private(set) var slots: [Members.Slot] = []
    private(set) var batchID: JSONValue?
    private(set) var client: JSONValue?
    private(set) var lane: JSONValue?
    private(set) var serviceID: JSONValue?
    private(set) var defaults = Members()
    private(set) var defaultsRange: Range<Int>?
    /// What stands beside `device_tokens`.
    private(set) var shared = Members()
    /// The members that a delayed retry of the `device_tokens` form repeats: names with their values, and `defaults`.
    private(set) var sharedRanges: [Range<Int>] = []
    private(set) var rejection: BodyRejection?

    private var present: FieldSet = []
    private var sharedSlots: [Members.Slot] = []

    init(_ bytes: UnsafeBufferPointer<UInt8>, maxNotifications: Int, maxDepth: Int) {
        self.maxNotifications = maxNotifications
        scanner = JSONScanner(bytes, maxDepth: maxDepth)
    }

    /// Reads the whole body.
    mutating func read() throws(JSONFault) {
        switch try scanner.peek() {
        case UInt8(ascii: "["): try readDrafts(Self.readNotification)
        case UInt8(ascii: "{"): try readEnvelope()
        default:
            _ = try scanner.value()
            reject(.badValue, "the body must be an object or an array of notifications")
        }
        try scanner.finish()
        if rejection == nil, drafts.isEmpty { reject(.noNotifications, "the body holds no notification") }
    }

    // MARK: - Envelope

    private mutating func readEnvelope() throws(JSONFault) {
        try scanner.beginObject()
        var isFirst = true
        while let key = try scanner.nextKey(isFirst: isFirst) {
            isFirst = false
            guard let field = field(of: key) else {
                if !isExtension(key) {
                    reject(
                        .unknownField,
                        unknown(key.stringRange, among: .envelope, another: (.single, "in a notification"))
                    )
                }
                _ = try scanner.value()
                continue
            }
            if present.contains(field) { reject(.duplicateField, "\(field.name): appears twice") }
            present.insert(FieldSet(field))
            try readMember(field, nameStart: Int(key.start))
        }
        judgeForm()
        let start = slots.count
        slots += sharedSlots
        shared.slots = start..<slots.count
    }

    private mutating func readMember(_ field: Field, nameStart: Int) throws(JSONFault) {
        switch field {
        case .batchID: batchID = try readName(field)
        case .client: client = try readName(field)
        case .lane: lane = try readName(field)
        case .serviceID: serviceID = try readName(field)
        case .notifications:
            guard try isNext(UInt8(ascii: "["), field: field, is: "an array") else { return }
            try readDrafts(Self.readNotification)
        case .deviceTokens:
            guard try isNext(UInt8(ascii: "["), field: field, is: "an array") else { return }
            try readDrafts(Self.readToken)
        case .defaults:
            let start = scanner.position
            guard try isNext(UInt8(ascii: "{"), field: field, is: "an object") else { return }
            try readDefaults()
            defaultsRange = start..<scanner.position
            sharedRanges.append(nameStart..<scanner.position)
        case .deviceToken, .apnsID:
            let isList = try scanner.value().kind == .array
            let hint =
                isList && field == .deviceToken
                ? "; did you mean device_tokens?" : "; write it inside an object in notifications"
            reject(.misplacedField, "\(field.name): belongs to one notification\(hint)")
        default:
            sharedSlots.append(Members.Slot(field: field, value: try scanner.value()))
            shared.present.insert(FieldSet(field))
            sharedRanges.append(nameStart..<scanner.position)
        }
    }

    private mutating func judgeForm() {
        switch (present.contains(.notifications), present.contains(.deviceTokens)) {
        case (true, true): reject(.ambiguousForm, "either notifications or device_tokens, not both")
        case (false, false): reject(.missingField, "notifications or device_tokens is missing")
        case (false, true): form = .deviceTokens
        case (true, false):
            form = .notifications
            if let misplaced = sharedSlots.first?.field {
                reject(.misplacedField, "\(misplaced.name): belongs in defaults or in each notification")
            }
        }
    }

    /// A batch's, a client's, a lane's or a service's name.
    private mutating func readName(_ field: Field) throws(JSONFault) -> JSONValue {
        let value = try scanner.value()
        if value.kind != .string {
            reject(.badValue, "\(field.name): must be a string")
        } else if value.hasLoneSurrogate {
            reject(.badValue, "\(field.name): \(JSONValue.loneSurrogate)")
        }
        return value
    }

    private mutating func isNext(_ mark: UInt8, field: Field, is kind: StaticString) throws(JSONFault) -> Bool {
        if try scanner.peek() == mark { return true }
        _ = try scanner.value()
        reject(.badValue, "\(field.name): must be \(kind)")
        return false
    }

    private mutating func readDefaults() throws(JSONFault) {
        let (members, fault) = try readMembers(allowed: .defaults)
        defaults = members
        guard let fault else { return }
        switch (fault.rule, fault.field) {
        case (.unknownName(let range), _):
            reject(.unknownField, "defaults: \(unknown(range, among: .defaults))")
        case (_, let field?) where FieldSet.defaults.contains(field):
            reject(.duplicateField, "defaults.\(field.name): appears twice")
        case (_, let field):
            reject(.misplacedField, "defaults.\(field?.name ?? ""): cannot have a default")
        }
    }

    // MARK: - Entries

    private mutating func readDrafts(
        _ readDraft: (inout Self) throws(JSONFault) -> Draft
    ) throws(JSONFault) {
        try scanner.beginArray()
        var isFirst = true
        while try scanner.nextElement(isFirst: isFirst) {
            isFirst = false
            let draft = try readDraft(&self)
            if drafts.count < maxNotifications {
                drafts.append(draft)
            } else {
                reject(.tooManyNotifications, "more than \(maxNotifications) notifications")
            }
        }
    }

    private static func readToken(_ reader: inout Self) throws(JSONFault) -> Draft {
        let value = try reader.scanner.value()
        var draft = Draft(source: value.range)
        draft.members = Members(present: FieldSet(.deviceToken), slots: reader.slots.count..<reader.slots.count + 1)
        reader.slots.append(Members.Slot(field: .deviceToken, value: value))
        return draft
    }

    private static func readNotification(_ reader: inout Self) throws(JSONFault) -> Draft {
        guard try reader.scanner.peek() == UInt8(ascii: "{") else {
            var draft = Draft(source: try reader.scanner.value().range)
            draft.fault = ItemFault(nil, .must("must be an object"))
            return draft
        }
        let start = reader.scanner.position
        let (members, fault) = try reader.readMembers(allowed: .notification)
        return Draft(source: start..<reader.scanner.position, members: members, fault: fault)
    }

    /// Reads an object's members; of several that break a rule the first is told.
    private mutating func readMembers(allowed: FieldSet) throws(JSONFault) -> (Members, ItemFault?) {
        var members = Members()
        var fault: ItemFault?
        let start = slots.count
        try scanner.beginObject()
        var isFirst = true
        while let key = try scanner.nextKey(isFirst: isFirst) {
            isFirst = false
            let value = try scanner.value()
            guard let field = field(of: key) else {
                if fault == nil, !isExtension(key) { fault = ItemFault(nil, .unknownName(key.stringRange)) }
                continue
            }
            if !allowed.contains(field) {
                let isPlural = field == .deviceTokens
                fault =
                    fault
                    ?? ItemFault(
                        field,
                        .must(
                            isPlural
                                ? "does not belong here; did you mean device_token?" : "belongs beside notifications"
                        )
                    )
            } else if members.present.contains(field) {
                fault = fault ?? ItemFault(field, .must("appears twice"))
            } else {
                members.present.insert(FieldSet(field))
                slots.append(Members.Slot(field: field, value: value))
            }
        }
        members.slots = start..<slots.count
        return (members, fault)
    }

    // MARK: - Names

    private func field(of key: JSONValue) -> Field? {
        let bytes = UnsafeBufferPointer(rebasing: scanner.bytes[key.stringRange])
        guard key.hasEscapes else { return Field.named(bytes) }
        var name: [UInt8] = []
        JSONText.appendUnescaped(bytes, to: &name)
        return name.withUnsafeBufferPointer { Field.named($0) }
    }

    /// Names that begin with `x-` are the producer's own and are let alone.
    private func isExtension(_ key: JSONValue) -> Bool {
        let range = key.stringRange
        return range.count > 2 && scanner.bytes[range.lowerBound] == UInt8(ascii: "x")
            && scanner.bytes[range.lowerBound + 1] == UInt8(ascii: "-")
    }

    /// What is wrong with a name that nobody knows, and which one was meant.
    ///
    /// Only the first fault is told, so only for that one the names are compared.
    private func unknown(
        _ range: Range<Int>,
        among fields: FieldSet,
        another: (fields: FieldSet, place: StaticString)? = nil
    ) -> String {
        guard rejection == nil else { return "" }
        let name = FieldName.text(of: range, in: scanner.bytes)
        let hint = FieldName.hint(for: range, in: scanner.bytes, among: fields, another: another)
        return "\(name): not a known field\(hint)"
    }

    private mutating func reject(_ reason: BodyRejection.Reason, _ detail: String) {
        rejection = rejection ?? BodyRejection(reason, detail)
    }
}

extension EnvelopeReader {
    /// The part that items share, for a delayed retry; `body` is the array that the reader's bytes are of.
    func batchForm(body: [UInt8]) -> Batch.Form {
        guard form == .deviceTokens else {
            return .notifications(defaults: defaultsRange.map { body[$0] })
        }
        var shared: [UInt8] = []
        for range in sharedRanges {
            if !shared.isEmpty { shared.append(UInt8(ascii: ",")) }
            shared += body[range]
        }
        return .deviceTokens(shared: shared[...])
    }
}
