import WaybillEncoding
import WaybillMongo
import WaybillNotifications

/// What the store says of a batch besides the log: the campaign that it is of, or the notification in the store that it is.
struct PostedSentences {
    /// What there is, in words; empty if the store knows nothing of the name.
    private(set) var found: [String] = []
    /// What this user may not read.
    private(set) var obstacles: [String] = []
    /// What to do about it.
    private(set) var next: [String] = []
    /// Whether more of it may be sent: then it matters what keeps it from being sent.
    private(set) var isUnderWay = false

    /// How many of its notifications the broker has, of whatever is under way.
    private(set) var handedOver = 0

    /// How many of its documents need `waybill schedule`.
    private(set) var waiting = 0

    /// Whether something of it has not ended.
    private(set) var isOpen = false

    /// Whether the message of one of them may lie with the broker, or in the rejected queue: fan-out has no device of it.
    private var mayBeElsewhere = false

    /// Whether all that is known of it is in the store: nothing of it is anywhere else.
    var isAllInStore: Bool { !found.isEmpty && handedOver == 0 && !mayBeElsewhere }

    /// Whether it stands in the store, nothing of it was handed over, and nothing ever will be.
    var isFutile: Bool { isAllInStore && !isUnderWay }

    /// When it began to be handed over, or is to begin, in milliseconds since 1970; `nil` where nobody knows.
    private(set) var published: Int64?

    /// Of nothing.
    init() {}

    /// Of a batch.
    init(_ name: String, _ lookUp: PostedLookUp) {
        do throws(MongoError) {
            for known in try lookUp.campaigns(name) { add(known, asPart: name) }
        } catch {
            obstacles.append("Campaigns are not readable (find on campaigns and notifications): \(error)")
        }
        do throws(MongoError) {
            if let known = try lookUp.notification(name) {
                let standing = Self.standing(known, heldUntil: "its field held is removed")
                found.append("It is a notification in the store: \(standing).")
                isUnderWay = isUnderWay || !(known.hasEnded || known.cancelledBy != nil)
                handedOver += known.handedOver
                note(known, isCancelled: known.isCancelled)
                let isNever = known.state == "new" || known.cancelledBy != nil
                let begins = isNever ? PublishedTimes.never : known.begins
                published = [published, begins].compactMap(\.self).min()
            }
        } catch {
            obstacles.append("Notifications in the store are not readable (find on notifications): \(error)")
        }
    }

    /// Of one push, whose batch is a part of a campaign: what holds of all of it.
    ///
    /// Who may not read campaigns is told what the log says, and nothing else.
    init(of batch: String, _ lookUp: PostedLookUp) {
        for known in (try? lookUp.campaigns(batch)) ?? [] where known.campaign.state != .draft {
            let (campaign, progress) = (known.campaign, known.progress)
            found.append("It is of the campaign \(Self.name(campaign)), \(Self.state(campaign, progress)).")
            next += Self.advice(campaign)
        }
    }

    private mutating func add(_ known: PostedLookUp.KnownCampaign, asPart batch: String) {
        let (campaign, progress) = (known.campaign, known.progress)
        next += Self.advice(campaign)
        guard batch == campaign.name else {
            found.append("It is of the campaign \(Self.name(campaign)), \(Self.state(campaign, progress)).")
            return
        }
        let whose = campaign.client.map { " of \($0)" } ?? ""
        if campaign.state == .draft {
            published = published ?? PublishedTimes.never
            isOpen = true
            found.append("It is a campaign, and a draft\(whose): nothing of it is sent before it is started.")
            return
        }
        found.append("It is a campaign\(whose), \(Self.state(campaign, progress)).")
        isUnderWay = isUnderWay || ["started", "paused"].contains(campaign.stateName(progress))
        let gone = progress.values.reduce(0) { $0 + $1.handedOver }
        handedOver += gone
        let begins = progress.values.compactMap(\.begins).min() ?? campaign.startedAt
        let isNever = campaign.state == .cancelled && gone == 0
        published = [published, isNever ? PublishedTimes.never : begins].compactMap(\.self).min()
        let isCancelled = campaign.state == .cancelled
        for part in progress.values { note(part, isCancelled: isCancelled || part.isCancelled) }
        for (number, part) in campaign.parts.enumerated() {
            let standing =
                part.skipped.map { "left out, \($0)" }
                ?? progress[number].map { Self.standing($0, heldUntil: "it is resumed") }
            found.append("Its part \(campaign.partID(number)): \(standing ?? "its document has gone").")
        }
    }

