/// Reads the segments of a JPEG file (ITU-T T.81) and keeps those that its picture needs.
enum JPEGFile {
    static let signature: [UInt8] = [0xFF, 0xD8]

    private enum Marker {
        /// Sequential, extended and progressive frames with Huffman codes: what every phone and browser shows.
        static let frames: ClosedRange<UInt8> = 0xC0...0xC2
        static let huffman: UInt8 = 0xC4
        static let restarts: ClosedRange<UInt8> = 0xD0...0xD7
        static let end: UInt8 = 0xD9
        static let scan: UInt8 = 0xDA
        static let quantization: UInt8 = 0xDB
        static let restartInterval: UInt8 = 0xDD
        static let applications: ClosedRange<UInt8> = 0xE0...0xEF
        static let jfif: UInt8 = 0xE0
        static let exif: UInt8 = 0xE1
        static let adobe: UInt8 = 0xEE
        static let comment: UInt8 = 0xFE
    }

    /// More make a decoder slow, however small the file is.
    private static let mostScans = 100
    /// JFIF 1.01 without a thumbnail: that colours are as it says, and pixels square.
    private static let plainJFIF: [UInt8] =
        [0xFF, Marker.jfif, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]

    /// What has been read, from the beginning on.
    private struct Progress {
        var sides: (width: Int, height: Int)?
        var hasJFIF = false
        var orientation: ImageOrientation?
        var scans = 0
    }

    /// What a file shows, without the rest.
    ///
    /// - Parameter file: begins with ``signature``.
    /// - Returns: the image.
    /// - Throws: ``ImageFault``.
    static func image(of file: [UInt8]) throws(ImageFault) -> ServiceImage {
        var kept: [UInt8] = []
        var progress = Progress()
        var place = signature.count
        while true {
            guard place < file.count, file[place] == 0xFF else { throw .damaged }
            // As many of these as somebody likes stand before a marker.
            while place < file.count, file[place] == 0xFF { place += 1 }
            guard place < file.count else { throw .damaged }
            let marker = file[place]
            place += 1
            if marker == Marker.end { break }
            guard let length = file.number16(at: place), length >= 2, place + length <= file.count else {
                throw .damaged
            }
            let content = Array(file[place + 2..<place + length])
            place += length
            guard try keeps(marker, content, &progress) else { continue }
            kept += [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + content
            if marker == Marker.scan {
                let end = try endOfScan(file, place)
                kept += file[place..<end]
                place = end
            }
        }
        guard let sides = progress.sides, progress.scans > 0 else { throw .damaged }
        let isTurned = progress.orientation?.isTurned ?? false
        return try ServiceImage(
            .jpeg,
            width: isTurned ? sides.height : sides.width,
            height: isTurned ? sides.width : sides.height,
            bytes: signature + (progress.hasJFIF ? plainJFIF : []) + (progress.orientation?.segment ?? []) + kept
                + [0xFF, Marker.end]
        )
    }

    /// Checks a segment in its place, and says whether the picture needs it.
    private static func keeps(
        _ marker: UInt8,
        _ content: [UInt8],
        _ progress: inout Progress
    ) throws(ImageFault) -> Bool {
        switch marker {
        case Marker.frames:
            guard progress.sides == nil else { throw .damaged }
            progress.sides = try sides(content)
            return true
        case Marker.scan:
            guard progress.sides != nil, content.count >= 6 else { throw .damaged }
            progress.scans += 1
            guard progress.scans <= mostScans else { throw .unusual }
            return true
        case Marker.huffman, Marker.quantization, Marker.restartInterval: return true
        // It says how three colours are coded.
        case Marker.adobe: return content.count == 12 && content.starts(with: "Adobe".utf8)
        case Marker.applications, Marker.comment:
            if marker == Marker.jfif, content.starts(with: "JFIF\0".utf8) { progress.hasJFIF = true }
            if marker == Marker.exif, progress.orientation == nil {
                progress.orientation = ImageOrientation(exif: content)
            }
            return false
        // Between the scans of a file they are data, and elsewhere nothing.
        case 0, 1, Marker.restarts, 0xD8: throw .damaged
        default: throw .unusual
        }
    }

    /// Of a frame of eight bits, in grey or in three colours.
    private static func sides(_ content: [UInt8]) throws(ImageFault) -> (width: Int, height: Int) {
        guard content.count >= 6, let height = content.number16(at: 1), let width = content.number16(at: 3) else {
            throw .damaged
        }
        let components = Int(content[5])
        guard content.count == 6 + 3 * components else { throw .damaged }
        guard content[0] == 8, components == 1 || components == 3 else { throw .unusual }
        return (width, height)
    }

    /// Where the marker begins that stands behind a scan's data.
    private static func endOfScan(_ file: [UInt8], _ start: Int) throws(ImageFault) -> Int {
        var place = start
        while place + 1 < file.count {
            guard file[place] == 0xFF else {
                place += 1
                continue
            }
            let next = file[place + 1]
            if next == 0 || Marker.restarts.contains(next) {
                place += 2
            } else if next == 0xFF {
                place += 1
            } else {
                return place
            }
        }
        throw .damaged
    }
}
