import WaybillTLS

/// A picture that stands for a service: a PNG or a JPEG, with nothing in it but what is seen.
///
/// No pixel is decoded here. The file's own parts say what it is, whatever it is called; those that nobody sees, such as the place
/// where a photograph was taken, texts, thumbnails, and what stands behind its end, are left out.
package struct ServiceImage: Hashable, Sendable {
    package enum Format: String, CaseIterable, Sendable {
        case png
        case jpeg

        package var mediaType: String { "image/\(rawValue)" }

        /// At the end of its address.
        var suffix: String { self == .png ? "png" : "jpg" }
    }

    /// Of each side, in pixels: what phones can show in the little memory that a notification has.
    package static let sides = 1...2048

    package let format: Format
    /// In pixels, as it is shown.
    package let width: Int
    package let height: Int
    package let bytes: [UInt8]

    /// Reads a file, and leaves out what nobody sees.
    ///
    /// - Throws: ``ImageFault``.
    package init(_ file: [UInt8]) throws(ImageFault) {
        if file.starts(with: PNGFile.signature) {
            self = try PNGFile.image(of: file)
        } else if file.starts(with: JPEGFile.signature) {
            self = try JPEGFile.image(of: file)
        } else {
            throw .otherFormat
        }
    }

    /// - Throws: ``ImageFault/sides(width:height:)``.
    init(_ format: Format, width: Int, height: Int, bytes: [UInt8]) throws(ImageFault) {
        guard Self.sides.contains(width), Self.sides.contains(height) else {
            throw .sides(width: width, height: height)
        }
        self.format = format
        self.width = width
        self.height = height
        self.bytes = bytes
    }

    /// What its address holds, so that another image has another one: the first half of its SHA-256, 32 hexadecimal digits.
    var digest: String { String(SHA256Hasher.digest(of: bytes).hexadecimal.prefix(32)) }
}

/// Why a file is no image for a service.
package enum ImageFault: Error, Hashable, Sendable {
    /// Neither a PNG nor a JPEG.
    case otherFormat
    /// It is not whole, or its parts contradict each other.
    case damaged
    /// A form that not every phone and browser shows, or that takes them long.
    case unusual
    case sides(width: Int, height: Int)
}

/// Numbers of a file, the high byte first.
extension [UInt8] {
    /// - Returns: `nil` where the file is shorter.
    func number16(at place: Int) -> Int? {
        guard place >= 0, place + 2 <= count else { return nil }
        return Int(self[place]) << 8 | Int(self[place + 1])
    }

    /// - Returns: `nil` where the file is shorter.
    func number32(at place: Int) -> Int? {
        guard let high = number16(at: place), let low = number16(at: place + 2) else { return nil }
        return high << 16 | low
    }
}
