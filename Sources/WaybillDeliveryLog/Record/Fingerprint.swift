/// How the log holds what a notification is about.
enum Fingerprint {
    /// 16 lower-case hexadecimal digits.
    static func text(_ fingerprint: UInt64) -> String {
        let digits = String(fingerprint, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
