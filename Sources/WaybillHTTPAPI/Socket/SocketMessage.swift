import WaybillAccounts
import WaybillEncoding

/// What a client says over a WebSocket: JSON objects with `op`.
enum SocketMessage: Hashable {
    /// Who it is, and behind which event it goes on: the first message.
    case identify(token: String, lastEventID: String?)
    /// Asks for a sign of life.
    case heartbeat

    private static let known = ["last_event_id", "op", "token"]

    /// - Throws: ``SocketClose`` for what is none.
    init(_ text: String) throws(SocketClose) {
        let bytes = Array(text.utf8)
        guard let members = try? JSONReader.members(of: bytes) else {
            throw SocketClose(.badMessage, "a message must be a JSON object")
        }
        var values: [String: String] = [:]
        for member in members {
            guard Self.known.contains(member.name) else {
                throw SocketClose(.badMessage, "a member is not known; known: \(Self.known.joined(separator: ", "))")
            }
            let value = bytes.withUnsafeBufferPointer { JSONReader($0).string(member) }
            guard let value, !value.isEmpty, !member.hasLoneSurrogate else {
                throw SocketClose(.badMessage, "\(member.name) must be a text that is not empty")
            }
            guard !value.contains("\0") else {
                throw SocketClose(.badMessage, "\(member.name) must not hold the character U+0000")
            }
            guard values.updateValue(value, forKey: member.name) == nil else {
                throw SocketClose(.badMessage, "\(member.name) is there twice")
            }
        }
        switch values["op"] {
        case "identify":
            guard let token = values["token"] else {
                throw SocketClose(.badMessage, "identify has a token: the access token of a session")
            }
            self = .identify(token: token, lastEventID: values["last_event_id"])
        case "heartbeat" where values.count == 1: self = .heartbeat
        default: throw SocketClose(.badMessage, "op is identify or heartbeat; heartbeat has nothing beside it")
        }
    }
}

/// What the server says.
enum SocketAnswer {
    /// Whose events come now.
    static func ready(_ person: Person) -> String {
        text("ready") { json in
            json.beginObject("data")
            json.member("account", person.account.id)
            json.member("session", person.login.id)
            json.endObject()
        }
    }

    static let heartbeat = text("heartbeat") { _ in }

    /// An event, as server-sent events have it.
    static func event(_ told: AccountEventTurns.Told) -> String {
        text(told.name) { json in
            json.member("id", told.id)
            json.member("data", json: told.data.utf8)
        }
    }

    private static func text(_ event: StaticString, _ members: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.member("event", event.description)
        members(&json)
        json.endObject()
        return JSONText.terminalSafe(String(decoding: json.bytes, as: UTF8.self))
    }
}
