import WaybillAccounts

extension FuzzTarget {
    /// The image of a service: what is left of it is an image that loses nothing more.
    static let serviceImage = FuzzTarget("service-image", dictionary: "image") { bytes in
        guard let image = try? ServiceImage(bytes) else { return }
        try require(ServiceImage.sides.contains(image.width), "a width beyond the limit")
        try require(ServiceImage.sides.contains(image.height), "a height beyond the limit")
        // What says how it is to be shown may be written in more bytes than it came in.
        try require(image.bytes.count <= bytes.count + 64, "more than came")
        try require((try? ServiceImage(image.bytes)) == image, "what is left is another image")
    }
}
