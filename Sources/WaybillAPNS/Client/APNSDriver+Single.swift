import WaybillPushTransport

extension APNSDriver {
    /// Sends one request and waits for its outcome; if the task is cancelled, takes back what has not left and waits on.
    func outcome(of request: APNSRequest) async -> APNSOutcome {
        let single = SingleRequest<APNSOutcome> { self.withdraw(owner: $0, lane: 0) }
        return await single.outcome {
            APNSOutcome(owner: $0, index: 0, result: .failed(.notSent(.cancelled)), latency: 0, attempts: 0)
        } submit: {
            submit([APNSRequestBatch(owner: $0, requests: [request])], lane: 0)
        }
    }

    /// Closes the driver, and tells everybody who waits for that.
    var closing: DriverClosing {
        DriverClosing {
            self.close(grace: $0)
        } join: {
            self.join()
        }
    }
}

extension SingleRequest: OutcomeReceiver where Outcome == APNSOutcome {
    func receive(_ outcomes: ArraySlice<APNSOutcome>) {
        if let outcome = outcomes.first { end(outcome) }
    }
}
