import SegueCore

/// Names one run of the machine. Moments that were recorded in another run mean nothing.
public enum Boot {
  /// An id that is another one after each start of the machine; empty if it cannot be read.
  public static let id: String = {
    let bytes = (try? File.read("/proc/sys/kernel/random/boot_id")) ?? nil
    return DisplayText.clean(String(decoding: bytes ?? [], as: UTF8.self))
  }()
}
