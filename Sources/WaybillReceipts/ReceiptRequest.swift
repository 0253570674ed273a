package import WaybillCore
import WaybillEncoding

/// What a device posts: an object with a receipt and its proof, or an array of up to ``mostEntries`` of them.
package struct ReceiptRequest: Sendable {
    /// A receipt, and the capability that is to prove it.
    package struct Claim: Hashable, Sendable {
        package var receipt: DeliveryReceipt
        /// ASCII, as it came.
        package var capability: [UInt8]

        /// What the proof is worth.
        ///
        /// - Parameters:
        ///   - now: seconds since 1970.
        ///   - keys: those that are live.
        /// - Returns: whether it is good for the receipt's notification.
        package func verdict(now: Int64, keys: ReceiptKeys) -> ReceiptCapability.Verdict {
            capability.withUnsafeBufferPointer {
                ReceiptCapability.verdict(on: $0, for: receipt.id, now: now, keys: keys)
            }
        }
    }

    /// What is wrong with an entry, in one line, without any value of whoever sent it.
    package struct Fault: Hashable, Sendable {
        /// The entry's place in the array, from 0; `nil` for a body that is one.
        package var number: Int?
        /// The member that is wrong; `nil` for the whole entry.
        package var member: String?
        package var reason: String

        /// With where it is.
        package var text: String {
            let place = [number.map { "receipt \($0 + 1)" }, member].compactMap(\.self)
            return (place + [reason]).joined(separator: ": ")
        }
    }

    /// Why nothing of a request can be read; for the device's developer, in one line, without any value of theirs.
    package struct Unreadable: Error, Hashable {
        package let reason: String
    }

    /// Bytes of a body.
    package static let mostBytes = mostEntries * mostEntryBytes
    package static let mostEntries = 50
    /// Bytes of one object.
    package static let mostEntryBytes = 1024
    private static let mostDepth = 8

    /// The entries that can be read.
    package private(set) var claims: [Claim] = []
    /// What is wrong with the first entry that cannot, all of it; empty where all can.
    package private(set) var faults: [Fault] = []
    /// Whether it holds more entries than are taken at once.
    package private(set) var isTooLong = false

    /// Reads a body.
    ///
    /// - Parameters:
    ///   - body: at most ``mostBytes``.
    ///   - now: milliseconds since 1970, when it came.
    /// - Throws: ``Unreadable`` for what is no JSON, or has another form as a whole.
    package init(_ body: [UInt8], now: Int64) throws(Unreadable) {
        try body.withUnsafeBufferPointer { bytes throws(Unreadable) in
            var scanner = JSONScanner(bytes, maxDepth: Self.mostDepth)
            do throws(JSONFault) {
                switch try scanner.peek() {
                case UInt8(ascii: "{"): try readEntry(&scanner, number: nil, now: now)
                case UInt8(ascii: "["): try readEntries(&scanner, now: now)
                default: _ = try scanner.value()
                }
                try scanner.finish()
            } catch {
                throw Unreadable(reason: "the body is no JSON: \(error.rejection(maxDepth: Self.mostDepth).detail)")
            }
        }
        guard !claims.isEmpty || !faults.isEmpty else {
            throw Unreadable(reason: "the body must be an object with a receipt, or an array of them")
        }
    }

    private mutating func readEntries(_ scanner: inout JSONScanner, now: Int64) throws(JSONFault) {
        try scanner.beginArray()
        var number = 0
        while try scanner.nextElement(isFirst: number == 0) {
            if number < Self.mostEntries, try scanner.peek() == UInt8(ascii: "{") {
                try readEntry(&scanner, number: number, now: now)
            } else {
                _ = try scanner.value()
                isTooLong = number >= Self.mostEntries
                note(
                    number < Self.mostEntries
                        ? "must be an object" : "is one too many; \(Self.mostEntries) are taken at once",
                    number
                )
            }
            number += 1
        }
    }

    private mutating func readEntry(_ scanner: inout JSONScanner, number: Int?, now: Int64) throws(JSONFault) {
        let start = scanner.position
        var members = Members()
        try scanner.beginObject()
        var isFirst = true
        while let key = try scanner.nextKey(isFirst: isFirst) {
            isFirst = false
            let name = scanner.text(of: key)
            members.take(name, try scanner.value(), scanner)
        }
        let size = scanner.position - start
        guard size <= Self.mostEntryBytes else {
            return note("is \(size) bytes, more than \(Self.mostEntryBytes)", number)
        }
        switch members.claim(now: now) {
        case .success(let claim): claims.append(claim)
        case .failure(let faults): note(faults.all, number)
        }
    }

    private mutating func note(_ reason: String, _ number: Int?) { note([Fault(reason: reason)], number) }

    private mutating func note(_ found: [Fault], _ number: Int?) {
        guard faults.isEmpty else { return }
        faults = found.map { Fault(number: number, member: $0.member, reason: $0.reason) }
    }
}

