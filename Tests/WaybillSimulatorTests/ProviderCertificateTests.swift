import Testing
import WaybillSimulator

@Suite struct ProviderCertificateTests {
    @Test(
        arguments: [
            ("com.example.a", "anything", "com.example.a"),
            (nil, "Apple Push Services: com.example.a", "com.example.a"),
            (nil, "Apple Development IOS Push Services: com.example.a", "com.example.a"),
            ("", "Apple Push Services: com.example.a", "com.example.a"),
            (nil, "Apple Push Services: ", nil),
            (nil, "somebody", nil),
            (nil, nil, nil),
        ] as [(String?, String?, String?)]
    )
    func findsTheTopic(userID: String?, commonName: String?, topic: String?) {
        #expect(ProviderCertificate(commonName: commonName, userID: userID).topic == topic)
    }

    @Test(
        arguments: [
            ("com.example.a", "alert", nil),
            (nil, "alert", nil),
            ("com.example.a.voip", "voip", nil),
            ("com.example.a.voip", "alert", DocumentedReason.topicDisallowed),
            ("com.example.a", "voip", .topicDisallowed),
            ("com.example.b", "alert", .topicDisallowed),
            ("com.example.a.voip", nil, nil),
            ("com.example.a.tail", nil, .topicDisallowed),
            ("", "alert", .missingTopic),
            ("a b", "alert", .badTopic),
            ("com.example.a.location-query", "location", .forbidden),
        ] as [(String?, String?, DocumentedReason?)]
    )
    func decidesAboutTopics(topic: String?, pushType: String?, reason: DocumentedReason?) {
        var headers = [(":method", "POST"), (":path", "/3/device/" + String(repeating: "a", count: 64))]
        if let topic { headers.append(("apns-topic", topic)) }
        if let pushType { headers.append(("apns-push-type", pushType)) }
        // The policy's topics are those of provider tokens.
        let validator = RequestValidator(policy: ValidationPolicy(topics: ["com.example.other"]))
        let refusal = validator.refusal(
            head: ChannelTargetTests.head(headers),
            payload: Array("{}".utf8),
            certificate: ProviderCertificate(commonName: nil, userID: "com.example.a")
        ) { _ in .missingProviderToken }
        #expect(refusal == reason)
    }
}
