// Appended to the package's own manifest by scripts/fuzz.sh: the modules as they are, without programs and tests, and the
// fuzzers' driver. `waybill` becomes a library; its file with the entry point stays out.
let replay = package.targets.first { $0.name == "FuzzTests" }!
let commandLine = package.targets.first { $0.name == "waybill" }!
package.products = []
package.targets.removeAll { $0.type == .test || $0.type == .executable }
package.targets += [
    .target(
        name: "waybill",
        dependencies: commandLine.dependencies,
        exclude: ["Waybill.swift"],
        swiftSettings: settings
    ),
    .target(
        name: "FuzzTargets",
        dependencies: replay.dependencies,
        path: "Tests/FuzzTests/Targets",
        swiftSettings: settings
    ),
    .executableTarget(
        name: "waybill-fuzz",
        dependencies: ["FuzzTargets"],
        path: "Driver",
        swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]
    ),
]
