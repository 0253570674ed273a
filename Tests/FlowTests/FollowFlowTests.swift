import Foundation
import Glibc
import Testing

extension FlowTests {
    /// `waybill logs --follow`, into a pipe.
    struct FollowFlowTests {
        /// So few records fill no buffer: they come because they are let go.
        private static let most = 12

        @Test func aPipeHasEachRecordAsSoonAsItIsThere() async throws {
            let rig = try await Rig()
            defer { rig.tearDown() }
            _ = try rig.startDispatcher()
            let pipe = Pipe()
            let follower = try rig.start("logs", "--follow", standardOutput: pipe.fileHandleForWriting)
            let reader = pipe.fileHandleForReading.fileDescriptor
            try #require(fcntl(reader, F_SETFL, O_NONBLOCK) == 0)
            var lines = ""
            // It shows what is written from when it has begun, which nothing tells of.
            for number in 0..<Self.most where lines.isEmpty {
                try rig.publish(#"{"notifications":[{"device_token":"aa01","message":"number \#(number)"}]}"#)
                for _ in 0..<50 where lines.isEmpty {
                    try await Task.sleep(for: .milliseconds(100))
                    lines += Self.read(reader)
                }
            }
            #expect(lines.hasSuffix("\n") && lines.contains("number "), "\(lines); log: \(rig.log)")
            #expect(follower.isRunning)
        }

        /// What is there.
        private static func read(_ descriptor: Int32) -> String {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
    }
}
