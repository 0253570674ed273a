import WaybillEncoding
import WaybillTLS

/// Writes positions in a tail as the ids of events, and reads them back.
///
/// Everybody's records are numbered together, and whoever sees the numbers could count those that are none of theirs: so a position
/// is masked, another way each time.
struct TailMark: Sendable {
    private let stream = UInt32.random(in: 0 ... .max)
    private let key = (0..<32).map { _ in UInt8.random(in: 0 ... .max) }

    /// The stream's name, a hyphen and 32 hexadecimal digits.
    func text(of position: UInt64) -> String {
        let nonce = UInt64.random(in: 0 ... .max)
        return "\(Self.digits(stream))-\(Self.digits(nonce))\(Self.digits(position ^ mask(nonce)))"
    }

    /// The position; `nil` for a text of another stream, and for most that are none of this stream's either.
    func position(_ text: String) -> UInt64? {
        let name = "\(Self.digits(stream))-"
        guard text.hasPrefix(name), let bytes = Hexadecimal.bytes(of: text.dropFirst(name.count)), bytes.count == 16
        else { return nil }
        let (nonce, masked) = (Self.number(bytes[..<8]), Self.number(bytes[8...]))
        return masked ^ mask(nonce)
    }

    private func mask(_ nonce: UInt64) -> UInt64 {
        HMACSHA256.authenticate(Self.bytes(nonce), key: key).words.0
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private static func digits(_ number: some FixedWidthInteger) -> String { Hexadecimal.text(of: bytes(number)) }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
