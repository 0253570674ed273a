import Foundation

/// Files of images as cameras and programs write them, with more in them than what is seen.
package enum SampleImages {
    /// Stands in each, where nobody sees it.
    package static let hidden = "taken at home"

    /// A PNG of 3 by 2 pixels, with a comment, a time, and something behind its end.
    package static let png: [UInt8] = {
        let text = [
            "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAAAXNSR0IArs4c6QAAABV0RVh0Q29tbWVudAB0YWtlbiBhdCBob21l",
            "dmMaCQAAABFJREFUeNpjOCEX9R+GGZA5AKypDXt5+VflAAAAB3RJTUUAAAAAAAAACXOULgAAAABJRU5ErkJggnRha2VuIGF0IGhv",
            "bWU=",
        ].joined()
        return [UInt8](Data(base64Encoded: text) ?? Data())
    }()

    /// A JPEG with a thumbnail in JFIF, EXIF, a comment, and something behind its end.
    ///
    /// - Parameters:
    ///   - width: in pixels, as the camera has them.
    ///   - height: the same.
    ///   - orientation: 1 to 8, as EXIF has it.
    /// - Returns: the file; its data are no picture.
    package static func jpeg(width: UInt8 = 4, height: UInt8 = 3, orientation: UInt8 = 6) -> [UInt8] {
        func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
            let length = content.count + 2
            return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + content
        }
        let jfif = Array("JFIF\0".utf8) + [1, 2, 0, 0, 1, 0, 1, 1, 1] + [9, 9, 9]
        let entry: [UInt8] = [0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]
        let place: [UInt8] = [0x25, 0x88, 4, 0, 1, 0, 0, 0, 0x30, 0, 0, 0]
        let tiff: [UInt8] = [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 2, 0] + entry + place + [0, 0, 0, 0]
        let frame: [UInt8] = [8, 0, height, 0, width, 1, 1, 0x11, 0]
        // A zero byte behind FF makes it data, and so do restarts.
        let data: [UInt8] = [0x12, 0xFF, 0, 0x34, 0xFF, 0xD0, 0x56]
        return [0xFF, 0xD8] + segment(0xE0, jfif) + segment(0xE1, Array("Exif\0\0".utf8) + tiff + Array(hidden.utf8))
            + segment(0xFE, Array(hidden.utf8)) + segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
            + segment(0xC0, frame) + segment(0xC4, [0] + [UInt8](repeating: 0, count: 16))
            + segment(0xDA, [1, 1, 0, 0, 63, 0]) + data + [0xFF, 0xD9] + Array(hidden.utf8)
    }
}
