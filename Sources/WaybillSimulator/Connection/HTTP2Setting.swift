/// The settings that the simulator changes (RFC 9113 §6.5.2).
enum HTTP2Setting {
    static let headerTableSize: Int32 = 1
    static let maxConcurrentStreams: Int32 = 3
    static let maxFrameSize: Int32 = 5
}
