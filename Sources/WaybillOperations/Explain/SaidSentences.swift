import WaybillEncoding
import WaybillMongo
import WaybillNotifications

/// What the store says of a batch that is what a service has said.
struct SaidSentences {
    /// In words; empty if no service has said it.
    private(set) var found: [String] = []
    /// What this user may not read.
    private(set) var obstacles: [String] = []
    /// Where it went, if more of it is to come.
    private(set) var lanes: [String] = []
    /// Whether more of it may be sent.
    private(set) var isUnderWay = false
    /// When it was handed over, in milliseconds since 1970; `nil` where no service has said it.
    private(set) var published: Int64?
    /// Whether every device of it has a record.
    private(set) var isWhole = false

    /// So long after the handover records may have ended already.
    private static let day: Int64 = 86_400_000

    /// - Parameters:
    ///   - batch: its name, or that of a part.
    ///   - recorded: how many records there are of it.
    ///   - now: milliseconds since 1970.
    ///   - lookUp: whose notifications are there.
    init(_ batch: String, recorded: Int, now: Int64, _ lookUp: SaidLookUp) {
        do throws(MongoError) {
            guard let said = try lookUp.notification(batch) else { return }
            add(said, batch: batch, recorded: recorded, now: now)
            found.append(Self.origin(of: said))
        } catch {
            obstacles.append("What services have said is not readable (find on notifications): \(error)")
        }
    }

    /// Who has said it when, and to how many.
    private static func origin(of said: SaidNotification) -> String {
        let service = said.service.map { " by the service \($0)" } ?? ""
        let level = said.level.map { " with the level \($0)" } ?? ""
        let time = said.storedAt.map { ", stored at \(TimeText.text(milliseconds: $0))" } ?? ""
        let people = said.people == 1 ? "1 person" : "\(said.people) people"
        let rest = said.suppressed > 0 ? "; \(said.suppressed) more of its people are not told" : ""
        return "It was said\(service)\(level)\(time), for \(people)\(rest)."
    }

    private mutating func add(_ said: SaidNotification, batch: String, recorded: Int, now: Int64) {
        let what =
            batch == said.id ? "a notification of a service" : "a part of \(said.id), a notification of a service"
        let devices = said.devices == 1 ? "1 device" : "\(said.devices) devices"
        published = said.handedOverAt ?? PublishedTimes.never
        guard let time = said.handedOverAt else {
            isUnderWay = said.devices > 0
            lanes = said.lanes
            let rest =
                said.devices > 0 ? "which waybill serve has not handed over yet" : "and nobody is told on a device"
            found = ["It is \(what) for \(devices), \(rest)."]
            return
        }
        guard said.devices > 0 else {
            found = ["It is \(what), and nobody was told on a device: nothing is pushed."]
            return
        }
        let handedOver = "It is \(what), handed over at \(TimeText.text(milliseconds: time)) for \(devices)"
        if let queue = said.queue {
            found = ["\(handedOver) to \(queue), the queue of another sender: nothing of it is recorded here."]
            return
        }
        // How many of them are in a part nobody knows.
        let missing = batch == said.id ? said.devices - recorded : recorded == 0 ? 1 : 0
        guard missing > 0 else {
            isWhole = batch == said.id
            found = ["\(handedOver)."]
            return
        }
        isUnderWay = true
        lanes = said.lanes
        let which = recorded == 0 ? "nothing is recorded yet" : "\(missing) have no record yet"
        let age = now - time > Self.day ? ", or its records have ended with their retention" : ""
        found = ["\(handedOver); \(which): it waits in the broker, or in a delay queue\(age)."]
    }
}
