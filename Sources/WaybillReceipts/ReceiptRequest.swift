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
    /// What is wrong with the first entry that cannot; `nil` where all can.
    package private(set) var fault: String?
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
        guard !claims.isEmpty || fault != nil else {
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
        case .failure(let error): note(error.reason, number)
        }
    }

    private mutating func note(_ reason: String, _ number: Int?) {
        guard fault == nil else { return }
        fault = number.map { "receipt \($0 + 1): \(reason)" } ?? reason
    }
}

/// The members of one entry, as far as they are known; others are ignored, so that apps may be newer than this server.
private struct Members {
    private var texts: [String: String] = [:]
    private var time: Int64?
    private var fault: String?

    private static let names: Set<String> = ["id", "cap", "event", "app", "prio", "prio_asked"]

    mutating func take(_ name: String, _ value: JSONValue, _ scanner: JSONScanner) {
        if name == "at" {
            let bytes = UnsafeBufferPointer(rebasing: scanner.bytes[value.range])
            let number = value.kind == .number ? JSONNumber.integer(bytes) : nil
            guard let number, 0..<1 << 47 ~= number else {
                return note("at: must be a time in whole milliseconds since 1970")
            }
            if time != nil { note("at: is there twice") }
            time = number
        } else if Self.names.contains(name) {
            guard value.kind == .string else { return note("\(name): must be a text") }
            guard !value.hasLoneSurrogate else { return note("\(name): \(JSONValue.loneSurrogate)") }
            if texts.updateValue(scanner.text(of: value), forKey: name) != nil { note("\(name): is there twice") }
        }
    }

    private mutating func note(_ reason: String) {
        fault = fault ?? reason
    }

    func claim(now: Int64) -> Result<ReceiptRequest.Claim, ReceiptRequest.Unreadable> {
        do throws(ReceiptRequest.Unreadable) {
            if let fault { throw ReceiptRequest.Unreadable(reason: fault) }
            guard let text = texts["id"], let id = NotificationID(text) else {
                throw ReceiptRequest.Unreadable(
                    reason: "id: must be the notification's id, which came as wb_id in the push"
                )
            }
            guard let capability = texts["cap"], !capability.isEmpty else {
                throw ReceiptRequest.Unreadable(reason: "cap: must be what came as wb_rcpt in the push")
            }
            guard let event = texts["event"].flatMap({ ReceiptEvent(name: $0) }) else {
                let words = ReceiptEvent.allCases.map { "\($0.name)" }.joined(separator: ", ")
                throw ReceiptRequest.Unreadable(reason: "event: must be one of \(words)")
            }
            let receipt = DeliveryReceipt(
                id: id,
                event: event,
                receivedAt: now,
                deviceTime: time,
                app: try shortText("app"),
                priority: try shortText("prio"),
                priorityAsked: try shortText("prio_asked")
            )
            return .success(ReceiptRequest.Claim(receipt: receipt, capability: Array(capability.utf8)))
        } catch {
            return .failure(error)
        }
    }

    /// An empty one is as good as none.
    private func shortText(_ name: String) throws(ReceiptRequest.Unreadable) -> String? {
        guard let text = texts[name], !text.isEmpty else { return nil }
        guard text.utf8.count <= DeliveryReceipt.mostTextBytes, !ControlCharacters.areIn(text) else {
            throw ReceiptRequest.Unreadable(
                reason: "\(name): must be at most \(DeliveryReceipt.mostTextBytes) bytes without control characters"
            )
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
