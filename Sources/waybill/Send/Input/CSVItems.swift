import Foundation
import WaybillCore
import WaybillEncoding
import WaybillProviders

/// Turns CSV records into the JSON objects of notifications, by the columns that the header names.
///
/// A cell is text, a number or JSON, as its field demands; an empty cell leaves the field out. `null` in `expiration` or
/// `collapse_id` is JSON's null: no such header is sent. Columns that begin with `x-` are the producer's own, and text.
struct CSVItems {
    private enum Kind {
        case text
        /// Numbers, booleans, objects: taken as they stand; anything else is text.
        case json
        /// Text, or the word null.
        case textOrNull
    }

    private static let kinds: [String: Kind] = [
        "device_token": .text, "message": .text, "payload": .json, "apns_id": .text, "push_type": .text,
        "priority": .json, "expiration": .json, "topic": .text, "collapse_id": .textOrNull, "on_unknown": .text,
        "title": .text, "subtitle": .text, "badge": .json, "sound": .text, "category": .text, "thread_id": .text,
        "content_available": .json, "mutable_content": .json, "interruption_level": .text, "relevance_score": .json,
        "target_content_id": .text, "max_age": .json, "collapse": .text, "receipt": .json, "delivery_type": .text,
        "token_kind": .text, "repeat_until_acknowledged": .json, "data": .json,
    ]

    private let columns: [(name: String, kind: Kind)]

    /// - Parameter header: the first record.
    /// - Throws: `InputError` for a column that is unknown or appears twice.
    init(header: CSVReader.Record) throws(InputError) {
        var columns: [(name: String, kind: Kind)] = []
        for name in header.fields {
            guard let kind = Self.kind(of: name) else {
                throw InputError(line: header.line, reason: Self.unknown(name, column: columns.count + 1))
            }
            guard !columns.contains(where: { $0.name == name }) else {
                throw InputError(line: header.line, reason: "two columns are named \(name)")
            }
            columns.append((name, kind))
        }
        self.columns = columns
    }

    private static func kind(of name: String) -> Kind? {
        kinds[name] ?? (name.hasPrefix("x-") && name != "x-" ? .text : nil)
    }

    /// The words for a column that no notification has; only what looks like a name is repeated, for a token may stand there.
    private static func unknown(_ name: String, column: Int) -> String {
        for (mark, words) in [(";", "a semicolon"), ("\t", "a tab")] where name.contains(mark) {
            return "column \(column) holds \(words); the columns must be separated by commas"
        }
        let isName =
            name.utf8.count <= 32
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
        let nearest = ForeignNames.words(for: name, among: kinds.keys) ?? NearestName.to(name, among: kinds.keys)
        let known = kinds.keys.sorted().joined(separator: ", ")
        return "column \(column)\(isName && !name.isEmpty ? " (\(name))" : "") is not a field of a notification; "
            + (nearest.map { "did you mean \($0)? Known columns: " } ?? "known columns: ") + known
    }

    /// The items of a whole file.
    static func items(_ bytes: [UInt8]) throws(InputErrors) -> [SourceItem] {
        var reader = CSVReader(bytes)
        var items: [SourceItem] = []
        var errors: [InputError] = []
        do throws(InputError) {
            guard let header = try reader.next() else { throw InputError(line: 1, reason: "the header is missing") }
            let rows = try CSVItems(header: header)
            while let record = try reader.next() {
                do throws(InputError) {
                    items.append(try rows.item(record))
                } catch {
                    errors.append(error)
                }
            }
        } catch {
            // Behind broken quoting nothing can be told apart any more.
            errors.append(error)
        }
        guard errors.isEmpty else { throw InputErrors(errors: errors) }
        return items
    }

    /// The JSON object of one record.
    func item(_ record: CSVReader.Record) throws(InputError) -> SourceItem {
        guard record.fields.count == columns.count else {
            throw InputError(
                line: record.line,
                reason: "\(record.fields.count) fields for \(columns.count) columns"
            )
        }
        var json: [UInt8] = [UInt8(ascii: "{")]
        for (column, cell) in zip(columns, record.fields) where !cell.isEmpty {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            JSONText.appendString(column.name.utf8, to: &json)
            json.append(UInt8(ascii: ":"))
            switch column.kind {
            case .json where Self.isJSON(cell): json += cell.utf8
            case .textOrNull where cell == "null": json += cell.utf8
            // What the field must be is said where its value is read.
            case .json, .text, .textOrNull: JSONText.appendString(cell.utf8, to: &json)
            }
        }
        json.append(UInt8(ascii: "}"))
        return SourceItem(line: record.line, json: json[...])
    }

    /// Whether a cell is one value and nothing else: `1,"topic":"a"` would add a member that no column names.
    private static func isJSON(_ cell: String) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(cell.utf8), options: .fragmentsAllowed)) != nil
    }
}
