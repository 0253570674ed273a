package import WaybillAMQP
package import WaybillCore

/// Properties that are no UTF-8: repaired, two of them could be the same name, and nobody would have given it.
package enum BrokenText {
    /// - Throws: which property it is.
    package static func refuse(_ properties: AMQPProperties) throws(BodyRejection) {
        guard let name = properties.brokenText else { return }
        throw BodyRejection(.notUTF8, "the property \(name): not UTF-8")
    }
}
