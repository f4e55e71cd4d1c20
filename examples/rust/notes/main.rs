//! `segue-notes-rust TEXT` offers a note to the user's other devices, and goes on with one that comes from there.
//! Without a binding: the functions that it calls are declared by hand, as in include/segue.

use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_int, c_void};
use std::ptr::{null, null_mut};

enum Application {}
enum Activity {}
enum Responder {}
enum Restoration {}

type ResponderMethod = extern "C" fn(*mut Responder, *mut Activity, *mut c_void);

#[repr(C)]
struct ResponderMethods {
    struct_size: u32,
    reserved: u32,
    update: Option<ResponderMethod>,
    restore: Option<ResponderMethod>,
}

// A struct may end after the last member that is used: the library takes it for that of an older header.
#[repr(C)]
struct ApplicationDelegate {
    struct_size: u32,
    reserved: u32,
    will_continue: Option<extern "C" fn()>,
    continue_activity: Option<extern "C" fn(*mut Application, *mut Activity, *mut Restoration, *mut c_void) -> bool>,
}

type Destroy = Option<extern "C" fn(*mut c_void)>;

#[link(name = "segue")]
extern "C" {
    fn segue_application_new(
        id: *const c_char, options: *const c_void, out: *mut *mut Application, error: *mut c_void,
    ) -> c_int;
    fn segue_application_set_delegate(
        app: *mut Application, delegate: *const ApplicationDelegate, userdata: *mut c_void, destroy: Destroy,
    ) -> c_int;
    fn segue_application_ready(app: *mut Application) -> c_int;
    fn segue_application_run(app: *mut Application) -> c_int;
    fn segue_responder_new(
        app: *mut Application, methods: *const ResponderMethods, userdata: *mut c_void, destroy: Destroy,
        out: *mut *mut Responder,
    ) -> c_int;
    fn segue_responder_set_user_activity(responder: *mut Responder, activity: *mut Activity) -> c_int;
    fn segue_restoration_restore(restoration: *mut Restoration, responders: *const *mut Responder, n: usize) -> c_int;
    fn segue_activity_new(
        app: *mut Application, kind: *const c_char, out: *mut *mut Activity, error: *mut c_void,
    ) -> c_int;
    fn segue_activity_unref(activity: *mut Activity) -> *mut Activity;
    fn segue_activity_set_title(activity: *mut Activity, title: *const c_char) -> c_int;
    fn segue_activity_set_needs_save(activity: *mut Activity, needs_save: bool) -> c_int;
    fn segue_activity_add_string(activity: *mut Activity, key: *const c_char, text: *const c_char) -> c_int;
    fn segue_activity_copy_string(activity: *const Activity, key: *const c_char, out: *mut *mut c_char) -> c_int;
    fn segue_free(memory: *mut c_void);
}

struct Note {
    text: CString,
    responder: *mut Responder,
}

const TEXT: *const c_char = b"text\0".as_ptr().cast();

extern "C" fn update(_: *mut Responder, activity: *mut Activity, note: *mut c_void) {
    unsafe { segue_activity_add_string(activity, TEXT, (*note.cast::<Note>()).text.as_ptr()) };
}

extern "C" fn restore(responder: *mut Responder, activity: *mut Activity, note: *mut c_void) {
    let mut text = null_mut();
    unsafe {
        if segue_activity_copy_string(activity, TEXT, &mut text) < 0 {
            return;
        }
        let note = &mut *note.cast::<Note>();
        note.text = CStr::from_ptr(text).to_owned();
        segue_free(text.cast());
        segue_responder_set_user_activity(responder, activity);
        println!("restored: {}", note.text.to_string_lossy());
    }
}

extern "C" fn resume(_: *mut Application, _: *mut Activity, restoration: *mut Restoration, note: *mut c_void) -> bool {
    unsafe { segue_restoration_restore(restoration, &(*note.cast::<Note>()).responder, 1) == 0 }
}

fn main() {
    let text = std::env::args().nth(1).and_then(|text| CString::new(text).ok()).unwrap_or_default();
    // The callbacks get it by its address, until the program ends.
    let note = Box::into_raw(Box::new(Note { text, responder: null_mut() }));
    unsafe {
        let mut app = null_mut();
        if segue_application_new(b"org.segue.NotesRust\0".as_ptr().cast(), null(), &mut app, null_mut()) < 0 {
            std::process::exit(1);
        }
        let size = std::mem::size_of::<ResponderMethods>() as u32;
        let methods = ResponderMethods { struct_size: size, reserved: 0, update: Some(update), restore: Some(restore) };
        segue_responder_new(app, &methods, note.cast(), None, &mut (*note).responder);
        let size = std::mem::size_of::<ApplicationDelegate>() as u32;
        let delegate = ApplicationDelegate {
            struct_size: size, reserved: 0, will_continue: None, continue_activity: Some(resume),
        };
        segue_application_set_delegate(app, &delegate, note.cast(), None);
        segue_application_ready(app);

        let kind = b"org.segue.notes-rust.writing\0".as_ptr().cast();
        let mut activity = null_mut();
        let offers = !(*note).text.as_bytes().is_empty();
        if offers && segue_activity_new(app, kind, &mut activity, null_mut()) == 0 {
            segue_activity_set_title(activity, (*note).text.as_ptr());
            segue_activity_set_needs_save(activity, true);
            segue_responder_set_user_activity((*note).responder, activity);
            segue_activity_unref(activity);
        }
        segue_application_run(app);
    }
}
