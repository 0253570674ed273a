import Testing
import WaybillCore
import WaybillEncoding
import WaybillProviders
import WaybillTLS
import WaybillTestSupport

@testable import WaybillSettings

@Suite("Loading a configuration")
struct ConfigurationLoaderTests {
    @Test("the smallest configuration has the documented defaults")
    func defaults() throws {
        let loaded = try ConfigurationText.load(ConfigurationText.minimal)
        #expect(loaded.findings == [])
        let configuration = try #require(loaded.configuration)
        #expect(configuration.broker.url == "amqp://localhost/")
        #expect(configuration.broker.password == nil)
        #expect(configuration.broker.queuePrefix == "waybill")
        #expect(configuration.broker.dispatchQueues == 0)
        #expect(configuration.broker.maxInFlight == 20_000)
        #expect(configuration.store.database == "waybill")
        #expect(configuration.store.body == .full)
        #expect(configuration.store.tokens == .plain)
        #expect(configuration.retention == RetentionPolicy(default: .days(30)))
        #expect(configuration.admin.listen.isEmpty)
        #expect(configuration.limits == DecodingLimits())
        #expect(configuration.retry == RetryPolicy())
        #expect(configuration.dispatch == DispatchSettings(graceTime: .seconds(25), requestTimeout: .seconds(30)))
        #expect(configuration.fanout == FanoutTuning(backlog: 100, keep: .seconds(30 * 86_400)))
        let lane = try #require(configuration.lanes.first)
        #expect(lane.lane == Lane(name: "parcels", environment: .production, bundleID: "com.example.parcels"))
        #expect(lane.connections == 2)
        #expect(lane.effectiveEndpoint == LaneEndpoint(host: "api.push.apple.com", port: 443))
    }

    @Test("a byte order mark is skipped")
    func byteOrderMark() throws {
        let loaded = try ConfigurationText.load("\u{FEFF}" + ConfigurationText.minimal)
        #expect(loaded.findings == [])
        #expect(loaded.configuration?.broker.url == "amqp://localhost/")
    }

