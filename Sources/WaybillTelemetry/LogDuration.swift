extension Duration {
    /// For a log line: seconds with at most three decimals, such as `0.119 seconds`; a pause has a random part, and nobody
    /// reads its nanoseconds.
    package var logText: String {
        let milliseconds = Int64((self / .milliseconds(1)).rounded())
        return "\(Double(milliseconds) / 1000) seconds"
    }
}
