/// What the repetitions of a case have shown, each figure for one notification.
struct MicroResult {
    struct Repetition {
        let notifications: Int
        /// Nanoseconds of processor time.
        let processor: Double
        /// Nanoseconds of wall-clock time.
        let elapsed: Double
        let allocations: Double
        let bytes: Double
    }

    private(set) var repetitions: [Repetition] = []

    mutating func add(_ repetition: Repetition) {
        repetitions.append(repetition)
    }

    /// The median of a figure, with its smallest and its largest value.
    func spread(_ figure: KeyPath<Repetition, Double>) -> Spread {
        Spread(repetitions.map { $0[keyPath: figure] })
    }
}

/// A median between its extremes.
struct Spread: Encodable {
    let median: Double
    let minimum: Double
    let maximum: Double

    /// - Precondition: there is a value.
    init(_ values: [Double]) {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        minimum = sorted[0]
        maximum = sorted[sorted.count - 1]
        median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
