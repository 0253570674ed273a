import Testing

/// Whole flows through the real broker, store and programs, one after the other: each has the machine to itself.
@Suite(.enabled(if: TestServices.shared != nil), .serialized)
enum FlowTests {}
