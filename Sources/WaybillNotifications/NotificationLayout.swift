import WaybillMongo

/// The collection `notifications`: what services have said, and what anybody has put there to be sent, one document for each.
///
/// What `serve` stores for services:
///
/// | field | type | meaning |
/// |---|---|---|
/// | `_id` | string | a UUID: the `batch_id` of its deliveries |
/// | `service` | string | `_id` of the service |
/// | `client` | string | as in the delivery log |
/// | `level` | string | `info`, `warning`, `error` or `critical` |
/// | `title`, `body`, `text`, `url`, `collapse_id` | string | as the service said it |
/// | `expiration` | int | until when it is worth being delivered, in seconds since 1970 |
/// | `data` | string | the producer's own object, as JSON |
/// | `key` | string | `_id` of the key that it was sent with; absent where the thesis' API took it |
/// | `lane` | string | where it went; absent in those of former versions |
/// | `fcm_lane` | string | where it went to Android phones; absent where it is for none |
/// | `queue` | string | the queue of the thesis' own sender, where it was handed to that |
/// | `at` | date | when |
/// | `erase_at` | date | when the TTL index erases it |
/// | `digest` | string | SHA-256 of what was asked: a repeat under the same name is told from something else by it |
/// | `state` | string | `claimed`: somebody is handing it over; `sent`: the broker has it |
/// | `sent` | bool | the same for readers that ask no more |
/// | `claimed_by`, `claimed_until` | string, date | who hands it over; afterwards anybody may |
/// | `sent_at` | date | when the broker confirmed it |
/// | `recipients`, `devices` | int | how many accounts are told, on how many devices |
/// | `suppressed` | int | how many belong to the service and are not told |
/// | `untold` | bool | true: webhooks are to be told how many were not told; absent: there is nothing to tell, or it was |
/// | `people` | array of documents | for whose receipts: `account`, and `reason` where it is suppressed; absent in one that was sent |
/// | `messages` | array of strings | the bodies of its dispatch messages, the same at every attempt; absent in one that was sent |
/// | `rejection` | string | why a dispatcher has rejected one of its messages, in the machine's word; `record_refused`: the server lets nobody claim it |
///
/// What was put there by others has the fields of `schemas/notification.schema.json`, and besides:
///
/// | field | type | meaning |
/// |---|---|---|
/// | `state` | string | absent: nobody has looked at it; `handing_over`, `scheduled`, `sending`, `sent`, `failed`, `cancelled`, `refused` |
/// | `sent` | bool | whether it has ended with at least one push accepted or superseded; absent where nobody knows |
/// | `audience` | string | the `audience_id` of its message, and the `batch_id` of its deliveries |
/// | `message` | string | the body of its audience message, until the broker has it |
/// | `digest` | string | of that body, once the broker has it: the same as its audience's |
/// | `begins` | date | when its audience begins: at `at`, or when the document was claimed or handed over, if that was later |
/// | `claimed_by`, `due` | string, date | who has it in hand; when somebody should look at it next |
/// | `claimed_at` | date | when it was claimed, which is the time of its audience message; until the broker has that |
/// | `devices`, `handed_over` | int | devices that were found; notifications that the dispatchers have |
/// | `unconfirmed` | int | notifications that they may have besides, until it has ended |
/// | `without_lane`, `without_content` | int | devices that nothing is sent to: for which there is no lane; for whose provider there is no content |
/// | `outcomes` | document | how many notifications have which outcome |
/// | `noted_at` | date | when these numbers were noted |
/// | `reason` | string | why it was refused, has failed, or was cancelled |
/// | `cancel` | bool | true: nothing more of it is to be sent |
/// | `cancelled_by` | array of documents | orders to send nothing of it, given while nothing was decided about it: `order`, its `_id` in the collection `orders`, `given`, when, and `by`, whose; until it ends |
/// | `held` | bool | true: nothing more of it is handed over for now |
/// | `recipients`, `suppressed`, `untold` | int, int, bool | of a service's, as above |
/// | `undecided` | bool | true: of a service's, until its time has come: who is told is not decided yet, and there is no audience |
/// | `x-campaign` | string | of a campaign's part: the campaign's mark |
/// | `sent_at`, `finished_at` | dates | |
enum NotificationLayout {
    static let collection = "notifications"
    /// Of the index that leads to what was not handed over.
    static let unsent = "unsent"

