import CWaybillCurl

/// Posts to many addresses at once, which others have named: to those alone that the caller permits.
///
/// One that is slow costs a socket and nobody's time. Connections are kept and used again, by those that share them
/// (``WebhookPost/sharesConnections``).
///
/// *Ownership:* owns libcurl's transfers; those that are under way are broken off with it. *Thread:* one. *Blocking:*
/// ``wait(atMost:)``.
package final class WebhookTransfers<Tag> {
    private let pointer: UnsafeMutableRawPointer
    private var running: [UnsafeMutableRawPointer: (exchange: WebhookExchange, tag: Tag)] = [:]

    /// - Throws: `TransferError` when libcurl cannot be used.
    package init() throws(TransferError) {
        try EasyHandle.requireLibrary()
        guard let pointer = curl_multi_init() else { throw TransferError("libcurl cannot be used") }
        self.pointer = pointer
    }

    deinit {
        for handle in running.keys { curl_multi_remove_handle(pointer, handle) }
        running.removeAll()
        curl_multi_cleanup(pointer)
    }

    /// How many are under way.
    package var count: Int { running.count }

    /// Begins a POST.
    ///
    /// - Parameters:
    ///   - post: what to send, and where to.
    ///   - tag: comes back with its end.
    /// - Throws: `TransferError` for what cannot be sent at all.
    package func begin(_ post: WebhookPost, _ tag: Tag) throws(TransferError) {
        let exchange = try WebhookExchange(post)
        guard curl_multi_add_handle(pointer, exchange.handle.pointer) == CURLM_OK else {
            throw TransferError("libcurl takes no more")
        }
        running[exchange.handle.pointer] = (exchange, tag)
    }

    /// Works until something has ended, or a time is over.
    ///
    /// - Parameter time: how long at most.
    /// - Returns: what has ended, each with its answer, whatever its status, or why there is none.
    package func wait(atMost time: Duration) -> [(tag: Tag, result: Result<WebhookAnswer, TransferError>)] {
        let end = ContinuousClock.now + time
        while true {
            var left: Int32 = 0
            curl_multi_perform(pointer, &left)
            let ended = takeEnded()
            let rest = end - .now
            guard ended.isEmpty, rest > .zero else { return ended }
            curl_multi_poll(pointer, nil, 0, Int32(clamping: max(1, Int(rest / .milliseconds(1)))), nil)
        }
    }

    private func takeEnded() -> [(tag: Tag, result: Result<WebhookAnswer, TransferError>)] {
        var ended: [(tag: Tag, result: Result<WebhookAnswer, TransferError>)] = []
        var code = CURLE_OK
        while let handle = wb_curl_ended(pointer, &code) {
            guard let (exchange, tag) = running.removeValue(forKey: handle) else { continue }
            ended.append((tag, exchange.result(code)))
            curl_multi_remove_handle(pointer, handle)
        }
        return ended
    }
}
