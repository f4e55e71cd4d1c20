// The plugin's functions, as page.h declares them and tables.c lists them.
import CPage

@c @implementation public func page_create(
  _ host: UnsafePointer<segue_plugin_host>, _ out_object: UnsafeMutablePointer<UnsafeMutableRawPointer?>
) -> CInt {
  result { () throws(Failure) in
    out_object.pointee = Unmanaged.passRetained(try Page(host: host)).toOpaque()
  }
}

@c @implementation public func page_destroy(_ object: UnsafeMutableRawPointer) {
  Unmanaged<Page>.fromOpaque(object).release()
}

// MARK: Properties

@c @implementation public func page_get_url(_ object: UnsafeMutableRawPointer) -> UnsafeMutablePointer<CChar>? {
  page(object).address.flatMap { strdup($0.url) }
}

@c @implementation public func page_set_url(
  _ object: UnsafeMutableRawPointer, _ url: UnsafePointer<CChar>?
) -> CInt {
  result { () throws(Failure) in
    guard let url else { return try page(object).go(to: nil) }
    guard let address = Address(String(cString: url)) else { throw .malformed }
    try page(object).go(to: address)
  }
}

@c @implementation public func page_get_title(_ object: UnsafeMutableRawPointer) -> UnsafeMutablePointer<CChar>? {
  page(object).title.flatMap { strdup($0) }
}

@c @implementation public func page_set_title(
  _ object: UnsafeMutableRawPointer, _ title: UnsafePointer<CChar>?
) -> CInt {
  page(object).title = title.map { String(cString: $0) }
  return 0
}

@c @implementation public func page_get_scroll_x(_ object: UnsafeMutableRawPointer) -> Double { page(object).scrollX }

@c @implementation public func page_set_scroll_x(_ object: UnsafeMutableRawPointer, _ part: Double) -> CInt {
  page(object).scrollX = part.clamped(to: 0...1, otherwise: 0)
  return 0
}

@c @implementation public func page_get_scroll_y(_ object: UnsafeMutableRawPointer) -> Double { page(object).scrollY }

@c @implementation public func page_set_scroll_y(_ object: UnsafeMutableRawPointer, _ part: Double) -> CInt {
  page(object).scrollY = part.clamped(to: 0...1, otherwise: 0)
  return 0
}

@c @implementation public func page_get_zoom(_ object: UnsafeMutableRawPointer) -> Double { page(object).zoom }

@c @implementation public func page_set_zoom(_ object: UnsafeMutableRawPointer, _ factor: Double) -> CInt {
  page(object).zoom = factor.clamped(to: 0.1...10, otherwise: 1)
  return 0
}

@c @implementation public func page_get_fields(_ object: UnsafeMutableRawPointer) -> OpaquePointer {
  page(object).fields.value
}

@c @implementation public func page_set_fields(_ object: UnsafeMutableRawPointer, _ fields: OpaquePointer) -> CInt {
  result { () throws(Failure) in
    let page = page(object)
    page.fields = try Fields(copying: fields, host: page.host)
  }
}

// MARK: Beyond properties

@c @implementation public func page_update(_ object: UnsafeMutableRawPointer, _ activity: OpaquePointer) -> CInt {
  page(object).describe(activity)
}

@c @implementation public func page_get_summary(
  _ object: UnsafeMutableRawPointer, _ out_text: UnsafeMutablePointer<CChar>, _ size: Int
) -> Int {
  let summary = page(object).summary
  if size != 0 { strcpy(out_text, summary.prefix(bytes: size &- 1)) }
  return summary.utf8.count
}

// MARK: Between C and Swift

private func page(_ object: UnsafeMutableRawPointer) -> Page {
  Unmanaged<Page>.fromOpaque(object).takeUnretainedValue()
}

/// 0, or what the failure says.
private func result(_ body: () throws(Failure) -> Void) -> CInt {
  do throws(Failure) { try body() } catch { return error.result }
  return 0
}

extension Double {
  /// The nearest number in the range; not a number stands for none.
  fileprivate func clamped(to range: ClosedRange<Double>, otherwise none: Double) -> Double {
    isNaN ? none : min(max(self, range.lowerBound), range.upperBound)
  }
}