    @Test("everything that can be written is read")
    func complete() throws {
        let examples = try SchemaExample.all(of: "configuration", valid: true)
        let example = try #require(examples.first { $0.name == "complete" })
        let folder = try TemporaryFolder()
        let file = try folder.write("complete.yaml", String(decoding: example.body, as: UTF8.self))
        let loaded = ConfigurationLoader.load(path: file, environment: [:])
        let configuration = try #require(loaded.configuration)
        #expect(configuration.broker.url == "amqps://waybill@broker-1.example.com:5671/push")
        #expect(configuration.broker.certificateFile == folder.path + "/waybill.pem")
        #expect(configuration.broker.privateKeyFile == folder.path + "/waybill-key.pem")
        #expect(configuration.broker.caFile == folder.path + "/broker-ca.pem")
        #expect(configuration.broker.queuePrefix == "waybill.eu")
        #expect(configuration.broker.dispatchQueues == 3)
        #expect(configuration.broker.maxInFlight == 50_000)
        #expect(
            configuration.store.url.value
                == "mongodb://waybill@store-1.example.com,store-2.example.com:27018/?replicaSet=rs0"
        )
        #expect(configuration.store.caFile == folder.path + "/store-ca.pem")
        #expect(configuration.store.certificateFile == folder.path + "/waybill-with-key.pem")
        #expect(configuration.store.privateKeyFile == nil)
        #expect(configuration.store.body == .digest)
        #expect(configuration.retention.clients == ["acme": .days(90), "contoso": .keep])
        #expect(configuration.retention.otherClients == ["initech"])
        #expect(configuration.retention.unknown == .reject)
        #expect(loaded.sections?.log == LogSettings(level: .notice))
        #expect(configuration.fanout == FanoutTuning(backlog: 20, keep: .seconds(90 * 86_400)))
        let fuse = FusePolicy(count: 50, percent: 10, multiple: 3, window: .seconds(300), mostHeld: 10_000)
        #expect(loaded.sections?.prune == fuse)
        #expect(
            configuration.admin.listen == [
                .dispatch: AdminSettings.Listen(host: "127.0.0.1", port: 9464),
                .prune: AdminSettings.Listen(host: "127.0.0.1", port: 9465),
                .serve: AdminSettings.Listen(host: "127.0.0.1", port: 9466),
                .hooks: AdminSettings.Listen(host: "127.0.0.1", port: 9467),
                .fanout: AdminSettings.Listen(host: "127.0.0.1", port: 9468),
                .schedule: AdminSettings.Listen(host: "127.0.0.1", port: 9469),
            ]
        )
        #expect(configuration.admin.hosts == ["push-1.example.com"])
        let serve = try #require(loaded.sections?.serve)
        #expect(serve.listen == AdminSettings.Listen(host: "0.0.0.0", port: 8443))
        #expect(serve.certificate?.certificateFile == folder.path + "/serve.pem")
        #expect(serve.certificate?.privateKeyFile == folder.path + "/serve-key.pem")
        #expect(
            serve.accounts
                == AccountSettings(
                    baseURL: "https://push.example.com",
                    roots: .init(file: folder.path + "/root-secret", formerFile: folder.path + "/root-secret.1"),
                    hashing: .init(memory: 47_104, passes: 1),
                    limits: .init(
                        signUpsPerHour: 50,
                        logInsPerMinute: 20,
                        checksPerMinute: 60,
                        changesPerMinute: 120,
                        keyChangesPerHour: 20,
                        devicesPerHour: 30
                    ),
                    minimumPassword: 12,
                    services: .init(
                        keys: 10,
                        members: 50,
                        invitations: 20,
                        webhooks: 3,
                        imageBytes: 512 << 10,
                        testLane: "parcels-sandbox"
                    ),
                    apps: ["ABCDE12345.com.example.app"]
                )
        )
        #expect(
            serve.notifire
                == NotifireSettings(
                    minimumPassword: 8,
                    services: .init(
                        app: "com.example.parcels",
                        environment: .sandbox,
                        lane: "parcels-sandbox",
                        fcm: .init(project: "parcels-4711", lane: "parcels-android", testLane: "android-simulator"),
                        client: "acme",
                        burst: 100,
                        perMinute: 600,
                        perDay: 50_000,
                        devices: 10,
                        keep: .seconds(90 * 86_400),
                        readQueue: "notifire.in",
                        writeQueue: "notifire.out",
                        tellsRead: false
                    )
                )
        )
        #expect(serve.proxies == ["10.0.0.0/8", "2001:db8::1"].compactMap { IPRange($0) })
        #expect(configuration.limits.maxBodySize == 2_097_152)
        #expect(configuration.limits.maxNotifications == 5000)
        #expect(configuration.limits.maxDepth == 16)
        #expect(configuration.retry.steps.map(\.name) == ["5s", "10s", "30s", "2m", "15m", "1h"])
        let sandbox = try #require(configuration.lanes.last)
        #expect(sandbox.lane.environment == .sandbox)
        #expect(sandbox.endpoint == LaneEndpoint(host: "::1", port: 8443))
        #expect(
            sandbox.apns?.credentials
                == .certificate(
                    .init(
                        certificateFile: folder.path + "/sandbox.pem",
                        privateKeyFile: folder.path + "/sandbox.key"
                    )
                )
        )
    }

    @Test("flags win over the environment, and the environment over the file")
    func precedence() throws {
        let text = try ConfigurationText.minimal(
            replacing: "  url: amqp://localhost/",
            with: "  url: amqp://file/\n  queue_prefix: file"
        )
        let environment = ["WAYBILL_BROKER_URL": "amqp://environment/", "WAYBILL_BROKER_QUEUE_PREFIX": "environment"]
        let loaded = try ConfigurationText.load(
            text,
            environment: environment,
            overrides: ["broker.queue_prefix": "flag"]
        )
        let broker = try #require(loaded.configuration).broker
        #expect(broker.url == "amqp://environment/")
        #expect(broker.queuePrefix == "flag")
        #expect(loaded.origins["broker.url"] == .environment("WAYBILL_BROKER_URL"))
        #expect(loaded.origins["broker.queue_prefix"] == .flag("--set broker.queue_prefix"))
        #expect(loaded.origins["store.url"] == .file(line: 5))
    }

    @Test("the environment alone can fill a section, and lists with commas")
    func environmentOnly() throws {
        let text = try ConfigurationText.minimal(replacing: "broker:\n  url: amqp://localhost/\n", with: "")
        let loaded = try ConfigurationText.load(
            text,
            environment: [
                "WAYBILL_BROKER_URL": "amqp://environment/", "WAYBILL_RETRY_STEPS": "1s, 2s",
                "WAYBILL_RETENTION_DEFAULT": "keep", "WAYBILL_STORE_DATABASE": "",
            ]
        )
        let configuration = try #require(loaded.configuration)
        #expect(configuration.broker.url == "amqp://environment/")
        #expect(configuration.retry.steps.map(\.seconds) == [1, 2])
        #expect(configuration.retention.defaultPeriod == .keep)
        #expect(configuration.store.database == "waybill")
    }

    @Test("an environment variable that looks like a slip is a warning, a foreign one is nothing")
    func environmentSlips() throws {
        let loaded = try ConfigurationText.load(
            ConfigurationText.minimal,
            environment: [
                "WAYBILL_BROKR_URL": "amqp://x/", "WAYBILL_SERVICE_PORT_AMQP": "5672",
                "WAYBILL_TEST_BROKER": "amqp://y/",
                "WAYBILL_CONFIG": "x",
            ]
        )
        #expect(
            loaded.findings.map(\.description) == [
                "warn configuration (WAYBILL_BROKR_URL): WAYBILL_BROKR_URL is not a setting and is ignored; "
                    + "did you mean WAYBILL_BROKER_URL?"
            ]
        )
        #expect(loaded.configuration != nil)
    }

    @Test("a flag that names no setting is an error with the nearest one")
    func unknownFlag() throws {
        let loaded = try ConfigurationText.load(ConfigurationText.minimal, overrides: ["broker.prefetch": "1"])
        #expect(
            loaded.findings.map(\.description) == [
                "error broker.prefetch (--set): is not a setting that a flag can give"
            ]
        )
        let near = try ConfigurationText.load(ConfigurationText.minimal, overrides: ["store.databse": "x"])
        #expect(
            near.findings.map(\.description) == [
                "error store.databse (--set): is not a setting that a flag can give; did you mean store.database?"
            ]
        )
    }

    @Test("relative files start from the file's folder, in the environment from the working folder")
    func relativeFiles() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("waybill.yaml", ConfigurationText.minimal)
        let lanes = ConfigurationLoader.load(path: file, environment: [:]).configuration?.lanes
        #expect(
            lanes?.first?.apns?.credentials
                == .token(teamID: "ABCDE12345", keyID: "ABC123DEFG", keyFile: folder.path + "/key.p8")
        )
        let secret = ConfigurationLoader.load(
            path: file,
            environment: ["WAYBILL_BROKER_PASSWORD_FILE": "no-such-file"]
        )
        #expect(
            secret.findings.map(\.description) == [
                "error broker.password_file (WAYBILL_BROKER_PASSWORD_FILE): no-such-file does not exist"
            ]
        )
    }

    @Test("no file, or a file that is none, is one finding and not a dozen")
    func missingFile() throws {
        let folder = try TemporaryFolder()
        let missing = ConfigurationLoader.load(path: folder.path + "/none.yaml", environment: [:])
        #expect(
            missing.findings.map(\.description) == ["error configuration: \(folder.path)/none.yaml does not exist"]
        )
        let notAFile = ConfigurationLoader.load(path: folder.path, environment: [:])
        #expect(notAFile.findings.map(\.description) == ["error configuration: \(folder.path) is not a regular file"])
    }
}
