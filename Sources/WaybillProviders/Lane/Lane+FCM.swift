extension Lane {
    /// A lane to FCM; the parameters are those of ``Lane`` and ``FCMLane``.
    package init(name: String, project: String, maxAge: Int? = nil) {
        self.init(name: name, maxAge: maxAge, provider: .fcm(FCMLane(project: project)))
    }
}
