public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A person's app at a Waybill server: logging in, being told on this device, and what one was told.
///
/// The access token is renewed when it is about to end, or was refused, by one request however many calls wait for it: each refresh token holds once. So
/// there is one client for each session, and whoever keeps a session in the keychain keeps every one that `onSession` is given.
public actor WaybillClient {
    let transport: Transport
    private let onSession: @Sendable (WaybillSession?) -> Void
    /// `nil`: nobody has logged in, or the session has ended.
    public private(set) var session: WaybillSession?
    private var renewal: Task<WaybillSession, any Error>?
    /// Counts log-ins and log-outs: a renewal of an earlier session writes nothing.
    private var generation = 0

    /// Renewed so early, since the clock of a phone may be wrong.
    private static let margin: TimeInterval = 30

    /// - Parameters:
    ///   - server: such as `https://push.example.com`; a path behind it is kept.
    ///   - session: of an earlier start of the app; `nil`: log in first.
    ///   - urlSession: what carries requests.
    ///   - onSession: is given each new session, to be kept where nobody else reads it, and `nil` when it has ended.
    public init(
        server: URL,
        session: WaybillSession? = nil,
        urlSession: URLSession = .shared,
        onSession: @escaping @Sendable (WaybillSession?) -> Void = { _ in }
    ) {
        transport = Transport(server: server, urlSession: urlSession)
        self.session = session
        self.onSession = onSession
    }

    // MARK: - Session

    /// Logs in.
    ///
    /// - Parameters:
    ///   - name: the user name or the address.
    ///   - password: the person's.
    ///   - device: what to call this session, for the person's list of them.
    /// - Throws: ``WaybillError``: `problem` with the status 401 for a wrong name or password.
    public func logIn(name: String, password: String, device: String? = nil) async throws {
        var body = ["username": name, "password": password]
        body["name"] = device
        let tokens = try await transport.ask("POST", "/v1/account/sessions", body: body, token: nil)
        begin(try WaybillSession(tokens))
    }

    /// Logs out, also where the server cannot be reached: the session is forgotten in any case.
    ///
    /// Remove this device before, or notifications still come.
    public func logOut() async throws {
        let own = generation
        defer { if generation == own { begin(nil) } }
        _ = try await send("DELETE", "/v1/account/sessions/current")
    }

    // MARK: - This device

    /// Has this account's notifications sent to this device: at each start of the app, and when its token changes.
    ///
    /// - Parameters:
    ///   - id: this installation's, of the app's own making and kept with it, such as a UUID.
    ///   - token: as the system gives it.
    ///   - tags: what audiences and campaigns select it by, all of them in place of those before; `nil`: those stay.
    ///   - appVersion: of the app.
    ///   - locale: such as `cs-CZ`.
    ///   - timeZone: a name of the IANA database.
    /// - Throws: ``WaybillError``.
    public func registerDevice(
        id: String,
        token: Data,
        tags: [String]? = nil,
        appVersion: String? = nil,
        locale: String? = nil,
        timeZone: String? = TimeZone.current.identifier
    ) async throws {
        try await registerDevice(
            id: id,
            token: WaybillDeviceToken.apns(token),
            tags: tags,
            appVersion: appVersion,
            locale: locale,
            timeZone: timeZone
        )
    }

    /// The same for a token of whichever push service.
    ///
    /// - Throws: ``WaybillError``: `problem` with the status 400 where the server sends to no phones of that push service.
    public func registerDevice(
        id: String,
        token: WaybillDeviceToken,
        tags: [String]? = nil,
        appVersion: String? = nil,
        locale: String? = nil,
        timeZone: String? = TimeZone.current.identifier
    ) async throws {
        let body = DeviceBody(token, tags: tags, appVersion: appVersion, locale: locale, timeZone: timeZone)
        _ = try await send("PUT", "/v1/account/devices/\(Transport.segment(id))", body: body)
    }

    /// Sends nothing of this account to a device any more.
    public func removeDevice(id: String) async throws {
        _ = try await send("DELETE", "/v1/account/devices/\(Transport.segment(id))")
    }

    // MARK: - Notifications

    /// What this account was told, the latest first.
    ///
    /// - Parameters:
    ///   - cursor: the page before has it; `nil`: the first page.
    ///   - service: of this service alone.
    ///   - unreadOnly: what was not read.
    ///   - limit: 1 to 200.
    /// - Returns: a page. Go on with the same arguments, but for the cursor.
    /// - Throws: ``WaybillError``.
    public func notifications(
        after cursor: String? = nil,
        service: String? = nil,
        unreadOnly: Bool = false,
        limit: Int = 50
    ) async throws -> WaybillPage {
        var query = [URLQueryItem(name: "limit", value: "\(limit)")]
        if let cursor { query.append(URLQueryItem(name: "cursor", value: cursor)) }
        if let service { query.append(URLQueryItem(name: "service", value: service)) }
        if unreadOnly { query.append(URLQueryItem(name: "unread", value: "true")) }
        return try WaybillPage(try await send("GET", "/v1/notifications", query: query))
    }

    /// A notification has been read: on all of the person's devices.
    public func markRead(_ notification: String) async throws {
        _ = try await send("PUT", "/v1/notifications/\(Transport.segment(notification))/read")
    }

    /// A notification is acknowledged, which is also reading it.
    public func acknowledge(_ notification: String) async throws {
        _ = try await send("PUT", "/v1/notifications/\(Transport.segment(notification))/acknowledged")
    }

    /// Everything has been read.
    public func markAllRead() async throws {
        _ = try await send("PUT", "/v1/notifications/read")
    }

    // MARK: - Requests

    private func send(
        _ method: String,
        _ path: String,
        query: [URLQueryItem] = [],
        body: (any Encodable & Sendable)? = nil
    ) async throws -> Data {
        let own = generation
        let token = try await fresh(beyond: nil).accessToken
        do {
            return try await transport.ask(method, path, query: query, body: body, token: token)
        } catch WaybillError.problem(status: 401, _, _) {
            // Never by the session of another account.
            guard generation == own else { throw WaybillError.notLoggedIn }
            // It has ended earlier than its time: a renewed one tells whether the session has, too.
            let next = try await fresh(beyond: token).accessToken
            return try await transport.ask(method, path, query: query, body: body, token: next)
        }
    }

    /// The session with an access token that holds, and is not this one.
    func fresh(beyond refused: String?) async throws -> WaybillSession {
        guard let session else { throw WaybillError.notLoggedIn }
        if session.accessToken != refused, session.accessExpires.timeIntervalSinceNow > Self.margin { return session }
        let own = generation
        if let renewal {
            let next = try await renewal.value
            guard generation == own else { throw WaybillError.notLoggedIn }
            return next
        }
        let transport = transport
        let task = Task {
            try WaybillSession(
                try await transport.ask(
                    "POST",
                    "/v1/account/sessions/refresh",
                    body: ["refresh_token": session.refreshToken],
                    token: nil
                )
            )
        }
        renewal = task
        defer { if generation == own { renewal = nil } }
        do {
            let next = try await task.value
            guard generation == own else { throw WaybillError.notLoggedIn }
            keep(next)
            return next
        } catch WaybillError.problem(status: 401, _, _) {
            if generation == own { keep(nil) }
            throw WaybillError.notLoggedIn
        }
    }

    /// Begins another session, or none.
    private func begin(_ next: WaybillSession?) {
        generation += 1
        renewal = nil
        keep(next)
    }

    private func keep(_ next: WaybillSession?) {
        session = next
        onSession(next)
    }
}
