import Foundation
import Testing

extension FlowTests {
    /// What `waybill status` ends with.
    struct StatusFlowTests {
        @Test func aUserWhoIsRefusedIsToldByAStatusOfItsOwn() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            var url = try #require(URLComponents(string: rig.services.broker))
            (url.user, url.password) = ("nobody", "wrong")
            let refused = try #require(url.string)
            let file = rig.folder.appendingPathComponent("refused.yaml")
            let sound = try String(contentsOf: rig.configurationFile, encoding: .utf8)
            try sound.replacingOccurrences(of: rig.services.broker, with: refused)
                .write(to: file, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            for form in [[], ["--json"]] {
                let status = try Program.run("waybill", ["status", "--config", file.path] + form)
                #expect(status.status == 77, "\(status.output)\(status.errors)")
                #expect(status.output.contains("the broker refuses this user"), "\(status.output)")
                #expect(status.output.hasPrefix(form.isEmpty ? "down " : #"{"grade":"down""#), "\(status.output)")
                #expect(!status.output.contains("wrong"), "\(status.output)")
            }
        }
    }
}
