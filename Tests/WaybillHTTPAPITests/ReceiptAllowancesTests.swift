import Testing
import WaybillCore
import WaybillThreads

@testable import WaybillHTTPAPI

@Suite("How often receipts are taken")
struct ReceiptAllowancesTests {
    private static let id = NotificationID("019a3b5c-0000-8123-8456-789abcd00000")!

    private func receipt(_ event: ReceiptEvent, content: UInt64? = nil) -> DeliveryReceipt {
        DeliveryReceipt(id: Self.id, content: content, event: event, receivedAt: 0)
    }

    @Test("one event of one notification uses up its own allowance for a minute, and that of no other")
    func ofOneEvent() {
        let allowances = ReceiptAllowances()
        let now = MonotonicTime.now()
        let most = Int(ReceiptAllowances.ofOneEvent)
        let refused = (0..<most + 5).map { _ in allowances.isOneTooMany(receipt(.received), now: now) }
        #expect(refused == (0..<most + 5).map { $0 >= most })
        for event in ReceiptEvent.allCases where event != .received {
            #expect(!allowances.isOneTooMany(receipt(event), now: now))
        }
        #expect(!allowances.isOneTooMany(receipt(.received, content: 1), now: now))
        #expect(!allowances.isOneTooMany(receipt(.received), now: now.advanced(by: .seconds(61))))
    }
}
