extension APNSContent where Self == APNSAlertContent {
    /// An alert with title, subtitle and body, or a badge or a sound without any.
    ///
    /// Every parameter is the key of `aps` that ``APNSAlertContent`` describes.
    public static func alert(
        title: String? = nil,
        subtitle: String? = nil,
        body: String? = nil,
        badge: Int? = nil,
        sound: APNSSound? = nil,
        threadID: String? = nil,
        category: String? = nil,
        contentAvailable: Bool = false,
        mutableContent: Bool = false,
        targetContentID: String? = nil,
        interruptionLevel: APNSInterruptionLevel? = nil,
        relevanceScore: Double? = nil,
        filterCriteria: String? = nil,
        urlArguments: [String]? = nil
    ) -> Self {
        let hasText = title != nil || subtitle != nil || body != nil
        return alert(
            hasText ? APNSAlert(title: title, subtitle: subtitle, body: body) : nil,
            badge: badge,
            sound: sound,
            threadID: threadID,
            category: category,
            contentAvailable: contentAvailable,
            mutableContent: mutableContent,
            targetContentID: targetContentID,
            interruptionLevel: interruptionLevel,
            relevanceScore: relevanceScore,
            filterCriteria: filterCriteria,
            urlArguments: urlArguments
        )
    }

    /// An alert that is a text alone, or has localized texts.
    ///
    /// Every parameter is the key of `aps` that ``APNSAlertContent`` describes.
    public static func alert(
        _ alert: APNSAlert?,
        badge: Int? = nil,
        sound: APNSSound? = nil,
        threadID: String? = nil,
        category: String? = nil,
        contentAvailable: Bool = false,
        mutableContent: Bool = false,
        targetContentID: String? = nil,
        interruptionLevel: APNSInterruptionLevel? = nil,
        relevanceScore: Double? = nil,
        filterCriteria: String? = nil,
        urlArguments: [String]? = nil
    ) -> Self {
        var content = APNSAlertContent(alert: alert, badge: badge, sound: sound)
        content.threadID = threadID
        content.category = category
        content.contentAvailable = contentAvailable
        content.mutableContent = mutableContent
        content.targetContentID = targetContentID
        content.interruptionLevel = interruptionLevel
        content.relevanceScore = relevanceScore
        content.filterCriteria = filterCriteria
        content.urlArguments = urlArguments
        return content
    }
}
