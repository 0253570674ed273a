package import WaybillCore

/// Makes the capabilities that pushes carry for their receipts (``WaybillCore/ReceiptCapability``).
package final class ReceiptSigner: Sendable {
    private let key: ReceiptKey
    /// Whole seconds from the moment of sending.
    private let lifetime: Int64

    /// - Parameters:
    ///   - key: the one that makes capabilities.
    ///   - lifetime: for how long they are good; what the device stores until it opens the push must still be taken.
    package init(key: ReceiptKey, lifetime: Duration) {
        self.key = key
        self.lifetime = lifetime.components.seconds
    }

    /// Writes the capability of a notification behind what is there: at most ``ReceiptCapability/mostBytes(isGiven:)`` of ASCII
    /// that needs no escape in JSON.
    ///
    /// Allocates nothing where there is room.
    ///
    /// - Parameters:
    ///   - subject: the notification.
    ///   - now: seconds since 1970.
    ///   - bytes: where it goes.
    package func appendCapability(of subject: ReceiptSubject, now: Int64, to bytes: inout [UInt8]) {
        ReceiptCapability.append(of: subject, expiry: now + lifetime, key: key, to: &bytes)
    }
}

/// The members of a payload by which a device can answer: `"wb_id":"…"`, for devices are not told the id under which a push was
/// sent, and last of all the capability, `"wb_rcpt":"…"`.
package enum ReceiptMembers {
    package static let id: StaticString = "wb_id"
    package static let capability: StaticString = "wb_rcpt"

    /// By how much a payload grows at the most: what counts in its size limit, so that an item does not become too large when keys
    /// are rotated.
    package static func mostBytes(isGiven: Bool) -> Int {
        frameBytes(of: id) + NotificationID.textLength + frameBytes(of: capability)
            + ReceiptCapability.mostBytes(isGiven: isGiven)
    }

    /// What the capability takes of the keys and values that FCM counts; the id is in every message's `data`.
    static func mostDataBytes(isGiven: Bool) -> Int {
        capability.utf8CodeUnitCount + ReceiptCapability.mostBytes(isGiven: isGiven)
    }

    /// Writes the capability alone, as one more member of an object: what FCM's `data` lacks, which has the id.
    ///
    /// - Parameters:
    ///   - subject: the notification.
    ///   - signer: makes the capability.
    ///   - now: seconds since 1970.
    /// - Returns: the member, with a comma in front.
    static func capabilityMember(
        of subject: ReceiptSubject,
        signer: ReceiptSigner,
        now: Int64
    ) -> ArraySlice<UInt8> {
        var bytes: [UInt8] = []
        let most = ReceiptCapability.mostBytes(isGiven: subject.content != nil)
        bytes.reserveCapacity(frameBytes(of: capability) + most)
        append(",\"wb_rcpt\":\"", to: &bytes)
        signer.appendCapability(of: subject, now: now, to: &bytes)
        append("\"", to: &bytes)
        return bytes[...]
    }

    /// The comma in front, the colon and four quotation marks.
    private static func frameBytes(of name: StaticString) -> Int { name.utf8CodeUnitCount + 6 }

    /// Writes a payload, with both as its last members, behind what is there.
    ///
    /// - Parameters:
    ///   - payload: a JSON object from brace to brace.
    ///   - subject: the notification.
    ///   - signer: makes the capability.
    ///   - now: seconds since 1970.
    ///   - bytes: where it goes.
    static func append(
        to payload: ArraySlice<UInt8>,
        of subject: ReceiptSubject,
        signer: ReceiptSigner,
        now: Int64,
        into bytes: inout [UInt8]
    ) {
        let inside = payload.dropLast()
        bytes.append(contentsOf: inside)
        // Whatever a member's value is, it does not end in an opening brace.
        if inside.last(where: { !isWhiteSpace($0) }) != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        append("\"wb_id\":\"", to: &bytes)
        withUnsafeTemporaryAllocation(byteCount: NotificationID.textLength, alignment: 1) { text in
            subject.id.writeText(to: text)
            bytes.append(contentsOf: text)
        }
        append("\",\"wb_rcpt\":\"", to: &bytes)
        signer.appendCapability(of: subject, now: now, to: &bytes)
        append("\"}", to: &bytes)
    }

    private static func append(_ text: StaticString, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}

/// The payloads of a message's requests that carry capabilities, one behind the other in one array.
///
/// They are slices of it, so nothing may be added once they are handed out.
struct ReceiptPayloads: Sendable {
    private var bytes: [UInt8] = []
    private var places: [(request: Int, range: Range<Int>)] = []

    var isEmpty: Bool { places.isEmpty }

    mutating func add(_ notification: Notification, request: Int, signer: ReceiptSigner, now: Int64) {
        let start = bytes.count
        let subject = notification.receiptSubject
        ReceiptMembers.append(to: notification.payload, of: subject, signer: signer, now: now, into: &bytes)
        places.append((request, start..<bytes.count))
    }

    func forEach(_ body: (_ request: Int, _ payload: ArraySlice<UInt8>) -> Void) {
        for place in places { body(place.request, bytes[place.range]) }
    }
}
