/// A family of time series: its name, what kind of number it is, and what it says.
///
/// Names follow prometheus.io/docs/practices/naming: `waybill_`, snake case, base units, `_total` for counters.
package struct Metric: Hashable, Sendable {
    package enum Kind: String, Sendable {
        /// Only grows, until its process ends.
        case counter
        case gauge
        case histogram
    }

    package let name: String
    package let kind: Kind
    /// A sentence for whoever reads the page or a dashboard.
    package let help: String

    package init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }
}

/// What tells the series of a family apart: names and values, in the order in which they are shown.
///
/// Values come from the configuration or from closed sets, never from messages: each one is a series of its own.
package struct MetricLabels: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    package struct Pair: Hashable, Sendable {
        let name: String
        let value: String
    }

    let pairs: [Pair]

    package init(dictionaryLiteral elements: (String, String)...) {
        pairs = elements.map { Pair(name: $0.0, value: $0.1) }
    }
}
