import Hummingbird
import WaybillAccounts
import WaybillAudience
import WaybillDeliveryLog
import WaybillEncoding
import WaybillMessages
import WaybillMongo
import WaybillNotifications
import WaybillThreads

/// What counts devices before it answers: a preview, a test and a start.
extension CampaignRoutes {
    /// What would be sent, to how many, and when: counted exactly, by the registry as it stands.
    func preview(_ request: APIRequest) async throws -> Response {
        let rules = backend.campaigns
        let subject = try CampaignSubject(request)
        return try await ask(request, about: subject, APILimits.countingTime) {
            campaign,
            posted,
            _,
            reader throws(MongoError) in
            let forecast = try rules.forecast(campaign, as: posted, reader, now: WallClock.milliseconds())
            return .success(Response.json(CampaignAnswer.preview(posted, forecast)))
        }
    }

    /// 202 with the name of the notification and how many devices it goes to; 409 where it reaches none of them.
    func test(_ request: APIRequest) async throws -> Response {
        let rules = backend.campaigns
        let subject = try CampaignSubject(request, .campaignTest)
        let (users, devices) = try request.body.form { body, checks -> ([String], [String])? in
            let users = checks.read("users") { () throws(Problem) in try Self.names("users", body) }
            let devices = checks.read("devices") { () throws(Problem) in try Self.names("devices", body) }
            guard let users, let devices else { return nil }
            guard users.isEmpty != devices.isEmpty else {
                checks.note(.members("give users or devices"))
                return nil
            }
            return (users, devices)
        }
        return try await ask(request, about: subject, APILimits.handlingTime) {
            campaign,
            posted,
            store,
            reader throws(MongoError) in
            let kind: AudienceSelection.Kind = users.isEmpty ? .devices(devices) : .users(users)
            let (count, reach) = try rules.reach(posted, kind, reader)
            guard count > 0 else { return .failure(Problem(.conflict, "it would reach nobody")) }
            if let reason = reach?.whyNobody {
                return .failure(Problem(.conflict, "it would reach nobody: \(reason)"))
            }
            let suffix = String(UInt32.random(in: .min ... .max), radix: 36)
            var json = JSONWriter()
            json.beginObject()
            json.member("notification", try store.test(campaign, suffix: suffix, users: users, devices: devices))
            json.member("devices", count)
            json.endObject()
            return .success(Response.json(json.bytes, status: .accepted))
        }
    }

    /// 202 with the campaign; 409 where it reaches nobody, and where it is more than it may be.
    ///
    /// Safe to repeat.
    func start(_ request: APIRequest) async throws -> Response {
        let rules = backend.campaigns
        let subject = try CampaignSubject(request, .campaignStart)
        let limit = try request.body.form { body, checks in
            checks.read("at_most") { () throws(Problem) in
                guard let bytes = body.json("at_most") else { return Int.max }
                guard let number = Int(String(decoding: bytes, as: UTF8.self)), number >= 0 else {
                    throw .field("at_most", "at_most must be a whole number of devices")
                }
                return number
            }
        }
        return try await ask(request, about: subject, APILimits.countingTime) {
            campaign,
            posted,
            store,
            reader throws(MongoError) in
            let forecast = try rules.forecast(campaign, as: posted, reader, now: WallClock.milliseconds())
            let now = WallClock.milliseconds()
            if campaign.state == .draft {
                if let reason = forecast.whyNobody {
                    return .failure(Problem(.conflict, "it would reach nobody: \(reason); nothing was started"))
                }
                guard forecast.devices <= limit else {
                    return .failure(
                        Problem(.conflict, "it would be \(forecast.devices) devices; nothing was started")
                    )
                }
            }
            switch try store.start(campaign.id, by: forecast.parts, now: now) {
            case .campaign(let current) where current.state == .started:
                let leftOut = forecast.reach?.leftOut ?? AudienceLeftOut()
                let json = try Self.full(current, store, rules.client, leftOut: leftOut)
                return .success(Response.json(json, status: .accepted))
            case .campaign: return .failure(Problem(.conflict, "it was cancelled; nothing is sent"))
            case .namesTaken: return .failure(Problem(.conflict, "notifications of others have the names of its parts"))
            case .unknown: return .failure(Self.unknown)
            }
        }
    }

    /// Asks the store about one campaign, and what it would be as one notification; 409 with the field where nothing of it may be sent.
    private func ask(
        _ request: APIRequest,
        about subject: CampaignSubject,
        _ time: Duration,
        _ question:
            @escaping @Sendable (Campaign, PostedNotification, CampaignStore, AudienceReader) throws(MongoError) ->
            Result<Response, Problem>
    ) async throws -> Response {
        let rules = backend.campaigns
        return try await ask(request, about: subject, time) { campaign, store, reader throws(MongoError) in
            let posted: PostedNotification
            do throws(PostedRefusal) {
                posted = try rules.posted(campaign, now: WallClock.milliseconds())
            } catch {
                return .failure(Problem(.conflict, "\(error)"))
            }
            return try question(campaign, posted, store, reader)
        }
    }
}
