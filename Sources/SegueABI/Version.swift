import CLinux
import CSegue
import SegueCore

// include/segue/version.h, and base.h's one function.

@c @implementation public func segue_version_number() -> Int32 {
  10000 * SEGUE_VERSION_MAJOR + 100 * SEGUE_VERSION_MINOR + SEGUE_VERSION_PATCH
}

@c @implementation public func segue_version_string() -> UnsafePointer<CChar> { staticText(Version.text) }

@c @implementation public func segue_free(_ memory: UnsafeMutableRawPointer?) { free(memory) }

/// A pointer to text that is part of the program.
func staticText(_ string: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
}
