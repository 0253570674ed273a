import Testing
import WaybillTestSupport

@testable import WaybillAccounts

/// What is taken for an image, and what is left of it.
struct ServiceImageTests {
    // MARK: - PNG

    private static func number(_ value: Int) -> [UInt8] {
        [UInt8(value >> 24 & 0xFF), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
    }

    private static func chunk(_ name: String, _ content: [UInt8] = []) -> [UInt8] {
        let named = Array(name.utf8) + content
        return number(content.count) + named + number(Int(CRC32.checksum(of: named)))
    }

    private static func header(_ width: Int = 1, _ height: Int = 1, depth: UInt8 = 8, colours: UInt8 = 2) -> [UInt8] {
        chunk("IHDR", number(width) + number(height) + [depth, colours, 0, 0, 0])
    }

    private static func png(_ chunks: [UInt8]...) -> [UInt8] { PNGFile.signature + chunks.flatMap(\.self) }

    private static let data = chunk("IDAT", [1, 2, 3])
    private static let end = chunk("IEND")
    private static let palette = chunk("PLTE", [1, 2, 3])

    @Test func aPNGKeepsWhatIsSeen() throws {
        let image = try ServiceImage(SampleImages.png)
        #expect((image.format, image.width, image.height) == (.png, 3, 2))
        #expect(image.bytes.firstRange(of: SampleImages.hidden.utf8) == nil)
        for name in ["IHDR", "sRGB", "IDAT", "IEND"] {
            #expect(image.bytes.firstRange(of: name.utf8) != nil, "\(name)")
        }
        #expect(image.bytes.firstRange(of: "tIME".utf8) == nil)
        #expect(image.bytes.suffix(12).elementsEqual(Self.end))
        // What is left is an image that loses nothing more.
        #expect(try ServiceImage(image.bytes) == image)
        #expect(image.digest.utf8.count == 32)
    }

    @Test func transparencyAndPalettesStay() throws {
        let file = Self.png(
            Self.header(colours: 3),
            Self.palette,
            Self.chunk("tRNS", [0]),
            Self.chunk("acTL", [0, 0, 0, 2, 0, 0, 0, 0]),
            Self.data,
            Self.chunk("fdAT", [0, 0, 0, 1, 9]),
            Self.end
        )
        let kept = Self.png(Self.header(colours: 3), Self.palette, Self.chunk("tRNS", [0]), Self.data, Self.end)
        #expect(try ServiceImage(file).bytes == kept)
    }

    private static let brokenPNGs: [(String, [UInt8], ImageFault)] = {
        var flipped = SampleImages.png
        flipped[20] ^= 1
        return [
            ("nothing", PNGFile.signature, .damaged),
            ("cut off", Array(SampleImages.png.prefix(60)), .damaged),
            ("another checksum", flipped, .damaged),
            ("no header", png(data, end), .damaged),
            ("two headers", png(header(), header(), data, end), .damaged),
            ("no data", png(header(), end), .damaged),
            ("data in pieces", png(header(), data, chunk("tEXt"), data, end), .damaged),
            ("no palette", png(header(colours: 3), data, end), .damaged),
            ("a palette too late", png(header(), data, palette, end), .damaged),
            ("two palettes", png(header(), palette, palette, data, end), .damaged),
            ("half a colour", png(header(), chunk("PLTE", [1, 2]), data, end), .damaged),
            ("a depth that is none", png(header(depth: 3), data, end), .damaged),
            ("colours that are none", png(header(colours: 5), data, end), .damaged),
            ("something at the end", png(header(), data, chunk("IEND", [1])), .damaged),
            ("much in a small part", png(header(), chunk("gAMA", [1]), data, end), .damaged),
            ("a part that must be known", png(header(), chunk("SECR", [1]), data, end), .unusual),
            ("no width", png(header(0, 1), data, end), .sides(width: 0, height: 1)),
            ("too wide", png(header(2049, 1), data, end), .sides(width: 2049, height: 1)),
            ("far too high", png(header(1, 1 << 31), data, end), .sides(width: 1, height: 1 << 31)),
            (
                "a length beyond everything", PNGFile.signature + [0xFF, 0xFF, 0xFF, 0xFF] + Array("IHDR".utf8),
                .damaged
            ),
        ]
    }()

    @Test("what is no PNG to show", arguments: brokenPNGs.indices)
    func brokenPNG(_ index: Int) {
        let (name, file, fault) = Self.brokenPNGs[index]
        #expect(throws: fault, "\(name)") { try ServiceImage(file) }
    }

    @Test func theLargestPNGIsTaken() throws {
        let side = ServiceImage.sides.upperBound
        let image = try ServiceImage(Self.png(Self.header(side, side), Self.data, Self.end))
        #expect((image.width, image.height) == (side, side))
    }

    // MARK: - JPEG

    private static func segment(_ marker: UInt8, _ content: [UInt8] = []) -> [UInt8] {
        [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xFF)] + content
    }

