/// How long passwords wait after wrong ones: longer and longer, and never without an end, for whoever guesses could lock somebody
/// else out.
enum LoginPace {
    /// Wrong passwords from one place that cost nothing: people mistype.
    static let free = 5
    /// The longest wait of one place, in milliseconds.
    static let longest: Int64 = 15 * 60_000
    /// Wrong passwords from all places together that cost nothing, besides those where somebody knew the password before.
    static let freeTogether = 50
    /// The longest wait of all of these, in milliseconds.
    static let longestTogether: Int64 = 5 * 60_000

    /// The wait of one place after so many wrong passwords in a row, in milliseconds: a second after the fifth, then twice as long
    /// each time.
    static func wait(failures: Int) -> Int64 { wait(failures - free, longest) }

    /// The wait of all places where nobody knew the password before: a second after the fiftieth, then twice as long each time.
    static func waitTogether(failures: Int) -> Int64 { wait(failures - freeTogether, longestTogether) }

    private static func wait(_ dear: Int, _ longest: Int64) -> Int64 {
        guard dear >= 0 else { return 0 }
        return dear >= 20 ? longest : min(longest, 1000 << Int64(dear))
    }
}
