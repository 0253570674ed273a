/// What Google's front ends say in a GOAWAY: plain text.
enum FCMGoAway {
    static func reason(_ debugData: UnsafeRawBufferPointer) -> String? {
        guard !debugData.isEmpty, debugData.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return String(decoding: debugData.prefix(64), as: UTF8.self)
    }
}
