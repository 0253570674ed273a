import Testing
import WaybillAPNS
import WaybillSimulator
import WaybillThreads

@Suite("What a driver says about itself", .serialized)
struct SnapshotTests {
    @Test("Whoever is handed an outcome finds it counted")
    func counted() throws {
        let rehearsal = try Rehearsal()
        let counts = try Mailbox<(ended: Int, counted: Int)>()
        let handle = DriverHandle()
        let driver = try APNSDriver(name: "wb-apns-test", lanes: [rehearsal.lane()], observer: Listener()) { _, ended in
            counts.send((ended.count, handle.driver?.snapshot.lanes[0].answers.accepted ?? 0))
        }
        handle.set(driver)
        driver.submit([Fixture.batch(count: 500)], lane: 0)
        var handouts: [(ended: Int, counted: Int)] = []
        let deadline = MonotonicTime.now().advanced(by: .seconds(30))
        while handouts.reduce(0, { $0 + $1.ended }) < 500, MonotonicTime.now() < deadline {
            counts.wait(until: deadline)
            counts.drain(into: &handouts)
        }
        handle.set(nil)
        driver.close(grace: .zero)
        driver.join()
        var ended = 0
        for handout in handouts {
            ended += handout.ended
            #expect(handout.counted == ended)
        }
        #expect(ended == 500)
    }
}
