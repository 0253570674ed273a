import WaybillAPNS
import WaybillCore
import WaybillProviders
import WaybillTLS

/// The two digests of a notification; the decode cases contain them.
enum IdentityCases {
    static let all = [apnsID, collapseID]

    private static let apnsID = MicroCase("derive-id", "derive the apns-id, as inside decode") { _ in
        let bodies = (0..<Samples.messages).map(SampleBodies.array)
        var turn = Turn(Samples.messages)
        return MicroLoop(notifications: Samples.notificationsPerMessage, warmUp: Samples.messages) {
            let message = turn.next()
            let identity = MessageIdentity(
                milliseconds: UInt64(Samples.timestamp * 1000),
                digest: MessageDigest(batchID: "march-\(message)", body: bodies[message])
            )
            var versions = 0
            for index in 0..<Samples.notificationsPerMessage {
                if identity.id(at: index).high >> 12 & 0xF == 8 { versions += 1 }
            }
            return versions
        }
    }

    private static let collapseID = MicroCase("collapse-id", "derive the collapse id, as inside decode") { _ in
        let tokens = (0..<Samples.messages * Samples.notificationsPerMessage).map { Array(Samples.token($0).utf8) }
        let payloads = tokens.indices.map { Array(Samples.payload($0).utf8) }
        var turn = Turn(Samples.messages)
        return MicroLoop(notifications: Samples.notificationsPerMessage, warmUp: Samples.messages) {
            var sum: UInt64 = 0
            for number in Samples.numbers(ofMessage: turn.next()) {
                let digest = tokens[number].withUnsafeBufferPointer { token in
                    payloads[number].withUnsafeBufferPointer {
                        DerivedCollapseID.digest(deviceToken: token, content: $0)
                    }
                }
                sum |= digest.words.0
            }
            return sum == 0 ? 0 : Samples.notificationsPerMessage
        }
    }
}
