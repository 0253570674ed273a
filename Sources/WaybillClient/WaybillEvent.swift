public import Foundation

/// Something that has changed for the account.
public struct WaybillEvent: Hashable, Sendable {
    /// What has changed.
    ///
    /// `notification`, `read`, `acknowledged`, `service`, `membership`; `reset` where some are missing, so that the lists must be read
    /// anew. Others may be added: pass over what the app does not know.
    public let name: String
    /// Where a later ``WaybillClient/events(after:)`` goes on; `nil` of `reset`.
    public let id: String?
    /// What it is about: a JSON object with ids, such as `{"notification": "…", "service": "…"}`.
    public let data: Data
}

/// Makes events of the bytes of `text/event-stream`, however they are cut.
struct EventLines {
    private var line: [UInt8] = []
    private var name = ""
    private var id: String?
    private var data: [String] = []

    /// Takes what has come.
    ///
    /// - Returns: the events that end in it.
    mutating func take(_ bytes: Data) -> [WaybillEvent] {
        var events: [WaybillEvent] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            if let event = end(of: String(decoding: line, as: UTF8.self)) { events.append(event) }
            line.removeAll(keepingCapacity: true)
        }
        return events
    }

    private mutating func end(of line: String) -> WaybillEvent? {
        guard line.isEmpty else {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            var value = parts.count > 1 ? parts[1] : ""
            if value.first == " " { value.removeFirst() }
            switch parts[0] {
            case "event": name = String(value)
            case "id": id = String(value)
            case "data": data.append(String(value))
            default: break
            }
            return nil
        }
        defer { (name, id, data) = ("", nil, []) }
        guard !data.isEmpty else { return nil }
        return WaybillEvent(
            name: name.isEmpty ? "message" : name,
            id: id,
            data: Data(data.joined(separator: "\n").utf8)
        )
    }
}