    /// Notes who has a document in hand.
    private mutating func note(_ summary: PostedSummary, isCancelled: Bool) {
        guard !summary.hasEnded, summary.flaw == nil else { return }
        isOpen = true
        // What is held and not cancelled waits for whoever holds it.
        if summary.state != "new" || !summary.isHeld || isCancelled || summary.cancelledBy != nil { waiting += 1 }
        let isHandedOver = ["scheduled", "sending"].contains(summary.state) && summary.digest != nil
        if isHandedOver, summary.devices == 0, !isCancelled { mayBeElsewhere = true }
    }

    // MARK: - Words

    private static func name(_ campaign: Campaign) -> String {
        campaign.name + (campaign.client.map { " of \($0)" } ?? "")
    }

    /// What holds of a campaign, for behind its name.
    private static func state(_ campaign: Campaign, _ progress: [Int: PostedSummary]) -> String {
        let handedOver = progress.values.reduce(0) { $0 + $1.handedOver }
        let planned = campaign.parts.filter { $0.skipped == nil }.reduce(0) { $0 + $1.devices }
        let sum = "\(handedOver) of \(planned) handed over"
        switch campaign.stateName(progress) {
        case "paused":
            return "which was paused\(order(campaign.held)), with \(sum): nothing more is until it is resumed"
        case "cancelled":
            return "which was cancelled\(order(campaign.cancelled)), with \(sum): nothing more of it is sent"
        case "starting": return "whose start was interrupted"
        case "done": return "all parts of which have ended"
        default: return "which is under way, with \(sum)"
        }
    }

    private static func order(_ order: CampaignOrder?) -> String {
        let by = order?.by.map { " by \($0)" } ?? ""
        return by + (order?.at.map { " at \(TimeText.text(milliseconds: $0))" } ?? "")
    }

    private static func advice(_ campaign: Campaign) -> [String] {
        let client = campaign.client.map { " --client \(ShellWord.quoted($0))" } ?? ""
        let rest = "\(ShellWord.quoted(campaign.name))\(client)"
        switch campaign.state {
        case .draft: return ["To start the campaign: `waybill campaign start \(rest)`."]
        case .starting: return ["To go on with the campaign's start: `waybill campaign start \(rest)`."]
        case .started where campaign.isHeld: return ["To go on with the campaign: `waybill campaign resume \(rest)`."]
        case .started, .cancelled: return []
        }
    }

    /// - Parameters:
    ///   - summary: of a document.
    ///   - release: what ends that it is held, behind "until".
    /// - Returns: how far it is.
    private static func standing(_ summary: PostedSummary, heldUntil release: String) -> String {
        let reason = summary.reason.map { ": \($0)" } ?? ""
        if let flaw = summary.flaw { return "neither sent nor ended, and nobody follows it: \(flaw)" }
        if summary.cancelledBy != nil {
            return
                "cancelled before it was handed over: nothing of it is sent, and it says so when `waybill schedule` looks at it"
        }
        if summary.isCancelled, !summary.hasEnded { return HandoverWords.cancelled(handedOver: summary.handedOver) }
        if summary.isHeld, !summary.hasEnded {
            return HandoverWords.held(handedOver: summary.handedOver, until: release)
        }
        return switch summary.state {
        case "new": "new, and waybill schedule has not looked at it yet"
        case "handing_over": "on its way to the broker"
        case "scheduled": HandoverWords.waits(until: summary.begins)
        case "sending" where summary.isExpanded:
            HandoverWords.expanded(handedOver: summary.handedOver, found: summary.devices)
        case "sending":
            HandoverWords.sending(since: summary.begins, handedOver: summary.handedOver, found: summary.devices)
        default: "\(summary.state)\(reason)"
        }
    }
}
