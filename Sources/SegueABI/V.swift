import CSegue
@c @implementation public func segue_version_number() -> CInt { 1 }
@c @implementation public func segue_hello(_ app: UnsafeMutablePointer<segue_application>) -> UnsafePointer<CChar> {
  fatalError()
}
