import WaybillHTTP2
import WaybillThreads

// What Google's front ends do with a connection, as clients have measured it.
extension SimulatorConnection {
    /// The connection speaks HTTP/2 from here on.
    func beginHabits() {
        guard let fcm = context.configuration.fcm else { return }
        schedule(.age, after: fcm.maximumAge)
        guard script.rule?.idleTimeout == nil else { return }
        lastHeard = .now()
        schedule(.idle, after: fcm.idleTimeout)
    }

    /// A stream has ended.
    func streamIsOver() {
        guard let fcm = context.configuration.fcm else { return }
        lastHeard = .now()
        guard fcm.pingsAfterStreams, !awaitsPing else { return }
        awaitsPing = true
        pingsSent += 1
        session?.submitPing(pingsSent)
    }

    /// Ends the connection of a client that pings without sending anything.
    func punishPings() {
        guard let fcm = context.configuration.fcm, observer.pingsSinceRequest > fcm.pingsBetweenRequests,
            !closesAfterFlush
        else { return }
        observer.fault("too_many_pings")
        var goAway = SimulatorGoAway(errorCode: .enhanceYourCalm, closes: true)
        goAway.debugData = .text("too_many_pings")
        sayGoAway(goAway)
    }

    /// What is said to a client that was silent for too long.
    var idleGoAway: SimulatorGoAway {
        guard context.configuration.fcm != nil, script.rule?.idleTimeout == nil else {
            return SimulatorGoAway(reason: DocumentedReason.idleTimeout.rawValue)
        }
        var goAway = SimulatorGoAway()
        goAway.debugData = .text("session_timed_out")
        return goAway
    }

    /// The connection is as old as it may become: its end is announced, and then said.
    func ageIsDue() {
        guard let fcm = context.configuration.fcm, nextGoAway == nil else { return }
        observer.fault("max_age")
        var goAway = SimulatorGoAway(lastStream: .graceful)
        goAway.debugData = .text("max_age")
        goAway.graceful = fcm.drainTime
        sayGoAway(goAway)
    }
}
