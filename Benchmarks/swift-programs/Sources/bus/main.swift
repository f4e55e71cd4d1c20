import CDBus
import Memory

// As bare, and linked with libdbus, which Segue needs. As in linked, nothing of it runs.
if CommandLine.arguments.count > 100 { dbus_shutdown() }
print(await privateKiB())
