import WaybillCore
import WaybillMongo

/// Conditions on the leading numbers of an app's version (``AppVersion``), which the registry has as text.
enum DeviceVersionRange {
    /// Compares versions number by number, so that `2.10` comes after `2.9`, and `2` is `2.0`.
    ///
    /// A device whose version has no numbers does not match. There is no pattern: the server refuses a whole query for one
    /// text that is not UTF-8.
    static func append(from: [Int]?, below: [Int]?, to writer: BSONWriter) {
        guard from != nil || below != nil else { return }
        writer.append(DeviceRegistry.Field.appVersion) { $0.append("$type", string: "string") }
        writer.append("$expr") { expression in
            expression.append(
                "$and",
                array: { conditions in
                    // Null is below any array: this leaves out what has no numbers.
                    conditions.append { compare("$gte", with: from ?? [], to: $0) }
                    if let below { conditions.append { compare("$lt", with: below, to: $0) } }
                }
            )
        }
    }

    private static func compare(_ how: StaticString, with version: [Int], to writer: BSONWriter) {
        let numbers = (0..<AppVersion.most).map { place in
            BSONValue.int(place < version.count ? Int64(version[place]) : 0)
        }
        let sides = BSONValue.array(list([padded, call("$literal", .array(list(numbers)))]))
        _ = writer.append(name: "\(how)", value: sides)
    }

    // MARK: - The expression

    /// The leading numbers of a device's version, padded with zeros; null for a version without a leading number.
    private static let padded: BSONValue = {
        let zeros = call("$literal", .array(list([BSONValue](repeating: .int(0), count: AppVersion.most))))
        let long = call("$concatArrays", [.string("$$numbers"), zeros])
        let whole = call("$slice", [long, .int(Int64(AppVersion.most))])
        let none = call("$eq", [.string("$$numbers"), .array(list([]))])
        return bind("numbers", to: numbers, in: call("$cond", [none, .null, whole]))
    }()

    private static let numbers: BSONValue = {
        let field = BSONValue.string("$\(DeviceRegistry.Field.appVersion)")
        // The server may look here first, whatever the field's type.
        let isText = call("$eq", [call("$type", field), .string("string")])
        let text = call("$cond", [isText, field, .string("")])
        let trimmed = call("$ltrim", object([("input", text), ("chars", .string(" vV"))]))
        let start = object([("numbers", .array(list([]))), ("isOpen", .bool(true))])
        let reduced = call(
            "$reduce",
            object([
                ("input", call("$split", [trimmed, .string(".")])), ("initialValue", start), ("in", step),
            ])
        )
        return bind("state", to: reduced, in: .string("$$state.numbers"))
    }()

    /// Takes the digits in front of one part into the numbers, as long as every part before was digits alone.
    private static let step: BSONValue = {
        let rest = call("$ltrim", object([("input", .string("$$this")), ("chars", .string("0123456789"))]))
        let isWhole = call("$eq", [.string("$$rest"), .string("")])
        let cut = call("$arrayElemAt", [call("$split", [.string("$$this"), .string("$$rest")]), .int(0)])
        let digits = call("$cond", [isWhole, .string("$$this"), cut])
        // Only a number beyond 64 bits cannot be converted.
        let number = call(
            "$convert",
            object([
                ("input", .string("$$digits")), ("to", .string("long")), ("onError", .int(.max)),
                ("onNull", .int(.max)),
            ])
        )
        let more = call("$concatArrays", [.string("$$value.numbers"), .array(list([number]))])
        let taken = object([("numbers", more), ("isOpen", isWhole)])
        let ended = object([("numbers", .string("$$value.numbers")), ("isOpen", .bool(false))])
        let isNumber = call("$and", [.string("$$value.isOpen"), call("$ne", [.string("$$digits"), .string("")])])
        return bind("rest", to: rest, in: bind("digits", to: digits, in: call("$cond", [isNumber, taken, ended])))
    }()

    private static func bind(_ name: String, to value: BSONValue, in body: BSONValue) -> BSONValue {
        call("$let", object([("vars", object([(name, value)])), ("in", body)]))
    }

    private static func call(_ name: String, _ operands: [BSONValue]) -> BSONValue {
        call(name, .array(list(operands)))
    }

    private static func call(_ name: String, _ operand: BSONValue) -> BSONValue { object([(name, operand)]) }

    private static func object(_ fields: [(String, BSONValue)]) -> BSONValue {
        .document(
            BSONDocument { writer in for (name, value) in fields { _ = writer.append(name: name, value: value) } }
        )
    }

    /// An array, whose keys are its positions.
    private static func list(_ values: [BSONValue]) -> BSONDocument {
        BSONDocument { writer in
            for (place, value) in values.enumerated() { _ = writer.append(name: "\(place)", value: value) }
        }
    }
}
