/// One decoder of bytes from outside, and what must hold for whatever it is given.
///
/// `scripts/fuzz.sh` runs the targets under libFuzzer; the tests replay the kept inputs and their mutations. A trap, an
/// overrun or a hang is a finding, and so is a ``Violation``.
package struct FuzzTarget: Sendable {
    /// Names the target's folder in `Corpus`.
    package let name: String
    /// The schema whose examples (`schemas/examples`) are more inputs for it; `nil` for none.
    package let examples: String?
    /// Libfuzzer's dictionary, a file of `Dictionaries`; `nil` for none.
    package let dictionary: String?
    private let body: @Sendable ([UInt8]) throws -> Void

    init(
        _ name: String,
        examples: String? = nil,
        dictionary: String? = nil,
        _ body: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        self.name = name
        self.examples = examples
        self.dictionary = dictionary
        self.body = body
    }

    /// Feeds one input.
    ///
    /// - Throws: `Violation` when a property does not hold.
    package func run(_ bytes: [UInt8]) throws {
        try body(bytes)
    }

    package static let all: [FuzzTarget] = [
        .dispatchBody, .fcmBody, .gzipBody, .brokerProperties, .invalidTokenEvent, .answerBody, .answerFrames,
        .configuration,
        .csv, .ndjson, .jsonFile, .logArguments, .deliveryDocument, .simulatorRules, .keyFile, .certificateContainer,
        .serviceImage,
    ]

    package static func named(_ name: String) -> FuzzTarget? {
        all.first { $0.name == name }
    }
}

/// A property that did not hold.
package struct Violation: Error, CustomStringConvertible {
    package let description: String
}

/// - Throws: `Violation` unless the condition holds.
func require(_ condition: Bool, _ property: @autoclosure () -> String) throws {
    guard condition else { throw Violation(description: property()) }
}
