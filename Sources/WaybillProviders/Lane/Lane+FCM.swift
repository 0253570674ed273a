extension Lane {
    /// A lane to FCM; the parameters are those of ``Lane`` and ``FCMLane``.
    package init(name: String, project: String, maxAge: Int? = nil, expiration: LaneExpiration? = nil) {
        self.init(name: name, maxAge: maxAge, expiration: expiration, provider: .fcm(FCMLane(project: project)))
    }
}
