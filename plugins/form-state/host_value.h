/// A reference to a value of the host, given back when it ends.
#ifndef FORM_STATE_HOST_VALUE_H
#define FORM_STATE_HOST_VALUE_H

#include <segue/host.h>

class HostValue {
 public:
  explicit HostValue(const segue_plugin_values &table) : values(table) {}
  ~HostValue() {
    values.unref(held);
  }

  HostValue(const HostValue &) = delete;
  HostValue &operator=(const HostValue &) = delete;

  segue_value *get() const {
    return held;
  }
  /// For the functions that make values; once.
  segue_value **out() {
    return &held;
  }

  void swap(HostValue &other) {
    segue_value *mine = held;
    held = other.held;
    other.held = mine;
  }

 private:
  const segue_plugin_values &values;
  segue_value *held = nullptr;
};

#endif
