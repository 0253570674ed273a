import WaybillEncoding

/// The forms that Apple asks of single header values: questions on bytes, without allocation.
enum HeaderForms {
    /// A canonical UUID, 8-4-4-4-12, in either case.
    static func isCanonicalUUID(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        guard bytes.count == 36 else { return false }
        for (position, byte) in bytes.enumerated() {
            switch position {
            case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return false }
            default: guard Hexadecimal.value(of: byte) != nil else { return false }
            }
        }
        return true
    }

    /// UNIX seconds: decimal digits that fit into 64 bits, without a sign.
    static func isExpiration(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        decimal(bytes) != nil
    }

    /// The value of `apns-priority`; `nil` unless it is one of the three that Apple names.
    static func priority(_ bytes: some RandomAccessCollection<UInt8>) -> Int? {
        switch decimal(bytes) {
        case 10 where bytes.count == 2: 10
        case 5 where bytes.count == 1: 5
        case 1 where bytes.count == 1: 1
        default: nil
        }
    }

    /// A topic's characters: letters, digits, `-`, `.` and `_`, 1 to 255 of them.
    static func isTopic(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        (1...255).contains(bytes.count)
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// A device token: whole bytes in hexadecimal.
    ///
    /// Apple fixes no length. The lower bound is the shortest seen in the field (32 bytes); the upper one is generous.
    static func isDeviceToken(_ bytes: some RandomAccessCollection<UInt8>, minimumDigits: Int) -> Bool {
        (minimumDigits...max(minimumDigits, 400)).contains(bytes.count)
            && bytes.count.isMultiple(of: 2)
            && bytes.allSatisfy { Hexadecimal.value(of: $0) != nil }
    }

    /// Whether a payload looks like a JSON object: `{` first and `}` last, blanks aside.
    static func isObjectLike(_ bytes: some BidirectionalCollection<UInt8>) -> Bool {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
        return bytes.first { !isBlank($0) } == UInt8(ascii: "{") && bytes.last { !isBlank($0) } == UInt8(ascii: "}")
    }

    private static func decimal(_ bytes: some RandomAccessCollection<UInt8>) -> Int64? {
        guard !bytes.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in bytes {
            guard (0x30...0x39).contains(byte) else { return nil }
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(Int64(byte - 0x30))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }
}
