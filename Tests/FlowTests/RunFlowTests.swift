import Foundation
import Testing
import WaybillAMQP
import WaybillMessages

extension FlowTests {
    /// Several roles in one process.
    struct RunFlowTests {
        @Test func oneProcessSendsAndPrunesAndEndsInOrder() async throws {
            let rules = #"{"rules": [{"token_prefix": "dead", "reason": "Unregistered", "timestamp": 1700000000000}]}"#
            let rig = try await Rig(rules: rules)
            defer { rig.tearDown() }
            let process = try rig.start("run")
            let tokens = #"["\#(Sample.token("dead", 1))","\#(Sample.token("aa", 1))"]"#
            try rig.publish(#"{"batch_id":"run","message":"hello","device_tokens":\#(tokens)}"#)
            _ = try await rig.finalRecords(batch: "run", count: 2)
            try await eventually("the dead token is disabled; log: \(rig.log)") {
                try rig.waybill("devices", "--disabled", "--count").output.contains("1")
            }
            try await eventually("each role tells of itself") {
                let status = try rig.waybill("status")
                return status.status == 0 && status.output.contains("dispatch ") && status.output.contains("prune ")
            }
            process.signal(SIGHUP)
            try await eventually("each role reads the configuration again; log: \(rig.log)") {
                process.errorText.components(separatedBy: "service.reloaded\"").count == 5
            }
            process.signal(SIGTERM)
            #expect(process.wait().status == 0)
            #expect(process.errorText.contains("\"dispatch.stopped\""))
            #expect(process.errorText.contains("\"prune.stopped\""))
            #expect(!process.errorText.contains("EventLoop"), "\(process.errorText)")
        }

        @Test func theFailureOfARoleEndsTheProcess() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            let broker = try rig.broker()
            try broker.deleteQueue(rig.queues.dispatch)
            let process = try rig.start("run")
            #expect(process.wait().status == 78, "\(process.errorText)")
        }

        @Test func rolesAreNamedOnceAndKnown() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            for roles in ["dispatch,dispatch", "send", "", "dispatch,"] {
                #expect(try rig.waybill("run", "--roles", roles).status == 64)
            }
            let missing = try rig.waybill("run", "--roles", "prune,serve")
            #expect(missing.status == 78)
            #expect(missing.errors.contains("serve"), "\(missing.errors)")
        }
    }
}
