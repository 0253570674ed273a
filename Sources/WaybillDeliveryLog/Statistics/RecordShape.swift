import WaybillCore

/// What two records of the same cell mostly have in common, cheap to compare: numbers, and the texts by their bits, which are
/// their addresses unless they are short.
///
/// Equal shapes are of one cell, as long as the texts of one of them are alive. Of one cell may also be different ones.
struct RecordShape: Equatable {
    private let minute: StatisticsMinute
    private let outcomeMinute: Int64
    private let outcome: Outcome
    private let client: SIMD2<UInt64>
    private let lane: SIMD2<UInt64>
    private let topic: SIMD2<UInt64>
    private let pushType: SIMD2<UInt64>
    private let reason: SIMD2<UInt64>

    init(_ record: borrowing DeliveryRecord) {
        minute = StatisticsMinute(record)
        outcomeMinute = record.date / StatisticsMinute.milliseconds
        outcome = record.outcome
        client = Self.bits(record.client)
        lane = Self.bits(record.lane)
        topic = Self.bits(record.topic)
        pushType = Self.bits(record.kind)
        reason = Self.bits(record.reason)
    }

    @inline(__always)
    private static func bits<Text>(_ text: borrowing Text) -> SIMD2<UInt64> {
        withUnsafeBytes(of: text) { $0.loadUnaligned(as: SIMD2<UInt64>.self) }
    }
}
