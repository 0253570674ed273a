import WaybillEncoding
import WaybillMongo
import WaybillNotifications
import WaybillOperations

/// What the store says of a batch's name before there are records of it: a notification in the store, or a campaign.
enum PostedSentences {
    /// - Returns: sentences of what is there, none if the store knows nothing of the name; and what this user may not read.
    static func of(_ name: String, client: MongoClient, database: String) -> (found: [String], obstacles: [String]) {
        let lookUp = PostedLookUp(client: client, database: database)
        var (found, obstacles): ([String], [String]) = ([], [])
        do throws(MongoError) {
            if let known = try lookUp.campaign(name) { found += campaign(known.campaign, known.progress) }
        } catch {
            obstacles.append("Campaigns are not readable (find on campaigns and notifications): \(error)")
        }
        do throws(MongoError) {
            if let known = try lookUp.notification(name) {
                found.append("It is a notification in the store: \(standing(known)).")
            }
        } catch {
            obstacles.append("Notifications in the store are not readable (find on notifications): \(error)")
        }
        return (found, obstacles)
    }

    private static func campaign(_ campaign: Campaign, _ progress: [Int: PostedSummary]) -> [String] {
        let name = Cell.printable(campaign.id)
        switch campaign.state {
        case .draft: return ["It is a campaign, and a draft: nothing of it is sent before waybill campaign start."]
        case .cancelled: return ["It is a campaign that was cancelled."]
        case .starting:
            return [
                "It is a campaign whose start was interrupted: waybill campaign start \(ShellWord.quoted(campaign.id)) goes on."
            ]
        case .started: break
        }
        var sentences = ["It is a campaign; it is \(CampaignText.state(campaign, progress))."]
        if campaign.isHeld { sentences[0] += " waybill campaign resume goes on with it." }
        for (number, part) in campaign.parts.enumerated() {
            let part = part.skipped.map { "left out, \($0)" } ?? progress[number].map(standing)
            sentences.append("Its part \(name).\(number + 1): \(part ?? "its document has gone").")
        }
        return sentences
    }

    private static func standing(_ summary: PostedSummary) -> String {
        let time = summary.begins.map { " until \(TimeText.text(milliseconds: $0))" } ?? ""
        let reason = summary.reason.map { ": \(Cell.printable($0))" } ?? ""
        if summary.isHeld, !summary.hasEnded {
            return "held, with \(summary.handedOver) handed over; nothing more is until it is resumed"
        }
        return switch summary.state {
        case "new": "waybill schedule has not looked at it yet; does it run?"
        case "handing_over": "on its way to the broker"
        case "scheduled": "waits\(time), when it is to begin"
        case "sending": "being sent, \(summary.handedOver) of \(summary.devices) found so far handed over"
        default: "\(Cell.printable(summary.state))\(reason)"
        }
    }
}
