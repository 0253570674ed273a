import WaybillDeviceRegistry

/// What became of events.
struct FuseChanges {
    var registry = RegistryChanges()
    var held = 0
    var discarded = 0
}
