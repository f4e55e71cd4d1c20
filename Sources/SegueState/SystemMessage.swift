import Glibc

/// The errno of the call that failed last, as text.
public func systemMessage(_ code: Int32 = errno) -> String { String(cString: strerror(code)) }
