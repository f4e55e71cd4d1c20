import SegueCore

/// The present run of the machine since its start. Moments that were recorded in another run have no meaning.
public enum Boot {
  /// An id that is different after each start of the machine; empty if it cannot be read.
  public static let id: String = {
    let bytes = (try? File.read("/proc/sys/kernel/random/boot_id")) ?? nil
    return DisplayText.clean(String(decoding: bytes ?? [], as: UTF8.self))
  }()
}
