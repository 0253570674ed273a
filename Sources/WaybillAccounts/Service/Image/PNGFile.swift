/// Reads the chunks of a PNG file (W3C PNG, third edition) and keeps those that its picture needs.
enum PNGFile {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Beside those of each PNG: transparency, and which colours are meant, in the sizes that these have.
    private static let kept: [String: ClosedRange<Int>] = [
        "tRNS": 1...256, "gAMA": 4...4, "cHRM": 32...32, "sRGB": 1...1,
    ]
    /// The bit depths that a kind of colours may have.
    private static let depths: [UInt8: Set<UInt8>] = [
        0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16],
    ]
    private static let paletteColours: UInt8 = 3

    private struct Header {
        let width: Int
        let height: Int
        let hasPalette: Bool
    }

    /// What has been read, from the beginning on.
    private struct Progress {
        var header: Header?
        var seen: Set<String> = []
        var dataBytes = 0
        /// Whether something has come behind the data, which is in one piece.
        var dataHasEnded = false
    }

    /// What a file shows, without the rest.
    ///
    /// - Parameter file: begins with ``signature``.
    /// - Returns: the image.
    /// - Throws: ``ImageFault``.
    static func image(of file: [UInt8]) throws(ImageFault) -> ServiceImage {
        var kept = signature
        var progress = Progress()
        var place = signature.count
        while true {
            guard let length = file.number32(at: place), length <= file.count - place - 12 else { throw .damaged }
            let end = place + 12 + length
            let name = String(decoding: file[place + 4..<place + 8], as: UTF8.self)
            guard let checksum = file.number32(at: end - 4),
                checksum == Int(CRC32.checksum(of: file[place + 4..<end - 4]))
            else { throw .damaged }
            let content = file[place + 8..<end - 4]
            if try keeps(name, content, &progress) { kept += file[place..<end] }
            if name == "IEND" { break }
            place = end
        }
        guard let header = progress.header, progress.dataBytes > 0 else { throw .damaged }
        return try ServiceImage(.png, width: header.width, height: header.height, bytes: kept)
    }

    /// Checks a chunk in its place, and says whether the picture needs it.
    private static func keeps(
        _ name: String,
        _ content: ArraySlice<UInt8>,
        _ progress: inout Progress
    ) throws(ImageFault) -> Bool {
        guard name != "IHDR" else {
            guard progress.header == nil else { throw .damaged }
            progress.header = try header(Array(content))
            return true
        }
        guard let header = progress.header else { throw .damaged }
        if name != "IDAT", progress.dataBytes > 0 { progress.dataHasEnded = true }
        switch name {
        case "PLTE":
            guard progress.dataBytes == 0, progress.seen.insert(name).inserted, content.count.isMultiple(of: 3),
                (3...768).contains(content.count)
            else { throw .damaged }
            return true
        case "IDAT":
            guard !progress.dataHasEnded, !header.hasPalette || progress.seen.contains("PLTE") else { throw .damaged }
            progress.dataBytes += content.count
            return true
        case "IEND":
            guard content.isEmpty else { throw .damaged }
            return true
        default:
            if let sizes = Self.kept[name] {
                guard progress.dataBytes == 0, sizes.contains(content.count), progress.seen.insert(name).inserted
                else { throw .damaged }
                return true
            }
            // A small first letter: whoever does not know it can do without.
            guard let first = name.utf8.first, first & 0x20 != 0 else { throw .unusual }
            return false
        }
    }

    private static func header(_ content: [UInt8]) throws(ImageFault) -> Header {
        guard content.count == 13, let width = content.number32(at: 0), let height = content.number32(at: 4)
        else { throw .damaged }
        let (depth, colours, compression, filter, interlace) = (
            content[8], content[9], content[10], content[11], content[12]
        )
        guard depths[colours]?.contains(depth) == true, compression == 0, filter == 0, interlace <= 1 else {
            throw .damaged
        }
        return Header(width: width, height: height, hasPalette: colours == paletteColours)
    }
}
