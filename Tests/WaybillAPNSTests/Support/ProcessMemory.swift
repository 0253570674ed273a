import CWaybillLinux

/// What the process holds.
enum ProcessMemory {
    /// Bytes that `malloc` has handed out and not got back, over all threads (`mallinfo2(3)`).
    static var heapInUse: Int { Int(wb_heap_in_use()) }
}
