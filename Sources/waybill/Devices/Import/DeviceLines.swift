import ArgumentParser
import Foundation
import WaybillDeviceRegistry
import WaybillEncoding

/// How a file describes devices.
enum DeviceFormat: String, CaseIterable, Codable, ExpressibleByArgument {
    case ndjson
    case csv
}

/// Reads the lines of a file of devices, one device to a line.
struct DeviceLines {
    let format: DeviceFormat
    /// What the columns of a CSV file are called; `nil` before its first line.
    var columns: [String]?

    /// Of an export, which has no history in CSV.
    private static let exportedColumns = DeviceForm.exported.filter { $0 != "history" }

    /// Whether the file is an export of the registry, whose texts have marks of their own.
    var isExport: Bool { columns?.contains("enabled") ?? false }

    /// Reads the first line of a CSV file.
    ///
    /// - Throws: ``DeviceFault`` for a column that no device has.
    mutating func takeHeader(_ bytes: [UInt8]) throws(DeviceFault) {
        let names = try Self.cells(bytes)
        for name in names where !DeviceForm.fields.contains(name) && !Self.exportedColumns.contains(name) {
            throw DeviceFault(field: name, reason: "is no field of a device")
        }
        // Each of them is a known field by now.
        for (place, name) in names.enumerated() where names[..<place].contains(name) {
            throw DeviceFault(field: name, reason: "is there twice")
        }
        columns = names
    }

    /// Reads a line.
    ///
    /// - Returns: `nil` for an empty one.
    /// - Throws: ``DeviceFault``, which never repeats a value.
    func form(_ bytes: [UInt8]) throws(DeviceFault) -> DeviceForm? {
        guard bytes.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) else { return nil }
        return switch format {
        case .ndjson: try Self.object(bytes)
        case .csv: try row(bytes)
        }
    }

    private static func object(_ bytes: [UInt8]) throws(DeviceFault) -> DeviceForm {
        try examine(bytes)
        guard let object = (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] else {
            throw DeviceFault(field: "", reason: "must be a JSON object")
        }
        var form = DeviceForm()
        for (field, value) in object {
            guard DeviceForm.fields.contains(field) || DeviceForm.exported.contains(field) else {
                throw DeviceFault(field: String(field.prefix(40)), reason: "is no field of a device")
            }
            switch field {
            case "tags":
                guard let tags = value as? [String] else {
                    throw DeviceFault(field: field, reason: "must be an array of texts")
                }
                form.tags = tags
            case "enabled":
                guard let isEnabled = value as? Bool else {
                    throw DeviceFault(field: field, reason: "must be true or false")
                }
                form.isEnabled = isEnabled
            case "history":
                guard let history = value as? [[String: String]] else {
                    throw DeviceFault(field: field, reason: "must be an array of objects of texts")
                }
                form.history = history
            default:
                guard let text = value as? String else { throw DeviceFault(field: field, reason: "must be a text") }
                form.texts[field] = text
            }
        }
        return form
    }

    /// Refuses members of which readers make what they like.
    private static func examine(_ bytes: [UInt8]) throws(DeviceFault) {
        let members: [JSONReader.Member]?
        do throws(JSONFault) {
            members = try JSONReader.members(of: bytes)
        } catch {
            throw DeviceFault(field: "", reason: "is not JSON: \(error.text)")
        }
        guard let members else { throw DeviceFault(field: "", reason: "must be a JSON object") }
        var names: Set<ExactName> = []
        for member in members {
            let field = String(member.name.prefix(40))
            guard !member.hasLoneSurrogate else { throw DeviceFault(field: field, reason: JSONValue.loneSurrogate) }
            guard names.insert(ExactName(member.name)).inserted else {
                throw DeviceFault(field: field, reason: "is there twice")
            }
            if let twice = JSONReader.repeatedName(in: Array(bytes[member.value])) {
                throw DeviceFault(field: field, reason: "has \(twice.prefix(40)) twice")
            }
        }
    }

    private func row(_ bytes: [UInt8]) throws(DeviceFault) -> DeviceForm {
        let columns = columns ?? []
        let cells = try Self.cells(bytes)
        guard cells.count == columns.count else {
            throw DeviceFault(field: "", reason: "has \(cells.count) cells, and there are \(columns.count) columns")
        }
        var form = DeviceForm()
        for (column, cell) in zip(columns, cells) where !cell.isEmpty {
            switch column {
            case "tags":
                form.tags = DeviceTags.tags(of: isExport ? CSVText.text(ofCell: cell) : cell)
            case "enabled":
                guard ["true", "false"].contains(cell) else {
                    throw DeviceFault(field: column, reason: "must be true or false")
                }
                form.isEnabled = cell == "true"
            default: form.texts[column] = isExport ? CSVText.text(ofCell: cell) : cell
            }
        }
        return form
    }

    private static func cells(_ bytes: [UInt8]) throws(DeviceFault) -> [String] {
        var reader = CSVReader(bytes)
        do throws(InputError) {
            return try reader.next()?.fields ?? []
        } catch {
            throw DeviceFault(field: "", reason: error.reason)
        }
    }
}