    enum Field {
        static let id: StaticString = "_id"
        static let service: StaticString = "service"
        static let client: StaticString = "client"
        static let level: StaticString = "level"
        static let body: StaticString = "body"
        static let title: StaticString = "title"
        static let text: StaticString = "text"
        static let url: StaticString = "url"
        static let collapseID: StaticString = "collapse_id"
        static let expiration: StaticString = "expiration"
        static let data: StaticString = "data"
        static let key: StaticString = "key"
        static let lane: StaticString = "lane"
        static let fcmLane: StaticString = "fcm_lane"
        static let queue: StaticString = "queue"
        static let at: StaticString = "at"
        static let eraseAt: StaticString = "erase_at"
        static let digest: StaticString = "digest"
        static let state: StaticString = "state"
        static let sent: StaticString = "sent"
        static let claimedBy: StaticString = "claimed_by"
        static let claimedAt: StaticString = "claimed_at"
        static let claimedUntil: StaticString = "claimed_until"
        static let sentAt: StaticString = "sent_at"
        static let recipients: StaticString = "recipients"
        static let devices: StaticString = "devices"
        static let suppressed: StaticString = "suppressed"
        static let untold: StaticString = "untold"
        static let messages: StaticString = "messages"
        static let people: StaticString = "people"
        static let rejection: StaticString = "rejection"
        /// Of one of `people`.
        static let account: StaticString = "account"
        static let cancel: StaticString = "cancel"
        static let cancelledBy: StaticString = "cancelled_by"
        /// Of one of `cancelled_by`.
        static let order: StaticString = "order"
        static let given: StaticString = "given"
        static let by: StaticString = "by"
        static let held: StaticString = "held"
        static let campaign: StaticString = "x-campaign"
        static let undecided: StaticString = "undecided"
        static let audience: StaticString = "audience"
        static let message: StaticString = "message"
        static let begins: StaticString = "begins"
        static let due: StaticString = "due"
        static let handedOver: StaticString = "handed_over"
        static let unconfirmed: StaticString = "unconfirmed"
        static let withoutLane: StaticString = "without_lane"
        static let withoutContent: StaticString = "without_content"
        static let outcomes: StaticString = "outcomes"
        static let notedAt: StaticString = "noted_at"
        static let reason: StaticString = "reason"
        static let finishedAt: StaticString = "finished_at"
    }

    enum State: String, CaseIterable {
        case claimed
        case sent
        case handingOver = "handing_over"
        case scheduled
        case sending
        case refused
    }

    static let indexes = [
        // What was not handed over by whoever claimed it?
        MongoIndex(
            name: unsent,
            keys: [.ascending("\(Field.claimedUntil)")],
            partialFilter: BSONDocument { $0.append(Field.state, string: State.claimed.rawValue) }
        ),
        // What has nobody looked at, and what is to be looked at now?
        MongoIndex(name: "state_due", keys: [.ascending("\(Field.state)"), .ascending("\(Field.due)")]),
        // What has this service said lately?
        MongoIndex(
            name: "service_page",
            keys: [.ascending("\(Field.service)"), .descending("\(Field.at)"), .descending("\(Field.id)")]
        ),
        // What are webhooks to be told?
        MongoIndex(
            name: "untold",
            keys: [.ascending("\(Field.untold)")],
            partialFilter: BSONDocument { $0.append(Field.untold, bool: true) }
        ),
        MongoIndex(name: "end", keys: [.ascending("\(Field.eraseAt)")], expireAfterSeconds: 0),
    ]
}
