import WaybillAccounts
import WaybillEncoding
package import WaybillMongo

/// In whose name a notification in the store is sent, and to whom.
package struct ServiceVoice: Hashable, Sendable {
    /// The service's id.
    package let service: String
    /// What stands above a text that has no title.
    package let name: String
    /// The URL of its image; `nil`: it has none.
    package let image: String?
    /// The people who are told of its level: at least one.
    package let accounts: [String]
    /// How many of the service's people are not told.
    package let silenced: Int
    package let route: NotificationRoute
    /// When it says it, in milliseconds since 1970.
    package let time: Int64

    package init(
        service: String,
        name: String,
        image: String? = nil,
        accounts: [String],
        silenced: Int = 0,
        route: NotificationRoute,
        time: Int64
    ) {
        self.service = service
        self.name = name
        self.image = image
        self.accounts = accounts
        self.silenced = silenced
        self.route = route
        self.time = time
    }

    /// What a service's push carries, as where our own API takes it: members of an audience's content.
    ///
    /// Where no Android phone is reached, that is APNs' payload.
    func append(_ content: ServiceNotification, id: String, to json: inout JSONWriter) {
        let face = ServiceFace(id: service, name: name, image: image)
        if route.fcm == nil {
            if content.level == .critical { json.member("delivery_type", "critical") }
            json.member("payload", json: content.payload(id: id, face, time: time))
        } else {
            json.members(content.fields(id: id, face, time: time))
        }
    }

    /// By which lanes it goes, as an audience message has them.
    func appendLanes(to json: inout JSONWriter) {
        if let fcm = route.fcm {
            json.member("lane", [route.lane, fcm.lane])
        } else {
            json.member("lane", route.lane)
        }
    }

    /// Whom it means: the people's devices in the services' app.
    var selectText: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        if let fcm = route.fcm {
            json.member("app", [route.app, fcm.project])
        } else {
            json.member("app", route.app)
        }
        json.member("users", accounts)
        json.endObject()
        return json.bytes
    }
}

/// Finds who is told of what stands in the store and names a service.
///
/// *Thread:* its client's. *Blocking:* up to the limits of the pool and the time limit.
package struct PostedServices {
    private let services: ServiceReader
    private let route: NotificationRoute?

    /// - Parameters:
    ///   - client: the store's.
    ///   - database: where services are.
    ///   - route: where they send; `nil`: this installation has none.
    package init(client: MongoClient, database: String, route: NotificationRoute?) {
        services = ServiceReader(client: client, database: database)
        self.route = route
    }

    /// - Parameters:
    ///   - document: as it was inserted.
    ///   - now: milliseconds since 1970.
    /// - Returns: `nil` for a document that names no service; a refusal with the field.
    /// - Throws: what the store says, also that services may not be read here.
    package func voice(
        _ document: BSONDocument,
        now: Int64
    ) throws(MongoError) -> Result<ServiceVoice?, PostedRefusal> {
        guard let value = document["\(NotificationLayout.Field.service)"], value != .null else { return .success(nil) }
        guard let id = value.string, !id.isEmpty else { return .failure(PostedRefusal("service", "must be a text")) }
        guard let route else {
            return .failure(
                PostedRefusal("service", "cannot be sent: the schedule's configuration has no serve.notifire.services")
            )
        }
        let level: NotificationLevel
        do throws(PostedRefusal) {
            level = try PostedNotification.level(document) ?? .info
        } catch {
            return .failure(error)
        }
        // Who sleeps when it begins is not told, whoever is awake now.
        let begins = max(now, document["\(NotificationLayout.Field.at)"]?.date ?? now)
        let silent = "is none, or one that may say nothing now"
        guard let service = try services.service(id) else { return .failure(PostedRefusal("service", silent)) }
        guard let audience = try services.audience(of: level, in: id, now: begins) else {
            return .failure(PostedRefusal("service", silent, mayPass: true))
        }
        guard !audience.accounts.isEmpty else {
            let nobody = "nobody of the service wants to be told of it at that time"
            return .failure(PostedRefusal("level", nobody, mayPass: true))
        }
        return .success(
            ServiceVoice(
                service: id,
                name: service.name,
                image: route.image(of: service),
                accounts: audience.accounts,
                silenced: audience.silenced.count,
                route: route,
                time: now
            )
        )
    }
}
