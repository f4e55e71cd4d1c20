import CLinux
import CSegue
import SegueCore
import SegueRuntime

// include/segue/stream.h, and the functions of activity.h for streams.

@c @implementation public func segue_activity_get_continuation_streams(
  _ activity: UnsafeMutablePointer<segue_activity>, _ callback: segue_streams_function,
  _ userdata: UnsafeMutableRawPointer?, _ destroy: segue_destroy_function?
) -> Int32 {
  let userdata = Userdata(userdata, destroy)
  guard !isMissing(callback) else { return -EINVAL }
  return with(activity, .applicationThread) { activity throws(SegueError) in
    try activity.application.requestStreams(for: activity) { result in
      withExtendedLifetime((activity, userdata)) {
        switch result {
        case .success(let pair):
          let (input, output) = pair.take()
          callback(borrowed(activity), input, output, nil, userdata.pointer)
        case .failure(let error):
          withExtendedLifetime(ErrorHandle(error, external: 0)) {
            callback(borrowed(activity), -1, -1, UnsafePointer(borrowed($0)), userdata.pointer)
          }
        }
      }
    }
    return 0
  }
}

/// The same as for a pointer: the header says that the function is not NULL, but the caller may ignore that.
private func isMissing(_ function: segue_streams_function) -> Bool { unsafeBitCast(function, to: UInt.self) == 0 }

/// The caller's bytes; nil if the pointer is NULL although the length is not 0.
private func memory(_ bytes: UnsafeRawPointer?, _ length: Int) -> UnsafeRawBufferPointer? {
  guard length >= 0, bytes != nil || length == 0 else { return nil }
  return UnsafeRawBufferPointer(start: bytes, count: length)
}

@c @implementation public func segue_stream_read_exactly(
  _ input: Int32, _ buffer: UnsafeMutableRawPointer?, _ length: Int, _ timeout: Int32,
  _ out_length: UnsafeMutablePointer<Int>?
) -> Int32 {
  guard let memory = memory(buffer, length) else { return -EINVAL }
  let room = UnsafeMutableRawBufferPointer(mutating: memory)
  let (result, count) = StreamBytes(input, milliseconds: timeout).read(into: room)
  if result >= 0 { out_length?.pointee = count }
  return result
}

@c @implementation public func segue_stream_write_all(
  _ output: Int32, _ bytes: UnsafeRawPointer?, _ length: Int, _ timeout: Int32
) -> Int32 {
  guard let bytes = memory(bytes, length) else { return -EINVAL }
  return StreamBytes(output, milliseconds: timeout).write(bytes)
}

@c @implementation public func segue_stream_read_message(
  _ input: Int32, _ maximum: Int, _ timeout: Int32, _ out_bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
  _ out_length: UnsafeMutablePointer<Int>
) -> Int32 {
  guard !isMissing(out_bytes), !isMissing(out_length), maximum >= 0 else { return -EINVAL }
  let (result, bytes) = StreamBytes(input, milliseconds: timeout).readMessage(maximum: maximum)
  if let bytes {
    out_bytes.pointee = bytes.baseAddress
    out_length.pointee = bytes.count
  }
  return result
}

@c @implementation public func segue_stream_write_message(
  _ output: Int32, _ bytes: UnsafeRawPointer?, _ length: Int, _ timeout: Int32
) -> Int32 {
  guard let bytes = memory(bytes, length) else { return -EINVAL }
  return StreamBytes(output, milliseconds: timeout).writeMessage(bytes)
}

@c @implementation public func segue_stream_copy_error(
  _ input: Int32, _ out_error: UnsafeMutablePointer<UnsafeMutablePointer<segue_error>?>
) -> Int32 {
  guard !isMissing(out_error) else { return -EINVAL }
  return result { () throws(SegueError) in
    switch StreamLosses.shared.end(of: input) {
    case .closed: return -EBADF
    case .none: out_error.pointee = nil
    case .lost(let error): out_error.pointee = owned(ErrorHandle(error))
    }
    return 0
  }
}
