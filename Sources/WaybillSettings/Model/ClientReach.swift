import WaybillCore
package import WaybillEncoding

/// The apps that clients may reach with audiences, campaigns and notifications in the store.
package struct ClientReach: Hashable, Sendable {
    /// By client, of those that have a list.
    package var apps: [ExactName: Set<ExactName>]
    /// Whether a client without a list reaches no app; otherwise it reaches every app.
    package var isClosed: Bool

    package init(apps: [ExactName: Set<ExactName>] = [:], isClosed: Bool = false) {
        self.apps = apps
        self.isClosed = isClosed
    }
}

extension ConfigurationSections {
    /// The apps that clients may reach.
    ///
    /// A client without a list reaches no app where any client has one, or where campaigns can be prepared over HTTP. The client
    /// of `serve.notifire.services` has the apps of that section.
    package var reach: ClientReach {
        var apps = clients.compactMapValues(\.apps)
        let isClosed = serve != nil || !apps.isEmpty
        if let services = serve?.services, apps[ExactName(services.client)] == nil {
            apps[ExactName(services.client)] = Set(exactly: services.apps)
        }
        return ClientReach(apps: apps, isClosed: isClosed)
    }

    /// The clients that the configuration names and that reach no app for lack of a list, in order.
    package var clientsWithoutApps: [String] {
        let reach = reach
        guard reach.isClosed else { return [] }
        let producers = (producers?.users.values).map { $0.flatMap { Array($0.clients ?? []) } } ?? []
        let named = Set(exactly: (retention?.names ?? []) + [schedule.client]).union(clients.keys).union(producers)
        return named.subtracting(reach.apps.keys).sortedTexts
    }
}
