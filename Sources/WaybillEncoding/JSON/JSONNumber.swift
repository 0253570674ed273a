/// Reads the text of a number that a scanner has checked.
package enum JSONNumber {
    /// The number if it is a whole one; `nil` if not, and outside ±2^53.
    ///
    /// To JSON `10`, `10.0` and `1e1` are the same number.
    @inlinable
    package static func integer(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        var magnitude: Int64 = 0
        let isNegative = text.first == UInt8(ascii: "-")
        guard text.count <= 16 else { return wholeDouble(text) }
        for byte in text.dropFirst(isNegative ? 1 : 0) {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return wholeDouble(text) }
            magnitude = magnitude * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return isNegative ? -magnitude : magnitude
    }

    /// The number as near as a `Double` comes; `nil` if it is too large for one.
    @inlinable
    package static func double(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        Double(String(decoding: text, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }

    @inlinable
    static func wholeDouble(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard let number = double(text), abs(number) <= 9_007_199_254_740_992 else { return nil }
        let whole = Int64(number)
        return Double(whole) == number ? whole : nil
    }
}
