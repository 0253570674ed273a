/// The checksum of Ethernet and ZIP (polynomial 0xEDB88320, reflected).
///
/// Bit by bit: it is for 30 characters at a time.
enum CRC32 {
    static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        var value: UInt32 = .max
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        }
        return ~value
    }
}
