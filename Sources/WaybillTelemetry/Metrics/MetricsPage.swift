/// Everything that is measured, read at one moment, and its text for Prometheus.
///
/// What several parts report under the same name and labels is added up: after a reload two dispatchers run in one process.
/// The last one alone counts for what is ``set(_:_:_:)``.
package struct MetricsPage: Sendable {
    /// One series' value.
    enum Value: Hashable, Sendable {
        case number(Double)
        case histogram(DurationHistogram)
    }

    private struct Family: Sendable {
        let metric: Metric
        /// In the order in which they were first added.
        var order: [MetricLabels] = []
        var values: [MetricLabels: Value] = [:]
    }

    /// `Content-Type` of ``text`` (prometheus.io/docs/instrumenting/exposition_formats, version 0.0.4).
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private var order: [String] = []
    private var families: [String: Family] = [:]

    package init() {}

    // MARK: - Filling

    /// Adds to a counter's or a gauge's series; the first time it appears, with zero too.
    package mutating func add(_ metric: Metric, _ value: Double, _ labels: MetricLabels = [:]) {
        add(metric, .number(value), labels)
    }

    /// Adds to a counter's or a gauge's series.
    package mutating func add(_ metric: Metric, _ value: Int, _ labels: MetricLabels = [:]) {
        add(metric, .number(Double(value)), labels)
    }

    /// Adds to a histogram's series.
    package mutating func add(_ metric: Metric, _ value: DurationHistogram, _ labels: MetricLabels = [:]) {
        add(metric, .histogram(value), labels)
    }

    /// Sets a gauge's series that cannot be added up: what was there before goes.
    package mutating func set(_ metric: Metric, _ value: Int64, _ labels: MetricLabels = [:]) {
        // A series that is not there yet must not seem to be: it has no place in the order.
        if families[metric.name]?.values[labels] != nil { families[metric.name]?.values[labels] = .number(0) }
        add(metric, .number(Double(value)), labels)
    }

    /// Adds what only grows of another page: what a part has counted that has ended meanwhile.
    package mutating func addCounters(of other: Self) {
        for name in other.order {
            guard let family = other.families[name], family.metric.kind != .gauge else { continue }
            for labels in family.order {
                if let value = family.values[labels] { add(family.metric, value, labels) }
            }
        }
    }

    private mutating func add(_ metric: Metric, _ value: Value, _ labels: MetricLabels) {
        if families[metric.name] == nil {
            order.append(metric.name)
            families[metric.name] = Family(metric: metric)
        }
        let present = families[metric.name]?.values[labels]
        if present == nil { families[metric.name]?.order.append(labels) }
        families[metric.name]?.values[labels] = Self.sum(present, value)
    }

    private static func sum(_ present: Value?, _ added: Value) -> Value {
        switch (present, added) {
        case (.number(let one)?, .number(let other)): return .number(one + other)
        case (.histogram(var one)?, .histogram(let other)):
            one.add(other)
            return .histogram(one)
        default: return added
        }
    }

    // MARK: - Reading

    /// The value of a counter's or a gauge's series; `nil` if there is none.
    package func value(_ name: String, _ labels: MetricLabels = [:]) -> Double? {
        guard case .number(let number)? = families[name]?.values[labels] else { return nil }
        return number
    }

    /// The page in Prometheus' text format 0.0.4.
    package var text: String {
        var text = ""
        for name in order {
            guard let family = families[name] else { continue }
            text += "# HELP \(name) \(Self.escaped(family.metric.help, quotes: false))\n"
            text += "# TYPE \(name) \(family.metric.kind.rawValue)\n"
            for labels in family.order {
                switch family.values[labels] {
                case .number(let number): text += Self.line(name, labels, number)
                case .histogram(let histogram): text += Self.lines(name, labels, histogram)
                case nil: break
                }
            }
        }
        return text
    }

    private static func lines(_ name: String, _ labels: MetricLabels, _ histogram: DurationHistogram) -> String {
        var text = ""
        var count = 0
        for (bound, number) in zip(DurationHistogram.bounds.map { Self.number($0) } + ["+Inf"], histogram.counts) {
            count += number
            text += line(name + "_bucket", labels, Double(count), le: bound)
        }
        text += line(name + "_sum", labels, histogram.sum)
        return text + line(name + "_count", labels, Double(count))
    }

    private static func line(_ name: String, _ labels: MetricLabels, _ value: Double, le: String? = nil) -> String {
        var pairs = labels.pairs.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }
        if let le { pairs.append("le=\"\(le)\"") }
        let braces = pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
        return "\(name)\(braces) \(number(value))\n"
    }

    /// As Go's `ParseFloat` reads it; whole numbers without a point.
    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map { String($0) } ?? "\(value)"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
