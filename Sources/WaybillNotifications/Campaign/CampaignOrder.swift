/// Who has paused or cancelled a campaign, and when; neither is known of what an earlier release has ordered.
package struct CampaignOrder: Hashable, Sendable {
    package let by: String?
    /// Milliseconds since 1970.
    package let at: Int64?

    package init(by: String?, at: Int64?) {
        self.by = by
        self.at = at
    }
}
