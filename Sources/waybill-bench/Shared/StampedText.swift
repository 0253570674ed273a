import WaybillThreads

/// The text of a notification: when it was to be published, which one it is, and filling to a fixed length.
///
/// `sent=<19 digits> <12 digits> Your parcel …`: nanoseconds of the monotonic clock, which every process of a machine
/// shares, and the notification's number.
struct StampedText {
    /// What stands before the time.
    static let marker = Array("sent=".utf8)
    /// Digits of the time.
    static let stampDigits = 19
    private static let numberDigits = 12
    /// The shortest text.
    static let minimum = marker.count + stampDigits + 1 + numberDigits

    private let filling: [UInt8]

    /// - Precondition: `length` is at least ``minimum``.
    init(length: Int) {
        let words = Array(" Your parcel is on its way and will be with you between ten and noon.".utf8)
        filling = (0..<length - Self.minimum).map { words[$0 % words.count] }
    }

    func append(sent: MonotonicTime, number: Int, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: Self.marker)
        Self.append(sent.nanoseconds, digits: Self.stampDigits, to: &bytes)
        bytes.append(UInt8(ascii: " "))
        Self.append(UInt64(number), digits: Self.numberDigits, to: &bytes)
        bytes.append(contentsOf: filling)
    }

    /// The time in a payload that holds such a text, in nanoseconds; `nil` without one.
    static func time(in payload: [UInt8]) -> UInt64? {
        payload.withUnsafeBufferPointer { payload in
            var start = 0
            let last = payload.count - marker.count - stampDigits
            while start <= last {
                guard payload[start] == marker[0], payload[start..<start + marker.count].elementsEqual(marker) else {
                    start += 1
                    continue
                }
                return number(payload[(start + marker.count)...].prefix(stampDigits))
            }
            return nil
        }
    }

    private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value &* 10 &+ UInt64(digit - UInt8(ascii: "0"))
        }
        return value
    }

    private static func append(_ value: UInt64, digits: Int, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: digits))
        var rest = value
        var position = bytes.count - 1
        for _ in 0..<digits where rest > 0 {
            bytes[position] += UInt8(rest % 10)
            rest /= 10
            position -= 1
        }
    }
}
