import WaybillTLS

/// The encryption of what 100 requests come to.
enum TLSCases {
    static let all = [write]

    private static let write = MicroCase(
        "tls-write",
        "encrypt 100 serialised requests into a socket pair; what arrives is thrown away"
    ) { _ in
        let peer = try FramePeer()
        for request in try FrameRequest.all().prefix(Samples.notificationsPerMessage) { try peer.submit(request) }
        try peer.drain()
        let pair = try TLSPair()
        return MicroLoop(notifications: Samples.notificationsPerMessage, warmUp: 10) {
            try pair.write(peer.output) == peer.output.count ? Samples.notificationsPerMessage : 0
        }
    }
}
