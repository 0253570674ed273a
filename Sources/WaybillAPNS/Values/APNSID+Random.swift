extension APNSID {
    /// A new random UUID, version 4 (RFC 9562 §5.4), from the system's generator.
    public static func random() -> Self {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// A new random UUID, version 4 (RFC 9562 §5.4), from a generator of the caller's own.
    public static func random(using generator: inout some RandomNumberGenerator) -> Self {
        // The version stands in bits 48 to 51, the variant `10` in bits 64 and 65.
        let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return Self(high: high, low: low)
    }
}

extension APNSID: Codable {
    /// Reads the text form.
    ///
    /// - Throws: `DecodingError` when the value is not the text of a UUID.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not the text of a UUID")
        }
        self = id
    }

    /// Writes the canonical text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
