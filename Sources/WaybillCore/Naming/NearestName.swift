/// Finds the known name that somebody most likely meant.
package enum NearestName {
    /// The candidate with the fewest single-character edits, when those are few enough to be a slip.
    package static func to(_ name: String, among candidates: some Sequence<String>) -> String? {
        let allowed = max(1, min(3, name.count / 3))
        let ranked = candidates.map { (name: $0, edits: edits(from: name, to: $0)) }
        guard let best = ranked.min(by: { ($0.edits, $0.name) < ($1.edits, $1.name) }) else { return nil }
        return best.edits <= allowed ? best.name : nil
    }

    /// The optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours.
    static func edits(from source: String, to target: String) -> Int {
        let source = Array(source.lowercased())
        let target = Array(target.lowercased())
        var beforeLast: [Int] = []
        var last = Array(0...target.count)
        for row in source.indices {
            var current = [row + 1]
            for column in target.indices {
                let isSame = source[row] == target[column]
                var best = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, source[row] == target[column - 1], source[row - 1] == target[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[target.count]
    }
}
