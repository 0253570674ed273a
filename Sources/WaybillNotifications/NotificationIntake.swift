package import WaybillAccounts
package import WaybillCore
import WaybillDeviceRegistry
import WaybillEncoding
import WaybillMessages
package import WaybillMongo
import WaybillTLS

/// Where an installation's front door sends what services say.
package struct NotificationRoute: Hashable, Sendable {
    /// Whose notifications these are, in the delivery log.
    package var client: String
    /// The app's bundle id, and where its tokens are from.
    package var app: String
    package var environment: Environment
    package var lane: String
    /// Where what test keys say goes; `nil`: they can say nothing.
    package var testLane: String?
    /// The queue of the thesis' own sender, which gets what `/notify` takes; `nil`: the dispatchers do.
    package var writeQueue: String?
    /// Where this installation is reached from outside, for the images of services; `nil`: pushes have none.
    package var baseURL: String?

    package init(
        client: String,
        app: String,
        environment: Environment,
        lane: String,
        testLane: String? = nil,
        writeQueue: String? = nil,
        baseURL: String? = nil
    ) {
        self.client = client
        self.app = app
        self.environment = environment
        self.lane = lane
        self.testLane = testLane
        self.writeQueue = writeQueue
        self.baseURL = baseURL
    }

    /// The URL of a service's image; `nil` where it has none.
    func image(of service: ServiceDetails) -> String? {
        guard let baseURL, let image = service.image else { return nil }
        return baseURL + image.path(of: service.id)
    }
}

/// Takes what services say: checks and stores it.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct NotificationIntake {
    /// Of one dispatch message.
    static let tokensOfOne = 1000

    let services: ServiceReader
    private let links: DeviceLinks
    let store: NotificationStore
    let names: IdempotencyStore
    let route: NotificationRoute
    let keep: Duration
    let secrets: ServiceKeySecrets

    /// - Parameters:
    ///   - client: the store's.
    ///   - database: where services and notifications are.
    ///   - route: where they go.
    ///   - keep: how long they are kept.
    ///   - secrets: what services' keys are derived from.
    ///   - owner: who claims what is stored, of this process alone.
    package init(
        client: MongoClient,
        database: String,
        route: NotificationRoute,
        keep: Duration,
        secrets: ServiceKeySecrets,
        owner: String
    ) {
        services = ServiceReader(client: client, database: database)
        links = DeviceLinks(client: client, database: database)
        store = NotificationStore(client: client, database: database, owner: owner)
        names = IdempotencyStore(client: client, database: database)
        self.route = route
        self.keep = keep
        self.secrets = secrets
    }

    /// Where a notification goes, and what it is told by.
    struct Way {
        var lane: String
        var digest: String
        /// In milliseconds since 1970.
        var at: Int64
    }

    func notification(
        _ id: String,
        of service: String,
        for audience: ServiceAudience,
        _ tokens: [String],
        _ content: ServiceNotification,
        _ payload: [UInt8],
        _ way: Way
    ) -> NewNotification {
        func receipt(_ account: String, _ silence: ServiceAudience.Silence?) -> Receipt {
            Receipt(notification: id, service: service, account: account, at: way.at, suppressed: silence)
        }
        return NewNotification(
            id: id,
            service: service,
            client: route.client,
            lane: way.lane,
            content: content,
            at: way.at,
            eraseAt: way.at + Int64(keep / .milliseconds(1)),
            digest: way.digest,
            receipts: audience.accounts.map { receipt($0, nil) }
                + audience.silenced.sorted { $0.key < $1.key }.map { receipt($0.key, $0.value) },
            devices: tokens.count,
            messages: messages(id, Envelope(payload, content, service: service, lane: way.lane), tokens)
        )
    }

    /// What all device tokens of a notification share.
    private struct Envelope {
        let payload: [UInt8]
        let lane: String
        let service: String
        let expiration: Int64?
        let collapseID: String?

        init(_ payload: [UInt8], _ content: ServiceNotification, service: String, lane: String) {
            self.payload = payload
            self.lane = lane
            self.service = service
            expiration = content.expiration
            collapseID = content.collapseID(of: service)
        }
    }

    /// The tokens of the devices on which one of these accounts is logged in, each once.
    func tokens(of accounts: [String], except device: String? = nil) throws(MongoError) -> [String] {
        Self.union(of: accounts, try tokens(ofEach: accounts, except: device))
    }

    /// The same, by the accounts.
    func tokens(ofEach accounts: [String], except device: String? = nil) throws(MongoError) -> [String: Set<String>] {
        try links.devices(ofEach: accounts, app: route.app).mapValues { devices in
            var tokens: Set<String> = []
            for found in devices where device == nil || found.device != device {
                guard let address = found.address, address.provider == .apns, address.environment == route.environment
                else { continue }
                tokens.insert(address.token)
            }
            return tokens
        }
    }

    static func union(of accounts: [String], _ tokens: [String: Set<String>]) -> [String] {
        accounts.reduce(into: Set<String>()) { $0.formUnion(tokens[$1] ?? []) }.sorted()
    }

    /// The bodies of the dispatch messages; each has a name of its own where there are several.
    private func messages(_ id: String, _ envelope: Envelope, _ tokens: [String]) -> [[UInt8]] {
        stride(from: 0, to: tokens.count, by: Self.tokensOfOne).map { start in
            let name = tokens.count > Self.tokensOfOne ? "\(id).\(start / Self.tokensOfOne + 1)" : id
            var json: [UInt8] = []
            DispatchMessage.appendNames(
                batchID: name,
                client: route.client,
                lane: envelope.lane,
                service: envelope.service,
                to: &json
            )
            DispatchMessage.appendDelivery(
                expiration: envelope.expiration,
                collapseID: envelope.collapseID,
                to: &json
            )
            DispatchMessage.appendPayload(envelope.payload, to: &json)
            DispatchMessage.appendOpening(of: .deviceTokens, to: &json)
            for (place, token) in tokens[start..<min(start + Self.tokensOfOne, tokens.count)].enumerated() {
                if place > 0 { json.append(UInt8(ascii: ",")) }
                JSONText.appendString(token.utf8, to: &json)
            }
            DispatchMessage.appendClosing(to: &json)
            return json
        }
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
