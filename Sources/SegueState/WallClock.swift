import Glibc

/// The wall clock, for times that are stored or shown to people.
public func secondsSince1970() -> UInt64 { UInt64(clamping: time(nil)) }
