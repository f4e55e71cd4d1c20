import SegueCore

/// One run of the machine: moments of another mean nothing.
public enum Boot {
  /// Another one after each start of the machine; empty where it cannot be read.
  public static let id: String = {
    let bytes = (try? File.read("/proc/sys/kernel/random/boot_id")) ?? nil
    return DisplayText.clean(String(decoding: bytes ?? [], as: UTF8.self))
  }()
}
