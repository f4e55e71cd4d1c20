import CLinux
import CSegue
import SegueCore
import SegueRuntime

// include/segue/document.h

@c @implementation public func segue_document_url_key() -> UnsafePointer<CChar> { staticText("SegueDocumentURL") }

@c @implementation public func segue_document_methods_init(
  _ methods: UnsafeMutablePointer<segue_document_methods>, _ struct_size: UInt32
) { initialize(methods, struct_size) }

@c @implementation public func segue_document_new(
  _ application: UnsafeMutablePointer<segue_application>, _ url: UnsafePointer<CChar>?,
  _ mime_type: UnsafePointer<CChar>, _ methods: UnsafePointer<segue_document_methods>,
  _ userdata: UnsafeMutableRawPointer?, _ destroy: segue_destroy_function?,
  _ out_document: UnsafeMutablePointer<UnsafeMutablePointer<segue_document>?>, _ out_error: OutError
) -> Int32 {
  let userdata = Userdata(userdata, destroy)
  guard let application = object(application)?.application, !isMissing(out_document) else {
    return refusedHandle(out_error)
  }
  return call(application, .applicationThread, out_error) { () throws(SegueError) in
    guard let mimeType = MIMEType(try requiredText(mime_type)) else {
      throw SegueError(
        .invalidArgument, "A MIME type has a type and a subtype, and no parameters.",
        advice: "Use a name like text/plain.")
    }
    let url = try fileURL(url)
    let members = try structure(methods, empty: segue_document_methods())
    var new = DocumentMethods()
    if let update = members.update_user_activity_state {
      new.update = { update(borrowed($0), borrowed($1), userdata.pointer) }
    }
    if let restore = members.restore_user_activity_state {
      new.restore = { restore(borrowed($0), borrowed($1), userdata.pointer) }
    }
    if let changed = members.user_activity_changed {
      new.changed = { changed(borrowed($0), $1.map { borrowed($0) }, userdata.pointer) }
    }
    if let moved = members.url_changed {
      new.moved = { moved(borrowed($0), $1.pointer, userdata.pointer) }
    }
    new.userdata = userdata
    out_document.pointee = owned(Document(application: application, url: url, mimeType: mimeType, methods: new))
    return 0
  }
}

/// A file's URL from C; NULL is none.
private func fileURL(_ pointer: UnsafePointer<CChar>?) throws(SegueError) -> FileURL? {
  guard let text = try optionalText(pointer) else { return nil }
  guard let url = FileURL(text) else {
    throw SegueError(
      .invalidArgument, "A document's URL is file:// and an absolute path, percent-encoded.",
      advice: "Use a URL like file:///home/a/list.txt, without . and .. in it.")
  }
  return url
}

@c @implementation public func segue_document_ref(
  _ document: UnsafeMutablePointer<segue_document>
)
  -> UnsafeMutablePointer<segue_document>
{ reference(document) }

@c @implementation public func segue_document_unref(
  _ document: UnsafeMutablePointer<segue_document>?
)
  -> UnsafeMutablePointer<segue_document>?
{ unreference(document) }

@c @implementation public func segue_document_close(_ document: UnsafeMutablePointer<segue_document>) -> Int32 {
  guard let document = object(document) else { return Refusal.badHandle }
  return call(document.application, .applicationThread) {
    document.close()
    return 0
  }
}

@c @implementation public func segue_document_set_url(
  _ document: UnsafeMutablePointer<segue_document>, _ url: UnsafePointer<CChar>?
) -> Int32 {
  guard let document = object(document) else { return Refusal.badHandle }
  return call(document.application, .applicationThread) { () throws(SegueError) in
    try document.setURL(try fileURL(url))
    return 0
  }
}

@c @implementation public func segue_document_copy_url(
  _ document: UnsafePointer<segue_document>, _ out_url: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> Int32 {
  guard let document = object(document), !isMissing(out_url) else { return Refusal.badHandle }
  return call(document.application, .anyThread) {
    out_url.pointee = document.url.map { CText.copy($0.string) }
    return 0
  }
}

@c @implementation public func segue_document_set_role(
  _ document: UnsafeMutablePointer<segue_document>, _ role: segue_document_role
) -> Int32 {
  guard let document = object(document) else { return Refusal.badHandle }
  return call(document.application, .applicationThread) { () throws(SegueError) in
    switch role {
    case segue_document_role(SEGUE_DOCUMENT_EDITED): try document.setViewed(false)
    case segue_document_role(SEGUE_DOCUMENT_VIEWED): try document.setViewed(true)
    default: return -EINVAL
    }
    return 0
  }
}

@c @implementation public func segue_document_set_user_activity(
  _ document: UnsafeMutablePointer<segue_document>, _ activity: UnsafeMutablePointer<segue_activity>?
) -> Int32 {
  guard let document = object(document) else { return Refusal.badHandle }
  return segue_responder_set_user_activity(borrowed(document), activity)
}

@c @implementation public func segue_document_copy_user_activity(
  _ document: UnsafePointer<segue_document>, _ out_activity: OutActivity
) -> Int32 {
  guard let document = object(document) else { return Refusal.badHandle }
  return segue_responder_copy_user_activity(borrowed(document), out_activity)
}

@c @implementation public func segue_document_get_responder(
  _ document: UnsafeMutablePointer<segue_document>
)
  -> UnsafeMutablePointer<segue_responder>?
{ object(document).map { borrowed($0) } }

@c @implementation public func segue_document_add_responder(
  _ document: UnsafeMutablePointer<segue_document>, _ responder: UnsafeMutablePointer<segue_responder>
) -> Int32 {
  guard let document = object(document), let responder = object(responder) else { return Refusal.badHandle }
  return call(document.application, .applicationThread) { () throws(SegueError) in
    guard responder.application === document.application else { return -EINVAL }
    try document.add(responder)
    return 0
  }
}

@c @implementation public func segue_document_remove_responder(
  _ document: UnsafeMutablePointer<segue_document>, _ responder: UnsafeMutablePointer<segue_responder>
) -> Int32 {
  guard let document = object(document), let responder = object(responder) else { return Refusal.badHandle }
  return call(document.application, .applicationThread) {
    document.remove(responder)
    return 0
  }
}
