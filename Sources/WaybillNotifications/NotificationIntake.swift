package import WaybillAccounts
package import WaybillAudience
import WaybillCore
import WaybillDeviceRegistry
import WaybillEncoding
package import WaybillMongo
import WaybillTLS

/// Takes what services say: checks and stores it.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct NotificationIntake {
    let services: ServiceReader
    private let links: DeviceLinks
    let store: NotificationStore
    let names: IdempotencyStore
    let route: NotificationRoute
    let keep: Duration
    let secrets: ServiceKeySecrets
    private let examination: AudienceExamination?

    /// - Parameters:
    ///   - client: the store's.
    ///   - database: where services and notifications are.
    ///   - route: where they go.
    ///   - keep: how long they are kept.
    ///   - secrets: what services' keys are derived from.
    ///   - owner: who claims what is stored, of this process alone.
    ///   - examination: reads what is made as a dispatcher would; `nil` where no lanes are known.
    package init(
        client: MongoClient,
        database: String,
        route: NotificationRoute,
        keep: Duration,
        secrets: ServiceKeySecrets,
        owner: String,
        examination: AudienceExamination? = nil
    ) {
        services = ServiceReader(client: client, database: database)
        links = DeviceLinks(client: client, database: database)
        store = NotificationStore(client: client, database: database, owner: owner)
        names = IdempotencyStore(client: client, database: database)
        self.route = route
        self.keep = keep
        self.secrets = secrets
        self.examination = examination
    }

    /// Why a dispatcher would not send what a notification becomes; `nil` where it would.
    func rejection(of new: NewNotification) -> BodyRejection? {
        // Messages of the thesis' queue are no dispatch messages.
        guard let examination, new.queue == nil else { return nil }
        do throws(BodyRejection) {
            try examination.examine(dispatch: new.messages, samples: new.samples)
            return nil
        } catch {
            return error
        }
    }

    /// Where a notification goes, and what it is told by.
    struct Way {
        var lanes: NotificationLanes
        var digest: String
        /// In milliseconds since 1970.
        var at: Int64
    }

    func notification(
        _ id: String,
        of service: String,
        for audience: ServiceAudience,
        _ tokens: PhoneTokens,
        _ content: ServiceNotification,
        _ contents: NotificationMessages.Contents,
        _ way: Way
    ) -> NewNotification {
        func receipt(_ account: String, _ silence: ServiceAudience.Silence?) -> Receipt {
            Receipt(notification: id, service: service, account: account, at: way.at, suppressed: silence)
        }
        var messages = NotificationMessages(id: id, client: route.client, service: service, lanes: way.lanes)
        messages.expiration = content.expiration
        messages.collapseID = content.collapseID(of: service)
        var new = NewNotification(
            id: id,
            service: service,
            client: route.client,
            lanes: way.lanes,
            content: content,
            at: way.at,
            eraseAt: way.at + Int64(keep / .milliseconds(1)),
            digest: way.digest,
            receipts: audience.accounts.map { receipt($0, nil) }
                + audience.silenced.sorted { $0.key < $1.key }.map { receipt($0.key, $0.value) },
            devices: tokens.count,
            messages: messages.bodies(tokens, contents)
        )
        let sample = String(repeating: "0", count: 64)
        new.samples = messages.bodies(
            PhoneTokens(apns: [sample], registrations: contents.fields.isEmpty ? [] : [sample]),
            contents
        )
        return new
    }

    /// The tokens of the devices on which one of these accounts is logged in, each once.
    func tokens(
        of accounts: [String],
        over lanes: NotificationLanes,
        except device: String? = nil
    ) throws(MongoError) -> PhoneTokens {
        PhoneTokens.union(of: accounts, try tokens(ofEach: accounts, over: lanes, except: device))
    }

    /// The same, by the accounts.
    func tokens(
        ofEach accounts: [String],
        over lanes: NotificationLanes,
        except device: String? = nil
    ) throws(MongoError) -> [ExactName: PhoneTokens] {
        var tokens: [ExactName: PhoneTokens] = [:]
        func add(_ provider: DeviceProvider, _ app: String, _ environment: Environment?) throws(MongoError) {
            for (account, devices) in try links.devices(ofEach: accounts, app: app, except: device) {
                for found in devices {
                    guard let address = found.address, address.provider == provider,
                        address.environment == environment
                    else { continue }
                    tokens[account, default: PhoneTokens()].insert(address, kind: found.kind)
                }
            }
        }
        try add(.apns, route.app, route.environment)
        if lanes.fcm != nil, let project = route.fcm?.project { try add(.fcm, project, nil) }
        return tokens
    }

    /// What is compared when the same name comes again.
    static func digest(of content: ServiceNotification) -> String {
        var json = JSONWriter()
        json.beginArray()
        json.element(content.level.rawValue)
        for text in [content.body, content.text, content.url] {
            if let text { json.element(text) } else { json.null() }
        }
        // In this place since our own API says them, so that the thesis' digests stay what they were.
        if content.title != nil || content.collapseID != nil || content.expiration != nil || content.data != nil {
            for text in [content.title, content.collapseID, content.expiration.map { "\($0)" }] {
                if let text { json.element(text) } else { json.null() }
            }
            if let data = content.data { json.element(json: data) } else { json.null() }
        }
        json.endArray()
        return SHA256Hasher.digest(of: json.bytes).hexadecimal
    }
}
