"""segue-desktop: a window on what can be continued, on the paired devices, and on the way to the first of them."""
