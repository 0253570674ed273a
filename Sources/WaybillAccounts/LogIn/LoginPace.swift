/// How long an account waits for its next password after wrong ones: longer and longer, and never without an end, for whoever
/// guesses could lock somebody else out.
enum LoginPace {
    /// Wrong passwords that cost nothing: people mistype.
    static let free = 5
    /// The longest wait, in milliseconds.
    static let longest: Int64 = 15 * 60_000

    /// The wait after so many wrong passwords in a row, in milliseconds: a second after the fifth, then twice as long each time.
    static func wait(failures: Int) -> Int64 {
        guard failures >= free else { return 0 }
        return failures - free >= 20 ? longest : min(longest, 1000 << Int64(failures - free))
    }
}
