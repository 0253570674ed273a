// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "send-notification",
    dependencies: [
        .package(name: "waybill", path: "../..")
        // Or from where the repository is hosted: .package(url: "https://…/waybill.git", branch: "main")
    ],
    targets: [
        .executableTarget(
            name: "send-notification",
            dependencies: [.product(name: "WaybillAPNS", package: "waybill")]
        )
    ]
)
