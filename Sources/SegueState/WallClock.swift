import Glibc

/// The wall clock, for what a person reads later.
public func secondsSince1970() -> UInt64 { UInt64(clamping: time(nil)) }
