/// Ends connections with the service's own words where nghttp2 has its own; pure.
enum StreamLimitWords {
    /// What Google says to the client that opens one stream too many.
    static let google = Array("exceeded_max_concurrent_streams".utf8)

    /// A run of whole frames with other debug data in its GOAWAY frames.
    static func replace(in frames: [UInt8], by words: [UInt8]) -> [UInt8] {
        var replaced: [UInt8] = []
        for frame in FrameRun(frames[...]) {
            if frame.type == FrameType.goAway.rawValue, frame.payload.count >= 8 {
                RawFrame.append(type: .goAway, stream: 0, Array(frames[frame.payload].prefix(8)) + words, to: &replaced)
            } else {
                replaced += frames[frame.start..<frame.payload.upperBound]
            }
        }
        return replaced
    }
}
