/// Bytes from the system's generator, which is one for secrets.
enum RandomBytes {
    static func take(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0 ... .max) } }
}
