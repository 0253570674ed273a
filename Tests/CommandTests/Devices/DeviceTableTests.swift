import Testing
import WaybillDeviceRegistry

@testable import waybill

@Suite("The table of devices")
struct DeviceTableTests {
    private static func device(
        _ state: String,
        environment: String = "production",
        topic: String = "com.example.parcels"
    ) -> Device {
        var device = Device(
            app: topic,
            environment: environment,
            token: "0123456789abcdef" + String(repeating: "7", count: 32) + "fedcba9876543210"
        )
        device.registeredAt = 1_795_233_000_000
        switch state {
        case "suspected":
            device.suspectedAt = 1_795_233_906_789
            device.suspectedReason = "DeviceTokenNotForTopic"
        case "disabled":
            device.isEnabled = false
            device.disabledAt = 1_795_233_906_789
            device.disabledReason = "DeviceTokenNotForTopic"
        default: break
        }
        return device
    }

    @Test("it fits, and every token keeps both ends", arguments: [40, 50, 60, 80, 100, 120, 160, 250])
    func width(width: Int) {
        let devices = ["enabled", "suspected", "disabled"].map {
            Self.device($0, topic: "com.example.a-rather-long-bundle-id.voip")
        }
        let lines = DeviceTable(width: width).lines(devices)
        #expect(lines.count == 4)
        for line in lines { #expect(Cell.width(line) <= width) }
        // On less than 60 columns no token is left whole enough.
        for line in lines.dropFirst() where width >= 60 {
            let token = line.prefix { $0 != " " }
            #expect(token.hasPrefix("012345"))
            #expect(token.hasSuffix("543210"))
        }
    }

    @Test("where the output is no terminal, nothing is cut")
    func whole() {
        let line = DeviceTable(width: nil).lines([Self.device("disabled", topic: String(repeating: "t", count: 90))])[1]
        #expect(line.contains("0123456789abcdef" + String(repeating: "7", count: 32) + "fedcba9876543210"))
        #expect(line.contains(String(repeating: "t", count: 90)))
        #expect(line.hasSuffix("DeviceTokenNotForTopic"))
    }

    @Test("80 columns say all that matters")
    func narrow() {
        let lines = DeviceTable(width: 80).lines([
            Self.device("disabled"), Self.device("enabled", environment: "sandbox"),
        ])
        #expect(
            lines == [
                "TOKEN          ENV         APP             STATE     SINCE       REASON",
                "012345…543210  production  com.exa…arcels  disabled  2026-11-21  DeviceTokenNot…",
                "012345…543210  sandbox     com.exa…arcels  enabled   2026-11-21",
            ]
        )
    }

    @Test(
        "a story fits the page, and no word is broken",
        arguments: ["a b", "", "one two  three", "x " + String(repeating: "y", count: 90) + " z"]
    )
    func wrapping(text: String) {
        let lines = Cell.wrapped(text, to: 10)
        #expect(lines.joined(separator: " ") == text)
        for line in lines { #expect(line.count <= 10 || !line.contains(" ")) }
    }
}
