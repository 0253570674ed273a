/// Changes inputs in a sequence that is the same everywhere, so that a failure comes back.
struct Mutator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// One of the inputs with one to eight changes, or two of them put together.
    mutating func mutate(_ inputs: [[UInt8]]) -> [UInt8] {
        var bytes = inputs[below(inputs.count)]
        if below(8) == 0 {
            let other = inputs[below(inputs.count)]
            bytes = Array(bytes.prefix(below(bytes.count + 1)) + other.suffix(below(other.count + 1)))
        }
        for _ in 0...below(8) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes.append(anyByte()) }
        let position = below(bytes.count)
        switch below(6) {
        case 0: bytes[position] = anyByte()
        case 1: bytes[position] ^= 1 << UInt8(below(8))
        case 2: bytes.remove(at: position)
        case 3: bytes.insert(anyByte(), at: position)
        case 4:
            let end = min(bytes.count, position + 1 + below(16))
            bytes.removeSubrange(position..<end)
        default:
            let piece = bytes[position..<min(bytes.count, position + 1 + below(16))]
            bytes.insert(contentsOf: piece, at: below(bytes.count + 1))
        }
    }

    /// A mark of the formats, a bound, or any byte.
    private mutating func anyByte() -> UInt8 {
        let marks = Array("{}[]\":,\\u0123dD89aA -+.eEtfn\n\r'#&*!|>%/".utf8) + [0x00, 0x1F, 0x7F, 0x80, 0xC3, 0xFF]
        return below(2) == 0 ? marks[below(marks.count)] : UInt8(truncatingIfNeeded: next())
    }

    private mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
