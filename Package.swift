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
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

// The graph below is the architecture: a module imports only what stands in its own list.
// scripts/check-imports.py holds the sources against it.
let package = Package(
    name: "waybill",
    products: [
        .library(name: "WaybillAPNS", targets: ["WaybillAPNS"]),
        .executable(name: "waybill", targets: ["waybill"]),
        .executable(name: "apns-simulator", targets: ["apns-simulator"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift.git", from: "0.2.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
    ],
    targets: [
        // C libraries: a module map and one header each, imported by one wrapper each.
        cLibrary("CLinux", debian: "libc6-dev"),
        cLibrary("COpenSSL", pkgConfig: "openssl", debian: "libssl-dev"),
        cLibrary("CNGHTTP2", pkgConfig: "libnghttp2", debian: "libnghttp2-dev"),
        cLibrary("CRabbitMQ", pkgConfig: "librabbitmq", debian: "librabbitmq-dev"),
        cLibrary("CMongoC", pkgConfig: "libmongoc-1.0", debian: "libmongoc-dev", "libbson-dev"),
        cLibrary("CZlib", pkgConfig: "zlib", debian: "zlib1g-dev"),

        // Wire
        module("Threads", ["CLinux"]),
        module("TLS", ["COpenSSL", "Threads"]),
        module("HTTP2", ["CNGHTTP2"]),
        module("Gzip", ["CZlib"]),

        // Clients
        module("WaybillAPNS", ["HTTP2", "TLS", "Threads"]),
        module("AMQP", ["CRabbitMQ"]),
        module("Mongo", ["CMongoC"]),

        // Domain
        module("WaybillCore", ["WaybillAPNS", "TLS", "Gzip"]),
        module("DeliveryLog", ["WaybillCore", "WaybillAPNS", "Mongo", "TLS"]),
        module("Topology", ["AMQP", "WaybillCore"]),
        module("Settings", ["WaybillCore", "WaybillAPNS", "TLS", yams]),
        module("Telemetry", [logging]),
        module("APNSSimulator", ["HTTP2", "TLS", "Threads"]),

        // Stages
        module(
            "Dispatcher",
            [
                "AMQP", "DeliveryLog", "Mongo", "Settings", "TLS", "Telemetry", "Threads", "Topology", "WaybillAPNS",
                "WaybillCore", logging, serviceLifecycle,
            ]
        ),
        module(
            "Prune",
            [
                "AMQP", "DeliveryLog", "Mongo", "Settings", "Telemetry", "Threads", "Topology", "WaybillAPNS",
                "WaybillCore", logging, serviceLifecycle,
            ]
        ),

        // Executables
        program(
            "waybill",
            [
                "AMQP", "DeliveryLog", "Dispatcher", "Mongo", "Prune", "Settings", "TLS", "Telemetry", "Threads",
                "Topology",
                "WaybillAPNS", "WaybillCore", argumentParser, logging, serviceLifecycle, unixSignals,
            ]
        ),
        program("apns-simulator", ["APNSSimulator", "Threads", argumentParser]),
        // Internal: what scripts/benchmark.sh and scripts/counts.sh measure with.
        .target(name: "CAllocations"),
        program(
            "waybill-bench",
            [
                "AMQP", "APNSSimulator", "CAllocations", "DeliveryLog", "Dispatcher", "HTTP2", "Mongo", "TLS",
                "Threads", "WaybillAPNS", "WaybillCore", argumentParser, histogram,
            ]
        ),
        // Internal: the client for scripts/strict-client.sh, over the public face alone.
        program("apns-probe", ["WaybillAPNS"]),

        // Tests
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
        tests("ThreadsTests", ["Threads"]),
        tests("TLSTests", ["TLS"]),
        tests("HTTP2Tests", ["HTTP2"]),
        tests("GzipTests", ["Gzip"]),
        tests("WaybillAPNSTests", ["TestSupport", "WaybillAPNS", "APNSSimulator", "TLS", "Threads"]),
        tests("AMQPTests", ["AMQP"]),
        tests("MongoTests", ["Mongo"]),
        tests("WaybillCoreTests", ["WaybillCore", "WaybillAPNS", "Gzip", "TLS"]),
        tests("DeliveryLogTests", ["DeliveryLog", "Mongo", "TLS", "WaybillCore", "WaybillAPNS"]),
        tests("TopologyTests", ["Topology", "AMQP", "WaybillCore"]),
        tests("SettingsTests", ["TestSupport", "Settings", "WaybillCore", "WaybillAPNS", "TLS"]),
        tests("TelemetryTests", ["Telemetry", logging]),
        tests("APNSSimulatorTests", ["TestSupport", "APNSSimulator", "HTTP2", "TLS", "Threads"]),
        tests(
            "DispatcherTests",
            ["Dispatcher", "AMQP", "DeliveryLog", "Threads", "Topology", "WaybillCore", "WaybillAPNS"]
        ),
        tests("PruneTests", ["Prune", "AMQP", "DeliveryLog", "Mongo", "Topology", "WaybillCore", "WaybillAPNS"]),
        tests("CommandTests", ["TestSupport", "waybill", "DeliveryLog", "Mongo", "Settings", "WaybillCore"]),
        // Every decoder of outside bytes with what must hold for it; scripts/fuzz.sh runs the same under libFuzzer.
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "AMQP", "APNSSimulator", "DeliveryLog", "Dispatcher", "Gzip", "HTTP2", "Mongo", "Settings", "TLS",
                "WaybillAPNS", "WaybillCore", "waybill", argumentParser,
            ],
            exclude: ["Corpus", "Dictionaries"],
            swiftSettings: settings
        ),
        tests(
            "FlowTests",
            ["AMQP", "Gzip", "Mongo", "Topology"]
        ),
    ]
)
