/// People's accounts, and what leads to them.
package struct AccountSettings: Hashable, Sendable {
    /// What one guess of a password costs (argon2id).
    package struct Hashing: Hashable, Sendable {
        /// In KiB.
        package var memory: Int
        package var passes: Int
        package var lanes: Int

        package init(memory: Int = 19_456, passes: Int = 2, lanes: Int = 1) {
            self.memory = memory
            self.passes = passes
            self.lanes = lanes
        }
    }

    /// How often one address, or the block of addresses that one client has, may ask without showing anything, and how often
    /// one account may have something written.
    package struct Limits: Hashable, Sendable {
        /// Accounts that are made, and mails that are asked for again.
        package var signUpsPerHour: Int
        package var logInsPerMinute: Int
        /// Names and addresses that are asked for, links that are opened, tokens that are renewed.
        package var checksPerMinute: Int
        /// Services that one account makes, changes and deletes.
        package var changesPerMinute: Int
        /// Keys that one account has made, and secrets of webhooks.
        package var keyChangesPerHour: Int
        /// How often one account logs in or out on a phone.
        package var devicesPerHour: Int

        package init(
            signUpsPerHour: Int = 5,
            logInsPerMinute: Int = 10,
            checksPerMinute: Int = 30,
            changesPerMinute: Int = 60,
            keyChangesPerHour: Int = 10,
            devicesPerHour: Int = 60
        ) {
            self.signUpsPerHour = signUpsPerHour
            self.logInsPerMinute = logInsPerMinute
            self.checksPerMinute = checksPerMinute
            self.changesPerMinute = changesPerMinute
            self.keyChangesPerHour = keyChangesPerHour
            self.devicesPerHour = devicesPerHour
        }
    }

    /// How much a service may have, and where what its test keys say goes.
    package struct Services: Hashable, Sendable {
        /// Keys that hold, but for the one that its owner can read again.
        package var keys: Int
        /// People who belong to it.
        package var members: Int
        /// Invitations that nobody has answered.
        package var invitations: Int
        /// Webhooks.
        package var webhooks: Int
        /// Of its image.
        package var imageBytes: Int
        /// The lane of what test keys say, such as one that leads to the simulator; `nil`: test keys send nothing.
        package var testLane: String?

        package init(
            keys: Int = 20,
            members: Int = 100,
            invitations: Int = 50,
            webhooks: Int = 5,
            imageBytes: Int = 1 << 20,
            testLane: String? = nil
        ) {
            self.keys = keys
            self.members = members
            self.invitations = invitations
            self.webhooks = webhooks
            self.imageBytes = imageBytes
            self.testLane = testLane
        }
    }

    /// The secret that the keys of tokens are derived of, and the one before it while it is exchanged.
    package struct Roots: Hashable, Sendable {
        /// Of a secret.
        package static let minimumBytes = 32

        package var file: String
        package var formerFile: String?

        package init(file: String, formerFile: String? = nil) {
            self.file = file
            self.formerFile = formerFile
        }

        /// Both secrets, without the line break at their end.
        ///
        /// - Throws: `OwnerOnlyFile.Problem` when a file cannot be read, others can read it, or it holds too little.
        package func read() throws(OwnerOnlyFile.Problem) -> (root: [UInt8], former: [UInt8]?) {
            (try Self.read(file), try formerFile.map { path throws(OwnerOnlyFile.Problem) in try Self.read(path) })
        }

        private static func read(_ path: String) throws(OwnerOnlyFile.Problem) -> [UInt8] {
            var bytes = try OwnerOnlyFile.read(path, limit: 4096).get()
            while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { bytes.removeLast() }
            guard bytes.count >= minimumBytes else {
                throw OwnerOnlyFile.Problem(
                    category: .configuration,
                    reason: "\(path) holds less than \(minimumBytes) bytes; write a secret with: "
                        + "(umask 077; openssl rand -base64 32 >\(path))"
                )
            }
            return bytes
        }
    }

    /// Where people's apps and browsers find this server, such as `https://push.example.com`; without a slash behind it.
    package var baseURL: String
    package var roots: Roots
    package var hashing: Hashing
    package var limits: Limits
    /// The fewest characters of a password, but for the thesis' API, which has its own.
    package var minimumPassword: Int
    package var services: Services
    /// The apps that open this server's links: team id, dot, bundle id.
    package var apps: [String]

    package init(
        baseURL: String,
        roots: Roots,
        hashing: Hashing = Hashing(),
        limits: Limits = Limits(),
        minimumPassword: Int = 8,
        services: Services = Services(),
        apps: [String] = []
    ) {
        self.baseURL = baseURL
        self.roots = roots
        self.hashing = hashing
        self.limits = limits
        self.minimumPassword = minimumPassword
        self.services = services
        self.apps = apps
    }
}

/// The API of the thesis that this product descends from, at its own paths.
package struct NotifireSettings: Hashable, Sendable {
    /// The fewest characters of a password.
    package var minimumPassword: Int
    /// `nil`: people have accounts, and no services and devices.
    package var services: NotifireServiceSettings?

    package init(minimumPassword: Int = 5, services: NotifireServiceSettings? = nil) {
        self.minimumPassword = minimumPassword
        self.services = services
    }
}
