import Testing

@testable import WaybillHTTPAPI

struct UnknownNameTests {
    private func refusal(_ body: String) -> Problem? {
        do throws(Problem) {
            _ = try BodyText(Array(body.utf8), allowing: ["note"]).value("note")
        } catch {
            do throws(Problem) {
                try FieldChecks(TypedBody(Array(body.utf8), allowing: ["note"]).faults).require()
            } catch let other {
                #expect(other.detail == error.detail && other.errors == error.errors)
                return error
            }
        }
        return nil
    }

    /// Whatever may be a token or a key is not repeated.
    @Test(
        arguments: [
            ("note2", "the member note2 of the body is not known here: note? known: note", "#/note2"),
            ("dryRun", "the member dryRun of the body is not known here; known: note", "#/dryRun"),
            ("00fc13ad", "a member of the body is not known here; known: note", "#"),
            ("wbk_live_0123", "a member of the body is not known here; known: note", "#"),
            ("a/b", "a member of the body is not known here; known: note", "#"),
            ("abcdefghijklmnopqrstuvwxyz", "a member of the body is not known here; known: note", "#"),
        ]
    )
    func aMemberThatIsNotKnownIsPointedTo(name: String, detail: String, pointer: String) throws {
        let problem = try #require(refusal(#"{"\#(name)": "value-of-somebody"}"#))
        #expect(problem.detail == detail)
        #expect(problem.errors.map(\.pointer) == [pointer])
        #expect(!problem.errors.contains { $0.detail.contains("value-of-somebody") })
    }
}
