import Foundation
import Testing

extension FlowTests {
    /// What the commands say of an audience that waits for its time.
    @Suite struct AudienceAnswers {
        private static let app = "com.example.parcels"

        private static func message(_ text: String, at time: Int64) -> String {
            """
            {"audience_id":"later","client":"acme","content":{"message":"\(text)"},"select":{"app":"\(app)"},\
            "at":\(time),"cancel_key":"autumn"}
            """
        }

        @Test func whatWaitsIsKnownAndCancelledByItsKey() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            _ = try rig.start("fanout")
            let body = Self.message("News", at: Int64(Date().timeIntervalSince1970) + 3600)
            #expect(try rig.waybill("audience", "send", "-", input: body).status == 0)
            try await eventually("it waits\n\(rig.log)") {
                try rig.waybill("audience", "show", "later").output.contains("later  waiting")
            }
            let explained = try rig.waybill("explain", "--as", "batch", "later")
            #expect(explained.status == 0, "\(explained.output)")
            #expect(explained.output.contains("waits until"), "\(explained.output)")

            let again = try rig.waybill("audience", "send", "-", input: body)
            #expect(again.status == 0 && again.errors.contains("nothing is sent twice"), "\(again.errors)")
            let other = Self.message("Other", at: Int64(Date().timeIntervalSince1970) + 3600)
            let refused = try rig.waybill("audience", "send", "-", input: other)
            #expect(refused.status == 65 && refused.errors.contains("conflicting_audience"), "\(refused.errors)")
            #expect(!refused.errors.contains("fixed time"))
            let relative = try rig.waybill(
                [
                    "audience", "send", "--id", "later", "--client", "acme", "--app", Self.app, "--message", "News",
                    "--at", "1h",
                ]
            )
            #expect(relative.status == 65 && relative.errors.contains("give a fixed time"), "\(relative.errors)")

            let typo = try rig.waybill("audience", "cancel", "autum")
            #expect(typo.errors.contains("no audience has this name or this cancel_key"), "\(typo.errors)")
            let cancelled = try rig.waybill("audience", "cancel", "autumn")
            let words = "it is the cancel_key of later of acme (0 handed over)"
            #expect(cancelled.status == 0 && cancelled.errors.contains(words), "\(cancelled.errors)")
            let shown = try rig.waybill("audience", "show", "later").output
            #expect(shown.contains("\ncancelled       by "), "\(shown)")
            #expect(shown.contains("cancel_key"), "\(shown)")
            let ended = try rig.waybill("explain", "--as", "batch", "later").output
            #expect(ended.contains("cancel_key"), "\(ended)")
        }
    }
}
