/// How a photograph is to be turned, of all that EXIF says the one thing that is seen.
struct ImageOrientation: Hashable {
    /// 2 to 8; 1 is as it is.
    private let value: UInt8

    private static let opening = Array("Exif\0\0".utf8)
    private static let tag = 0x0112
    private static let shortType = 3
    /// More than any camera writes.
    private static let mostEntries = 512

    /// Reads it; `nil` where the segment is none of EXIF, says nothing of it, or that it is as it is.
    ///
    /// - Parameter content: of a JPEG's segment.
    init?(exif content: [UInt8]) {
        guard content.starts(with: Self.opening) else { return nil }
        let tiff = Array(content.dropFirst(Self.opening.count))
        let isLittle: Bool
        switch Array(tiff.prefix(4)) {
        case [0x49, 0x49, 0x2A, 0]: isLittle = true
        case [0x4D, 0x4D, 0, 0x2A]: isLittle = false
        default: return nil
        }
        func short(_ place: Int) -> Int? { tiff.number16(at: place).map { isLittle ? $0 >> 8 | ($0 & 0xFF) << 8 : $0 } }
        func long(_ place: Int) -> Int? {
            guard let first = short(place), let second = short(place + 2) else { return nil }
            return isLittle ? second << 16 | first : first << 16 | second
        }
        guard let start = long(4), let count = short(start), count <= Self.mostEntries else { return nil }
        for number in 0..<count {
            let entry = start + 2 + 12 * number
            guard short(entry) == Self.tag else { continue }
            guard short(entry + 2) == Self.shortType, long(entry + 4) == 1, let value = short(entry + 8),
                (2...8).contains(value)
            else { return nil }
            self.value = UInt8(value)
            return
        }
        return nil
    }

    /// Whether what is above is at a side then.
    var isTurned: Bool { value >= 5 }

    /// A segment of EXIF that says this alone.
    var segment: [UInt8] {
        let entry: [UInt8] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, value, 0, 0]
        let tiff: [UInt8] = [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1] + entry + [0, 0, 0, 0]
        let content = Self.opening + tiff
        return [0xFF, 0xE1, 0, UInt8(content.count + 2)] + content
    }
}
