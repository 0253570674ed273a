import WaybillAPNS
import WaybillHTTP2
import WaybillPushTransport

/// A request whose head is written already.
struct FrameRequest {
    let headers: HTTP2HeaderBlock
    let body: ArraySlice<UInt8>

    static func all() throws -> [FrameRequest] {
        var names = HeaderNames()
        return try SampleRequests.all().map { request in
            // Each keeps its block, so each needs a writer of its own.
            let writer = RequestHeaders(authority: SampleRequests.authority)
            try writer.write(request, authorization: SampleRequests.authorization, names: &names)
            return FrameRequest(headers: writer.block, body: request.payload)
        }
    }
}
