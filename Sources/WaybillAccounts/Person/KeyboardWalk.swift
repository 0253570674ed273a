/// What fingers type without a thought: keys beside each other, the alphabet, numbers in their order.
enum KeyboardWalk {
    /// Fewer keys are no walk.
    private static let fewest = 3

    /// Whether a text is nothing but such walks, in any number, in either direction, or one key again and again.
    ///
    /// - Parameter text: in small letters.
    /// - Returns: whether it is.
    static func make(_ text: [UInt8]) -> Bool {
        guard !text.isEmpty else { return false }
        // How far the text is walks, from its beginning: to each place or not.
        var isReached = [Bool](repeating: false, count: text.count + 1)
        isReached[0] = true
        for start in text.indices where isReached[start] {
            var end = start + fewest
            while end <= text.count, isWalk(text[start..<end]) {
                isReached[end] = true
                end += 1
            }
        }
        return isReached[text.count]
    }

    private static func isWalk(_ part: ArraySlice<UInt8>) -> Bool {
        if Set(part).count == 1 { return true }
        return paths.contains { path in contains(path, part) }
    }

    private static func contains(_ path: [UInt8], _ part: ArraySlice<UInt8>) -> Bool {
        guard part.count <= path.count else { return false }
        return (0...path.count - part.count).contains { path[$0..<$0 + part.count].elementsEqual(part) }
    }

    private static let paths: [[UInt8]] = {
        let rows = [
            "1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop", "qsdfghjklm",
        ]
        // Down the columns, and in the angle between two of them.
        let columns = [
            "1qaz", "2wsx", "3edc", "4rfv", "5tgb", "6yhn", "7ujm", "1qay", "qaz", "wsx", "edc", "rfv", "tgb",
        ]
        let zigzags = ["1q2w3e4r5t6y7u8i9o0p", "q1w2e3r4t5y6u7i8o9p0", "qawsedrftgyhujikolp", "azsxdcfvgbhnjm"]
        let others = [
            "abcdefghijklmnopqrstuvwxyz", "0123456789", "01234567890", "13579", "24680", "147258369", "159357",
            "1029384756",
        ]
        return (rows + columns + zigzags + others).flatMap { path -> [[UInt8]] in
            let bytes = Array(path.utf8)
            return [bytes, bytes.reversed()]
        }
    }()
}
