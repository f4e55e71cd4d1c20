// org.segue.form-state: the fields of a form. README.md says what an application does with it.
#include "form-state.h"

#include <new>

#include "form.h"

namespace {

// The property.

segue_value *get_fields(const Form *form) {
  return form->dictionary();
}

int set_fields(Form *form, const segue_value *dictionary) {
  return form->restore(dictionary);
}

template <typename Function>
segue_plugin_function plain(Function *function) {
  return reinterpret_cast<segue_plugin_function>(function);
}

const segue_plugin_property properties[] = {
    {"form.fields", "v", SEGUE_PROPERTY_PORTABLE | SEGUE_PROPERTY_REQUIRED, nullptr, plain(get_fields),
     plain(set_fields), nullptr},
};

// The extension.

Form &form(void *object) {
  return *static_cast<Form *>(object);
}

const segue_form_state extension = {
    sizeof(segue_form_state),
    0,
    [](void *object, const char *name, const segue_value *value) { return form(object).set(name, value); },
    [](void *object, const char *name, segue_value **out_value) { return form(object).get(name, out_value); },
    [](void *object, const char *name, const char *text) { return form(object).set_text(name, text); },
    [](void *object, const char *name, const char **out_text) { return form(object).get_text(name, out_text); },
    [](void *object) { return form(object).clear(); },
};

// The object.

int create(const segue_plugin_host *host, void **out_object) {
  Form *made = new (std::nothrow) Form(*host);
  if (made == nullptr) return -ENOMEM;
  if (int result = made->prepare(); result < 0) {
    delete made;
    return result;
  }
  *out_object = made;
  return 0;
}

void destroy(void *object) {
  delete static_cast<Form *>(object);
}

const void *get_extension(void *, const char *id) {
  return strcmp(id, SEGUE_FORM_STATE) == 0 ? &extension : nullptr;
}

const segue_plugin_object_descriptor descriptor = {
    sizeof(segue_plugin_object_descriptor),
    sizeof(segue_plugin_property),
    "form",
    "A form that is being filled in",
    create,
    destroy,
    properties,
    1,
    0,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    get_extension,
};

const segue_plugin_object_descriptor *const descriptors[] = {&descriptor};

const segue_plugin_object_factory factory = {sizeof(segue_plugin_object_factory), 1, descriptors};

const void *get_factory(const char *id) {
  return strcmp(id, SEGUE_PLUGIN_OBJECT_FACTORY) == 0 ? &factory : nullptr;
}

}  // namespace

SEGUE_PLUGIN_EXPORT const segue_plugin_entry segue_entry = {
    sizeof(segue_plugin_entry), SEGUE_PLUGIN_ABI, "org.segue.form-state", nullptr, nullptr, get_factory,
};
