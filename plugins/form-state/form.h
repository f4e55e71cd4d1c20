/// A form: fields by name, in one dictionary of the host.
#ifndef FORM_STATE_FORM_H
#define FORM_STATE_FORM_H

#include <errno.h>
#include <segue/plugin.h>
#include <segue/value.h>
#include <string.h>

#include "host_value.h"

class Form {
 public:
  explicit Form(const segue_plugin_host &owner) : host(owner), values(*owner.values), fields(values) {}

  /// 0, or why the host has no dictionary.
  int prepare() {
    return values.new_dictionary(fields.out());
  }

  segue_value *dictionary() const {
    return fields.get();
  }

  /// Takes the fields of another dictionary, all or none.
  int restore(const segue_value *dictionary) {
    if (values.get_kind(dictionary) != SEGUE_VALUE_DICTIONARY) return -EINVAL;
    size_t count = 0;
    if (int result = values.get_count(dictionary, &count); result < 0) return result;
    if (count > maximum_fields) return -E2BIG;
    HostValue restored(values);
    if (int result = values.new_dictionary(restored.out()); result < 0) return result;
    for (size_t index = 0; index < count; index++) {
      segue_value *key = nullptr;
      segue_value *value = nullptr;
      if (int result = values.get_entry(dictionary, index, &key, &value); result < 0) return result;
      if (values.get_kind(key) != SEGUE_VALUE_STRING) return -EINVAL;
      if (int result = values.set(restored.get(), key, value); result < 0) return result;
    }
    fields.swap(restored);
    return 0;
  }

  /// Removes the field where value is NULL.
  int set(const char *name, const segue_value *value) {
    if (strlen(name) > maximum_name) return -E2BIG;
    size_t count = 0;
    segue_value *former = nullptr;
    if (int result = values.get_count(fields.get(), &count); result < 0) return result;
    bool is_new = values.get_for_name(fields.get(), name, &former) < 0;
    if (value == nullptr && is_new) return 0;
    if (value != nullptr && is_new && count >= maximum_fields) return -E2BIG;
    return changed(values.set_for_name(fields.get(), name, value));
  }

  int set_text(const char *name, const char *text) {
    HostValue value(values);
    if (int result = values.new_string(text, value.out()); result < 0) return result;
    return set(name, value.get());
  }

  int get(const char *name, segue_value **out_value) const {
    return values.get_for_name(fields.get(), name, out_value);
  }

  int get_text(const char *name, const char **out_text) const {
    segue_value *value = nullptr;
    if (int result = get(name, &value); result < 0) return result;
    return values.get_kind(value) == SEGUE_VALUE_STRING ? values.get_string(value, out_text) : -ENXIO;
  }

  int clear() {
    HostValue empty(values);
    if (int result = values.new_dictionary(empty.out()); result < 0) return result;
    fields.swap(empty);
    return changed(0);
  }

 private:
  // The bounds of a dictionary in userInfo (segue/value.h).
  static constexpr size_t maximum_fields = 256;
  static constexpr size_t maximum_name = 128;

  const segue_plugin_host &host;
  const segue_plugin_values &values;
  HostValue fields;

  int changed(int result) {
    return result < 0 ? result : host.needs_save(&host);
  }
};

#endif