/// All that is wrong with one entry.
private struct EntryFaults: Error {
    var all: [ReceiptRequest.Fault] = []

    /// Of a member only the first counts.
    mutating func note(_ member: String, _ reason: String) {
        guard !all.contains(where: { $0.member == member }) else { return }
        all.append(ReceiptRequest.Fault(member: member, reason: reason))
    }
}

/// The members of one entry, as far as they are known; others are ignored, so that apps may be newer than this server.
private struct Members {
    private var texts: [String: String] = [:]
    private var time: Int64?
    private var faults = EntryFaults()

    private static let names: Set<String> = ["id", "cap", "event", "app", "prio", "prio_asked"]

    mutating func take(_ name: String, _ value: JSONValue, _ scanner: JSONScanner) {
        if name == "at" {
            let bytes = UnsafeBufferPointer(rebasing: scanner.bytes[value.range])
            let number = value.kind == .number ? JSONNumber.integer(bytes) : nil
            guard let number, 0..<1 << 47 ~= number else {
                return faults.note(name, "must be a time in whole milliseconds since 1970")
            }
            if time != nil { faults.note(name, "is there twice") }
            time = number
        } else if Self.names.contains(name) {
            guard value.kind == .string else { return faults.note(name, "must be a text") }
            guard !value.hasLoneSurrogate else { return faults.note(name, JSONValue.loneSurrogate) }
            if texts.updateValue(scanner.text(of: value), forKey: name) != nil { faults.note(name, "is there twice") }
        }
    }

    func claim(now: Int64) -> Result<ReceiptRequest.Claim, EntryFaults> {
        var found = faults
        let id = texts["id"].flatMap { NotificationID($0) }
        if id == nil { found.note("id", "must be the notification's id, which came as wb_id in the push") }
        let capability = texts["cap"] ?? ""
        if capability.isEmpty { found.note("cap", "must be what came as wb_rcpt in the push") }
        let event = texts["event"].flatMap { ReceiptEvent(name: $0) }
        if event == nil {
            let words = ReceiptEvent.allCases.map { "\($0.name)" }.joined(separator: ", ")
            found.note("event", "must be one of \(words)")
        }
        let (app, priority) = (shortText("app", &found), shortText("prio", &found))
        let asked = shortText("prio_asked", &found)
        guard found.all.isEmpty, let id, let event else { return .failure(found) }
        let receipt = DeliveryReceipt(
            id: id,
            event: event,
            receivedAt: now,
            deviceTime: time,
            app: app,
            priority: priority,
            priorityAsked: asked
        )
        return .success(ReceiptRequest.Claim(receipt: receipt, capability: Array(capability.utf8)))
    }

    /// An empty one is as good as none.
    private func shortText(_ name: String, _ found: inout EntryFaults) -> String? {
        guard let text = texts[name], !text.isEmpty else { return nil }
        guard text.utf8.count <= DeliveryReceipt.mostTextBytes, !ControlCharacters.areIn(text) else {
            found.note(name, "must be at most \(DeliveryReceipt.mostTextBytes) bytes without control characters")
            return nil
        }
        return text
    }
}

extension JSONScanner {
    fileprivate func text(of value: JSONValue) -> String {
        let source = UnsafeBufferPointer(rebasing: bytes[value.stringRange])
        guard value.hasEscapes else { return String(decoding: source, as: UTF8.self) }
        var text: [UInt8] = []
        JSONText.appendUnescaped(source, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
