import WaybillCore
import WaybillTelemetry
import WaybillThreads

/// What is counted of receipts.
final class ReceiptCounts: Sendable {
    /// Why a receipt was not taken.
    enum Refusal: String, CaseIterable {
        case unreadable
        case forged
        case expired
        case limited
    }

    private struct State: Sendable {
        var taken = [Int](repeating: 0, count: ReceiptEvent.allCases.count)
        var new = 0
        var refused: [Refusal: Int] = [:]
    }

    private let state = Guarded(State())

    /// Counts receipts that were taken, by what they say.
    func took(_ events: some Sequence<ReceiptEvent>) {
        state.withLock { state in
            for event in events { state.taken[Int(event.rawValue) - 1] += 1 }
        }
    }

    /// Counts those that say something for the first time.
    func stored(_ number: Int) {
        state.withLock { $0.new += number }
    }

    func refused(_ number: Int, _ reason: Refusal) {
        guard number > 0 else { return }
        state.withLock { $0.refused[reason, default: 0] += number }
    }

    func measure(into page: inout MetricsPage) {
        let state = state.withLock { $0 }
        for event in ReceiptEvent.allCases {
            page.add(Self.taken, state.taken[Int(event.rawValue) - 1], ["event": "\(event.name)"])
        }
        page.add(Self.new, state.new)
        for reason in Refusal.allCases {
            page.add(Self.refusals, state.refused[reason] ?? 0, ["reason": reason.rawValue])
        }
    }

    private static let taken = Metric(
        "waybill_receipts_total",
        .counter,
        "Receipts of devices that were taken, by what they say; those that had come before included."
    )
    private static let new = Metric(
        "waybill_receipts_stored_total",
        .counter,
        "Receipts of devices that were stored, each for the first time."
    )
    private static let refusals = Metric(
        "waybill_receipts_refused_total",
        .counter,
        "Receipts of devices that were not taken, by the reason: unreadable, forged, expired, or limited."
    )
}
