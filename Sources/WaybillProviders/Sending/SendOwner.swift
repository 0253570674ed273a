package import WaybillPushTransport

/// Whoever hands notifications over to be sent; comes back with the end of each.
///
/// A class, so that an end finds its message by one reference instead of a look-up.
package protocol SendOwner: PushRequestOwner {}
