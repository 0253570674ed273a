import ArgumentParser
import Testing

@testable import waybill

struct MisspelledCommandTests {
    @Test(
        arguments: [
            (["logz"], "logs"), (["dispach", "--config", "x"], "dispatch"), (["lanes", "pauze", "parcels"], "pause"),
            (["keys", "rotat", "key_1"], "rotate"), (["LOGS"], "logs"),
            (["logs"], nil), (["lanes", "pause"], nil), (["lanes"], nil), (["nonsense"], nil), (["help", "logz"], nil),
            (["--versoin"], nil), ([], nil), (["lanes", "--json", "pauze"], nil), (["logs", "lanez"], nil),
        ] as [([String], String?)]
    )
    func theNameThatWasMeant(arguments: [String], meant: String?) {
        #expect(MisspelledCommand.find(in: arguments, of: Waybill.self)?.meant == meant.map { [$0] })
    }

    /// The list, which is shown without any of them, would only say that it takes no arguments.
    @Test func whereNoneIsNearAllAreNamed() {
        let slip = MisspelledCommand.find(in: ["lanes", "stop", "parcels"], of: Waybill.self)
        #expect(slip?.message == "Unexpected argument 'stop'. Did you mean 'pause', 'drain' or 'resume'?")
        #expect(MisspelledCommand.find(in: ["lanes", "list", "parcels"], of: Waybill.self) == nil)
    }

    /// For options the parser says so.
    @Test func anOptionThatWasMeantIsNamed() throws {
        let error = #expect(throws: (any Error).self) { try Waybill.parseAsRoot(["stats", "--sinse", "3h"]) }
        let message = Waybill.message(for: try #require(error))
        #expect(message.contains("Did you mean '--since'?"), "\(message)")
    }
}
