import WaybillNotifications

extension APIEvent {
    /// What is to be said of the thesis' queue.
    init(_ event: NotifireQueueReader.Event) {
        self =
            switch event {
            case .consuming(let queue, let waiting): .queueConsuming(queue: queue, waiting: waiting)
            case .failed(let reason): .queueFailed(reason: reason)
            case .rejected(let reason, let detail): .queueRejected(reason: reason, detail: detail)
            }
    }
}
