import ArgumentParser
import Testing
import WaybillDeliveryLog
import WaybillMongo

@testable import waybill

@Suite struct FollowedLineTests {
    private func record(message: String = "Hello") -> LoggedDelivery {
        LoggedDelivery(
            document: BSONDocument { writer in
                writer.append("_id", uuid: 1, 2)
                writer.append("device_token", string: "0123456789abcdef")
                writer.append("outcome", string: "rejected")
                writer.append("status_code", int: 400)
                writer.append("reason", string: "BadTopic")
                writer.append("message", string: message)
                writer.append("date", date: 1_795_233_906_789)
                writer.append("batch_id", string: "campaign-42")
                writer.append("lane", string: "parcels")
            }
        )
    }

    @Test func aRecordIsOneLine() {
        let palette = Palette(isColoured: false)
        #expect(
            FollowedLine.text(record(), width: nil, palette: palette)
                == "2026-11-21 04:05:06.789  rejected       00000000-0000-0001-0000-000000000002  400  BadTopic  0123456789abcdef  "
                + "parcels  campaign-42  Hello"
        )
        #expect(
            FollowedLine.text(record(), width: 60, palette: palette)
                == "04:05:06.789  rejected       400  BadTopic  0123…cdef  parc…"
        )
    }

    @Test func aMessageCannotDriveTheTerminal() {
        let line = FollowedLine.text(record(message: "\u{1b}[2Jx\ny"), width: 200, palette: Palette(isColoured: false))
        #expect(!line.contains("\u{1b}") && !line.contains("\n"))
        #expect(line.hasSuffix(#"[2Jx\ny"#))
    }

    @Test(
        arguments: [
            (["--follow"], true), (["--follow", "--json", "--client", "a"], true),
            (["--follow", "--limit", "3"], true),
            (["--follow", "--count"], false), (["--follow", "--since", "2h"], false), (["--follow", "--story"], false),
        ] as [([String], Bool)]
    )
    func followingGoesWithFilters(arguments: [String], isAllowed: Bool) {
        let command = try? LogsCommand.parse(arguments)
        #expect((command != nil) == isAllowed)
    }
}
