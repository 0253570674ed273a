/// The settings that the simulator changes (RFC 9113 §6.5.2).
enum HTTP2Setting {
    static let maxConcurrentStreams: Int32 = 3
}
