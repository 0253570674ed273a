package import WaybillAPNS
package import WaybillCore
import WaybillPushTransport

/// How the sending of several notifications of one lane ended, in the order in which it did.
///
/// They stay in their provider's form until somebody looks: nothing is copied or allocated for a notification.
package struct SendEnds: Sendable {
    private let apns: [APNSOutcome]

    package init(_ outcomes: [APNSOutcome]) {
        apns = outcomes
    }

    package var indices: Range<Int> { apns.indices }

    package var count: Int { apns.count }

    /// Who handed the notification over: the owner that its requests were submitted with.
    package func owner(at index: Int) -> AnyObject { apns[index].owner }

    /// The position of the item in its batch.
    package func position(at index: Int) -> Int { apns[index].index }

    /// Whether the notification can be left to a redelivery: it was not sent, or may be sent again.
    ///
    /// - Parameters:
    ///   - index: which end.
    ///   - batch: the one that the notification is of.
    /// - Returns: false for an answer, and for a push without one that must not be repeated.
    package func isRepeatable(at index: Int, of batch: Batch) -> Bool {
        switch apns[index].result {
        case .answered: false
        case .failed(.notSent): true
        case .failed(.unknown):
            if case .valid(let notification) = batch.items[apns[index].index].content {
                notification.onUnknown == .resend
            } else {
                false
            }
        }
    }

    /// What nearly every push comes to: taken at once, with nothing else to tell.
    ///
    /// - Parameter index: which end.
    /// - Returns: from request to answer, in nanoseconds; `nil` for every other end, and for an acceptance after other
    ///   attempts: see ``end(at:of:lanes:)``.
    package func latencyIfAcceptedAtOnce(at index: Int) -> UInt64? {
        guard case .answered(let answer) = apns[index].result, answer.status == 200, apns[index].attempts == 1 else {
            return nil
        }
        return apns[index].latency
    }

    /// One end.
    ///
    /// - Parameters:
    ///   - index: which one.
    ///   - batch: the one that the notification is of.
    ///   - lanes: the configured ones.
    /// - Returns: the end, with what is to be done.
    package func end(at index: Int, of batch: Batch, lanes: [Lane]) -> SendEnd {
        switch lanes[batch.lane].provider {
        case .apns(let lane):
            SendEnd(apns[index], APNSClassifier.disposition(of: apns[index], in: batch, lane: lane))
        }
    }
}
