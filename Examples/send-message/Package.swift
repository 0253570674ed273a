// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "send-message",
    dependencies: [
        .package(name: "waybill", path: "../..")
        // Or from where the repository is hosted: .package(url: "https://…/waybill.git", branch: "main")
    ],
    targets: [
        .executableTarget(
            name: "send-message",
            dependencies: [.product(name: "WaybillFCM", package: "waybill")]
        )
    ]
)
