import Foundation
import Testing

extension FlowTests {
    /// SIGHUP, on a dispatcher that works.
    struct ReloadFlowTests {
        /// Who reads the log must not take the trial of a new configuration for the service.
        @Test func aRefusedReloadSaysNothingOfItsTrial() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let dispatcher = try rig.startDispatcher()
            try await eventually("it works; log: \(rig.log)") {
                dispatcher.errorText.contains("dispatch.brokerConnected")
            }
            let sound = try String(contentsOf: rig.configurationFile, encoding: .utf8)
            // Its queues are not there, which is heard only when it has begun.
            try sound.replacingOccurrences(of: "queue_prefix: \(rig.prefix)", with: "queue_prefix: \(rig.prefix)-none")
                .write(to: rig.configurationFile, atomically: true, encoding: .utf8)
            dispatcher.signal(SIGHUP)
            try await eventually("it is refused; log: \(rig.log)") {
                dispatcher.errorText.contains("service.reloadRefused")
            }
            #expect(dispatcher.errorText.components(separatedBy: "\"dispatch.started\"").count == 2)
            #expect(!dispatcher.errorText.contains("\"dispatch.stopped\""))
            // Corrected, and not read again yet.
            try sound.write(to: rig.configurationFile, atomically: true, encoding: .utf8)
            try await eventually("status says so; log: \(rig.log)") {
                let status = try rig.waybill("status", "--json")
                return status.status == 75 && status.output.contains(#""kind":"reload_refused""#)
                    && status.output.contains("\(rig.prefix)-none")
            }
            dispatcher.signal(SIGHUP)
            try await eventually("another one works; log: \(rig.log)") {
                dispatcher.errorText.contains("service.reloaded\"")
                    && dispatcher.errorText.contains("\"dispatch.stopped\"")
            }
            #expect(dispatcher.errorText.components(separatedBy: "\"dispatch.started\"").count == 3)
            try await eventually("it is over; log: \(rig.log)") {
                try !rig.waybill("status", "--json").output.contains("reload_refused")
            }
        }
    }
}
