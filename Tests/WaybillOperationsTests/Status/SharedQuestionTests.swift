import Synchronization
import Testing
import WaybillAMQP
import WaybillFleet
import WaybillMongo
import WaybillThreads

@testable import WaybillOperations

/// Questions to servers that hang.
@Suite(.timeLimit(.minutes(1)))
struct SharedQuestionTests {
    /// A server that answers when it is let.
    private final class Server: Sendable {
        private let isOpen: Mutex<Bool>
        private let counted = Mutex(0)

        init(isOpen: Bool) { self.isOpen = Mutex(isOpen) }

        var asked: Int { counted.withLock { $0 } }

        func open() { isOpen.withLock { $0 = true } }

        func answer() -> Int {
            let number = counted.withLock { count in
                count += 1
                return count
            }
            NamedThread.sleep(for: .seconds(60)) { isOpen.withLock { $0 } }
            return number
        }
    }

    private func question(_ server: Server, patience: Duration, freshness: Duration = .zero) -> SharedQuestion<Int> {
        SharedQuestion(name: "wb-test", patience: patience, freshness: freshness) { server.answer() }
    }

    @Test("all who want to know at the same time are one question")
    func oneQuestion() async {
        let server = Server(isOpen: true)
        let question = question(server, patience: .seconds(50), freshness: .seconds(3600))
        let replies = await withTaskGroup { group in
            for _ in 0..<20 { group.addTask { await question.reply() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(replies.count == 20)
        for reply in replies {
            guard case .answer(1) = reply else {
                Issue.record("\(reply)")
                continue
            }
        }
        #expect(server.asked == 1)
    }

    @Test("a fresh answer that is out of date is asked for again")
    func change() async {
        let question = question(Server(isOpen: true), patience: .seconds(50), freshness: .seconds(3600))
        for (number, hasChanged) in [(1, false), (1, false), (2, true), (2, false)] {
            if hasChanged { question.hasChanged() }
            guard case .answer(number) = await question.reply() else {
                Issue.record("not the answer \(number)")
                return
            }
        }
    }

    @Test("an answer that is not fresh is asked for again")
    func freshness() async {
        let server = Server(isOpen: true)
        let question = question(server, patience: .seconds(50))
        for number in 1...3 {
            guard case .answer(number) = await question.reply() else {
                Issue.record("not the answer \(number)")
                return
            }
        }
    }

    @Test("nobody waits for a server that hangs, it has one thread, and is heard again when it answers")
    func silence() async {
        let server = Server(isOpen: false)
        let question = question(server, patience: .milliseconds(100))
        for _ in 0..<5 {
            guard case .silence(let time) = await question.reply() else {
                Issue.record("an answer of a server that hangs")
                return
            }
            #expect(time >= .milliseconds(100))
        }
        #expect(server.asked == 1)
        server.open()
        while true {
            // Until then it is the old question, which nobody waits for any more.
            if case .answer(let number) = await question.reply() {
                #expect(number > 1)
                break
            }
            await Task.yield()
        }
    }

    @Test(
        "a store that hangs is told of beside what the broker says, and the other way round",
        arguments: [false, true]
    )
    func installation(isBroker: Bool) async {
        let server = Server(isOpen: false)
        defer { server.open() }
        let store = InstallationState.Store(deployment: .single, records: 7, nextExpiry: nil)
        let watch = InstallationWatch(patience: .milliseconds(100)) {
            if isBroker { _ = server.answer() }
            return .success(InstallationState.Broker())
        } store: {
            if !isBroker { _ = server.answer() }
            return InstallationState.StoreAnswer(store: .success(store))
        }
        let findings = await watch.state().health.findings
        let kind: FindingKind = isBroker ? .brokerUnanswered : .storeUnanswered
        let told = findings.filter { $0.kind == kind }
        #expect(told.count == 1)
        #expect(told.first?.grade == .down)
        #expect(told.first?.text.contains("no answer for") == true)
        #expect(!findings.contains { $0.kind == (isBroker ? .storeUnanswered : .brokerUnanswered) })
    }
}
