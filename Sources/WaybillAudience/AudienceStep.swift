package import WaybillMongo

/// What is to be written of an audience that somebody expands.
package struct AudienceStep: Sendable {
    package enum Change: Sendable {
        /// The page before it, if there is one, is with the broker, and this one is next.
        case page(AudiencePage, expanded: Int, leftOut: AudienceLeftOut, after: BSONIdentifier?)
        /// The page is with the broker, and nothing more goes there until somebody resumes the audience.
        case rest
        /// The last page is with the broker.
        case end(AudienceRecord.State, reason: String?)
    }

    /// Of the audience's record.
    package let key: String
    /// The pages that were begun before it: whoever finds another number has lost the audience to somebody else.
    package let pages: Int
    /// Notifications of the page that is with the broker now.
    package let handedOver: Int
    package let change: Change

    package init(key: String, pages: Int, handedOver: Int, change: Change) {
        self.key = key
        self.pages = pages
        self.handedOver = handedOver
        self.change = change
    }
}

/// Devices of a page that nothing is sent to.
package struct AudienceLeftOut: Hashable, Sendable {
    /// No lane is configured for them.
    package var withoutLane = 0
    /// The content is not for phones of their provider.
    package var withoutContent = 0

    package init(withoutLane: Int = 0, withoutContent: Int = 0) {
        self.withoutLane = withoutLane
        self.withoutContent = withoutContent
    }

    package static func += (sum: inout Self, more: Self) {
        sum.withoutLane += more.withoutLane
        sum.withoutContent += more.withoutContent
    }
}

/// An audience that has just come, with its first page if it begins at once, or with its end if it was cancelled before.
package struct AudienceEntry: Sendable {
    package let message: NewAudience
    package let first: AudienceStep.Change?

    package init(_ message: NewAudience, first: AudienceStep.Change?) {
        self.message = message
        self.first = first
    }
}
