import Testing
import WaybillCore
import WaybillProviders

/// What a delivery type becomes at APNs; ``FCMItemTests`` has the same for FCM.
struct DeliveryTypeTests {
    private func payload(_ members: String) throws -> String {
        let item = try Samples.notification(members)
        return try #require(item.valid, "\(item.invalid?.reason ?? "")").payload.text
    }

    @Test func aCriticalAlertSoundsThroughEverything() throws {
        let item = try #require(try Samples.notification(#""message":"Smoke","delivery_type":"critical""#).valid)
        #expect(item.kind == "alert" && item.priority == .high)
        #expect(
            item.payload.text
                == #"{"aps":{"alert":"Smoke","sound":{"critical":1,"name":"default","volume":1.0},"interruption-level":"critical","mutable-content":1,"relevance-score":1.0}}"#
        )
    }

    @Test func whatAProducerGivesIsKept() throws {
        #expect(
            try payload(
                #""message":"Smoke","sound":"alarm.caf","relevance_score":0.5,"mutable_content":false,"delivery_type":"critical""#
            )
                == #"{"aps":{"alert":"Smoke","sound":{"critical":1,"name":"alarm.caf","volume":1.0},"interruption-level":"critical","relevance-score":0.5}}"#
        )
        #expect(
            try payload(
                #""message":"Smoke","sound":{"critical":1,"name":"a.caf","volume":0.25},"delivery_type":"critical""#
            )
            .contains(#""sound":{"critical":1,"name":"a.caf","volume":0.25}"#)
        )
    }

    @Test func aTimeSensitiveAlertSaysSo() throws {
        #expect(
            try payload(#""message":"Now","sound":"default","delivery_type":"time_sensitive""#)
                == #"{"aps":{"alert":"Now","sound":"default","interruption-level":"time-sensitive"}}"#
        )
    }

    @Test func aNormalAlertIsAsItWas() throws {
        let plain = try payload(#""message":"News""#)
        #expect(try payload(#""message":"News","delivery_type":"normal""#) == plain)
        let item = try Samples.notification(#""message":"News","delivery_type":"normal","priority":5"#).valid
        #expect(item?.priority == .normal && item?.kind == "alert")
    }

    @Test func aSilentPushIsForTheApp() throws {
        let item = try Samples.notification(#""payload":{"aps":{"content-available":1}},"delivery_type":"silent""#)
            .valid
        #expect(item?.kind == "background" && item?.priority == .normal)
        #expect(item?.payload.text == #"{"aps":{"content-available":1}}"#)
    }

    /// The alert's frame is made once for all items that ask for nothing of their own.
    @Test func oneOfABatchMayBeCritical() throws {
        let batch = try Samples.decode(
            #"""
            {"defaults":{"sound":"default"},"notifications":[
              {"device_token":"0a","message":"a"},{"device_token":"0b","message":"b","delivery_type":"critical"},
              {"device_token":"0c","message":"c"}]}
            """#
        )
        let payloads = batch.items.compactMap(\.valid?.payload.text)
        #expect(payloads[0] == #"{"aps":{"alert":"a","sound":"default"}}"#)
        #expect(payloads[1].contains(#""interruption-level":"critical""#))
        #expect(payloads[2] == #"{"aps":{"alert":"c","sound":"default"}}"#)
    }

    @Test func defaultsMayNameAType() throws {
        let batch = try Samples.decode(
            #"{"defaults":{"delivery_type":"time_sensitive"},"message":"x","device_tokens":["0a","0b"]}"#
        )
        for item in batch.items { #expect(item.valid?.payload.text.contains("time-sensitive") == true) }
    }

    @Test(
        arguments: [
            (#""message":"x","delivery_type":"silent""#, "message: must not be there for a silent notification"),
            (#""message":"x","delivery_type":"critical","priority":5"#, "priority: must be 10, or left out"),
            (#""message":"x","delivery_type":"time_sensitive","priority":1"#, "priority: must be 10, or left out"),
            (#""message":"x","delivery_type":"critical","push_type":"voip""#, "push_type: must be left out beside"),
            (
                #""payload":{"aps":{}},"delivery_type":"silent","push_type":"alert""#,
                "push_type: must be left out beside"
            ),
            (#""payload":{"aps":{}},"delivery_type":"silent","priority":10"#, "priority: must be 5 or 1, or left out"),
            (#""payload":{"aps":{"alert":"x"}},"delivery_type":"silent""#, "delivery_type: silent needs a payload"),
            (
                #""payload":{"aps":{"alert":"x"}},"delivery_type":"critical""#,
                "delivery_type: critical goes with message"
            ),
            (
                #""payload":{"aps":{"interruption-level":"active"}},"delivery_type":"time_sensitive""#,
                "delivery_type: time_sensitive goes with message"
            ),
            (
                #""message":"x","delivery_type":"normal","interruption_level":"critical""#,
                "interruption_level: must be left out beside delivery_type"
            ),
            (#""message":"x","delivery_type":"normal","sound":{"critical":1}"#, "sound: must have critical 1 if"),
            (#""message":"x","delivery_type":"critical","sound":{"name":"a"}"#, "sound: must have critical 1 if"),
            (
                #""message":"x","delivery_type":"critical","sound":{"critical":1,"volume":1.5}"#,
                "sound: must have a volume from 0 to 1"
            ),
            (
                #""message":"x","delivery_type":"loud""#,
                "delivery_type: must be silent, normal, time_sensitive or critical"
            ),
            (#""message":"x","delivery_type":1"#, "delivery_type: must be a string"),
        ]
    )
    func whatContradictsIsNamed(members: String, words: String) throws {
        let fault = try #require(try Samples.notification(members).invalid?.reason)
        #expect(fault.hasPrefix(words), "\(fault)")
    }
}
