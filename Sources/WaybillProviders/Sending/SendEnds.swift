package import WaybillAPNS
package import WaybillCore
package import WaybillFCM
import WaybillPushTransport

/// How the sending of several notifications of one lane ended, in the order in which it did.
///
/// They stay in their provider's form until somebody looks: nothing is copied or allocated for a notification.
package struct SendEnds: Sendable {
    private let apns: [APNSOutcome]
    private let fcm: [FCMOutcome]
    private let isAPNS: Bool

    package init(_ outcomes: [APNSOutcome]) {
        apns = outcomes
        fcm = []
        isAPNS = true
    }

    package init(_ outcomes: [FCMOutcome]) {
        apns = []
        fcm = outcomes
        isAPNS = false
    }

    package var indices: Range<Int> { isAPNS ? apns.indices : fcm.indices }

    package var count: Int { isAPNS ? apns.count : fcm.count }

    /// Who handed the notification over: the owner that its requests were submitted with.
    package func owner(at index: Int) -> AnyObject { isAPNS ? apns[index].owner : fcm[index].owner }

    /// The position of the item in its batch.
    package func position(at index: Int) -> Int { isAPNS ? apns[index].index : fcm[index].index }

    /// Whether the notification can be left to a redelivery: it was not sent, or may be sent again.
    ///
    /// - Parameters:
    ///   - index: which end.
    ///   - batch: the one that the notification is of.
    /// - Returns: false for an answer, and for a push without one that must not be repeated.
    package func isRepeatable(at index: Int, of batch: Batch) -> Bool {
        switch failure(at: index) {
        case nil: false
        case .notSent?: true
        case .unknown?:
            if case .valid(let notification) = batch.items[position(at: index)].content {
                notification.onUnknown == .resend
            } else {
                false
            }
        }
    }

    /// Why there is no answer; `nil` for an answer.
    private func failure(at index: Int) -> PushFailure? {
        if isAPNS {
            if case .failed(let failure) = apns[index].result { failure } else { nil }
        } else {
            if case .failed(let failure) = fcm[index].result { failure } else { nil }
        }
    }

    /// What nearly every push comes to: taken at once, with nothing else to tell.
    ///
    /// - Parameter index: which end.
    /// - Returns: from request to answer, in nanoseconds; `nil` for every other end, and for an acceptance after other
    ///   attempts, and where the provider names what it took: see ``end(at:of:lanes:)``.
    package func latencyIfAcceptedAtOnce(at index: Int) -> UInt64? {
        guard isAPNS, case .answered(let answer) = apns[index].result, answer.status == 200, apns[index].attempts == 1
        else {
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
        case .fcm: SendEnd(fcm[index], FCMClassifier.disposition(of: fcm[index], in: batch))
        }
    }
}
