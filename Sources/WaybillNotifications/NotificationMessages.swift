import WaybillEncoding
import WaybillMessages

/// The bodies of the dispatch messages that a notification becomes: the same bytes for the same parameters.
///
/// A message is for phones of one kind, since it names one lane and has one content.
struct NotificationMessages {
    /// Of one message.
    static let mostTokens = 1000

    /// What phones of each kind get.
    struct Contents: Hashable, Sendable {
        /// APNs' payload.
        var payload: [UInt8]
        /// Beside the payload, whose `aps` has the same interruption level; `nil` for none.
        var deliveryType: String?
        /// The members of a dispatch message that FCM's rules make a payload of; empty: there is nothing for its phones.
        var fields: [UInt8] = []
    }

    /// Names the batch.
    let id: String
    let client: String
    /// Who says it; `nil`: several, or nobody.
    let service: String?
    let lanes: NotificationLanes
    var expiration: Int64?
    var collapseID: String?
    /// `nil`: an alert.
    var pushType: String?

    /// - Parameters:
    ///   - tokens: those of FCM only where there is a lane for them.
    ///   - contents: what they get.
    /// - Returns: where there are more tokens than one takes, each has a batch of its own, which is a part of the whole.
    func bodies(_ tokens: PhoneTokens, _ contents: Contents) -> [[UInt8]] {
        var pages = pages(of: tokens.apns, Page(lane: lanes.apns))
        if let lane = lanes.fcm {
            pages += self.pages(of: tokens.registrations, Page(lane: lane, isFCM: true))
            pages += self.pages(of: tokens.installations, Page(lane: lane, isFCM: true, isInstallation: true))
        }
        let isOne = tokens.count <= Self.mostTokens
        return pages.enumerated().map { place, page in
            body(page, isOne ? id : "\(id).\(place + 1)", contents)
        }
    }

    /// The tokens of one message.
    private struct Page {
        let lane: String
        var isFCM = false
        var isInstallation = false
        var tokens: ArraySlice<String> = []
    }

    private func pages(of tokens: Set<String>, _ kind: Page) -> [Page] {
        let sorted = tokens.sorted()
        return stride(from: 0, to: sorted.count, by: Self.mostTokens).map { start in
            var page = kind
            page.tokens = sorted[start..<min(start + Self.mostTokens, sorted.count)]
            return page
        }
    }

    private func body(_ page: Page, _ name: String, _ contents: Contents) -> [UInt8] {
        var json: [UInt8] = []
        DispatchMessage.appendNames(batchID: name, client: client, lane: page.lane, service: service, to: &json)
        DispatchMessage.appendDelivery(
            pushType: page.isFCM ? nil : pushType,
            deliveryType: page.isFCM ? nil : contents.deliveryType,
            expiration: expiration,
            collapseID: collapseID,
            to: &json
        )
        if page.isFCM {
            json += contents.fields
            json.append(UInt8(ascii: ","))
            if page.isInstallation { DispatchMessage.appendInstallations(to: &json) }
        } else {
            DispatchMessage.appendPayload(contents.payload, to: &json)
        }
        DispatchMessage.appendOpening(of: .deviceTokens, to: &json)
        for (place, token) in page.tokens.enumerated() {
            if place > 0 { json.append(UInt8(ascii: ",")) }
            JSONText.appendString(token.utf8, to: &json)
        }
        DispatchMessage.appendClosing(to: &json)
        return json
    }
}