    private static func frame(_ width: UInt8 = 1, components: UInt8 = 3, precision: UInt8 = 8) -> [UInt8] {
        let each = (0..<components).flatMap { id -> [UInt8] in [id + 1, 0x11, 0] }
        return segment(0xC0, [precision, 0, 1, 0, width, components] + each)
    }

    private static let scan = segment(0xDA, [1, 1, 0, 0, 63, 0]) + [0x12, 0xFF, 0, 0xFF, 0xD7, 0x34]

    private static func jpeg(_ segments: [UInt8]..., end: [UInt8] = [0xFF, 0xD9]) -> [UInt8] {
        JPEGFile.signature + segments.flatMap(\.self) + end
    }

    @Test("a photograph keeps what is seen, and stands as its camera was held", arguments: 1...8)
    func photograph(orientation: Int) throws {
        let image = try ServiceImage(SampleImages.jpeg(width: 4, height: 3, orientation: UInt8(orientation)))
        #expect(image.format == .jpeg)
        #expect((image.width, image.height) == (orientation < 5 ? (4, 3) : (3, 4)))
        #expect(image.bytes.firstRange(of: SampleImages.hidden.utf8) == nil)
        #expect(image.bytes.firstRange(of: [0x12, 0xFF, 0, 0x34, 0xFF, 0xD0, 0x56]) != nil)
        #expect(image.bytes.firstRange(of: "JFIF".utf8) != nil)
        // The thumbnail has gone, and the place.
        #expect(image.bytes.firstRange(of: [9, 9, 9]) == nil)
        #expect(image.bytes.firstRange(of: [0x25, 0x88]) == nil && image.bytes.firstRange(of: [0x88, 0x25]) == nil)
        #expect((image.bytes.firstRange(of: "Exif".utf8) != nil) == (orientation > 1))
        #expect(image.bytes.suffix(2).elementsEqual([0xFF, 0xD9]))
        #expect(try ServiceImage(image.bytes) == image)
    }

    @Test func adobesWordOnColoursStays() throws {
        let adobe = Self.segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1])
        let other = Self.segment(0xEE, Array("Adobe".utf8) + [UInt8](repeating: 7, count: 40))
        let image = try ServiceImage(Self.jpeg(adobe, other, Self.segment(0xE2, [1]), Self.frame(), Self.scan))
        #expect(image.bytes == Self.jpeg(adobe, Self.frame(), Self.scan))
    }

    private static let brokenJPEGs: [(String, [UInt8], ImageFault)] = [
        ("nothing", JPEGFile.signature, .damaged), ("an end alone", jpeg(), .damaged),
        ("no scan", jpeg(frame()), .damaged), ("no frame", jpeg(scan), .damaged),
        ("two frames", jpeg(frame(), frame(), scan), .damaged), ("no end", jpeg(frame(), scan, end: []), .damaged),
        ("cut off in a marker", jpeg(frame(), scan, end: [0xFF]), .damaged),
        ("cut off in a segment", jpeg(segment(0xDB, [1, 2]).dropLast(), end: []), .damaged),
        ("a length that is none", jpeg([0xFF, 0xDB, 0, 1]), .damaged),
        ("something between segments", jpeg(frame(), [0x12], scan), .damaged),
        ("a second beginning", jpeg(frame(), [0xFF, 0xD8], scan), .damaged),
        ("a frame too short", jpeg(segment(0xC0, [8, 0, 1, 0, 1, 3]), scan), .damaged),
        ("twelve bits", jpeg(frame(precision: 12), scan), .unusual),
        ("four colours", jpeg(frame(components: 4), scan), .unusual),
        ("a lossless frame", jpeg(segment(0xC3, [8, 0, 1, 0, 1, 1, 1, 0x11, 0]), scan), .unusual),
        ("arithmetic coding", jpeg(segment(0xCC, [0, 0]), frame(), scan), .unusual),
        ("no width", jpeg(frame(0), scan), .sides(width: 0, height: 1)),
        ("more scans than anybody needs", jpeg(frame(), [UInt8](repeatElement(scan, count: 101).joined())), .unusual),
    ]

    @Test("what is no JPEG to show", arguments: brokenJPEGs.indices)
    func brokenJPEG(_ index: Int) {
        let (name, file, fault) = Self.brokenJPEGs[index]
        #expect(throws: fault, "\(name)") { try ServiceImage(file) }
    }

    @Test func otherFormatsAreNotTaken() {
        for file in [
            "", "GIF89a", "RIFF....WEBP", "<svg xmlns='http://www.w3.org/2000/svg'/>", "\u{89}PNG", "%PDF-1.7",
        ] {
            #expect(throws: ImageFault.otherFormat, "\(file)") { try ServiceImage(Array(file.utf8)) }
        }
    }
}
