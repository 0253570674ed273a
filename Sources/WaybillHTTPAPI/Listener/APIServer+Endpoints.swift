import WaybillDeliveryLog
import WaybillSettings

extension APIServer {
    static func endpoints(
        _ backend: APIBackend,
        _ parts: Parts,
        _ places: StreamPlaces
    ) -> [Endpoint] {
        let (store, ownStore, helpers) = (parts.store, parts.ownStore, parts.helpers)
        let turn = Turn()
        let rejected = RejectedLook(backend.broker, retry: backend.retry, turn: turn)
        return DeliveryRoutes(
            backend: backend,
            store: store,
            places: places,
            cursors: CursorSeal(database: backend.log.database, store: ownStore)
        ).endpoints
            + TailRoutes(
                backend: backend,
                store: ownStore,
                feed: parts.feed,
                places: places,
                seals: CursorSeal(database: backend.log.database, store: ownStore, purpose: "waybill tail")
            ).endpoints
            + StoryRoutes(backend: backend, store: store, helpers: helpers, rejected: rejected).endpoints
            + ExplainRoutes(backend: backend, store: store, helpers: helpers, rejected: rejected).endpoints
            + StatisticsRoutes(backend: backend, store: store).endpoints
            + OrderRoutes(backend: backend, store: store).endpoints
            + FuseRoutes(backend: backend, store: store).endpoints
            + RejectedRoutes(backend: backend, store: store, turn: turn).endpoints
            + CampaignRoutes(backend: backend, store: store).endpoints
            + StatusRoutes(backend: backend).endpoints
    }

    static func notifire(
        _ settings: ServeSettings,
        _ door: FrontDoor?,
        _ sender: NotificationSender?
    ) -> NotifireTable? {
        guard let door, let notifire = settings.notifire else { return nil }
        var endpoints =
            NotifireSignUp(door: door, settings: notifire).endpoints + NotifireLogIn(door: door).endpoints
        if let services = settings.services, let sender {
            endpoints +=
                NotifireDevices(door: door, settings: services).endpoints + NotifireServices(door: door).endpoints
                + NotifireNotify(sender: sender).endpoints
        }
        return NotifireTable(endpoints: endpoints, origin: OriginCheck(isProtected: settings.isProtected))
    }

    /// What browsers and phones GET without showing anything.
    static func openPaths(_ settings: ServeSettings) -> [String] {
        (settings.page == nil ? [] : PageRoutes.paths)
            + (settings.page == nil || settings.accounts == nil ? [] : [PageRoutes.peoplePath])
            + (settings.accounts == nil ? [] : LinkPage.Kind.allCases.map(\.path))
            + (settings.accounts?.apps.isEmpty == false ? [AppSiteAssociation.path] : [])
    }
}
