/// Versions of apps, which compare by their leading numbers: `v2.10-rc.1` and `2.10 (345)` are 2.10.
package enum AppVersion {
    /// Numbers that are compared; further ones are not.
    package static let most = 8

    /// The error for a text without a leading number, behind the field's name.
    package static let form = "must begin with a number, such as 2.10.1"

    /// The leading numbers of a version.
    ///
    /// - Parameter text: as the app writes it.
    /// - Returns: `nil` for a text that begins with no number; a number beyond 64 bits is the largest of these.
    package static func numbers(_ text: String) -> [Int]? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let marks = [UInt8(ascii: " "), UInt8(ascii: "v"), UInt8(ascii: "V")]
        var numbers: [Int] = []
        for part in text.utf8.drop(while: marks.contains)
            .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        {
            let number = part.prefix { digits.contains($0) }
            guard !number.isEmpty else { break }
            numbers.append(Int(String(decoding: number, as: UTF8.self)) ?? .max)
            // Whatever follows a digit ends the numbers.
            guard number.count == part.count else { break }
        }
        return numbers.isEmpty ? nil : numbers
    }
}
