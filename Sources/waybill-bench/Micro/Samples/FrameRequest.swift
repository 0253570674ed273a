import WaybillAPNS
import WaybillHTTP2
import WaybillPushTransport

/// A request whose head is written already.
struct FrameRequest {
    let headers: HTTP2HeaderBlock
    let body: ArraySlice<UInt8>

    static func all() throws -> [FrameRequest] {
        var names = HeaderNames()
        let requests = try SampleRequests.all()
        return try requests.indices.map { position in
            // Each keeps its block, so each needs a writer of its own.
            let writer = RequestHeaders(authority: SampleRequests.authority)
            try writer.write(requests, at: position, authorization: SampleRequests.authorization, names: &names)
            return FrameRequest(headers: writer.block, body: requests[position].payload)
        }
    }
}
