#!/usr/bin/perl
# `segue-notes-perl TEXT` offers a note to the user's other devices, and goes on with one that comes from there.
# Without a binding: the functions that it calls are declared by hand, as in include/segue.

use v5.36;
use FFI::Platypus 2.00;

package ResponderMethods {
  use FFI::Platypus::Record;
  record_layout_1(qw(uint32 struct_size uint32 reserved opaque update opaque restore));
}

# A struct may end after the last member that is used: the library takes it for that of an older header.
package ApplicationDelegate {
  use FFI::Platypus::Record;
  record_layout_1(qw(uint32 struct_size uint32 reserved opaque will_continue opaque continue_activity));
}

my $ffi = FFI::Platypus->new(api => 2, lib => "libsegue.so.0");
$ffi->type("(opaque, opaque, opaque)->void" => "responder_method");
$ffi->type("(opaque, opaque, opaque, opaque)->bool" => "continue_method");

# Handles are opaque, and so are the unused destroy functions and errors.
$ffi->attach(segue_application_new => ["string", "opaque", "opaque*", "opaque"] => "int");
$ffi->attach(segue_application_set_delegate => ["opaque", "record(ApplicationDelegate)*", "opaque", "opaque"] => "int");
$ffi->attach(segue_application_ready => ["opaque"] => "int");
$ffi->attach(segue_application_run => ["opaque"] => "int");
$ffi->attach(
  segue_responder_new => ["opaque", "record(ResponderMethods)*", "opaque", "opaque", "opaque*"] => "int");
$ffi->attach(segue_responder_set_user_activity => ["opaque", "opaque"] => "int");
$ffi->attach(segue_restoration_restore => ["opaque", "opaque[]", "size_t"] => "int");
$ffi->attach(segue_activity_new => ["opaque", "string", "opaque*", "opaque"] => "int");
$ffi->attach(segue_activity_unref => ["opaque"] => "opaque");
$ffi->attach(segue_activity_set_title => ["opaque", "string"] => "int");
$ffi->attach(segue_activity_set_needs_save => ["opaque", "bool"] => "int");
$ffi->attach(segue_activity_add_string => ["opaque", "string", "string"] => "int");
$ffi->attach(segue_activity_copy_string => ["opaque", "string", "opaque*"] => "int");
$ffi->attach(segue_free => ["opaque"] => "void");

my $text = $ARGV[0];
my ($app, $responder, $activity);
$| = 1;

segue_application_new("org.segue.NotesPerl", undef, \$app, undef) == 0 or exit 1;

# A closure is a C function for as long as it is held, and has what it needs in its scope.
my $update = $ffi->closure(sub ($, $activity, $) {
  segue_activity_add_string($activity, "text", $text);
});
my $restore = $ffi->closure(sub ($restoring, $activity, $) {
  segue_activity_copy_string($activity, "text", \my $string) == 0 or return;
  $text = $ffi->cast(opaque => "string", $string);
  segue_free($string);
  segue_responder_set_user_activity($restoring, $activity);
  say "restored: $text";
});
my $methods = ResponderMethods->new(
  update => $ffi->cast(responder_method => "opaque", $update),
  restore => $ffi->cast(responder_method => "opaque", $restore),
);
$methods->struct_size($ffi->sizeof("record(ResponderMethods)"));
segue_responder_new($app, $methods, undef, undef, \$responder);

my $resume = $ffi->closure(sub ($, $, $restoration, $) {
  return segue_restoration_restore($restoration, [$responder], 1) == 0 ? 1 : 0;
});
my $delegate = ApplicationDelegate->new(continue_activity => $ffi->cast(continue_method => "opaque", $resume));
$delegate->struct_size($ffi->sizeof("record(ApplicationDelegate)"));
segue_application_set_delegate($app, $delegate, undef, undef);
segue_application_ready($app);

if (defined $text && segue_activity_new($app, "org.segue.notes-perl.writing", \$activity, undef) == 0) {
  segue_activity_set_title($activity, $text);
  segue_activity_set_needs_save($activity, 1);
  segue_responder_set_user_activity($responder, $activity);
  segue_activity_unref($activity);
}
segue_application_run($app);
