// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

func cLibrary(_ name: String, pkgConfig: String? = nil, debian: String...) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt(debian)])
}

func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioWebSocket = Target.Dependency.product(name: "NIOWebSocket", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

// The graph below is the architecture: a module imports only what stands in its own list.
// scripts/check-imports.py holds the sources against it.
let package = Package(
    name: "waybill",
    products: [
        .library(name: "WaybillAPNS", targets: ["WaybillAPNS"]),
        .library(name: "WaybillFCM", targets: ["WaybillFCM"]),
        .library(name: "WaybillClient", targets: ["WaybillClient"]),
        .executable(name: "waybill", targets: ["waybill"]),
        .executable(name: "apns-simulator", targets: ["apns-simulator"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift.git", from: "0.2.0"),
        // Without its traits: neither swift-configuration nor the whole of Foundation.
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
    ],
    targets: [
        // C libraries: a module map and one header each, imported by one wrapper each.
        cLibrary("CWaybillLinux", debian: "libc6-dev"),
        cLibrary("CWaybillOpenSSL", pkgConfig: "openssl", debian: "libssl-dev"),
        cLibrary("CWaybillNGHTTP2", pkgConfig: "libnghttp2", debian: "libnghttp2-dev"),
        cLibrary("CWaybillRabbitMQ", pkgConfig: "librabbitmq", debian: "librabbitmq-dev"),
        cLibrary("CWaybillMongoC", pkgConfig: "libmongoc-1.0", debian: "libmongoc-dev", "libbson-dev"),
        cLibrary("CWaybillZlib", pkgConfig: "zlib", debian: "zlib1g-dev"),
        cLibrary("CWaybillCurl", pkgConfig: "libcurl", debian: "libcurl4-openssl-dev"),
        cLibrary("CWaybillArgon2", pkgConfig: "libargon2", debian: "libargon2-dev"),

        // Wire
        module("WaybillThreads", ["CWaybillLinux"]),
        module("WaybillEncoding", []),
        module("WaybillTLS", ["WaybillEncoding", "CWaybillOpenSSL", "WaybillThreads"]),
        module("WaybillHTTP2", ["CWaybillNGHTTP2"]),
        module("WaybillCompression", ["CWaybillZlib"]),
        module("WaybillPassword", ["CWaybillArgon2"]),

        // Clients
        module("WaybillPushTransport", ["WaybillEncoding", "WaybillHTTP2", "WaybillTLS", "WaybillThreads"]),
        module(
            "WaybillAPNS",
            ["WaybillEncoding", "WaybillHTTP2", "WaybillPushTransport", "WaybillTLS", "WaybillThreads"]
        ),
        module(
            "WaybillFCM",
            ["WaybillEncoding", "WaybillHTTP2", "WaybillPushTransport", "WaybillTLS", "WaybillThreads"]
        ),
        module("WaybillAMQP", ["WaybillEncoding", "CWaybillRabbitMQ"]),
        module("WaybillMongo", ["CWaybillMongoC"]),
        module("WaybillTransfer", ["CWaybillCurl"]),
        // For people's apps: nothing of ours is needed to build it.
        module("WaybillClient", []),

        // Domain
        module("WaybillCore", ["WaybillEncoding", "WaybillTLS"]),
        module(
            "WaybillProviders",
            [
                "WaybillEncoding", "WaybillCore", "WaybillAPNS", "WaybillFCM", "WaybillPushTransport",
                "WaybillTLS", "WaybillCompression", "WaybillTelemetry", "WaybillThreads", logging,
            ]
        ),
        module("WaybillDeliveryLog", ["WaybillEncoding", "WaybillCore", "WaybillMongo", "WaybillTLS"]),
        module(
            "WaybillDeviceRegistry",
            ["WaybillEncoding", "WaybillCore", "WaybillMongo", "WaybillProviders", "WaybillTLS"]
        ),
        module("WaybillMessages", ["WaybillEncoding", "WaybillAMQP", "WaybillCore"]),
        module(
            "WaybillSettings",
            ["WaybillEncoding", "WaybillCore", "WaybillOutbox", "WaybillProviders", "WaybillTLS", yams]
        ),
        module("WaybillTelemetry", ["WaybillThreads", "WaybillEncoding", logging]),
        module("WaybillSimulator", ["WaybillEncoding", "WaybillHTTP2", "WaybillTLS", "WaybillThreads"]),

        // Stages
        module(
            "WaybillDispatcher",
            [
                "WaybillAMQP", "WaybillDeliveryLog", "WaybillEncoding", "WaybillFleet", "WaybillMongo",
                "WaybillNotifications", "WaybillSettings",
                "WaybillTelemetry", "WaybillThreads", "WaybillMessages",
                "WaybillProviders", "WaybillPushTransport", "WaybillReceipts", "WaybillCore", logging, serviceLifecycle,
            ]
        ),
        module(
            "WaybillPrune",
            [
                "WaybillAMQP", "WaybillDeliveryLog", "WaybillDeviceRegistry", "WaybillEncoding", "WaybillMongo",
                "WaybillSettings", "WaybillTelemetry", "WaybillThreads", "WaybillMessages", "WaybillProviders",
                "WaybillCore", logging, serviceLifecycle,
            ]
        ),
        module(
            "WaybillHooks",
            [
                "WaybillCore", "WaybillDeliveryLog", "WaybillEncoding", "WaybillMongo", "WaybillOutbox",
                "WaybillReceipts",
                "WaybillSettings", "WaybillTLS", "WaybillTelemetry", "WaybillThreads", "WaybillTransfer", logging,
                serviceLifecycle,
            ]
        ),
        module(
            "WaybillFanout",
            [
                "WaybillAMQP", "WaybillAudience", "WaybillDeviceRegistry", "WaybillEncoding", "WaybillFleet",
                "WaybillMongo", "WaybillSettings", "WaybillTelemetry", "WaybillThreads", "WaybillMessages",
                "WaybillProviders", "WaybillCore", logging, serviceLifecycle,
            ]
        ),
        module(
            "WaybillSchedule",
            [
                "WaybillAMQP", "WaybillAudience", "WaybillCore", "WaybillDeliveryLog", "WaybillEncoding",
                "WaybillFleet",
                "WaybillMessages", "WaybillMongo", "WaybillNotifications", "WaybillProviders", "WaybillReceipts",
                "WaybillSettings", "WaybillTelemetry",
                "WaybillThreads", logging, serviceLifecycle,
            ]
        ),
        module(
            "WaybillAudience",
            [
                "WaybillEncoding", "WaybillCore", "WaybillDeviceRegistry", "WaybillMessages", "WaybillMongo",
                "WaybillProviders", "WaybillTLS",
            ]
        ),
        module("WaybillFleet", ["WaybillEncoding", "WaybillCore", "WaybillMongo", "WaybillTelemetry"]),
        module(
            "WaybillOperations",
            [
                "WaybillEncoding", "WaybillAMQP", "WaybillAudience", "WaybillCore", "WaybillDeliveryLog",
                "WaybillDeviceRegistry",
                "WaybillFleet",
                "WaybillMessages",
                "WaybillMongo", "WaybillNotifications", "WaybillOutbox", "WaybillProviders", "WaybillReceipts",
                "WaybillSettings", "WaybillTLS", "WaybillThreads", "WaybillTransfer",
            ]
        ),
        module(
            "WaybillAccounts",
            ["WaybillDeviceRegistry", "WaybillEncoding", "WaybillMongo", "WaybillPassword", "WaybillTLS"]
        ),
        module("WaybillOutbox", ["WaybillEncoding", "WaybillMongo", "WaybillTLS"]),
        module("WaybillReceipts", ["WaybillEncoding", "WaybillCore", "WaybillMongo"]),
        module(
            "WaybillNotifications",
            [
                "WaybillEncoding", "WaybillAMQP", "WaybillAccounts", "WaybillAudience", "WaybillCore",
                "WaybillDeviceRegistry", "WaybillFleet", "WaybillMessages", "WaybillMongo", "WaybillTLS",
                "WaybillThreads",
            ]
        ),
        // The files of the pages, as bytes.
        .target(name: "CWaybillPage"),
        // The only importer of Hummingbird.
        .target(
            name: "WaybillHTTPAPI",
            dependencies: [
                "CWaybillPage", "WaybillEncoding", "WaybillAMQP", "WaybillAccounts", "WaybillAudience",
                "WaybillCompression",
                "WaybillCore", "WaybillDeliveryLog", "WaybillDeviceRegistry", "WaybillFleet", "WaybillMessages",
                "WaybillMongo", "WaybillNotifications", "WaybillOperations", "WaybillOutbox", "WaybillPassword",
                "WaybillReceipts", "WaybillSettings",
                "WaybillTelemetry", "WaybillThreads", "WaybillTLS", httpTypes, hummingbird, hummingbirdCore,
                hummingbirdTLS, logging, nioCore, nioHTTP1,
                nioPosix, nioSSL, nioWebSocket,
                serviceLifecycle,
            ],
            exclude: ["Page/Assets"],
            swiftSettings: settings
        ),

        // Executables
        program(
            "waybill",
            [
                "WaybillEncoding", "WaybillAMQP", "WaybillAccounts", "WaybillCompression", "WaybillAudience",
                "WaybillFanout", "WaybillDeliveryLog",
                "WaybillDeviceRegistry", "WaybillDispatcher", "WaybillFleet", "WaybillHTTP2", "WaybillHTTPAPI",
                "WaybillHooks", "WaybillMongo",
                "WaybillNotifications", "WaybillOperations", "WaybillOutbox", "WaybillPassword", "WaybillPrune",
                "WaybillReceipts",
                "WaybillSchedule", "WaybillSettings", "WaybillTLS", "WaybillTelemetry", "WaybillThreads",
                "WaybillTransfer",
                "WaybillMessages",
                "WaybillProviders", "WaybillCore", argumentParser, logging, serviceLifecycle,
                unixSignals,
            ]
        ),
        program("apns-simulator", ["WaybillEncoding", "WaybillSimulator", "WaybillThreads", argumentParser]),
        // Internal: what scripts/benchmark.sh and scripts/counts.sh measure with.
        .target(name: "CWaybillAllocations"),
        program(
            "waybill-bench",
            [
                "WaybillEncoding", "WaybillAMQP", "WaybillSimulator", "CWaybillAllocations", "WaybillDeliveryLog",
                "WaybillDispatcher", "WaybillMessages",
                "WaybillHTTP2", "WaybillMongo", "WaybillPushTransport", "WaybillSettings", "WaybillTLS",
                "WaybillThreads", "WaybillProviders", "WaybillAPNS", "WaybillCore", argumentParser, histogram,
                logging,
            ]
        ),
        // Internal: the clients for scripts/strict-client.sh, over the public faces alone.
        module("WaybillProbe", ["WaybillEncoding"]),
        program("apns-probe", ["WaybillAPNS", "WaybillProbe"]),
        program("fcm-probe", ["WaybillFCM", "WaybillProbe"]),

        // Tests
        .target(
            name: "WaybillTestSupport",
            dependencies: ["WaybillThreads"],
            path: "Tests/WaybillTestSupport",
            swiftSettings: settings
        ),
        .target(
            name: "WaybillMongoTestSupport",
            dependencies: ["WaybillMongo"],
            path: "Tests/WaybillMongoTestSupport",
            swiftSettings: settings
        ),
        tests("WaybillThreadsTests", ["WaybillThreads"]),
        tests("WaybillEncodingTests", ["WaybillTestSupport", "WaybillEncoding"]),
        tests("WaybillTLSTests", ["WaybillEncoding", "WaybillTLS"]),
        tests("WaybillHTTP2Tests", ["CWaybillNGHTTP2", "WaybillHTTP2"]),
        tests("WaybillCompressionTests", ["WaybillCompression"]),
        tests("WaybillPasswordTests", ["WaybillPassword"]),
        tests("WaybillPushTransportTests", ["WaybillPushTransport", "WaybillThreads"]),
        tests(
            "WaybillAPNSTests",
            [
                "CWaybillLinux", "WaybillEncoding", "WaybillTestSupport", "WaybillAPNS", "WaybillPushTransport",
                "WaybillSimulator", "WaybillTLS", "WaybillThreads",
            ]
        ),
        tests(
            "WaybillFCMTests",
            [
                "WaybillFCM", "WaybillPushTransport", "WaybillSimulator", "WaybillTLS", "WaybillTestSupport",
                "WaybillThreads",
            ]
        ),
        tests("WaybillAMQPTests", ["CWaybillRabbitMQ", "WaybillAMQP"]),
        tests("WaybillMongoTests", ["WaybillMongo", "WaybillMongoTestSupport"]),
        tests("WaybillTransferTests", ["CWaybillCurl", "WaybillTransfer"]),
        tests("WaybillCoreTests", ["WaybillCore", "WaybillEncoding"]),
        tests(
            "WaybillProvidersTests",
            [
                "WaybillTestSupport", "WaybillProviders", "WaybillCore", "WaybillAPNS", "WaybillCompression",
                "WaybillFCM",
                "WaybillMessages", "WaybillPushTransport", "WaybillSimulator", "WaybillTLS",
                "WaybillEncoding",
            ]
        ),
        tests(
            "WaybillDeliveryLogTests",
            [
                "WaybillDeliveryLog", "WaybillEncoding", "WaybillMongo", "WaybillMongoTestSupport", "WaybillTLS",
                "WaybillCore", "WaybillTestSupport",
            ]
        ),
        tests(
            "WaybillMessagesTests",
            ["WaybillTestSupport", "WaybillMessages", "WaybillProviders", "WaybillAMQP", "WaybillCore"]
        ),
        tests(
            "WaybillSettingsTests",
            [
                "WaybillTestSupport", "WaybillSettings", "WaybillCore", "WaybillEncoding", "WaybillOutbox",
                "WaybillProviders",
                "WaybillSimulator", "WaybillTLS",
            ]
        ),
        tests(
            "WaybillTelemetryTests",
            ["WaybillTestSupport", "WaybillTelemetry", "WaybillThreads", logging]
        ),
        tests(
            "WaybillFleetTests",
            ["WaybillFleet", "WaybillCore", "WaybillMongo", "WaybillMongoTestSupport", "WaybillTelemetry"]
        ),
        tests(
            "WaybillOperationsTests",
            [
                "WaybillOperations", "WaybillAMQP", "WaybillAudience", "WaybillCore", "WaybillEncoding",
                "WaybillDeliveryLog",
                "WaybillDeviceRegistry", "WaybillDeviceRegistryTestSupport", "WaybillFCM", "WaybillFleet",
                "WaybillMessages", "WaybillMongo", "WaybillMongoTestSupport", "WaybillNotifications", "WaybillOutbox",
                "WaybillProviders", "WaybillReceipts", "WaybillSettings", "WaybillThreads",
            ]
        ),
        tests(
            "WaybillAudienceTests",
            [
                "WaybillAudience", "WaybillCore", "WaybillDeviceRegistry", "WaybillDeviceRegistryTestSupport",
                "WaybillMessages", "WaybillMongo", "WaybillMongoTestSupport", "WaybillProviders",
                "WaybillEncoding",
            ]
        ),
        tests(
            "WaybillFanoutTests",
            [
                "WaybillFanout", "WaybillAMQP", "WaybillAudience", "WaybillCore", "WaybillDeviceRegistry",
                "WaybillFleet", "WaybillMessages", "WaybillMongo", "WaybillMongoTestSupport", "WaybillProviders",
                "WaybillEncoding",
            ]
        ),
        tests(
            "WaybillAccountsTests",
            [
                "WaybillAccounts", "WaybillCore", "WaybillDeviceRegistry", "WaybillEncoding", "WaybillMongo",
                "WaybillMongoTestSupport", "WaybillPassword", "WaybillTestSupport",
            ]
        ),
        tests(
            "WaybillNotificationsTests",
            [
                "WaybillNotifications", "WaybillAMQP", "WaybillAccounts", "WaybillAudience", "WaybillCore",
                "WaybillDeviceRegistry", "WaybillEncoding", "WaybillMessages", "WaybillMongo",
                "WaybillMongoTestSupport", "WaybillProviders",
                "WaybillTestSupport", "WaybillThreads",
            ]
        ),
        tests(
            "WaybillScheduleTests",
            [
                "WaybillSchedule", "WaybillAMQP", "WaybillAudience", "WaybillCore", "WaybillDeliveryLog",
                "WaybillFleet", "WaybillMessages",
                "WaybillMongo", "WaybillMongoTestSupport", "WaybillNotifications", "WaybillProviders",
                "WaybillReceipts", "WaybillThreads",
                "WaybillEncoding", logging,
            ]
        ),
        tests(
            "WaybillReceiptsTests",
            ["WaybillReceipts", "WaybillCore", "WaybillEncoding", "WaybillMongo", "WaybillMongoTestSupport"]
        ),
        tests(
            "WaybillOutboxTests",
            ["WaybillEncoding", "WaybillOutbox", "WaybillMongo", "WaybillMongoTestSupport", "WaybillTestSupport"]
        ),
        tests(
            "WaybillHooksTests",
            [
                "WaybillCore", "WaybillDeliveryLog", "WaybillHooks", "WaybillMongo", "WaybillMongoTestSupport",
                "WaybillOutbox",
                "WaybillSettings",
                "WaybillTelemetry", "WaybillTestSupport", "WaybillThreads", "WaybillTransfer", logging,
            ]
        ),
        tests(
            "WaybillHTTPAPITests",
            [
                "WaybillHTTPAPI", "WaybillAMQP", "WaybillAccounts", "WaybillAudience", "WaybillClient",
                "WaybillCompression", "WaybillCore",
                "WaybillDeliveryLog", "WaybillDeviceRegistry", "WaybillEncoding", "WaybillFleet",
                "WaybillMessages", "WaybillMongo", "WaybillMongoTestSupport", "WaybillNotifications", "WaybillOutbox",
                "WaybillPassword", "WaybillProviders", "WaybillReceipts", "WaybillSettings",
                "WaybillTLS", "WaybillTelemetry", "WaybillTestSupport", "WaybillThreads", httpTypes, hummingbird,
                logging, nioCore, nioEmbedded, nioWebSocket,
                serviceLifecycle, yams,
            ]
        ),
        tests(
            "WaybillSimulatorTests",
            ["WaybillTestSupport", "WaybillSimulator", "WaybillHTTP2", "WaybillTLS", "WaybillThreads"]
        ),
        tests(
            "WaybillDispatcherTests",
            [
                "WaybillDispatcher", "WaybillAMQP", "WaybillDeliveryLog", "WaybillFleet", "WaybillTelemetry",
                "WaybillThreads",
                "WaybillMessages",
                "WaybillProviders", "WaybillCore", "WaybillAPNS", "WaybillPushTransport", "WaybillReceipts", logging,
                "WaybillEncoding", "WaybillFCM", "WaybillSettings",
            ]
        ),
        .target(
            name: "WaybillDeviceRegistryTestSupport",
            dependencies: ["WaybillDeviceRegistry", "WaybillCore", "WaybillMongo", "WaybillMongoTestSupport"],
            path: "Tests/WaybillDeviceRegistryTestSupport",
            swiftSettings: settings
        ),
        tests(
            "WaybillDeviceRegistryTests",
            [
                "WaybillDeviceRegistryTestSupport", "WaybillDeviceRegistry", "WaybillAPNS", "WaybillCore",
                "WaybillEncoding", "WaybillMongo", "WaybillMongoTestSupport", "WaybillTestSupport",
            ]
        ),
        tests(
            "WaybillPruneTests",
            [
                "WaybillDeviceRegistryTestSupport", "WaybillDeviceRegistry",
                "WaybillPrune", "WaybillAMQP", "WaybillDeliveryLog", "WaybillMongo", "WaybillMongoTestSupport",
                "WaybillTelemetry", "WaybillMessages", "WaybillCore", "WaybillThreads", logging,
            ]
        ),
        tests(
            "CommandTests",
            [
                "WaybillEncoding", "WaybillAccounts", "WaybillTestSupport", "waybill", "WaybillDeliveryLog",
                "WaybillDeviceRegistry", "WaybillDeviceRegistryTestSupport",
                "WaybillFleet", "WaybillMongo", "WaybillMongoTestSupport", "WaybillOperations", "WaybillPassword",
                "WaybillSettings", "WaybillProviders", "WaybillCore", "WaybillAMQP", "WaybillMessages", "WaybillTLS",
                "WaybillTransfer", "WaybillTelemetry", "WaybillAudience", "WaybillNotifications",
                argumentParser,
            ]
        ),
        // Every decoder of outside bytes with what must hold for it; scripts/fuzz.sh runs the same under libFuzzer.
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "CWaybillRabbitMQ", "WaybillEncoding", "WaybillTestSupport", "WaybillAMQP", "WaybillSimulator",
                "WaybillDeliveryLog",
                "WaybillDispatcher", "WaybillMessages",
                "WaybillCompression",
                "WaybillAccounts", "WaybillHTTP2", "WaybillMongo", "WaybillSettings", "WaybillTLS",
                "WaybillProviders", "WaybillAPNS", "WaybillFCM", "WaybillCore", "waybill", argumentParser,
            ],
            exclude: ["Corpus", "Dictionaries"],
            swiftSettings: settings
        ),
        tests(
            "FlowTests",
            [
                "WaybillAMQP", "WaybillCompression", "WaybillMongo", "WaybillMongoTestSupport", "WaybillMessages",
                "WaybillTestSupport",
            ]
        ),
    ]
)
